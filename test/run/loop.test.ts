import fc from 'fast-check'
import Papa from 'papaparse'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ResolutionReport } from '../../src/ledger/decide/resolution.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { writeReport } from '../../src/report/pack/pack.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { readDecisions } from '../../src/decisions/read-decisions.js'
import {
  inDoubt,
  refused,
  registered,
  resolutionOf,
  SETTINGS,
  stoppedClock,
  begin,
} from '../ledger/campaign-setup.js'
import { germanIban } from '../support/export.js'
import { RESAVINGS, type Resaving } from '../support/resavings.js'
import { CHECK, optionsOf } from '../support/sources.js'
import { exitStatusOf, isBalanced, type Totals } from '../../src/domain/row/row-state.js'

/**
 * The loop of an operator: run, open the files to correct in some program, correct, save, give back. Played in one
 * process on a real ledger, real files and the real pack.
 */

const SEED = Number(process.env['LOOP_SEED'] ?? 20_261_121)
/** Random campaigns for each property; more with LOOP_RUNS. */
const RUNS = Number(process.env['LOOP_RUNS'] ?? 3)
const HEADER = 'Kundennummer;IBAN;Datum;Gläubiger-ID;Referenz;Bemerkung;Status'

const OPTIONS = optionsOf(`
  columns:
    customer_no: Kundennummer
    iban: IBAN
    signed_date: { column: Datum, format: dd.mm.yyyy }
    sepa_creditor_identifier: Gläubiger-ID
    unique_mandate_reference: Referenz
    status: Status`)

const ALL = [
  ...(['none', 'iban', 'date', 'reference', 'refused', 'ragged', 'twice'] as const),
  ...(['contradicts', 'ended', 'in_doubt'] as const),
]
type Fault = (typeof ALL)[number]

interface Line {
  readonly customer: number
  readonly date: string
  readonly reference: string
  readonly fault: Fault
  /** Nobody corrects it: a person writes it off. */
  readonly isClosed: boolean
}

const ibanOf = (customer: number): string => germanIban(customer)
const cellsOf = ({ customer, date, reference }: Line): string[] => [
  String(customer).padStart(5, '0'),
  ibanOf(customer),
  date,
  'DE98ZZZ09999999999',
  reference,
  `Müller & Söhne; "${String(customer)}"`,
  'aktiv',
]

const quoted = (cells: readonly string[]): string =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')

/** What the export has instead of the truth. */
function damaged(line: Line): string[] {
  const cells = cellsOf(line)
  const other = (at: number, text: string): string => quoted(cells.with(at, text))
  const mistyped = cells[1]!.replace(/.$/, (digit) => String((Number(digit) + 1) % 10))
  const written: Partial<Record<Fault, string[]>> = {
    iban: [other(1, mistyped)],
    date: [other(2, '30.02.2021')],
    reference: [other(4, '')],
    ended: [other(6, 'gekündigt')],
    ragged: [quoted([...cells, 'one too many'])],
    twice: [quoted(cells), quoted(cells)],
    contradicts: [quoted(cells), other(2, '01.02.2020')],
  }
  return written[line.fault] ?? [quoted(cells)]
}

/** What is written off stays as it is; so does what is ended. */
const clean = (line: Line): string[] =>
  line.isClosed || line.fault === 'ended'
    ? damaged(line)
    : line.fault === 'twice' || line.fault === 'contradicts'
      ? [quoted(cellsOf(line)), quoted(cellsOf(line))]
      : [quoted(cellsOf(line))]

const reference = fc
  .tuple(
    fc.constantFrom('M-', 'AB/', '00', '12345678901', '0.', 'MAR', '3E'),
    fc.integer({ min: 1000, max: 99_999 }),
  )
  .map((parts) => parts.join(''))
const date = fc
  .date({ min: new Date('2010-01-02'), max: new Date('2026-05-01'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10).split('-').reverse().join('.'))
const lines = (faults: readonly Fault[]) =>
  fc
    .array(fc.record({ date, reference, fault: fc.constantFrom(...faults), isClosed: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    })
    .map((all) =>
      all.map((line, index): Line => ({
        ...line,
        reference: `${line.reference}${index}`,
        isClosed: line.isClosed && CLOSABLE.has(line.fault),
        customer: 21 + index * 7,
      })),
    )

const CLOSABLE = new Set<Fault>(ALL.filter((fault) => fault !== 'none' && fault !== 'twice'))

type Loop = ReturnType<typeof startLoop>

function startLoop() {
  const folder = mkdtempSync(join(tmpdir(), 'loop-'))
  const file = join(folder, 'campaign.db')
  const ledger = openLedger({ file, clock: stoppedClock(), pid: 1 })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'me' })
  ledger.startRun(SETTINGS)
  let files = 0
  return {
    ledger,
    give: async (name: string, content: string | Buffer) => {
      const path = join(folder, `${(files += 1)}-${name}`)
      writeFileSync(path, content)
      const { signal } = new AbortController()
      const openers = sourceOpeners([path], OPTIONS, CHECK, signal)
      await admitSources(ledger, openers, { severities: {}, signal, watch: () => undefined })
    },
    send: async (refusedCustomers: ReadonlySet<number>, doubtful: ReadonlySet<number>) => {
      for (let [row] = ledger.ready(0, 1); row !== undefined; [row] = ledger.ready(0, 1)) {
        const { customerNo } = row.mandate
        const outcome = refusedCustomers.has(customerNo)
          ? refused()
          : doubtful.has(customerNo)
            ? inDoubt()
            : registered(`NEW-${row.mandate.original.mandateReference}`)
        await ledger.settle(await begin(ledger, row), outcome)
      }
    },
    /** Takes the decisions of a file that a person filled in. */
    settle: async (name: string, content: Buffer) => {
      const path = join(folder, `${(files += 1)}-filled-${name}`)
      writeFileSync(path, content)
      const decisions = await readDecisions(ledger.view, path, 'ops')
      expectApplied(ledger.resolve(decisions, { dryRun: false }))
    },
    pack: async () => {
      const out = join(folder, `pack-${(files += 1)}`)
      const { totals, balanced } = await writeReport(ledger.view, { out })
      expect(balanced).toBe(true)
      expect(totals).toEqual(ledger.totals())
      for (const source of ledger.view.sources()) expect(isBalanced(source.totals)).toBe(true)
      return (name: string) => readFileSync(join(out, name === 'summary.json' ? '.' : 'to-do', name))
    },
    close: () => {
      ledger.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const NONE: ReadonlySet<number> = new Set()
const customersWith = (all: readonly Line[], fault: Fault): ReadonlySet<number> =>
  new Set(all.filter((line) => line.fault === fault).map(({ customer }) => customer))
const exportOf = (all: readonly Line[], write: (line: Line) => string[]): string =>
  `${HEADER}\n${all.flatMap(write).join('\n')}\n`

type Signed = Omit<Totals, 'resubmitted'>
const signed = ({ resubmitted: _, ...rest }: Totals): Signed => rest

interface HashSummary {
  readonly hashTotals: Readonly<Record<string, unknown>>
  readonly distinct: unknown
}
const hashesOf = (file: Buffer) => {
  const { hashTotals, distinct } = JSON.parse(file.toString()) as HashSummary
  return { read: hashTotals['read'], registered: hashTotals['registered'], distinct }
}

const parsed = (file: Buffer) =>
  Papa.parse<string[]>(file.toString('utf8').replace(/^\uFEFF/, ''), { skipEmptyLines: true, newline: '\n' })

/** An operator corrects some of the rows of the file, as far as the truth is known. */
function correct(
  file: Buffer,
  truth: ReadonlyMap<string, Line>,
  isDone: (customer: string) => boolean,
): Buffer {
  const { data, meta } = parsed(file)
  const [header = [], ...rows] = data
  const corrected = rows.map((row) => {
    const key = String(Number((row[0] ?? '').replace(/[^0-9]/g, '')))
    const line = truth.get(key)
    const isLeft = line === undefined || line.isClosed || line.fault === 'ended' || !isDone(key)
    return isLeft ? row : [...typedOver(row, cellsOf(line)), ...row.slice(5)]
  })
  const text = Papa.unparse([header, ...corrected], { delimiter: meta.delimiter, quotes: true })
  return Buffer.from(`\uFEFF${text}\n`)
}

/** Cells that are right stay as they are; what is typed anew is typed as text, or no program would keep its zeros. */
const typedOver = (row: readonly string[], right: readonly string[]): string[] =>
  right.slice(0, 5).map((cell, at) => {
    const shown = (row[at] ?? '').replace(/^="(.*)"$/, '$1')
    if (shown === cell) return row[at] ?? ''
    return at === 2 ? cell : `="${cell}"`
  })

describe('given back unchanged', () => {
  const FILES = ['corrections.csv', 'refused.csv', 'not-sent.csv', 'in-doubt.csv'] as const

  /** Which rows of a file are kept; most often all. */
  const SOME = fc.oneof(fc.constant(4095), fc.constant(4095), fc.integer({ min: 0, max: 4095 }))

  it.each(RESAVINGS)(
    'whole or in part, and saved again by %s, nothing changes',
    async (_, resave) => {
      await fc.assert(
        fc.asyncProperty(lines(ALL), fc.boolean(), SOME, async (all, isSent, kept) => {
          const loop = startLoop()
          try {
            await loop.give('export.csv', exportOf(all, damaged))
            if (isSent) await loop.send(customersWith(all, 'refused'), customersWith(all, 'in_doubt'))
            const before = loop.ledger.totals()
            const first = await loop.pack()
            for (const name of FILES) {
              const { data, meta } = parsed(first(name))
              const rows = data.filter((_, at) => at === 0 || (kept & (1 << (at - 1))) !== 0)
              if (rows.length < 2) continue
              const part = Papa.unparse(rows, { delimiter: meta.delimiter, quotes: true })
              const isWhole = rows.length === data.length
              await loop.give(name, resave(isWhole ? first(name) : Buffer.from(`\uFEFF${part}\n`)))
              expect(signed(loop.ledger.totals()), name).toEqual(signed(before))
            }
            const second = await loop.pack()
            for (const name of FILES) expect(second(name).equals(first(name)), name).toBe(true)
            expect(hashesOf(second('summary.json'))).toEqual(hashesOf(first('summary.json')))
          } finally {
            loop.close()
          }
        }),
        { seed: SEED, numRuns: RUNS, endOnFailure: true },
      )
    },
    120_000,
  )
})

describe('the loop, ten times over with re-savings in between', () => {
  it('ends with the signed totals of a clean export, and exit status 0', async () => {
    const program = fc.constantFrom(...RESAVINGS.map(([name]) => name))
    const savings = fc.array(program, { minLength: 10, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(lines(ALL), savings, async (all, resavings) => {
        const [loop, ideal] = [startLoop(), startLoop()]
        try {
          const truth = new Map(all.map((line) => [String(line.customer), line]))
          await loop.give('export.csv', exportOf(all, damaged))
          await loop.send(customersWith(all, 'refused'), customersWith(all, 'in_doubt'))
          for (const [round, program] of resavings.entries()) {
            const resave = new Map(RESAVINGS).get(program) ?? ((file) => file)
            // Every round a tenth of the customers more; the last corrects whatever is left.
            const isDone = (customer: string): boolean => round === 9 || (Number(customer) / 7) % 10 <= round
            await closeRound(loop, truth, isDone, resave)
            await playRound(loop, truth, isDone, resave)
          }
          // Nothing was wrong with what the service refused: it is sent once more, as a person decides.
          loop.ledger.retryRefused('ops')
          await loop.send(NONE, NONE)
          await ideal.give('clean.csv', exportOf(all, clean))
          const left = all.filter(({ isClosed }) => isClosed)
          await ideal.send(customersWith(left, 'refused'), customersWith(left, 'in_doubt'))
          const isClosed = (customer: string): boolean => truth.get(customer)?.isClosed === true
          await closeRound(ideal, truth, isClosed, (file) => file)
          expect(signed(loop.ledger.totals())).toEqual(signed(ideal.ledger.totals()))
          expect(exitStatusOf(loop.ledger.totals(), null, null)).toBe(0)
          const [ours, theirs] = [await loop.pack(), await ideal.pack()]
          expect(hashesOf(ours('summary.json'))).toEqual(hashesOf(theirs('summary.json')))
        } finally {
          loop.close()
          ideal.close()
        }
      }),
      { seed: SEED, numRuns: Math.ceil(RUNS / 3), endOnFailure: true },
    )
  }, 300_000)
})

async function playRound(
  loop: Loop,
  truth: ReadonlyMap<string, Line>,
  isDone: (customer: string) => boolean,
  resave: Resaving,
): Promise<void> {
  const files = await loop.pack()
  for (const name of ['corrections.csv', 'refused.csv', 'not-sent.csv']) {
    if (parsed(files(name)).data.length < 2) continue
    const edited = name === 'not-sent.csv' ? files(name) : correct(files(name), truth, isDone)
    await loop.give(name, resave(edited))
  }
  await loop.send(NONE, NONE)
}

/**
 * A person writes off what nobody will correct, some of it in the file and some by row, and says what became of the rows
 * in doubt. The filled file given to `run` as well changes nothing.
 */
async function closeRound(
  loop: Loop,
  truth: ReadonlyMap<string, Line>,
  isDone: (customer: string) => boolean,
  resave: Resaving,
): Promise<void> {
  let files = await loop.pack()
  for (const name of ['corrections.csv', 'refused.csv', 'not-sent.csv', 'in-doubt.csv']) {
    const { data, meta } = parsed(files(name))
    const [header = [], ...rows] = data
    const at = (column: string): number => header.indexOf(column)
    const byRow: number[] = []
    let decided = 0
    for (const row of rows) {
      const key = String(Number((row[0] ?? '').replace(/[^0-9]/g, '')))
      const line = truth.get(key)
      const isSettled = line?.isClosed === true || name === 'in-doubt.csv'
      if (line === undefined || !isSettled || !isDone(key)) continue
      if (name === 'not-sent.csv' && row[at('migration_state')] !== 'excluded') continue
      if (line.isClosed && line.customer % 2 === 0 && name !== 'in-doubt.csv') {
        byRow.push(Number(row[at('migration_row')]))
        continue
      }
      decided += 1
      row[at('migration_decision')] = line.isClosed ? 'written-off' : 'registered'
      row[at('migration_reason')] = 'looked up; "agreed"; with Ms Ünal'
      if (line.isClosed) continue
      row[at('migration_assigned_creditor_identifier')] = 'SE97ZZZ5560000001'
      row[at('migration_assigned_mandate_reference')] = `="NEW-${line.reference}"`
    }
    if (decided > 0) {
      const text = Papa.unparse([header, ...rows], { delimiter: meta.delimiter, quotes: true })
      const filled = resave(Buffer.from(`\uFEFF${text}\n`))
      await loop.settle(name, filled)
      const before = loop.ledger.totals()
      await loop.give(name, filled)
      expect(signed(loop.ledger.totals()), `${name} with decisions`).toEqual(signed(before))
    }
    // The rows of a conflict are closed together.
    const closings = byRow.map((row) => resolutionOf(row, 'written_off'))
    if (byRow.length > 0) expectApplied(loop.ledger.resolve(closings, { dryRun: false }))
    if (decided + byRow.length > 0) files = await loop.pack()
  }
}

function expectApplied({ isApplied, results }: ResolutionReport): void {
  expect(results.filter(({ kind }) => kind === 'rejected')).toEqual([])
  expect(isApplied).toBe(true)
}
