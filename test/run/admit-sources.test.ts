import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SourceError, UsageError } from '../../src/errors.js'
import {
  type AdmitOptions,
  admitSources,
  sourceOpeners,
  type AdmittedSource,
} from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { CHECK, exportOf, fileOf, optionsOf } from '../support/sources.js'
import { sourceOf } from './mandate-samples.js'
import { open } from '../ledger/campaign-setup.js'
import { NONE_GIVEN_BACK } from '../../src/ledger/admit/admission.js'
import { validExport, validLine } from '../support/export.js'

const options = (given: Partial<AdmitOptions> = {}): AdmitOptions => ({
  severities: {},
  signal: new AbortController().signal,
  watch: () => undefined,
  ...given,
})

const opened = (...sources: OpenedSource[]) => sources.map((source) => () => Promise.resolve(source))

const NO_CORRECTIONS = { ...NONE_GIVEN_BACK, isResultFile: false }

describe('admitting the files of a command', () => {
  it('takes all of them in order, and tells how far it is', async () => {
    const ledger = open()
    const seen: [string, number][] = []
    const files = opened(sourceOf('a.csv', [1, 2]), sourceOf('b.csv', [3]))
    const watch = (name: string, records: number) => void seen.push([name, records])
    expect(await admitSources(ledger, files, options({ watch }))).toEqual([
      { name: 'a.csv', kind: 'admitted', records: 2, ids: [1], ...NO_CORRECTIONS },
      { name: 'b.csv', kind: 'admitted', records: 1, ids: [2], ...NO_CORRECTIONS },
    ])
    expect(seen).toEqual([
      ['a.csv', 1],
      ['a.csv', 2],
      ['b.csv', 1],
    ])
    expect(ledger.totals()).toMatchObject({ read: 3, ready: 3 })
  })

  it('neither opens, reads nor recognises a file again of which no row is ready, packed or not', async () => {
    const ledger = open()
    const invalid = (records: number): string => exportOf(records).replaceAll('DE', 'XX')
    const text = invalid(3)
    const paths = [fileOf(text, 'a.csv'), fileOf(gzipSync(invalid(2)), 'b.csv.gz')]
    const { signal } = options()
    await admitSources(ledger, sourceOpeners(paths, DEFAULT_SOURCE_OPTIONS, CHECK, signal), options())
    const closed = (path: string) =>
      Object.assign(() => Promise.reject(new Error(`"${path}" was opened`)), { path })
    expect(await admitSources(ledger, paths.map(closed), options())).toEqual([
      { name: 'a.csv', kind: 'known', records: 0, ids: [], ...NO_CORRECTIONS },
      { name: 'b.csv.gz', kind: 'known', records: 0, ids: [], ...NO_CORRECTIONS },
    ])
    const alike = fileOf(text.replace('M-1', 'M-9'), 'alike.csv')
    await expect(admitSources(ledger, [closed(alike)], options())).rejects.toThrow('was opened')
    await expect(admitSources(ledger, [closed('/nowhere/a.csv')], options())).rejects.toThrow('was opened')
    expect(ledger.totals().read).toBe(5)
  })

  it('refuses a column to ignore, and a sheet, that none of its exports has', async () => {
    const paths = [fileOf(exportOf(1), 'a.csv'), fileOf(exportOf(1).replace('customer_no', 'Kunde'), 'b.csv')]
    const reading = (source: string) => {
      const reader = optionsOf(`columns: { customer_no: [Kunde, customer_no] }\nsource: ${source}`)
      return admitSources(open(), sourceOpeners(paths, reader, CHECK, options().signal), options())
    }
    await expect(reading('{ ignoreColumns: [name, Knde] }')).rejects.toThrow(
      'There is no column "Knde" to ignore; the nearest is "Kunde"; nothing was sent',
    )
    await expect(reading('{ sheet: May }')).rejects.toThrow('no file of this command is a workbook')
    // It may be the column of one of them.
    await expect(reading('{ ignoreColumns: [kunde] }')).resolves.toHaveLength(2)
    // An export of the same system may have lost it since.
    await expect(reading('{ ignoreColumns: [kunde, Rabatt] }')).resolves.toHaveLength(2)
    await expect(reading('{ ignoreColumns: [Rabatt] }')).rejects.toThrow(
      'There is no column "Rabatt" to ignore;',
    )
    const keys = fileOf('old,no,Rabatt\n1,1,x\n', 'customers.csv')
    const crosswalk = `crosswalk: { file: ${keys}, from: customer_no, key: old, customer_no: no }`
    const reader = optionsOf(`${crosswalk}\nsource: { ignoreColumns: [rabatt] }`)
    const ignoring = sourceOpeners(paths.slice(0, 1), reader, CHECK, options().signal)
    await expect(admitSources(open(), ignoring, options())).resolves.toHaveLength(1)
  })

  it('finds out at the end of a stream that it holds it', async () => {
    const ledger = open()
    await admitSources(ledger, opened(sourceOf('a.csv', [1])), options())
    const stream = sourceOf('a.csv', [1], { isStream: true })
    expect(await admitSources(ledger, opened(stream), options())).toEqual([
      { name: 'a.csv', kind: 'known', records: 1, ids: [], ...NO_CORRECTIONS },
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

const WORDS_HEADER = validExport(0).trim()
const exportWith = (column: string, cells: readonly string[]): string =>
  `${[`${WORDS_HEADER},${column}`, ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`)].join('\n')}\n`

const LEARNED = 'words: { status: { active: ["1"], notActive: ["4"] } }'

function newPlace() {
  const ledger = open()
  const { signal } = new AbortController()
  return {
    admit: async (path: string, yaml = ''): Promise<AdmittedSource> => {
      const readBy = { options: optionsOf(yaml), against: CHECK, configuration: null, ledger: ledger.file }
      const files = sourceOpeners([path], readBy.options, CHECK, signal)
      const given = { severities: {}, signal, watch: () => undefined, readBy }
      const [admitted] = await admitSources(ledger, files, given)
      return admitted!
    },
    totals: () => Object.fromEntries(Object.entries(ledger.totals()).filter(([, count]) => count > 0)),
    held: () => ledger.view.rows(['conflict'], 0, 100).map(({ rule }) => rule ?? ''),
  }
}

describe('rows that are held for a word', () => {
  it('are read again once words say what it means, each counted once', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(exportWith('status', ['active', '1', '4', '1', '9']))
    expect(await admit(path)).toMatchObject({ kind: 'admitted', records: 5 })
    expect(totals()).toEqual({ read: 5, ready: 1, conflict: 4 })
    expect(await admit(path)).toMatchObject({ kind: 'known', records: 0 })
    expect(totals()).toEqual({ read: 5, ready: 1, conflict: 4 })
    for (let n = 0; n < 2; n += 1) {
      expect(await admit(path, LEARNED)).toMatchObject({ kind: 'known', records: 0 })
      expect(totals()).toEqual({ read: 5, ready: 3, excluded: 1, conflict: 1 })
    }
  })

  it('count once where the mandate stands twice', async () => {
    const { admit, totals } = newPlace()
    const twice = fileOf(
      `${WORDS_HEADER},status\n${validLine(5)},active\n${validLine(6)},1\n${validLine(6)},1\n`,
    )
    await admit(twice)
    expect(totals()).toEqual({ read: 3, ready: 1, conflict: 2 })
    await admit(twice, LEARNED)
    expect(totals()).toMatchObject({ read: 3, ready: 2, duplicate: 1 })
  })

  it('wait where a later file says something else of the mandate', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(exportWith('status', ['active', '1']))
    await admit(path)
    await admit(fileOf(exportWith('status', ['active', 'cancelled'])))
    expect(totals()).toMatchObject({ excluded: 1, conflict: 1 })
    expect(await admit(path, LEARNED)).toMatchObject({ kind: 'known' })
    expect(totals()).toMatchObject({ ready: 1, excluded: 1, conflict: 1 })
  })

  it('hold back the row of an earlier file that says the same', async () => {
    const { admit, totals } = newPlace()
    await admit(fileOf(exportWith('status', ['active', 'active'])))
    await admit(fileOf(exportWith('status', ['active', 'klärung'])))
    expect(totals()).toEqual({ read: 4, ready: 1, duplicate: 1, conflict: 2 })
  })
})

describe('a file that came in before', () => {
  const STATUS = 'columns: { status: Segment }\nwords: { status: { active: [A, B] } }'
  const TWO = exportWith('Segment', ['A', 'B'])

  it('is refused by name where the configuration has a column that it lacks, and records of it wait', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(TWO)
    await admit(path, STATUS)
    const refused = admit(path, 'columns: { status: Zustand }')
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow(/export\.csv.*Zustand.*2 records of it wait/s)
    expect(totals()).toEqual({ read: 2, ready: 2 })
  })

  it('is the same once it is read again under the former configuration', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(TWO)
    const before = STATUS.replace('A, B', 'A')
    await admit(path, before)
    const was = totals()
    await admit(path, STATUS)
    expect(totals()).not.toEqual(was)
    await admit(path, before)
    expect(totals()).toMatchObject(was)
  })
})
