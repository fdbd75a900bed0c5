import { describe, expect, it } from 'vitest'
import { admit, compareWith, decide, running, send } from '../campaign-setup.js'
import { inDoubt, registered } from '../outcomes.js'
import { IBAN, OTHER_IBAN, type Values } from '../records.js'
import { query, statesOf } from '../ledger-views.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'

/** An export had row 2 registered, in the place of row 1 that somebody corrects in a list of before. */
async function overtaken(): Promise<Ledger> {
  const ledger = running([{ verdict: 'invalid' }])
  admit(ledger, [{}], { name: 'second.csv' })
  await send(ledger, registered('NEW-1'))
  return ledger
}

describe('a correction that comes once its mandate was sent', () => {
  it.each<[string, Values, why: string]>([
    ['another account', { iban: OTHER_IBAN }, 'account'],
    ['another customer and date', { customerNo: 7, signedDate: '2020-03-01' }, 'customer date'],
    ['another reference', { reference: 'M-7' }, 'reference'],
    ['an end', { verdict: 'excluded' }, 'ended'],
    ['a value that cannot be read', { verdict: 'invalid', signedDate: '2020-03-01' }, 'unclear'],
  ])('is a line of the cut-over that a person closes: %s', async (_, values, why) => {
    const ledger = await overtaken()
    const listed = `${why === 'ended' ? why : 'changed'}_after_registration`
    admit(ledger, [{ ...values, corrects: 1 }], { name: 'list.csv' })
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([{ id: 2, listed, why, isOpen: 1 }])
    expect(ledger.view.openCutOver().open).toBe(1)
    decide(ledger, 2, 'done')
    expect(ledger.view.openCutOver().open).toBe(0)
    expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'duplicate'])
    admit(ledger, [{ ...values, corrects: 1, said: { by: null, reason: 'again' } }], { name: 'list-2.csv' })
    expect(ledger.view.openCutOver().open).toBe(0)
  })

  it.each(['before', 'after'])(
    'keeps no account, also where its line is given back as it was %s that',
    async (when) => {
      const ledger = await overtaken()
      admit(ledger, [{ iban: OTHER_IBAN, corrects: 1 }])
      const giveBack = () => admit(ledger, [{ iban: OTHER_IBAN, corrects: 3, isUnchanged: true }])
      expect(query(ledger.file, 'select row_id from private')).toEqual([{ row_id: 3 }])
      if (when === 'before') giveBack()
      decide(ledger, 2, 'done')
      if (when === 'after') giveBack()
      expect(statesOf(ledger.file).slice(1)).toEqual(['registered', 'duplicate', 'duplicate'])
      expect(query(ledger.file, 'select row_id from private')).toEqual([])
    },
  )

  it('is one line of what several lists say, which an end among it decides', async () => {
    const ledger = await overtaken()
    const lists: Values[] = [{ customerNo: 7 }, { verdict: 'excluded' }, { iban: OTHER_IBAN }]
    for (const said of lists) admit(ledger, [{ ...said, corrects: 1 }])
    const line = { id: 2, listed: 'ended_after_registration', why: 'customer ended account', isOpen: 1 }
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([line])
    decide(ledger, 2, 'done')
    expect(ledger.view.openCutOver().open).toBe(0)
  })

  it.each<[Values, string]>([
    [{ signedDate: '2020-03-01' }, 'date'],
    [{ customerNo: 7, iban: OTHER_IBAN }, 'customer'],
  ])('tells no account beside an erased customer, of whom nobody knows it: %j', async (values, why) => {
    const ledger = await overtaken()
    ledger.erase({ by: 'Ada', reason: 'asked', withOpenRows: true, customerNo: 1_000, rowIds: [2] })
    admit(ledger, [values], { name: 'third.csv' })
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([{ id: 2, why }])
  })

  it('stays a line where a list whose row numbers moved shows the record that was met', async () => {
    const ledger = await overtaken()
    admit(ledger, [{ iban: OTHER_IBAN }], { name: 'third.csv' })
    const other = { customerNo: 9, reference: 'M-9', signedDate: '2021-01-01', verdict: 'invalid' } as const
    admit(ledger, [other], { name: 'fourth.csv' })
    expect(ledger.view.openCutOver().open).toBe(1)
    const cells = ['1000', OTHER_IBAN, '2020-01-31', 'DE98ZZZ09999999999', 'M-1']
    admit(ledger, [{ iban: OTHER_IBAN, corrects: 4, cells }], { name: 'list.csv' })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'superseded', 'invalid', 'conflict'])
    expect(ledger.view.openCutOver().open).toBe(1)
    decide(ledger, 2, 'done')
    expect(ledger.totals().conflict).toBe(0)
  })

  it.each<[string, Values]>([
    ['as it was', { verdict: 'invalid', isUnchanged: true }],
    ['as it was registered', {}],
  ])('is none where the line says what is known: %s', async (_, values) => {
    const ledger = await overtaken()
    admit(ledger, [{ ...values, corrects: 1 }], { name: 'list.csv' })
    expect(ledger.view.comparedLines(0, 9)).toEqual([])
    expect(statesOf(ledger.file).at(-1)).toBe('duplicate')
  })
})

it.each<[string, Values, readonly ('run' | 'compare')[]]>([
  ['ended', { verdict: 'excluded' }, ['run', 'compare']],
  ['account', { iban: OTHER_IBAN }, ['compare', 'run']],
])(
  'what an export says of a doubt is a line as well, until both are closed: %s, %j',
  async (_, said, order) => {
    const second = { reference: 'M-2', customerNo: 2 }
    const ledger = running([{}, second])
    for (const outcome of [registered('NEW-1'), inDoubt()]) await send(ledger, outcome)
    const final = [said, { ...second, ...said }]
    const open = (): number => ledger.view.openCutOver().open
    const give = (how: string) => (how === 'run' ? admit(ledger, final) : compareWith(ledger, final))
    for (const how of order) {
      give(how)
      expect(open()).toBe(2)
    }
    expect(ledger.totals()).toMatchObject({ conflict: 2, registered: 1, inDoubt: 1 })
    const assigned = { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-2' }
    decide(ledger, 2, 'registered', { assigned })
    expect(open()).toBe(2)
    for (const row of [1, 2]) decide(ledger, row, 'done')
    for (const how of ['closed', 'compare', 'run']) {
      if (how !== 'closed') give(how)
      expect([open(), ledger.totals().conflict, ledger.totals().registered]).toEqual([0, 0, 2])
    }
  },
)

it('what a person sends otherwise than the last export has it is to be changed at the service', async () => {
  const other: Values = { iban: OTHER_IBAN }
  const ledger = running([{}], [other])
  compareWith(ledger, [other])
  admit(ledger, [{ corrects: 1, isDecided: true, said: { by: null, reason: null, comparison: 1 } }])
  await send(ledger, registered('NEW-1'))
  admit(ledger, [other])
  const line = { current: 3, listed: 'changed_after_registration', isOpen: 1 }
  expect(ledger.view.comparedLines(0, 9)).toMatchObject([line])
  decide(ledger, 3, 'done')
  expect(ledger.view.openCutOver().open).toBe(0)
})

/** Export 1 had the reference of the first member on the line of the second one, which was corrected; both were sent. */
async function doubled(isSent = true) {
  const first: Values = { customerNo: 1, reference: 'M-1', signedDate: '2020-01-01' }
  const second: Values = { customerNo: 2, reference: 'M-2', signedDate: '2020-02-02', iban: OTHER_IBAN }
  const slip = { ...second, reference: 'M-1' }
  const ledger = running([first, slip])
  admit(ledger, [
    { ...first, corrects: 1, isDecided: true },
    { ...second, corrects: 2 },
  ])
  await send(ledger, registered('NEW-1'))
  if (isSent) await send(ledger, registered('NEW-2'))
  return { ledger, first, slip }
}

describe('a record with the reference of another member, as it was before somebody corrected it', () => {
  it.each<[string, Values, string]>([
    ['ended', { verdict: 'excluded' }, 'ended_after_registration'],
    ['account', { iban: IBAN }, 'changed_after_registration'],
    ['date', { signedDate: '2020-03-03' }, 'changed_after_registration'],
  ])('says something of its own mandate alone: %s', async (why, said, listed) => {
    const { ledger, first, slip } = await doubled()
    const final = [first, { ...slip, ...said }]
    const lines = () => ledger.view.comparedLines(0, 9)
    for (const give of [
      () => compareWith(ledger, final),
      () => admit(ledger, final),
      () => compareWith(ledger, final),
    ]) {
      give()
      expect(lines()).toMatchObject([{ id: 4, listed, why, isOpen: 1 }])
    }
    decide(ledger, 4, 'done')
    for (const give of [() => admit(ledger, final), () => compareWith(ledger, final)]) {
      give()
      expect([ledger.view.openCutOver().open, ledger.totals().conflict]).toEqual([0, 0])
    }
    expect(ledger.totals()).toMatchObject({ registered: 2 })
  })

  it.each<[string, Values]>([
    ['ended', { verdict: 'excluded' }],
    ['account', { iban: IBAN }],
  ])(
    'waits with its mandate where that was not sent, and takes no reference by a word: %s',
    async (_, said) => {
      const { ledger, first, slip } = await doubled(false)
      const changed = { ...slip, ...said }
      admit(ledger, [first, changed])
      expect(statesOf(ledger.file).slice(2)).toEqual([
        'registered',
        'conflict',
        'duplicate',
        said.verdict ?? 'conflict',
      ])
      admit(ledger, [{ ...slip, iban: IBAN, corrects: 6, isDecided: true }])
      expect(ledger.totals()).toMatchObject({ registered: 1, ready: 0 })
      expect(ledger.view.comparedLines(0, 9)).toEqual([])
      admit(ledger, [{ ...changed, reference: 'M-2', corrects: 6, isDecided: true }])
      expect(statesOf(ledger.file).slice(2)).toEqual([
        ...(['registered', 'superseded', 'duplicate', 'superseded', 'superseded'] as const),
        said.verdict ?? 'ready',
      ])
    },
  )

  it('repeats what was corrected with the reference, in another notation too', async () => {
    const second: Values = { customerNo: 2, iban: OTHER_IBAN }
    const wrong: Values = { ...second, reference: 'M-1', verdict: 'invalid', values: { iban: null } }
    const ledger = running([{ customerNo: 1 }, wrong])
    admit(ledger, [
      { ...second, reference: 'M-2', corrects: 2 },
      { customerNo: 1, corrects: 1, isDecided: true },
    ])
    for (const name of ['NEW-1', 'NEW-2']) await send(ledger, registered(name))
    admit(ledger, [{ customerNo: 1 }, wrong])
    admit(ledger, [{ customerNo: 1 }, { ...wrong, cells: ['as', 'another', 'system', 'writes', 'it'] }])
    expect(ledger.totals()).toMatchObject({ registered: 2, duplicate: 4 })
    expect(ledger.view.comparedLines(0, 9)).toEqual([])
  })
})

describe('a mandate that is in the newest export as it was sent, though somebody had it changed at the service', () => {
  const END: Values = { verdict: 'excluded' }

  it.each<[string, Values]>([
    ['ended', END],
    ['another account', { iban: OTHER_IBAN }],
  ])('is a line of the cut-over: %s', async (_, said) => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    const states = () => statesOf(ledger.file).slice(1).join(' ')
    admit(ledger, [said], { isNewer: true })
    decide(ledger, 1, 'done')
    admit(ledger, [{}])
    expect([states(), ledger.view.openCutOver().open]).toEqual(['duplicate duplicate', 0])
    for (const closed of [0, 1]) {
      admit(ledger, [{}], { isNewer: true })
      const line = { id: 1, listed: 'changed_after_registration', why: 'back', isOpen: 1 }
      expect(ledger.view.comparedLines(0, 9)).toMatchObject([line])
      expect(states()).toMatch(/conflict$/)
      decide(ledger, 1, 'done')
      admit(ledger, [{}], { isNewer: true })
      expect([states().includes('conflict'), ledger.view.openCutOver().open]).toEqual([false, 0])
      admit(ledger, [{ ...said, signedDate: `2020-02-0${closed + 1}` }], { isNewer: true })
      decide(ledger, 1, 'done')
    }
  })
})
