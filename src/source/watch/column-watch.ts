import { REQUIRED_FIELDS, type Field } from '../../domain/mandate/mandate.js'
import {
  type Finding,
  showValue,
  type SourceReading,
  type WordsReading,
  type SeverityOverrides,
  findingOf,
} from '../../domain/rule/verdict.js'
import { wordOf, wordsWith, type Meanings, type WordField } from '../../domain/value/words.js'
import { countWords, profileColumn } from '../guess/column-profile.js'
import {
  fateOf,
  type ColumnKind,
  type Fate,
  counted,
  readWords,
  staysBehindText,
  WORD_FIELDS,
  WORD_LISTS,
  meaningsOf,
} from '../guess/fate.js'
import { findColumn } from '../columns/header.js'
import { isFed } from '../columns/mapping.js'
import type { RecognisedSource } from '../record-check.js'

/** Words of a column that is used; more are told as "and others". */
const MOST_UNDERSTOOD = 50
/** Customers that a list beside the table is compared with; people write such lists beside small tables. */
const MOST_KEYS = 20_000

export function watchColumns(source: RecognisedSource) {
  const { header, mapping, options, profile, against } = source
  const { names, positions } = header
  const ofSystem = wordsWith(options.words, profile?.words)
  const used = mapping.fields.flatMap(({ field, position, name }) => {
    const wordField = WORD_FIELDS.find((known) => known === field)
    const index = positions.indexOf(position)
    return wordField === undefined
      ? []
      : [{ field: wordField, name, index, ...watchUsed(meaningsOf(wordField, name, ofSystem)) }]
  })
  const uses = (field: Field): boolean => isFed(mapping, field)
  // What is known of a system is decided about the columns that it names.
  const named = REQUIRED_FIELDS.filter((field) => options.columns[field] !== undefined)
  const decided = new Set<Field>([...mapping.decided, ...named])
  const keys = new Set<string>()
  const customer = mapping.oldKey ?? mapping.fields.find(({ field }) => field === 'customer_no')
  const keyAt = positions.indexOf(customer?.position ?? -1)
  const file = { uses, decided, words: wordsWith(options.words), keys: [keys] }
  const isOpen = openColumns(source)
  const open = names.flatMap((name, index) =>
    isOpen(index) ? [{ name, index, ...profileColumn(name, against.today) }] : [],
  )
  let records = 0
  let known: readonly { readonly column: string; readonly fate: Fate }[] | null = null
  /** Of the columns that nothing uses, once all records were seen. */
  const fates = () =>
    (known ??= open.map(({ name, index, profile }) => ({
      column: showValue(name === '' ? `column ${(positions[index] ?? 0) + 1}` : name),
      fate: fateOf(name, profile(records), {
        ...file,
        isStatusOne: used.some(({ field, isOne }) => field === 'status' && isOne()),
      }),
    })))

  return {
    /**
     * @param cells in the order of the header's names, of a record that has as many
     * @param isNew false for a line that names a row of the ledger
     */
    note: (cells: readonly string[], isNew: boolean): void => {
      for (const { index, note } of used) note(cells[index] ?? '')
      if (!isNew) return // decided about when its export was admitted
      records += 1
      if (open.length > 0 && keys.size < MOST_KEYS) keys.add(cells[keyAt] ?? '')
      for (const { index, note } of open) note(cells[index] ?? '')
    },
    /** Columns that nobody decided about, and columns in use of which nothing is understood. */
    findings: (severities: SeverityOverrides): readonly Finding[] => [
      ...(source.isResultFile
        ? []
        : used.flatMap((column) => [
            ...unknownFindings(column, profile?.open ?? [], severities),
            ...emptyFindings(column, severities),
          ])),
      ...fates().flatMap(({ column: value, fate }) => {
        if (fate.kind === 'harmless') return []
        const detail = undecidedText(value, fate, uses(fate.field))
        return findingOf('FILE_COLUMN_UNDECIDED', severities, { value, detail })
      }),
    ],
    /** What was understood of the columns that are used, and what of the others, for reports. */
    reading: (): Pick<SourceReading, 'words' | 'mayBeStatus' | 'notUsed'> => {
      const words = used.map((column) => [column.field, readUsed(column)] as const)
      const others = fates().flatMap(({ column, fate }) =>
        fate.kind === 'harmless' ? [{ column, ...fate }] : [],
      )
      const maybe = others.flatMap(({ column, few }) => (few === null ? [] : [`${column}: ${few}`]))
      const notUsed = others.flatMap(({ column, few, why }) => (few === null ? [`${column}: ${why}`] : []))
      return {
        words: Object.fromEntries<WordsReading>(words),
        ...(maybe.length === 0 ? {} : { mayBeStatus: maybe }),
        ...(notUsed.length === 0 || records === 0 ? {} : { notUsed }),
      }
    },
  }
}

type UsedColumn = ReturnType<typeof watchUsed> & { readonly field: WordField; readonly name: string }

function watchUsed(meanings: Meanings) {
  const counter = countWords(MOST_UNDERSTOOD)
  let isFilled = false
  let isUnderstood = false
  let empty = 0
  let rows = 0
  return {
    counter,
    meanings,
    note: (cell: string): void => {
      rows += 1
      if (cell.trim() === '') empty += 1
      counter.note(cell)
      const word = isUnderstood ? '' : wordOf(cell)
      isFilled ||= word !== ''
      isUnderstood ||= word !== '' && meanings.has(word)
    },

    /** It holds words, and none of them is known. */
    isForeign: (): boolean => isFilled && !isUnderstood,
    rows: () => ({ empty, rows }),
    isOne: (): boolean => empty === 0 && counter.counts()?.size === 1,
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

/** Where a status stands in few rows, an empty cell may repeat the one above; where only what has ended is marked, it does not. */
function emptyFindings(
  { field, name, counter, meanings, rows }: UsedColumn,
  severities: SeverityOverrides,
): readonly Finding[] {
  const { goes, staysBehind } = readWords(field, counter.counts() ?? new Map<string, number>(), meanings)
  const { empty, rows: all } = rows()
  if (field !== 'status' || goes.length === 0 || empty * 2 < all) return []
  const column = JSON.stringify(showValue(name))
  const ended = `exclude: [{ column: ${column}, equals: ${JSON.stringify(staysBehind.map(({ word }) => word))}, reason: … }]`
  const detail = `Column ${column} is used as status and is empty in ${empty} of ${all} rows, beside ${counted([...goes, ...staysBehind])}. If an empty cell repeats the one above it, fill the column in. If it means active: columns: { status: none }${staysBehind.length > 0 ? `, and ${ended}` : ''}.`
  return findingOf('FILE_COLUMN_UNDECIDED', severities, { value: name, detail })
}

/** What a column shows, and what to write to use it or to leave it out of account. */
function undecidedText(
  column: string,
  fate: Extract<Fate, { kind: 'undecided' }>,
  isFurther: boolean,
): string {
  const { by, field, told, dateFormat, shows } = fate
  const quoted = JSON.stringify(column)
  const none = isFurther || by === 'remarks' ? '' : `columns: { ${field}: none }, or `
  const ignore = `to leave it out of account: ${none}--ignore-column ${quoted}.`
  const dated = dateFormat === '' ? quoted : `{ column: ${quoted}, format: ${dateFormat} }`
  const exclude = (which: string): string => `exclude: [{ column: ${quoted}, ${which}, reason: … }]`
  const each = `to keep back each row that has one: ${exclude('filled: true')}; ${ignore}`
  const some = `${exclude('equals: […]')}; ${ignore}`
  const texts: Readonly<Record<typeof by, string>> = {
    last: `may be the last collection. To use it: columns: { ${field}: ${dated} }; ${ignore}`,
    second: `may be ${field}, too: ${shows}. If it is: columns: { ${field}: ${dated} }; if not, name the one that is; or ${ignore}`,
    dates: `holds ${shows}, as the end of a mandate does. Where a date has passed, export without that row; ${each}`,
    remarks: `holds ${shows}. Where a mandate has ended, export without that row, or name the cell: ${some}`,
    payers: `holds ${shows}, as other payers have: in these rows it may be the one that is debited. Where it is, write it into the column of iban; ${each}`,
    list: `holds ${shows}; it says nothing of the rows it stands in. Take it out, and those customers, too, where they are not to be migrated; ${ignore}`,
    few: isFurther
      ? `may say which mandates have ended, beside the column that is used as status: ${shows}. To use it: ${some}`
      : `may say which mandates are active, and no column is used for it: ${shows}. To use it: columns: { status: ${quoted} }, and words: { status: { ${WORD_LISTS.status} } } for what is not understood. If no column of the file says it, once for all of them: columns: { status: none }; every mandate is treated as active then.`,
    words: `looks like ${field}: ${shows}. ${told === null ? '' : wayWith(told)}; ${ignore}`,
  }
  function wayWith({ form, staysBehind }: ColumnKind): string {
    if (form === 'terms') return 'Export without those rows'
    const words = `equals: ${JSON.stringify(staysBehind.map(({ word }) => word))}`
    const use = exclude(form === 'ends' ? 'filled: true' : words)
    return `To use it: ${form === 'words' && !isFurther ? `columns: { ${field}: ${quoted} }` : use}`
  }
  return `Column ${quoted} ${texts[by]}`
}

/** Empty parts are left out, so that a report shows only what there is. */
function readUsed({ field, name, counter, meanings, rows }: UsedColumn): WordsReading {
  const counts = counter.counts()
  const { empty } = rows()
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
  const told = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0)
  const ofStatus = field === 'status' && counts.size > 0 && empty > 0 ? { empty } : {}
  return { column: name, ...Object.fromEntries(told), ...ofStatus }
}
