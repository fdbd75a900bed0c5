import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SourceError, UsageError } from '../../src/errors.js'
import {
  type AdmitOptions,
  admitSources,
  assertStillReadAlike,
  sourceOpeners,
  type AdmittedSource,
} from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { CHECK, exportOf, fileOf, optionsOf } from '../support/sources.js'
import { sourceOf } from './mandate-samples.js'
import { open } from '../ledger/campaign-setup.js'
import { NONE_GIVEN_BACK } from '../../src/ledger/admit/admission.js'
import { writeFileSync } from 'node:fs'
import { validExport, validLine } from '../support/export.js'

const options = (given: Partial<AdmitOptions> = {}): AdmitOptions => ({
  severities: {},
  signal: new AbortController().signal,
  watch: () => undefined,
  ...given,
})

const opened = (...sources: OpenedSource[]) => sources.map((source) => () => Promise.resolve(source))

const NO_CORRECTIONS = {
  ...NONE_GIVEN_BACK,
  isResultFile: false,
}

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

const WORDS_HEADER = validExport(0).trim()
const exportWith = (column: string, cells: readonly string[]): string =>
  `${[`${WORDS_HEADER},${column}`, ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`)].join('\n')}\n`

const LEARNED = 'words: { status: { active: ["1"], notActive: ["4"] } }'

function newPlace() {
  const ledger = open()
  const { signal } = new AbortController()
  return {
    admit: async (path: string, yaml = ''): Promise<AdmittedSource> => {
      const files = sourceOpeners([path], optionsOf(yaml), CHECK, signal)
      const [admitted] = await admitSources(ledger, files, { severities: {}, signal, watch: () => undefined })
      return admitted!
    },
    goOn: (yaml: string) =>
      assertStillReadAlike(ledger.view, { configured: optionsOf(yaml), last: Infinity }, signal),
    totals: () => Object.fromEntries(Object.entries(ledger.totals()).filter(([, count]) => count > 0)),
    held: () => ledger.view.rows(['conflict'], 0, 100).map(({ rule }) => rule ?? ''),
  }
}

describe('26.2 rows that are held for a word', () => {
  it('26.2 are taken up again by the same file once words say what it means, each counted once', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(exportWith('status', ['active', '1', '4', '1', '9']))
    expect(await admit(path)).toMatchObject({ kind: 'admitted', records: 5 })
    expect(totals()).toEqual({ read: 5, ready: 1, conflict: 4 })
    expect(await admit(path)).toMatchObject({ kind: 'known', records: 0 })
    expect(totals()).toEqual({ read: 5, ready: 1, conflict: 4 })

    expect(await admit(path, LEARNED)).toMatchObject({
      kind: 'admitted',
      records: 3,
      resubmitted: 3,
      notTaken: 0,
    })
    expect(totals()).toEqual({ read: 5, resubmitted: 3, ready: 3, excluded: 1, conflict: 1 })
    expect(await admit(path, LEARNED)).toMatchObject({ kind: 'known', records: 0 })
    expect(totals()).toEqual({ read: 5, resubmitted: 3, ready: 3, excluded: 1, conflict: 1 })
  })

  it('26.2 stay where another configuration gives the row other values, or another row of the mandate waits too', async () => {
    const { admit, totals } = newPlace()
    const other = fileOf(
      exportWith('status', ['cancelled', '1'])
        .replace(/^customer_no/, 'customer_no,other')
        .replaceAll(/^(\d)/gm, '$1,7$1'),
    )
    await admit(other)
    expect(await admit(other, `${LEARNED}\ncolumns: { customer_no: other }`)).toMatchObject({ kind: 'known' })
    const twice = fileOf(
      `${WORDS_HEADER},status\n${validLine(5)},active\n${validLine(6)},1\n${validLine(6)},1\n`,
    )
    await admit(twice)
    expect(await admit(twice, LEARNED)).toMatchObject({ kind: 'known' })
    expect(totals()).toMatchObject({ ready: 1, excluded: 1, conflict: 3 })
  })

  it('26.2 wait where a later file says something else of the mandate', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(exportWith('status', ['active', '1']))
    await admit(path)
    await admit(fileOf(exportWith('status', ['active', 'cancelled'])))
    expect(totals()).toMatchObject({ excluded: 1, conflict: 1 })
    expect(await admit(path, LEARNED)).toMatchObject({ kind: 'admitted', records: 1 })
    expect(totals()).toMatchObject({ ready: 1, excluded: 1, conflict: 1 })
  })

  it('26.2 hold back the row of an earlier file that says the same', async () => {
    const { admit, totals } = newPlace()
    await admit(fileOf(exportWith('status', ['active', 'active'])))
    await admit(fileOf(exportWith('status', ['active', 'klärung'])))
    expect(totals()).toEqual({ read: 4, ready: 1, duplicate: 1, conflict: 2 })
  })
})

describe('a file that came in before, under another configuration', () => {
  const LEFT = `exclude: [{ column: Segment, equals: [B], reason: 'they stay' }]`
  const ENTRIES = { file: '', from: 'Segment', key: 'old' }
  const crosswalk = (lines: string): string =>
    `crosswalk: ${JSON.stringify({ ...ENTRIES, file: fileOf(`old,customer_no\n${lines}`, 'crosswalk.csv') })}`
  const TWO = exportWith('Segment', ['A', 'B'])

  it.each([
    ['exclude', () => '', () => LEFT],
    ['exclude', () => LEFT, () => LEFT.replace('B', 'A')],
    ['columns', () => '', () => 'columns: { sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }'],
    ['columns', () => '', () => 'columns: { status: Segment }\nwords: { status: { active: [A, B] } }'],
    ['columns, crosswalk.csv', () => '', () => crosswalk('A,1\nB,2\n')],
    ['crosswalk.csv', () => crosswalk('A,1\nB,2\n'), () => crosswalk('A,1\nB,3\n')],
  ])(
    'is refused while its rows are ready, since they would be sent as read then: %s',
    async (what, then, now) => {
      const { admit, totals } = newPlace()
      const path = fileOf(TWO)
      const before = then()
      await admit(path, before)
      const rows = totals()['ready'] === 1 ? '1 row that is ready' : '2 rows that are ready'
      const refused = admit(path, now())
      await expect(refused).rejects.toThrow(UsageError)
      await expect(refused).rejects.toThrow(
        `"export.csv" came into the ledger under another configuration (${what}), and ${rows} would be sent as read then`,
      )
      expect(await admit(path, before)).toMatchObject({ kind: 'known' })
    },
  )

  it('is passed over where what changed leaves no ready row behind, and reads none otherwise', async () => {
    const { admit } = newPlace()
    const path = fileOf(TWO)
    await admit(path, LEFT)
    for (const now of ['', LEFT.replace('they', 'these'), `${LEFT}\n${LEARNED}`])
      expect(await admit(path, now)).toMatchObject({ kind: 'known', records: 0 })
  })

  const STATUS = 'columns: { status: Segment }\nwords: { status: { active: [A, B] } }'
  it.each([
    ['exclude', () => '', () => LEFT],
    ['exclude', () => LEFT, () => LEFT.replace('B', 'A')],
    ['columns', () => '', () => STATUS],
    ['columns', () => '', () => 'columns: { status: [Zustand, 6] }'],
    ['columns', () => '', () => 'columns: { iban: segment }'],
    ['columns', () => '', () => 'columns: { unique_mandate_reference: { template: "{Segment}-1" } }'],
    ['crosswalk.csv', () => crosswalk('A,1\nB,2\n'), () => crosswalk('A,1\nB,3\n')],
  ])('is not sent either where it is not given again: %s', async (what, then, now) => {
    const { admit, goOn } = newPlace()
    const before = then()
    await admit(fileOf(TWO), before)
    await goOn(before)
    await expect(goOn(now())).rejects.toThrow(
      `"export.csv" came into the ledger under another configuration (${what}), and `,
    )
  })

  it('is sent where the configuration says nothing of it, or of columns and files that it does not have', async () => {
    const { admit, goOn } = newPlace()
    const then = `${STATUS}\n${LEFT}`
    await admit(fileOf(TWO), then)
    const others = LEFT.replace('Segment', 'Ende')
    const template = 'columns: { unique_mandate_reference: { template: "{Segment}-{Nr}" } }'
    const none = 'columns: { status: none, iban: [Konto, IBAN], customer_no: 1, signed_date: 9 }'
    for (const now of ['', none, others, template, 'columns: { status: Zustand }', crosswalk('A,1\n')])
      await goOn(now)
  })

  it('is sent once no row of it is ready: what a person corrected, and what a newer export replaced', async () => {
    const { admit, goOn } = newPlace()
    await admit(fileOf(TWO))
    await admit(fileOf(`${TWO}\n`, 'newer.csv'), LEFT)
    await goOn(LEFT)
  })
})

describe('26.2 a file that ends within its last row', () => {
  it('26.2 leaves that row to a person, and goes on with all others', async () => {
    const { admit, totals, held } = newPlace()
    const path = fileOf(`${WORDS_HEADER}\n${validLine(1)}\n${validLine(2)}`)
    expect(await admit(path)).toMatchObject({ kind: 'admitted', records: 2 })
    expect(totals()).toEqual({ read: 2, ready: 1, conflict: 1 })
    expect(held()).toEqual(['ROW_MAY_BE_CUT'])
    writeFileSync(path, `${WORDS_HEADER}\n${validLine(1)}\n${validLine(2)}\n`)
    await admit(path)
    expect(totals()).toEqual({ read: 4, ready: 2, duplicate: 1, superseded: 1 })
  })
})
