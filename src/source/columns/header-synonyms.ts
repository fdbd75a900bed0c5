import type { Field } from '../../domain/mandate/mandate.js'
import { fold } from '../../domain/text/text.js'
import headers from './headers.json' with { type: 'json' }

const LAST = /letzt|laatst|dernier|ultim|senast|sista|sidste|ostatni|last(?!schrift|name)/
const OTHER_LAST =
  /aender|ander|modif|mutat|wijzig|bearbeit|edit|chang|updat|login|anmeld|kontakt|contact|mahn|ruck|rueck|export|sync|seen|zmian|ndring|andring|name|nom/

/** A header that names the last collection; none of the last change or the last contact. */
export function namesLastCollection(header: string): boolean {
  const folded = fold(header)
  return LAST.test(folded) && !OTHER_LAST.test(folded)
}

const END =
  /kundig|opgezegd|opzeg|resili|revoc|widerruf|cancel|beend|beeindig|einddat|endedat|endedon|enddat|datefin|findate|datumende|terminat|storno|uppsag|opsig|opsagt|wypowied|anulo|datafine|baja|disdett|austritt|erlosch|withdraw|closedat|closedon|deactivated|geloscht|deletedat|slutdat|ablaufdat|expir|vervaldat|gultigbis|validuntil|validto|geldigtot/

/** A header that names the day on which a mandate ended. */
export const namesEnd = (header: string): boolean => END.test(fold(header))

/** Keys of the previous system are for a crosswalk only and never mapped by themselves; a second key guards one. */
export type HeaderMeaning =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'old_key' | 'second_key' | 'unused' | 'unknown' }

const meaningsOf = (headers: readonly string[], meaning: HeaderMeaning): [string, HeaderMeaning][] =>
  headers.map((header) => [fold(header), meaning])

/** By the field that they name. */
export const FIELD_HEADERS: Readonly<Record<Field, readonly string[]>> = headers.field

/** An explicit mapping in the configuration always wins over these (domain/rulebook.md#header-folding). */
const MEANINGS: ReadonlyMap<string, HeaderMeaning> = new Map([
  ...Object.entries(FIELD_HEADERS).flatMap(([field, names]) =>
    meaningsOf(names, { kind: 'field', field: field as Field }),
  ),
  ...meaningsOf(headers.old_key, { kind: 'old_key' }),
  ...meaningsOf(headers.second_key, { kind: 'second_key' }),
  ...meaningsOf(headers.unused, { kind: 'unused' }),
])

const UNKNOWN: HeaderMeaning = { kind: 'unknown' }

/** What a header of an export stands for. */
export const meaningOfHeader = (header: string): HeaderMeaning => MEANINGS.get(fold(header)) ?? UNKNOWN

const FIRMEN_MANDAT = fold('FirmenMandat')

/** A scheme column of this name says only whether the mandate is business-to-business. */
export const isFirmenMandat = (header: string): boolean => fold(header) === FIRMEN_MANDAT
