import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ArchiveEntry, LARGEST_ARCHIVE, writeArchive } from '../../../src/report/workbook/archive.js'
import { unzipped } from '../unzipped.js'

function entryOf(name: string, text: string): ArchiveEntry {
  const packed = deflateRawSync(text)
  const sizes = { crc32: crc32(text), bytes: Buffer.byteLength(text), packedBytes: packed.length }
  return { name, ...sizes, chunks: () => [packed.subarray(0, 3), packed.subarray(3)] }
}

async function archiveOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const written: Uint8Array[] = []
  await writeArchive(entries, (bytes) => Promise.resolve(void written.push(Uint8Array.from(bytes))))
  return Buffer.concat(written)
}

describe('an archive', () => {
  it('holds its entries, with no time of its own', async () => {
    const texts = new Map([
      ['first.xml', '<a/>'],
      ['of a folder/second.xml', 'å'.repeat(100_000)],
      ['empty.xml', ''],
    ])
    const archive = await archiveOf([...texts].map(([name, text]) => entryOf(name, text)))
    const entries = unzipped(archive)
    expect([...entries].map(([name, { text }]) => [name, text])).toEqual([...texts])
    for (const { dosDate, dosTime } of entries.values()) expect([dosDate, dosTime]).toEqual([0x21, 0])
    expect(await archiveOf([...texts].map(([name, text]) => entryOf(name, text)))).toEqual(archive)
  })

  it.each([
    ['an entry', { bytes: LARGEST_ARCHIVE + 1 }],
    ['all of it', { packedBytes: LARGEST_ARCHIVE }],
  ])('is no broken file where %s is larger than it can say', async (_, change) => {
    const large = { ...entryOf('large.xml', 'text'), ...change }
    await expect(archiveOf([entryOf('small.xml', 'text'), large])).rejects.toThrow('"large.xml"')
  })
})
