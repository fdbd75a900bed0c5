import { expect, it } from 'vitest'
import { SourceError } from '../../src/errors.js'
import { type Mandate, REQUIRED_FIELDS } from '../../src/domain/mandate/mandate.js'
import { seedChance, type Chance } from '../support/chance.js'
import { creditorIdentifierOf, ibanOf } from '../support/sample-values.js'
import { CHECK, fileOf, optionsOf, readAll } from '../support/sources.js'
import { inUtc } from './reading.js'
import { dayCell, rowsOf, workbookOf } from '../support/workbook.js'

/**
 * Files that are made from mandates that are known, and one line, one date or one column of which is spoilt. What would be
 * sent is one of these mandates, or it waits.
 */

const SEED = Number(process.env['READING_SEED'] ?? 20_261_125)
const DRAWS = Number(process.env['READING_SEEDS'] ?? 150)
const ZONES = ['Europe/Berlin', 'Europe/Helsinki', 'Europe/Lisbon', 'Europe/Dublin', 'Europe/Madrid'] as const

type Known = Record<(typeof REQUIRED_FIELDS)[number] | 'name', string>

const two = (n: number): string => `${n}`.padStart(2, '0')
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const WRITTEN: Readonly<Record<string, (y: string, m: string, d: string) => string>> = {
  iso: (y, m, d) => `${y}-${m}-${d}`,
  'dd.mm.yyyy': (y, m, d) => `${d}.${m}.${y}`,
  'dd/mm/yyyy': (y, m, d) => `${d}/${m}/${y}`,
  'yyyy/mm/dd': (y, m, d) => `${y}/${m}/${d}`,
  'dd-MON-yyyy': (y, m, d) => `${d}-${MONTHS[Number(m) - 1] ?? ''}-${y}`,
  yyyymmdd: (y, m, d) => `${y}${m}${d}`,
}
const write = (date: string, format: string): string => {
  const [y = '', m = '', d = ''] = date.split('-')
  return WRITTEN[format]?.(y, m, d) ?? date
}

function truthOf(chance: Chance, rows: number): Known[] {
  const creditor = creditorIdentifierOf('DE', `${chance.between(1e9, 9e9)}`.padStart(11, '0'))
  return Array.from({ length: rows }, (_, at) => ({
    customer_no: `${1001 + at}`,
    iban: ibanOf('DE', `${chance.between(1e8, 9e8)}${chance.between(1e8, 9e8)}`),
    signed_date: `${chance.between(2012, 2025)}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`,
    sepa_creditor_identifier: creditor,
    unique_mandate_reference: chance.happens(0.3)
      ? `9${chance.between(1e8, 9e8)}${chance.between(1e8, 9e8)}`
      : `M-${at}`,
    name: `Person ${at}`,
  }))
}

const SPOILT = {
  nothing: 1,
  time: 2,
  header: 2,
  'other header': 3,
  rule: 2,
  count: 2,
  'wrong count': 1,
  null: 3,
  'one evening': 3,
  'all evenings': 4,
  'other format': 3,
  rounded: 2,
  'earlier collection': 2,
  'own account': 2,
  'second accounts': 2,
  'rare date': 2,
  mark: 2,
} as const
type Spoilt = keyof typeof SPOILT
/** A column that nobody decided about, in files of 20 rows and more: none of these is sent. */
const COLUMNS: readonly Spoilt[] = ['own account', 'second accounts', 'rare date', 'mark']
/** Headings that no list knows. */
const HEADINGS = ['zzq', 'Rev.', 'Feld 7', 'Kz', 'Uwagi 2', 'Divers', 'Vermerk']
const HARMLESS: readonly Spoilt[] = ['nothing', 'time', 'header', 'rule', 'count']

interface Drawn {
  readonly rows: string[][]
  readonly yaml: string
  readonly zone: string
}

function spoil(truth: readonly Known[], how: Spoilt, chance: Chance): Drawn {
  const format = chance.pick(Object.keys(WRITTEN))
  const zone = chance.pick(ZONES)
  const drift = chance.pick([0, 0, 43, 17])
  const order = (['name', ...REQUIRED_FIELDS] as (keyof Known)[]).toSorted(() => chance.next() - 0.5)
  const at = chance.between(0, truth.length - 1)
  const time = chance.pick([' 00:00:00', ' 00:00', ' 12:00:00 AM', ', 10:15:00', ' 8.15'])
  const signed = (known: Known, index: number): string => {
    const plain = write(known.signed_date, format)
    if (how === 'time') return plain + time
    if (how === 'other format' && index === at)
      return write(known.signed_date, chance.pick(Object.keys(WRITTEN).filter((other) => other !== format)))
    if (how !== 'all evenings' && (how !== 'one evening' || index !== at)) return plain
    const utc = inUtc(known.signed_date, zone, how === 'one evening' ? 0 : drift)
    return `${write(utc.slice(0, 10), format)}${utc.slice(10)}${chance.happens(0.3) ? 'Z' : ''}`
  }
  const collected = (index: number): string =>
    how === 'earlier collection' && index === at ? '2010-01-01' : '2026-01-05'
  const cells = (known: Known, index: number, columns: readonly (keyof Known)[]): string[] => {
    const own = columns.map((column) => (column === 'signed_date' ? signed(known, index) : known[column]))
    return [...own, collected(index)]
  }
  const header = [...order, 'last_collection_date']
  const rows = truth.map((known, index) => cells(known, index, order))
  const yaml = `columns: { signed_date: { column: signed_date, format: ${format} } }`
  const spoilt = rows[at] ?? []
  if (how === 'null')
    spoilt[chance.between(0, order.length)] = chance.pick(['NULL', String.raw`\N`, '(null)'])
  const reference = order.indexOf('unique_mandate_reference')
  const digits = /^[0-9]{15,}$/.test(spoilt[reference] ?? '') ? (spoilt[reference] ?? '') : '912345678901234'
  if (how === 'rounded') spoilt[reference] = `${digits.slice(0, 15)}000`
  const lines = [header, ...rows]
  const column = columnOf(truth, how, chance)
  if (column !== null) for (const [index, cell] of column.entries()) lines[index]?.push(cell)
  if (how === 'own account') for (const row of rows) row[order.indexOf('iban')] = truth[0]?.iban ?? ''
  if (how === 'rule') {
    const ruled = header.map(() => chance.pick(['---', '-----', '====']))
    lines.splice(chance.pick([1, at + 1]), 0, ruled)
  }
  if (how === 'count' || how === 'wrong count')
    lines.push([
      `(${truth.length + (how === 'count' ? 0 : chance.between(1, 9))} ${chance.pick(['rows affected', 'Zeilen', 'lignes'])})`,
    ])
  if (how === 'other header') {
    const swapped = { name: 'unique_mandate_reference', unique_mandate_reference: 'name' } as const
    const other = chance.happens(0.6)
      ? order.map((column) => (column in swapped ? swapped[column as keyof typeof swapped] : column))
      : order.toSorted(() => chance.next() - 0.5)
    lines.splice(at + 1, truth.length, [...other, 'last_collection_date'])
    lines.push(...truth.slice(at).map((known, index) => cells(known, at + index, other)))
  }
  return { rows: lines, yaml, zone }
}

/** A column beside those that are known, its heading first. */
function columnOf(truth: readonly Known[], how: Spoilt, chance: Chance): string[] | null {
  const few = chance.between(1, Math.max(1, Math.floor(truth.length / 10)))
  const rare = (cell: () => string, usual: string): string[] =>
    truth.map((_, index) => (index % Math.ceil(truth.length / few) === 0 ? cell() : usual))
  const heading = chance.pick(HEADINGS)
  const account = (): string => ibanOf('DE', `${chance.between(1e8, 9e8)}${chance.between(1e8, 9e8)}`)
  if (how === 'second accounts') return [heading, ...truth.map(account)]
  if (how === 'rare date') {
    const format = chance.pick(Object.keys(WRITTEN))
    const day = () =>
      `20${chance.between(20, 27)}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`
    const usual = chance.pick(['', format === 'iso' ? '9999-12-31' : ''])
    return [heading, ...rare(() => write(day(), format), usual)]
  }
  if (how !== 'mark') return null
  const marks = ['0 1', ' X', 'ja nein', 'N T', 'Lastschrift Rechnung', 'ok bloqué']
  const [usual = '', seldom = ''] = chance.pick(marks).split(' ')
  return [heading, ...rare(() => seldom, usual)]
}

const asText = (rows: readonly (readonly string[])[], chance: Chance): string => {
  const separator = chance.pick([';', '\t', '|'])
  const widest = Math.max(...rows.map((cells) => cells.length))
  const padded = chance.happens(0.5)
  const written = (cells: readonly string[]): string => {
    const more = Array<string>(padded ? widest - cells.length : 0).fill('')
    return `${[...cells, ...more].join(separator)}\n`
  }
  return fileOf(rows.map(written).join(''))
}

const ISO = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?Z?$/
const asSheet = (rows: readonly (readonly string[])[], chance: Chance): string => {
  const isTyped = chance.happens(0.7)
  const cell = (text: string): string => (isTyped && ISO.test(text) ? dayCell(text) : text)
  return workbookOf({ formats: [14], sheets: { Mandate: rowsOf(rows.map((cells) => cells.map(cell))) } })
}

const asKnown = ({ customerNo, iban, signedDate, original }: Mandate): Omit<Known, 'name'> => ({
  customer_no: `${customerNo}`,
  iban,
  signed_date: signedDate,
  sepa_creditor_identifier: original.creditorIdentifier,
  unique_mandate_reference: original.mandateReference,
})

it(`what is sent of a spoilt file is true, or waits (${DRAWS} draws, seed ${SEED})`, async () => {
  const fates: Record<string, number> = {}
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const seed = SEED + draw
    const chance = seedChance(seed)
    const how = chance.weigh(SPOILT)
    const truth = truthOf(chance, COLUMNS.includes(how) ? chance.between(20, 60) : chance.between(2, 12))
    const { rows, yaml, zone } = spoil(truth, how, chance)
    const isUtc = how === 'all evenings' && chance.happens(0.5)
    for (const make of [asText, asSheet]) {
      const where = `READING_SEED=${seed}, ${how}, ${make === asText ? 'text' : 'workbook'}, ${zone}`
      const options = optionsOf(`${yaml}\n${isUtc ? 'source: { dates: utc }' : ''}`)
      const read = await readAll(make(rows, chance), options, { ...CHECK, zone }).catch((why: unknown) => why)
      if (read instanceof SourceError) {
        expect(HARMLESS, `${where}: ${read.message}`).not.toContain(how)
        fates[`${how} refused`] = (fates[`${how} refused`] ?? 0) + 1
        continue
      }
      if (read instanceof Error) throw read
      expect(COLUMNS, where).not.toContain(how)
      const { records } = read as Awaited<ReturnType<typeof readAll>>
      const sent = records.flatMap(({ verdict: v }) => (v.kind === 'sendable' ? [asKnown(v.mandate)] : []))
      for (const mandate of sent) {
        const known = truth.find(({ customer_no: no }) => no === mandate.customer_no)
        const expected = REQUIRED_FIELDS.map((field) => [field, known?.[field]])
        expect(mandate, where).toEqual(Object.fromEntries(expected))
      }
      expect(new Set(sent.map(({ customer_no: no }) => no)).size, where).toBe(sent.length)
      if (HARMLESS.includes(how) || isUtc) expect(sent, where).toHaveLength(truth.length)
      const fate = sent.length === truth.length ? 'sent' : 'waits'
      fates[`${how} ${fate}`] = (fates[`${how} ${fate}`] ?? 0) + 1
    }
  }
  // Each way was seen, and those that harm were found.
  const some = ['header sent', 'time sent', 'rule sent', 'all evenings refused']
  expect(Object.keys(fates)).toEqual(expect.arrayContaining(some))
})
