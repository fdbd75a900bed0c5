import { expect, it } from 'vitest'
import { fileLink, relinked } from '../../../src/report/page/file-link.js'

it('a link to a file names it and opens it, and can be led to the name that the file has instead', () => {
  const link = fileLink('in-doubt.csv').toString()
  expect(link).toBe('<a href="in-doubt.csv"><code>in-doubt.csv</code></a>')
  const page = `${link} and in-doubt.csv, ${fileLink('refused.csv').toString()}`
  expect(relinked(page, new Map([['in-doubt.csv', 'in-doubt-2.csv']]))).toBe(
    `${link.replaceAll('in-doubt.csv', 'in-doubt-2.csv')} and in-doubt.csv, ${fileLink('refused.csv').toString()}`,
  )
  expect(relinked(page, new Map())).toBe(page)
})
