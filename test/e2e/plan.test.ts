import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/domain/plan/plan.js'
import { newKey, type Pair } from '../ledger/plan/approvals.js'
import { validExport } from '../support/export.js'
import { placeOfTest } from '../support/place.js'
import { runProgram, type Ended } from '../support/program.js'

const ROWS = 30
let approvers = 0

async function open(truth: { delayMs?: number; isReal?: boolean } = {}) {
  const place = await placeOfTest({
    ...{ rows: ROWS, truth, ownState: true },
    env: { SEPA_MIGRATE_BY: 'Ada' },
  })
  const { path, read, program } = place
  return {
    ...place,
    run: program,
    /** What the plan on disk says. */
    plan: () => JSON.parse(read('plan.json')) as PlanDocument,
    /** The approver, elsewhere: gets the plan, signs it with this key, and what they wrote is laid beside it. */
    sign: async (pair: Pair): Promise<Ended> => {
      const cwd = path(`approver-${String((approvers += 1))}`)
      mkdirSync(cwd)
      const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' })
      writeFileSync(join(cwd, 'key.pem'), pem, { mode: 0o600 })
      copyFileSync(path('plan.json'), join(cwd, 'plan.json'))
      const ended = await runProgram(['approve', 'plan.json', '--by', 'Grace', '--key', 'key.pem'], {
        cwd,
        env: {},
      })
      expect(ended.status).toBe(0)
      copyFileSync(join(cwd, 'plan.approval.json'), path('plan.approval.json'))
      return ended
    },
  }
}

/** For somebody who says that there is a mail. */
const MAIL = ['approve', 'plan.json', '--by', 'Grace', '--reference', 'mail of 12 June']

describe('plan, approve, run', () => {
  it('are three processes, the approver without the ledger, and the report says what is proven', async () => {
    const { read, write, json, truth, run, plan, sign } = await open()
    const [grace, eve] = [newKey(), newKey()]
    write('grace.pem', grace.pem)
    write('sepa-migrate.yaml', 'approvers:\n  Grace: grace.pem\n')
    expect((await run('run', 'export.csv', '--limit', '3', '--rate', '500')).status).toBe(5)
    const made = await run('plan', '--to', 'plan.json', '--rate', '500')
    expect(made.stdout).toMatch(/To send: 27 rows[^]*rate: 500[^]*Nothing was sent, and no file was admitted/)
    expect(plan().settings).toMatchObject({ approvers: { Grace: grace.key } })
    expect((await run('status')).stdout).toMatch(
      /Latest plan: \w{12} by Ada, .* 27 rows; no approval on record/,
    )
    const under = ['run', '--plan', 'plan.json', '--rate', '500']

    // The planner has a key too, and a mail.
    await sign(eve)
    const forged = await run(...under)
    expect([forged.status, forged.stderr]).toEqual([2, expect.stringContaining(`with the key ${eve.key}`)])
    const mailed = await run(...MAIL)
    expect([mailed.status, mailed.stderr]).toEqual([
      2,
      expect.stringContaining('with the key of an approver'),
    ])
    expect(truth().posts()).toBe(3)

    const signed = await sign(grace)
    expect(signed.stderr).toContain('To send: 27 rows')
    expect(signed.stdout).toMatch(
      new RegExp(`Approved by Grace in plan.approval.json, until .* ${grace.key}`),
    )
    expect(signed.stdout).toContain(`Whose key counts: Grace (key ${grace.key})`)
    const ended = await run(...under)
    expect(ended.stderr).not.toMatch(/Error|Warning/)
    expect(ended.status).toBe(0)
    expect(truth().posts()).toBe(ROWS)
    expect(await json('status')).toMatchObject({
      latestPlan: { digest: plan().digest, plannedBy: 'Ada', rows: 27, approvedBy: 'Grace' },
    })
    const page = read('report.html')
    expect(page).toContain(`Rows: 27; proven for this key, never for this person: ${grace.key}`)
    expect(page).toMatch(/Sent under no approval<[^]*?Rows: 3</)
    const summary = JSON.parse(read('summary.json')) as {
      plans: unknown[]
      runs: unknown[]
    }
    expect(summary.plans).toMatchObject([{ approvals: [{ approvedBy: 'Grace', key: grace.key }] }])
    expect(summary.runs).toMatchObject([{}, { settings: { plan: plan().digest, approval: 1 } }])
    // Other approvers would be those of the planner's choice.
    write('grace.pem', eve.pem)
    const changed = await run('plan')
    expect([changed.status, changed.stderr]).toEqual([2, expect.stringContaining('"Grace" has another key')])
  })

  it('without a key are recorded and not proven, and the report says so', async () => {
    const { read, truth, run, plan } = await open()
    await run('plan', 'export.csv')
    const early = await run('run', 'export.csv', '--plan', 'plan.json')
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining('not approved')])
    for (const args of [
      MAIL.slice(0, 4),
      [...MAIL, '--key', 'key.pem'],
      ['approve', 'plan.json', ...MAIL.slice(4)],
    ])
      expect((await run(...args)).stderr).toContain('needs a person, without an account number, and either')
    expect(truth().posts()).toBe(0)
    const recorded = await run(...MAIL)
    expect(recorded.stdout).toMatch(/Approved by Grace until .*: recorded, not proven \(mail of 12 June\)/)
    expect(recorded.stdout).toContain('Next: sepa-migrate run export.csv --plan plan.json')
    expect((await run('run', 'export.csv', '--plan', 'plan.json')).status).toBe(0)
    const page = read('report.html')
    expect(page).toContain('Rows: 30; recorded, not proven: mail of 12 June')
    expect(page).not.toContain('Sent under no approval')
    expect(plan().settings).toMatchObject({ approvers: {} })
  })

  it('stay as approved through a kill, and every drift on the way is refused by its name', async () => {
    const office = await open({ delayMs: 20 })
    const { path, read, write, truth, run } = office
    await run('plan', 'export.csv', '--concurrency', '2')
    await run(...MAIL)
    const under = ['run', 'export.csv', '--plan', 'plan.json', '--concurrency', '2']
    const killed = office.start(...under)
    await truth().whenReceived(5)
    killed.child.kill('SIGKILL')
    await killed.ended
    const before = truth().posts()
    const text = read('export.csv')
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
    write('export.csv', text)
    expect(truth().posts()).toBe(before)
    const rest = await run(...under)
    expect([0, 4]).toContain(rest.status) // what was under way at the kill is in doubt
    expect(truth().posts()).toBe(ROWS)
    expect(truth().twice()).toEqual([])
  })
})

describe('approval: required', () => {
  const CONFIGURED = 'approval: required\napprovalValidFor: 2h\n'

  it('makes an approved plan the only way to send', async () => {
    const { path, write, truth, ledger, run, plan } = await open({ isReal: true })
    write('sepa-migrate.yaml', CONFIGURED)
    const unplanned = await run('run', 'export.csv', '--yes')
    expect(unplanned.status).toBe(2)
    expect(unplanned.stderr).toMatch(
      /needs an approved plan, and none was given; nothing was sent[^]*sepa-migrate plan FILE --to plan\.json; sepa-migrate approve plan\.json/,
    )
    await run('plan', 'export.csv')
    expect(plan().settings).toMatchObject({ approval: 'required', configuration: path('sepa-migrate.yaml') })
    const early = await run('run', 'export.csv', '--yes', '--plan', 'plan.json')
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining('not approved')])
    await run(...MAIL)
    const [record] = ledger((reader) => reader.plans())
    const { approvedAt = '', expiresAt = '' } = record?.approvals[0] ?? {}
    expect(Date.parse(expiresAt) - Date.parse(approvedAt)).toBe(2 * 3_600_000)
    // The prompt stays: without a terminal it is --yes.
    const unasked = await run('run', 'export.csv', '--plan', 'plan.json')
    expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('needs a confirmation')])
    expect(truth().posts()).toBe(0)
    const sent = await run('run', 'export.csv', '--yes', '--plan', 'plan.json', '--limit', '3')
    expect(sent.stderr).toMatch(
      /Approved plan: [0-9a-f]{12}, by Grace at .*[^]*that approval is recorded, not proven \(mail of 12 June\)/,
    )
    expect(sent.stdout).toContain('Next: sepa-migrate run --plan plan.json')
    expect(sent.status).toBe(5)
    expect((await run('status')).stdout).toContain('Next: sepa-migrate plan')
    expect((await run('run', '--yes', '--plan', 'plan.json')).status).toBe(0)
    expect(truth().posts()).toBe(ROWS)
    // Another configuration does not undo what was required of the campaign.
    write('other.yaml', '')
    write('more.csv', validExport(2, 90))
    const weakened = await run('run', 'more.csv', '--yes', '--config', 'other.yaml')
    expect([weakened.status, weakened.stderr]).toEqual([
      2,
      expect.stringContaining('This campaign needs an approved plan'),
    ])
    expect(truth().posts()).toBe(ROWS)
  })

  it('holds for rows that a person decides to send once more, which need a plan from after that', async () => {
    const office = await open({ isReal: true, delayMs: 300 })
    const { write, truth, run } = office
    write('sepa-migrate.yaml', CONFIGURED)
    const yes = ['--yes', '--plan', 'plan.json']
    await run('plan', 'export.csv')
    await run(...MAIL)
    const killed = office.start('run', 'export.csv', ...yes)
    await truth().whenReceived(1)
    killed.child.kill('SIGKILL')
    await killed.ended
    const again = ['--as', 'resend', '--yes-resend', 'MANDATE-1']
    const resolved = await run('resolve', '--row', '1', '--reason', 'not there', ...again)
    expect(resolved.stderr).toBe('')
    expect(resolved.stdout).toMatch(
      /1 row leaves only under a plan that is made and approved after this decision/,
    )
    const before = truth().posts()
    const refused = await run('run', ...yes)
    expect(refused.stderr).toContain('rows changed: 1 row was decided to be sent once more since')
    expect(refused.status).toBe(2)
    expect(truth().posts()).toBe(before)
    await run('plan')
    await run(...MAIL)
    expect((await run('run', ...yes)).stderr).not.toContain('Error')
    expect(truth().posts()).toBeGreaterThan(before)
  })

  it.each([
    [
      'a word that it does not know',
      'approval: optional\n',
      /approval: "optional" is not the word "required"/,
    ],
    ['no text', 'approval: true\n', /approval: true is not the word "required"/],
  ])('is refused with %s', async (_, text, message) => {
    const { write, run } = await open()
    write('sepa-migrate.yaml', text)
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
    const { path, read, run, plan } = await open()
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
    expect(read('plan.html')).toContain('changed: source export.csv')
    appendFileSync(path('plan.json'), ' ')
    const kept = await run('plan', 'export.csv')
    expect([kept.status, kept.stderr]).toEqual([
      2,
      expect.stringContaining('is not overwritten; nothing was planned'),
    ])
  })
})
