import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { placeForEach } from '../support/place.js'

const SAID = 'Kontoinhaberin verstorben'
const PERSON = ['Wilhelmina Vogelsang', 'w.vogelsang@mail.example', 'Kastanienallee 17']
const ACCOUNTS = [1, 2, 3, 4, 5].map(germanIban)
const PLANTED = [...PERSON, ...ACCOUNTS, SAID]

const HEADER =
  'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,Name,E-Mail,Street\n'
const line = (customer: string | number, account: string, reference: string): string =>
  `${customer},${account},2024-01-02,DE98ZZZ09999999999,${reference},${PERSON.join(',')}\n`

/** Registered, refused, in doubt, and invalid with persons in the wrong columns. */
const EXPORT = [
  HEADER,
  line(1, germanIban(1), 'M-1'),
  line(2, germanIban(2), 'M-2'),
  line(3, germanIban(3), 'M-3'),
  line(PERSON[0] ?? '', germanIban(4), 'M-4'),
  line(5, PERSON[1] ?? '', germanIban(5)),
].join('')

const { folder, path, read, write, program, json } = placeForEach({
  // The register of campaigns is a file that the program wrote, too.
  ownState: true,
  sandbox: {
    faults: [
      {
        match: { customer_no: 2 },
        fault: { kind: 'refuse', status: 422, field: 'iban', message: `${SAID}: ${germanIban(2)}` },
      },
      { match: { customer_no: 3 }, fault: { kind: 'answer', status: 500, body: `<p>${SAID}</p>` } },
    ],
  },
})

/** As `grep -a` finds them, besides the export itself. */
const filesWithPlanted = (): string[] =>
  filesBelow(folder())
    .filter((name) => name !== 'export.csv')
    .filter((name) => {
      const bytes = readFileSync(path(name))
      return PLANTED.some((text) => bytes.includes(text))
    })

async function campaign(): Promise<void> {
  write('export.csv', EXPORT)
  await program('check', 'export.csv', '--out', 'checked')
  const ran = await program('run', 'export.csv', '--log-file', 'run.log', '--out', 'pack')
  expect(ran.status).toBe(4)
  const leftover = join('pack', '.sepa-migrate-report-killed')
  mkdirSync(path(leftover))
  write(join(leftover, 'not-sent.csv'), EXPORT)
  const { campaign: named } = JSON.parse(read('pack/summary.json')) as { campaign: { ledgerId: string } }
  write(join(leftover, 'ledger'), `L-${named.ledgerId}\n`)
  const resolved = await program(
    ...['resolve', '--row', '3', '--as', 'written-off', '--out', 'pack'],
    ...['--reason', `${PERSON[0] ?? ''} closed ${germanIban(3)}`, '--by', 'Ada'],
  )
  expect(resolved.stderr).toBe('')
  await program('report', '--out', 'pack')
}

describe('9.2.1 purge, as an operator sees it', () => {
  it('refuses while rows can still be corrected, and removes nothing', async () => {
    await campaign()
    const before = filesWithPlanted()
    const refused = await program('purge', '--yes')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/rows can still be corrected: \d invalid, 1 refused\. Nothing was removed/)
    expect(refused.stderr).toContain('--with-open-rows')
    expect(filesWithPlanted()).toEqual(before)
  })

  it('leaves nothing of the planted export in any file but those that its closing statement lists', async () => {
    await campaign()
    // What a full disk leaves beside a ledger.
    write('sepa-migrate.db.emergency.jsonl', EXPORT)
    expect(filesWithPlanted()).toEqual(
      expect.arrayContaining([
        'sepa-migrate.db',
        join('pack', 'to-do', 'corrections.csv'),
        join('checked', 'problems.csv'),
      ]),
    )
    const purged = await program('purge', '--yes', '--with-open-rows')
    expect([purged.status, purged.stderr]).toEqual([3, ''])
    const listed = purged.stdout.slice(purged.stdout.indexOf('What remains'))
    const left = filesWithPlanted()
    for (const name of left)
      expect(
        listed.split('\n').map((text) => text.trim()),
        name,
      ).toContain(name)
    expect(left.filter((name) => name.startsWith('sepa-migrate.db'))).toEqual([])
    expect(filesBelow(path('state')).length).toBeGreaterThan(0)
    expect(left.filter((name) => name.startsWith('state'))).toEqual([])
    expect(left.filter((name) => name.includes('.sepa-migrate-report-'))).toEqual([])
    expect(listed).toContain('run.log')
    expect(listed).toContain('sandbox --data')
  })

  it('deletes the lists that hold cells on request, keeps what was signed, and still reports: nothing planted', async () => {
    await campaign()
    const { totals } = await json('status')
    const purged = await program('purge', '--yes', '--with-open-rows', '--remove-files')
    expect(purged.stdout).toMatch(/Removed .*refused\.csv/)
    expect(readdirSync(path('pack')).sort()).toEqual([
      'manifest.json',
      'reconciliation.xlsx',
      'registered.csv',
      'report.html',
      'summary.json',
    ])
    expect(existsSync(path('export.csv'))).toBe(true)
    const report = await program('report', '--out', 'after')
    expect(report.stderr).toBe('')
    expect(report.stdout).toContain('balanced:')
    expect((await json('status')).totals).toEqual(totals)
    expect(filesWithPlanted().filter((name) => name.startsWith('after'))).toEqual([])
  })
})

describe('9.2.2 one customer', () => {
  it('is shown with everything held and its history, accounts masked, also as JSON', async () => {
    await campaign()
    const shown = await program('customer', 'show', '2')
    expect(shown.status).toBe(0)
    expect(shown.stdout).toContain('Row 2: refused')
    expect(shown.stdout).toContain(`Name: ${PERSON[0] ?? ''}`)
    expect(shown.stdout).toContain(SAID)
    expect(shown.stdout).toContain('attempt 1 at ')
    for (const account of ACCOUNTS) expect(shown.stdout).not.toContain(account)
    expect(await json('customer', 'show', '3')).toMatchObject({
      customer: {
        rows: [
          {
            state: 'written_off',
            decisions: [
              { by: 'Ada', as: expect.any(String) as string, reason: `${PERSON[0] ?? ''} closed DE…0003` },
            ],
          },
        ],
      },
    })
    expect((await program('customer', 'show', '999')).status).toBe(3)
    expect((await program('customer', 'show')).status).toBe(2)
  })

  it('is erased on request: only theirs goes, and it says what stays and which files were not changed', async () => {
    await campaign()
    const refused = await program('customer', 'erase', '2', '--yes', '--reason', 'request of 1 July')
    expect(refused.stderr).toContain('Cannot erase customer 2 while rows can still be corrected: 1 refused')
    const erased = await program(
      ...['customer', 'erase', '2', '--yes', '--reason', 'request of 1 July', '--with-open-rows'],
    )
    expect(erased.stderr).toBe('')
    expect(erased.stdout).toContain('Customer 2: removed what was held of 1 row.')
    expect(erased.stdout).toContain(join('pack', 'to-do', 'refused.csv'))
    const shown = await program('customer', 'show', '2')
    expect(shown.stdout).toContain('cells: not held any more')
    expect(shown.stdout).not.toContain(SAID)
    expect(shown.stdout).toContain('request of 1 July')
    expect((await program('customer', 'show', '3')).stdout).toContain(PERSON[0])
    expect((await program('customer', 'erase', '2', '--yes')).stderr).toContain('There is no reason')
    expect((await program('report', '--out', 'after')).stdout).toContain('balanced:')
  })
})
