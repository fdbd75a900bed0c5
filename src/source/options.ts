import { z } from 'zod'
import { UsageError } from '../errors.js'
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../domain/mandate/mandate.js'
import { DATE_FORMATS } from '../domain/mandate/date.js'
import { ENCODINGS } from './bytes/encoding.js'

/** The separators a source may have, by the spellings of the configuration. */
export const DELIMITERS = { ',': ',', ';': ';', '\t': '\t', '|': '|', tab: '\t' } as const

/** The sections of sepa-migrate.yaml that say how to read a source. */

const name = z.string('Give the name of a column').min(1, 'A column name is empty')
const position = z.int('Give a column by its name or its position from 1').min(1, 'Positions count from 1')

/** A column by its name (compared like headers) or its position from 1. */
const columnSchema = z
  .union([name, position])
  .meta({ description: 'A column by its name, or its position from 1' })
export type ColumnRef = z.output<typeof columnSchema>

/** One column, or several candidates of which the first that the file has is used. */
const candidatesSchema = z.union([columnSchema, z.array(columnSchema).min(1, 'The list of columns is empty')])
export type Candidates = z.output<typeof candidatesSchema>

const WRONG_TRANSFORM =
  'Transforms are trim, upperCase, stripZeros, { stripPrefix: text } and { padLeft: { length: 11, with: "0" } }'
const transformSchema = z.union(
  [
    z.enum(['trim', 'upperCase', 'stripZeros']),
    z.strictObject({ stripPrefix: z.string().min(1) }),
    z.strictObject({
      padLeft: z.strictObject({ length: z.int().min(1).max(64), with: z.string().length(1) }),
    }),
  ],
  WRONG_TRANSFORM,
)
/** The forms of a column; where its transform is wrong, what transforms there are. */
const formsOr = (forms: string) => ({
  error: ({ errors }: { readonly errors?: unknown }): string =>
    JSON.stringify(errors ?? []).includes(JSON.stringify(WRONG_TRANSFORM)) ? WRONG_TRANSFORM : forms,
})
/** A change that the operator ordered, made before the checks. The list is closed. */
export type Transform = z.output<typeof transformSchema>

const detailed = { column: candidatesSchema, transform: z.array(transformSchema).min(1).optional() }
const dateFormats = [...DATE_FORMATS, 'auto'] as const
const columnForms = 'Give the name of a column, its position from 1, a list of those, or'

const oneOrSeveral = [columnSchema, z.array(columnSchema).min(1)] as const

/** A field by its column, its candidates, or an object with more detail. */
const column = z.union(
  [...oneOrSeveral, z.strictObject(detailed)],
  formsOr(`${columnForms} { column, transform }; only sepa_creditor_identifier may be a constant`),
)
const dateColumn = z.union(
  [...oneOrSeveral, z.strictObject({ ...detailed, format: z.enum(dateFormats).optional() })],
  formsOr(`${columnForms} { column, format, transform }; formats are ${dateFormats.join(', ')}`),
)
const constant = z.string().min(1)
/** Only the creditor identifier may be a constant: it fills empty cells and never overrides one. */
const creditorColumn = z.union(
  [
    ...oneOrSeveral,
    z.strictObject({ ...detailed, constant: constant.optional() }),
    z.strictObject({ constant }),
  ],
  formsOr(`${columnForms} { column, constant, transform } or { constant }`),
)

const WRONG_TEMPLATE = 'A template holds the names of columns in braces, as in "{Member}-M1"'
/** A reference may be made of several columns, as the previous creditor made it. */
const referenceColumn = z.union(
  [
    ...oneOrSeveral,
    z.strictObject(detailed),
    z.strictObject({ template: z.string().regex(/\{[^{}]+\}/, WRONG_TEMPLATE) }),
  ],
  formsOr(`${columnForms} { column, transform } or { template: "{Member}-M1" }`),
)

/** Instead of the name of a column, for a field that a row need not have. */
export const NONE = 'none'
const NONE_MEANS = `"${NONE}" decides that no column counts; { column: ${NONE} } is a column of that name`

const columnsSchema = z
  .strictObject({
    customer_no: column.optional(),
    iban: column.optional(),
    signed_date: dateColumn.optional(),
    sepa_creditor_identifier: creditorColumn.optional(),
    unique_mandate_reference: referenceColumn.optional(),
    last_collection_date: dateColumn.optional().meta({ description: NONE_MEANS }),
    status: column.optional().meta({ description: NONE_MEANS }),
    sequence: column.optional().meta({ description: NONE_MEANS }),
    scheme: column.optional().meta({ description: NONE_MEANS }),
  })
  .meta({ description: 'Which column feeds which field; fields left out are found by their usual names' })

const delimiterSchema = z.enum(Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[])

const layout = {
  sheet: z.string().min(1).optional().meta({
    description: 'Sheet of an Excel workbook; the one with data when left out',
  }),
  hidden: z.enum(['read', 'skip']).optional().meta({
    description:
      'Whether hidden or filtered rows and hidden columns of a workbook count; refused when left out',
  }),
  delimiter: delimiterSchema.optional().meta({ description: 'Column separator; detected when left out' }),
  encoding: z.enum(ENCODINGS).optional().meta({ description: 'Text encoding; detected when left out' }),
  skipLines: z.int().min(0).max(10_000).default(0).meta({ description: 'Physical lines before the header' }),
  skipFooterLines: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .meta({ description: 'Physical lines after the last record, blank ones included' }),
  multilineColumns: z.array(columnSchema).default([]).meta({
    description:
      'Columns with text over several lines, such as remarks; elsewhere such a cell is refused when it looks like records that a stray quote joined',
  }),
}

const calendarDate = z.iso.date('Give a date as YYYY-MM-DD')

const sourceSchema = z
  .strictObject({
    ...layout,
    ignoreColumns: z.array(columnSchema).default([]).meta({
      description: 'Columns that look as if they said which mandates live, and by your decision do not',
    }),
    dates: z.enum(['utc', 'written']).optional().meta({
      description:
        'Dates with a time: "utc" reads them in the time zone of the campaign, "written" takes the day as it stands; times near midnight are asked about when left out',
    }),
    exportDay: calendarDate.optional().meta({
      description: 'The day of the export; a signature date that 10 % of the rows share with it is a filler',
    }),
    fillerDates: z
      .array(calendarDate)
      .default(['2009-11-01', '1970-01-01', '1900-01-01'])
      .meta({ description: 'Signature dates that are suspicious from 10 % of the rows on' }),
  })
  .meta({ description: 'How the file is written' })

const secondKeySchema = z.union(
  [
    z.strictObject({ column: columnSchema, ibanEnd: z.literal(true) }),
    z.strictObject({ column: columnSchema, from: candidatesSchema }),
  ],
  'Give { column, ibanEnd: true } for the end of the IBAN, or { column, from } to compare two columns',
)

const crosswalkSchema = z
  .strictObject({
    file: z.string().min(1).meta({ description: 'CSV file, relative to the configuration file' }),
    from: candidatesSchema.meta({ description: 'Column of the export that holds the old key' }),
    key: columnSchema.meta({ description: 'Column of the crosswalk that holds the old key' }),
    customer_no: columnSchema
      .default('customer_no')
      .meta({ description: 'Column of the crosswalk with the new number' }),
    secondKey: secondKeySchema.optional().meta({
      description:
        'Guards against a shifted column: the last characters of the IBAN, or a column to compare, such as the name',
    }),
    ...layout,
  })
  .meta({ description: 'A second file that gives the customer_no for each old key' })

const joinedField = z.enum([...REQUIRED_FIELDS, ...OPTIONAL_FIELDS]).exclude(['customer_no'])
const joinSchema = z
  .array(
    z.strictObject({
      file: z.string().min(1).meta({ description: 'CSV or Excel file, relative to the configuration file' }),
      on: z
        .record(name, columnSchema)
        .refine((on) => Object.keys(on).length > 0, 'Name the columns of the export that are looked up')
        .meta({ description: 'For each column of the key in the export, the column of this file' }),
      take: z
        .partialRecord(
          joinedField,
          z.union(
            [columnSchema, z.strictObject({ column: columnSchema, format: z.enum(DATE_FORMATS) })],
            `${columnForms} { column, format } for a date; formats are ${DATE_FORMATS.join(', ')}`,
          ),
        )
        .meta({ description: 'Which column of this file feeds which field' }),
      ...layout,
    }),
  )
  .meta({ description: 'Second files that give other fields, such as the account of each customer' })

const cellValue = z.union([z.string(), z.number(), z.boolean()])

const excludeSchema = z
  .array(
    z
      .strictObject({
        column: columnSchema,
        equals: z.array(cellValue).min(1, 'Name at least one value').exactOptional(),
        filled: z
          .literal(true)
          .exactOptional()
          .meta({ description: 'Any value will do, such as an end date' }),
        except: z
          .array(cellValue)
          .min(1, 'Name at least one value')
          .exactOptional()
          .meta({ description: 'Any other value stays behind, and so does none unless "" is named' }),
        olderVersion: z
          .literal(true)
          .exactOptional()
          .meta({ description: 'These rows are older versions of mandates, and contradict no current one' }),
        reason: z.string().min(1, 'Say why these rows stay behind'),
      })
      .refine(
        ({ equals, filled, except }) =>
          [equals, filled, except].filter((which) => which !== undefined).length === 1,
        'Give either equals: [values], or except: [values] for every other one, or filled: true for every row with a value there',
      ),
  )
  .meta({ description: 'Rows that are left out on purpose' })

const words = z.array(z.string().min(1)).exactOptional()

/** Words of status, sequence and scheme columns that the built-in lists do not know. */
const wordsSchema = z
  .strictObject({
    status: z.strictObject({ active: words, notActive: words }).exactOptional(),
    sequence: z.strictObject({ recurrent: words, oneOff: words, final: words }).exactOptional(),
    scheme: z.strictObject({ core: words, b2b: words }).exactOptional(),
  })
  .meta({ description: 'What the words of status, sequence and scheme columns mean' })

const bound = (least: number, most: number, usual: number, description: string) =>
  z.int().min(least).max(most).default(usual).meta({ description })

/** Bounds on what is believed to be an export; all memory the reader uses follows from them. */
const limitsSchema = z
  .strictObject({
    recordLength: bound(64, 200_000, 65_536, 'Characters of one record'),
    fieldLength: bound(64, 200_000, 8_192, 'Characters of one cell'),
    columns: z.int().min(2).max(10_000).default(512),
    unpackedBytes: bound(1, Number.MAX_SAFE_INTEGER, 8 * 1024 ** 3, 'Bytes that a gzip source may unpack to'),
    crosswalkLines: bound(
      1,
      10_000_000,
      2_000_000,
      'Lines of a crosswalk or joined file, which is kept in memory (about 300 bytes each)',
    ),
  })
  .meta({ description: 'Sizes beyond which a source is refused' })

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
    .meta({
      description: `Known system that the export is of, also where columns are mapped here; "${NONE}" for none`,
    }),
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
  const parsed = sourceOptionsSchema.safeParse(given)
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new UsageError(
    `Cannot use the options of the source: ${mistakes.join('; ')}`,
    'Correct them; nothing was sent',
  )
}

/** The options of a program that has no configuration file. */
export const DEFAULT_SOURCE_OPTIONS: SourceOptions = sourceOptionsSchema.parse({})
