import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SourceError } from '../../../src/errors.js'
import { OWN } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'
import { seeded, type Seeded } from '../../support/sample-values.js'
import { CHECK, fileOf, optionsOf, readAll, SAMPLES } from '../../support/sources.js'
import { draftOf } from '../reading.js'

/**
 * Questions cost people time: how many `check` asks, and how many lines of a draft a person has to complete, where nothing
 * is wrong. Exports are drawn from columns that real ones have, of which none says that a mandate ended.
 */

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')
const german = (iso: string): string => iso.split('-').toReversed().join('.')

const NAMES = 'Müller Rossi Lefèvre Jansen Novák Lindström García Kowalski Huber Weiß'.split(' ')
const GIVEN = 'Anna Elif Noël María Günther Päivi Oğuz Chloé Søren Helena Quentin'.split(' ')
const TOWNS = ['Musterstadt', 'Neudorf', 'Altheim', 'Seefeld']

/** By heading in a language each: what a cell of the nth row holds. Shares are those of a village club or a small shop. */
type Cell = (random: Seeded, n: number) => string
const rarely = (random: Seeded, often: string, seldom: readonly string[]): string =>
  random.below(20) === 0 ? random.pick(seldom) : often
const fullName = (random: Seeded): string => `${random.pick(GIVEN)} ${random.pick(NAMES)}`
const phone = (random: Seeded): string => `0${random.digits(3)} ${random.digits(6)}`
const since = (random: Seeded): string => german(random.date(2005, 2025))
const COLUMNS: readonly (readonly [headings: readonly string[], cell: Cell])[] = [
  [['Vorname', 'First name', 'Prénom', 'Voornaam', 'Imię'], (random) => random.pick(GIVEN)],
  [['Nachname', 'Surname', 'Nom', 'Achternaam', 'Cognome'], (random) => random.pick(NAMES)],
  [['Kontoinhaber', 'Account holder', 'Titulaire'], fullName],
  [['Titel', 'Title'], (random) => rarely(random, '', ['Dr.', 'Prof. Dr.'])],
  [['Anrede', 'Salutation', 'Civilité'], (random) => rarely(random, 'Herr', ['Frau', 'Firma'])],
  [['Geschlecht', 'Gender', 'Sexe'], (random) => rarely(random, 'm', ['w'])],
  [['Straße', 'Street', 'Rue', 'Straat'], (random) => `${random.pick(TOWNS)}er Weg ${random.below(90) + 1}`],
  [['PLZ', 'Postcode', 'Code postal', 'CAP'], (random) => rarely(random, '12345', ['12347', '12349'])],
  [['Ort', 'Town', 'Ville', 'Woonplaats', 'Città'], (random) => rarely(random, 'Musterstadt', TOWNS)],
  [['Land', 'Country', 'Pays', 'address.country_code'], (random) => rarely(random, 'DE', ['AT', 'NL'])],
  [['Sprache', 'Language'], (random) => rarely(random, 'de', ['en', 'fr'])],
  [['Telefon', 'Phone'], phone],
  [['Mobil', 'Fax 2'], (random) => rarely(random, '', [phone(random), phone(random)])],
  [['E-Mail', 'email', 'Courriel'], (_, n) => `person${n}@example.com`],
  [['BIC', 'SWIFT'], (random) => rarely(random, 'GENODEF1M01', ['COBADEFFXXX', 'DEUTDEFF'])],
  [['Bank', 'Kreditinstitut', 'Banque'], (random) => rarely(random, 'Volksbank', ['Sparkasse', 'Postbank'])],
  [['Beitrag', 'Amount', 'Montant', 'Contributie'], (random) => rarely(random, '60,00', ['30,00', '0,00'])],
  [['Jahressumme', 'fee_total'], (random) => rarely(random, '120.00', ['60.00', '90.50'])],
  [['Währung', 'Currency'], (random) => rarely(random, 'EUR', ['CHF'])],
  [['Zahlungsweise', 'Billing interval'], (random) => rarely(random, 'jährlich', ['monatlich'])],
  [['Geburtsdatum', 'Date of birth'], (random) => german(random.date(1940, 2005))],
  [['Mitglied seit', 'created_at', 'Erfasst'], since],
  [['Kostenstelle', 'ledger_account'], (random) => rarely(random, '4400', ['4410', '4420'])],
  [['Mandant', 'tenant'], () => 'TSV'],
  [['Bemerkung', 'notes'], () => ''],
  [['Auftragskonto', 'Own IBAN', 'Compte créancier'], () => germanIban(999_999)],
  [['Nr.', 'id', 'Vertrag'], (_, n) => `V-${pad(n, 6)}`],
  [['Gültig bis', 'valid_to'], () => '31.12.2099'],
]

const drawn = (seed: number): string => {
  const random = seeded(seed)
  const rows = random.pick([4, 19, 20, 25, 60, 240])
  const others = COLUMNS.filter(() => random.below(3) > 0)
  const isStatus = random.below(3) > 0
  const named = others.map(([headings]) => random.pick(headings))
  const header = [...OWN.map(([name]) => name), ...(isStatus ? ['Status'] : []), ...named]
  const lines = Array.from({ length: rows }, (_, index) => {
    const n = index + 1
    const own = [`${1000 + n}`, germanIban(n), random.date(2012, 2025), 'DE98ZZZ09999999999', `M-${n}`]
    return [...own, ...(isStatus ? ['aktiv'] : []), ...others.map(([, cell]) => cell(random, n))]
  })
  return `${[header, ...lines].map((cells) => cells.join(';')).join('\n')}\n`
}

/** A draft in which a person named what no file can tell. */
const completed = (draft: string): string =>
  draft
    .replace(/^ {2}# customer_no: (?=\{ column: (?!"…"))/m, '  customer_no: ')
    .replace(/^ {2}# (sepa_creditor_identifier: )\{ constant: .*$/m, '  $1{ constant: DE98ZZZ09999999999 }')

/** What `check` asks about a file, with and without the draft, and how many lines of the draft a person has to look at. */
async function askedOf(path: string): Promise<{ questions: string[]; edits: number }> {
  const draft = await draftOf(path)
  const edits = draft.split('\n').filter((line) => line.includes('EDIT:')).length
  const questions: string[] = []
  for (const yaml of ['', completed(draft)])
    try {
      const { summary } = await readAll(path, optionsOf(yaml), { ...CHECK, undecided: 'tell' })
      for (const { rule, severity, value } of summary.findings)
        if (severity === 'error') questions.push(`${rule} ${value}`)
    } catch (error) {
      // What no draft can tell of a system is the business of its profile.
      if (!(error instanceof SourceError)) throw error
      questions.push(String(error.rule))
    }
  return { questions, edits }
}

/** For people who compare versions; on both, with and without the draft. */
const tell = (what: string, { files, edits, questions }: Record<'files' | 'edits' | 'questions', number>) =>
  process.stdout.write(`false questions: ${files} ${what}: ${questions} questions, ${edits} lines to edit\n`)

it('samples and profiles are asked about as much as before columns had a fate', async () => {
  const asked: Record<string, string> = {}
  const total = { files: 0, edits: 0, questions: 0 }
  for (const folder of [SAMPLES, join(SAMPLES, 'profiles')])
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.csv'))) {
      const { questions, edits } = await askedOf(join(folder, name))
      total.files += 1
      total.edits += edits
      total.questions += questions.length
      if (edits > 0 || questions.length > 0) asked[name] = `${edits} edits; ${questions.join(', ')}`
    }
  tell('samples and profiles', total)
  expect(asked).toEqual({
    'bank-accounts.csv': '4 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'business-central.csv': '4 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'dolibarr.csv': '3 edits; FILE_HEADER_MISSING, FILE_WORDS_UNKNOWN',
    'easydta.csv': '1 edits; FILE_COLUMN_UNDECIDED PaymentTyp, FILE_COLUMN_UNDECIDED PaymentTyp',
    'faults.csv': '3 edits; ',
    'french.csv': '1 edits; FILE_HEADER_MISSING',
    'german-customers.csv': '4 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'german-messy.csv': '1 edits; FILE_HEADER_MISSING',
    'gocardless.csv': '1 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'jverein.csv': '2 edits; FILE_HEADER_MISSING',
    'odoo.csv': '3 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'sap-cds.csv': '2 edits; FILE_HEADER_MISSING, FILE_WORDS_UNKNOWN',
    'sap.csv': '2 edits; FILE_HEADER_MISSING, FILE_WORDS_UNKNOWN',
    'spg-verein.csv': '3 edits; FILE_HEADER_MISSING, FILE_HEADER_MISSING',
    'twikey.csv': '2 edits; FILE_HEADER_MISSING',
  })
})

const EXPORTS = Number(process.env['READING_SEEDS'] ?? 60)

it(`nothing is asked about ${EXPORTS} clean exports, and each draft is read`, async () => {
  const asked: Record<string, string[]> = {}
  let edits = 0
  for (let seed = 1; seed <= EXPORTS; seed += 1) {
    const { questions, edits: more } = await askedOf(fileOf(drawn(seed)))
    edits += more
    if (questions.length > 0) asked[seed] = questions
  }
  tell('clean exports', { files: EXPORTS, edits, questions: Object.values(asked).flat().length })
  expect({ edits, asked }).toEqual({ edits: 0, asked: {} })
})
