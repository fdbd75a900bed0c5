import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import Papa from 'papaparse'
import { afterEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validExport, validLine } from '../support/export.js'
import {
  CREDENTIALS,
  inReport,
  makeFolder,
  paste,
  runProgram,
  start,
  type Ended,
} from '../support/program.js'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

interface Place {
  readonly folder: string
  readonly sandbox: Sandbox
  readonly env: Readonly<Record<string, string>>
  readonly program: (...args: string[]) => Promise<Ended>
  /** Runs what the last line of this output says to type, word for word, in the same folder. */
  readonly paste: (before: Ended) => Promise<Ended>
}

/** Customer 1 loses its answer, customer 3 is refused. */
async function open(faults: Parameters<typeof startSandbox>[0] = {}): Promise<Place> {
  const { folder, remove } = makeFolder()
  const sandbox = await startSandbox({ seed: 1, username: 'sandbox', password: 'sandbox', ...faults })
  opened.push(async () => {
    await sandbox.close()
    remove()
  })
  const env = {
    ...CREDENTIALS,
    SEPA_MIGRATE_BASE_URL: sandbox.url,
  }
  return {
    folder,
    sandbox,
    env,
    program: (...args) => runProgram(args, { cwd: folder, env }),
    paste: (before) => paste(nextOf(before), { cwd: folder, env }),
  }
}

/** The command of the one `Next:` line, which is nothing but a command. */
function nextOf({ stdout, stderr }: Ended): string {
  const lines = stdout.split('\n').filter((line) => line.startsWith('Next: '))
  expect(lines, stdout + stderr).toHaveLength(1)
  expect(lines[0]).toMatch(/^Next: sepa-migrate [a-z]+/)
  return lines[0]?.slice('Next: '.length) ?? ''
}

const FAULTS = {
  faults: [
    { match: { customer_no: 1 }, times: 1, fault: { kind: 'reset', applied: true } },
    { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
  ],
} as const

const FILE = "it's an export;é.csv"
const DAMAGED = validLine(5).replace(/2024-\d\d-\d\d/, '2024-02-30')

describe.skipIf(process.platform === 'win32')('10.3.4 Next: is a command that can be pasted as it is', () => {
  it('10.3.4 from the first look to the signature, each after the one before', async () => {
    const { folder, sandbox, program, paste } = await open(FAULTS)
    const path = (name: string): string => join(folder, name)
    writeFileSync(path(FILE), `${validExport(4)}${DAMAGED}\n`)
    const place = ['--ledger', 'the campaign/ledger.db', '--out', "Finance's pack"]
    execFileSync('mkdir', ['-m', '700', path('the campaign')])

    const looked = await program('inspect', FILE)
    const checked = await paste(looked)
    expect(checked.status).toBe(3)
    const written = await paste(checked)
    expect(written.status).toBe(3)
    expect(existsSync(path('checked/problems.csv'))).toBe(true)
    expect((await paste(written)).status).toBe(3)

    const ran = await program('run', FILE, ...place)
    expect(ran.status).toBe(4)
    expect(ran.stdout).toContain("Compare Finance's pack/to-do/in-doubt.csv with the service")
    const dry = await paste(ran)
    expect(dry).toMatchObject({ status: 4, stderr: '' })
    expect(dry.stdout).toContain('holds no decision yet')

    fill(path("Finance's pack/to-do/in-doubt.csv"), {
      migration_decision: 'written-off',
      migration_reason: "it's closed",
    })
    const examined = await paste(dry)
    expect(examined.stdout).toContain('Dry run: nothing was recorded.')
    const recorded = await paste(examined)
    expect(recorded.stdout).toContain('1 decision recorded.')

    expect(nextOf(recorded), 'the pack is older than the ledger').toMatch(/^sepa-migrate report /)
    const reported = await paste(recorded)
    expect(reported.status).toBe(3)
    // The filled-in list stays as it is, so the new ones lie beside it.
    const list = "Finance's pack/to-do-2/corrections.csv"
    expect(reported.stdout).toContain(`Correct ${list} and give it back.`)
    edit(path(list), (text) => text.replace(/2024-02-30|30\.02\.2024/, '2024-02-28'))
    const corrected = await paste(reported)
    expect(corrected.status, corrected.stdout + corrected.stderr).toBe(3)
    expect(sandbox.mandates().map(({ customer_no }) => customer_no)).toContain(5)
    const resent = await paste(corrected)
    expect(resent.status, resent.stdout + resent.stderr).toBe(3) // the service still says no
  })

  it('10.3.4 of a campaign that is over: report first where the pack is older, then purge, then nothing', async () => {
    const { folder, program } = await open()
    writeFileSync(join(folder, 'export.csv'), validExport(3))
    const ran = await program('run', 'export.csv', '--no-report')
    expect(nextOf(ran)).toBe('sepa-migrate report')
    expect(nextOf(await program('status'))).toBe('sepa-migrate report')
    const reported = await program('report')
    expect(reported.stdout).toContain(
      'Have finance sign sepa-migrate-report/report.html before the next command.',
    )
    expect(nextOf(reported)).toBe('sepa-migrate purge')
    expect(nextOf(await program('status'))).toBe('sepa-migrate purge')
    await program('purge', '--yes')
    const { status, stdout } = await program('status')
    expect(status).toBe(0)
    expect(stdout).not.toContain('Next:')
    expect(stdout.split('\n').slice(-3).join()).not.toMatch(/purge|give it back/)
  })

  it('10.3.4 after a purge with open rows says nothing of giving files back', async () => {
    const { folder, program } = await open(FAULTS)
    writeFileSync(
      join(folder, 'export.csv'),
      `${validExport(4).replace(`${validLine(1)}\n`, '')}${DAMAGED}\n`,
    )
    await program('run', 'export.csv')
    await program('purge', '--yes', '--with-open-rows')
    const { status, stdout } = await program('status')
    expect(status).toBe(3)
    expect(stdout).not.toContain('Next:')
    expect(stdout).not.toContain('give it back')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '10.3.4 after %s resumes, although a row is in doubt',
    async (signal) => {
      const { folder, env, paste } = await open({ ...FAULTS, latencyMs: 20 })
      writeFileSync(join(folder, 'export.csv'), validExport(60))
      const args = [
        'run',
        'export.csv',
        '--concurrency',
        '1',
        '--rate',
        '40',
        '--ledger',
        'my ledger.db',
        '--verbose',
      ]
      const { child, ended } = start(args, { cwd: folder, env })
      child.stderr?.on('data', (part: Buffer) => {
        if (part.toString().includes('registered')) child.kill(signal)
      })
      const stopped = await ended
      expect([130, 143]).toContain(stopped.status)
      expect(nextOf(stopped)).toBe("sepa-migrate run --ledger 'my ledger.db' --concurrency 1 --rate 40")
      const resumed = await paste(stopped)
      expect(resumed.status).toBe(4)
      expect(resumed.stderr).not.toContain('Warning')
      expect(resumed.stdout).not.toMatch(/ready +[1-9]/)
    },
  )

  it('10.3.5 typing the same command again is no reason for a warning', async () => {
    const { folder, program, paste } = await open()
    writeFileSync(join(folder, 'export.csv'), validExport(4))
    const pilot = await program('run', 'export.csv', '--limit', '2')
    expect(nextOf(pilot)).toBe('sepa-migrate run')
    const again = await program('run', 'export.csv', '--limit', '1')
    expect(again.stderr).not.toContain('Warning')
    expect(again.stdout).toContain('"export.csv" is in the ledger already: nothing of it was added.')
    expect((await paste(pilot)).status).toBe(0)
  })

  it('10.3.4 of a draft names the configuration it wrote, and of the demo its folder', async () => {
    const { folder, program, paste } = await open()
    writeFileSync(join(folder, 'export.csv'), validExport(4))
    expect((await paste(await program('init', 'export.csv', '--to', 'my own.yaml'))).status).toBe(0)
    const demo = await program('demo')
    expect(demo.status).toBe(0)
    const dry = await paste(demo)
    expect(dry).toMatchObject({ status: 4, stderr: '' })
  })

  it('10.3.4 of a list that proves rows records them', async () => {
    const { folder, sandbox, program, paste } = await open(FAULTS)
    writeFileSync(join(folder, 'export.csv'), validExport(2))
    await program('run', 'export.csv')
    const [first] = sandbox.mandates().filter(({ customer_no }) => customer_no === 1)
    const { iban, sepa_creditor_identifier, unique_mandate_reference } = first!
    const listed = { customer_no: 1, iban, sepa_creditor_identifier, unique_mandate_reference }
    writeFileSync(join(folder, 'the list.csv'), stringify([listed], { header: true }))
    const compared = await program('reconcile', 'the list.csv', '--by', 'Ada B.')
    const applied = await paste(compared)
    expect(applied.stdout).toMatch(/Row 1: registered, recorded/)
    expect(nextOf(applied)).toBe('sepa-migrate report')
  })
})

describe('10.6 a file of corrections without a row', () => {
  it('10.6 says that there is nothing to correct, to check and to run, and is no error', async () => {
    const { folder, program } = await open()
    writeFileSync(join(folder, 'export.csv'), validExport(2))
    expect((await program('run', 'export.csv')).status).toBe(0)
    for (const args of [
      ['run', inReport('corrections.csv')],
      ['check', inReport('corrections.csv'), '--ledger', 'sepa-migrate.db'],
      ['check', inReport('refused.csv')],
    ]) {
      const { status, stdout, stderr } = await program(...args)
      expect({ status, stderr }, args.join(' ')).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain('lists no row: there is nothing to correct in it.')
    }
    expect(JSON.parse((await program('status', '--json')).stdout)).toMatchObject({
      totals: { read: 2, registered: 2 },
    })
  })
})

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8')
  expect(change(text)).not.toBe(text)
  writeFileSync(file, change(text))
}

function fill(file: string, cells: Readonly<Record<string, string>>): void {
  const { data, meta } = Papa.parse<Record<string, string>>(
    readFileSync(file, 'utf8').replace(/^\uFEFF/, ''),
    {
      header: true,
      skipEmptyLines: true,
    },
  )
  writeFileSync(
    file,
    stringify(
      data.map((row) => ({ ...row, ...cells })),
      { header: true, delimiter: meta.delimiter },
    ),
  )
}
