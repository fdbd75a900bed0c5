import { z } from 'zod'

/** Every path of the service starts here. */
export const API_PREFIX = '/api/v2'

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
 * What an error answer may tell. The format is not described (contract/README.md#errors), so each part may be
 * missing.
 */
export interface ErrorHints {
  /** The envelope's `status` word, such as INVALID_PARAMETER. */
  readonly serviceCode: string | null
  /** The field the service blames; a list of path parts is joined with dots. */
  readonly field: string | null
  readonly message: string | null
}

/** Reads what it can from any parsed JSON and never throws: the words are hints, the HTTP status decides. */
export function readErrorHints(json: unknown): ErrorHints {
  const details = memberOf(json, 'data')
  return {
    serviceCode: textOf(memberOf(json, 'status')),
    field: textOf(memberOf(details, 'field')) ?? pathOf(memberOf(details, 'field_path')),
    message: textOf(memberOf(details, 'message')),
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null

function pathOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value)
  const parts = value.filter((part) => typeof part === 'string' || typeof part === 'number')
  return parts.length === 0 ? null : parts.join('.')
}
