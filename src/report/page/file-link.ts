import { html } from 'hono/html'
import type { Markup } from '../text/texts.js'

/** A file of the report by its place in the folder, which opens the one that lies beside the page. */
export const fileLink = (name: string): Markup => html`<a href="${name}"><code>${name}</code></a>`
