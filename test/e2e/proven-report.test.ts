import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { placeForEach, type Told } from '../support/place.js'
import { PROGRAM, startCommand, type Ended } from '../support/program.js'

const TOPIC = readFileSync(fileURLToPath(new URL('../../src/help/report.md', import.meta.url)), 'utf8')
const ROWS = 6
const LOST_ANSWER = 2

const { folder, path, env, read, write, program, json } = placeForEach({
  rows: ROWS,
  sandbox: {
    faults: [{ match: { customer_no: LOST_ANSWER }, times: 1, fault: { kind: 'reset', applied: true } }],
  },
})
const run = (...args: string[]): Promise<Ended> => program('run', 'export.csv', ...args)
const change = (name: string, how: (text: string) => string): void => write(name, how(read(name)))

interface Document extends Told {
  readonly pack: {
    readonly holds: boolean
    readonly ledger: string | null
    readonly signature: string
    readonly discrepancies: readonly { kind: string; file: string; message: string; next: string }[]
  }
}

const verify = (...args: string[]): Promise<Document> =>
  json('report', 'verify', 'sepa-migrate-report', ...args)

describe('a report in its own folder', () => {
  it('lies beside the ledger, private, and holds', async () => {
    expect((await run('--limit', '4')).status).toBe(4)
    expect(statSync(path('sepa-migrate-report')).mode & 0o777).toBe(0o700)
    const beside = readdirSync(folder()).filter((name) => /\.(?:csv|html|json|xlsx)$/.test(name))
    expect(beside).toEqual(['export.csv'])

    const { status, stdout } = await program('report', 'verify', 'sepa-migrate-report')
    expect([status, stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^Holds: .* 6 records read, 0 decisions/),
    ])
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({
      exitCode: 0,
      pack: { holds: true, ledger: 'unchanged', signature: 'none', discrepancies: [] },
    })
  })

  it('29.4 compares with the totals of the former provider, tells where they differ, and is proven by the ledger', async () => {
    write('expected.yaml', 'records: 7\n')
    const { warnings } = await json('run', 'export.csv', '--yes', '--expected', 'expected.yaml')
    expect(warnings.join()).toContain('differ from the totals of the former provider')
    expect(read('sepa-migrate-report/report.html')).toContain('DIFFER from the records read (6)')
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({ exitCode: 0, pack: { holds: true } })

    await program('report', '--expected-records', String(ROWS))
    expect(read('sepa-migrate-report/report.html')).toContain('agree with the records read (6)')
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({ exitCode: 0, pack: { holds: true } })
    // What the ledger does not hold can be said otherwise by whoever writes a pack, so it is named.
    const proven = await program('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')
    expect(proven.stdout).toMatch(/^Not in the ledger, so ask who wrote it: 6 records expected\.$/m)
    change('expected.yaml', () => 'records: many\n')
    expect((await run('--expected', 'expected.yaml')).stderr).toContain('Cannot read the expected totals')
  })

  it('no longer holds once a byte is another one: which file, what it means, what to do', async () => {
    await run()
    change('registered.csv', (text) => text.replace('DE…', 'FR…'))
    const { status, stdout } = await program('report', 'verify', 'sepa-migrate-report')
    expect(status).toBe(3)
    expect(stdout).toMatch(
      /^Does NOT hold: 1 difference .*\n {2}registered\.csv was changed since .*\n {4}Write the report again/,
    )
    for (let customer = 1; customer <= ROWS; customer += 1) expect(stdout).not.toContain(germanIban(customer))
  })

  it('keeps lists that somebody fills in; the new ones lie beside them, and the command to type names these', async () => {
    await run()
    const filledIn = read('in-doubt.csv').replace(/""\n$/, '"by telephone"\n')
    write('in-doubt.csv', filledIn)
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({ exitCode: 0, pack: { others: [] } })
    const { stdout, stderr } = await program('report')
    expect(stderr).toContain('Somebody works in the lists')
    expect(stdout).toContain('resolve --from sepa-migrate-report/to-do-2/in-doubt.csv')
    expect(read('in-doubt.csv')).toBe(filledIn)
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({
      exitCode: 0,
      pack: { ledger: 'unchanged', others: [] },
    })
    expect((await program('status')).stdout).toContain('to-do-2/in-doubt.csv')
  })

  it('beside a ledger that moved on still holds, and says so', async () => {
    await run('--limit', '3')
    await run('--no-report')
    expect(await verify('--ledger', 'sepa-migrate.db')).toMatchObject({
      exitCode: 0,
      pack: { ledger: 'moved_on' },
    })
  })

  it('that is none ends with 7, and a command line that cannot be with 2', async () => {
    expect((await program('report', 'verify', 'nowhere')).status).toBe(7)
    expect(await verify()).toMatchObject({ exitCode: 7, errors: [{ kind: 'source' }] })
    expect((await program('report', 'verify')).status).toBe(2)
  })
})

describe('a signature', () => {
  const block = (containing: string): string =>
    [...TOPIC.matchAll(/^```sh\n([^]*?)^```/gm)]
      .map(([, text = '']) => text)
      .find((text) => text.includes(containing)) ?? ''
  const shell = (lines: string, cwd: string): Promise<Ended> =>
    startCommand(['bash', '-c', `sepa-migrate() { '${process.execPath}' '${PROGRAM}' "$@"; }\n${lines}`], {
      cwd,
      env: env(),
    }).ended

  it('is made and checked with the lines of the manual, by this program and by openssl', async () => {
    await run()
    const made = await shell(block('genpkey'), folder())
    expect([made.status, made.stdout]).toEqual([
      0,
      expect.stringContaining('Signature: by the key that was given'),
    ])
    expect(existsSync(path('manifest.sig'))).toBe(true)
    const checked = await shell(block('pkeyutl'), folder())
    expect([checked.status, checked.stdout + checked.stderr]).toEqual([
      0,
      expect.stringContaining('Verified Successfully'),
    ])
  })

  it('of another key, of another manifest, and none at all are told apart', async () => {
    await run()
    await shell(block('genpkey'), folder())
    await shell('openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out other.pem', folder())
    const kinds = async (key: string) =>
      (await verify('--key', key)).pack.discrepancies.map(({ kind }) => kind)
    expect(await kinds('finance-public.pem')).toEqual([])
    expect(await kinds('other.pem')).toEqual(['signature_of_another_key'])
    change('manifest.sig', (text) => text.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')))
    expect(await kinds('finance-public.pem')).toEqual(['signature_changed'])
    await program('report', '--sign-with', 'finance-key.pem')
    expect(await kinds('finance-public.pem')).toEqual([])
    await program('report')
    expect(await kinds('finance-public.pem')).toEqual(['signature_missing'])
  })
})
