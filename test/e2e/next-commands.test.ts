import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { validExport, validLine } from '../support/export.js'
import { listed, nextOf, placeOfTest, type Place } from '../support/place.js'
import { inReport, type Ended } from '../support/program.js'
import { openWork } from '../support/work.js'

const open = (rows: number, sandbox: SandboxOptions = {}): Promise<Place> => placeOfTest({ rows, sandbox })

/** Customer 1 loses its answer, customer 3 is refused. */
const FAULTS: SandboxOptions = {
  faults: [
    { match: { customer_no: 1 }, times: 1, fault: { kind: 'reset', applied: true } },
    { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
  ],
}

const FILE = "it's an export;é.csv"
const DAMAGED = validLine(5).replace(/2024-\d\d-\d\d/, '2024-02-30')

describe.skipIf(process.platform === 'win32')('Next: is a command that can be pasted as it is', () => {
  it('from the first look to the signature, each after the one before', async () => {
    const { path, write, held, totals, program, ends, pasteNext: paste } = await open(0, FAULTS)
    write(FILE, `${validExport(4)}${DAMAGED}\n`)
    const place = ['--ledger', 'the campaign/ledger.db', '--out', "Finance's pack"]
    mkdirSync(path('the campaign'), { mode: 0o700 })

    const looked = await program('inspect', FILE)
    const checked = await paste(looked)
    expect(checked.status).toBe(3)
    expect(nextOf(checked)).toMatch(/^sepa-migrate run .* --limit 10$/)

    const ran = await ends(4, 'run', FILE, ...place)
    const list = "Finance's pack/to-do/to-do.xlsx"
    expect(ran.stdout).toContain(`fill in your decision and your reason in ${list}, and give it back.`)
    const before = totals('the campaign/ledger.db')
    expect(await paste(ran)).toMatchObject({ status: 4, stderr: '' })
    expect(totals('the campaign/ledger.db')).toMatchObject({ ...before, resubmitted: 2 })

    const work = openWork(path(list))
    work.type('In doubt', 0, { migration_decision: 'written-off', migration_reason: "it's closed" })
    work.type('Corrections', 0, { signed_date: '2024-02-28' })
    work.save()
    const taken = await paste(ran)
    expect(taken.stdout).toContain('1 decision recorded.')
    expect(taken.stdout).toContain('is in "Finance\'s pack/to-do/done/to-do-2.xlsx" now')
    expect(taken.status, taken.stdout + taken.stderr).toBe(3)
    expect(held()).toContain(5)
    const again = await paste(taken)
    expect(again.status, again.stdout + again.stderr).toBe(3) // the service still says no
  })

  it('of a campaign that is over: report where the pack is older, the last export, purge, then nothing', async () => {
    const { program, ends, read, write, pasteNext: paste } = await open(3)
    const isUncompared = (): boolean =>
      read('sepa-migrate-report/report.html').includes('No last export was compared')
    const ran = await program('run', 'export.csv', '--no-report')
    expect(nextOf(ran)).toBe('sepa-migrate report')
    expect(nextOf(await program('status'))).toBe('sepa-migrate report')
    const reported = await program('report')
    // What is not there cannot be pasted.
    expect(nextOf(reported)).toBe('sepa-migrate report verify sepa-migrate-report --ledger sepa-migrate.db')
    expect((await paste(reported)).status).toBe(0)
    expect(isUncompared()).toBe(true)
    // That of the first day tells nothing of what ended since.
    expect(nextOf(await program('compare', 'export.csv'))).toContain('report verify')
    write('final.csv', validExport(3))
    const compared = await paste(await program('report'))
    expect(compared.stdout).toContain('Have finance sign sepa-migrate-report/report.html')
    expect(nextOf(compared)).toBe('sepa-migrate purge')
    expect(isUncompared()).toBe(false)
    expect(nextOf(await program('status'))).toBe('sepa-migrate purge')
    await program('purge', '--yes')
    const { stdout } = await ends(0, 'status')
    expect(stdout).not.toContain('Next:')
    expect(stdout.split('\n').slice(-3).join()).not.toMatch(/purge|give it back/)
  })

  it('after a signal resumes, although a row is in doubt', async () => {
    const { start, pasteNext: paste } = await open(60, { ...FAULTS, latencyMs: 20 })
    const slowly = ['--concurrency', '1', '--rate', '40', '--ledger', 'my ledger.db']
    const { child, ended } = start('run', 'export.csv', ...slowly, '--verbose')
    child.stderr?.on('data', (part: Buffer) => {
      if (part.toString().includes('registered')) child.kill('SIGINT')
    })
    const stopped = await ended
    expect(stopped.status).toBe(130)
    expect(nextOf(stopped)).toBe("sepa-migrate run --ledger 'my ledger.db' --concurrency 1 --rate 40")
    const resumed = await paste(stopped)
    expect(resumed.status).toBe(4)
    expect(resumed.stderr).not.toContain('Warning')
    expect(resumed.stdout).not.toMatch(/ready +[1-9]/)
  })

  it('of a draft names the configuration it wrote, and of the demo its folder', async () => {
    const { program, ends, pasteNext: paste } = await open(4)
    expect((await paste(await program('init', 'export.csv', '--to', 'my own.yaml'))).status).toBe(0)
    const demo = await ends(0, 'demo')
    const dry = await paste(demo)
    expect(dry).toMatchObject({ status: 4, stderr: '' })
  })

  it('of a check that asks about a column is no run, which would refuse the file', async () => {
    const { write, program } = await open(0)
    const words = ['Bemerkung', '', 'verstorben', '']
    const lines = validExport(3).trimEnd().split('\n')
    write('export.csv', `${lines.map((line, at) => `${line},${words[at]!}`).join('\n')}\n`)
    write('own.yaml', 'columns: { iban: iban }\n')
    const first = await program('check', 'export.csv')
    expect([first.status, nextOf(first)]).toEqual([7, 'sepa-migrate init export.csv'])
    const checked = await program('check', 'export.csv', '--config', 'own.yaml')
    expect([checked.status, nextOf(checked)]).toEqual([7, 'sepa-migrate check export.csv --config own.yaml'])
  })

  it('the demo shows one of each class of the cut-over', async () => {
    const { program } = await open(0)
    const { status, stdout } = await program('demo', '--json')
    const { classes } = JSON.parse(stdout) as { classes: Record<string, number> }
    const { unchanged, erased, ...others } = classes
    expect([status, unchanged, erased]).toEqual([0, 52, 0])
    expect(Object.values(others)).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
  })

  /** Pastes one after the other, until it is the same again or the word of a person is needed. */
  async function follow(place: Place, from: Ended, until = / purge/): Promise<Ended> {
    const pasted = new Set<string>()
    let ended = from
    for (;;) {
      const next = nextOf(ended)
      if (pasted.has(next) || until.test(next)) return ended
      pasted.add(next)
      ended = await place.pasteNext(ended)
      expect([0, 3, 4, 5], `${next}\n${ended.stdout}${ended.stderr}`).toContain(ended.status)
      expect(ended.stderr, next).not.toContain('Error')
    }
  }

  /** What somebody does with the list that the last line names: all that is open is closed. */
  function closeAll({ path }: Place, ended: Ended): void {
    const work = openWork(path(/\S+to-do\.xlsx/.exec(nextOf(ended))?.[0] ?? ''))
    for (const name of work.names)
      for (const [nth, row] of work.rows(name).entries()) {
        const isDone = !['gone_unsent', 'contradictory'].includes(row['migration_class'] ?? 'gone_unsent')
        const decision = isDone ? 'done' : 'written-off'
        work.type(name, nth, { migration_decision: decision, migration_reason: 'closed by hand' })
      }
    work.save()
  }

  it('of the demo, from its doubt to the last export', async () => {
    const place = await open(0)
    const shown = await follow(place, await place.program('demo'))
    expect(nextOf(shown)).toContain('to-do/to-do.xlsx --dry-run')
    closeAll(place, shown)
    // What is to be sent after that has no service any more: its sandbox ended with the demo.
    const decided = await follow(place, shown, / run /)
    expect(decided.stdout).not.toMatch(/in doubt:|of the cut-over/)
    expect(decided.stdout).toContain('Give the last export to a run')
  })

  it('of a rehearsal with chaos, to the purge (seed 7)', async () => {
    const place = await open(60, { chaos: 0.2, seed: 7 })
    place.write('final.csv', validExport(60))
    let ended = await place.program('run', 'export.csv', '--max-in-doubt', '1000', '--max-refused', '100')
    for (let rounds = 0; rounds < 8 && !nextOf(ended).includes(' purge'); rounds += 1) {
      ended = await follow(place, ended)
      if (nextOf(ended).includes('to-do.xlsx')) closeAll(place, ended)
    }
    expect(nextOf(ended)).toBe('sepa-migrate purge')
    expect(new Set(place.held()).size).toBe(place.held().length)
  })

  it('of an approval is the run for the approver, with the address, the pace and the limits of the plan', async () => {
    const place = await open(3)
    const limits = ['--limit 2', '--rate 50', '--max-in-doubt 4', '--max-refused 50%', '--timeout 200']
    const flags = ['--base-url', place.sandbox().url, ...limits.flatMap((flag) => flag.split(' '))]
    await place.program('plan', 'export.csv', '--to', 'plan.json', '--by', 'Ada', ...flags)
    const mail = ['--yes', '--by', 'Grace', '--reference', 'mail of 12 June']
    const approved = await place.program('approve', 'plan.json', ...mail)
    for (const flag of limits) expect(nextOf(approved)).toContain(flag)
    const ran = await place.pasteNext(approved)
    expect([ran.status, place.held()], ran.stderr).toEqual([5, [1, 2]])
  })

  it('where the service can be asked, asks it first, and then goes on to the list', async () => {
    const lost = { match: { customer_no: 2 }, fault: { kind: 'reset', applied: false } } as const
    const place = await open(4, { faults: [lost, ...(FAULTS.faults ?? [])] })
    const settings = `service:\n  baseUrl: ${place.sandbox().url}\n  readBack: true\n`
    place.write('sepa-migrate.yaml', settings)
    for (const command of [['run', 'export.csv', '--no-report'], ['status'], ['report']])
      expect(nextOf(await place.program(...command))).toBe('sepa-migrate resolve --ask')
    await place.program('resolve', '--ask', '--yes')
    expect(place.totals()).toMatchObject({ inDoubt: 1 })
    for (const command of ['report', 'run'])
      expect(nextOf(await place.program(command))).toContain('to-do.xlsx')
  })

  it('of a list that proves rows records them', async () => {
    const { save, sandbox, program, pasteNext: paste } = await open(2, FAULTS)
    await program('run', 'export.csv')
    save('the list.csv', sandbox().mandates().map(listed))
    const compared = await program('resolve', '--against', 'the list.csv', '--by', 'Ada B.')
    const applied = await paste(compared)
    expect(applied.stdout).toMatch(/Row 1: in_doubt → registered[^]*1 decision recorded/)
    expect(nextOf(applied)).toBe('sepa-migrate report')
  })
})

it('a file of corrections without a row says that there is nothing to correct, to check and to run, and is no error', async () => {
  const { program, ends, json } = await open(2)
  await ends(0, 'run', 'export.csv')
  for (const args of [
    ['run', inReport('corrections.csv')],
    ['check', inReport('corrections.csv'), '--ledger', 'sepa-migrate.db'],
    ['check', inReport('refused.csv')],
  ]) {
    const { status, stdout, stderr } = await program(...args)
    expect({ status, stderr }, args.join(' ')).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('holds no correction and no decision: what is open in it stays open.')
  }
  expect((await json('status')).totals).toMatchObject({ read: 2, registered: 2 })
})
