import { type Notice, noticeHeader, noticeLine } from '../files/notice-lines.js'
import type { PackFile } from './earlier-pack.js'
import { openPackFolder, type Published } from './pack-folder.js'

export interface NoticesOptions {
  /** The folder; made with mode 0700 where it is missing. */
  readonly out: string
  readonly name: string
  /** Files that this command reads or keeps: none of them is replaced. */
  readonly forbidden: readonly string[]
  /** Called once the file is complete and before it gets its name: nobody finds one that is not on record. */
  readonly complete: (file: PackFile) => void
}

/**
 * Writes the merge file for letters to customers, a line a registered row.
 * @throws {UsageError} when the folder cannot be written
 */
export async function writeNotices(
  pages: AsyncIterable<readonly Notice[]>,
  { out, name, forbidden, complete }: NoticesOptions,
): Promise<PackFile & Published> {
  const folder = await openPackFolder(out, [name], forbidden)
  try {
    const output = await folder.create(name)
    output.put(noticeHeader())
    for await (const page of pages) {
      for (const notice of page) output.put(noticeLine(notice))
      await output.drain()
    }
    const file = await output.finish()
    complete(file)
    return { ...file, ...(await folder.publish()) }
  } finally {
    await folder.discard()
  }
}
