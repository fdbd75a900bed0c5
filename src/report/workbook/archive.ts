import { Zip, ZipDeflate } from 'fflate'

/** Sizes and places in an archive are 32 bits long. Above that it would need another form, which few readers know. */
export const LARGEST_ARCHIVE = 0xffff_fffe

/** 1 January 1980, 00:00, the first moment that an archive can name: it says nothing of when it was written. */
const NO_TIME = new Date(1980, 0, 1)
/** The first level takes half of the time of the usual one, for a file a quarter larger. Less memory is as good here. */
const TERMS = { level: 1, mem: 4 } as const

export interface Archive {
  /** One entry behind the other. */
  readonly add: (name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => Promise<void>
  readonly end: () => Promise<void>
  /** How large it has become. */
  readonly bytes: () => number
}

/**
 * A zip archive that is written from front to back. The same entries are the same bytes with every Node and on every
 * machine, which zlib does not promise.
 */
export function openArchive(write: (bytes: Uint8Array) => Promise<void>): Archive {
  let packed: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    packed.push(chunk)
    bytes += chunk.length
  })

  async function drain(): Promise<void> {
    const chunks = packed
    packed = []
    for (const chunk of chunks) await write(chunk)
  }

  return {
    add: async (name, chunks) => {
      const entry = new ZipDeflate(name, TERMS)
      entry.mtime = NO_TIME
      zip.add(entry)
      for await (const chunk of chunks) {
        entry.push(chunk)
        await drain()
      }
      entry.push(new Uint8Array(0), true)
      await drain()
    },
    end: () => {
      zip.end()
      return drain()
    },
    bytes: () => bytes,
  }
}
