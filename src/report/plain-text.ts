import { maskAccounts } from '../domain/masking.js'

/** ESC and the C1 introducers with what they introduce: colours, cursor moves, titles and links of terminals. */
const TERMINAL_SEQUENCE =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]?/gu
const CONTROL_RUN = /[\p{Cc}\u2028\u2029]+/gu
/** Bidirectional overrides, zero-width characters, fillers, tags: they change what a reader sees. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text that came from the service, a file or a person, as one line that shows what it holds: no terminal
 * sequences, no control characters, nothing that reorders or hides (engineering-facts 8).
 */
export const plainText = (text: string): string =>
  text.replace(TERMINAL_SEQUENCE, '').replace(CONTROL_RUN, ' ').replace(INVISIBLE, '').trim()

/** The same for free text, in which somebody may have written an account number. */
export const maskedText = (text: string): string => maskAccounts(plainText(text))
