import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { germanIban } from '../support/export.js'
import { CREDENTIALS, makeFolder, start, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox

beforeEach(async () => {
  place = makeFolder()
  sandbox = await startSandbox({ seed: 1 })
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

const at = (name: string): string => join(place.folder, name)
const program = (...args: string[]): Promise<Ended> =>
  start(args, { cwd: place.folder, env: CREDENTIALS }).ended
const run = (...args: string[]): Promise<Ended> =>
  program('run', ...args, '--quiet', '--no-report', '--base-url', sandbox.url)
const notices = (...args: string[]): Promise<Ended> => {
  const date = args.includes('--first-debit') ? [] : ['--first-debit', '2026-12-01']
  return program('notices', '--as-of', '2026-11-01', ...date, ...args)
}

const HEADER =
  'customer_no,Kundenname,Mail,Sprache,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,last_collection_date'
const lineOf = (n: number, last = ''): string =>
  `${n},Kunde ${n},k${n}@example.org,de,${germanIban(n)},2025-03-01,DE98ZZZ09999999999,M-${n},${last}`

function writeExport(name: string, lines: readonly string[]): void {
  writeFileSync(at(name), `${[HEADER, ...lines].join('\n')}\n`)
}

const read = (name: string): Record<string, string>[] =>
  parse(readFileSync(at(name)), { bom: true, columns: true }) as unknown as Record<string, string>[]

describe('sepa-migrate notices', () => {
  it('writes a line for each registered mandate, with the contact from the export, and is on record', async () => {
    writeExport(
      'a.csv',
      [1, 2, 3].map((n) => lineOf(n)),
    )
    writeExport(
      'b.csv',
      [4, 5].map((n) => lineOf(n)),
    )
    expect((await run('a.csv', 'b.csv')).status).toBe(0)
    const made = await notices('b.csv', 'a.csv', '--json', '--by', 'Ada')
    expect(made.status, made.stdout + made.stderr).toBe(0)
    const lines = read('notices-2026-12-01.csv')
    expect(lines.map((line) => [line['customer_no'], line['name'], line['email'], line['language']])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [String(n), `Kunde ${n}`, `k${n}@example.org`, 'de']),
    )
    for (const line of lines) {
      const truth = sandbox.mandates().find((mandate) => String(mandate.customer_no) === line['customer_no'])
      expect(line['assigned_mandate_reference']).toBe(truth?.unique_mandate_reference)
      expect(line['original_mandate_reference']).toBe(`M-${line['customer_no'] ?? ''}`)
    }
    expect(readFileSync(at('notices-2026-12-01.csv'), 'utf8')).not.toContain(germanIban(1).slice(4))
    expect(statSync(at('notices-2026-12-01.csv')).mode & 0o777).toBe(0o600)
    const document = JSON.parse(made.stdout) as { notices: Record<string, unknown>; warnings: string[] }
    expect(document.notices).toMatchObject({
      rows: 5,
      withoutContact: 0,
      lapsing: 0,
      unproven: 0,
      notAsked: 5,
    })
    expect(document.warnings.join()).toContain('was not asked about 5 of 5')

    expect((await program('report', '--out', 'pack')).status).toBe(0)
    expect(readFileSync(at('pack/report.html'), 'utf8')).toContain('notices-2026-12-01.csv')
    const summary = JSON.parse(readFileSync(at('pack/summary.json'), 'utf8')) as { notices: unknown }
    expect(summary.notices).toMatchObject([{ madeBy: 'Ada', firstDebit: '2026-12-01', rows: 5 }])

    const again = await notices('a.csv', 'b.csv')
    expect(again.status).toBe(2)
    expect(again.stderr).toContain('exists and is not replaced')
  })

  it('joins the columns that were named, and leaves empty what no given export says', async () => {
    writeExport('a.csv', [lineOf(1)])
    writeExport('b.csv', [lineOf(2)])
    await run('a.csv', 'b.csv')
    const made = await notices('a.csv', '--name', 'customer_no', '--name', 'kundenname', '--email', 'Mail')
    expect(made.status, made.stderr).toBe(0)
    expect(read('notices-2026-12-01.csv')).toMatchObject([
      { name: '1 Kunde 1', email: 'k1@example.org', language: 'de' },
      { name: '', email: '', language: '' },
    ])
    expect(made.stderr + made.stdout).toContain('1 mandate stand')
  })

  it('warns of a short notice, of a mandate that lapses and of one that the service does not show', async () => {
    await sandbox.close()
    sandbox = await startSandbox({ seed: 1, choices: { cancelledSources: 'gone' } })
    writeExport('a.csv', [lineOf(1, '2025-04-10'), lineOf(2, '2026-10-01'), lineOf(3, '2026-10-01')])
    expect((await run('a.csv', '--as-of', '2026-11-01')).status).toBe(0)
    const authorization = `Basic ${btoa('sandbox:sandbox')}`
    const sources = await fetch(`${sandbox.url}/api/v2/payment_source?customer_no=2`, {
      headers: { authorization },
    })
    const { data } = (await sources.json()) as { data: { id: string }[] }
    const url = `${sandbox.url}/api/v2/payment_source/${data[0]?.id ?? ''}/cancel`
    expect((await fetch(url, { method: 'POST', headers: { authorization } })).status).toBe(200)
    const verified = await program(
      'verify',
      '--at-service',
      '--read-back',
      '--no-report',
      '--base-url',
      sandbox.url,
    )
    expect(verified.status, verified.stdout + verified.stderr).toBe(4)
    const made = await program('notices', 'a.csv', '--as-of', '2028-04-10', '--first-debit', '2028-04-20')
    expect(made.status, made.stderr).toBe(0)
    expect(made.stdout + made.stderr).toContain('in 10 days')
    expect(read('notices-2028-04-20.csv')).toMatchObject([
      {
        customer_no: '1',
        verification: 'proven',
        warning: 'The mandate lapses on 2028-04-10, before the first debit.',
      },
      { customer_no: '2', verification: 'missing', warning: 'Not proven at the service: missing.' },
      { customer_no: '3', verification: 'proven', warning: '' },
    ])
  })

  it('takes no name from a file that is not the one that was admitted', async () => {
    writeExport(
      'a.csv',
      [1, 2].map((n) => lineOf(n)),
    )
    await run('a.csv')
    writeExport(
      'sorted.csv',
      [2, 1].map((n) => lineOf(n)),
    )
    const made = await notices('sorted.csv')
    expect(made.status).toBe(7)
    expect(made.stderr).toContain('none of the files that were admitted')
    expect(readdirSync(place.folder).filter((name) => name.startsWith('notices'))).toEqual([])
  })

  it('takes no name from a file that is read in another way than when it was admitted', async () => {
    writeFileSync(
      at('a.csv'),
      `${[HEADER.replace('customer_no', 'member'), ...[1, 2].map((n) => lineOf(n))].join('\n')}\n`,
    )
    const crosswalk = (pairs: readonly string[]): void =>
      writeFileSync(at('customers.csv'), `${['member_id,customer_no', ...pairs].join('\n')}\n`)
    writeFileSync(
      at('sepa-migrate.yaml'),
      'crosswalk: { file: customers.csv, from: member, key: member_id, customer_no: customer_no }\n',
    )
    crosswalk(['1,101', '2,102'])
    const sent = await run('a.csv')
    expect(sent.status, sent.stderr).toBe(0)
    crosswalk(['1,102', '2,101'])
    const made = await notices('a.csv')
    expect(made.status).toBe(7)
    expect(made.stderr).toContain('is not the mandate of row 1')
    expect(existsSync(at('notices-2026-12-01.csv'))).toBe(false)
    crosswalk(['1,101', '2,102'])
    expect((await notices('a.csv')).status).toBe(0)
    expect(read('notices-2026-12-01.csv').map((line) => [line['customer_no'], line['name']])).toEqual([
      ['101', 'Kunde 1'],
      ['102', 'Kunde 2'],
    ])
  })

  it.each([
    [['--first-debit', '2026-10-31'], 2, 'is over'],
    [['--first-debit', '1.12.2026'], 2, 'is no date'],
    [['--name', 'Nachname'], 2, 'No file has a column "Nachname"'],
    [['--to', 'a.csv'], 2, 'exists and is not replaced'],
  ])('refuses %j', async (args, status, words) => {
    writeExport('a.csv', [lineOf(1)])
    await run('a.csv')
    const made = await notices('a.csv', ...args)
    expect([made.status, made.stderr.includes(words)], made.stderr).toEqual([status, true])
    expect(readdirSync(place.folder).filter((name) => name.startsWith('notices'))).toEqual([])
  })

  it('writes nothing where nothing is registered', async () => {
    writeExport('a.csv', [lineOf(0)])
    expect((await run('a.csv')).status).toBe(3)
    const made = await notices()
    expect(made.status).toBe(2)
    expect(made.stderr).toContain('No mandate is registered yet')
    expect(readdirSync(place.folder).filter((name) => name.startsWith('notices'))).toEqual([])
  })

  it('is found by a purge under whatever name it was written, and removed where that is asked for', async () => {
    writeExport('a.csv', [lineOf(1)])
    expect((await run('a.csv')).status).toBe(0)
    expect((await notices('a.csv', '--to', 'Anschreiben.csv')).status).toBe(0)
    const kept = await program('purge', '--yes')
    expect(kept.stdout).toMatch(/Anschreiben\.csv\n +NAMES AND E-MAIL ADDRESSES/)
    expect(existsSync(at('Anschreiben.csv'))).toBe(true)
    const removed = await program('purge', '--yes', '--remove-files')
    expect(removed.stdout).toContain('Removed ')
    expect(existsSync(at('Anschreiben.csv'))).toBe(false)
  })
})
