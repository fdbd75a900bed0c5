import { fold } from '../../domain/text/text.js'
import type { MappedColumn } from '../columns/mapping.js'

/** Words that totals begin with, and what they count; folded. */
const TOTALS =
  'summe summen gesamt gesamtsumme gesamtanzahl gesamtzahl anzahl insgesamt total totals totaal aantal totale totales totalt totaux summa sum count nombre numero antal ialt suma razem liczba endsumme zwischensumme'
const COUNTED =
  'mandat mandate mandaten mandats mandates mandatos mandati mandater machtigingen datensatze zeilen eintrage posten positionen record records rows lines entries regels lignes lineas registros registri rader raekker rekordow kunden klanten clients clientes clienti customers der von of de des des van het di general'
const BEGINNINGS: ReadonlySet<string> = new Set(TOTALS.split(' '))
const WORDS: ReadonlySet<string> = new Set([...BEGINNINGS, ...COUNTED.split(' ')])

const FIGURE = /^[0-9][0-9.,' ]{0,14}$/
const AMOUNTS: ReadonlySet<string> = new Set('eur euro chf sek dkk pln gbp'.split(' '))

/** `25`, `25 mandati`, `1.250,00 EUR`: a figure, and at most a word of what it counts. */
function isFigure(cell: string): boolean {
  const [word, ...others] = cell.match(/[\p{L}\p{M}]+/gu) ?? []
  if (others.length > 0) return false
  const isNamed = word === undefined || WORDS.has(fold(word)) || AMOUNTS.has(fold(word))
  return (
    isNamed &&
    FIGURE.test(
      cell
        .replace(word ?? '', '')
        .replace('€', '')
        .trim(),
    )
  )
}

/** A record with no more in these than the word and one figure could be no mandate. */
const TELLING = ['iban', 'unique_mandate_reference', 'signed_date', 'sepa_creditor_identifier'] as const

/**
 * True for a record such as `Summe;;;;20000`: its first cell that holds something says that totals follow, in words
 * of totals alone, and of account, reference, date and creditor no more than one is filled, by a figure that may say what it counts.
 */
export function isBareTotals(cells: readonly string[], fields: readonly MappedColumn[]): boolean {
  const first = cells.findIndex((cell) => cell.trim() !== '')
  const words = (cells[first] ?? '').match(/[\p{L}\p{M}]+/gu)?.map(fold) ?? []
  const [beginning] = words
  if (beginning === undefined || !BEGINNINGS.has(beginning) || !words.every((word) => WORDS.has(word)))
    return false
  const told = fields
    .filter(({ field, position }) => position !== first && TELLING.some((telling) => telling === field))
    .map(({ position }) => (cells[position] ?? '').trim())
    .filter((cell) => cell !== '')
  return told.length <= 1 && told.every(isFigure)
}
