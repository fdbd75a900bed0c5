/** A file of an archive, deflated (RFC 1951). */
export interface ArchiveEntry {
  readonly name: string
  /** Of what was deflated. */
  readonly crc32: number
  readonly bytes: number
  readonly packedBytes: number
  readonly chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Sizes and places in an archive are 32 bits long. Above that it would need another form, which few readers know. */
export const LARGEST_ARCHIVE = 0xffff_fffe

const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const END_OF_DIRECTORY = 0x06054b50
/** 2.0, the first that deflates. */
const VERSION = 20
const DEFLATED = 8
/** 1 January 1980, 00:00, the first moment that an archive can name: it says nothing of when it was written. */
const DATE = 0x21

function shared(entry: ArchiveEntry, at: Buffer, from: number): void {
  at.writeUInt16LE(VERSION, from)
  at.writeUInt16LE(DEFLATED, from + 4)
  at.writeUInt16LE(DATE, from + 8)
  at.writeUInt32LE(entry.crc32, from + 10)
  at.writeUInt32LE(entry.packedBytes, from + 14)
  at.writeUInt32LE(entry.bytes, from + 18)
  at.writeUInt16LE(Buffer.byteLength(entry.name), from + 22)
}

function localHeader(entry: ArchiveEntry): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL_HEADER, 0)
  shared(entry, header, 4)
  return Buffer.concat([header, Buffer.from(entry.name)])
}

function directoryEntry(entry: ArchiveEntry, offset: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(DIRECTORY_ENTRY, 0)
  header.writeUInt16LE(VERSION, 4)
  shared(entry, header, 6)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, Buffer.from(entry.name)])
}

function endOfDirectory(entries: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END_OF_DIRECTORY, 0)
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(offset, 16)
  return end
}

/**
 * Writes a zip archive (APPNOTE 6.3, 4.3) from front to back. The same entries are the same bytes.
 * @throws where it would be larger than `LARGEST_ARCHIVE`
 */
export async function writeArchive(
  entries: readonly ArchiveEntry[],
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const header = localHeader(entry)
    const next = offset + header.length + entry.packedBytes
    if (Math.max(entry.bytes, next) > LARGEST_ARCHIVE) throw new Error(`"${entry.name}" makes it too large`)
    directory.push(directoryEntry(entry, offset))
    await write(header)
    for await (const chunk of entry.chunks()) await write(chunk)
    offset = next
  }
  const listed = Buffer.concat(directory)
  await write(Buffer.concat([listed, endOfDirectory(entries.length, listed.length, offset)]))
}
