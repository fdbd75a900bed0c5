import { expect, it } from 'vitest'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import { admitSources, collectionOpeners, sourceOpeners } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import type { SeverityOverrides } from '../../src/domain/rule/verdict.js'
import { freshFile, open, send, SETTINGS, stoppedClock } from '../ledger/campaign-setup.js'
import { registered } from '../ledger/outcomes.js'
import { query } from '../ledger/ledger-views.js'
import { seedChance } from '../support/chance.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { germanIban } from '../support/export.js'
import { creditorIdentifierOf } from '../support/sample-values.js'
import { CHECK, fileOf, optionsOf, refusal } from '../support/sources.js'

type Ledger = Pick<ReturnType<typeof openScratchLedger>, 'admit' | 'reader'>

function scratch(): Ledger & { close: () => void } {
  return openScratchLedger(stoppedClock())
}

const kept = (): Ledger => {
  const ledger = open()
  return { admit: ledger.admit, reader: ledger.view }
}

interface Given {
  readonly exports?: readonly string[]
  readonly collections?: readonly string[]
  readonly rules?: SeverityOverrides
  readonly yaml?: string
}

/** Files by their paths. */
async function admit(
  ledger: Ledger,
  { exports = [], collections = [], rules = {}, yaml = '' }: Given,
): Promise<void> {
  const { signal } = new AbortController()
  const against = { ...CHECK, severities: rules, undecided: 'tell' as const }
  const files = sourceOpeners(exports, optionsOf(yaml), against, signal)
  const evidence = collectionOpeners(collections, DEFAULT_SOURCE_OPTIONS)
  await admitSources(ledger, files, { severities: rules, evidence, signal, watch: () => undefined })
}

const CREDITOR = 'DE98ZZZ09999999999'
const OTHER_CREDITOR = creditorIdentifierOf('DE', '01234567890')
const HEADER =
  'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,last_collection_date'

interface Exported extends Required<Pick<Debit, 'reference' | 'signed' | 'creditor' | 'iban'>> {
  readonly last: string
}

const row = (n: number, more: Partial<Exported> = {}): Exported => ({
  reference: `M-${n}`,
  signed: '2024-03-05',
  creditor: CREDITOR,
  iban: germanIban(n),
  last: '',
  ...more,
})
/** Several, as they are. */
const rowsOf = (...numbers: readonly number[]): Exported[] => numbers.map((n) => row(n))
const lineOf = ({ iban, signed, creditor, reference, last }: Exported, at: number): string =>
  [100 + at, iban, signed, creditor, reference, last].join()
const exportOf = (rows: readonly Exported[]): string => fileOf([HEADER, ...rows.map(lineOf), ''].join('\n'))
const collected = (...debits: Debit[]): string => fileOf(collectionFile(debits), 'collections.xml')
const debit = (n: number, more: Partial<Debit> = {}): Debit => {
  const { last: _, ...mandate } = row(n)
  return { ...mandate, day: '2026-01-05', ...more }
}

const STATES = ['ready', 'conflict', 'invalid', 'excluded'] as const
/** What became of each row, and what collections say of it. */
const fates = ({ reader }: Pick<Ledger, 'reader'>): string[] =>
  reader.rows(STATES, 0, 1000).map(({ id, state, latestFirstDebit }) => {
    const rules = reader
      .problemsOfRow(id)
      .flatMap(({ rule, severity }) =>
        rule.startsWith('EVIDENCE_') ? `${severity === 'error' ? '!' : ''}${rule.slice(9)}` : [],
      )
    return [state, latestFirstDebit ?? 'unknown', ...rules].join(' ')
  })

/** A ledger that took these rows and collections in with one command. */
async function beside(
  rows: readonly Exported[],
  collections: readonly string[],
  rules: SeverityOverrides = {},
) {
  const ledger = kept()
  await admit(ledger, { exports: rows.length === 0 ? [] : [exportOf(rows)], collections, rules })
  return ledger
}

const fate = async (exported: Partial<Exported>, seen: Partial<Debit>, rules: SeverityOverrides = {}) =>
  fates(await beside([row(1, exported)], [collected(debit(1, seen))], rules))[0]

// The draws below play what else a mandate can be beside its last collection.
it.each<[string, Partial<Exported>, Partial<Debit>, string]>([
  ['has another case', { reference: 'm-1' }, {}, 'ready 2029-01-05'],
  ['has another business code', { creditor: 'DE98ABC09999999999' }, {}, 'ready 2029-01-05'],
  ['has a wrong creditor', {}, { creditor: 'DE-WRONG' }, 'conflict 2027-03-05 !CREDITOR_DIFFERS'],
  ['is beside one without a date', {}, { signed: '' }, 'ready 2029-01-05'],
  ['is beside one without an account', {}, { iban: '' }, 'ready 2029-01-05'],
  ['is beside one without a creditor', {}, { creditor: '' }, 'ready 2027-03-05'],
  ['was collected between companies', {}, { scheme: 'B2B' }, 'conflict 2029-01-05 !ENDED'],
])('a mandate that %s beside its last collection', async (_, exported, seen, expected) => {
  expect(await fate(exported, seen)).toBe(expected)
})

it('what a file does not have replaces nothing, differs from nothing, and is told once', async () => {
  const known = collected(debit(1), debit(2, { signed: '' }), debit(3), debit(4))
  const later = collected(
    ...[debit(1, { signed: '', iban: '', day: '2026-02-05' }), debit(3, { signed: '' })],
    debit(4, { signed: '2024-03-07', day: '2026-02-05' }),
  )
  const ledger = await beside([row(1), row(2), row(3, { signed: '2024-03-06' }), row(4)], [known, later])
  expect(fates(ledger)).toEqual([
    'ready 2029-02-05',
    'ready 2029-01-05',
    'conflict 2029-01-05 !DATE_DIFFERS',
    'ready 2029-02-05 LACKS',
  ])
  const lacks = ledger.reader.problemsOfRule('EVIDENCE_LACKS', 'warning', 9)
  expect(lacks.map(({ rowId, value, message }) => [rowId, value, message.split('. ')[1]])).toEqual([
    [
      4,
      'M-4',
      expect.stringMatching(
        /2026-02-05: reference M-4, .*, signed 2024-03-05 or 2024-03-07, account DE…\d{4}\.$/,
      ),
    ],
    [null, '', '1 mandate names no date of signature.'],
  ])
})

it('a row whose collections contradict each other about its date is named, also by later ones, and waits where that is an error', async () => {
  const both = (signed: string): string => collected(debit(1, { signed }), debit(2))
  const rules = { EVIDENCE_LACKS: 'error' } as const
  const ledger = await beside(rowsOf(1, 2), [both('2024-03-05')])
  expect(ledger.reader.problemsOfRule('EVIDENCE_LACKS', 'warning', 9)).toEqual([])
  await admit(ledger, { collections: [collected(debit(1, { signed: '2020-01-01', day: '2026-02-05' }))] })
  expect(ledger.reader.problemsOfRule('EVIDENCE_LACKS', 'warning', 9)).toMatchObject([
    { rowId: 1, value: 'M-1' },
  ])
  const strict = await beside(rowsOf(1, 2), [both('2024-03-05'), both('2020-01-01')], rules)
  expect(fates(strict)).toEqual(['conflict 2029-01-05 !LACKS', 'ready 2029-01-05'])
})

it('a row whose date is none of those that its collections name waits, whatever comes in later', async () => {
  const seen = ['2018-01-01', '2017-07-07'].map((signed, at) =>
    collected(debit(1, { signed, day: `2026-0${at + 1}-05` })),
  )
  const together = await beside([row(1)], seen)
  const [first = '', second = ''] = seen
  const apart = await beside([row(1)], [first])
  await admit(apart, { collections: [second] })
  for (const { reader } of [together, apart]) {
    expect(fates({ reader })[0]).toMatch(/^conflict .* !DATE_DIFFERS/)
    expect(reader.evidence()).toMatchObject({ agrees: 0, date_differs: 1 })
  }
})

it('the day of each file as the date of signature is a filler, beside a date that is none', async () => {
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1)
  const file = (day: string, of: readonly number[], signed?: (n: number) => string) =>
    collected(...of.map((n) => debit(n, { day, signed: signed?.(n) ?? day })))
  const own = (n: number): string => (n === 3 ? '2020-02-02' : row(n).signed)
  const filled = [file('2026-02-05', numbers), file('2026-03-05', numbers.slice(1))]
  const genuine = file('2026-01-05', numbers.slice(0, 4), own)
  const ledger = await beside(
    numbers.map((n) => row(n)),
    [...filled, genuine],
  )
  expect(fates(ledger).map((fate) => fate.replace(/ [\d-]+/, ''))).toEqual(
    numbers.map((n) => (n === 3 ? 'conflict !DATE_DIFFERS' : 'ready')),
  )
  expect(ledger.reader.evidence()).toMatchObject({ agrees: 3, date_differs: 1 })
})

it('one date of signature in most collections proves none, is told once, and still agrees with its own', async () => {
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1)
  const seen = (n: number): Debit => debit(n, { signed: n > 10 ? '2020-02-02' : '2025-12-30' })
  const rows = numbers.map((n) => row(n, { signed: n === 1 ? '2025-12-30' : '2024-03-05' }))
  const ledger = await beside(rows, [collected(...numbers.map(seen))])
  const held = 'conflict 2029-01-05 !DATE_DIFFERS'
  expect(fates(ledger)).toEqual(numbers.map((n) => (n > 10 ? held : 'ready 2029-01-05')))
  expect(ledger.reader.evidence()).toMatchObject({ agrees: 1, date_differs: 2 })
  const lacks = ledger.reader.problemsOfRule('EVIDENCE_LACKS', 'warning', 9)
  expect(lacks.map(({ message }) => message.split('. ')[1])).toEqual([
    '9 mandates name the date of signature that most collections of a file name, as a filler is or the day of the file.',
  ])
})

it('a severity of the configuration counts, whatever is newer', async () => {
  const rules = { EVIDENCE_DATE_DIFFERS: 'error', EVIDENCE_ACCOUNT_DIFFERS: 'off' } as const
  const iban = germanIban(2)
  expect(await fate({ signed: '2026-02-01' }, { iban }, rules)).toBe('conflict 2029-02-01 !DATE_DIFFERS')
})

it('the latest day counts in whatever order, and what differs on it agrees with nothing', async () => {
  const files = [
    collected(debit(1, { iban: germanIban(7), day: '2025-01-05' }), debit(2)),
    collected(debit(1), debit(2, { iban: germanIban(8) })),
  ]
  for (const collections of [files, files.toReversed()]) {
    const ledger = await beside(rowsOf(1, 2), collections)
    expect(fates(ledger)).toEqual(['ready 2029-01-05', 'conflict 2029-01-05 !ACCOUNT_DIFFERS'])
  }
})

it('what came in stays for later files, and holds rows that wait from earlier ones', async () => {
  const ledger = await beside(rowsOf(1, 2), [])
  expect(ledger.reader.evidence()).toBeNull()
  const collections = [collected(debit(1, { iban: germanIban(9) }), debit(2), debit(3, { sequence: 'FNAL' }))]
  await admit(ledger, { collections })
  const older = ['ready 2027-03-05', 'conflict 2027-03-05 !ACCOUNT_DIFFERS']
  expect(fates(ledger).toSorted().toReversed()).toEqual(older)
  expect(ledger.reader.decisions(0, 9)).toMatchObject([{ decision: 'held', rowId: 1 }])
  await admit(ledger, { exports: [exportOf([row(3)])], collections })
  expect(fates(ledger).at(-1)).toBe('conflict 2029-01-05 !ENDED')
  const counts = { agrees: 1, account_differs: 1, ended: 1, not_in_export: 0 }
  expect(ledger.reader.evidence()).toMatchObject(counts)
  expect(ledger.reader.collectedOf(2)).toEqual({ day: '2026-01-05', is: ['agrees'] })
})

it('an end on any day holds its mandate, also under its former, a wrong or no creditor, and is told with its day', async () => {
  const end = { day: '2025-11-05', sequence: 'FNAL' }
  const debits = [
    ...[debit(1, end), debit(1)],
    ...[debit(2, { ...end, sequence: 'RCUR', scheme: 'B2B' }), debit(2)],
    ...[debit(3, { ...end, creditor: '' }), debit(3)],
    ...[debit(4, { ...end, reference: 'OLD' }), debit(4, { former: { reference: 'OLD' } })],
    ...[debit(5, { signed: '2024-03-05' })],
    ...[debit(6, { ...end, creditor: 'DDE98ZZZ09999999999' }), debit(6)],
  ]
  for (const order of [debits, debits.toReversed()])
    for (const collections of [[collected(...order)], order.map((one) => collected(one))]) {
      const ledger = await beside(rowsOf(1, 2, 3, 4, 5, 6), collections)
      const held = 'conflict 2029-01-05 !ENDED'
      expect(fates(ledger)).toEqual([held, held, held, held, 'ready 2029-01-05', held])
      expect(ledger.reader.evidence()).toMatchObject({ agrees: 1, ended: 5, not_in_export: 0 })
      const [told] = ledger.reader.problemsOfRow(1)
      expect(told?.message).toContain('It was last collected on 2026-01-05')
      expect(told?.message).toContain('The collection of 2025-11-05 ended it.')
    }
})

it.each(['', 'NOTPROVIDED'])(
  'a collection with the creditor "%s" is known by its reference',
  async (creditor) => {
    const nameless = [
      debit(1, { creditor, signed: '' }),
      debit(2, { creditor, iban: '' }),
      debit(3, { creditor, iban: germanIban(9) }),
      debit(4),
      debit(4, { creditor, day: '2026-02-05', sequence: 'FNAL' }),
      debit(5, { creditor, day: '2025-02-05' }),
      debit(5),
    ]
    const files = nameless.map((one) => collected(one))
    const ledger = await beside(rowsOf(1, 2, 3, 4, 5), files)
    const [unknown, known] = ['2027-03-05', '2029-01-05']
    const held = [`conflict ${unknown} !ACCOUNT_DIFFERS`, `conflict ${known} !ENDED`]
    expect(fates(ledger)).toEqual([`ready ${unknown}`, `ready ${unknown}`, ...held, `ready ${known}`])
    const none = { creditor_differs: 0, never_collected: 0, not_in_export: 0 }
    expect(ledger.reader.evidence()).toMatchObject({ agrees: 1, ...none })
  },
)

it('a later collection with a wrong creditor is counted beside what vouches for its mandate', async () => {
  const unreadable = debit(1, { creditor: 'DE-WRONG', day: '2026-02-05' })
  const ledger = await beside([row(1)], [collected(debit(1), unreadable)])
  expect(ledger.reader.evidence()).toMatchObject({ agrees: 1, not_in_export: 1 })
})

const moved = (n: number, day: string, more: Partial<Debit> = {}): Debit =>
  debit(n, { reference: 'NEW', day, former: { reference: `M-${n}` }, ...more })
const FORMER = debit(1)
const SINCE = moved(1, '2026-02-05')
const ENDED = debit(1, { reference: 'NEW', day: '2026-03-05', sequence: 'FNAL' })
const NAMELESS = { creditor: '' }
const ACCOUNT = { iban: germanIban(7) }
const ONCE_MORE = debit(1, { reference: 'X', day: '2026-03-05', former: { reference: 'NEW' }, ...ACCOUNT })
const OF_CREDITOR = { creditor: OTHER_CREDITOR, former: { creditor: CREDITOR } }
const CREDITOR_SINCE = debit(1, { ...OF_CREDITOR, day: '2026-02-05' })
const AMENDED_ALONE = debit(1, { day: '2026-02-05', former: { reference: 'm-1' } })
const LATER = debit(1, { day: '2026-03-05' })
const DIFFERS = 'conflict 2029-01-05 !REFERENCE_DIFFERS'
/** The same, where no collection shows it as it was. */
const UNSEEN = 'conflict 2027-03-05 !REFERENCE_DIFFERS'

it.each<[string, Debit[], expected: string, rows?: Partial<Exported>[], missing?: number]>([
  ['is exported as it was', [FORMER, SINCE], DIFFERS],
  ['is exported as it was, and ended since', [FORMER, SINCE, ENDED], `${DIFFERS} !ENDED`],
  ['is exported as it is', [FORMER, SINCE], 'ready 2029-02-05', [{ reference: 'NEW' }]],
  ['has another account too', [FORMER, { ...SINCE, ...ACCOUNT }], `${DIFFERS} !ACCOUNT_DIFFERS`],
  ['has another date too, unseen as it was', [{ ...SINCE, signed: '2025-01-01' }], `${UNSEEN} !DATE_DIFFERS`],
  ['was amended twice, the account too', [FORMER, SINCE, ONCE_MORE], `${DIFFERS} !ACCOUNT_DIFFERS`],
  ['had no creditor before', [debit(1, NAMELESS), { ...SINCE, ...ACCOUNT }], `${UNSEEN} !ACCOUNT_DIFFERS`],
  ['has no creditor since', [FORMER, { ...SINCE, ...NAMELESS, ...ACCOUNT }], `${DIFFERS} !ACCOUNT_DIFFERS`],
  ['has another creditor', [FORMER, CREDITOR_SINCE], 'conflict 2029-01-05 !CREDITOR_DIFFERS'],
  ['has an amendment of its account alone', [FORMER, AMENDED_ALONE], 'ready 2029-02-05'],
  ['was collected as before after that', [LATER, SINCE], 'ready 2029-03-05', [{}], 1],
  ['is exported as it was and as it is', [FORMER, SINCE], 'ready 2029-02-05', [{}, { reference: 'NEW' }]],
])(
  'a mandate that was amended and %s is compared with its last form',
  async (_, debits, expected, rows = [{}], missing = 0) => {
    const exports = [exportOf(rows.map((more) => row(1, more)))]
    for (const order of [debits, debits.toReversed()])
      for (const collections of [[collected(...order)], order.map((one) => collected(one))]) {
        const [one, several] = [kept(), kept()]
        await admit(one, { exports, collections })
        for (const file of collections) await admit(several, { collections: [file] })
        await admit(several, { exports })
        for (const ledger of [one, several]) {
          expect(fates(ledger)).toEqual([expected])
          expect(ledger.reader.evidence()).toMatchObject({ not_in_export: missing })
        }
      }
  },
)

it('an amendment that is known later holds a row that waits, and its successor where it was sent', async () => {
  const waiting = await beside([row(1)], [collected(FORMER)])
  expect(fates(waiting)).toEqual(['ready 2029-01-05'])
  await admit(waiting, { collections: [collected(SINCE)] })
  expect(fates(waiting)).toEqual(['conflict 2029-01-05 !REFERENCE_DIFFERS'])
  const ledger = open()
  const given = { admit: ledger.admit, reader: ledger.view }
  await admit(given, { exports: [exportOf([row(1)])] })
  ledger.startRun(SETTINGS)
  await send(ledger, registered('R-1'))
  const other = exportOf([row(2), row(3, { reference: 'NEW', iban: germanIban(7) })])
  await admit(given, { exports: [other] })
  expect(fates(given)).toHaveLength(2)
  await admit(given, { collections: [collected(moved(1, '2026-02-05', { iban: germanIban(7) }))] })
  expect(given.reader.rows(['conflict'], 0, 9)).toMatchObject([
    { originalMandateReference: 'NEW', rule: 'MANDATE_RESEMBLES_SENT' },
  ])
})

it('a file is an export or evidence, never both, whenever it comes', async () => {
  const file = collected(debit(1))
  const customers = fileOf('reference,customer_no\nM-1,101\n', 'customers.csv')
  const yaml = `crosswalk: { file: ${customers}, from: unique_mandate_reference, key: reference, customer_no: customer_no }`
  const asExport = { exports: [file], yaml }
  const asEvidence = { collections: [file], yaml }
  for (const [first, then] of [
    [asExport, asEvidence],
    [asEvidence, asExport],
    [{}, { ...asExport, ...asEvidence }],
  ]) {
    const ledger = kept()
    await admit(ledger, first!)
    expect((await refusal(admit(ledger, then!))).message).toContain('it is an export and evidence at once')
    expect(ledger.reader.totals().read).toBe(first === asExport ? 1 : 0)
  }
  const { message } = await refusal(admit(kept(), { collections: [exportOf([row(1)])] }))
  expect(message).toContain('only such a file is evidence')
})

it('an erasure takes the digest of the account from what was collected, a purge what holds an account', async () => {
  const file = freshFile()
  const ledger = open({ file })
  const reference = germanIban(5)
  const collections = [
    collected(debit(1, { sequence: 'FNAL' }), debit(5, { reference, former: { reference: 'A' } })),
  ]
  await admit({ admit: ledger.admit, reader: ledger.view }, { exports: [exportOf([row(1)])], collections })
  const keys = () =>
    query<{ own: string; seen: string }>(
      file,
      `select hex(iban_key) as own, hex(account) as seen
    from row join collected on collected.mandate_key = row.mandate_key`,
    )
  const [before] = keys()
  const words = { by: 'Anna', reason: 'asked', withOpenRows: true }
  ledger.erase({ customerNo: 100, rowIds: [1], ...words })
  expect(keys()).toEqual([
    { own: keys()[0]?.seen, seen: expect.not.stringContaining(before!.seen) as string },
  ])
  ledger.purge(words)
  const columns = 'creditor, reference, mandate_key, former, successor'
  const texts = query(file, `select ${columns} from collected, amended`)
  expect(texts).toHaveLength(2)
  expect(JSON.stringify(texts)).not.toContain(reference)
})

const DRAWS = Number(process.env['READING_SEEDS'] ?? 100)

it(
  `rows and counts are those of the truth, in check and run, over ${DRAWS} draws`,
  { timeout: 600_000 },
  async () => {
    for (let seed = 1; seed <= DRAWS; seed += 1) {
      const { exports, debits } = draw(seed)
      const files = [debits.filter((_, at) => at % 2 === 0), debits.filter((_, at) => at % 2 === 1)]
      const given = {
        exports: [exportOf(exports)],
        collections: files.filter((file) => file.length > 0).map((file) => collected(...file)),
      }
      const truth = judge(exports, files.flat())
      const tried = scratch()
      // A ledger on a disk takes most of the time.
      for (const ledger of seed % 5 === 0 ? [tried, kept()] : [tried]) {
        await admit(ledger, given)
        const found = { fates: fates(ledger).toSorted(), evidence: ledger.reader.evidence() }
        expect({ seed, ...found }).toEqual({ seed, ...truth })
      }
      tried.close()
    }
  },
)

function draw(seed: number): { exports: Exported[]; debits: Debit[] } {
  const chance = seedChance(seed)
  const iban = (): string => germanIban(chance.between(1, 4))
  const signed = (): string => chance.pick(['2015-03-05', '2019-03-05', '2025-07-05'])
  const creditor = (): string => chance.pick([CREDITOR, CREDITOR, OTHER_CREDITOR])
  const mandates = Array.from({ length: chance.between(1, 8) }, (_, n) =>
    row(n, { iban: iban(), signed: signed(), creditor: creditor() }),
  )
  const exports = mandates
    .filter(() => chance.happens(0.8))
    .map((one) => ({
      ...one,
      ...(chance.happens(0.2) ? { reference: `X-${one.reference}` } : {}),
      ...(chance.happens(0.1) ? { creditor: creditor() } : {}),
      ...(chance.happens(0.1) ? { iban: iban() } : {}),
      ...(chance.happens(0.3) ? { last: chance.pick(['2025-08-05', '2026-03-05']) } : {}),
    }))
  const debits = Array.from({ length: chance.between(1, 12) }, (): Debit => {
    const { last: _, ...one } = chance.pick(mandates)
    return {
      ...one,
      day: chance.pick(['2021-01-05', '2024-01-05', '2026-01-05']),
      sequence: chance.pick(['RCUR', 'RCUR', 'RCUR', 'FNAL', 'OOFF']),
      ...(chance.happens(0.1) ? { iban: iban() } : {}),
      ...(chance.happens(0.1) ? { signed: signed() } : {}),
    }
  })
  return { exports: exports.length === 0 ? [row(0)] : exports, debits }
}

interface Last extends Pick<Debit, 'reference'> {
  readonly creditor: string
  readonly iban: string | null
  readonly signed: readonly string[]
  readonly day: string
  /** On any day. */
  readonly ended: boolean
  /** On its latest day. */
  readonly isOver: boolean
}

const keyOf = ({ creditor = '', reference }: Pick<Debit, 'creditor' | 'reference'>): string =>
  `${creditor} ${reference}`
const inThreeYears = (day: string): string => `${Number(day.slice(0, 4)) + 3}${day.slice(4)}`

/** What is right, from the lists alone. */
function judge(exports: readonly Exported[], debits: readonly Debit[]) {
  const lasts = new Map<string, Last>()
  for (const one of debits) {
    const all = debits.filter((other) => keyOf(other) === keyOf(one))
    const [day = ''] = all
      .map((other) => other.day!)
      .toSorted()
      .toReversed()
    const latest = all.filter((other) => other.day === day)
    const only = (values: string[]): string | null => (new Set(values).size === 1 ? values[0]! : null)
    lasts.set(keyOf(one), {
      reference: one.reference,
      creditor: one.creditor!,
      iban: only(latest.map(({ iban }) => iban!)),
      // No amendment changes it, so what collections of any day name counts.
      signed: [...new Set(all.map(({ signed }) => signed!))],
      day,
      ended: all.some(({ sequence }) => sequence !== 'RCUR'),
      isOver: latest.some(({ sequence }) => sequence !== 'RCUR'),
    })
  }
  const owned = new Set(exports.map(keyOf))
  const used = new Set<Last>()
  const counts = {
    ...{ agrees: 0, reference_differs: 0, creditor_differs: 0, date_differs: 0, account_differs: 0 },
    ...{ never_collected: 0, ended: 0 },
  }
  const found = exports.map((one) => {
    const own = lasts.get(keyOf(one))
    const isDay = own !== undefined && own.day >= one.signed && own.day > one.last
    const day = isDay ? own.day : one.last
    const latest = inThreeYears(day === '' ? one.signed : day)
    const isOver = latest < CHECK.today
    if (own !== undefined) used.add(own)
    if (isOver && day !== '') return `excluded ${latest}`
    const until = isOver ? 'unknown' : latest
    const last =
      own ??
      [...lasts.values()].find(
        (any) => any.iban === one.iban && any.signed.join() === one.signed && !owned.has(keyOf(any)),
      )
    if (last === undefined) {
      counts.never_collected += 1
      return `ready ${until} NEVER_COLLECTED`
    }
    used.add(last)
    const kinds = {
      reference_differs: last.reference !== one.reference,
      creditor_differs: last.creditor !== one.creditor,
      date_differs: !last.signed.includes(one.signed),
      account_differs: last.iban !== one.iban,
      ended: last.ended,
    }
    const differing = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => kinds[kind])
    if (differing.length === 0 && last.signed.length === 1) counts.agrees += 1
    for (const kind of differing) counts[kind] += 1
    const isNewer = last.day > one.signed
    const state = differing.length > 0 && isNewer ? 'conflict' : 'ready'
    const lacks = last.signed.length > 1 && !kinds.date_differs ? ['LACKS'] : []
    const told = differing.map((kind) => `${isNewer ? '!' : ''}${kind.toUpperCase()}`)
    return [state, until, ...told, ...lacks].join(' ')
  })
  const missing = [...lasts.values()].filter(
    (last) => !last.isOver && !used.has(last) && !owned.has(keyOf(last)),
  )
  return { fates: found.toSorted(), evidence: { ...counts, not_in_export: missing.length } }
}

it('the account of an erased customer is compared with none', async () => {
  const ledger = open()
  ledger.startRun(SETTINGS)
  const both = { admit: ledger.admit, reader: ledger.view }
  await admit(both, { exports: [exportOf(rowsOf(1, 2))] })
  await send(ledger, registered('NEW-1'))
  ledger.erase({ by: 'Ada', reason: 'asked', withOpenRows: false, customerNo: 100, rowIds: [1] })
  await admit(both, { collections: [collected(debit(1), debit(2))] })
  expect(ledger.view.evidence()).toMatchObject({ agrees: 1, account_differs: 0 })
  expect(ledger.view.openCutOver().open).toBe(0)
})
