import { createHash } from 'node:crypto'
import { creditorOf } from '../../domain/mandate/mandate-key.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { isNamed, namedValues } from '../../domain/text/named-values.js'
import { cleanCell, cleanCreditorIdentifier } from '../../domain/text/text.js'
import type { Wave, WaveColumn } from '../../domain/wave/wave.js'
import { UsageError } from '../../errors.js'
import type { DeclaredWave, UnsentRow, WaveRows } from '../../ledger/deliver/wave-rows.js'
import type { SourceRecord } from '../../ledger/read/reader.js'
import { findName } from '../../source/columns/header.js'

const PAGE = 1_000

interface AllotParts {
  /** Written within the admission that is open. */
  readonly rows: WaveRows
  readonly sources: readonly SourceRecord[]
}

/**
 * Allots every row that was never sent to the first wave that takes it, and the others to the rest: each run anew, since
 * waves may have been changed, files added, and rows corrected. A row that was sent keeps its wave.
 * @throws {UsageError} for a column that a file does not have: what was to be held might be sent
 */
export function allotWaves(waves: readonly Wave[], { rows, sources }: AllotParts): void {
  const declared = rows.declare(waves)
  const tests = waves.map((wave) => testOf(wave, sources))
  const withCells = waves.some(({ columns }) => columns !== undefined)
  const walk = (visit: (row: UnsentRow) => void): void => {
    let after = 0
    for (;;) {
      const page = rows.unsent(after, PAGE, withCells)
      if (page.length === 0) return
      for (const row of page) visit(row)
      after = page.at(-1)?.id ?? after
    }
  }
  const drawn = new Map<number, number>()
  // A sample of so many rows is the lowest chances among those that come as far as its wave, known once all were met.
  for (const [index, wave] of waves.entries()) {
    if (wave.sample?.rows === undefined) continue
    const lowest = keepLowest(wave.sample.rows - (declared[index]?.sent ?? 0))
    const pass = startPass(waves.slice(0, index), { declared, tests, drawn })
    walk((row) => {
      if (pass(row) === null && isSendable(row) && (tests[index]?.(row) ?? false))
        lowest.add(chanceOf(wave, row))
    })
    drawn.set(index, lowest.highest())
  }
  const pass = startPass(waves, { declared, tests, drawn })
  walk((row) => {
    const index = pass(row)
    const waveId = index === null ? null : (declared[index]?.id ?? null)
    if (waveId !== row.waveId) rows.allot(row.id, waveId)
  })
}

type Test = (row: UnsentRow) => boolean

interface Known {
  readonly declared: readonly DeclaredWave[]
  readonly tests: readonly Test[]
  /** Of a wave with a sample of so many rows: the highest chance that is still drawn. */
  readonly drawn: ReadonlyMap<number, number>
}

const isSendable = ({ state }: UnsentRow): boolean => state === 'ready'

/** Gives each row the index of its wave, or null; rows must come in order of id, from the first. */
function startPass(
  waves: readonly Wave[],
  { declared, tests, drawn }: Known,
): (row: UnsentRow) => number | null {
  const room = waves.map(({ number = Infinity }, index) => number - (declared[index]?.sent ?? 0))
  const takes = (index: number, row: UnsentRow): boolean => {
    const wave = waves[index]
    if (wave === undefined || tests[index]?.(row) !== true) return false
    const { sample, number } = wave
    if (sample?.percent !== undefined && !(chanceOf(wave, row) * 100 < sample.percent)) return false
    if (sample?.rows === undefined && number === undefined) return true
    // Of so many rows each is one that can be sent: what is invalid is not missed.
    if (!isSendable(row) || (room[index] ?? 0) <= 0) return false
    if (sample?.rows !== undefined && !(chanceOf(wave, row) <= (drawn.get(index) ?? -1))) return false
    room[index] = (room[index] ?? 0) - 1
    return true
  }
  return (row) => {
    for (let index = 0; index < waves.length; index += 1) if (takes(index, row)) return index
    return null
  }
}

/** In [0, 1), by seed and mandate alone; 1 for a row without a mandate, which no sample draws. */
function chanceOf({ sample }: Wave, { mandateKey }: UnsentRow): number {
  if (mandateKey === null || sample === undefined) return 1
  const hash = createHash('sha256').update(`${sample.seed}\n${mandateKey}`).digest()
  return hash.readUIntBE(0, 6) / 2 ** 48
}

/** The highest of the so many lowest numbers; -1 where there is none. Holds twice as many. */
function keepLowest(count: number): { add: (value: number) => void; highest: () => number } {
  const size = Math.max(0, count)
  const kept = new Float64Array(2 * size)
  let filled = 0
  const shrink = (): void => {
    kept.subarray(0, filled).sort()
    filled = Math.min(filled, size)
  }
  return {
    add: (value) => {
      if (size === 0 || value >= 1) return
      kept[filled] = value
      filled += 1
      if (filled === kept.length) shrink()
    },
    highest: () => {
      shrink()
      return filled === 0 ? -1 : (kept[filled - 1] ?? -1)
    },
  }
}

/** All that a wave names but sample and number. */
function testOf(wave: Wave, sources: readonly SourceRecord[]): Test {
  const tests = [
    ...(wave.country === undefined ? [] : [testOfCountry(wave.country)]),
    ...(wave.creditor === undefined ? [] : [testOfCreditor(wave.creditor)]),
    ...(wave.source === undefined ? [] : [testOfSource(wave.source, sources)]),
    ...(wave.columns ?? []).map((column) => testOfColumn(wave, column, sources)),
  ]
  return (row) => tests.every((test) => test(row))
}

function testOfCountry(countries: readonly string[]): Test {
  const named = new Set(countries)
  return ({ ibanMasked }) => ibanMasked !== null && named.has(ibanMasked.slice(0, 2))
}

function testOfCreditor(creditors: readonly string[]): Test {
  const named = creditors.map((text) => `${creditorOf(cleanCreditorIdentifier(cleanCell(text)))}|`)
  return ({ mandateKey }) => mandateKey !== null && named.some((start) => mandateKey.startsWith(start))
}

/** A correction belongs to its own file and to that of the row whose place it took. */
function testOfSource(names: readonly string[], sources: readonly SourceRecord[]): Test {
  const ids = new Set(sources.filter(({ name }) => names.includes(name)).map(({ id }) => id))
  return ({ sourceId, countedIn }) => ids.has(sourceId) || ids.has(countedIn)
}

function testOfColumn(wave: Wave, { column, equals }: WaveColumn, sources: readonly SourceRecord[]): Test {
  const named = namedValues(equals)
  // A file of corrections may hold rows that count in a file of that name.
  const isAsked = ({ name, resubmitted }: SourceRecord): boolean =>
    wave.source === undefined || wave.source.includes(name) || resubmitted > 0
  const indexes = new Map(sources.map((source) => [source.id, columnIn(source, column)]))
  const without = sources.find((source) => isAsked(source) && indexes.get(source.id) === null)
  if (without !== undefined)
    throw new UsageError(
      `Cannot allot the wave "${wave.name}": "${without.name}" has no column "${maskAccounts(column)}"; nothing was sent`,
      'Correct the name of the column, or say by source which files the wave is about',
    )
  return ({ sourceId, cells }) => {
    const index = indexes.get(sourceId) ?? null
    if (index === null || cells === null) return false
    return isNamed(named, cleanCell((JSON.parse(cells) as string[])[index] ?? ''))
  }
}

/** By the name in the header, else by the field that it feeds. */
function columnIn({ header, columns }: SourceRecord, column: string): number | null {
  const named = findName(header, column)
  if (named !== null) return named
  const feeding = columns[column]
  return feeding === undefined ? null : findName(header, feeding)
}
