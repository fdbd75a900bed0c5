import { SaxesParser } from 'saxes'
import { SourceError, refuse } from '../../errors.js'
import { createDecoder, type Encoding } from './input.js'

/** Elements by their names without a prefix. Attributes keep theirs. */
export interface XmlHandlers {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>, parent: string) => void
  /** @param text what stands directly in the element */
  readonly close: (name: string, text: string, parent: string) => void
}

/** Deeper than any workbook or collection file. */
const MOST_DEPTH = 64
/** Characters of one text, tag or comment: a cell of a workbook may have 32,767. */
const MOST_AT_ONCE = 1_048_576

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Tells the elements of a document while it is read, and yields after each chunk. Document types are refused, so that
 * nothing is ever expanded or fetched.
 * @param what names the document in messages, such as `its part "xl/workbook.xml"`
 * @throws {SourceError} FILE_FORMAT for what is no well-formed XML in that encoding, or too deep or too long to be believed
 */
export async function* readXml(
  label: string,
  what: string,
  bytes: AsyncIterable<Uint8Array>,
  { open, close }: XmlHandlers,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<undefined> {
  const broken = (why: string, cause?: unknown): SourceError =>
    refuse(label, 'FILE_FORMAT', `${what} ${why}`, {
      next: 'The file is damaged or was made by hand. Get it again from where it came, or give the export as CSV.',
      cause,
    })
  const decoder = createDecoder(encoding)
  const parser = new SaxesParser({ xmlns: false, position: false } as const)
  const path: string[] = ['']
  const texts: string[] = ['']
  let silent = 0
  parser.on('doctype', () => {
    throw broken('declares a document type, which no such file needs')
  })
  parser.on('opentag', ({ name, attributes }) => {
    silent = 0
    if (path.length > MOST_DEPTH) throw broken(`is nested more than ${MOST_DEPTH} elements deep`)
    const local = localName(name)
    open(local, attributes, path.at(-1) ?? '')
    path.push(local)
    texts.push('')
  })
  const addText = (text: string): void => {
    silent = 0
    const at = texts.length - 1
    const joined = (texts[at] ?? '') + text
    if (joined.length > MOST_AT_ONCE) throw broken('holds a text that is too long')
    texts[at] = joined
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    silent = 0
    close(path.pop() ?? '', texts.pop() ?? '', path.at(-1) ?? '')
  })
  const attempt = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      throw error instanceof SourceError
        ? error
        : broken(`is not well-formed XML in ${encoding.toUpperCase()}`, error)
    }
  }
  for await (const chunk of bytes) {
    attempt(() => {
      const text = decoder.decode(chunk)
      silent += text.length
      parser.write(text)
    })
    if (silent > MOST_AT_ONCE) throw broken('holds a tag, text or comment that is too long')
    yield undefined
  }
  attempt(() => {
    parser.write(decoder.end()).close()
  })
}

/** An xsd:boolean. */
export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'

/** Reads a document to its end. */
export async function drain(reading: AsyncGenerator<undefined>): Promise<void> {
  while ((await reading.next()).done !== true);
}
