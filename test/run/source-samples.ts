import type { OpenedSource } from '../../src/source/read-source.js'
import { RECORD_HEADER, recordOf } from './mandate-samples.js'

/** A source with these records, as if it had been read from a file; `sha256` null as for a stream. */
export function sourceOf(
  name: string,
  records: readonly number[],
  options: { isStream?: boolean; failing?: Error; onBatch?: () => void } = {},
): OpenedSource {
  const sha256 = Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)
  return {
    name,
    sha256: options.isStream === true ? null : sha256,
    header: [...RECORD_HEADER],
    columns: { customer_no: 'customer_no', iban: 'iban' },
    isResultFile: false,
    reading: {},
    records: async function* (signal) {
      for (const [index, n] of records.entries()) {
        await Promise.resolve()
        signal?.throwIfAborted()
        yield [{ ...recordOf(n), record: index + 1, line: index + 2 }]
        options.onBatch?.()
      }
      if (options.failing !== undefined) throw options.failing
    },
    summary: () => ({
      sha256,
      bytes: records.length * 40,
      records: records.length,
      blankLines: 0,
      reading: {},
      findings: [],
    }),
  }
}
