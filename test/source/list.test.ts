import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openList } from '../../src/source/list.js'

const listOf = (content: string | Buffer) =>
  openList({ name: 'a.csv', stream: Readable.from([Buffer.from(content)]) }, ['customer_no', 'migration_row'])

async function linesOf(content: string | Buffer, ...names: string[]): Promise<string[]> {
  const lines: string[] = []
  for await (const row of (await listOf(content)).rows())
    lines.push(`${row.line}: ${String(row.cell(...names))}`)
  return lines
}
describe('a list', () => {
  it('gives each cell by the first of several folded names that the file has, and the line of its record', async () => {
    const content = 'Customer-No;Note\n1;"two\nlines"\n\n 2 ;x\n'
    expect(await linesOf(content, 'customer_no')).toEqual(['2: 1', '5: 2'])
    expect(await linesOf('customer_no,b\n1,2\n', 'a', 'b')).toEqual(['2: 2'])
    expect(await linesOf('customer_no,b\n1,2\n', 'a')).toEqual(['2: null'])
  })

  it('keeps the columns of our own result files', async () => {
    const text = 'customer_no,migration_row,migration_state\n1,7,in_doubt\n'
    expect(await linesOf(text, 'migration_row')).toEqual(['2: 7'])
  })

  it('refuses a ragged record and names its line, because a shifted cell would be believed', async () => {
    const reading = linesOf('customer_no,b\n1,2\n3\n', 'b')
    await expect(reading).rejects.toMatchObject({ rule: 'ROW_FIELD_COUNT', line: 3 })
  })

  it('refuses an expected column that stands twice, because nobody can tell which of them counts', async () => {
    const reading = listOf('customer_no;Customer No\n1;2\n')
    await expect(reading).rejects.toMatchObject({ rule: 'FILE_HEADER_DUPLICATE', line: 1 })
  })

  it('knows the hash of its bytes after the last row', async () => {
    const content = 'customer_no,b\n1,2\n'
    const list = await listOf(content)
    for await (const row of list.rows()) expect(row.line).toBe(2)
    expect(list.sha256()).toBe(createHash('sha256').update(content).digest('hex'))
  })
})
