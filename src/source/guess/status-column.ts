import { SEPA_COUNTRIES } from '../../domain/text/countries.js'
import { fold } from '../../domain/text/text.js'
import { ANSWERS } from '../../domain/value/words.js'
import type { WordCounts } from './word-counter.js'

/** A smaller file shows too little of a column. */
const MORE_THAN_ROWS = 20
const MOST_VALUES = 12

/**
 * A column of few values may say which mandates live, in words that nobody here knows. An empty cell is a value too: where
 * only ended mandates are marked, nothing else stands beside the mark.
 * @param records those whose cells were counted
 */
export function mayBeStatus(name: string, counts: WordCounts, records: number): boolean {
  if (counts === null || counts.size === 0 || records <= MORE_THAN_ROWS) return false
  const filled = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const values = counts.size + (filled < records ? 1 : 0)
  return values >= 2 && counts.size <= MOST_VALUES && !isNamedOther(name) && !holdsOther([...counts.keys()])
}

const words = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(',').map(fold)))

/** Headings of countries, languages, currencies, salutations and frequencies. */
const OTHER_NAMES = words(
  'Land, country, pays, paese, país, kraj, země, krajina, država, ország, maa, riik, valsts, šalis, țara, χώρα, страна',
  'държава, држава, ülke, Staat, nationality, Nationalität, nationalité, LKZ, Landcode, Ländercode, Länderkennzeichen',
  'Landesschlüssel, Landeskennzeichen, country code, code pays, landkode, landskod, kod kraju',
  'Sprache, language, lang, langue, lingua, idioma, taal, språk, sprog, język, jazyk, jezik, nyelv, kieli, keel, valoda',
  'kalba, limba, γλώσσα, език, језик, јазик, dil, teanga, lingwa, tungumál, locale, Korrespondenzsprache, language code',
  'Währung, Waehrung, currency, devise, monnaie, valuta, moneda, divisa, moeda, waluta, měna, mena, pénznem, valuutta',
  'valuuta, νόμισμα, валута, para birimi, currency code, Währungscode',
  'Anrede, salutation, civilité, aanhef, saluto, appellativo, trattamento, tratamiento, tratamento, tilltal, tiltale',
  'oslovení, oslovenie, megszólítás, puhuttelu',
  'frequency, Frequenz, Turnus, Intervall, interval, Rhythmus, Zahlungsrhythmus, Zahlungsturnus, Zahlungsintervall',
  'Abrechnungsintervall, Abrechnungszeitraum, billing interval, billing cycle, billing period, périodicité, fréquence',
  'frequenza, periodicità, frecuencia, periodicidad, periodicidade, frequência, frequentie, frekvens, interwał',
  'częstotliwość, periodicita, frekvence, gyakoriság, tiheys, sagedus, biežums, dažnis, frecvență, συχνότητα, честота',
  'učestalost, pogostost, sıklık',
)

/** `address.country_code` and `Debtor country` are named by what they end with. */
function isNamedOther(name: string): boolean {
  const parts = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return [name, parts.slice(-1).join(''), parts.slice(-2).join('')].some((part) =>
    OTHER_NAMES.has(fold(part)),
  )
}

const LANGUAGES =
  'bg,ca,cs,da,de,el,en,es,et,fi,fr,ga,hr,hu,is,it,lb,lt,lv,mk,mt,nb,nl,nn,no,pl,pt,rm,ro,ru,sk,sl,sq,sr,sv,tr,uk'
    .split(',')
    .map((code) => code.trim())

const CURRENCIES = words(
  'EUR, CHF, GBP, USD, SEK, DKK, NOK, PLN, CZK, HUF, RON, BGN, ISK, HRK, ALL, MKD, RSD, MDL, TRY, Euro, Euros',
)
const SALUTATIONS = words(
  'Herr, Herrn, Frau, Firma, Familie, Eheleute, Divers, Mr, Mrs, Ms, Miss, Mx, Dr, Prof, Company, M, Mme, Mlle, Monsieur',
  'Madame, Mademoiselle, Société, Sig, Sig.ra, Signor, Signora, Società, Sr, Sra, Srta, Señor, Señora, Don, Doña, Senhor',
  'Senhora, Dhr, De heer, Mevr, Mw, Mevrouw, Heer, Bedrijf, Pan, Pani, Pán, Paní, Fru, Fröken, Hr, Herra, Rouva, Úr, Hölgy',
  'Gospod, Gospa, Gospodin, Gospođa, Κύριος, Κυρία, Domnul, Doamna',
)
const FREQUENCIES = words(
  'daily, weekly, monthly, bimonthly, quarterly, half-yearly, semi-annually, semiannual, yearly, annually, annual, biennial',
  'täglich, wöchentlich, monatlich, zweimonatlich, quartalsweise, vierteljährlich, halbjährlich, jährlich, zweijährlich',
  'hebdomadaire, mensuel, mensuelle, bimestriel, trimestriel, trimestrielle, semestriel, semestrielle, annuel, annuelle',
  'settimanale, mensile, bimestrale, trimestrale, semestrale, annuale, semanal, mensual, bimestral, trimestral, semestral',
  'anual, mensal, wekelijks, maandelijks, per maand, per kwartaal, kwartaal, halfjaarlijks, per jaar, jaarlijks, maand, jaar',
  'månadsvis, kvartalsvis, halvårsvis, årsvis, månedlig, månedligt, kvartalsvist, halvårlig, halvårligt, årlig, årligt',
  'miesięcznie, kwartalnie, półrocznie, rocznie, miesięczny, kwartalny, roczny, měsíčně, čtvrtletně, pololetně, ročně',
  'mesačne, štvrťročne, polročne, ročne, havonta, negyedévente, félévente, évente, havi, negyedéves, éves, lunar, trimestrial',
  'semestrial, mesečno, četrtletno, polletno, letno, mjesečno, kvartalno, polugodišnje, godišnje, kuukausittain, vuosittain',
  'neljännesvuosittain, puolivuosittain, месечно, тримесечно, годишно, μηνιαία, τριμηνιαία, ετήσια, aylık, yıllık',
)

/** All values are countries, all are languages, and so on. `si` and `no` are countries, but in a column they answer. */
function holdsOther(values: readonly string[]): boolean {
  const folded = values.map(fold)
  if (folded.every((value) => ANSWERS.has(value))) return false
  return others().some((known) => folded.every((value) => known.has(value)))
}

let known: readonly ReadonlySet<string>[] | null = null

function others(): readonly ReadonlySet<string>[] {
  known ??= [
    new Set([...SEPA_COUNTRIES.keys()].flatMap((code) => [fold(code), ...namesOf('region', code)])),
    new Set([
      ...LANGUAGES.flatMap((code) => [code, ...namesOf('language', code)]),
      ...LANGUAGES.flatMap((code) => [...SEPA_COUNTRIES.keys()].map((country) => fold(code + country))),
    ]),
    CURRENCIES,
    SALUTATIONS,
    FREQUENCIES,
  ]
  return known
}

/** What people of those languages call it. */
const namesOf = (type: 'region' | 'language', code: string): string[] =>
  LANGUAGES.map((language) => fold(new Intl.DisplayNames([language], { type }).of(code) ?? code))
