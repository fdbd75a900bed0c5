import { z } from 'zod'
import { isRecord, memberOf } from '../domain/text/text.js'
import type { ExchangeEvidence } from '../domain/row/row-state.js'

/** Every path of the service starts here. */
export const API_PREFIX = '/api/v2'

/** The user of the simulator where nobody names another: no service knows such a one, so its password opens nothing. */
export const SANDBOX_USER = 'sandbox'

/** A calendar date on the wire, `YYYY-MM-DD`; 2023-02-29 is refused. */
export const wireDate = z.iso.date()

/** A point in time on the wire, ISO 8601; its offset may be missing. */
export const wireDateTime = z.iso.datetime({ local: true, offset: true })

/** The times that an offer and a billogram have. */
export const writtenAt = {
  /** ISO 8601 as the service wrote it. Without an offset nothing tells the time zone. */
  created_at: wireDateTime,
  /** ISO 8601 as the service wrote it. Without an offset nothing tells the time zone. */
  updated_at: wireDateTime,
}

/** Every answer is `status` and `data`, nothing else (contract/README.md#envelope). */
export const envelopeOf = <Content extends z.ZodType>(content: Content) =>
  z.strictObject({ status: z.string(), data: content })

/** The same envelope for a tolerant reader: unknown fields pass, and an odd `status` word is null, not a fault. */
export const looseEnvelopeOf = <Content extends z.ZodType>(content: Content) =>
  z.looseObject({ status: z.string().nullable().catch(null), data: content })

/**
 * What an error answer may tell. The format is not described (contract/README.md#what-it-leaves-open), so each part may be
 * missing.
 */
export type ErrorHints = Pick<ExchangeEvidence, 'serviceCode' | 'field' | 'message'>

/** Reads what it can from any parsed JSON and never throws: the words are hints, the HTTP status decides. */
export function readErrorHints(json: unknown): ErrorHints {
  const details = memberOf(json, 'data')
  return {
    serviceCode: textOf(memberOf(json, 'status')),
    field: textOf(memberOf(details, 'field')) ?? pathOf(memberOf(details, 'field_path')),
    message: textOf(memberOf(details, 'message')),
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

function pathOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value)
  const parts = value.filter((part) => typeof part === 'string' || typeof part === 'number')
  return parts.length === 0 ? null : parts.join('.')
}

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

/** `reason` names what is missing or has another shape, and never quotes a value. */
export const unreadable = (reason: string) => ({ kind: 'unreadable' as const, reason })

/** The same by the first problem that a schema found. */
export function unreadableBy({ issues: [issue] }: z.ZodError) {
  const place = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.join('.')
  return unreadable(`${place}: ${issue?.message ?? 'is unreadable'}`)
}

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
  return (json: unknown) => {
    const envelope = anyEnvelope.safeParse(json)
    if (!envelope.success) return unreadable('the answer has no data object')
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
  return (json: unknown) => {
    const known = memberOf(json, identity)
    if (typeof known !== 'string' || known.trim() === '')
      return unreadable(`${place}${identity} is missing or blank`)
    /** Paths of documented fields that came in another shape; they are left out of `content`. */
    const leftOut: string[] = []
    const content = tolerate(shape, json, [], leftOut) as Content<Shape, Identity>
    return { kind: 'read' as const, content, leftOut: leftOut as readonly string[] }
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
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return tolerate(schema.unwrap(), value, path, leftOut)
  if (schema instanceof z.ZodObject && isRecord(value))
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
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value
      .map((element, index) => tolerate(schema.element, element, [...path, String(index)], leftOut))
      .filter((element) => element !== LEFT_OUT)
  if (z.safeParse(schema, value).success) return value
  leftOut.push(path.join('.'))
  return LEFT_OUT
}

/** At most `max` characters. They are counted as JSON Schema counts them: by code point, not by UTF-16 unit. */
export const textUpTo = (max: number) =>
  z
    .string()
    .refine((text) => text.length <= max || Array.from(text).length <= max, {
      error: `is longer than ${max} characters`,
    })
    .meta({ maxLength: max })

/** Base64 with its padding; `byte` is the name the service gives the format. */
export const base64Text = z.base64('must be base64').meta({ format: 'byte' })
