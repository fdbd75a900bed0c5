import { expect, it } from 'vitest'
import { unzipped } from '../unzipped.js'
import { openArchive } from '../../../src/report/workbook/xlsx.js'

async function archiveOf(entries: ReadonlyMap<string, string>): Promise<Buffer> {
  const written: Uint8Array[] = []
  const archive = openArchive((bytes) => Promise.resolve(void written.push(Uint8Array.from(bytes))))
  for (const [name, text] of entries)
    await archive.add(name, [Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))])
  await archive.end()
  const whole = Buffer.concat(written)
  expect(archive.bytes()).toBe(whole.length)
  return whole
}

it('an archive holds its entries, with no time of its own, and is the same twice', async () => {
  const texts = new Map([
    ['first.xml', '<a/>'],
    ['of a folder/second.xml', 'å'.repeat(100_000)],
    ['empty.xml', ''],
  ])
  const archive = await archiveOf(texts)
  const entries = unzipped(archive)
  expect([...entries].map(([name, { text }]) => [name, text])).toEqual([...texts])
  for (const { dosDate, dosTime } of entries.values()) expect([dosDate, dosTime]).toEqual([0x21, 0])
  expect(await archiveOf(texts)).toEqual(archive)
})
