import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { germanIban, validExport } from '../support/export.js'
import { makeFolder, runProgram, type Ended } from '../support/program.js'

const PASSWORD = 'correct-horse-battery-staple-4711'
/** The accounts of customers 1 to 6, as the export holds them. */
const ACCOUNTS = Array.from({ length: 6 }, (_, index) => germanIban(index + 1))

/** Files that hold original cells by design: to be edited and fed back, and the ledger until a row is registered. */
const HOLD_CELLS = ['refused.csv', 'in-doubt.csv', 'not-sent.csv', 'export.csv']

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox

beforeEach(async () => {
  place = makeFolder()
  sandbox = await startSandbox({
    seed: 1,
    password: PASSWORD,
    faults: [
      // The service repeats what it was sent, as services do: message, field and a page of HTML.
      {
        match: { customer_no: 2 },
        fault: {
          kind: 'refuse',
          status: 422,
          field: 'iban',
          message: `IBAN ${spaced(2)} / ${germanIban(2)} is closed`,
        },
      },
      {
        match: { customer_no: 3 },
        fault: { kind: 'answer', status: 500, body: `<p>${germanIban(3).toLowerCase()}</p>` },
      },
      { match: { customer_no: 4 }, fault: { kind: 'reset', applied: true } },
    ],
  })
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

const spaced = (customer: number): string => germanIban(customer).replace(/(.{4})/g, '$1 ')

const program = (...args: string[]): Promise<Ended> =>
  runProgram(args, {
    cwd: place.folder,
    env: { SEPA_MIGRATE_USERNAME: 'sandbox', SEPA_MIGRATE_PASSWORD: PASSWORD },
  })

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

/** Every spelling that a reader would recognise: as it is, in small letters, in groups of four. */
const spellings = (iban: string): string[] => [
  iban,
  iban.toLowerCase(),
  iban.replace(/(.{4})/g, '$1 ').trim(),
  iban.slice(4),
]

const holds = (content: Buffer, texts: readonly string[]): boolean =>
  texts.some((text) => content.includes(text))

describe('what the program prints and writes', () => {
  it('holds no password and, once a row is registered, no account number of it', async () => {
    writeFileSync(join(place.folder, 'export.csv'), validExport(6))
    const ran = [
      await program('check', 'export.csv', '--out', 'checked', '--verbose'),
      await program(
        'run',
        'export.csv',
        '--base-url',
        sandbox.url,
        '--verbose',
        '--log-file',
        'run.log',
        '--out',
        'pack',
      ),
      await program('run', '--base-url', sandbox.url, '--json', '--out', 'pack'),
      await program('status', '--json'),
      await program('report', '--out', 'pack'),
      await program('resolve', '--row', '4', '--as', 'written-off', '--reason', 'a test', '--dry-run'),
    ]
    expect(ran.map(({ status }) => status)).toEqual([0, 4, 4, 4, 4, 4])
    const printed = Buffer.from(ran.flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n'))
    expect(holds(printed, [PASSWORD, Buffer.from(`sandbox:${PASSWORD}`).toString('base64')])).toBe(false)
    for (const iban of ACCOUNTS) expect(holds(printed, spellings(iban)), iban).toBe(false)

    const written = filesIn(place.folder)
    expect(written.map((path) => relative(place.folder, path))).toEqual(
      expect.arrayContaining(['run.log', 'sepa-migrate.db', 'pack/report.html', 'checked/problems.csv']),
    )
    for (const path of written) {
      const name = relative(place.folder, path)
      const content = readFileSync(path)
      expect(holds(content, [PASSWORD, Buffer.from(`sandbox:${PASSWORD}`).toString('base64')]), name).toBe(
        false,
      )
      if (HOLD_CELLS.includes(name.split('/').at(-1) ?? '')) continue
      // Customers 1, 5 and 6 are registered; the rows of 2, 3 and 4 may need their account again.
      const gone = name.startsWith('sepa-migrate.db') ? [1, 5, 6] : [1, 2, 3, 4, 5, 6]
      for (const customer of gone)
        expect(holds(content, spellings(germanIban(customer))), `${name}: ${customer}`).toBe(false)
      if (name !== 'export.csv') expect(statSync(path).mode & 0o077, name).toBe(0)
    }
  })

  it('holds no account number at all in the ledger after purge', async () => {
    writeFileSync(join(place.folder, 'export.csv'), validExport(6))
    await program('run', 'export.csv', '--base-url', sandbox.url, '--no-report')
    for (const row of ['3', '4'])
      expect(
        (await program('resolve', '--row', row, '--as', 'written-off', '--reason', 'a test')).stderr,
      ).toBe('')
    const purged = await program('purge', '--yes', '--with-open-rows', '--reason', 'signed off')
    expect(purged.stderr).toBe('')
    expect(purged.status).toBe(3) // the refused row stays refused
    for (const path of filesIn(place.folder).filter((file) => file.includes('sepa-migrate.db')))
      for (const iban of ACCOUNTS) expect(holds(readFileSync(path), spellings(iban)), path).toBe(false)
  })
})
