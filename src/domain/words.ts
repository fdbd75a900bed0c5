import { breaks, startCheck } from './finding.js'
import type { OptionalField } from './mandate.js'
import type { RuleId, SeverityOverrides } from './rules.js'
import { cleanCell, fold } from './text.js'
import type { Finding } from './verdict.js'

/** What status, sequence and scheme columns say (sepa-rules.md 7.2). */

type WordField = Exclude<OptionalField, 'last_collection_date'>

/** Words by meaning. The configuration adds to these lists; a word it lists wins over the built-in meaning. */
export interface WordLists {
  readonly status?: { readonly active?: readonly string[]; readonly notActive?: readonly string[] }
  readonly sequence?: {
    readonly recurrent?: readonly string[]
    readonly oneOff?: readonly string[]
    readonly final?: readonly string[]
  }
  readonly scheme?: { readonly core?: readonly string[]; readonly b2b?: readonly string[] }
}

/** The rule a folded word breaks, or null for a word that is fine. */
type Meanings = ReadonlyMap<string, RuleId | null>

/** Word lists ready for looking up. */
export interface Words {
  readonly status: Meanings
  readonly sequence: Meanings
  readonly scheme: Meanings
  /** For a column that only says yes or no. */
  readonly firmenMandat: Meanings
}

const BUILT_IN: WordLists = {
  status: {
    active: ['active', 'valid', 'ok', 'aktiv', 'gültig', 'actief', 'actif', 'activo'],
    notActive: [
      ...['cancelled', 'canceled', 'inactive', 'expired', 'revoked', 'closed', 'ended', 'deleted', 'blocked'],
      ...['failed', 'invalid', 'widerrufen', 'gekündigt', 'inaktiv', 'abgelaufen', 'gesperrt', 'gelöscht'],
      ...['storniert', 'ingetrokken', 'opgezegd', 'beëindigd', 'résilié', 'révoqué', 'annulé', 'revocado'],
      'cancelado',
    ],
  },
  sequence: {
    recurrent: [
      ...['FRST', 'RCUR', 'first', 'recurrent', 'recurring', 'Erstlastschrift', 'Folgelastschrift'],
      ...['Erst', 'Folge'],
    ],
    oneOff: ['OOFF', 'one-off', 'single', 'einmal', 'Einmallastschrift'],
    final: ['FNAL', 'final', 'last', 'letzte', 'letzte Lastschrift'],
  },
  scheme: { core: ['CORE', 'COR1', 'Basislastschrift'], b2b: ['B2B', 'Firmenlastschrift'] },
}
const YES = ['true', '1', 'ja', 'yes']
const NO = ['false', '0', 'nein', 'no']

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** A word as it is compared, and its spelling with ae, oe, ue, which folding does not unite. */
function spellings(word: string): readonly string[] {
  const lower = word.toLowerCase().normalize('NFC')
  return [fold(lower), fold(lower.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter))]
}

type Meaning = readonly [words: readonly string[] | undefined, rule: RuleId | null]

const meanings = (all: readonly Meaning[]): Meanings =>
  new Map(
    all.flatMap(([list = [], rule]) =>
      list.flatMap((word) => spellings(word).map((key) => [key, rule] as const)),
    ),
  )

const statusMeanings = ({ status }: WordLists): Meaning[] => [
  [status?.active, null],
  [status?.notActive, 'STATUS_NOT_ACTIVE'],
]
const sequenceMeanings = ({ sequence }: WordLists): Meaning[] => [
  [sequence?.recurrent, null],
  [sequence?.oneOff, 'SEQUENCE_ONE_OFF'],
  [sequence?.final, 'SEQUENCE_FINAL'],
]
const schemeMeanings = ({ scheme }: WordLists): Meaning[] => [
  [scheme?.core, null],
  [scheme?.b2b, 'SCHEME_B2B'],
]

/** The built-in words together with those of the configuration. Call it once, not per row. */
export function wordsWith(added: WordLists): Words {
  const scheme = [...schemeMeanings(BUILT_IN), ...schemeMeanings(added)]
  return {
    status: meanings([...statusMeanings(BUILT_IN), ...statusMeanings(added)]),
    sequence: meanings([...sequenceMeanings(BUILT_IN), ...sequenceMeanings(added)]),
    scheme: meanings(scheme),
    firmenMandat: meanings([[NO, null], [YES, 'SCHEME_B2B'], ...scheme]),
  }
}

export const WORDS: Words = wordsWith({})

const UNKNOWN: Readonly<Record<WordField, RuleId>> = {
  status: 'STATUS_UNKNOWN',
  sequence: 'SEQUENCE_UNKNOWN',
  scheme: 'SCHEME_UNKNOWN',
}

/** Checks one word. An empty cell says nothing. */
export function checkWord(
  field: WordField,
  raw: string,
  known: Meanings,
  severities: SeverityOverrides,
): readonly Finding[] {
  const word = fold(cleanCell(raw))
  if (word === '') return []
  const check = startCheck(field, raw, severities)
  const meaning = known.get(word)
  const rule = meaning === undefined ? UNKNOWN[field] : meaning
  if (rule !== null) breaks(check, rule)
  return check.findings
}
