import type { XmlHandlers } from '../bytes/xml.js'

/** The texts that cells share, by their number; null for one that is not there. */
export type SharedTexts = (index: number) => string | null

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/** Characters that XML cannot hold are written as `_x000D_` (ECMA-376, ST_Xstring). */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text

/** Joins the runs of a rich text; what tells how it is spoken is no part of it. */
export function textRuns() {
  let joined = ''
  let spoken = 0
  return {
    open: (name: string): void => {
      if (name === 'rPh') spoken += 1
    },
    close: (name: string, text: string): void => {
      if (name === 'rPh') spoken -= 1
      else if (name === 't' && spoken === 0) joined += unescapeText(text)
    },
    take: (): string => {
      const text = joined
      joined = ''
      return text
    },
  }
}

/** Texts in one block of memory: 900,000 as strings of their own took 50 MB more. */
export async function sharedTexts(read: (handlers: XmlHandlers) => Promise<void>): Promise<SharedTexts> {
  let bytes = Buffer.allocUnsafe(65_536)
  let ends = new Uint32Array(4096)
  let count = 0
  let length = 0
  const runs = textRuns()
  const close = (name: string, text: string): void => {
    runs.close(name, text)
    if (name !== 'si') return
    const all = runs.take()
    const needed = length + all.length * 3
    if (needed > bytes.length)
      bytes = Buffer.concat([bytes.subarray(0, length)], Math.max(needed, bytes.length * 2))
    length += bytes.write(all, length, 'utf8')
    if (count === ends.length) {
      const more = new Uint32Array(ends.length * 2)
      more.set(ends)
      ends = more
    }
    ends[count] = length
    count += 1
  }
  await read({ open: runs.open, close })
  return (index) =>
    Number.isInteger(index) && index >= 0 && index < count
      ? bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index])
      : null
}
