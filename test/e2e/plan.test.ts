import { chownSync, copyFileSync, existsSync, mkdtempSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { textOfPlan, type PlanDocument } from '../../src/domain/plan/plan.js'
import { planDigestOf } from '../../src/ledger/plan/plans.js'
import { newKey, type Pair } from '../ledger/plan/approvals.js'
import { germanIban, validExport } from '../support/export.js'
import { placeOfTest } from '../support/place.js'
import { makeFolder, runProgram, type Ended } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'

const ROWS = 30

async function open(truth: { isReal?: boolean } = {}) {
  const env = { SEPA_MIGRATE_BY: 'Ada' }
  const place = await placeOfTest({ rows: ROWS, truth, ownState: true, env })
  const { path, read, program } = place
  return {
    ...place,
    run: program,
    refused: async (says: string, ...args: string[]): Promise<void> =>
      expect((await place.ends(2, ...args)).stderr).toContain(says),
    /** What the plan on disk says. */
    plan: () => JSON.parse(read('plan.json')) as PlanDocument,
    /** The approver, elsewhere: gets the plan, signs it with this key, and what they wrote is laid beside it. */
    sign: async (pair: Pair, user = 'grace'): Promise<Ended> => {
      const cwd = mkdtempSync(path('approver-'))
      const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' })
      writeFileSync(join(cwd, 'key.pem'), pem, { mode: 0o600 })
      copyFileSync(path('plan.json'), join(cwd, 'plan.json'))
      const ended = await runProgram([...SIGN, '--yes'], { cwd, env: {}, user })
      if (ended.status === 0) copyFileSync(join(cwd, 'plan.approval.json'), path('plan.approval.json'))
      return ended
    },
  }
}

const SIGN = ['approve', 'plan.json', '--by', 'Grace', '--key', 'key.pem']
/** For somebody who says that there is a mail. */
const MAIL = ['approve', 'plan.json', '--by', 'Grace', '--reference', 'mail of 12 June', '--yes']

it('plan, approve, run are three processes, the approver without the ledger, and the report says what is proven', async () => {
  const { read, write, json, truth, run, plan, sign, refused } = await open()
  const [grace, eve] = [newKey(), newKey()]
  write('grace.pem', grace.pem)
  write('sepa-migrate.yaml', 'approvers:\n  Grace: grace.pem\n')
  expect((await run('run', 'export.csv', '--limit', '3', '--rate', '500')).status).toBe(5)
  const made = await run('plan', '--to', 'plan.json', '--rate', '500')
  expect(made.stdout).toMatch(/To send: 27 rows[^]*rate: 500[^]*Nothing was sent, and no file was admitted/)
  expect((await run('status')).stdout).toMatch(/Latest plan: .* by Ada, .* 27 rows; no approval on record/)
  const under = ['run', '--plan', 'plan.json', '--rate', '500']

  // The planner has a key too, and a mail.
  await sign(eve)
  await refused(`with the key ${eve.key}`, ...under)
  await refused('with the key of an approver', ...MAIL)
  expect(truth().posts()).toBe(3)

  const signed = await sign(grace)
  expect(signed.stderr).toContain('To send: 27 rows')
  expect(signed.stdout).toMatch(new RegExp(`Approved by Grace in plan.approval.json, until .* ${grace.key}`))
  expect(signed.stdout).toContain(`Whose key counts: Grace (key ${grace.key})`)
  const ended = await run(...under)
  expect(ended.stderr).not.toMatch(/Error|Warning/)
  expect(ended.status).toBe(0)
  expect(truth().posts()).toBe(ROWS)
  const latestPlan = { digest: plan().digest, plannedBy: 'Ada', rows: 27, approvedBy: 'Grace' }
  expect(await json('status')).toMatchObject({ latestPlan })
  const page = read('report.html')
  expect(page).toContain(`Rows: 27; proven for this key, never for this person: ${grace.key}`)
  expect(page).toMatch(/Sent under no approval<[^]*?Rows: 3</)
  expect(JSON.parse(read('summary.json'))).toMatchObject({
    plans: [{ approvals: [{ approvedBy: 'Grace', key: grace.key }] }],
    runs: [{}, { settings: { plan: plan().digest, approval: 1 } }],
  })
  // Other approvers would be those of the planner's choice.
  write('grace.pem', eve.pem)
  await refused('not those that this ledger was bound to', 'plan')
})

it('approval: required makes an approved plan the only way to send, whatever a later configuration says', async () => {
  const { path, read, write, truth, sign, run, plan, refused } = await open({ isReal: true })
  write('sepa-migrate.yaml', 'approval: required\napprovalValidFor: 2h\n')
  await refused('needs an approved plan, and none was given; nothing was sent', 'run', 'export.csv', '--yes')
  await run('plan', 'export.csv')
  expect(plan().settings).toMatchObject({ approval: 'required', configuration: path('sepa-migrate.yaml') })
  await refused('not approved', 'run', 'export.csv', '--yes', '--plan', 'plan.json')
  for (const args of [MAIL.slice(0, 4), [...MAIL, '--key', 'key.pem'], MAIL.toSpliced(2, 2)])
    await refused('needs a person, without an account number, and either', ...args)
  // Whoever planned records no approval of somebody else.
  await refused('Ada planned this, and the same person or user approves it', ...MAIL)
  const own = await sign(newKey(), plan().plannedAs ?? '')
  expect(own).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the same person or user') as string,
  })
  expect((await sign(newKey())).status).toBe(0)
  // The prompt stays: without a terminal it is --yes.
  await refused('needs a confirmation', 'run', 'export.csv', '--plan', 'plan.json')
  expect(truth().posts()).toBe(0)
  const sent = await run('run', 'export.csv', '--yes', '--plan', 'plan.json', '--limit', '3')
  expect(sent.stderr).toMatch(/Approved plan: [0-9a-f]{12}, by Grace at .*[^]*proven for the key/)
  expect(sent.stdout).toContain('Next: sepa-migrate run --plan plan.json')
  expect((await run('run', '--yes', '--plan', 'plan.json')).status).toBe(0)
  expect(truth().posts()).toBe(ROWS)
  expect(read('report.html')).not.toContain('Sent under no approval')
  // Another configuration does not undo what was required of the campaign.
  write('other.yaml', '')
  write('more.csv', validExport(2, 90))
  await refused('This campaign needs an approved plan', 'run', 'more.csv', '--yes', '--config', 'other.yaml')
  expect(truth().posts()).toBe(ROWS)
})

it('where none is required, an approval is recorded, and it is said that the same user did both', async () => {
  const { write, read, truth, run, ledger } = await open()
  write('sepa-migrate.yaml', 'approvalValidFor: 2h\n')
  await run('plan', 'export.csv')
  const recorded = await run(...MAIL)
  expect(recorded.stderr).toMatch(/Warning: Ada planned this, and the same person or user approves it/)
  expect(recorded.stdout).toMatch(/Approved by Grace until .*: recorded, not proven \(mail of 12 June\)/)
  const [record] = ledger((reader) => reader.plans())
  const { approvedAt = '', expiresAt = '' } = record?.approvals[0] ?? {}
  expect(Date.parse(expiresAt) - Date.parse(approvedAt)).toBe(2 * 3_600_000)
  expect((await run('run', 'export.csv', '--yes', '--plan', 'plan.json')).status).toBe(0)
  expect(truth().posts()).toBe(ROWS)
  expect(read('report.html')).toContain('Rows: 30; recorded, not proven: mail of 12 June')
})

it('approve shows the settings that differ by itself, whatever the plan says of them', async () => {
  const { write, plan, run } = await open()
  await run('plan', 'export.csv', '--rate', '77')
  const { digest: _, ...body } = { ...plan(), changedSettings: [] }
  write('plan.json', textOfPlan({ digest: planDigestOf(body), ...body }))
  const shown = await run('approve', 'plan.json', '--by', 'Grace', '--reference', 'mail', '--yes')
  expect(shown.stderr).toMatch(/Non-default settings[^]*rate: 77/)
})

it('approve asks for a word on a terminal once the plan is shown, and nobody where there is none', async () => {
  const { path, folder, write, run } = await open()
  await run('plan', 'export.csv', '--rate', '77')
  write('key.pem', newKey().privateKey.export({ type: 'pkcs8', format: 'pem' }))
  for (const word of ['yes', 'approve']) {
    const session = openTerminal(SIGN, { cwd: folder(), columns: 120 })
    await session.shows('Type "approve"')
    expect((await session.screen()).join('\n')).toMatch(/rate: 77[^]*Type "approve" to approve .*, as Grace/)
    expect(existsSync(path('plan.approval.json'))).toBe(false)
    session.type(`${word}\r`)
    expect(await session.ended).toBe(word === 'approve' ? 0 : 2)
    expect(existsSync(path('plan.approval.json'))).toBe(word === 'approve')
  }
  rmSync(path('plan.approval.json'))
  expect((await run(...SIGN)).status).toBe(0)
  expect(existsSync(path('plan.approval.json'))).toBe(true)
})

it.skipIf(process.getuid?.() !== 0)(
  'the planner approves with no key, their own or that of another user',
  async () => {
    const { folder, path, write, env, truth } = await open({ isReal: true })
    const [ada, grace] = [1, 2] // users that every Unix has
    write('sepa-migrate.yaml', 'approval: required\n')
    const key = newKey().privateKey.export({ type: 'pkcs8', format: 'pem' })
    const elsewhere = makeFolder()
    onTestFinished(elsewhere.remove)
    const theirs = (name: string): string => join(elsewhere.folder, name)
    for (const [home, uid] of [
      [folder(), ada],
      [elsewhere.folder, grace],
    ] as const) {
      writeFileSync(join(home, 'key.pem'), key, { mode: 0o600 })
      for (const name of [home, join(home, 'key.pem')]) chownSync(name, uid, uid)
    }
    const as = (uid: number, cwd: string, ...args: string[]) => runProgram(args, { cwd, uid, env: env() })
    for (const name of ['sepa-migrate.yaml', 'export.csv']) chownSync(path(name), ada, ada)
    const planned = await as(ada, folder(), 'plan', 'export.csv', '--by', 'Ada')
    expect(planned.status, planned.stderr).toBe(0)
    const own = await as(ada, folder(), ...SIGN, '--yes')
    expect(own.stderr).toContain('the same person or user approves it')
    const report = await as(ada, folder(), 'report', '--sign-with', theirs('key.pem'))
    expect(report.stderr).toContain('this user may not read it')
    const under = ['run', 'export.csv', '--plan', 'plan.json', '--yes']
    expect((await as(ada, folder(), ...under)).stderr).toContain('nobody has approved this plan')
    copyFileSync(path('plan.json'), theirs('plan.json'))
    chownSync(theirs('plan.json'), grace, grace)
    const signed = await as(grace, elsewhere.folder, ...SIGN, '--yes')
    expect(signed.status, signed.stderr).toBe(0)
    copyFileSync(theirs('plan.approval.json'), path('plan.approval.json'))
    chownSync(path('plan.approval.json'), ada, ada)
    expect(truth().posts()).toBe(0)
    const sent = await as(ada, folder(), ...under)
    expect(sent.status, sent.stderr).toBe(0)
    expect(truth().posts()).toBe(ROWS)
  },
)

it('a plan that is used up is not named any more, and a list of the report is named with its folder', async () => {
  const { write, read, run } = await open()
  write('bad.csv', validExport(4, 50).replace(/DE\d\d/, 'DE00'))
  await run('plan', 'bad.csv', '--limit', '2')
  await run(...MAIL)
  const piloted = await run('run', 'bad.csv', '--yes', '--plan', 'plan.json', '--limit', '2')
  expect([piloted.status, piloted.stdout]).toEqual([5, expect.stringMatching(/^Next: sepa-migrate plan$/m)])
  await run('run', '--yes')
  const list = 'sepa-migrate-report/to-do/corrections.csv'
  write('corrections.csv', read('corrections.csv').replace(/DE00\d{18}/, germanIban(50)))
  await run('plan', list, '--to', 'list.json')
  const approved = await run('approve', 'list.json', ...MAIL.slice(2))
  expect(approved.stdout).toContain(`Next: sepa-migrate run ${list} --plan list.json`)
})

it('what it says to type then has the flags that bear on which rows are there', async () => {
  const { run, write, plan } = await open()
  expect((await run('run', 'export.csv', '--limit', '1')).status).toBe(5)
  write('feb.csv', validExport(ROWS).replace(germanIban(2), germanIban(99)))
  const planned = await run('plan', 'feb.csv', '--newer', '--limit', '2')
  expect(planned.status, planned.stderr).toBe(0)
  const [, then = ''] = /Then:\n {2}sepa-migrate (.*)\n/.exec(planned.stdout) ?? []
  expect(then).toBe('run feb.csv --plan plan.json --newer')
  expect((await run(...MAIL)).status).toBe(0)
  const ended = await run(...then.split(' '))
  expect([ended.status, plan().choice], ended.stderr).toEqual([5, null])
  expect(ended.stdout).toMatch(/registered +3 /)
})
