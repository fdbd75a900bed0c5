import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/domain/plan/plan.js'
import { look } from '../ledger/ledger-views.js'
import { validExport } from '../support/export.js'
import {
  CREDENTIALS,
  makeFolder,
  PROGRAM,
  runProgram,
  start,
  type Ended,
  type Started,
} from '../support/program.js'
import { startTruth, type TruthOptions, type TruthServer } from '../support/truth-server.js'

const ROWS = 30
const SECOND_USER = 65_534
const hasSecondUser =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [PROGRAM, '--version'], { uid: SECOND_USER }).status === 0
const needsRoot = hasSecondUser
  ? false
  : 'only root can act as a second user, who must be able to read the program'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

interface Office {
  readonly path: (name: string) => string
  readonly server: TruthServer
  readonly start: (args: readonly string[]) => Started
  readonly run: (...args: string[]) => Promise<Ended>
  /** What the plan on disk says. */
  readonly plan: () => PlanDocument
  /** A folder of the second user, and the program as they start it. */
  readonly second: {
    readonly path: (name: string) => string
    readonly run: (...args: string[]) => Promise<Ended>
  }
}

async function open({
  isReal = false,
  ...options
}: TruthOptions & { isReal?: boolean } = {}): Promise<Office> {
  const { folder, remove } = makeFolder()
  const server = await startTruth({ ...options, ...(isReal ? { asRealService: folder } : {}) })
  const theirs = mkdtempSync(join(tmpdir(), 'second-'))
  if (needsRoot === false) chownSync(theirs, SECOND_USER, SECOND_USER)
  opened.push(async () => {
    await server.close()
    remove()
    rmSync(theirs, { recursive: true })
  })
  const path = (name: string): string => join(folder, name)
  writeFileSync(path('export.csv'), validExport(ROWS))
  const env = {
    ...CREDENTIALS,
    ...server.env,
    SEPA_MIGRATE_BASE_URL: server.baseUrl,
    SEPA_MIGRATE_BY: 'Ada',
    XDG_STATE_HOME: path('state'),
  }
  const startIt: Office['start'] = (args) => start(args, { cwd: folder, env })
  return {
    path,
    server,
    start: startIt,
    run: (...args) => startIt(args).ended,
    plan: () => JSON.parse(readFileSync(path('plan.json'), 'utf8')) as PlanDocument,
    second: {
      path: (name) => join(theirs, name),
      run: (...args) => runProgram(args, { cwd: theirs, env: { HOME: theirs }, uid: SECOND_USER }),
    },
  }
}

/** The second user gets a copy of the plan, and the first takes their approval. */
async function approveAsSecond({ path, second, run }: Office, ...more: string[]): Promise<Ended> {
  copyFileSync(path('plan.json'), second.path('plan.json'))
  chmodSync(second.path('plan.json'), 0o644)
  const args = ['--by', 'Grace', '--reason', 'compared with the list', '--to', 'approval.json', ...more]
  const given = await second.run('approve', 'plan.json', ...args)
  expect(given.stderr).toContain('To send: 30 rows')
  expect(given.status).toBe(0)
  return run('approve', 'plan.json', '--from', second.path('approval.json'))
}

describe('plan, approve, run', () => {
  it.skipIf(needsRoot)(
    'are three processes of two users of the system, and the report names both',
    async () => {
      const office = await open()
      const { path, server, run, plan } = office
      const made = await run('plan', 'export.csv', '--to', 'plan.json', '--rate', '500')
      expect(made.status).toBe(0)
      expect(made.stdout).toMatch(
        /To send: 30 rows[^]*rate: 500[^]*Nothing was sent, and no file was admitted/,
      )
      expect(server.posts()).toBe(0)
      expect((await run('status')).stdout).toMatch(/Latest plan: \w{12} by Ada, .* 30 rows; not approved yet/)

      const taken = await approveAsSecond(office)
      expect(taken.stdout).toMatch(/Approved by Grace \(user (nobody|number 65534)\), until /)
      expect(taken.stdout).toContain('Next: sepa-migrate run export.csv --plan plan.json')
      expect(taken.status).toBe(0)
      const standing = await run('status', '--json')
      expect(JSON.parse(standing.stdout)).toMatchObject({
        latestPlan: { digest: plan().digest, plannedBy: 'Ada', rows: ROWS, approvedBy: 'Grace' },
      })

      const ended = await run('run', 'export.csv', '--plan', 'plan.json', '--rate', '500')
      expect(ended.stderr).not.toMatch(/Error|Warning/)
      expect(ended.status).toBe(0)
      expect(server.posts()).toBe(ROWS)
      const [record] = look(path('sepa-migrate.db'), (ledger) => ledger.plans())
      expect(record).toMatchObject({ digest: plan().digest, plannedBy: 'Ada' })
      expect(record?.approvals).toMatchObject([{ approvedBy: 'Grace', isSamePerson: false }])
      expect(record?.approvals[0]?.approvedAs).not.toBe(record?.plannedAs)
      const page = readFileSync(path('sepa-migrate-report/report.html'), 'utf8')
      expect(page).toContain(plan().digest.slice(0, 12))
      expect(page).toContain('Grace')
      expect(page).not.toContain('same person')
      const summary = JSON.parse(readFileSync(path('sepa-migrate-report/summary.json'), 'utf8')) as {
        plans: unknown[]
        runs: unknown[]
      }
      expect(summary.plans).toMatchObject([{ digest: plan().digest, approvals: [{ approvedBy: 'Grace' }] }])
      expect(summary.runs).toMatchObject([{ settings: { plan: plan().digest } }])
    },
  )

  it.skipIf(needsRoot)(
    'take no approval of the planner under another name, nor one that was copied',
    async () => {
      const office = await open()
      const { path, run, second, plan } = office
      await run('plan', 'export.csv')
      const alone = await run(
        'approve',
        'plan.json',
        '--by',
        'Grace',
        '--reason',
        'x',
        '--to',
        'approval.json',
      )
      expect([alone.status, alone.stderr]).toEqual([
        2,
        expect.stringMatching(/needs a second person: the user "\w+"/),
      ])
      expect((await approveAsSecond(office)).status).toBe(0)
      // A copy belongs to whoever copied it.
      copyFileSync(second.path('approval.json'), path('copy.json'))
      const copied = await run('approve', 'plan.json', '--from', 'copy.json')
      expect([copied.status, copied.stderr]).toEqual([2, expect.stringContaining('needs a second person')])
      await run('plan', 'export.csv', '--limit', '3')
      const stale = await run('approve', 'plan.json', '--from', second.path('approval.json'))
      expect([stale.status, stale.stderr]).toEqual([2, expect.stringContaining('approves another plan')])
      expect(plan().limit).toBe(3)
    },
  )

  it('by one person need a word, which stands in the first lines of the report', async () => {
    const { path, server, run } = await open()
    await run('plan', 'export.csv')
    const typed = ['approve', 'plan.json', '--by', 'ADA ', '--reason', 'nobody else is here']
    const refused = await run(...typed)
    expect(refused.stderr).toMatch(/needs a second person: "ADA" is who planned[^]*--same-person/)
    expect(refused.status).toBe(2)
    const early = await run('run', 'export.csv', '--plan', 'plan.json')
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining('not approved')])
    expect(server.posts()).toBe(0)
    const allowed = await run(...typed, '--same-person')
    expect([allowed.status, allowed.stderr]).toEqual([0, expect.stringContaining('the same person')])
    expect((await run('run', 'export.csv', '--plan', 'plan.json')).status).toBe(0)
    const page = readFileSync(path('sepa-migrate-report/report.html'), 'utf8')
    expect(page.indexOf('Planned and approved by one person')).toBeGreaterThan(0)
    expect(page.indexOf('Planned and approved by one person')).toBeLessThan(
      page.indexOf('<dl class="facts">'),
    )
  })

  it('stay as approved through a kill, and every drift on the way is refused by its name', async () => {
    const office = await open({ delayMs: 20 })
    const { path, server, run } = office
    await run('plan', 'export.csv', '--concurrency', '2')
    await run('approve', 'plan.json', '--by', 'Ada', '--reason', 'alone', '--same-person')
    const under = ['run', 'export.csv', '--plan', 'plan.json', '--concurrency', '2']
    const killed = office.start(under)
    await server.whenReceived(5)
    killed.child.kill('SIGKILL')
    await killed.ended
    const before = server.posts()
    const text = readFileSync(path('export.csv'), 'utf8')
    for (const [args, says] of [
      [[...under, '--max-in-doubt', '99'], /setting changed: maxInDoubt from 10 to 99/],
      [
        [...under, '--read-back', '--check-before-send'],
        /setting changed: checkBeforeSend from false to true/,
      ],
    ] as const) {
      const { status, stderr } = await run(...args)
      expect(stderr).toMatch(says)
      expect(stderr).toContain('Nothing was admitted, nothing was sent')
      expect(status).toBe(2)
    }
    appendFileSync(path('export.csv'), '\n')
    const changed = await run(...under)
    expect([changed.status, changed.stderr]).toEqual([
      2,
      expect.stringContaining('source changed: "export.csv"'),
    ])
    writeFileSync(path('export.csv'), text)
    expect(server.posts()).toBe(before)
    const rest = await run(...under)
    expect([0, 4]).toContain(rest.status) // what was under way at the kill is in doubt
    expect(server.posts()).toBe(ROWS)
    expect(server.twice()).toEqual([])
  })
})

describe('approval: required', () => {
  const CONFIGURED = 'approval: required\napprovalValidFor: 2h\n'

  it('makes an approved plan the only way to another machine', async () => {
    const { path, server, run, plan } = await open({ isReal: true })
    writeFileSync(path('sepa-migrate.yaml'), CONFIGURED, { mode: 0o600 })
    const unplanned = await run('run', 'export.csv', '--yes')
    expect(unplanned.status).toBe(2)
    expect(unplanned.stderr).toMatch(
      /needs an approved plan, and none was given; nothing was sent[^]*sepa-migrate plan FILE --to plan\.json; sepa-migrate approve plan\.json/,
    )
    await run('plan', 'export.csv')
    expect(plan().settings).toMatchObject({ approval: 'required', configuration: path('sepa-migrate.yaml') })
    const early = await run('run', 'export.csv', '--yes', '--plan', 'plan.json')
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining('not approved')])
    await run('approve', 'plan.json', '--by', 'Ada', '--reason', 'alone', '--same-person')
    const [record] = look(path('sepa-migrate.db'), (ledger) => ledger.plans())
    const { approvedAt = '', expiresAt = '' } = record?.approvals[0] ?? {}
    expect(Date.parse(expiresAt) - Date.parse(approvedAt)).toBe(2 * 3_600_000)
    // The prompt stays: without a terminal it is --yes.
    const unasked = await run('run', 'export.csv', '--plan', 'plan.json')
    expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('needs a confirmation')])
    expect(server.posts()).toBe(0)
    const sent = await run('run', 'export.csv', '--yes', '--plan', 'plan.json', '--limit', '3')
    expect(sent.stderr).toMatch(
      /Approved plan: [0-9a-f]{12}, by Ada at .*[^]*the same person planned and approved it/,
    )
    expect(sent.stdout).toContain('Next: sepa-migrate run --plan plan.json')
    expect(sent.status).toBe(5)
    expect((await run('status')).stdout).toContain('Next: sepa-migrate plan')
    expect((await run('run', '--yes', '--plan', 'plan.json')).status).toBe(0)
    expect(server.posts()).toBe(ROWS)
    // Another configuration does not undo what was required of the campaign.
    writeFileSync(path('other.yaml'), '', { mode: 0o600 })
    writeFileSync(path('more.csv'), validExport(2, 90))
    const weakened = await run('run', 'more.csv', '--yes', '--config', 'other.yaml')
    expect([weakened.status, weakened.stderr]).toEqual([
      2,
      expect.stringContaining('This campaign needs an approved plan'),
    ])
    expect(server.posts()).toBe(ROWS)
  })

  it('holds for rows that a person decides to send once more, which need a plan from after that', async () => {
    const office = await open({ isReal: true, delayMs: 300 })
    const { path, server, run } = office
    writeFileSync(path('sepa-migrate.yaml'), CONFIGURED, { mode: 0o600 })
    const yes = ['--yes', '--plan', 'plan.json']
    const approve = ['approve', 'plan.json', '--by', 'Ada', '--reason', 'alone', '--same-person']
    await run('plan', 'export.csv')
    await run(...approve)
    const killed = office.start(['run', 'export.csv', ...yes])
    await server.whenReceived(1)
    killed.child.kill('SIGKILL')
    await killed.ended
    const again = ['--as', 'resend', '--yes-resend', 'MANDATE-1']
    const resolved = await run('resolve', '--row', '1', '--reason', 'not there', ...again)
    expect(resolved.stderr).toBe('')
    expect(resolved.stdout).toMatch(
      /1 row leaves only under a plan that is made and approved after this decision/,
    )
    const before = server.posts()
    const refused = await run('run', ...yes)
    expect(refused.stderr).toContain('rows changed: 1 row was decided to be sent once more since')
    expect(refused.status).toBe(2)
    expect(server.posts()).toBe(before)
    await run('plan')
    await run(...approve)
    expect((await run('run', ...yes)).stderr).not.toContain('Error')
    expect(server.posts()).toBeGreaterThan(before)
  })

  it.each([
    [
      'a word that it does not know',
      'approval: optional\n',
      /approval: "optional" is not the word "required"/,
    ],
    ['no text', 'approval: true\n', /approval: true is not the word "required"/],
  ])('is refused with %s', async (_, text, message) => {
    const { path, run } = await open()
    writeFileSync(path('sepa-migrate.yaml'), text, { mode: 0o600 })
    const { status, stderr } = await run('plan', 'export.csv')
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  it('has no flag that could weaken it', async () => {
    const { run } = await open()
    const { status, stderr } = await run('run', 'export.csv', '--approval', 'none')
    expect([status, stderr]).toEqual([2, expect.stringContaining('unknown option')])
  })
})

describe('plan', () => {
  it('prints one document with the plan, and writes it with its page for its owner alone', async () => {
    const { path, run, plan } = await open()
    const { status, stdout, stderr } = await run('plan', 'export.csv', '--json')
    expect([status, stderr]).toEqual([0, ''])
    const document = JSON.parse(stdout) as {
      plan: PlanDocument
      totals: unknown
      files: Record<string, string>
    }
    expect(document.plan).toEqual(plan())
    expect(document.totals).toMatchObject({ ready: ROWS })
    expect(document.files).toEqual({ 'plan.json': 'plan.json', 'plan.html': 'plan.html' })
    const first = plan().digest
    appendFileSync(path('export.csv'), validExport(1, 99).split('\n')[1] ?? '')
    expect((await run('plan', 'export.csv')).status).toBe(0)
    expect(plan().digest).not.toBe(first)
    expect(readFileSync(path('plan.html'), 'utf8')).toContain('changed: source export.csv')
    appendFileSync(path('plan.json'), ' ')
    const kept = await run('plan', 'export.csv')
    expect([kept.status, kept.stderr]).toEqual([
      2,
      expect.stringContaining('is not overwritten; nothing was planned'),
    ])
  })
})
