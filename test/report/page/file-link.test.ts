import { html } from 'hono/html'
import { expect, it } from 'vitest'
import { fileLink, relinked } from '../../../src/report/page/file-link.js'

const textOf = async (...names: string[]): Promise<string> => String(await html`${names.map(fileLink)}`)

it('a link to a file names it and opens it, and can be led to the name that the file has instead', async () => {
  const link = '<a href="in-doubt.csv"><code>in-doubt.csv</code></a>'
  const page = await textOf('in-doubt.csv', 'refused.csv')
  expect(page.startsWith(link)).toBe(true)
  const names = new Map([['in-doubt.csv', 'in-doubt-2.csv']])
  expect(relinked(`${page} in-doubt.csv`, names)).toBe(
    `${await textOf('in-doubt-2.csv', 'refused.csv')} in-doubt.csv`,
  )
  expect(relinked(page, new Map())).toBe(page)
})
