import { expect, it } from 'vitest'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { type Chance, seedChance } from '../support/chance.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { CHECK, fileOf, optionsOf } from '../support/sources.js'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import { admit, decide, open, send, SETTINGS } from '../ledger/campaign-setup.js'
import { inDoubt, refused, registered } from '../ledger/outcomes.js'
import { creditorIdentifierOf } from '../support/sample-values.js'
import { isBalanced } from '../../src/domain/row/row-state.js'
import { SourceError } from '../../src/errors.js'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import { withoutRowsAlone } from '../../src/run/rows-alone.js'

const IBANS = ['DE89370400440532013000', 'DE02120300000000202051'] as const

const { signal } = new AbortController()
const READING = { severities: {}, signal, watch: () => undefined }

const NUMBERS = Array.from({ length: 18 }, (_, at) => `M-${at},${100 + at}`)
const CUSTOMERS = ['reference,customer_no', ...NUMBERS, ''].join('\n')

function filesOf(texts: readonly (string | Uint8Array)[]) {
  const options = optionsOf(
    `crosswalk: { file: ${fileOf(CUSTOMERS, 'customers.csv')}, from: unique_mandate_reference, key: reference, customer_no: customer_no }`,
  )
  return sourceOpeners(
    texts.map((text) => fileOf(text)),
    options,
    CHECK,
    signal,
  )
}

const rowsOf = ({ rows }: Pick<LedgerReader, 'rows'>): string[] =>
  rows(['ready', 'conflict', 'excluded'], 0, 100).map(
    ({ state, originalMandateReference, ibanMasked }) =>
      `${state} ${originalMandateReference ?? ''} ${ibanMasked ?? ''}`,
  )

/** Of each row that is ready, all that is sent of it. */
const mandatesIn = ({ rows, isAccountOf }: Pick<LedgerReader, 'rows' | 'isAccountOf'>): string[] =>
  rows(['ready'], 0, 100).map((row) =>
    [
      row.customerNo,
      IBANS.find((iban) => isAccountOf(row.id, iban)),
      row.signedDate,
      row.originalCreditorIdentifier,
      row.originalMandateReference,
    ].join(' '),
  )

/** A campaign that takes the files of one command after the other. */
function campaign(ledger = open()) {
  return Object.assign(
    async (...texts: (string | Uint8Array)[]): Promise<string[]> => {
      await admitSources(ledger, filesOf(texts), READING)
      return rowsOf(ledger.view)
    },
    { ledger, close: () => ledger.close(), sent: () => mandatesIn(ledger.view) },
  )
}

/** The same, of one file after the other. */
async function oneByOne(...texts: readonly (string | Uint8Array)[]) {
  const run = campaign()
  for (const text of texts) await run(text)
  return run
}

const january = collectionFile([{ reference: 'M-1', iban: IBANS[1] }, { reference: 'M-2' }])
const february = collectionFile([
  { reference: 'M-1', day: '2026-02-05' },
  { reference: 'M-2', day: '2026-02-05', sequence: 'FNAL' },
])
const LATEST = ['ready M-1 DE…3000', 'excluded M-2 DE…3000']

it('of several files the latest day counts, in whatever order and command they come', async () => {
  const files = [january, february]
  for (const order of [files, files.toReversed()]) {
    expect(await campaign()(...order)).toEqual(LATEST)
    expect(await (await oneByOne(...order))(...order)).toEqual(LATEST)
  }
})

it.each<[string, Partial<Debit>]>([
  ['final', { sequence: 'FNAL' }],
  ['one-off', { sequence: 'OOFF' }],
  ['between businesses', { scheme: 'B2B' }],
  ['final and cannot be read', { sequence: 'FNAL', iban: 'DE00' }],
])(
  'a mandate whose earlier collection was %s waits, in whatever file and command it comes',
  async (_, end) => {
    const debits: Debit[] = [
      { reference: 'M-1', day: '2026-01-05', ...end },
      { reference: 'M-1', day: '2026-02-05' },
      { reference: 'M-2', day: '2026-02-05' },
    ]
    const isAlive = (row: string): boolean => row.startsWith('ready')
    const files = debits.map((debit) => collectionFile([debit]))
    expect((await campaign()(collectionFile(debits))).filter(isAlive)).toEqual(['ready M-2 DE…3000'])
    for (const order of [files, files.toReversed()]) {
      const one = campaign()
      expect((await one(...order)).filter(isAlive)).toEqual(['ready M-2 DE…3000'])
      expect(await readyOfCheck(...order)).toBe(1)
      for (const { ledger } of [one, await oneByOne(...order)]) {
        expect(rowsOf(ledger.view).filter(isAlive)).toEqual(['ready M-2 DE…3000'])
        const held = ledger.view.rows(['conflict'], 0, 9).at(-1)
        const told = ledger.view
          .problemsOfRow(held?.id ?? 0)
          .map(({ message, remedy }) => `${message} ${remedy}`)
        expect(told.join()).toContain('write "send" into migration_decision')
        // Another month changes nothing of it, and one that ends it too settles it.
        const again = { reference: 'M-1', day: '2026-03-05' }
        await campaign(ledger)(collectionFile([again]))
        expect(rowsOf(ledger.view).filter(isAlive)).toEqual(['ready M-2 DE…3000'])
        const corrected = { reference: 'M-1', customerNo: 101, signedDate: '2015-03-01', iban: IBANS[0] }
        admit(ledger, [{ ...corrected, corrects: held?.id ?? 0, isDecided: true }])
        const both = ['ready M-1 DE…3000', 'ready M-2 DE…3000']
        expect(rowsOf(ledger.view).filter(isAlive).toSorted()).toEqual(both)
      }
    }
  },
)

it('an end that comes in once its mandate was sent is a line of the cut-over', async () => {
  const run = campaign()
  await run(collectionFile([{ reference: 'M-1', day: '2026-02-05' }]))
  run.ledger.startRun(SETTINGS)
  await send(run.ledger, registered('R-1'))
  await run(collectionFile([{ reference: 'M-1', day: '2026-01-05', sequence: 'FNAL' }]))
  expect(run.ledger.view.rows(['conflict'], 0, 9)).toMatchObject([{ rule: 'CONTRADICTS_SENT' }])
})

it('no file of the same day, and none beside another export, replaces what says something else', async () => {
  const ended = collectionFile([{ reference: 'M-1', sequence: 'FNAL' }])
  expect(await campaign()(ended, january)).toContain('conflict M-1 DE…2051')
  const waits = ['conflict M-1 DE…2051', 'ready M-2 DE…3000']
  expect(await campaign()(january, ended)).toEqual([...waits, 'excluded M-1 DE…3000'])
  const line = `${IBANS[0]},2015-03-01,DE98ZZZ09999999999`
  const csv = `iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status\n${line},M-1,ended\n${line},M-2,active\n`
  expect(await campaign()(csv, january)).toEqual(['excluded M-1 DE…3000', ...waits.toReversed()])
})

it('collections of one mandate with different dates of signature wait, in one file as in several', async () => {
  const days = ['2026-01-05', '2026-02-05', '2026-03-05']
  const dayOfFile = days.map((day): Debit => ({ reference: 'M-1', day, signed: day.replace('-05', '-01') }))
  const held = ['conflict M-1 DE…3000', 'conflict M-1 DE…3000', 'conflict M-1 DE…3000']
  expect(await campaign()(collectionFile(dayOfFile))).toEqual(held)
  expect(await campaign()(...dayOfFile.map((debit) => collectionFile([debit])))).toEqual(held)
})

it('a word for no reference is no reference that two mandates had before', async () => {
  const former = { reference: 'NOTPROVIDED' }
  const file = (...numbers: number[]): string =>
    collectionFile(
      numbers.map((n) => ({ reference: `M-${n}`, iban: IBANS[n % 2] ?? '', day: `2026-0${n}-05`, former })),
    )
  const both = ['ready M-1 DE…2051', 'ready M-2 DE…3000']
  expect(await campaign()(file(1, 2))).toEqual(both)
  expect(await campaign()(file(1), file(2))).toEqual(both)
})

it('an end that repeats an earlier one is an end still, beside a row of its day that lives', async () => {
  const end = (day: string, sequence: string) => collectionFile([{ reference: 'M-1', day, sequence }])
  const alive = collectionFile([{ reference: 'M-1', day: '2026-03-05' }])
  const rows = await campaign()(end('2026-01-05', 'FNAL'), end('2026-03-05', 'OOFF'), alive)
  expect(rows).toEqual(['excluded M-1 DE…3000', 'conflict M-1 DE…3000'])
})

it('a later collection of the reference that names no creditor holds the mandate, in whatever file it is', async () => {
  const nobody = (day: string, reference = 'm-1', more: Partial<Debit> = { sequence: 'FNAL' }) =>
    collectionFile([{ reference, day, creditor: 'DE98ZZZZZZ09999999999', ...more }])
  const later = nobody('2026-03-05')
  const held = ['conflict M-1 DE…3000', 'excluded M-2 DE…3000', 'excluded m-1 DE…3000']
  const sorted = (rows: readonly string[]): string[] => rows.toSorted()
  for (const order of [
    [february, later],
    [later, february],
  ]) {
    expect(sorted(await campaign()(...order))).toEqual(held)
    expect(sorted(await (await oneByOne(...order))(january))).toEqual(held)
    expect(await readyOfCheck(...order)).toBe(0)
  }
  const csv = `iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status\n${IBANS[0]},2015-03-01,DE98ZZZ09999999999,M-1,active\n`
  expect(sorted(await campaign()(csv, later))).toEqual([held[0], held[2]])
  expect(await readyOfCheck(csv, later)).toBe(0)
  const earlier = (more?: Partial<Debit>) => nobody('2026-01-05', 'm-1', more)
  expect(await campaign()(february, earlier({ sequence: 'RCUR' }))).toContain('ready M-1 DE…3000')
  // An end of any day is one.
  for (const more of [undefined, { sequence: 'OOFF' }, { scheme: 'B2B' }])
    for (const order of [
      [february, earlier(more)],
      [earlier(more), february],
    ]) {
      expect(await campaign()(...order)).toContain(held[0])
      expect(await (await oneByOne(...order))(january)).toContain(held[0])
    }
  expect(await campaign()(february, nobody('2026-03-05', 'M-11'))).toContain('ready M-1 DE…3000')
})

const FORMERLY = { creditor: creditorIdentifierOf('DE', '01234567890') }
const FINAL = { sequence: 'FNAL' }
const at = (month: number, reference: string, more: Partial<Debit> = {}): Debit => ({
  reference,
  day: `2026-0${month}-05`,
  ...more,
})
const from = (reference: string): Partial<Debit> => ({ former: { reference } })
const [OLD, NEW] = [at(1, 'M-4'), at(2, 'M-5', from('M-4'))]

const ordersOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((one) =>
        ordersOf(items.filter((other) => other !== one)).map((others) => [one, ...others]),
      )

const STANDING = ['ready', 'conflict', 'excluded', 'registered', 'in_doubt', 'refused'] as const
const standing = ({ rows }: Pick<LedgerReader, 'rows'>): string[] =>
  rows(STANDING, 0, 100)
    .map(({ state, originalMandateReference }) => `${state} ${originalMandateReference ?? ''}`)
    .toSorted()

it.each<[string, Debit[], string[]]>([
  ['once', [OLD, NEW], ['ready M-5']],
  ['and collected since', [OLD, NEW, at(3, 'M-5')], ['ready M-5']],
  ['and ended since', [OLD, NEW, at(3, 'M-5', FINAL)], ['excluded M-5']],
  ['twice', [OLD, NEW, at(3, 'M-6', from('M-5'))], ['ready M-6']],
  ['twice, each time from its first', [OLD, NEW, at(3, 'M-6', from('M-4'))], ['ready M-6']],
  ['on one day into two', [OLD, NEW, at(2, 'M-6', from('M-4'))], ['conflict M-5', 'conflict M-6']],
  ['there and back', [OLD, NEW, at(3, 'M-4', from('M-5'))], ['ready M-4']],
  ['behind its end', [at(1, 'M-4', FINAL), NEW, at(3, 'M-5')], ['conflict M-5', 'excluded M-4']],
  ['on the day of its last collection', [at(2, 'M-4'), NEW], ['ready M-5']],
  ['before its reference came into use once more', [NEW, at(3, 'M-4')], ['ready M-4', 'ready M-5']],
  ['into what is held', [OLD, { ...NEW, iban: 'DE00' }], []],
  ['in its account alone', [OLD, at(2, 'M-4', from('m-4'))], ['ready M-4']],
  ['in its creditor', [at(1, 'M-4', FORMERLY), at(2, 'M-4', { former: FORMERLY })], ['ready M-4']],
  [
    'in both',
    [at(1, 'M-4', FORMERLY), at(2, 'M-5', { former: { reference: 'm-4', ...FORMERLY } })],
    ['ready M-5'],
  ],
  [
    'each into the other, which cannot be',
    [at(2, 'M-4', from('M-5')), at(2, 'M-5', from('M-4'))],
    ['conflict M-4', 'conflict M-5'],
  ],
])('a mandate that was amended %s has its last form alone', async (_, debits, expected) => {
  for (const order of ordersOf(debits)) {
    const files = order.map((debit) => collectionFile([debit]))
    for (const commands of [[[collectionFile(order)]], [files], files.map((file) => [file])]) {
      const run = campaign()
      for (const texts of commands) await run(...texts)
      expect({ order, commands: commands.length, rows: standing(run.ledger.view) }).toEqual({
        order,
        commands: commands.length,
        rows: expected,
      })
      expect(isBalanced(run.ledger.totals())).toBe(true)
      run.close()
    }
    expect(await readyOfCheck(...files)).toBe(expected.filter((row) => row.startsWith('ready')).length)
  }
})

it.each([
  ['registered', registered('R-1'), ['conflict M-5', 'registered M-4']],
  ['in doubt', inDoubt(), ['conflict M-5', 'in_doubt M-4']],
  ['refused', refused(), ['ready M-5']],
])('one whose former row is %s waits for a person where it may be there', async (_, outcome, rows) => {
  const texts = [at(1, 'M-4'), NEW, at(3, 'M-6', from('M-5'))].map((debit) => collectionFile([debit]))
  for (const later of [
    [texts[1]!],
    [texts[2]!, texts[1]!],
    [collectionFile([NEW, at(3, 'M-6', from('M-5'))])],
  ]) {
    const run = campaign()
    await run(texts[0]!)
    run.ledger.startRun(SETTINGS)
    await send(run.ledger, outcome)
    await run(...later)
    const last = later[0] === texts[1] ? 'M-5' : 'M-6'
    const expected = rows.map((row) => row.replace('M-5', last))
    expect(standing(run.ledger.view)).toEqual(expected)
    // Nothing of it changes with files that come in afterwards.
    await run(collectionFile([at(1, 'M-4', { name: 'again' }), at(1, 'M-7')]))
    expect(standing(run.ledger.view)).toEqual([...expected, 'ready M-7'].toSorted())
    run.close()
  }
})

it('what was closed under its former reference, or may have arrived, is not sent under the next', async () => {
  for (const decision of ['written_off', 'refused'] as const) {
    const run = campaign()
    await run(collectionFile([OLD]))
    run.ledger.startRun(SETTINGS)
    const row = await send(run.ledger, inDoubt())
    decide(run.ledger, row, decision, { force: true })
    await run(collectionFile([NEW]))
    expect(standing(run.ledger.view)).toContain('conflict M-5')
    const [problem] = run.ledger.view.problemsOfRow(2)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT' })
    expect(problem?.message).toContain('(row 1)')
  }
})

it.each([
  ['it was held for that', 'MANDATE_RESEMBLES_SENT', 'ready'],
  ['two files contradict each other, and says nothing of this', 'CONFLICT_MANDATE', 'conflict'],
])('the word beside the next form lets it go where %s', async (_, rule, state) => {
  const run = campaign()
  await run(collectionFile([OLD]))
  run.ledger.startRun(SETTINGS)
  await send(run.ledger, registered('R-1'))
  const others = rule === 'CONFLICT_MANDATE' ? [collectionFile([{ ...NEW, iban: IBANS[1] }])] : []
  await run(...others, collectionFile([NEW]))
  const held = run.ledger.view.rows(['conflict'], 0, 9).find((row) => row.rule === rule)
  const again = { reference: 'M-5', customerNo: held?.customerNo ?? 0, signedDate: held?.signedDate ?? '' }
  admit(run.ledger, [{ ...again, iban: IBANS[0], corrects: held?.id ?? 0, isDecided: true }])
  expect(standing(run.ledger.view)).toContain(`${state} M-5`)
  expect(run.ledger.totals().ready).toBe(state === 'ready' ? 1 : 0)
})

/** How many rows of these files a check without a ledger calls ready. */
async function readyOfCheck(...texts: string[]): Promise<number> {
  const scratch = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  try {
    await admitSources(scratch, await withoutRowsAlone(filesOf(texts), READING), READING)
    return scratch.reader.totals().ready
  } finally {
    scratch.close()
  }
}

const SEEDS = Number(process.env['READING_SEEDS'] ?? 30)

it(
  `what is ready is of the latest day and never ended, over ${SEEDS} seeds`,
  { timeout: 60_000 + SEEDS * 1000 },
  async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const chance = seedChance(seed)
      const debit = (): Debit & { day: string; iban: string } => ({
        reference: chance.pick(['M-1', 'M-2', 'M-3']),
        day: `2026-0${chance.between(1, 3)}-05`,
        iban: chance.pick(IBANS),
        sequence: chance.pick(['FRST', 'RCUR', 'RCUR', 'FNAL', 'OOFF']),
      })
      const files = Array.from({ length: 3 }, () => Array.from({ length: chance.between(1, 5) }, debit))
      const texts = files.map((file) => collectionFile(file))
      const run = campaign()
      const rows = chance.happens(0.5)
        ? await run(...texts)
        : (await run(texts[0]!), await run(...texts.slice(1)))
      for (const reference of ['M-1', 'M-2', 'M-3']) {
        const all = files.flat().filter((one) => one.reference === reference)
        const [day] = all
          .map((one) => one.day)
          .toSorted()
          .toReversed()
        const last = all.filter((one) => one.day === day)
        // What ended on any day, and was collected once more, contradicts itself.
        const isAlive = all.every(({ sequence }) => sequence === 'FRST' || sequence === 'RCUR')
        const account = new Set(last.map(({ iban }) => iban)).size === 1 ? last[0]!.iban.slice(-4) : null
        const expected = isAlive && account !== null ? [`ready ${reference} DE…${account}`] : []
        const ready = rows.filter((row) => row.startsWith(`ready ${reference}`))
        expect({ seed, ready }).toEqual({ seed, ready: expected })
      }
      run.close()
    }
  },
)

it(
  `${SEEDS} damaged files: refused, or no mandate is ready that was not`,
  { timeout: 60_000 + SEEDS * 1000 },
  async () => {
    const some = Array.from({ length: 22 }, (_, at): Debit => ({
      reference: `M-${at % 16}`,
      day: at < 12 ? '2026-01-05' : '2026-02-05',
      iban: IBANS[at % 2 === 0 ? 1 : 0],
      sequence: at % 5 === 0 ? 'FNAL' : 'RCUR',
    }))
    const readyOf = async (bytes: string | Uint8Array): Promise<string[]> => {
      const run = campaign()
      try {
        await run(bytes)
        return run.sent()
      } finally {
        run.close()
      }
    }
    const text = collectionFile(some)
    const right = new Set(await readyOf(text))
    let readAtAll = 0
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const outcome = await readyOf(damage(text, seedChance(seed))).catch((error: unknown) => error)
      if (outcome instanceof SourceError) continue
      if (outcome instanceof Error) throw outcome
      readAtAll += 1
      const wrong = (outcome as string[]).filter((row) => !right.has(row))
      expect({ seed, wrong }).toEqual({ seed, wrong: [] })
    }
    expect(readAtAll).toBeGreaterThan(0)
  },
)

/** Cut, lost, doubled, moved or foreign bytes, as transfers and hands do it. */
function damage(text: string, chance: Chance): Uint8Array {
  const bytes = Buffer.from(text)
  const from = chance.between(0, bytes.length - 1)
  const to = Math.min(bytes.length, from + chance.pick([1, 3, 40, 700, 4000]))
  const before = bytes.subarray(0, from)
  const span = bytes.subarray(from, to)
  const rest = bytes.subarray(to)
  switch (chance.weigh({ cut: 1, lost: 4, twice: 3, foreign: 2, moved: 2, markup: 2 })) {
    case 'cut':
      return before
    case 'lost':
      return Buffer.concat([before, rest])
    case 'twice':
      return Buffer.concat([before, span, span, rest])
    case 'foreign':
      return Buffer.concat([before, chance.bytes(span.length), rest])
    case 'moved':
      return Buffer.concat([before, rest, span])
    case 'markup': {
      const piece = chance.pick(['<!--', ']]>', '&#0;', '<a>', '<![CDATA[', '\u0000'])
      return Buffer.concat([before, Buffer.from(piece), span, rest])
    }
  }
}
