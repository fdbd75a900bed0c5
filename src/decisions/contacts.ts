import type { CheckedRecord } from '../domain/rule/verdict.js'
import { maskIban } from '../domain/text/masking.js'
import { fold } from '../domain/text/text.js'
import { SourceError } from '../errors.js'
import type { NotifiedRow } from '../ledger/read/reader.js'
import type { OpenedSource } from '../source/read-source.js'

/** What an export says of a customer; empty where it says nothing. */
export const CONTACT_VALUES = ['name', 'email', 'language'] as const
export type ContactValue = (typeof CONTACT_VALUES)[number]
type Contact = Readonly<Record<ContactValue, string>>

/** The header names that feed each value, joined by a blank: a first name and a family name, say. */
export type ContactColumns = Readonly<Record<ContactValue, readonly string[]>>

export interface RowWithContact {
  readonly row: NotifiedRow
  /** Null where its export was not given, or its line was changed by hand since. */
  readonly contact: Contact | null
}

const USUAL: Readonly<Record<ContactValue, readonly string[]>> = {
  name: [
    'name',
    'customer name',
    'customer_name',
    'full name',
    'Kundenname',
    'Kontoinhaber',
    'account holder',
    'account_holder',
    'nom',
    'namn',
    'naam',
    'nombre',
    'nome',
  ],
  email: [
    'e-mail',
    'email',
    'email address',
    'e-mail address',
    'E-Mail-Adresse',
    'mail',
    'e-post',
    'courriel',
  ],
  language: ['language', 'lang', 'locale', 'Sprache', 'langue', 'språk', 'taal', 'idioma', 'lingua'],
}

/** The usual names among these; none for a value that two columns could feed. */
export function usualContactColumns(headers: readonly (readonly string[])[]): ContactColumns {
  const names = [...new Map(headers.flat().map((name) => [fold(name), name])).values()]
  const among = (value: ContactValue): readonly string[] => {
    const usual = new Set(USUAL[value].map(fold))
    const found = names.filter((name) => usual.has(fold(name)))
    return found.length === 1 ? found : []
  }
  return { name: among('name'), email: among('email'), language: among('language') }
}

/**
 * Goes through registered rows and through the exports they came from, side by side, in one walk each: the ledger keeps
 * no cells of a registered row. A line is believed only where it still says what was admitted.
 * @param pages registered rows in order of id
 * @param exportOf the export of a source by its id; null where it was not given
 * @throws {SourceError} for an export that is read in another way than when it was admitted
 */
export async function* withContacts(
  pages: Iterable<readonly NotifiedRow[]>,
  exportOf: (sourceId: number) => OpenedSource | null,
  columns: ContactColumns,
  signal: AbortSignal,
): AsyncGenerator<readonly RowWithContact[]> {
  let reading: Reading | null = null
  try {
    for (const page of pages) {
      const rows: RowWithContact[] = []
      for (const row of page) {
        if (reading?.sourceId !== row.sourceId) {
          await reading?.close()
          reading = readContacts(row.sourceId, exportOf(row.sourceId), columns, signal)
        }
        rows.push({ row, contact: await reading.of(row) })
      }
      yield rows
    }
  } finally {
    await reading?.close()
  }
}

interface Reading {
  readonly sourceId: number
  readonly of: (row: NotifiedRow) => Promise<Contact | null>
  readonly close: () => Promise<void>
}

function readContacts(
  sourceId: number,
  source: OpenedSource | null,
  columns: ContactColumns,
  signal: AbortSignal,
): Reading {
  if (source === null) return { sourceId, of: () => Promise.resolve(null), close: () => Promise.resolve() }
  const records = recordsOf(source, signal)
  const contactOf = contactIn(source.header, columns)
  let next: IteratorResult<CheckedRecord> | null = null
  const of = async (row: NotifiedRow): Promise<Contact | null> => {
    while (next === null || (next.done !== true && next.value.record < row.record))
      next = await records.next()
    if (next.done !== true && next.value.record === row.record && isOf(next.value, row))
      return contactOf(next.value)
    if (source.isResultFile) return null // a spreadsheet may have saved its values in another notation
    throw new SourceError(
      `Cannot take names from "${source.name}": record ${row.record} is not the mandate of row ${row.id}, which was admitted from there; no file was written`,
      'The file is the same, so it is read in another way now: give the configuration, and the crosswalk, with which it was admitted',
      { source: source.name },
    )
  }
  return {
    sourceId,
    of,
    close: async () => {
      await records.return(undefined)
    },
  }
}

async function* recordsOf(
  source: OpenedSource,
  signal: AbortSignal,
): AsyncGenerator<CheckedRecord, undefined> {
  for await (const batch of source.records(signal)) yield* batch
  return undefined
}

const isOf = ({ values }: CheckedRecord, row: NotifiedRow): boolean =>
  values.customerNo === row.customerNo &&
  values.signedDate === row.signedDate &&
  values.creditorIdentifier === row.originalCreditorIdentifier &&
  values.mandateReference === row.originalMandateReference &&
  values.iban !== null &&
  maskIban(values.iban) === row.ibanMasked

function contactIn(header: readonly string[], columns: ContactColumns): (record: CheckedRecord) => Contact {
  const folded = header.map(fold)
  const positions = (value: ContactValue): readonly number[] =>
    columns[value].map((name) => folded.indexOf(fold(name))).filter((at) => at >= 0)
  const [name, email, language] = [positions('name'), positions('email'), positions('language')]
  const text = (cells: readonly string[], at: readonly number[]): string =>
    at
      .map((position) => (cells[position] ?? '').trim())
      .filter((cell) => cell !== '')
      .join(' ')
  return ({ cells }) => ({
    name: text(cells, name),
    email: text(cells, email),
    language: text(cells, language),
  })
}
