import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Iban, LocalDate, Mandate } from '../../../src/domain/mandate/mandate.js'
import type { Finding } from '../../../src/domain/rule/verdict.js'
import { openDatabase } from '../../../src/driver.js'
import { UsageError } from '../../../src/errors.js'
import { createFingerprints } from '../../../src/ledger/admit/stored-row.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { emergencyPathOf } from '../../../src/ledger/safety/side-files.js'
import { writeReport } from '../../../src/report/pack/pack.js'
import { filesBelow } from '../../support/folder.js'
import { ibanOf } from '../../support/sample-values.js'
import {
  admit,
  compareWith,
  decide,
  open,
  played,
  readyRow,
  running,
  send,
  SETTINGS,
  stoppedClock,
} from '../campaign-setup.js'
import { inDoubt, refused, registered } from '../outcomes.js'
import { IBAN, mandateOf, mandates, OTHER_IBAN } from '../records.js'
import { problemsOf, execute, forge, look, query, rowsOf, statesOf } from '../ledger-views.js'

const NAME = 'Wilhelmina Vogelsang'
const MAIL = 'w.vogelsang@mail.example'
const STREET = 'Kastanienallee 17'
const SAID = 'Kundin verstorben'
const PLANTED = [NAME, MAIL, STREET, SAID, IBAN, OTHER_IBAN]
const WHO = { by: 'Ada', reason: 'request of 1 July', withOpenRows: true }

const finding = (value: string): Finding => ({
  ...{ rule: 'CUST_FORMAT', severity: 'error', field: 'customer_no', value },
  message: `The customer number is not a plain whole number. It is "${value}".`,
  remedy: `Ask ${value}`,
})

/** A campaign that is over, with personal data wherever a ledger can hold them. */
async function planted(clock = stoppedClock()): Promise<Ledger> {
  const ledger = open({ user: 'login', clock })
  ledger.startRun(SETTINGS)
  const cells = [NAME, MAIL, STREET, IBAN]
  admit(ledger, [
    { reference: 'M-1', customerNo: 1, cells },
    { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN, cells },
    { reference: 'M-3', customerNo: 3, cells },
    { reference: IBAN, customerNo: 4, verdict: 'invalid', findings: [finding(NAME), finding(MAIL)], cells },
    { reference: 'M-5', customerNo: 5, verdict: 'invalid', findings: [finding(STREET)], cells },
  ])
  const said = { message: SAID, answer: `{"message":"${SAID}"}`, serviceCode: SAID, field: NAME }
  await send(ledger, registered('NEW-1'))
  const [no, doubt] = [refused(), inDoubt()]
  const reason = `The service answered 422 (${SAID})`
  await send(ledger, { ...no, reason, evidence: { ...no.evidence, ...said } })
  await send(ledger, { ...doubt, reason: SAID, evidence: { ...doubt.evidence, ...said, status: 500 } })
  const words = { by: `Ada ${IBAN}`, reason: `${NAME} called about ${IBAN}` }
  decide(ledger, 3, 'written_off', { ...words, evidence: `${IBAN}.csv (SHA-256 ${'de89'.repeat(16)})` })
  return ledger
}

const filesBeside = (file: string): Buffer[] =>
  filesBelow(dirname(file)).map((name) => readFileSync(join(dirname(file), name)))

const textsIn = (ledger: Ledger): string[] => {
  const files = filesBeside(ledger.file)
  return PLANTED.filter((text) => files.some((bytes) => bytes.includes(text)))
}

it('what a person types is kept masked: reason, name, the file that was the evidence, that of an export', async () => {
  const ledger = await planted()
  admit(ledger, [{ reference: 'M-9', customerNo: 9, verdict: 'invalid' }], { name: `export-${IBAN}.csv` })
  const said = { by: 'Ada DE…3000', as: 'login', reason: `${NAME} called about DE…3000` }
  const evidence = `DE…3000.csv (SHA-256 ${'de89'.repeat(16)})`
  expect(ledger.view.decisionsOfRow(3)).toMatchObject([{ ...said, evidence }])
  expect(ledger.view.sources().at(-1)?.name).toBe('export-DE…3000.csv')
})

describe('a purge', () => {
  it('leaves nothing planted in any file of the ledger; totals, states, rules, references and history stay', async () => {
    const opened = await planted()
    opened.close()
    const ledger = open({ file: opened.file, user: 'login' })
    const emergency = emergencyPathOf(ledger.file)
    writeFileSync(emergency, `${JSON.stringify({ message: SAID, iban: IBAN })}\n`, { mode: 0o600 })
    expect(textsIn(ledger)).toEqual(PLANTED)
    const standing = (): unknown =>
      look(ledger.file, (reader) => [
        ...[reader.totals(), reader.problemCounts(), reader.distinctCounts(), reader.runs()],
        rowsOf(ledger.file).map(
          ({ cells: _, originalMandateReference: __, mandateKey: ___, lastAttempt: last, ...row }) => [
            row,
            last?.requestId,
            last?.outcome,
          ],
        ),
      ])
    const before = standing()
    const report = ledger.purge({ ...WHO, reason: `done ${IBAN}` })
    expect(report).toEqual({ rows: 4, isErased: true, removedFiles: [emergency] })
    expect(textsIn(ledger)).toEqual([])
    expect(standing()).toEqual(before)
    expect(ledger.view.campaign()).toMatchObject({ purgedAt: ledger.view.campaign().changedAt })
    const [purged] = query(ledger.file, 'select secret, purged_by, purge_reason from campaign')
    expect(purged).toEqual({ secret: null, purged_by: 'Ada', purge_reason: 'done DE…3000' })
    const closed = { as: 'login', decision: 'written_off', evidence: `SHA-256 ${'de89'.repeat(16)}` }
    expect(ledger.view.decisionsOfRow(3)).toMatchObject([closed])
    const message = 'The customer number is not a plain whole number.'
    expect(ledger.view.problemsOfRow(4)[0]).toMatchObject({ value: '', message })
    const references = rowsOf(ledger.file).map((row) => row.originalMandateReference)
    expect(references).toEqual(['M-1', 'M-2', 'M-3', 'DE…3000', 'M-5'])
  })

  it('waits until nothing is ready or in doubt, accepted or not, and for a yes to what can still be corrected', async () => {
    const ledger = await planted()
    expect(() => ledger.purge({ by: 'Ada', reason: 'done' })).toThrow(
      'Cannot purge the ledger while rows can still be corrected: 2 invalid, 1 refused. Nothing was removed',
    )
    admit(ledger, [{ reference: 'M-6', customerNo: 6 }])
    expect(() => ledger.purge(WHO)).toThrow('Cannot purge the ledger while rows are open: 1 ready')
    await ledger.begin(readyRow(ledger))
    ledger.close()
    const later = open({ file: ledger.file })
    expect(() => later.purge(WHO)).toThrow(UsageError)
    expect(textsIn(later)).toEqual(PLANTED)
  })

  it('is the last of a ledger: no file comes in, and nothing is sent again', async () => {
    const ledger = await planted()
    ledger.purge(WHO)
    expect(() => ledger.admit({ severities: {} })).toThrow('it was purged at 2026-06-15T10:00:00.000Z')
    expect(() => ledger.retryRefused('Ada')).toThrow('it was purged at')
    expect(ledger.totals()).toMatchObject({ refused: 1 })
    ledger.close()
    expect(() => open({ file: ledger.file }).admit({ severities: {} })).toThrow('it was purged at')
  })

  it('says when a reader keeps old pages, and can be asked again', async () => {
    const clock = stoppedClock()
    const ledger = await planted(clock)
    const reader = openDatabase(ledger.file, { readonly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from row').get()
    expect(ledger.purge(WHO).isErased).toBe(false)
    reader.close()
    clock.advance(5_000)
    expect(ledger.purge(WHO)).toEqual({ rows: 0, removedFiles: [], isErased: true })
    expect(textsIn(ledger)).toEqual([])
    expect(ledger.view.campaign().purgedAt).toBe('2026-06-15T10:00:00.000Z')
  })

  it('is the only way in which words go: the file refuses any other', async () => {
    const ledger = await planted()
    for (const sql of [
      `update problem set value = '' where id = 1`,
      `update attempt set message = null, answer = null where id = 2`,
      `update attempt set reason = null where id = 2`,
      `update row set original_mandate_reference = 'x' where id = 4`,
      `update source set name = 'x'`,
    ])
      expect(() => execute(ledger.file, sql), sql).toThrow('never change')
    ledger.purge(WHO)
    for (const sql of [
      `update decision set decided_as = 'x'`, // the user of the operating system stays for good
      `update row set original_mandate_reference = 'x' where state = 'registered'`,
      `update row set mandate_key = 'x' where state = 'registered'`,
      `update attempt set status = 1 where id = 1`,
      `update problem set rule = 'x'`,
    ])
      expect(() => execute(ledger.file, sql), sql).toThrow('never change')
  })
})

describe('the words of an export and the choice of a run', () => {
  const word = (text: string) => ({ column: 'Status', goes: { aktiv: 2 }, notUnderstood: { [text]: 1 } })
  const READING = {
    encoding: { encoding: 'utf-8', by: 'usual' },
    leftOut: { atEnd: [NAME] },
    mayBeStatus: [NAME],
    references: [STREET],
    words: { status: word(MAIL) },
  }
  const CHOICE = { only: [{ column: 'Name', values: [NAME] }], takeOver: `by Ada: ${SAID}`, rate: 7 }

  async function quoting(): Promise<Ledger> {
    const ledger = await planted()
    admit(ledger, [{ reference: 'M-7', customerNo: 7 }])
    ledger.endRun(1, { stoppedBy: null, exitCode: 0 })
    forge(
      ledger.file,
      `update source set reading = '${JSON.stringify(READING)}'; update run set settings = '${JSON.stringify(CHOICE)}'`,
    )
    decide(ledger, 6, 'written_off')
    return ledger
  }
  const readings = (ledger: Ledger) => ledger.view.sources().map(({ reading }) => reading)
  const settings = (ledger: Ledger) => ledger.view.runs().map((run) => run.settings)
  const { encoding, words } = READING
  const left = { encoding, words: { status: { column: 'Status', goes: words.status.goes } } }
  const only = [{ column: 'Name', values: ['removed with the personal data'] }]

  it('go with a purge but for the words of a vocabulary', async () => {
    const ledger = await quoting()
    ledger.purge(WHO)
    expect(readings(ledger)).toEqual([left, left])
    expect(settings(ledger)).toEqual([{ ...CHOICE, only, takeOver: 'removed with the personal data' }])
    expect(textsIn(ledger)).toEqual([])
  })

  it('go with an erasure from the files that the customer stands in, and the runs that sent them', async () => {
    const ledger = await quoting()
    for (const sql of [`update source set reading = '{}'`, `update run set settings = '{}'`])
      expect(() => execute(ledger.file, sql), sql).toThrow('never changes')
    ledger.erase({ ...WHO, customerNo: 7, rowIds: [6] })
    expect(readings(ledger)).toEqual([READING, left])
    expect(settings(ledger)).toEqual([CHOICE])
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    expect(readings(ledger)).toEqual([left, left])
    expect(settings(ledger)).toEqual([{ ...CHOICE, only }])
  })
})

describe('an erasure', () => {
  it('removes what is held on one customer, leaves every other row and all totals, and says who asked', async () => {
    const ledger = await planted()
    const others = (): unknown => [
      ledger.totals(),
      // An account that another customer has too counts twice from then on: nothing tells any more that it is one.
      { ...ledger.view.distinctCounts(), accounts: null },
      ledger.view.row(5),
      ledger.view.problemsOfRow(5),
    ]
    const before = others()
    const erase = () => ledger.erase({ ...WHO, customerNo: 4, rowIds: [4] })
    expect(() => ledger.erase({ ...WHO, withOpenRows: false, customerNo: 4, rowIds: [4] })).toThrow(
      'Cannot erase customer 4 while rows can still be corrected: 1 invalid',
    )
    expect(erase()).toEqual({ rows: 1, isErased: true })
    expect(others()).toEqual(before)
    expect(ledger.view.row(4)).toMatchObject({ state: 'invalid', cells: null, customerNo: 4 })
    expect(ledger.view.problemsOfRow(4).map(({ value }) => value)).toEqual(['', ''])
    const erased = { decision: 'erased', by: 'Ada', as: 'login', reason: 'request of 1 July' }
    expect(ledger.view.decisionsOfRow(4)).toMatchObject([erased])
    expect(erase).not.toThrow()
  })

  it('removes the words of the service and of people about those rows', async () => {
    const ledger = await planted()
    ledger.erase({ ...WHO, customerNo: 3, rowIds: [3] })
    const left = { message: null, answer: null, reason: 'The service answered 500' }
    expect(ledger.view.attempts(3)).toMatchObject([left])
    const reasons = ['removed with the personal data', 'request of 1 July']
    expect(ledger.view.decisionsOfRow(3).map(({ reason }) => reason)).toEqual(reasons)
    expect(ledger.view.attempts(2)).toMatchObject([{ message: SAID }])
  })

  it('masks an account that shifted columns put where the reference should be, in those rows alone', async () => {
    const ledger = await planted()
    const mandateKey = `DE98ZZZ09999999999|${IBAN}`
    const shifted = { reference: IBAN, mandateKey, verdict: 'excluded' } as const
    admit(
      ledger,
      [8, 9].map((customerNo) => ({ ...shifted, customerNo })),
    )
    ledger.erase({ ...WHO, customerNo: 8, rowIds: [6] })
    expect(ledger.view.row(6)?.originalMandateReference).not.toContain(IBAN.slice(4, -4))
    expect(ledger.view.row(7)?.originalMandateReference).toBe(IBAN)
    // The number of a spelling is made of the reference, without a key.
    const sql = 'select mandate_key as key, spelling is null as isGone from row where id > 5'
    expect(query(ledger.file, sql)).toEqual([
      { key: 'removed|6', isGone: 1 },
      { key: mandateKey, isGone: 0 },
    ])
  })

  it('waits until no row is ready or in doubt, and knows nobody by a number that it does not hold', async () => {
    const ledger = await planted()
    admit(ledger, [{ reference: 'M-8', customerNo: 8 }])
    expect(() => ledger.erase({ ...WHO, customerNo: 8, rowIds: [6] })).toThrow(
      'Cannot erase customer 8 while rows are open: 1 ready',
    )
    expect(() => ledger.erase({ ...WHO, customerNo: 77, rowIds: [] })).toThrow('holds no row of customer 77')
  })

  it('finds the rows of a customer also where the number could not be read as such', async () => {
    const ledger = await planted()
    const unread = { verdict: 'invalid', mandateKey: null, cells: ['0004', 'x'] } as const
    admit(ledger, [{ ...unread, values: { customerNo: null } }], { header: ['a', 'b'], columns: {} })
    expect(ledger.view.rowsAbout(4).map(({ id }) => id)).toEqual([4, 6])
    expect(ledger.view.rowsAbout(40)).toEqual([])
  })
})

const BANK_CODE = IBAN.slice(4, 12)

const keysOf = (file: string) =>
  query<{ secret: Buffer | null; planKey: Buffer | null }>(
    file,
    'select secret, plan_key as planKey from campaign',
  )[0]!

/**
 * What somebody does who has every file that is left, the bank code, the masked account and the other four values: tries the
 * ten thousand accounts that begin with 05, by each fingerprint that the ledger makes, and by the digest of a plan.
 */
function computeAgain(file: string, row: Mandate): readonly string[] {
  const { secret, planKey } = keysOf(file)
  if (secret === null) return []
  const fingerprints = createFingerprints(secret)
  const files = filesBeside(file)
  const windows = new Set<number>()
  for (const bytes of files)
    for (let at = 0; at + 4 <= bytes.length; at += 1) windows.add(bytes.readUInt32LE(at))
  const isLeft = (key: Buffer): boolean =>
    windows.has(key.readUInt32LE(0)) && files.some((bytes) => bytes.includes(key))
  const plans = [Buffer.alloc(0), planKey ?? Buffer.alloc(0)]
  const digests = new Set(files.flatMap((bytes) => bytes.toString('latin1').match(/\b[0-9a-f]{64}\b/g) ?? []))
  const { creditorIdentifier, mandateReference } = row.original
  return Array.from({ length: 10_000 }, (_, n) =>
    ibanOf('DE', `${BANK_CODE}05${String(n).padStart(4, '0')}${IBAN.slice(-4)}`),
  ).filter((iban) => {
    const content = fingerprints.content({ ...row, iban: iban as Iban })
    const cells = [String(row.customerNo), iban, row.signedDate, creditorIdentifier, mandateReference]
    const keys = [fingerprints.account(iban), content, fingerprints.raw(cells)]
    const inPlan = plans.map((key) => createHash('sha256').update(key).update(content).digest('hex'))
    return keys.some(isLeft) || inPlan.some((digest) => digests.has(digest))
  })
}

const THIRD = { customerNo: 3, reference: 'M-3', iban: OTHER_IBAN, signedDate: '2021-02-03' }

/** Customer 1 registered under a plan of one row, customer 2 invalid; customer 3 is another person's. */
async function campaign(): Promise<Ledger> {
  const ledger = running([{ customerNo: 1, reference: 'M-1' }])
  writeFileSync(join(dirname(ledger.file), 'plan.json'), JSON.stringify(ledger.view.plannedRows(null)))
  await send(ledger, registered('NEW-1'))
  admit(ledger, [{ customerNo: 2, reference: 'M-2', verdict: 'invalid' }, THIRD])
  await send(ledger, registered('NEW-3'))
  return ledger
}

const report = (ledger: Ledger, name: string): Promise<unknown> =>
  writeReport(ledger.file, { out: join(dirname(ledger.file), name) })

/** The mandate of customer 1 as the last export has it, and the bank. */
const LAST = { customerNo: 1, reference: 'M-1', signedDate: '2020-02-02' as LocalDate }
const COLLECTED_IBAN = ibanOf('DE', `${BANK_CODE}059876${IBAN.slice(-4)}`) as Iban

describe('accounts computed again, with the bank code given, from everything that is left', () => {
  it('are found in a comparison and in what was collected before an erasure, and not after it', async () => {
    const ledger = await campaign()
    compareWith(ledger, [LAST, THIRD])
    const { secret } = keysOf(ledger.file)
    const [kept] = query<{ key: string }>(ledger.file, 'select mandate_key as key from row where id = 1')
    const account = createFingerprints(secret!).account(COLLECTED_IBAN).toString('hex')
    execute(
      ledger.file,
      `insert into collected (mandate_key, creditor, reference, account, signed_date, day)
        values ('${kept?.key ?? ''}', '', 'M-1', x'${account}', '', '2026-05-01')`,
    )
    const found = () => computeAgain(ledger.file, mandateOf(LAST))
    expect(found().toSorted()).toEqual([IBAN, COLLECTED_IBAN].toSorted())
    const finals = () => query(ledger.file, 'select count(final) as count from compared')
    const before = finals()
    ledger.erase({ ...WHO, customerNo: 2, rowIds: [2] })
    expect(found()).toContain(COLLECTED_IBAN)
    expect(() => execute(ledger.file, `update compared set final = x'00'`)).toThrow('never changes')
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    expect(found()).toEqual([])
    expect(finals()).toEqual(before)
  })

  it('are found before an erasure, and not after it', async () => {
    const ledger = await campaign()
    const found = () =>
      [mandateOf({ customerNo: 1 }), mandateOf({ customerNo: 2, reference: 'M-2' })].map((row) =>
        computeAgain(ledger.file, row),
      )
    expect(found()).toEqual([[IBAN], [IBAN]])
    for (const customerNo of [1, 2]) ledger.erase({ ...WHO, customerNo, rowIds: [customerNo] })
    await report(ledger, 'after')
    expect(found()).toEqual([[], []])
    const [third] = query<{ key: Buffer }>(ledger.file, 'select iban_key as key from row where id = 3')
    expect(third?.key).toEqual(createFingerprints(keysOf(ledger.file).secret!).account(OTHER_IBAN))
  })

  it('are not found after a purge: the key that made the fingerprints is in no file', async () => {
    const ledger = await campaign()
    await report(ledger, 'before')
    const { secret, planKey } = keysOf(ledger.file)
    const holding = () =>
      [secret, planKey].map((key) => filesBeside(ledger.file).some((bytes) => bytes.includes(key!)))
    expect(holding()).toEqual([true, true])
    expect(ledger.purge(WHO).isErased).toBe(true)
    await report(ledger, 'after')
    expect(keysOf(ledger.file)).toEqual({ secret: null, planKey: null })
    expect(holding()).toEqual([false, false])
  })
})

describe('the fingerprints of a row', () => {
  it('change by an erasure alone, and to nothing never', async () => {
    const ledger = await campaign()
    const expectKept = (...sets: string[]) => {
      for (const set of sets)
        expect(() => execute(ledger.file, `update row set ${set} where id = 1`), set).toThrow('never changes')
    }
    expectKept(...['iban_key', 'content_key', 'raw'].map((column) => `${column} = randomblob(16)`))
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    expectKept('iban_key = null', `content_key = x'00'`, 'raw = randomblob(16)')
  })

  it('are those of one account still, once erased, where rows had one', async () => {
    const rows = ['M-1', 'M-2'].map((reference) => ({ customerNo: 1, reference }))
    const ledger = await played(rows, refused(), refused())
    const keys = () => query(ledger.file, 'select distinct iban_key as key from row')
    const before = keys()
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1, 2] })
    expect(keys()).toHaveLength(1)
    expect(keys()).not.toEqual(before)
  })

  it.each([
    ['registered', registered('NEW-1')],
    ['refused', refused()],
  ])('once erased, a %s mandate that comes again is never sent by itself', async (_, outcome) => {
    const ledger = await played([{ customerNo: 1, reference: 'M-1' }], outcome)
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    for (const other of mandates(3, 9)) admit(ledger, [{ customerNo: 1, reference: 'M-1' }, other])
    expect(ledger.retryRefused('Ada')).toBe(0)
    expect(ledger.ready(0, 10).map(({ mandate }) => mandate.customerNo)).toEqual([9, 10, 11])
    expect(ledger.totals().ready).toBe(3)
  })

  it('once erased, a registered mandate is known by customer and date, and an end of it is a line of the cut-over', async () => {
    const ledger = await played([{ customerNo: 1, reference: 'M-1' }], registered('NEW-1'))
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    admit(ledger, [{ customerNo: 1, reference: 'M-1', iban: OTHER_IBAN }])
    expect(problemsOf(ledger.file).at(-1)?.message).toContain(
      'Its customer was erased, so the account was not compared.',
    )
    admit(ledger, [{ customerNo: 1, reference: 'M-1', verdict: 'excluded' }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'duplicate', 'conflict'])
    expect(ledger.view.comparedLines(0, 10)).toMatchObject([{ isOpen: 1, id: 1 }])
  })

  it('once erased, a registered mandate under another reference still waits for a person', async () => {
    const ledger = await campaign()
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    admit(ledger, [{ customerNo: 1, reference: 'M-1-mended' }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
  })
})
