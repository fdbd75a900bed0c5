import { z } from 'zod'
import { looseEnvelopeOf } from './envelope.js'

/** What may come back for a documented shape: any field may be missing or null, others may be added. */
export type Tolerated<Shape> = Shape extends readonly (infer Element)[]
  ? readonly Tolerated<Element>[]
  : Shape extends object
    ? { readonly [Name in keyof Shape]?: Tolerated<Shape[Name]> | null }
    : Shape

export type Tolerant<Content> =
  | {
      readonly kind: 'read'
      /** The envelope's word, null when it is missing or odd. */
      readonly status: string | null
      readonly content: Content
      /** Paths of documented fields that came in another shape; they are left out of `content`. */
      readonly leftOut: readonly string[]
    }
  /** `reason` names what is missing and never quotes a value. */
  | { readonly kind: 'unreadable'; readonly reason: string }

const anyEnvelope = looseEnvelopeOf(z.looseObject({}))

/**
 * A reader for answers that describe one thing, known by the text in `identity`. It never throws. A service may
 * add fields and change the shape of one we do not need: neither turns an answer into a row in doubt.
 */
export function tolerantReader<Shape extends z.ZodObject, Identity extends keyof z.output<Shape> & string>(
  shape: Shape,
  identity: Identity,
) {
  type Content = Tolerated<z.output<Shape>> & Readonly<Record<Identity, string>>
  return (json: unknown): Tolerant<Content> => {
    const envelope = anyEnvelope.safeParse(json)
    if (!envelope.success) return { kind: 'unreadable', reason: 'the answer has no data object' }
    const { status, data } = envelope.data
    const known = data[identity]
    if (typeof known !== 'string' || known.trim() === '') {
      return { kind: 'unreadable', reason: `data.${identity} is missing or blank` }
    }
    const leftOut: string[] = []
    const content = tolerate(shape, data, [], leftOut) as Content
    return { kind: 'read', status, content, leftOut }
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
          const documented = (schema.shape as z.core.$ZodShape)[name]
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
