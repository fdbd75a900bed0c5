import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { admitSources, type AdmittedSource, sourceOpeners } from '../../src/run/admit-sources.js'
import { validExport, validLine } from '../support/export.js'
import { CHECK, fileOf, optionsOf } from '../support/sources.js'
import { open } from '../ledger/campaign-setup.js'

const HEADER = validExport(0).trim()
const exportWith = (column: string, cells: readonly string[]): string =>
  `${[`${HEADER},${column}`, ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`)].join('\n')}\n`

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
      exportWith('status', ['active', '1'])
        .replace(/^customer_no/, 'customer_no,other')
        .replaceAll(/^(\d)/gm, '$1,7$1'),
    )
    await admit(other)
    expect(await admit(other, `${LEARNED}\ncolumns: { customer_no: other }`)).toMatchObject({ kind: 'known' })
    const twice = fileOf(`${HEADER},status\n${validLine(5)},active\n${validLine(6)},1\n${validLine(6)},1\n`)
    await admit(twice)
    expect(await admit(twice, LEARNED)).toMatchObject({ kind: 'known' })
    expect(totals()).toMatchObject({ ready: 2, conflict: 3 })
  })

  it('26.2 leave what came in since as it is: a later file speaks for the mandate', async () => {
    const { admit, totals } = newPlace()
    const path = fileOf(exportWith('status', ['active', '1']))
    await admit(path)
    await admit(fileOf(exportWith('status', ['active', 'cancelled'])))
    expect(totals()).toMatchObject({ excluded: 1, superseded: 1 })
    expect(await admit(path, LEARNED)).toMatchObject({ kind: 'known' })
  })

  it('26.2 hold back the row of an earlier file that says the same', async () => {
    const { admit, totals } = newPlace()
    await admit(fileOf(exportWith('status', ['active', 'active'])))
    await admit(fileOf(exportWith('status', ['active', 'klärung'])))
    expect(totals()).toEqual({ read: 4, ready: 1, duplicate: 1, conflict: 1, superseded: 1 })
  })
})

describe('26.2 a file that ends within its last row', () => {
  it('26.2 leaves that row to a person, and goes on with all others', async () => {
    const { admit, totals, held } = newPlace()
    const path = fileOf(`${HEADER}\n${validLine(1)}\n${validLine(2)}`)
    expect(await admit(path)).toMatchObject({ kind: 'admitted', records: 2 })
    expect(totals()).toEqual({ read: 2, ready: 1, conflict: 1 })
    expect(held()).toEqual(['ROW_MAY_BE_CUT'])
    writeFileSync(path, `${HEADER}\n${validLine(1)}\n${validLine(2)}\n`)
    await admit(path)
    expect(totals()).toEqual({ read: 4, ready: 2, duplicate: 1, superseded: 1 })
  })
})
