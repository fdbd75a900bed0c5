/**
 * ESC and the C1 introducers with what they introduce: colours, cursor moves, titles and links of terminals. A title that
 * is never ended loses its introducer alone, so that no text of a message disappears with it.
 */
const TERMINAL_SEQUENCE =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]?/gu
const CONTROL_RUN = /[\p{Cc}\u2028\u2029]+/gu
/** Bidirectional overrides, zero-width characters, fillers, tags: they change what a reader sees. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** One line that shows what it holds: no terminal sequences, no control characters, nothing that reorders or hides. */
export const oneLine = (text: string): string =>
  text.replace(TERMINAL_SEQUENCE, '').replace(CONTROL_RUN, ' ').replace(INVISIBLE, '')

/** The same for text of several lines. */
export const plainLines = (text: string): string => text.split('\n').map(oneLine).join('\n')

const codeUnits = (characters: string): string =>
  Array.from(
    { length: characters.length },
    (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** The same JSON with such characters written as escapes, so that it can be looked at on a terminal too. */
export const escapedJson = (json: string): string =>
  json.replace(/[\u007F-\u009F\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, codeUnits)
