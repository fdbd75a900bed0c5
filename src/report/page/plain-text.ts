import { maskAccounts } from '../../domain/text/masking.js'
import { oneLine } from '../../domain/text/text.js'
/**
 * Text that came from the service, a file or a person, as one line that shows what it holds: no terminal
 * sequences, no control characters, nothing that reorders or hides.
 */
export const plainText = (text: string): string => oneLine(text).trim()

/** The same for free text, in which somebody may have written an account number. */
export const maskedText = (text: string): string => maskAccounts(plainText(text))
