import { z } from 'zod'

/**
 * An update with what is stored in the place of every optional object or list that is null (choice 34). A null that
 * the schema allows, or that stands for anything else, stays for the schema to judge.
 */
export function withStoredParts(schema: z.core.$ZodType, sent: unknown, stored: unknown): unknown {
  const part = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  if (part instanceof z.ZodArray && Array.isArray(sent))
    // A list replaces the stored one, so that no element has a stored one.
    return sent.map((element) => withStoredParts(part.element, element, undefined))
  if (!(part instanceof z.ZodObject) || !isRecord(sent)) return sent
  const fields = part.shape as Readonly<Record<string, z.core.$ZodType | undefined>>
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const [field, kept] = [fields[name], isRecord(stored) ? stored[name] : undefined]
      if (field === undefined) return [name, value]
      return [name, value === null && isPart(field) ? kept : withStoredParts(field, value, kept)]
    }),
  )
}

function isPart(schema: z.core.$ZodType): boolean {
  const part = schema instanceof z.ZodOptional ? schema.unwrap() : null
  return part instanceof z.ZodObject || part instanceof z.ZodArray
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
