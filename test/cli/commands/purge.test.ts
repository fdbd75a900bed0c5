import { expect, it } from 'vitest'
import { commands, main } from '../../../src/cli/main.js'
import { setAside } from '../../../src/report/pack/pack-folder.js'
import { validExport } from '../../support/export.js'
import { placeForEach } from '../../support/place.js'
import { inReport } from '../../support/program.js'
import { answering } from '../answering.js'

const { path, write, program, totals } = placeForEach({ rows: 2, ownState: true, sandbox: {} })

it.each([
  [['--with-open-rows'], 'These files stay (--remove-files deletes them):', 'no'],
  [['--with-open-rows', '--remove-files'], 'These files, where they are of this ledger:', 'Purge'],
])(
  'shows what goes before it asks for the word (%j), and any other word removes nothing',
  async (flags, files, word) => {
    write('export.csv', `${validExport(2)}3,DE00,2024-01-01,DE98ZZZ09999999999,M-3\n`)
    await program('run', 'export.csv')
    setAside(path(inReport('corrections.csv')))
    const terminal = answering([['Type "purge"', `${word}\r`]])
    const typed = ['purge', '--ledger', path('sepa-migrate.db'), ...flags]
    expect(await main(typed, commands, terminal.world)).toBe(2)
    const shown = terminal.shown().replaceAll(/\s+/g, ' ')
    const [before = ''] = shown.split('Type "purge"')
    expect(before).toContain('account numbers, original cells, quoted values and words of 3 rows')
    expect(before).toContain(files)
    expect(before).toContain('to-do/done/corrections.csv')
    expect(shown).toContain('nothing was removed')
    expect(totals()).toMatchObject({ invalid: 1 })
    expect((await program('customer', 'show', '3')).stdout).not.toContain('not held any more')
  },
)
