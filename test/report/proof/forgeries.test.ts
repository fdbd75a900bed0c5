import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { approvalIn, findPlan, textOfApproval } from '../../../src/migrate/plan.js'
import { textOfPlan } from '../../../src/domain/plan/plan.js'
import { openRegister } from '../../../src/register/campaign-register.js'
import { PACK_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { provePack } from '../../../src/report/proof/prove-pack.js'
import { LedgerError } from '../../../src/errors.js'
import {
  admit,
  mandates,
  open,
  OTHER_IBAN,
  refused,
  registered,
  send,
  SETTINGS,
} from '../../ledger/campaign-setup.js'
import { execute, forge } from '../../ledger/ledger-views.js'
import { newKey, signed } from '../../ledger/plan/approvals.js'
import { approvedBy, planOf } from '../../ledger/plan/plan-document.js'
import { freshFolder } from '../../support/folder.js'

const SIGNER = generateKeyPairSync('ed25519')
const GRACE = newKey()

/** What was forged, and by what it is found. */
const table: [file: string, forgery: string, found: string][] = []
const note = (...line: (typeof table)[number]): void => void table.push(line)

async function campaign(signWith?: typeof SIGNER.privateKey) {
  const ledger = open()
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  admit(ledger, [...mandates(4), { reference: 'M-9', customerNo: 9, verdict: 'invalid', mandateKey: null }])
  const folder = join(freshFolder(), 'state')
  const register = () =>
    openRegister({
      folder,
      baseUrl: 'https://billing.example',
      ledger: ledger.file,
      claims: ledger.claims,
      guardsMandates: true,
      takeOver: null,
      sharedFolder: false,
    })
  const claimed = register()
  claimed.note()
  claimed.hold({})
  claimed.claim(null, null)
  for (const outcome of [registered('NEW-1'), refused()]) await send(ledger, outcome)
  claimed.close()
  const settings = approvedBy({ Grace: GRACE.key })
  const [plan, other] = [planOf(settings), planOf({ ...settings, limit: 40 })]
  for (const each of [plan, other]) ledger.plans.record(each)
  ledger.plans.approve(signed(plan.digest, GRACE))
  const out = join(freshFolder(), 'pack')
  await writeReport(ledger.file, signWith === undefined ? { out } : { out, signWith })
  return { ledger, out, plan, other, register, registerFile: join(folder, 'register.db') }
}

/** Somebody who knows the program makes every hash of the manifest anew. */
function madeAnew(out: string): void {
  const path = join(out, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { files: { name: string }[] }
  const files = manifest.files.map(({ name }) => {
    const bytes = readFileSync(join(out, name))
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  writeFileSync(path, `${JSON.stringify({ ...manifest, files }, null, 2)}\n`)
}

async function verdict(out: string, file: string, beside: Parameters<typeof provePack>[1]): Promise<string> {
  const { discrepancies, notProven } = await provePack(out, beside)
  const [first] = discrepancies
  return first?.kind ?? (notProven.includes(file) ? 'not proven' : 'HOLDS')
}

it.each([
  ['unsigned', undefined],
  ['signed', SIGNER.privateKey],
])('every file of a pack that is %s', async (what, key) => {
  const { ledger, out } = await campaign(key)
  const reader = openLedgerReader(ledger.file)
  for (const file of [...PACK_FILES, ...(key === undefined ? [] : ['manifest.sig'])])
    for (const isAnew of [false, true]) {
      if (isAnew && file === 'manifest.sig') continue
      const forged = join(freshFolder(), 'pack')
      cpSync(out, forged, { recursive: true })
      const path = join(forged, file)
      if (file === 'manifest.json')
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace('"read": 5', isAnew ? '"read": 6' : '"read":  5'),
        )
      else writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from(' ')]))
      if (isAnew && file !== 'manifest.json') madeAnew(forged)
      const modes = [
        ['alone', { key: null, ledger: null }],
        ['--ledger', { key: null, ledger: reader }],
        ['--key', { key: SIGNER.publicKey, ledger: null }],
      ] as const
      const found: string[] = []
      for (const [mode, beside] of modes) {
        const said = await verdict(forged, file, beside)
        found.push(`${mode}: ${said}`)
        expect(said, `${file} ${mode}`).not.toBe('HOLDS')
      }
      note(`${what} ${file}`, isAnew ? 'and manifest made anew' : 'a byte', found.join(', '))
    }
  reader.close()
})

/** As what it is refused, or the words of it. */
function refusal(attempt: () => unknown): string {
  try {
    attempt()
    return 'NOT FOUND'
  } catch (error) {
    return error instanceof LedgerError
      ? `refused: ${error.problem}, ${error.exitCode}`
      : `refused: ${(error as Error).message.replaceAll(/"[^"]*"/g, '…').slice(0, 70)}`
  }
}
const countApprovals = ({ view }: Ledger): string => {
  const counts = view.plans().map(({ approvals }) => approvals.filter(({ key }) => key === GRACE.key).length)
  return counts[1] === 0 ? `approvals that count for the plan that was put in: ${counts[1]}` : 'NOT FOUND'
}

it('plan, approval, ledger and register', async () => {
  const { ledger, plan, other } = await campaign()
  const path = join(dirname(ledger.file), 'plan.json')
  writeFileSync(path, textOfPlan(plan).replace('"acme"', '"evil"'))
  note(
    'plan.json',
    'a word',
    refusal(() => findPlan(ledger.view, path)),
  )
  writeFileSync(path, textOfPlan(planOf({ limit: 7 })))
  note(
    'plan.json',
    'made anew with its digest',
    refusal(() => findPlan(ledger.view, path)),
  )
  const approval = signed(other.digest, GRACE)
  const text = textOfApproval({ ...approval, signature: approval.signature ?? '' })
  note(
    'approval',
    'a blank',
    approvalIn(`${text} `) === null ? 'refused: not as it was written' : 'NOT FOUND',
  )
  for (const [what, change] of [
    ['another name', { approvedBy: 'Eve' }],
    ['a later end', { expiresAt: '2027-06-18T10:00:00.000Z' }],
    ['another plan', { plan: plan.digest }],
  ] as const)
    note(
      'approval',
      what,
      refusal(() => ledger.plans.approve({ ...approval, ...change })),
    )
  note(
    'approval',
    'with a key of their own',
    refusal(() => ledger.plans.approve(signed(other.digest, newKey()))),
  )

  const byHand = async (
    forgery: string,
    sql: string,
    found: (of: Awaited<ReturnType<typeof campaign>>) => string | Promise<string>,
  ) => {
    const of = await campaign()
    forge(of.ledger.file, sql)
    note('ledger', forgery, await found(of))
  }
  const sends = ({ ledger: { ready } }: { ledger: Ledger }): string => refusal(() => ready(0, 10))
  execute(ledger.file, 'drop trigger row_content_stays')
  note(
    'ledger',
    'a guard dropped',
    refusal(() => openLedgerReader(ledger.file)),
  )
  await byHand('the account of a row', `update row set iban = '${OTHER_IBAN}' where id = 3`, sends)
  await byHand('the customer of a row', 'update row set customer_no = 77 where id = 3', sends)
  await byHand(
    'a row that was begun is ready again',
    `delete from attempt where row_id = 2; update row set state = 'ready', attempts = 0 where id = 2; insert into attempt
       (id, row_id, n, run_id, mandate_key, request_id, started_at, ended_at, outcome) values (9, 5, 1, 1, 'k', 'r', 'now', 'now', 'refused')`,
    (of) => refusal(() => of.register().note()),
  )
  await byHand(
    'the approval of one plan given to another',
    'update approval set digest = (select digest from plan where id = 2)',
    (of) => countApprovals(of.ledger),
  )
  await byHand(
    'a document under the digest that was approved',
    `update plan set document = (select document from plan where id = 2) where id = 1`,
    (of) => countApprovals(of.ledger),
  )
  for (const [what, sql] of [
    [
      'its last change a moment earlier, beside its pack',
      `update campaign set changed_at = '2026-06-15T09:59:59.999Z'`,
    ],
    [
      'an identifier of a registered row, beside its pack',
      `update row set assigned_mandate_reference = 'NEW-9' where id = 1`,
    ],
  ] as const)
    await byHand(what, sql, async (of) => {
      const reader = openLedgerReader(of.ledger.file)
      const said = await verdict(of.out, 'registered.csv', { key: null, ledger: reader })
      reader.close()
      return said
    })

  const inRegister = async (forgery: string, change: (file: string) => void) => {
    const of = await campaign()
    change(of.registerFile)
    note(
      'register',
      forgery,
      refusal(() => of.register().note()),
    )
  }
  await inRegister('cut', (file) => truncateSync(file, 0))
  await inRegister('more attempts', (file) => execute(file, 'update ledger set attempts = 99'))
  await inRegister('another mark', (file) => execute(file, `update ledger set mark = 'x'`))
  await inRegister('another decision', (file) =>
    execute(file, `update ledger set decided = '{"decision":"9 x"}'`),
  )
  await inRegister('a row called begun', (file) => execute(file, 'update mandate set begun = 1'))
  await inRegister('retired', (file) => execute(file, `update ledger set retired_by = 'x'`))
  await inRegister('fewer attempts: it knows less', (file) => execute(file, 'update ledger set attempts = 0'))
  await inRegister('nothing begun: it knows less', (file) => execute(file, 'update mandate set begun = 0'))
  const missed = table
    .filter(([, , found]) => /NOT FOUND|HOLDS/.test(found))
    .map(([file, forgery]) => `${file}: ${forgery}`)
  const width = (at: 0 | 1): number => Math.max(...table.map((line) => line[at].length))
  for (const [file, forgery, found] of table)
    process.stdout.write(`${file.padEnd(width(0))}  ${forgery.padEnd(width(1))}  ${found}\n`)
  // Who owns both files can make the register know less; then the ledger speaks for itself.
  expect(missed).toEqual([
    'register: fewer attempts: it knows less',
    'register: nothing begun: it knows less',
  ])
})
