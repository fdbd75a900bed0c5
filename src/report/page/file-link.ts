import { html } from 'hono/html'
import type { Markup } from '../text/texts.js'

/** A file of the pack by its name, which opens the one that lies beside the page. */
export const fileLink = (name: string): Markup => html`<a href="${name}"><code>${name}</code></a>`

/**
 * The page with its links to these files led to the names that they have instead. Text of others is escaped, so nothing
 * on it but a link of ours looks like one.
 */
export const relinked = (page: string, names: ReadonlyMap<string, string>): string =>
  [...names].reduce((text, [name, other]) => text.replaceAll(linkText(name), linkText(other)), page)

const linkText = (name: string): string => `<a href="${name}"><code>${name}</code></a>`
