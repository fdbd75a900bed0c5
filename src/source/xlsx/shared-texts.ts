import type { XmlHandlers } from '../bytes/xml.js'

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

/** The texts in their order. */
export async function sharedTexts(
  read: (handlers: XmlHandlers) => Promise<void>,
): Promise<readonly string[]> {
  const texts: string[] = []
  const { open, close, take } = textRuns()
  await read({
    open,
    close: (name, text) => {
      close(name, text)
      if (name === 'si') texts.push(take())
    },
  })
  return texts
}
