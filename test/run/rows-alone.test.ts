import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import { admitSources, type OpenNext, sourceOpeners } from '../../src/run/admit-sources.js'
import { withoutRowsAlone, createSharedKeys } from '../../src/run/rows-alone.js'
import type { SourceInput } from '../../src/source/bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { SourceError } from '../../src/errors.js'
import { seedChance } from '../support/chance.js'
import { DATE, ENDED, mandate, named, type Row, TYPED_WRONG, validExport } from '../support/export.js'
import { freshFolder } from '../support/folder.js'
import { CHECK, fileOf } from '../support/sources.js'
import type { CheckedRecord, SeverityOverrides } from '../../src/domain/rule/verdict.js'

interface Keys {
  readonly mandate: string | null
  readonly customer: number | null
  readonly iban: string | null
}

const keysOf = (n: number): Keys => ({ mandate: `DE|09999999999|MND-${n}`, customer: n, iban: `DE${n}` })

/** The rows that share a key, of all that were put in. */
function sharing(rows: readonly Keys[], hasAccount = true): number[] {
  const shared = new Uint8Array(rows.length)
  const keys = createSharedKeys(hasAccount)
  const values = { signedDate: null, creditorIdentifier: null, mandateReference: null }
  for (const [row, { mandate: mandateKey, customer: customerNo, iban }] of rows.entries())
    keys.put(row, { mandateKey, values: { ...values, customerNo, iban } })
  keys.markShared(shared)
  return [...shared.keys()].filter((row) => shared[row] === 1)
}

it('rows that share a mandate but for its blanks, a customer or an account are told, and no others', () => {
  const rows = Array.from({ length: 20 }, (_, n) => keysOf(n))
  rows[3] = { ...rows[3]!, mandate: 'DE|09999999999|MND -1 7' }
  rows[5] = { ...rows[5]!, customer: 11 }
  rows[8] = { ...rows[8]!, iban: 'DE2' }
  rows[13] = { mandate: null, customer: null, iban: null }
  rows[14] = { mandate: null, customer: null, iban: null }
  expect(sharing(rows)).toEqual([2, 3, 5, 8, 11, 17])
  expect(sharing(rows, false)).toEqual([3, 5, 11, 17])
})

it('what is a customer in one row and an account in another is not shared', () => {
  const row = { mandate: '17', customer: null, iban: null }
  expect(sharing([row, { mandate: null, customer: 17, iban: null }])).toEqual([])
})

it('also among many', () => {
  const rows = Array.from({ length: 60_000 }, (_, n) => keysOf(n))
  for (let n = 0; n < 50; n += 1) rows[59_999 - n] = keysOf(n * 919)
  const wanted = Array.from({ length: 50 }, (_, n) => [n * 919, 59_999 - n]).flat()
  expect(sharing(rows)).toEqual(wanted.sort((a, b) => a - b))
})

/** Each is said of a record alone, or holds it back. */
const FAULTS: readonly Row[] = [
  ...[TYPED_WRONG, ENDED, { Status: 'odd' }, named(''), named('N/A'), named('MÜLLER'), { customer_no: '' }],
  ...[{ customer_no: '007' }, { signed_date: '2031-01-01' }, { sepa_creditor_identifier: '' }],
]
const RULES =
  'CUSTOMER_MULTIPLE_MANDATES MANDATE_NEAR_DUPLICATE IBAN_SHARED CONFLICT_MANDATE DUPLICATE_MANDATE UMR_SPACE DATE_FUTURE STATUS_UNKNOWN FILE_DATE_DOMINANT FILE_TOTALS_LINE'.split(
    ' ',
  )
const CREDITOR = 'DE98ZZZ09999999999'

/** Exports of all kinds, drawn from a number: clean, faulty, repeated, contradicting. */
function drawExports(seed: number) {
  const chance = seedChance(seed)
  const [repeats, faults] = chance.pick([
    [0, 0],
    [0.02, 0.01],
    [0.1, 0.03],
    [0.6, 0],
    [0.1, 0.25],
  ] as const)
  const known: Row[] = []
  function draw(): Row {
    const own: Row = { Status: 'active', ...mandate(chance.between(1, 1_000_000)) }
    const other = chance.happens(repeats) && known.length > 0 ? chance.pick(known) : null
    const { customer_no = '', iban = '', unique_mandate_reference: reference = '' } = other ?? own
    const likes = [own, { ...other, ...DATE }, { ...other, iban: own.iban }, { ...own, customer_no }, other]
    const spelled = named(chance.pick([reference, reference.replace('-', ' - '), reference.toLowerCase()]))
    const like = other === null ? own : chance.pick([...likes, { ...own, iban }, { ...own, ...spelled }])
    return { ...like, ...(chance.happens(faults) ? chance.pick(FAULTS) : {}) } as Row
  }
  const files = Array.from({ length: chance.pick([1, 1, 2, 3]) }, () => {
    const rows = Array.from({ length: chance.pick([3, 30, 200]) }, () => {
      known.push(draw())
      return known.at(-1)
    })
    return stringify(rows, { header: true }) + (chance.happens(0.2) ? `Total,${rows.length},,,,\n` : '')
  })
  const isTwice = files.length > 1 && chance.happens(0.3)
  return {
    files: [...files, ...(isTwice ? files.slice(0, 1) : [])],
    newCreditorIdentifier: chance.happens(0.1) ? CREDITOR : null,
    rules: Object.fromEntries(
      RULES.filter(() => chance.happens(0.2)).map((rule) => [rule, chance.pick(['off', 'warning', 'error'])]),
    ) as SeverityOverrides,
  }
}

const SEED = Number(process.env['ALONE_SEED'] ?? 20_261_121)
const RUNS = Number(process.env['ALONE_RUNS'] ?? 30)

const OPTIONS = { severities: {}, signal: new AbortController().signal, watch: () => undefined }
const openersOf = (...inputs: SourceInput[]) =>
  sourceOpeners(inputs, DEFAULT_SOURCE_OPTIONS, { ...CHECK, undecided: 'tell' }, OPTIONS.signal)

function newScratch() {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  onTestFinished(() => ledger.close())
  return ledger
}

/** All that a check says of files, or what it refuses them with. */
async function checked(files: () => readonly OpenNext[], severities: SeverityOverrides, isAlone: boolean) {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  try {
    const options = { ...OPTIONS, severities, onTheirOwn: true }
    const given = isAlone ? await withoutRowsAlone(files(), options) : files()
    const admitted = await admitSources(ledger, given, options)
    const { reader } = ledger
    const problems = reader.problems(0, 10_000).map(({ id: _, ...problem }) => problem)
    const sources = reader.sources().map(({ id: _, ...source }) => source)
    const told = { admitted, sources, problems, counts: reader.problemCounts(), totals: reader.totals() }
    return { told, rows: reader.rows(['ready'], 0, 100_000).length }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { told: error.message, rows: 0 }
  } finally {
    ledger.close()
  }
}

describe('rows that are left out because they stand alone', () => {
  it(`change nothing that a check says (seed ${SEED})`, async () => {
    let left = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
        const { files, rules, newCreditorIdentifier } = drawExports(seed)
        const folder = freshFolder()
        const paths = files.map((text, at) => {
          writeFileSync(join(folder, `export-${at}.csv`), text)
          return join(folder, `export-${at}.csv`)
        })
        const against = { ...CHECK, severities: rules, undecided: 'tell' as const, newCreditorIdentifier }
        const openers = () => sourceOpeners(paths, DEFAULT_SOURCE_OPTIONS, against, OPTIONS.signal)
        const all = await checked(openers, rules, false)
        const some = await checked(openers, rules, true)
        left += all.rows - some.rows
        expect(some.told, `exports of ${seed}`).toEqual(all.told)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
    expect(left).toBeGreaterThan(RUNS)
  }, 300_000)

  it('count as ready, and have no row', async () => {
    const ledger = newScratch()
    const files = await withoutRowsAlone(openersOf(fileOf(validExport(5_000))), OPTIONS)
    expect(await admitSources(ledger, files, { ...OPTIONS, onTheirOwn: true })).toMatchObject([
      { kind: 'admitted', records: 5_000, resubmitted: 0 },
    ])
    expect(ledger.reader.totals()).toMatchObject({ read: 5_000, ready: 5_000 })
    expect(ledger.reader.sources()).toMatchObject([{ records: 5_000, totals: { read: 5_000, ready: 5_000 } }])
    expect(ledger.reader.rows(['ready'], 0, 5_000).length).toBeLessThan(20)
  })

  it('are not told of a file that changes before its other rows were read: it is refused', async () => {
    const ledger = newScratch()
    const path = fileOf(`${validExport(3_000)}${validExport(2).split('\n').slice(1).join('\n')}`)
    const files = await withoutRowsAlone(openersOf(path), OPTIONS)
    writeFileSync(path, validExport(3_000, 7))
    await expect(admitSources(ledger, files, OPTIONS)).rejects.toThrow(/changed while it was read/)
    expect(ledger.reader.totals().read).toBe(0)
  })

  it('of standard input are none: it can be read only once', async () => {
    const stream = Readable.from([Buffer.from(validExport(3_000))])
    const given = openersOf(fileOf(validExport(3_000, 5_000)), { name: 'standard input', stream })
    expect(await withoutRowsAlone(given, OPTIONS)).toBe(given)
    expect(await admitSources(newScratch(), given, OPTIONS)).toMatchObject([
      { records: 3_000 },
      { records: 3_000 },
    ])
  })

  it('of more than two million rows are none: memory would grow', async () => {
    const [open] = openersOf(fileOf(validExport(1)))
    const source = await open!()
    let batch: readonly CheckedRecord[] = []
    for await (const [record] of source.records()) batch = Array<CheckedRecord>(100_000).fill(record!)
    const ofBatches = (count: number) =>
      Object.assign(
        () => Promise.resolve({ ...source, records: () => Readable.from(Array(count).fill(batch)) }),
        open,
      )
    const given = [ofBatches(21)]
    expect(await withoutRowsAlone(given, OPTIONS)).toBe(given)
    const fewer = [ofBatches(20)]
    expect(await withoutRowsAlone(fewer, OPTIONS)).not.toBe(fewer)
  })

  it('of a file that cannot be trusted are not told: it is refused', async () => {
    const given = openersOf(fileOf(validExport(20)), fileOf('customer_no;iban\n1;"'))
    await expect(withoutRowsAlone(given, OPTIONS)).rejects.toThrow(/Cannot read the source/)
  })

  it('are no longer looked for after a stop', async () => {
    const stop = new AbortController()
    const watch = (): void => stop.abort()
    const given = openersOf(fileOf(validExport(20_000)))
    await expect(withoutRowsAlone(given, { ...OPTIONS, signal: stop.signal, watch })).rejects.toThrow()
  })
})
