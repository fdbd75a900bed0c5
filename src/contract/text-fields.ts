import { z } from 'zod'

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
