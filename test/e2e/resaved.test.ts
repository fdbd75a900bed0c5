import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { placeForAll } from '../support/place.js'
import { execFileSync, spawnSync } from 'node:child_process'

/** With `npm run viewers`: the files opened in the real LibreOffice or pandas and saved again under their names. */
const isReal = process.env['REAL_RESAVINGS'] !== undefined
const SOFFICE = ['/usr/bin/soffice', '/opt/libreoffice/program/soffice'].find(existsSync) ?? ''
const PYTHON = '/usr/bin/python3'
const hasPandas = isReal && existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import pandas']).status === 0

const FILTER = 'Text - txt - csv (StarCalc)'

function office(locale: string, out: string, args: readonly string[]): void {
  const profile = join(out, '.profile')
  mkdirSync(join(profile, 'user'), { recursive: true })
  writeFileSync(
    join(profile, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item></oor:items>`,
  )
  execFileSync(SOFFICE, [`-env:UserInstallation=${pathToFileURL(profile).href}`, '--headless', ...args], {
    stdio: 'ignore',
    timeout: 50_000,
  })
  rmSync(profile, { recursive: true, force: true })
}

/**
 * Name, locale, whether dates and formulas are looked for, then how it is saved: separator, character set (76 is UTF-8,
 * 1 Windows-1252, 65535 UTF-16), cells as shown, formulas.
 */
type OfficeWay = readonly [string, string, boolean, number, number, boolean, boolean]
const OFFICE: readonly OfficeWay[] = [
  ['as it opens', 'de-DE', false, 59, 76, true, false],
  ['with dates, formulas shown', 'de-DE', true, 59, 76, true, true],
  ['values not as shown, commas', 'de-DE', true, 44, 76, false, false],
  ['Windows-1252', 'de-DE', true, 59, 1, true, false],
  ['UTF-16 with tabs', 'de-DE', true, 9, 65535, true, false],
  ['American, formulas shown', 'en-US', true, 59, 76, true, true],
  ['through xlsx', 'de-DE', true, 59, 76, true, false],
]

function saveInOffice([name, locale, looks, ...saved]: OfficeWay, out: string): void {
  const [delimiter, charset, isAsShown, hasFormulas] = saved
  const reading = `--infilter=${FILTER}:59,34,76,1,,1031,false,${looks},false,false,0,${looks}`
  const writing = `csv:${FILTER}:${delimiter},34,${charset},1,,1031,false,${isAsShown},${hasFormulas}`
  const given = FILES.map((file) => at('given', file))
  if (name !== 'through xlsx') {
    office(locale, out, [reading, '--convert-to', writing, '--outdir', out, ...given])
    return
  }
  const middle = join(out, 'xlsx')
  mkdirSync(middle)
  office(locale, out, [reading, '--convert-to', 'xlsx', '--outdir', middle, ...given])
  const books = readdirSync(middle).map((book) => join(middle, book))
  office(locale, out, ['--convert-to', writing, '--outdir', out, ...books])
  rmSync(middle, { recursive: true })
}

/** Name, how it reads, how it writes. */
const PANDAS: readonly (readonly [string, string, string])[] = [
  ['as it comes', '', ', index=False'],
  ['with its index, in quotes', '', ', quoting=csv.QUOTE_ALL'],
  ['with dates', ', parse_dates=["Mandatsdatum"], dayfirst=True', ', index=False'],
  [
    'decimal commas, Windows-1252',
    ', decimal=","',
    ', sep=";", decimal=",", index=False, encoding="cp1252", errors="replace"',
  ],
]

function saveInPandas([, reading, writing]: readonly [string, string, string], out: string): void {
  const script = [
    'import csv, os, sys, warnings, pandas as pd',
    'warnings.simplefilter("ignore")',
    'for path in sys.argv[2:]:',
    `  table = pd.read_csv(path, sep=";"${reading})`,
    `  table.to_csv(os.path.join(sys.argv[1], os.path.basename(path))${writing})`,
  ]
  execFileSync(PYTHON, ['-c', script.join('\n'), out, ...FILES.map((file) => at('given', file))])
}

/**
 * The program's own files, opened and saved again by other programs, change nothing when they are given back. The folder
 * `resaved` holds what LibreOffice 7.4 and pandas 1.5 wrote; `npm run viewers` asks them again where they are installed,
 * and CAPTURE_RESAVINGS=1 keeps what they write. The export is invented.
 */

const CAPTURED = fileURLToPath(new URL('resaved/', import.meta.url))
const FILES = ['corrections.csv', 'refused.csv', 'not-sent.csv', 'in-doubt.csv'] as const

/** References that one spreadsheet or another takes for a number, an amount, a date, a time or a formula. */
const FORMS =
  'M-# 00# 1234567890123# #E5 12/20# 1-# #.50 =AB# -# +49# #:30 1,# #.000 #% #/2 DEC# €# (#) 1-MAR-# AB#,-1 $# #+'.split(
    ' ',
  )
const KINDS = ['ok', 'iban', 'date', 'refused', 'doubt', 'twice', 'contradicts', 'ended', 'ragged'] as const
const EACH = 5

const quoted = (cells: readonly string[]): string =>
  cells.map((cell) => (/[;"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(';')

function linesOf(kind: (typeof KINDS)[number], n: number): string[] {
  const [day, month] = [String((n % 27) + 1), String((n % 12) + 1)].map((part) => part.padStart(2, '0'))
  const cells = [
    String(n).padStart(5, '0'),
    `Müller & Söhne; "${String(n)}"`,
    kind === 'iban' ? germanIban(n).replace(/.$/, (digit) => `${(Number(digit) + 1) % 10}`) : germanIban(n),
    kind === 'date' ? '30.02.2021' : `${day ?? ''}.${month ?? ''}.20${String(10 + (n % 14))}`,
    'DE98ZZZ09999999999',
    (FORMS[n % FORMS.length] ?? '').replace('#', String(n)),
    kind === 'ended' ? 'gekündigt' : 'aktiv',
    '03.05.2026',
    n % 2 === 0 ? '=1+1' : 'Łódź €',
    '12,50',
    n % 5 === 0 ? '0,00' : '7,00',
  ]
  const other = cells.map((cell, at) => (at === 3 ? '01.02.2012' : cell))
  if (kind === 'twice') return [quoted(cells), quoted(cells)]
  if (kind === 'contradicts') return [quoted(cells), quoted(other)]
  return [quoted(kind === 'ragged' ? [...cells, 'one too many'] : cells)]
}

const EXPORT = [
  'Kundennummer;Name;IBAN;Mandatsdatum;Gläubiger-ID;Mandatsreferenz;Status;Letzter Einzug;Bemerkung;Betrag;Tarif',
  ...KINDS.flatMap((kind, at) =>
    Array.from({ length: EACH }, (_, n) => linesOf(kind, at * EACH + n + 1)),
  ).flat(),
  '',
].join('\n')
const CONFIGURATION = `
columns:
  customer_no: Kundennummer
  iban: IBAN
  signed_date: { column: Mandatsdatum, format: dd.mm.yyyy }
  sepa_creditor_identifier: Gläubiger-ID
  unique_mandate_reference: Mandatsreferenz
  status: Status
  last_collection_date: { column: Letzter Einzug, format: dd.mm.yyyy }
exclude: [{ column: Tarif, equals: ['0,00'], reason: free of charge }]
`

const customersOf = (kind: (typeof KINDS)[number]): number[] =>
  Array.from({ length: EACH }, (_, n) => KINDS.indexOf(kind) * EACH + n + 1)
const words = ['closed', 'blocked', 'unknown', 'gone', 'moved']
const place = placeForAll({
  sandbox: {
    faults: [
      ...customersOf('refused').map((customer_no, n) => ({
        match: { customer_no },
        fault: { kind: 'refuse' as const, status: 422, field: 'iban', message: words[n] ?? '' },
      })),
      ...customersOf('doubt').map((customer_no) => ({
        match: { customer_no },
        fault: { kind: 'reset' as const, applied: true },
      })),
    ],
  },
})
const at = (...names: string[]): string => place.path(join(...names))
const program = place.json
let totals: Readonly<Record<string, number>> = {}
let mark = ''

const SETTLED = { migration_decision: 'written-off', migration_reason: 'Ünal: "agreed"; by phone' }
const fill = (name: string): void => place.edit(name, SETTLED, `given/${name}`)

beforeAll(async () => {
  place.write('export.csv', EXPORT)
  place.write('sepa-migrate.yaml', CONFIGURATION)
  const asked = ['--max-in-doubt', '100', '--as-of', '2026-06-15']
  const ran = await program('run', 'export.csv', ...asked)
  expect(ran.exitCode).toBe(4)
  totals = ran.totals
  mark = /L-[0-9a-f-]{8,}/.exec(place.read('corrections.csv'))?.[0] ?? ''
  mkdirSync(at('given'))
  for (const name of FILES) cpSync(at(name), at('given', name))
  for (const name of ['refused.csv', 'in-doubt.csv']) fill(name)
})

async function expectNothingChanges(folder: string): Promise<void> {
  const files = FILES.map((name) => join(folder, name))
  const told = await program('check', '--ledger', 'sepa-migrate.db', '--as-of', '2026-06-15', ...files)
  const { refused = 0, inDoubt = 0 } = totals
  const decided = { refused: 0, inDoubt: 0, writtenOff: refused + inDoubt }
  expect({ ...told.totals, resubmitted: 0 }).toEqual({ ...totals, ...decided, resubmitted: 0 })
  for (const name of ['refused.csv', 'in-doubt.csv']) {
    const settled = await program('resolve', '--from', join(folder, name), '--dry-run', '--by', 'ops')
    expect([settled.exitCode, settled.errors], `resolve --from ${name}`).toEqual([4, []])
  }
}

/** The mark of a ledger is another one in every campaign. */
function withMark(file: Buffer): Buffer {
  const isWide = file[0] === 0xff && file[1] === 0xfe
  const encoding = isWide ? 'utf16le' : 'latin1'
  return Buffer.from(file.toString(encoding).replaceAll(/L-[0-9a-f-]{8,}/g, mark), encoding)
}

it.each(readdirSync(CAPTURED))('a file saved again by %s, as captured, changes nothing', async (name) => {
  const folder = at('captured', name)
  mkdirSync(folder, { recursive: true })
  for (const file of FILES)
    writeFileSync(join(folder, file), withMark(readFileSync(join(CAPTURED, name, file))))
  await expectNothingChanges(folder)
})

/** @param save in the program itself */
async function resaveInEarnest(name: string, save: (out: string) => void): Promise<void> {
  const folder = name.replaceAll(/[^A-Za-z0-9]+/g, '-')
  const out = at('real', folder)
  mkdirSync(out, { recursive: true })
  save(out)
  expect(readdirSync(out).sort()).toEqual([...FILES].sort())
  if (process.env['CAPTURE_RESAVINGS'] === '1') {
    rmSync(join(CAPTURED, folder), { recursive: true, force: true })
    cpSync(out, join(CAPTURED, folder), { recursive: true })
  }
  await expectNothingChanges(out)
}

describe.runIf(isReal)('files saved again by the programs themselves change nothing', () => {
  it.skipIf(SOFFICE === '').each(OFFICE)('LibreOffice %s', (...way) =>
    resaveInEarnest(`LibreOffice ${way[0]}`, (out) => saveInOffice(way, out)),
  )
  it.skipIf(!hasPandas).each(PANDAS)('pandas %s', (...way) =>
    resaveInEarnest(`pandas ${way[0]}`, (out) => saveInPandas(way, out)),
  )
})
