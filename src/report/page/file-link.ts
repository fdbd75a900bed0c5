import { html } from 'hono/html'
import type { Markup } from './charts.js'

/** A file of the pack by its name, which opens the one that lies beside the page. */
export const fileLink = (name: string): Markup => html`<a href="${name}"><code>${name}</code></a>`
