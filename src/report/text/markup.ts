import type { html } from 'hono/html'

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>
