import { z } from 'zod'
import { maskAccounts } from '../../domain/text/masking.js'
import { checkCreditorIdentifier } from '../../domain/value/creditor-identifier.js'
import { REST, type Wave } from '../../domain/wave/wave.js'
import { UsageError } from '../../errors.js'

/** The section `waves` of sepa-migrate.yaml, and the option of the library. */

const oneOrMore = (item: z.ZodString): z.ZodUnion<[z.ZodString, z.ZodArray<z.ZodString>]> =>
  z.union([item, z.array(item).min(1, 'The list is empty')])

const COUNTRY = /^[A-Z]{2}$/

/** No comma: names are listed with commas. */
const NAME = /^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,38}[^\s,\p{Cc}])?$/u

const columnSchema = z.strictObject({
  column: z
    .string('Give the name of a column')
    .min(1)
    .meta({ description: 'A column of the export by its name, or the field that it feeds' }),
  equals: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1, 'Name at least one value'),
})

const seed = z
  .union([z.string().min(1), z.int()])
  .meta({ description: 'The same seed draws the same mandates, whatever the order of the files' })

const sampleSchema = z.union(
  [
    z.strictObject({ rows: z.int().min(1).max(1_000_000), seed }),
    z.strictObject({ percent: z.number().min(0.001).max(100), seed }),
  ],
  'Give { rows, seed } or { percent, seed }',
)

const waveSchema = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'A name has 1 to 40 characters, no comma, and no blank at its ends')
    .meta({ description: `What the wave is called wherever it is named; not "${REST}"` }),
  columns: z
    .array(columnSchema)
    .min(1)
    .exactOptional()
    .meta({ description: 'Rows with one of these values in each of these columns' }),
  country: oneOrMore(z.string().regex(COUNTRY, 'A country is two capital letters'))
    .exactOptional()
    .meta({ description: 'Rows with an account of these countries' }),
  source: oneOrMore(z.string().min(1))
    .exactOptional()
    .meta({ description: 'Rows of the files of these names, without folders' }),
  creditor: oneOrMore(z.string().min(1))
    .exactOptional()
    .meta({ description: 'Rows of these previous creditors, by their identifiers' }),
  sample: sampleSchema.exactOptional().meta({ description: 'Some of the rows, drawn by their mandates' }),
  number: z
    .int()
    .min(1)
    .max(999_999_999)
    .exactOptional()
    .meta({ description: 'So many rows at most, the first that can be sent' }),
  held: z.boolean().exactOptional().meta({ description: 'None of its rows is sent until this is taken out' }),
})

export const wavesSchema = z
  .array(waveSchema)
  .max(100)
  .meta({
    description: `Parts of the campaign, sent in this order; a row belongs to the first that takes it, else to "${REST}", which goes last`,
  })

export type WavesInput = z.input<typeof wavesSchema>

const listed = (given: string | readonly string[]): readonly string[] =>
  typeof given === 'string' ? [given] : given

function toWave({ country, source, creditor, ...wave }: z.output<typeof waveSchema>): Wave {
  return {
    ...wave,
    ...(country === undefined ? {} : { country: listed(country) }),
    ...(source === undefined ? {} : { source: listed(source) }),
    ...(creditor === undefined ? {} : { creditor: listed(creditor) }),
  }
}

/**
 * The waves of a run as they were written, checked; null where nothing was said of any.
 * @throws {UsageError} that names each mistake
 */
export function readWaves(given: WavesInput | undefined): readonly Wave[] | null {
  if (given === undefined) return null
  const parsed = wavesSchema.safeParse(given)
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map(
      ({ path, message }) => `${['waves', ...path].join('.')}: ${message}`,
    )
    throw wrong(mistakes.join('; '))
  }
  const waves = parsed.data.map(toWave)
  const seen = new Set<string>()
  for (const { name, creditor = [] } of waves) {
    if (name.toLowerCase() === REST) throw wrong(`"${REST}" is what rows that no wave takes are called`)
    if (seen.has(name)) throw wrong(`the name "${name}" is given twice`)
    seen.add(name)
    // One that cannot be right would take no row, and what it was to hold would be sent.
    const odd = creditor.find((text) => !checkCreditorIdentifier(text).usable)
    if (odd !== undefined)
      throw wrong(`"${maskAccounts(odd)}" in the wave "${name}" is no creditor identifier`)
  }
  return waves
}

const wrong = (what: string): UsageError =>
  new UsageError(`Cannot use the waves: ${what}; nothing was sent`, 'Correct the waves')

/**
 * The waves that a run is asked to send, by name.
 * @throws {UsageError} for a name that no wave has, and for a wave that is held
 */
export function readOnly(
  only: readonly string[] | undefined,
  waves: readonly Wave[] | null,
): readonly string[] | null {
  if (only === undefined || only.length === 0) return null
  const known = [...(waves ?? []).map(({ name }) => name), REST]
  for (const name of only) {
    if (waves === null || waves.length === 0)
      throw new UsageError(
        `Cannot send the wave "${maskAccounts(name)}": no waves are configured; nothing was sent`,
        'Name the configuration that has them, or send without naming a wave',
      )
    if (!known.includes(name))
      throw new UsageError(
        `Cannot send the wave "${maskAccounts(name)}": there is none of that name; nothing was sent`,
        `The waves are ${known.map((other) => `"${other}"`).join(', ')}`,
      )
    const index = waves.findIndex((wave) => wave.name === name)
    if (waves[index]?.held === true)
      throw new UsageError(
        `Cannot send the wave "${name}": it is held, which means that somebody said no; nothing was sent`,
        `Once they agree, take waves[${index}].held out of the configuration (the line "held: true" of "${name}")`,
      )
  }
  return [...new Set(only)]
}
