import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../../src/errors.js'
import { type AdmitOptions, admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { CHECK, exportOf, fileOf } from '../support/sources.js'
import { sourceOf } from './mandate-samples.js'
import { open } from '../ledger/campaign-setup.js'

const options = (given: Partial<AdmitOptions> = {}): AdmitOptions => ({
  severities: {},
  signal: new AbortController().signal,
  watch: () => undefined,
  ...given,
})

const opened = (...sources: OpenedSource[]) => sources.map((source) => () => Promise.resolve(source))

const NO_CORRECTIONS = { resubmitted: 0, notTaken: 0, isResultFile: false }

describe('admitting the files of a command', () => {
  it('takes all of them in order, and tells how far it is', async () => {
    const ledger = open()
    const seen: [string, number][] = []
    const files = opened(sourceOf('a.csv', [1, 2]), sourceOf('b.csv', [3]))
    const watch = (name: string, records: number) => void seen.push([name, records])
    expect(await admitSources(ledger, files, options({ watch }))).toEqual([
      { name: 'a.csv', kind: 'admitted', records: 2, ...NO_CORRECTIONS },
      { name: 'b.csv', kind: 'admitted', records: 1, ...NO_CORRECTIONS },
    ])
    expect(seen).toEqual([
      ['a.csv', 1],
      ['a.csv', 2],
      ['b.csv', 1],
    ])
    expect(ledger.totals()).toMatchObject({ read: 3, ready: 3 })
  })

  it('neither opens, reads nor recognises a file again that it holds, packed or not', async () => {
    const ledger = open()
    const text = exportOf(3)
    const paths = [fileOf(text, 'a.csv'), fileOf(gzipSync(exportOf(2)), 'b.csv.gz')]
    const { signal } = options()
    await admitSources(ledger, sourceOpeners(paths, DEFAULT_SOURCE_OPTIONS, CHECK, signal), options())
    const closed = (path: string) =>
      Object.assign(() => Promise.reject(new Error(`"${path}" was opened`)), { path })
    expect(await admitSources(ledger, paths.map(closed), options())).toEqual([
      { name: 'a.csv', kind: 'known', records: 0, ...NO_CORRECTIONS },
      { name: 'b.csv.gz', kind: 'known', records: 0, ...NO_CORRECTIONS },
    ])
    const alike = fileOf(text.replace('M-1', 'M-9'), 'alike.csv')
    await expect(admitSources(ledger, [closed(alike)], options())).rejects.toThrow('was opened')
    await expect(admitSources(ledger, [closed('/nowhere/a.csv')], options())).rejects.toThrow('was opened')
    expect(ledger.totals().read).toBe(5)
  })

  it('finds out at the end of a stream that it holds it', async () => {
    const ledger = open()
    await admitSources(ledger, opened(sourceOf('a.csv', [1])), options())
    const stream = sourceOf('a.csv', [1], { isStream: true })
    expect(await admitSources(ledger, opened(stream), options())).toEqual([
      { name: 'a.csv', kind: 'known', records: 1, ...NO_CORRECTIONS },
    ])
    expect(ledger.totals()).toMatchObject({ read: 1, ready: 1 })
  })

  const failing = new SourceError('Cannot read "b.csv"', 'Give a whole file', { source: 'b.csv' })
  it.each([
    ['read whole', () => Promise.resolve(sourceOf('b.csv', [3], { failing }))],
    ['opened', () => Promise.reject(failing)],
  ])('takes none of them when one cannot be %s', async (_, last) => {
    const ledger = open()
    await expect(admitSources(ledger, [...opened(sourceOf('a.csv', [1, 2])), last], options())).rejects.toBe(
      failing,
    )
    expect(ledger.totals()).toMatchObject({ read: 0, ready: 0 })
    await admitSources(ledger, opened(sourceOf('a.csv', [1, 2])), options())
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 2 })
  })

  it('takes nothing when it is interrupted, even after the last record', async () => {
    for (const records of [[1, 2, 3], [1]]) {
      const ledger = open()
      const controller = new AbortController()
      const source = sourceOf('a.csv', records, { onBatch: () => controller.abort() })
      const admitted = admitSources(ledger, opened(source), options({ signal: controller.signal }))
      await expect(admitted).rejects.toThrow('aborted')
      expect(ledger.totals().read).toBe(0)
    }
  })
})
