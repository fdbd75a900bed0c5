import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { forge } from '../ledger/ledger-views.js'
import { germanIban } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { IS_ROOT, listenAs } from '../support/listener.js'
import { placeForEach } from '../support/place.js'

describe('secrets', () => {
  const PASSWORD = 'correct-horse-battery-staple-4711'
  /** The accounts of customers 1 to 6, as the export holds them. */
  const ACCOUNTS = Array.from({ length: 6 }, (_, index) => germanIban(index + 1))

  /** Files that hold original cells by design: to be edited and fed back, and the ledger until a row is registered. */
  const HOLD_CELLS = ['refused.csv', 'in-doubt.csv', 'not-sent.csv', 'export.csv']

  const CLOSED = `IBAN ${germanIban(2).replace(/(.{4})/g, '$1 ')} / ${germanIban(2)} is closed`
  const PAGE = `<p>${germanIban(3).toLowerCase()}</p>`

  const { folder, path, program, ends, programWith } = placeForEach({
    rows: 6,
    env: { SEPA_MIGRATE_PASSWORD: PASSWORD },
    sandbox: {
      password: PASSWORD,
      faults: [
        // The service repeats what it was sent, as services do: message, field and a page of HTML.
        { match: { customer_no: 2 }, fault: { kind: 'refuse', status: 422, field: 'iban', message: CLOSED } },
        { match: { customer_no: 3 }, fault: { kind: 'answer', status: 500, body: PAGE } },
        { match: { customer_no: 4 }, fault: { kind: 'reset', applied: true } },
      ],
    },
  })

  /** Whether it holds one of them, in any spelling that a reader would recognise: small letters, groups of four. */
  const holds = (content: Buffer, ...ibans: readonly string[]): boolean =>
    ibans
      .flatMap((iban) => [iban, iban.toLowerCase(), iban.replace(/(.{4})/g, '$1 ').trim(), iban.slice(4)])
      .some((text) => content.includes(text))

  describe.runIf(IS_ROOT)('a program of another user that listens on this machine', () => {
    it.each([
      ...['run export.csv', 'run export.csv --who', 'plan export.csv --who'],
      ...['check export.csv --who', 'verify', 'resolve --ask --of registered'],
    ])('hears no credentials of a service unless somebody says so: %s', async (line) => {
      const args = line.split(' ')
      await ends(5, 'run', 'export.csv', '--limit', '1')
      const { port, heard } = await listenAs(65_534)
      const at = `http://127.0.0.1:${port}`
      const real = { SEPA_MIGRATE_BASE_URL: at, SEPA_MIGRATE_USERNAME: 'acme', SEPA_MIGRATE_READ_BACK: '1' }
      forge(path('sepa-migrate.db'), `update campaign set base_url = '${at}', username = 'acme'`)
      const refused = await programWith(real, ...args)
      expect([refused.status, heard], refused.stderr).toEqual([2, []])
      expect(refused.stderr).toMatch(/"127\.0\.0\.1:\d+" needs a confirmation, and there is no [^]*--yes/)
      await programWith(real, ...args, '--yes')
      expect(heard).toContain(`Basic ${btoa(`acme:${PASSWORD}`)}`)
    })
  })

  it('what the program prints and writes holds no password and, once a row is registered, no account number of it', async () => {
    const secrets = [PASSWORD, Buffer.from(`sandbox:${PASSWORD}`).toString('base64')]
    const ran = [
      await program('check', 'export.csv', '--out', 'checked', '--verbose'),
      await program('run', 'export.csv', '--verbose', '--log-file', 'run.log', '--out', 'pack'),
      await program('run', '--json', '--out', 'pack'),
      await program('status', '--json'),
      await program('report', '--out', 'pack'),
      await program('resolve', '--row', '4', '--as', 'written-off', '--reason', 'a test', '--dry-run'),
    ]
    expect(ran.map(({ status }) => status)).toEqual([0, 4, 4, 4, 4, 4])
    const printed = Buffer.from(ran.flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n'))
    expect(holds(printed, ...secrets, ...ACCOUNTS)).toBe(false)

    const written = filesBelow(folder())
    const some = ['run.log', 'sepa-migrate.db', 'pack/report.html', 'checked/problems.csv']
    expect(written).toEqual(expect.arrayContaining(some))
    for (const name of written) {
      const content = readFileSync(path(name))
      expect(holds(content, ...secrets), name).toBe(false)
      if (HOLD_CELLS.includes(name.split('/').at(-1) ?? '')) continue
      // Customers 1, 5 and 6 are registered; the rows of 2, 3 and 4 may need their account again.
      const gone = name.startsWith('sepa-migrate.db') ? [1, 5, 6] : [1, 2, 3, 4, 5, 6]
      for (const customer of gone)
        expect(holds(content, germanIban(customer)), `${name}: ${customer}`).toBe(false)
      if (name !== 'export.csv') expect(statSync(path(name)).mode & 0o077, name).toBe(0)
    }
  })
})

describe('purge and erasure', () => {
  const SAID = 'Kontoinhaberin verstorben'
  const TOLD = `${SAID}: ${germanIban(2)}`
  const PERSON = ['Wilhelmina Vogelsang', 'w.vogelsang@mail.example', 'Kastanienallee 17'] as const
  const ACCOUNTS = [1, 2, 3, 4, 5].map(germanIban)
  const PLANTED = [...PERSON, ...ACCOUNTS, SAID]

  const line = (customer: string | number, account: string, reference: string): string =>
    `${customer},${account},2024-01-02,DE98ZZZ09999999999,${reference},${PERSON.join(',')}\n`

  /** Registered, refused, in doubt, and invalid with persons in the wrong columns. */
  const EXPORT = [
    'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,Name,E-Mail,Street\n',
    line(1, germanIban(1), 'M-1'),
    line(2, germanIban(2), 'M-2'),
    line(3, germanIban(3), 'M-3'),
    line(PERSON[0], germanIban(4), 'M-4'),
    line(5, PERSON[1], germanIban(5)),
  ].join('')

  const { folder, path, read, write, program, ends, json } = placeForEach({
    // The register of campaigns is a file that the program wrote, too.
    ownState: true,
    sandbox: {
      faults: [
        { match: { customer_no: 2 }, fault: { kind: 'refuse', field: 'iban', message: TOLD } },
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

  beforeEach(async () => {
    write('export.csv', EXPORT)
    await program('check', 'export.csv', '--out', 'checked')
    await ends(4, 'run', 'export.csv', '--log-file', 'run.log', '--out', 'pack')
    const leftover = join('pack', '.sepa-migrate-report-killed')
    mkdirSync(path(leftover))
    write(join(leftover, 'not-sent.csv'), EXPORT)
    const { campaign } = JSON.parse(read('pack/summary.json')) as { campaign: { ledgerId: string } }
    write(join(leftover, 'ledger'), `L-${campaign.ledgerId}\n`)
    const resolved = await program(
      ...['resolve', '--row', '3', '--as', 'written-off', '--out', 'pack'],
      ...['--reason', `${PERSON[0]} closed ${germanIban(3)}`, '--by', 'Ada'],
    )
    expect(resolved.stderr).toBe('')
    await program('plan', '--to', 'plan.json', '--only', 'unique_mandate_reference=M-1')
    await program('report', '--out', 'pack', '--to-cancel', '1')
  })

  it('a purge leaves nothing of the planted export in any file but those that it lists or is not asked about', async () => {
    // What a full disk leaves beside a ledger.
    write('sepa-migrate.db.emergency.jsonl', EXPORT)
    const before = filesWithPlanted()
    const some = ['sepa-migrate.db', 'pack/to-do/corrections.csv', 'checked/problems.csv']
    expect(before).toEqual(expect.arrayContaining(some))
    const refused = await ends(2, 'purge', '--yes')
    expect(refused.stderr).toMatch(/rows can still be corrected: \d invalid, 1 refused\. Nothing was removed/)
    expect(refused.stderr).toContain('--with-open-rows')
    expect(filesWithPlanted()).toEqual(before)

    const { totals } = await json('status')
    const purged = await program('purge', '--yes', '--with-open-rows')
    expect([purged.status, purged.stderr]).toEqual([3, ''])
    const listed = purged.stdout.slice(purged.stdout.indexOf('What remains'))
    const names = listed.split('\n').map((text) => text.trim())
    const left = filesWithPlanted()
    for (const name of left) expect(names, name).toContain(name)
    expect(left.filter((name) => /^sepa-migrate\.db|^state|\.sepa-migrate-report-/.test(name))).toEqual([])
    expect(filesBelow(path('state')).length).toBeGreaterThan(0)
    expect(listed).toContain('sandbox --data')
    // Everything that stays is named; what is left out holds hashes and paths alone.
    const isSilent = (name: string): boolean =>
      /export\.csv$|\.as-written\.json$|\.db\.(lock|files\.jsonl)$/.test(name)
    expect(filesBelow(folder()).filter((name) => !isSilent(name) && !names.includes(name))).toEqual([])

    // The lists that hold cells go on request; what was signed stays, and a report can still be written.
    const again = await program('purge', '--yes', '--with-open-rows', '--remove-files')
    expect(again.stdout).toMatch(/Removed .*refused\.csv/)
    const kept = 'manifest.json reconciliation.xlsx registered.csv report.html summary.json to-do'
    expect(readdirSync(path('pack')).sort().join(' ')).toBe(kept)
    expect(existsSync(path('export.csv'))).toBe(true)
    const report = await program('report', '--out', 'after')
    expect(report.stderr).toBe('')
    expect(report.stdout).toContain('balanced:')
    expect(report.stdout).not.toMatch(/Next:|give it back/)
    expect((await json('status')).totals).toEqual(totals)
    expect(filesWithPlanted().filter((name) => name.startsWith('after'))).toEqual([])
  })

  it('one customer is shown with everything held, accounts masked, and erased on request: only theirs goes', async () => {
    const show = (customer: string) => program('customer', 'show', customer)
    const shown = await show('2')
    expect(shown.status).toBe(0)
    for (const told of ['Row 2: refused', `Name: ${PERSON[0]}`, SAID, 'attempt 1 at '])
      expect(shown.stdout).toContain(told)
    for (const account of ACCOUNTS) expect(shown.stdout).not.toContain(account)
    const decision = { by: 'Ada', reason: `${PERSON[0]} closed DE…0003` }
    const rows = [{ state: 'written_off', decisions: [decision] }]
    expect(await json('customer', 'show', '3')).toMatchObject({ customer: { rows } })
    expect((await show('999')).status).toBe(3)

    const erase = ['customer', 'erase', '2', '--yes']
    expect((await program(...erase)).stderr).toContain('There is no reason')
    const because = [...erase, '--reason', 'request of 1 July']
    const refused = await program(...because)
    expect(refused.stderr).toContain('Cannot erase customer 2 while rows can still be corrected: 1 refused')
    const erased = await program(...because, '--with-open-rows')
    expect(erased.stderr).toBe('')
    expect(erased.stdout).toContain('Customer 2: removed what was held of 1 row.')
    expect(erased.stdout).toContain('pack/to-do/refused.csv')
    expect(erased.stdout).toMatch(/\n +plan\.json\n +plan\.html\n +names of planner and approver/)
    const left = (await show('2')).stdout
    expect(left).toContain('cells: not held any more')
    expect(left).not.toContain(SAID)
    expect(left).toContain('request of 1 July')
    expect((await show('3')).stdout).toContain(PERSON[0])
    expect((await program('report', '--out', 'after')).stdout).toContain('balanced:')
  })
})
