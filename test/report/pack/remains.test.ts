import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PACK_NAMES, TO_DO_FILES } from '../../../src/report/pack/pack.js'
import { freshFolder } from '../../support/folder.js'
import { findResultFiles, removeLeftovers } from '../../../src/report/pack/earlier-pack.js'

function fill(folder: string, ...names: string[]): void {
  mkdirSync(folder, { recursive: true })
  for (const name of names) writeFileSync(join(folder, name), '')
}

const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path))

describe('result files that hold something of persons', () => {
  it('are all files of a pack but its figures, each under what it holds', () => {
    const folder = freshFolder()
    fill(folder, ...PACK_NAMES)
    fill(join(folder, 'to-do'), ...TO_DO_FILES.map((name) => basename(name)))
    const { cells, values, references } = findResultFiles([folder])
    expect(names(cells)).toEqual(['corrections.csv', 'in-doubt.csv', 'not-sent.csv', 'refused.csv'])
    expect(names(values)).toEqual(['decisions.csv', 'problems.csv', 'reconciliation.xlsx', 'report.html'])
    expect(names(references)).toEqual(['registered.csv', 'verification.csv'])
    const figures = PACK_NAMES.length - values.length - references.length
    expect(figures).toBe(PACK_NAMES.filter((name) => /\.(?:json|sig)$/.test(name)).length)
  })

  it('are found below, too, and under the names that people and browsers give to copies', () => {
    const folder = freshFolder()
    fill(join(folder, 'report-2', 'to-do-3'), 'refused.csv')
    fill(folder, 'in-doubt (1).csv', 'corrections-mended.csv', 'not-sent-2.csv')
    expect(names(findResultFiles([folder]).cells).sort()).toEqual([
      'corrections-mended.csv',
      'in-doubt (1).csv',
      'not-sent-2.csv',
      'refused.csv',
    ])
  })

  it('are told once where folders overlap', () => {
    const folder = freshFolder()
    fill(join(folder, 'report-2'), 'refused.csv')
    expect(findResultFiles([folder, join(folder, 'report-2'), folder]).cells).toHaveLength(1)
  })

  it('are not exports, folders or links of such a name', () => {
    const folder = freshFolder()
    fill(folder, 'export.csv', 'my-refused.csv', 'refused.csv.bak')
    mkdirSync(join(folder, 'refused.csv'))
    symlinkSync('/etc/hostname', join(folder, 'not-sent.csv'))
    expect(findResultFiles([folder])).toEqual({ cells: [], values: [], references: [], unread: [] })
  })

  it('are none in a folder that is not there', () => {
    expect(findResultFiles(['/nowhere/at/all'])).toEqual({
      cells: [],
      values: [],
      references: [],
      unread: [],
    })
  })
})

describe('what a killed report left', () => {
  it('26.3 is removed with its cells where it names this ledger; of another, or of none, it is told', () => {
    const folder = freshFolder()
    const [ours, theirs, unmarked] = ['ours', 'theirs', 'unmarked'].map((name) =>
      join(folder, 'report-2', `.sepa-migrate-report-${name}`),
    ) as [string, string, string]
    for (const left of [ours, theirs, unmarked]) fill(left, 'refused.csv')
    writeFileSync(join(ours, 'ledger'), 'L-1\n')
    writeFileSync(join(theirs, 'ledger'), 'L-2\n')
    fill(folder, '.sepa-migrate-report-notes')
    expect(removeLeftovers([folder], 'L-1')).toEqual({ removed: [ours], left: [theirs, unmarked] })
    expect([ours, theirs, unmarked].map((left) => existsSync(left))).toEqual([false, true, true])
    expect(existsSync(join(folder, '.sepa-migrate-report-notes'))).toBe(true)
  })

  it('26.3 is not looked for behind a link', () => {
    const [folder, link] = [freshFolder(), join(freshFolder(), 'link')]
    const left = join(folder, '.sepa-migrate-report-ours')
    fill(left, 'refused.csv')
    writeFileSync(join(left, 'ledger'), 'L-1\n')
    symlinkSync(folder, link)
    expect(removeLeftovers([link], 'L-1')).toEqual({ removed: [], left: [] })
    expect(existsSync(left)).toBe(true)
  })
})
