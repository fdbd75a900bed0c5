import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dutchExport, MEMBERS, PERSONS } from '../support/dutch-export.js'
import { filesBelow } from '../support/folder.js'
import { placeForEach, type Row } from '../support/place.js'
import type { Ended } from '../support/program.js'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const PASSWORD = 'of-the-test-environment'
const LOST_ANSWER = PERSONS[8]!.customerNo
const DAMAGED = PERSONS[1]!
const ENDED = PERSONS[2]!

const { folder, path, read, write, rows, edit, program, sandbox, held } = placeForEach({
  env: { SEPA_MIGRATE_USERNAME: 'vereniging', SEPA_MIGRATE_PASSWORD: '' },
  sandbox: {
    username: 'vereniging',
    password: PASSWORD,
    faults: [{ match: { customer_no: LOST_ANSWER }, times: 1, fault: { kind: 'reset', applied: true } }],
  },
})

const run = (...args: string[]): Promise<Ended> =>
  program('run', ...args, '--password-file', 'password', '--as-of', '2026-06-15', '--json')
const totalsOf = ({ stdout }: Ended): Record<string, number> =>
  (JSON.parse(stdout) as { totals: Record<string, number> }).totals

/** As a spreadsheet does, under another name. */
function editTable(name: string, change: (row: Row) => Row): string {
  edit(name, change, `edited-${name}`)
  return `edited-${name}`
}

describe('the steps of the README, in order, on an export that no sample resembles', () => {
  it('are eight, and each names the command that is played here', () => {
    const steps = README.slice(README.indexOf('## Migrate your own export'), README.indexOf('## Row states'))
    expect([...steps.matchAll(/^(\d)\. \*\*(.+?)\.?\*\*/gm)].map(([, number]) => number)).toEqual(
      Array.from('12345678'),
    )
    for (const text of ['inspect', 'init', 'check', '--limit 10', 'report.html', 'manifest.json', 'purge'])
      expect(steps).toContain(text)
  })

  it('lead from the file to the purge: every mandate once, exit status 0, nothing personal left but what is listed', async () => {
    write('leden.tsv', dutchExport())
    write('password', `${PASSWORD}\n`)

    // 1 Look at the file, and 2 map its columns.
    const inspected = await program('inspect', 'leden.tsv')
    expect(inspected.status).toBe(0)
    expect(inspected.stdout).toContain('Rekeningnummer → iban')
    for (const { account } of PERSONS) expect(inspected.stdout.replaceAll(' ', '')).not.toContain(account)
    expect((await program('init', 'leden.tsv')).status).toBe(0)
    const draft = read('sepa-migrate.yaml')
    expect(draft.match(/EDIT:/g)).toHaveLength(2)
    write(
      'sepa-migrate.yaml',
      draft.replace(/^columns:$/m, 'columns:\n  customer_no: Lidnummer').replace(/^# exclude:/m, 'exclude:'),
    )

    // 3 Check it.
    const checked = await program('check', 'leden.tsv', '--out', 'checked', '--as-of', '2026-06-15', '--json')
    expect(checked.status).toBe(3)
    expect(totalsOf(checked)).toMatchObject({ read: MEMBERS, ready: MEMBERS - 2, invalid: 1, excluded: 1 })
    expect(read('checked/problems.csv')).toContain('IBAN_CHECKSUM')

    // 4 Run a pilot.
    const pilot = await run('leden.tsv', '--limit', '3', '--log-file', 'pilot.log')
    expect([pilot.status, totalsOf(pilot)['registered']]).toEqual([5, 3])
    expect(
      rows('registered.csv')
        .map(({ assigned_mandate_reference }) => assigned_mandate_reference)
        .sort(),
    ).toEqual(
      sandbox()
        .mandates()
        .map(({ unique_mandate_reference }) => unique_mandate_reference)
        .sort(),
    )

    // 5 Run it all. The answer for one member is lost.
    const all = await run('leden.tsv')
    expect([all.status, totalsOf(all)['inDoubt']]).toEqual([4, 1])

    // 6 Resolve what is in doubt, correct what was not sent, until the exit status is 0.
    const lost = sandbox()
      .mandates()
      .find(({ customer_no }) => customer_no === LOST_ANSWER)
    const decided = editTable('in-doubt.csv', (row) => ({
      ...row,
      migration_decision: 'registered',
      migration_reason: 'the service shows it',
      migration_assigned_creditor_identifier: lost?.sepa_creditor_identifier ?? '',
      migration_assigned_mandate_reference: lost?.unique_mandate_reference ?? '',
    }))
    expect((await program('resolve', '--from', decided, '--by', 'Penningmeester', '--dry-run')).stderr).toBe(
      '',
    )
    expect((await program('resolve', '--from', decided, '--by', 'Penningmeester')).stderr).toBe('')
    await program('report')
    const toCorrect = existsSync(path('corrections.csv')) ? 'corrections.csv' : 'not-sent.csv'
    const corrected = editTable(toCorrect, (row) =>
      row['Lidnummer'] === String(DAMAGED.customerNo) ? { ...row, Rekeningnummer: DAMAGED.account } : row,
    )
    const ended = await run(corrected)
    expect([ended.status, JSON.parse(ended.stdout)]).toMatchObject([0, { balanced: true }])
    expect(held().sort()).toEqual(
      PERSONS.filter((person) => person !== ENDED).map(({ customerNo }) => customerNo),
    )

    // 7 Sign.
    const manifest = JSON.parse(read('manifest.json')) as { files: { name: string; sha256: string }[] }
    for (const { name, sha256 } of manifest.files)
      expect(
        createHash('sha256')
          .update(readFileSync(path(name)))
          .digest('hex'),
        name,
      ).toBe(sha256)
    expect(manifest.files.map(({ name }) => name)).toContain('report.html')
    expect(read('manifest.json')).toContain(createHash('sha256').update(dutchExport()).digest('hex'))

    // 8 Purge.
    const purged = await program('purge', '--yes')
    expect([purged.status, purged.stderr]).toEqual([0, ''])
    const listedFiles = purged.stdout.slice(purged.stdout.indexOf('What remains'))
    const own = ['leden.tsv', decided, corrected]
    const personal = PERSONS.flatMap(({ name, mail, street, account }) => [name, mail, street, account])
    for (const name of filesBelow(folder())) {
      const bytes = readFileSync(join(folder(), name))
      if (own.includes(name) || !personal.some((text) => bytes.includes(text))) continue
      expect(name).not.toMatch(/^sepa-migrate\.db/)
      expect(listedFiles.split('\n').map((text) => text.trim())).toContain(name)
    }
    expect((await program('status', '--json')).status).toBe(0)
  })
})
