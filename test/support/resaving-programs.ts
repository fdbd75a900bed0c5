import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Opens CSV files in the real LibreOffice or pandas and saves them again, as a person or a script would. Each way writes
 * files of the same names into `out`.
 */
export interface RealResaving {
  readonly name: string
  readonly save: (files: readonly string[], out: string) => void
}

const SOFFICE = ['/usr/bin/soffice', '/opt/libreoffice/program/soffice'].find(existsSync) ?? null
const PYTHON =
  ['/usr/bin/python3'].find(
    (path) => existsSync(path) && spawnSync(path, ['-c', 'import pandas']).status === 0,
  ) ?? null

/** Why a program cannot be tried here, else null. */
export const MISSING = {
  libreOffice: SOFFICE === null ? 'LibreOffice Calc is not installed' : null,
  pandas: PYTHON === null ? 'pandas is not installed' : null,
} as const

/** Language of the import by its number, and whether dates and formulas are looked for. */
const importing = (language: number, isLooking: boolean): string =>
  `59,34,76,1,,${language},false,${String(isLooking)},false,false,0,${String(isLooking)}`

interface Export {
  readonly delimiter?: number
  /** 76 is UTF-8, 1 Windows-1252, 65535 UTF-16. */
  readonly charset?: number
  readonly language: number
  readonly quotesAll?: boolean
  readonly asShown?: boolean
  readonly formulas?: boolean
}
const exporting = (choice: Export): string =>
  [
    ...[choice.delimiter ?? 59, 34, choice.charset ?? 76, 1, '', choice.language],
    ...[choice.quotesAll ?? false, choice.asShown ?? true, choice.formulas ?? false].map(String),
  ].join(',')

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
  execFileSync(
    SOFFICE ?? '',
    [`-env:UserInstallation=${pathToFileURL(profile).href}`, '--headless', ...args],
    {
      stdio: 'ignore',
      timeout: 50_000,
    },
  )
  rmSync(profile, { recursive: true, force: true })
}

const libreOffice = (name: string, locale: string, isLooking: boolean, choice: Export): RealResaving => ({
  name: `LibreOffice ${name}`,
  save: (files, out) =>
    office(locale, out, [
      `--infilter=${FILTER}:${importing(choice.language, isLooking)}`,
      ...['--convert-to', `csv:${FILTER}:${exporting(choice)}`, '--outdir', out, ...files],
    ]),
})

const throughWorkbook: RealResaving = {
  name: 'LibreOffice through xlsx',
  save: (files, out) => {
    const middle = join(out, 'xlsx')
    mkdirSync(middle)
    const reading = `--infilter=${FILTER}:${importing(GERMAN, true)}`
    office('de-DE', out, [reading, '--convert-to', 'xlsx', '--outdir', middle, ...files])
    const books = readdirSync(middle).map((book) => join(middle, book))
    const writing = `csv:${FILTER}:${exporting({ language: GERMAN })}`
    office('de-DE', out, ['--convert-to', writing, '--outdir', out, ...books])
    rmSync(middle, { recursive: true })
  },
}

const [GERMAN, AMERICAN, DUTCH] = [1031, 1033, 1043]

export const OFFICE_RESAVINGS: readonly RealResaving[] = [
  libreOffice('as it opens', 'de-DE', false, { language: GERMAN }),
  libreOffice('with dates, formulas shown', 'de-DE', true, { language: GERMAN, formulas: true }),
  libreOffice('with dates, all in quotes', 'de-DE', true, { language: GERMAN, quotesAll: true }),
  libreOffice('values not as shown, commas', 'de-DE', true, {
    language: GERMAN,
    delimiter: 44,
    asShown: false,
  }),
  libreOffice('Windows-1252', 'de-DE', true, { language: GERMAN, charset: 1 }),
  libreOffice('UTF-16 with tabs', 'de-DE', true, { language: GERMAN, charset: 65535, delimiter: 9 }),
  libreOffice('American, formulas shown', 'en-US', true, { language: GERMAN, formulas: true }),
  libreOffice('American import', 'en-US', true, { language: AMERICAN }),
  libreOffice('Dutch', 'nl-NL', true, { language: DUTCH }),
  throughWorkbook,
]

const pandas = (name: string, read: string, write: string): RealResaving => ({
  name: `pandas ${name}`,
  save: (files, out) => {
    const script = [
      'import csv, os, sys, warnings, pandas as pd',
      'warnings.simplefilter("ignore")',
      'for path in sys.argv[2:]:',
      `  table = pd.read_csv(path, sep=";"${read})`,
      `  table.to_csv(os.path.join(sys.argv[1], os.path.basename(path))${write})`,
    ]
    execFileSync(PYTHON ?? '', ['-c', script.join('\n'), out, ...files])
  },
})

export const PANDAS_RESAVINGS: readonly RealResaving[] = [
  pandas('as it comes', '', ', index=False'),
  pandas('with its index, in quotes', '', ', quoting=csv.QUOTE_ALL'),
  pandas('as text', ', dtype=str', ', index=False, sep=";"'),
  pandas('with dates', ', parse_dates=["Mandatsdatum"], dayfirst=True', ', index=False'),
  pandas(
    'decimal commas, Windows-1252',
    ', decimal=","',
    ', sep=";", decimal=",", index=False, encoding="cp1252", errors="replace"',
  ),
]
