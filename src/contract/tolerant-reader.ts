import { z } from 'zod'
import { looseEnvelopeOf } from './envelope.js'

/** What may come back for a documented shape: any field may be missing or null, others may be added. */
type Tolerated<Shape> = Shape extends readonly (infer Element)[]
  ? readonly Tolerated<Element>[]
  : Shape extends object
    ? { readonly [Name in keyof Shape]?: Tolerated<Shape[Name]> | null }
    : Shape

/** The same for an object that is known by one text. */
export type Content<Shape extends z.ZodObject, Identity extends keyof z.output<Shape>> = Tolerated<
  z.output<Shape>
> &
  Readonly<Record<Identity, string>>

type Tolerant<Content, More = unknown> =
  | ({
      readonly kind: 'read'
      readonly content: Content
      /** Paths of documented fields that came in another shape; they are left out of `content`. */
      readonly leftOut: readonly string[]
    } & More)
  /** `reason` names what is missing and never quotes a value. */
  | { readonly kind: 'unreadable'; readonly reason: string }

const anyEnvelope = looseEnvelopeOf(z.looseObject({}))

/**
 * A reader for answers that describe one thing, known by the text in `identity`. It never throws. A service may
 * add fields and change the shape of one we do not need: neither turns an answer into a row in doubt. `status` is the
 * envelope's word, null when it is missing or odd.
 */
export function tolerantReader<Shape extends z.ZodObject, Identity extends keyof z.output<Shape> & string>(
  shape: Shape,
  identity: Identity,
) {
  const read = tolerantObject(shape, identity, 'data.')
  return (json: unknown): Tolerant<Content<Shape, Identity>, { readonly status: string | null }> => {
    const envelope = anyEnvelope.safeParse(json)
    if (!envelope.success) return { kind: 'unreadable', reason: 'the answer has no data object' }
    const { status, data } = envelope.data
    const reading = read(data)
    return reading.kind === 'read' ? { ...reading, status } : reading
  }
}

/** The same for what comes without an envelope. */
export function tolerantObject<Shape extends z.ZodObject, Identity extends keyof z.output<Shape> & string>(
  shape: Shape,
  identity: Identity,
  place = '',
) {
  return (json: unknown): Tolerant<Content<Shape, Identity>> => {
    const known = isRecord(json) ? json[identity] : null
    if (typeof known !== 'string' || known.trim() === '') {
      return { kind: 'unreadable', reason: `${place}${identity} is missing or blank` }
    }
    const leftOut: string[] = []
    const content = tolerate(shape, json, [], leftOut) as Content<Shape, Identity>
    return { kind: 'read', content, leftOut }
  }
}

const LEFT_OUT = Symbol('left out')

/** The value as far as it has the documented shape; every path that has not is added to `leftOut`. */
function tolerate(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[],
  leftOut: string[],
): unknown {
  if (value === null || value === undefined) return value
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return tolerate(schema.unwrap(), value, path, leftOut)
  }
  if (schema instanceof z.ZodObject && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, field]): [string, unknown] => {
          const shape = schema.shape as z.core.$ZodShape
          const documented = Object.hasOwn(shape, name) ? shape[name] : undefined
          return [
            name,
            documented === undefined ? field : tolerate(documented, field, [...path, name], leftOut),
          ]
        })
        .filter(([, field]) => field !== LEFT_OUT),
    )
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value
      .map((element, index) => tolerate(schema.element, element, [...path, String(index)], leftOut))
      .filter((element) => element !== LEFT_OUT)
  }
  if (z.safeParse(schema, value).success) return value
  leftOut.push(path.join('.'))
  return LEFT_OUT
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
