import { said } from '../../domain/text/text.js'
import type { LocalDate, OptionalField } from '../../domain/mandate/mandate.js'
import {
  type Finding,
  showValue,
  type SourceReading,
  type WordsReading,
  type SeverityOverrides,
  findingOf,
} from '../../domain/rule/verdict.js'
import { wordOf, wordsWith, type Meanings, type WordField, type Words } from '../../domain/value/words.js'
import {
  counted,
  countEnds,
  kindByAnswers,
  kindByWords,
  readWords,
  staysBehindText,
  WORD_FIELDS,
  WORD_LISTS,
  type ColumnKind,
  countWords,
  type WordCounts,
  mayBeStatus,
  meaningsOf,
} from '../guess/column-kind.js'
import { findColumn, namesEnd, namesLastCollection } from '../columns/header.js'
import { guessDateFormat, MOST_WORDS, watchColumn } from '../guess/column-guess.js'
import type { RecognisedSource } from '../record-check.js'

/** Words of a column that is used; more are told as "and others". */
const MOST_UNDERSTOOD = 50
/** Records from which the format of a date is told. */
const SAMPLE = 1000

export function watchColumns(source: RecognisedSource) {
  const { header, mapping, options, profile, against } = source
  const { names, positions } = header
  const words = wordsWith(options.words)
  const ofSystem = wordsWith(options.words, profile?.words)
  const used = mapping.fields.flatMap(({ field, position, name }) => {
    const wordField = WORD_FIELDS.find((known) => known === field)
    const index = positions.indexOf(position)
    return wordField === undefined
      ? []
      : [{ field: wordField, name, index, ...watchUsed(meaningsOf(wordField, name, ofSystem)) }]
  })
  const uses = (field: OptionalField): boolean =>
    mapping.taken.has(field) || mapping.fields.some((column) => column.field === field)
  const usesStatus = uses('status')
  const isOpen = openColumns(source)
  const open = names.flatMap((name, index) =>
    isOpen(index) ? [{ name, index, ...watchOpen(name, against.today) }] : [],
  )
  let records = 0
  const shownName = (name: string, index: number): string =>
    showValue(name === '' ? `column ${(positions[index] ?? 0) + 1}` : name)

  /** What is to be decided about a column; null where nothing is. */
  function undecided(column: string, watched: OpenWatch & { readonly name: string }): string | null {
    const told = tellOpen(watched.name, watched, words)
    if (told !== null && !isDecided(told)) return undecidedText(column, told, uses(told.field))
    if (mapping.decided.has('status') && !usesStatus) return null
    const counts = watched.counter.counts()
    if (!mayBeStatus(watched.name, counts, records, usesStatus)) return null
    return maybeText(column, counts, usesStatus)
  }

  /** That no column counts, holds for all; that one does, for none that would keep more back. */
  const isDecided = ({ field, kind }: Told): boolean =>
    mapping.decided.has(field) && !(uses(field) && kind !== null && kind.staysBehind.length > 0)

  return {
    /**
     * @param cells in the order of the header's names, of a record that has as many
     * @param isNew false for a line that names a row of the ledger
     */
    note: (cells: readonly string[], isNew: boolean): void => {
      for (const { index, note } of used) note(cells[index] ?? '')
      if (!isNew) return // decided about when its export was admitted
      records += 1
      for (const { index, counter, dates, ends } of open) {
        counter.note(cells[index] ?? '')
        ends?.note(cells[index] ?? '')
        if (records <= SAMPLE) dates?.note(cells[index] ?? '', true)
      }
    },
    /** Columns that nobody decided about, and columns in use of which nothing is understood. */
    findings: (severities: SeverityOverrides): readonly Finding[] => [
      ...(source.isResultFile
        ? []
        : used.flatMap((column) => unknownFindings(column, profile?.open ?? [], severities))),
      ...open.flatMap(({ name, index, ...watched }) => {
        const column = shownName(name, index)
        const detail = undecided(column, { name, ...watched })
        return detail === null
          ? []
          : findingOf('FILE_COLUMN_UNDECIDED', severities, { value: column, detail })
      }),
    ],
    /** What was understood of the columns that are used, for reports. */
    reading: (): Pick<SourceReading, 'words' | 'mayBeStatus'> => {
      const words = used.map((column) => [column.field, readUsed(column)] as const)
      const maybe = open
        .filter(({ name, counter }) => usesStatus && mayBeStatus(name, counter.counts(), records))
        .map(({ name, index, counter }) => `${shownName(name, index)}: ${countedWords(counter.counts())}`)
      return {
        words: Object.fromEntries<WordsReading>(words),
        ...(maybe.length === 0 ? {} : { mayBeStatus: maybe }),
      }
    },
  }
}

type UsedColumn = ReturnType<typeof watchUsed> & { readonly field: WordField; readonly name: string }

function watchUsed(meanings: Meanings) {
  const counter = countWords(MOST_UNDERSTOOD)
  let isFilled = false
  let isUnderstood = false
  return {
    counter,
    meanings,
    note: (cell: string): void => {
      counter.note(cell)
      const word = isUnderstood ? '' : wordOf(cell)
      isFilled ||= word !== ''
      isUnderstood ||= word !== '' && meanings.has(word)
    },

    /** It holds words, and none of them is known. */
    isForeign: (): boolean => isFilled && !isUnderstood,
  }
}

/** Which columns nothing uses and nobody decided about. */
function openColumns({ header, mapping, options }: RecognisedSource): (index: number) => boolean {
  const taken = new Set([
    ...[...mapping.fields, ...mapping.parts].map(({ position }) => header.positions.indexOf(position)),
    ...[...options.exclude.map(({ column }) => column), ...options.source.ignoreColumns].map(
      (ref) => findColumn(header, ref) ?? -1,
    ),
  ])
  return (index) => !taken.has(index)
}

type OpenWatch = ReturnType<typeof watchOpen>

const watchOpen = (name: string, today: LocalDate) => ({
  counter: countWords(MOST_WORDS),
  dates: namesLastCollection(name) ? watchColumn(today) : null,
  ends: namesEnd(name) ? countEnds(today) : null,
})

interface Told {
  readonly field: OptionalField
  readonly kind: ColumnKind | null
  readonly dateFormat: string
}

function tellOpen(name: string, { counter, dates, ends }: OpenWatch, words: Words): Told | null {
  const counts = counter.counts()
  const kind = kindByWords(counts, words) ?? kindByAnswers(name, counts, words) ?? ends?.kind() ?? null
  if (kind !== null) return { field: kind.field, kind, dateFormat: '' }
  const format = dates === null ? null : guessDateFormat(dates.evidence(), true)
  return format === null ? null : { field: 'last_collection_date', kind: null, dateFormat: format.format }
}

const countedWords = (counts: WordCounts): string =>
  counts === null ? '' : counted([...counts].map(([word, count]) => ({ word, count })))

/** @param open fields of which a single word that is not understood is asked */
function unknownFindings(
  { field, name, counter, meanings, isForeign }: UsedColumn,
  open: readonly WordField[],
  severities: SeverityOverrides,
): readonly Finding[] {
  const counts = counter.counts()
  const { unknown } = readWords(field, counts ?? new Map<string, number>(), meanings)
  if (!isForeign() && !(open.includes(field) && unknown.length > 0)) return []
  const values = counts === null ? '' : counted(unknown)
  const detail = `Column ${JSON.stringify(showValue(name))} is used as ${field}${values === '' ? '' : ` and holds ${values}`}. Say what they mean: words: { ${field}: { ${WORD_LISTS[field]} } }; or that it is no ${field}: columns: { ${field}: none }.`
  const text = isForeign() ? { detail } : { message: detail }
  return findingOf('FILE_WORDS_UNKNOWN', severities, { field, value: name, ...text })
}

function maybeText(column: string, counts: WordCounts, isFurther: boolean): string {
  const quoted = JSON.stringify(column)
  if (isFurther)
    return `Column ${quoted} may say which mandates have ended, beside the column that is used as status: ${countedWords(counts)}. To use it: exclude: [{ column: ${quoted}, equals: […], reason: … }]; to leave it out of account: --ignore-column ${quoted}.`
  return `Column ${quoted} may say which mandates are active, and no column is used for it: ${countedWords(counts)}. To use it: columns: { status: ${quoted} }, and words: { status: { ${WORD_LISTS.status} } } for what is not understood. If no column of the file says it, once for all of them: columns: { status: none }; every mandate is treated as active then.`
}

function undecidedText(column: string, { field, kind, dateFormat }: Told, isFurther: boolean): string {
  const quoted = JSON.stringify(column)
  const none = isFurther ? '' : `columns: { ${field}: none }, or `
  const ignore = `to leave it out of account: ${none}--ignore-column ${quoted}`
  if (kind === null)
    return `Column ${quoted} looks like the last collection. To use it: columns: { ${field}: { column: ${quoted}, format: ${dateFormat} } }; ${ignore}.`
  const stays = staysBehindText([kind])
  const sees = said([
    kind.staysBehind.length > 0 && `${stays} by it (${counted(kind.staysBehind)})`,
    kind.unknown.length > 0 && `not understood: ${counted(kind.unknown)}`,
  ]).join('; ')
  const which =
    kind.form === 'ends'
      ? 'filled: true'
      : `equals: ${JSON.stringify(kind.staysBehind.map(({ word }) => word))}`
  const use =
    kind.form === 'words' && !isFurther
      ? `columns: { ${field}: ${quoted} }`
      : `exclude: [{ column: ${quoted}, ${which}, reason: … }]`
  const how = kind.form === 'terms' ? 'Export without those rows' : `To use it: ${use}`
  return `Column ${quoted} looks like ${field}${sees === '' ? '' : `: ${sees}`}. ${how}; ${ignore}.`
}

/** Empty parts are left out, so that a report shows only what there is. */
function readUsed({ field, name, counter, meanings }: UsedColumn): WordsReading {
  const counts = counter.counts()
  if (counts === null) return { column: name, tooManyWords: `more than ${MOST_UNDERSTOOD}` }
  const kind = readWords(field, counts, meanings)
  const shown = (entries: readonly { readonly word: string; readonly count: number }[]) =>
    Object.fromEntries(entries.map(({ word, count }) => [showValue(word), count]))
  const parts = {
    staysBehind: staysBehindText([kind]),
    keptBack: shown(kind.staysBehind),
    goes: shown(kind.goes),
    notUnderstood: shown(kind.unknown),
  }
  return {
    column: name,
    ...Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0)),
  }
}
