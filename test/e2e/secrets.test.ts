import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { forge } from '../ledger/ledger-views.js'
import { germanIban } from '../support/export.js'
import { IS_ROOT, listenAs } from '../support/listener.js'
import { filesBelow } from '../support/folder.js'
import { placeForEach } from '../support/place.js'

const PASSWORD = 'correct-horse-battery-staple-4711'
/** The accounts of customers 1 to 6, as the export holds them. */
const ACCOUNTS = Array.from({ length: 6 }, (_, index) => germanIban(index + 1))

/** Files that hold original cells by design: to be edited and fed back, and the ledger until a row is registered. */
const HOLD_CELLS = ['refused.csv', 'in-doubt.csv', 'not-sent.csv', 'export.csv']

const CLOSED = `IBAN ${germanIban(2).replace(/(.{4})/g, '$1 ')} / ${germanIban(2)} is closed`

const { folder, path, program, programWith } = placeForEach({
  rows: 6,
  env: { SEPA_MIGRATE_PASSWORD: PASSWORD },
  sandbox: {
    password: PASSWORD,
    faults: [
      // The service repeats what it was sent, as services do: message, field and a page of HTML.
      { match: { customer_no: 2 }, fault: { kind: 'refuse', status: 422, field: 'iban', message: CLOSED } },
      {
        match: { customer_no: 3 },
        fault: { kind: 'answer', status: 500, body: `<p>${germanIban(3).toLowerCase()}</p>` },
      },
      { match: { customer_no: 4 }, fault: { kind: 'reset', applied: true } },
    ],
  },
})

/** Every spelling that a reader would recognise: as it is, in small letters, in groups of four. */
const spellings = (iban: string): string[] => [
  iban,
  iban.toLowerCase(),
  iban.replace(/(.{4})/g, '$1 ').trim(),
  iban.slice(4),
]

const holds = (content: Buffer, texts: readonly string[]): boolean =>
  texts.some((text) => content.includes(text))

describe.runIf(IS_ROOT)('a program of another user that listens on this machine', () => {
  it.each([
    'run export.csv',
    'run export.csv --who',
    'plan export.csv --who',
    'check export.csv --who',
    'verify',
    'resolve --ask --of registered',
  ])('hears no credentials of a service unless somebody says so: %s', async (line) => {
    const args = line.split(' ')
    expect((await program('run', 'export.csv', '--limit', '1')).status).toBe(5)
    const { port, heard } = await listenAs(65_534)
    const at = `http://127.0.0.1:${port}`
    const real = { SEPA_MIGRATE_BASE_URL: at, SEPA_MIGRATE_USERNAME: 'acme', SEPA_MIGRATE_READ_BACK: '1' }
    forge(path('sepa-migrate.db'), `update campaign set base_url = '${at}', username = 'acme'`)
    const refused = await programWith(real, ...args)
    expect([refused.status, heard], refused.stderr).toEqual([2, []])
    expect(refused.stderr).toMatch(
      /"127\.0\.0\.1:\d+" needs a confirmation, and there is no terminal to ask on[^]*--yes/,
    )
    await programWith(real, ...args, '--yes')
    expect(heard).toContain(`Basic ${btoa(`acme:${PASSWORD}`)}`)
  })
})

describe('what the program prints and writes', () => {
  it('holds no password and, once a row is registered, no account number of it', async () => {
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
    expect(holds(printed, secrets)).toBe(false)
    for (const iban of ACCOUNTS) expect(holds(printed, spellings(iban)), iban).toBe(false)

    const written = filesBelow(folder())
    expect(written).toEqual(
      expect.arrayContaining(['run.log', 'sepa-migrate.db', 'pack/report.html', 'checked/problems.csv']),
    )
    for (const name of written) {
      const content = readFileSync(path(name))
      expect(holds(content, secrets), name).toBe(false)
      if (HOLD_CELLS.includes(name.split('/').at(-1) ?? '')) continue
      // Customers 1, 5 and 6 are registered; the rows of 2, 3 and 4 may need their account again.
      const gone = name.startsWith('sepa-migrate.db') ? [1, 5, 6] : [1, 2, 3, 4, 5, 6]
      for (const customer of gone)
        expect(holds(content, spellings(germanIban(customer))), `${name}: ${customer}`).toBe(false)
      if (name !== 'export.csv') expect(statSync(path(name)).mode & 0o077, name).toBe(0)
    }
  })
})
