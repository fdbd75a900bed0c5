import { describe, expect, it } from 'vitest'
import { CUT_OVER_CLASSES, NO_CUT_OVER, type ClassCounts } from '../../../src/domain/row/cut-over.js'
import { findingOf, type CheckedRecord } from '../../../src/domain/rule/verdict.js'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { heldOutsideOfKeys, problemsOf, query, statesOf } from '../ledger-views.js'
import { germanIban } from '../../support/export.js'
import { seedChance } from '../../support/chance.js'
import {
  admit,
  COLUMNS,
  decide,
  faultOf,
  HEADER,
  inDoubt,
  open,
  OTHER_IBAN,
  readyRow,
  recordOf,
  refused,
  registered,
  running,
  runningAt,
  send,
  played,
  SETTINGS,
  stoppedClock,
  summaryOf,
  type Values,
  begin,
} from '../campaign-setup.js'

const DAY = 86_400_000
const SEEDS = Number(process.env['READING_SEEDS'] ?? 100)

/** What the former system exports last, set against the ledger. */
interface Given {
  readonly columns?: Readonly<Record<string, string>>
  readonly sha256?: string
}

function compare(
  ledger: Ledger,
  final: readonly CheckedRecord[],
  isFinal = true,
  { columns = COLUMNS, sha256 }: Given = {},
) {
  const scratch = ledger.comparisons.open()
  try {
    const admission = scratch.admit({ severities: {} })
    const source = admission.open({ name: 'final.csv', header: HEADER, columns })
    source.add(final.map((record, at) => ({ ...record, record: at + 1, line: at + 2 })))
    source.close(summaryOf(final.length, sha256))
    admission.commit()
    ledger.comparisons.record(scratch, { by: 'Ada', isFinal })
  } finally {
    scratch.close()
  }
  const comparison = ledger.view.comparison()
  if (comparison === null) throw new Error('Nothing is on record')
  return comparison
}

const mandates = (count: number, from = 1): Values[] =>
  Array.from({ length: count }, (_, at) => mandate(from + at))

const classesIn = (ledger: Ledger): Map<number, keyof ClassCounts> =>
  new Map(ledger.view.comparedLines(0, 1_000).map(({ id, listed }) => [id, listed]))

/** Where a mandate stands in the ledger when the last export comes. */
const STANDINGS = [
  ...(['registered', 'in_doubt', 'closed_in_doubt', 'refused', 'ready', 'corrected'] as const),
  ...(['invalid', 'excluded', 'written_off', 'closed_invalid', 'absent'] as const),
]
type Standing = (typeof STANDINGS)[number]

/** What the last export has of it. */
const CHANGES = [
  ...(['same', 'gone', 'ended', 'lapsed', 'lapses', 'wrong', 'twice'] as const),
  ...(['account', 'date', 'customer', 'reference'] as const),
]
type Change = (typeof CHANGES)[number]

const isClosedUnsent = (standing: Standing): boolean =>
  standing === 'written_off' || standing === 'closed_invalid'

/** The judge knows what was planted, and nothing of how it is looked up: of the row of the ledger, and of the export alone. */
function truth(standing: Standing, change: Change): readonly [keyof ClassCounts | null, isNew: boolean] {
  if (standing === 'absent') return [null, change !== 'gone']
  const isOver = change === 'gone' || change === 'ended' || change === 'lapsed'
  const isSame = change === 'same' || change === 'lapses'
  if (change === 'twice' && !isClosedUnsent(standing)) return ['contradictory', false]
  switch (standing) {
    case 'written_off':
    case 'closed_invalid':
      if (['account', 'date', 'customer'].includes(change)) return ['changed_before_sending', false]
      return ['unchanged', change === 'reference']
    case 'excluded':
      return change === 'reference' || isOver || isSame
        ? ['unchanged', change === 'reference']
        : ['changed_before_sending', false]
    case 'invalid':
      if (change === 'reference' || isOver) return ['gone_unsent', change === 'reference']
      return [isSame ? 'unchanged' : 'changed_before_sending', false]
    default:
      if (change === 'same') return ['unchanged', false]
      if (change === 'lapses' || change === 'lapsed') return ['dormant', false]
  }
  if (standing === 'in_doubt') return ['in_doubt_changed', false]
  if (standing === 'registered' || standing === 'closed_in_doubt')
    return [isOver ? 'ended_after_registration' : 'changed_after_registration', false]
  if (change === 'reference') return ['gone_unsent', true]
  return [isOver ? 'gone_unsent' : 'changed_before_sending', false]
}

const mandate = (n: number): Values => ({ customerNo: n, reference: `M-${n}`, iban: germanIban(n) })

/** An account that nobody can read, as the former system goes on exporting it after a person corrected it. */
const unread = (values: Values, account = 'XX00'): Values => ({
  ...values,
  verdict: 'invalid',
  values: { iban: null },
  cells: [String(values.customerNo), account, '2020-01-31', 'DE98ZZZ09999999999', values.reference ?? ''],
})

const exported = (n: number, standing: Standing): Values => {
  if (['invalid', 'closed_invalid', 'corrected'].includes(standing)) return unread(mandate(n))
  return standing === 'excluded' ? { ...mandate(n), verdict: 'excluded' } : mandate(n)
}

function exportedLast(n: number, standing: Standing, change: Change): CheckedRecord[] {
  const values = mandate(n)
  const lapsing = (
    rule: 'MANDATE_DORMANT' | 'MANDATE_DORMANT_SOON',
    record: CheckedRecord,
  ): CheckedRecord => ({
    ...record,
    ...(rule === 'MANDATE_DORMANT' ? { verdict: { kind: 'excluded', rule, reason: 'lapsed' } } : {}),
    latestFirstDebit: '2026-07-01' as LocalDate,
    findings: [
      { rule, severity: 'warning', field: null, value: '', message: 'It lapses.', remedy: 'Collect.' },
    ],
  })
  const records: Record<Change, CheckedRecord[]> = {
    same: [recordOf(exported(n, standing))],
    gone: [],
    ended: [recordOf({ ...values, verdict: 'excluded' })],
    lapsed: [lapsing('MANDATE_DORMANT', recordOf(values))],
    lapses: [lapsing('MANDATE_DORMANT_SOON', recordOf(exported(n, standing)))],
    wrong: [recordOf(unread(values, 'XX99'))],
    twice: [recordOf(values), recordOf({ ...values, iban: germanIban(n + 1_000) })],
    account: [recordOf({ ...values, iban: germanIban(n + 1_000) })],
    date: [recordOf({ ...values, signedDate: '2021-02-03' })],
    customer: [recordOf({ ...values, customerNo: n + 500_000 })],
    reference: [recordOf({ ...values, reference: `M-${n}-NEW` })],
  }
  return records[change]
}

const isSent = (standing: Standing): boolean =>
  ['registered', 'in_doubt', 'closed_in_doubt', 'refused'].includes(standing)

/** A ledger whose rows stand so, those that are sent first; @returns the row of each that has one */
async function ledgerOf(
  standings: readonly Standing[],
): Promise<{ ledger: Ledger; rows: (number | null)[] }> {
  const ledger = open()
  ledger.startRun(SETTINGS)
  const ids = new Map<number, number>()
  const admitted = standings.flatMap((standing, n) => (standing === 'absent' ? [] : [n]))
  if (admitted.length > 0)
    admit(
      ledger,
      admitted.map((n) => exported(n + 1, standings[n]!)),
    )
  admitted.forEach((n, at) => ids.set(n, at + 1))
  for (const n of admitted) {
    const standing = standings[n]!
    const id = ids.get(n)!
    if (isClosedUnsent(standing)) decide(ledger, id, 'written_off')
    if (!isSent(standing)) continue
    const row = readyRow(ledger, id - 1)
    const outcome =
      standing === 'registered' ? registered(`NEW-${n}`) : standing === 'refused' ? refused() : inDoubt()
    await ledger.settle(await begin(ledger, row), outcome)
    if (standing === 'closed_in_doubt') decide(ledger, id, 'written_off')
  }
  const corrected = admitted.filter((n) => standings[n] === 'corrected')
  const last = admitted.length
  if (corrected.length > 0)
    admit(
      ledger,
      corrected.map((n) => ({ ...mandate(n + 1), corrects: ids.get(n)! })),
    )
  corrected.forEach((n, at) => ids.set(n, last + at + 1))
  return { ledger, rows: standings.map((_, n) => ids.get(n) ?? null) }
}

describe('a comparison with the last export', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'classes every mandate as the judge does, seed %i',
    async (seed) => {
      const chance = seedChance(seed)
      const drawn = Array.from({ length: chance.between(1, 12) }, () => ({
        standing: chance.pick(STANDINGS),
        change: chance.pick(CHANGES),
      }))
      const { ledger, rows } = await ledgerOf(drawn.map(({ standing }) => standing))
      const final = drawn.flatMap(({ standing, change }, n) => exportedLast(n + 1, standing, change))
      const expected = drawn.map(({ standing, change }) => truth(standing, change))
      const counts = Object.fromEntries(
        CUT_OVER_CLASSES.map((name) => [name, expected.filter(([found]) => found === name).length]),
      )
      const statesBefore = ledger.totals()
      const { classes, ledgerMandates, finalMandates } = compare(ledger, final)

      expect(classes, JSON.stringify(drawn)).toEqual({
        ...counts,
        new: expected.filter(([, isNew]) => isNew).length,
      })
      const lines = classesIn(ledger)
      expected.forEach(([found], n) => {
        const listed =
          found === 'unchanged' || found === 'changed_before_sending' ? undefined : (found ?? undefined)
        expect(rows[n] === null ? undefined : lines.get(rows[n]!), JSON.stringify(drawn[n])).toBe(listed)
      })
      expect(ledgerMandates).toBe(rows.filter((row) => row !== null).length)
      expect(finalMandates).toBe(drawn.filter(({ change }) => change !== 'gone').length)
      expect(Object.values(classes).reduce((sum, count) => sum + count, 0) - classes.new).toBe(ledgerMandates)
      expect(ledger.totals()).toEqual(statesBefore)
      // What is held is no more to be sent; everything else that is ready is.
      const isHeld = drawn.map(
        ({ change }, n) =>
          ['gone_unsent', 'in_doubt_changed', 'changed_before_sending', 'contradictory'].includes(
            expected[n]![0] ?? '',
          ) || change === 'lapsed',
      )
      const ready = drawn.flatMap(({ standing }, n) =>
        (standing === 'ready' || standing === 'corrected') && !isHeld[n] ? rows[n]! : [],
      )
      expect(ledger.ready(0, 100).map(({ id }) => id)).toEqual(ready.sort((a, b) => a - b))
      expect(ledger.countReady()).toBe(ready.length)
      expect(ledger.view.openCutOver().held).toBe(ledger.totals().ready - ready.length)
      expect(heldOutsideOfKeys(ledger.file)).toEqual([])
    },
  )

  it('asks as well where most mandates have ended', async () => {
    const { ledger } = await ledgerOf(['registered', 'ready', 'registered'])
    const final = [1, 2, 3].flatMap((n) => exportedLast(n, 'registered', n === 2 ? 'same' : 'ended'))
    expect(faultOf(() => compare(ledger, final, false)).message).toContain(
      '2 are not in this export or have ended',
    )
  })

  it.each([
    ['4 of 40', '', 4, 40],
    ['5 of 40', 'Of 40 mandates of the ledger 5 are not in this export', 5, 40],
    ['5 of 50', '', 5, 50],
    ['6 of 50', 'Of 50 mandates of the ledger 6 are not in this export', 6, 50],
  ])('asks where more than a tenth, and no fewer than five, are gone: %s', (_, message, gone, all) => {
    const ledger = open()
    admit(ledger, mandates(all))
    const final = mandates(all - gone).map((values) => recordOf(values))
    if (message !== '') {
      expect(faultOf(() => compare(ledger, final, false)).message).toContain(message)
      expect(ledger.view.comparison()).toBeNull()
    }
    expect(compare(ledger, final, message !== '').classes).toMatchObject({ gone_unsent: gone })
  })

  it('asks where mandates were sent long after its file was first known, also where it was compared meanwhile', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    ledger.startRun(SETTINGS)
    admit(ledger, mandates(3))
    const sendOne = async (): Promise<void> =>
      ledger.settle(await begin(ledger, readyRow(ledger)), registered(`NEW-${clock.now()}`))
    const final = mandates(3).map((values) => recordOf(values))
    const again = () => compare(ledger, final, false, { sha256: 'ab'.repeat(32) })
    await sendOne()
    again()
    clock.advance(3 * DAY)
    await sendOne()
    expect(again().classes).toMatchObject({ unchanged: 3 })
    clock.advance(1)
    await sendOne()
    expect(faultOf(again).message).toMatch(
      /^"final\.csv" is as it was at 2026-06-15 10:00:00 UTC, and mandates were sent more than three days later/,
    )
    expect(compare(ledger, final, false, { sha256: 'cd'.repeat(32) }).classes).toMatchObject({ unchanged: 3 })
    compare(ledger, final, true, { sha256: 'ab'.repeat(32) })
    expect(ledger.view.openCutOver().uncompared).toBe(0)
  })

  it('asks where most of one export are gone, as those of a file that was forgotten', () => {
    const ledger = open()
    admit(ledger, mandates(95))
    admit(ledger, mandates(5, 101), { name: 'n-z.csv' })
    const final = mandates(95).map((values) => recordOf(values))
    expect(faultOf(() => compare(ledger, final, false)).message).toContain(
      'Of 5 mandates of "n-z.csv" 5 are not in this export',
    )
  })

  it('asks where most mandates say something else, as they do where a column is read otherwise', () => {
    const ledger = open()
    admit(ledger, mandates(9))
    const final = (changed: number) =>
      mandates(9).flatMap((_, n) => exportedLast(n + 1, 'ready', n < changed ? 'date' : 'same'))
    expect(faultOf(() => compare(ledger, final(5), false)).message).toContain(
      'Of 9 mandates of the ledger 5 say something else in this export, or cannot be read there',
    )
    expect(compare(ledger, final(4), false).classes).toMatchObject({ changed_before_sending: 4 })
  })

  it('asks where a mandate is gone and a record may be that one, because nobody can read which it is', () => {
    const ledger = open()
    admit(ledger, [...mandates(9), unread(mandate(20))])
    const whole = [...mandates(8).map((values) => recordOf(values)), recordOf(unread(mandate(20)))]
    const ragged = recordOf({ verdict: 'invalid', mandateKey: null, cells: ['1;a remark', 'of two'] })
    const fault = faultOf(() => compare(ledger, [...whole, ragged], false))
    expect(fault.message).toMatch(
      /^1 record of the export .*first line 11 of "final.csv".* 1 mandate .*is not/,
    )
    expect(compare(ledger, whole, false).classes).toMatchObject({ gone_unsent: 1 })
  })

  it('knows a mandate that may be at the service, whatever was decided about its doubt', async () => {
    const { ledger } = await ledgerOf(['in_doubt', 'registered'])
    decide(ledger, 1, 'resend', { force: true })
    decide(ledger, 1, 'written_off')
    compare(ledger, exportedLast(2, 'registered', 'same'))
    expect(classesIn(ledger).get(1)).toBe('ended_after_registration')
  })

  it('leaves nothing to do about a doubt that was none, but to run the export that has other values', async () => {
    const { ledger } = await ledgerOf(['in_doubt', 'in_doubt', 'in_doubt', 'registered'])
    const account = exportedLast(1, 'in_doubt', 'account')
    const rest = [...exportedLast(2, 'in_doubt', 'reference'), ...exportedLast(4, 'registered', 'same')]
    compare(ledger, [...account, ...rest])
    expect(ledger.view.openCutOver()).toMatchObject({ open: 3, untaken: 0 })
    for (const row of [1, 2, 3]) expect(decide(ledger, row, 'resend', { force: true }).isApplied).toBe(true)
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([
      { id: 1, why: 'account', isOpen: 0 },
      { id: 2, why: 'reference', isOpen: 1 },
      { id: 3, why: 'gone', isOpen: 1 },
    ])
    // Held as it was, and sent as the export has it.
    expect(ledger.view.openCutOver()).toMatchObject({ open: 2, held: 3, untaken: 1 })
    expect(ledger.ready(0, 100)).toEqual([])
    admit(ledger, [{ ...mandate(1), iban: germanIban(1_001) }], { isNewer: true })
    expect(ledger.ready(0, 100).map(({ id }) => id)).toEqual([5])
    expect(ledger.view.openCutOver()).toMatchObject({ open: 2, held: 2 })
  })

  it('is made again, and what was done stays done until the export says something else', async () => {
    const { ledger } = await ledgerOf(['registered', 'registered', 'ready'])
    const final = (change: Change) => [
      ...exportedLast(1, 'registered', change),
      ...exportedLast(3, 'ready', 'same'),
    ]
    compare(ledger, final('account'))
    expect(ledger.view.openCutOver()).toEqual({ ...NO_CUT_OVER, open: 2 })
    expect(decide(ledger, 3, 'done').isApplied).toBe(false)
    expect([1, 2].map((row) => decide(ledger, row, 'done').isApplied)).toEqual([true, true])
    expect(decide(ledger, 1, 'done').isApplied).toBe(false)
    compare(ledger, final('account'))
    expect(ledger.view.openCutOver().open).toBe(0)
    compare(ledger, final('date'))
    expect(ledger.view.openCutOver().open).toBe(1)
    // What the service was told of both is no more so.
    const asBefore = [1, 2, 3].flatMap((n) => exportedLast(n, 'registered', 'same'))
    for (const _ of [1, 2]) {
      compare(ledger, asBefore)
      expect(ledger.view.comparedLines(0, 9)).toMatchObject([
        { id: 1, listed: 'changed_after_registration', why: 'back', isOpen: 1 },
        { id: 2, listed: 'changed_after_registration', why: 'back', isOpen: 1 },
      ])
    }
    expect([1, 2].map((row) => decide(ledger, row, 'done').isApplied)).toEqual([true, true])
    compare(ledger, asBefore)
    expect(ledger.view.comparedLines(0, 9)).toEqual([])
  })

  it('is refused of an export that is cut, older, or does not say any more what has ended', async () => {
    const { ledger } = await ledgerOf(['registered', 'ready'])
    const same = [1, 2].flatMap((n) => exportedLast(n, 'registered', 'same'))
    const verdict = { kind: 'conflict', rule: 'ROW_MAY_BE_CUT', reason: 'cut' } as const
    const refusal = (final: readonly CheckedRecord[], given: Given = {}): string =>
      faultOf(() => compare(ledger, final, false, given)).message
    expect(refusal([same[0]!, { ...same[1]!, verdict }])).toMatch(/"final.csv" ends within its last row/)
    admit(ledger, [{}], { columns: { ...COLUMNS, status: 'status' }, header: [...HEADER, 'status'] })
    expect(refusal(same)).toMatch(/"final.csv" has no column that says which mandates have ended, as /)
    const withStatus = { columns: { ...COLUMNS, status: 'status' }, sha256: 'first' }
    compare(ledger, same, false, withStatus)
    compare(ledger, same, false, { ...withStatus, sha256: 'second' })
    admit(ledger, [mandate(9)], { sha256: 'third' })
    expect(ledger.view.openCutOver().uncompared).toBe(1)
    compare(ledger, same, false, { ...withStatus, sha256: 'fourth' })
    expect(ledger.view.openCutOver().uncompared).toBe(0)
    expect(refusal(same, { ...withStatus, sha256: 'third' })).toMatch(
      /"final.csv" came into the ledger, and "final.csv" is newer/,
    )
    compare(ledger, same, true, { ...withStatus, sha256: 'third' })
  })

  it('takes no mandate for unchanged that was sent as it was read once, and not as it is read now', async () => {
    const ledger = running([mandate(1)])
    admit(ledger, [{ ...mandate(1), customerNo: 2, corrects: 1 }], { again: 1, sha256: 'wrongly' })
    await send(ledger, registered('N-1'))
    compare(ledger, [recordOf(mandate(1))])
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([
      { listed: 'changed_after_registration', why: 'customer' },
    ])
  })

  it('makes its export no newer than one that came in since by a word', async () => {
    const { ledger } = await ledgerOf(['ready'])
    const final = [mandate(1), mandate(8)]
    compare(ledger, final.map(recordOf), false, { sha256: 'second' })
    const third: Values[] = [
      { ...mandate(8), verdict: 'excluded' },
      { ...mandate(1), iban: OTHER_IBAN },
    ]
    admit(ledger, third, { sha256: 'third', isNewer: true })
    expect(ledger.view.openCutOver()).toMatchObject({ untaken: 0, uncompared: 2 })
    admit(ledger, final, { sha256: 'second' })
    expect(ledger.totals()).toMatchObject({ ready: 0 })
  })

  it('holds what an export brings since, until the compared one comes in or a person says "send"', async () => {
    const { ledger } = await ledgerOf(['registered'])
    const final = [mandate(1), mandate(2), { ...mandate(3), verdict: 'excluded' as const }]
    compare(ledger, final.map(recordOf), true, { sha256: 'final' })
    const late = [mandate(2), mandate(3), { ...mandate(4), iban: OTHER_IBAN }, unread(mandate(5))]
    admit(ledger, late, { sha256: 'late' })
    const ready = () => ledger.ready(0, 9).map(({ id }) => id)
    expect([ready(), ledger.totals().ready, ledger.view.openCutOver().held]).toEqual([[], 3, 3])
    admit(ledger, [{ ...mandate(5), corrects: 5 }])
    expect(ready()).toEqual([])
    admit(ledger, [{ ...mandate(5), signedDate: '2020-02-02', corrects: 6, isDecided: true }])
    expect(ready()).toEqual([7])
    admit(ledger, final, { sha256: 'final' })
    expect(ready()).toEqual([2, 7])
  })

  it('is made once more with the newest export alone, where somebody said which one that is', async () => {
    const { ledger } = await ledgerOf(['registered'])
    compare(ledger, exportedLast(1, 'registered', 'same'), false, { sha256: 'second' })
    admit(ledger, [mandate(8)], { name: 'newer.csv', sha256: 'third', isNewer: true })
    expect(ledger.view.campaign().toCompareAgain).toContain('newer.csv')
    admit(ledger, [mandate(9)], { name: 'perhaps.csv', sha256: 'fourth' })
    expect(ledger.view.campaign().toCompareAgain).toEqual([])
  })

  it('is refused of an export that came in before one that is newer', () => {
    const ledger = open()
    const same = [recordOf({})]
    admit(ledger, [{}], { name: 'january.csv', sha256: 'january' })
    admit(ledger, [{ signedDate: '2020-02-02' }], { name: 'february.csv', sha256: 'february', isNewer: true })
    expect(faultOf(() => compare(ledger, same, false, { sha256: 'january' })).message).toMatch(
      /"final.csv" came into the ledger, and "february.csv" is newer/,
    )
    compare(ledger, same, false, { sha256: 'february' })
    compare(ledger, same, true, { sha256: 'january' })
  })

  it('keeps a line open whose customer was erased, as nobody can tell any more what it said', async () => {
    const ledger = await played([{}], registered('NEW-1'))
    const changed = [recordOf({ iban: OTHER_IBAN })]
    compare(ledger, changed)
    const by = { by: 'Ada', reason: 'asked', withOpenRows: true }
    ledger.erase({ ...by, customerNo: 1_000, rowIds: [1] })
    compare(ledger, changed)
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([
      { id: 1, listed: 'changed_after_registration', isOpen: 1 },
    ])
    decide(ledger, 1, 'done')
    compare(ledger, changed)
    expect(ledger.view.openCutOver().open).toBe(0)
  })

  it('answers an end where it says which have ended; nor does the record that is written off', async () => {
    const { ledger } = await ledgerOf(['registered', 'registered'])
    const withStatus = { columns: { ...COLUMNS, status: 'status' } }
    const ended = { ...mandate(1), verdict: 'excluded' } as const
    const same = [1, 2].flatMap((n) => exportedLast(n, 'registered', 'same'))
    const open = (): number => ledger.view.openCutOver().open
    admit(ledger, [ended], withStatus)
    for (const [given, left] of [
      [{}, 1],
      [withStatus, 0],
    ] as const) {
      compare(ledger, same, true, given)
      expect(open()).toBe(left)
    }
    admit(ledger, [{ ...mandate(2), verdict: 'excluded' }], withStatus)
    decide(ledger, 4, 'written_off')
    expect(open()).toBe(1)
    decide(ledger, 2, 'done')
    expect(open()).toBe(0)
  })

  it('has what was refused and written off go as it has that, by the word of a person', async () => {
    const ledger = await played([mandate(1)], refused())
    decide(ledger, 1, 'written_off')
    // As it was before it was closed is no news.
    expect(compare(ledger, [recordOf(mandate(1))]).classes).toMatchObject({ unchanged: 1 })
    admit(ledger, [mandate(1)])
    const again = { ...mandate(1), iban: OTHER_IBAN }
    expect(compare(ledger, [recordOf(again)]).classes).toMatchObject({ changed_before_sending: 1 })
    admit(ledger, [again])
    expect(ledger.totals()).toMatchObject({ duplicate: 1, conflict: 1, ready: 0 })
    const said = { by: null, reason: null, comparison: 2 }
    admit(ledger, [{ ...again, corrects: 3, isDecided: true, said }])
    expect(ledger.ready(0, 9)).toHaveLength(1)
  })

  it('finds gone what two exports differ about, and neither of them is the last', () => {
    const ledger = open()
    admit(ledger, [{}, { reference: 'M-2' }])
    admit(ledger, [{ verdict: 'excluded' }])
    compare(ledger, [recordOf({ reference: 'M-2' })])
    expect(classesIn(ledger)).toEqual(new Map([[1, 'gone_unsent']]))
  })

  it.each<[string, Values]>([
    ['account', { iban: OTHER_IBAN }],
    ['date', { values: { signedDate: null } }],
    ['customer', { values: { customerNo: null } }],
    ['reference', { reference: 'M_1' }],
  ])(
    'knows what was sent with a corrected %s, in another notation too, and no third value',
    async (_, slip) => {
      const findings = findingOf('DATE_INVALID', {}, {})
      const wrong: Values = { ...mandate(1), verdict: 'invalid', findings, ...slip }
      const ledger = running([wrong, mandate(3)])
      admit(ledger, [{ ...mandate(1), corrects: 1 }])
      for (const row of ledger.ready(0, 9))
        await ledger.settle(await begin(ledger, row), registered(`NEW-${row.id}`))
      const totals = { registered: 2, invalid: 0, conflict: 0 }
      for (const cells of [recordOf(wrong).cells, ['as', 'another', 'system', 'writes', 'it']]) {
        const final = [mandate(3), { ...wrong, cells }]
        expect(compare(ledger, final.map(recordOf)).classes).toMatchObject({ unchanged: 2 })
        admit(ledger, final)
        expect(ledger.totals()).toMatchObject(totals)
      }
      expect(ledger.totals()).toMatchObject({ read: 6, duplicate: 4 })
      const other = { iban: germanIban(901) }
      for (const third of [other, { ...other, verdict: 'invalid' } as const]) {
        admit(ledger, [{ ...mandate(1), ...third }])
        expect(ledger.view.comparedLines(0, 9)).toMatchObject([{ id: 3, isOpen: 1 }])
      }
    },
  )

  it.each(['registered', 'ready'] as const)(
    'knows mandates (%s) that had the reference of the next one each, which the export still has',
    async (standing) => {
      const ledger = open()
      ledger.startRun(SETTINGS)
      const moved = [1, 2, 3].map((n) => ({ ...mandate(n), reference: `M-${(n % 3) + 1}` }))
      admit(ledger, [...moved, mandate(4)])
      const back = [1, 2, 3].map((n) => ({ ...mandate(n), corrects: n }))
      admit(ledger, back)
      admit(
        ledger,
        back.map((line) => ({ ...line, corrects: line.corrects + 4, isDecided: true })),
      )
      expect(ledger.totals()).toMatchObject({ conflict: 0, ready: 4 })
      if (standing === 'registered')
        for (const row of ledger.ready(0, 9))
          await ledger.settle(await begin(ledger, row), registered(`NEW-${row.id}`))
      expect(compare(ledger, [...moved, mandate(4)].map(recordOf)).classes).toMatchObject({ unchanged: 4 })
      expect(ledger.view.openCutOver()).toEqual(NO_CUT_OVER)
    },
  )

  it('takes no value for a change that was corrected here, whatever else of its record is another', () => {
    const ledger = open()
    const [customer, date] = [
      { ...mandate(1), customerNo: 99 },
      { ...mandate(2), signedDate: '2021-10-11' },
    ]
    admit(ledger, [customer, date])
    admit(ledger, [
      { ...mandate(1), corrects: 1 },
      { ...mandate(2), corrects: 2 },
    ])
    const changed = [customer, date].map((values, at) => ({ ...values, iban: germanIban(90 + at) }))
    compare(ledger, changed.map(recordOf))
    const line = { class: 'changed_before_sending', why: 'account' }
    expect(query(ledger.file, 'select class, why from compared')).toEqual([line, line])
  })

  it('is no last one any more where mandates were sent days later', async () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock)
    const all = [1, 2, 3].map(mandate)
    admit(ledger, all)
    const sendOne = async (id: number) =>
      ledger.settle(await begin(ledger, readyRow(ledger, id - 1)), registered(`NEW-${id}`))
    const uncompared = (): number => ledger.view.openCutOver().uncompared
    await sendOne(1)
    compare(ledger, all.map(recordOf))
    clock.advance(2 * DAY)
    await sendOne(2)
    expect(uncompared()).toBe(0)
    clock.advance(2 * DAY)
    await sendOne(3)
    expect(uncompared()).toBe(1)
    expect(ledger.view.campaign().toCompareAgain).toEqual([])
    compare(ledger, all.map(recordOf))
    expect(uncompared()).toBe(0)
  })

  it('tells a lapse beside another change', async () => {
    const { ledger } = await ledgerOf(['registered', 'registered'])
    const [lapsed] = exportedLast(1, 'registered', 'lapsed')
    const values = { ...lapsed!.values, iban: germanIban(99) }
    const verdict = { kind: 'excluded', rule: 'MANDATE_DORMANT', reason: 'lapsed' } as const
    compare(ledger, [{ ...lapsed!, values, verdict }, ...exportedLast(2, 'registered', 'same')])
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([{ id: 1, why: 'account lapsed' }])
  })

  it('holds the mandate of a row, whatever takes its place, until a later export has it again', async () => {
    const { ledger } = await ledgerOf(['ready', 'refused', 'ready', 'in_doubt'])
    const gone = exportedLast(3, 'ready', 'same')
    compare(ledger, gone)
    const ready = (): number[] => ledger.ready(0, 100).map(({ id }) => id)
    expect(ready()).toEqual([3])
    // Another export, a correction to another reference, and a doubt that is to be sent once more.
    admit(ledger, [{ ...mandate(1), signedDate: '2021-02-03' }], { isNewer: true })
    const said = { by: null, reason: null, comparison: 1 }
    admit(ledger, [{ ...mandate(2), reference: 'M-2-RIGHT', corrects: 2, said }])
    expect(decide(ledger, 4, 'resend', { force: true }).isApplied).toBe(true)
    expect(ledger.totals().ready).toBe(4)
    expect(ready()).toEqual([3])
    expect([...ledger.claims.toSend(null)].map(({ row }) => row)).toEqual([3])
    expect(ledger.view.openCutOver().held).toBe(3)
    compare(ledger, [...gone, recordOf({ ...mandate(1), signedDate: '2021-02-03' })])
    expect(ready()).toEqual([3, 5])
  })

  it.each([false, true])(
    'knows a registered mandate under its corrected reference once a run took that in, closed %s',
    async (isClosed) => {
      const { ledger } = await ledgerOf(['registered', 'registered'])
      const final = [...exportedLast(1, 'registered', 'reference'), ...exportedLast(2, 'registered', 'same')]
      const expected = { unchanged: 1, new: 0, changed_after_registration: 1, ended_after_registration: 0 }
      expect(compare(ledger, final)).toMatchObject({ classes: expected, ledgerMandates: 2, finalMandates: 2 })
      decide(ledger, 1, 'done')
      admit(ledger, [{ ...mandate(1), reference: 'M-1-NEW' }])
      expect(ledger.totals()).toMatchObject({ conflict: 1, ready: 0 })
      if (isClosed) decide(ledger, 3, 'written_off')
      expect(compare(ledger, final)).toMatchObject({ classes: expected, ledgerMandates: 2, finalMandates: 2 })
      expect(ledger.view.openCutOver().open).toBe(0)
    },
  )

  it('knows it under that name in every later export, where nothing else is to be sent', async () => {
    const { ledger } = await ledgerOf(['registered', 'registered'])
    const renamed = { ...mandate(1), reference: 'M-1-NEW' }
    compare(ledger, [renamed, mandate(2)].map(recordOf))
    decide(ledger, 1, 'done')
    const later = [{ ...renamed, iban: germanIban(901) }, mandate(2)]
    const classes = { new: 0, ended_after_registration: 0, changed_after_registration: 1 }
    expect(compare(ledger, later.map(recordOf)).classes).toMatchObject(classes)
    expect(ledger.view.comparedLines(0, 9)).toMatchObject([{ id: 1, why: 'reference account' }])
    admit(ledger, later)
    expect(ledger.totals()).toMatchObject({ registered: 2, ready: 0 })
  })

  it.each(['gone', 'ended'] as const)(
    'tells of a mandate that was written off because it was %s, and is back: a person lets it go or closes it',
    async (change) => {
      const { ledger } = await ledgerOf(['ready', 'registered', 'registered'])
      const others = [2, 3].flatMap((n) => exportedLast(n, 'registered', 'same'))
      compare(ledger, [...exportedLast(1, 'ready', change), ...others])
      decide(ledger, 1, 'written_off')
      expect(ledger.view.openCutOver()).toMatchObject({ open: 0, untaken: 0 })
      const back = [...exportedLast(1, 'ready', 'same'), ...others]
      const { classes } = compare(ledger, back, true, { sha256: 'back' })
      expect(classes).toMatchObject({ unchanged: 2, changed_before_sending: 1 })
      expect(ledger.view.openCutOver()).toMatchObject({ open: 0, untaken: 1, held: 0 })

      admit(ledger, [1, 2, 3].map(mandate), { sha256: 'back' })
      const totals = { read: 6, conflict: 1, writtenOff: 1, registered: 2, duplicate: 2 }
      expect(ledger.totals()).toMatchObject(totals)
      expect(problemsOf(ledger.file).find(({ rule }) => rule === 'CONFLICT_MANDATE')?.message).toMatch(
        /^It was written off because .* and this export has it/,
      )
      expect(compare(ledger, back, true, { sha256: 'back' }).classes).toMatchObject({ unchanged: 3 })
      admit(ledger, [{ ...mandate(1), corrects: 4 }])
      expect(ledger.totals()).toMatchObject({ conflict: 1, ready: 0 })
      admit(ledger, [{ ...mandate(1), corrects: 4, isDecided: true }])
      expect(ledger.totals()).toMatchObject({ read: 6, conflict: 0, ready: 1, writtenOff: 1 })
      expect(ledger.ready(0, 9)).toHaveLength(1)
    },
  )

  it('says nothing of it any more once it was written off again, and takes no word of a line that names another row', async () => {
    const { ledger } = await ledgerOf(['ready', 'registered'])
    const other = exportedLast(2, 'registered', 'same')
    compare(ledger, other)
    decide(ledger, 1, 'written_off')
    admit(ledger, [{ ...mandate(1), corrects: 1, isDecided: true }])
    expect(ledger.totals().ready).toBe(0)
    const again = [...exportedLast(1, 'ready', 'same'), ...other]
    admit(ledger, [mandate(1)], { isNewer: true })
    expect(ledger.totals()).toMatchObject({ conflict: 1 })
    decide(ledger, 4, 'written_off')
    admit(ledger, [mandate(1)], { isNewer: true })
    expect(ledger.totals()).toMatchObject({ conflict: 0, writtenOff: 2, duplicate: 1 })
    expect(compare(ledger, again).classes).toMatchObject({ unchanged: 2 })
  })

  it('has nothing done about a row that can still be sent or is in doubt, and closes the line of one that is written off', async () => {
    const { ledger } = await ledgerOf(['ready', 'in_doubt', 'registered'])
    compare(ledger, exportedLast(3, 'registered', 'same'))
    expect([1, 2].map((row) => decide(ledger, row, 'done').isApplied)).toEqual([false, false])
    decide(ledger, 1, 'written_off')
    expect(ledger.view.closedLines()).toMatchObject([
      { listed: 'gone_unsent', decision: 'written_off', by: 'Ada', count: 1 },
      { listed: 'in_doubt_changed', decision: null, by: null, count: 1 },
    ])
    // Closed in doubt it may be at the service all the same.
    decide(ledger, 2, 'written_off')
    expect(ledger.view.openCutOver().open).toBe(1)
    expect(decide(ledger, 2, 'done').isApplied).toBe(true)
    expect(ledger.view.openCutOver()).toEqual(NO_CUT_OVER)
  })
})

describe('what contradicts a mandate under a name that another record brought', () => {
  it('is answered by the line of the comparison, and bars nobody from closing what waits beside it', async () => {
    const ledger = await played([{ reference: 'MND 0' }], registered('NEW-1'), [{ reference: 'MND-0' }])
    admit(ledger, [{ reference: 'MND 0' }])
    admit(ledger, [{ reference: 'MND-0', signedDate: '2020-02-02', corrects: 3 }], { name: 'list.csv' })
    admit(ledger, [{ reference: 'MND-0', customerNo: 7, signedDate: '2020-03-03' }])
    expect(
      problemsOf(ledger.file)
        .map(({ rule }) => rule)
        .slice(2),
    ).toEqual(['CONTRADICTS_SENT', 'EXPORT_ORDER_UNKNOWN'])
    compare(ledger, [recordOf({ reference: 'MND 0', signedDate: '2020-02-02' })])
    decide(ledger, 5, 'written_off')
    decide(ledger, 1, 'done')
    expect(statesOf(ledger.file)).toEqual([
      'registered',
      'superseded',
      'duplicate',
      'duplicate',
      'written_off',
    ])
    expect(ledger.view.openCutOver().open).toBe(0)
  })
})
