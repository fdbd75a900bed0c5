import texts from './options.json' with { type: 'json' }
import { wordingOf } from '../domain/text/text.js'
import { z } from 'zod'
import { UsageError } from '../errors.js'
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../domain/mandate/mandate.js'
import { DATE_FORMATS } from '../domain/mandate/date.js'
import { ENCODINGS } from './bytes/input.js'

/** The separators a source may have, by the spellings of the configuration. */
export const DELIMITERS = { ',': ',', ';': ';', '\t': '\t', '|': '|', tab: '\t' } as const

/** The sections of sepa-migrate.yaml that say how to read a source. */

const about = (key: keyof typeof texts) => ({ description: texts[key] })

const name = z.string('Give the name of a column').min(1, 'A column name is empty')
const position = z.int('Give a column by its name or its position from 1').min(1, 'Positions count from 1')

/** A column by its name (compared like headers) or its position from 1. */
const columnSchema = z.union([name, position]).meta(about('column'))
export type ColumnRef = z.output<typeof columnSchema>

/** One column, or several candidates of which the first that the file has is used. */
const candidatesSchema = z.union([columnSchema, z.array(columnSchema).min(1, 'The list of columns is empty')])
export type Candidates = z.output<typeof candidatesSchema>

const transformSchema = z.union([
  z.enum(['trim', 'upperCase', 'stripZeros']),
  z.strictObject({ stripPrefix: z.string().min(1) }),
  z.strictObject({ padLeft: z.strictObject({ length: z.int().min(1).max(64), with: z.string().length(1) }) }),
])
/** A change that the operator ordered, made before the checks. The list is closed. */
export type Transform = z.output<typeof transformSchema>

const detailed = { column: candidatesSchema, transform: z.array(transformSchema).min(1).optional() }
const dateFormats = [...DATE_FORMATS, 'auto'] as const
const columnForms = 'Give the name of a column, its position from 1, a list of those, or'

/** A field by its column, its candidates, or an object with more detail. */
const columnOf = <Shape extends z.ZodType>(forms: string, ...shapes: readonly Shape[]) =>
  z.union(
    [columnSchema, z.array(columnSchema).min(1), ...shapes] as const,
    `${columnForms} ${forms}; transforms are trim, upperCase, stripZeros, { stripPrefix } and { padLeft }`,
  )

const plain = z.strictObject(detailed)
const column = columnOf('{ column, transform }; only sepa_creditor_identifier may be a constant', plain)
const dateColumn = columnOf(
  `{ column, format, transform }; formats are ${dateFormats.join(', ')}`,
  z.strictObject({ ...detailed, format: z.enum(dateFormats).optional() }),
)
const constant = z.string().min(1)
/** Only the creditor identifier may be a constant: it fills empty cells and never overrides one. */
const creditorColumn = columnOf(
  '{ column, constant, transform } or { constant }',
  z.strictObject({ ...detailed, constant: constant.optional() }).or(z.strictObject({ constant })),
)
const WRONG_TEMPLATE = 'A template holds the names of columns in braces, as in "{Member}-M1"'
/** A reference may be made of several columns, as the previous creditor made it. */
const referenceColumn = columnOf(
  '{ column, transform } or { template: "{Member}-M1" }',
  plain.or(z.strictObject({ template: z.string().regex(/\{[^{}]+\}/, WRONG_TEMPLATE) })),
)

/** Instead of the name of a column, for a field that a row need not have. */
export const NONE = 'none'

const columnsSchema = z
  .strictObject({
    customer_no: column.optional(),
    iban: column.optional(),
    signed_date: dateColumn.optional(),
    sepa_creditor_identifier: creditorColumn.optional(),
    unique_mandate_reference: referenceColumn.optional(),
    last_collection_date: dateColumn.optional().meta(about('none')),
    status: column.optional().meta(about('none')),
    sequence: column.optional().meta(about('none')),
    scheme: column.optional().meta(about('none')),
    payer_name: column.optional().meta(about('payer')),
    payer_org_no: column.optional().meta(about('payer')),
  })
  .meta(about('columns'))

const delimiterSchema = z.enum(Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[])

const layout = {
  sheet: z.string().min(1).optional().meta(about('sheet')),
  hidden: z.enum(['read', 'skip']).optional().meta(about('hidden')),
  delimiter: delimiterSchema.optional().meta(about('delimiter')),
  encoding: z.enum(ENCODINGS).optional().meta(about('encoding')),
  skipLines: z.int().min(0).max(10_000).default(0).meta(about('skipLines')),
  skipFooterLines: z.int().min(0).max(1000).default(0).meta(about('skipFooterLines')),
  multilineColumns: z.array(columnSchema).default([]).meta(about('multilineColumns')),
}

const calendarDate = z.iso.date('Give a date as YYYY-MM-DD')

const sourceSchema = z
  .strictObject({
    ...layout,
    ignoreColumns: z.array(columnSchema).default([]).meta(about('ignoreColumns')),
    dates: z.enum(['utc', 'written']).optional().meta(about('dates')),
    exportDay: calendarDate.optional().meta(about('exportDay')),
    fillerDates: z
      .array(calendarDate)
      .default(['2009-11-01', '1970-01-01', '1900-01-01'])
      .meta(about('fillerDates')),
  })
  .meta(about('source'))

const secondKeySchema = z.union(
  [
    z.strictObject({ column: columnSchema, ibanEnd: z.literal(true) }),
    z.strictObject({ column: columnSchema, from: candidatesSchema }),
  ],
  'Give { column, ibanEnd: true } for the end of the IBAN, or { column, from } to compare two columns',
)

const crosswalkSchema = z
  .strictObject({
    file: z.string().min(1).meta(about('crosswalk.file')),
    from: candidatesSchema.meta(about('crosswalk.from')),
    key: columnSchema.meta(about('crosswalk.key')),
    customer_no: columnSchema.default('customer_no').meta(about('crosswalk.customer_no')),
    secondKey: secondKeySchema.optional().meta(about('crosswalk.secondKey')),
    ...layout,
  })
  .meta(about('crosswalk'))

const joinedField = z.enum([...REQUIRED_FIELDS, ...OPTIONAL_FIELDS]).exclude(['customer_no'])
const joinSchema = z
  .array(
    z.strictObject({
      file: z.string().min(1).meta(about('join.file')),
      on: z
        .record(name, columnSchema)
        .refine((on) => Object.keys(on).length > 0, 'Name the columns of the export that are looked up')
        .meta(about('join.on')),
      take: z
        .partialRecord(
          joinedField,
          z.union(
            [columnSchema, z.strictObject({ column: columnSchema, format: z.enum(DATE_FORMATS) })],
            `${columnForms} { column, format } for a date; formats are ${DATE_FORMATS.join(', ')}`,
          ),
        )
        .meta(about('join.take')),
      ...layout,
    }),
  )
  .meta(about('join'))

/** What YAML makes of an unquoted 01 is another text. */
const text = z.string('Write text in quotes, as in ["01"]: without them YAML reads a number')
const values = z.array(text).min(1, 'Name at least one value')

const excludeSchema = z
  .array(
    z
      .strictObject({
        column: columnSchema,
        equals: values.exactOptional(),
        filled: z.literal(true).exactOptional().meta(about('exclude.filled')),
        except: values.exactOptional().meta(about('exclude.except')),
        olderVersion: z.literal(true).exactOptional().meta(about('exclude.olderVersion')),
        reason: z.string().min(1, 'Say why these rows stay behind'),
      })
      .refine(
        ({ equals, filled, except }) =>
          [equals, filled, except].filter((which) => which !== undefined).length === 1,
        'Give either equals: [values], or except: [values] for every other one, or filled: true for every row with a value there',
      ),
  )
  .meta(about('exclude'))

const words = z.array(text.min(1)).exactOptional()

/** Words of status, sequence and scheme columns that the built-in lists do not know. */
const wordsSchema = z
  .strictObject({
    status: z.strictObject({ active: words, notActive: words }).exactOptional(),
    sequence: z.strictObject({ recurrent: words, oneOff: words, final: words }).exactOptional(),
    scheme: z.strictObject({ core: words, b2b: words }).exactOptional(),
  })
  .meta(about('words'))

const bound = (least: number, most: number, usual: number, key: keyof typeof texts) =>
  z.int().min(least).max(most).default(usual).meta(about(key))

/** Bounds on what is believed to be an export; all memory the reader uses follows from them. */
const limitsSchema = z
  .strictObject({
    recordLength: bound(64, 200_000, 65_536, 'limits.recordLength'),
    fieldLength: bound(64, 200_000, 8_192, 'limits.fieldLength'),
    columns: z.int().min(2).max(10_000).default(512),
    unpackedBytes: bound(1, Number.MAX_SAFE_INTEGER, 8 * 1024 ** 3, 'limits.unpackedBytes'),
    crosswalkLines: bound(1, 10_000_000, 2_000_000, 'limits.crosswalkLines'),
  })
  .meta(about('limits'))

export type ColumnsOptions = z.output<typeof columnsSchema>
export type LayoutOptions = Pick<z.output<typeof sourceSchema>, keyof typeof layout>
export type ExcludeOptions = z.output<typeof excludeSchema>
export type LimitOptions = z.output<typeof limitsSchema>

/** All of it, for the configuration schema of the command line to spread. */
export const sourceSections = {
  profile: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'A profile is named by its id, such as odoo-oca')
    .exactOptional()
    .meta(about('profile')),
  source: sourceSchema.prefault({}),
  columns: columnsSchema.prefault({}),
  crosswalk: crosswalkSchema.optional(),
  join: joinSchema.default([]),
  exclude: excludeSchema.default([]),
  words: wordsSchema.prefault({}),
  limits: limitsSchema.prefault({}),
}

const sourceOptionsSchema = z.strictObject(sourceSections)
export type SourceOptions = z.output<typeof sourceOptionsSchema>

/** As somebody writes them: everything may be left out. */
export type SourceOptionsInput = z.input<typeof sourceOptionsSchema>

/**
 * How a source is read, checked and complete. Paths are relative to the working directory.
 * @throws {UsageError} that names each mistake
 */
export function readSourceOptions(given: SourceOptionsInput): SourceOptions {
  const parsed = sourceOptionsSchema.safeParse(given, { error: wordingOf })
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'what is given' : `${path.join('.')}:`} ${message}`,
  )
  throw new UsageError(
    `Cannot use the options of the source: ${mistakes.join('; ')}`,
    'Correct them; nothing was sent',
  )
}

/** The options of a program that has no configuration file. */
export const DEFAULT_SOURCE_OPTIONS: SourceOptions = sourceOptionsSchema.parse({})
