import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TO_DO_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { ENGLISH } from '../../../src/report/text/texts.js'
import { freshFolder } from '../../support/folder.js'
import { HEADER, NO_RECORDS, readerOf, registeredRow, sourceOf, verifiedRow } from '../ledger-value.js'
import { explainedColumns } from '../../../src/report/files/lists.js'

const LEDGER = { ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] }

/** By file, in the order in which they are explained. */
function explainedIn(isVerified: boolean): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { files, columns } of explainedColumns(ENGLISH, isVerified))
    for (const file of files)
      found.set(file, [...(found.get(file) ?? []), ...columns.map(([column]) => column)])
  return found
}

it('every column that the files have is explained once, and no other', async () => {
  const folder = freshFolder()
  const reader = readerOf({ ...LEDGER, verified: [verifiedRow(1, { verdict: 'absent' })] })
  const { files } = await writeReport(reader, { out: folder })
  const written = [...files.map(({ name }) => name).filter((name) => name.endsWith('.csv')), ...TO_DO_FILES]
  const explained = explainedIn(true)
  expect([...explained.keys()].sort()).toEqual([...written].sort())
  expect(written).toContain('verification.csv')
  for (const name of written) {
    const [header = ''] = readFileSync(join(folder, name), 'utf8').replace('\uFEFF', '').split(/\r?\n/)
    const own = header.split(/[,;]/).slice(hasOriginals(name) ? HEADER.length : 0)
    expect([...(explained.get(name) ?? [])].sort(), name).toEqual([...own].sort())
  }
})

const hasOriginals = (name: string): boolean => name.startsWith('to-do/')

it('a file that is not there is not explained', () => {
  expect(explainedIn(false).has('verification.csv')).toBe(false)
})
