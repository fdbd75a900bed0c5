import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { openPackFolder, type PackFolder } from '../../../src/report/pack/pack-folder.js'
import { growingEntry } from '../../../src/report/workbook/growing-entry.js'
import { freshFolder } from '../../support/folder.js'

const folders: PackFolder[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.discard()
})

async function opened() {
  const folder = await openPackFolder(join(freshFolder(), 'pack'), ['one.csv'])
  folders.push(folder)
  let scratches = 0
  return {
    entry: growingEntry(() => folder.scratch(`.${(scratches += 1)}`)),
    scratches: () => scratches,
  }
}

/** A page of rows as the walk puts it. */
const page = (n: number): string => `row ${n} of a page `.repeat(4_000)

describe('an entry that grows', () => {
  it('is one deflated stream of all that was put, in pieces that are kept aside', async () => {
    const { entry, scratches } = await opened()
    let text = ''
    for (let n = 0; n < 60; n += 1) {
      text += page(n)
      entry.put(page(n))
      await entry.drain()
    }
    const { chunks, ...sizes } = await entry.end('sheet.xml')
    const packed: Buffer[] = []
    for await (const chunk of chunks()) packed.push(Buffer.from(chunk))
    const whole = Buffer.concat(packed)
    expect(inflateRawSync(whole).toString('utf8')).toBe(text)
    const bytes = text.length
    expect(sizes).toEqual({ name: 'sheet.xml', crc32: crc32(text), bytes, packedBytes: whole.length })
    expect(scratches()).toBe(1)
  })

  it('needs no file where it is small', async () => {
    const { entry, scratches } = await opened()
    entry.put('<a/>')
    await entry.drain()
    const packed: Uint8Array[] = []
    for await (const chunk of (await entry.end('small.xml')).chunks()) packed.push(chunk)
    expect(inflateRawSync(Buffer.concat(packed)).toString()).toBe('<a/>')
    expect(scratches()).toBe(0)
  })
})
