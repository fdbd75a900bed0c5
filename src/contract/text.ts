import { z } from 'zod'

/** At most `max` characters. They are counted as JSON Schema counts them: by code point, not by UTF-16 unit. */
export const textUpTo = (max: number) =>
  z
    .string()
    .refine((text) => text.length <= max || Array.from(text).length <= max, {
      error: `is longer than ${max} characters`,
    })
    .meta({ maxLength: max })
