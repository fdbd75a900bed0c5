import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/domain/rule/verdict.js'
import { UsageError } from '../../../src/errors.js'
import { emergencyPathOf } from '../../../src/ledger/safety/side-files.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import {
  admit,
  IBAN,
  inDoubt,
  open,
  OTHER_IBAN,
  refused,
  registered,
  send,
  SETTINGS,
  recordOf,
  summaryOf,
  stoppedClock,
} from '../campaign-setup.js'
import { byHand, look, rowsOf } from '../ledger-views.js'
import { openDatabase } from '../../../src/driver.js'
import type { AttemptRecord } from '../../../src/ledger/read/reader.js'

const NAME = 'Wilhelmina Vogelsang'
const MAIL = 'w.vogelsang@mail.example'
const STREET = 'Kastanienallee 17'
const SAID = 'Kundin verstorben'
const PLANTED = [NAME, MAIL, STREET, SAID, IBAN, OTHER_IBAN]

const finding = (value: string): Finding => ({
  rule: 'CUST_FORMAT',
  severity: 'error',
  field: 'customer_no',
  value,
  message: `The customer number is not a plain whole number. It is "${value}".`,
  remedy: `Ask ${value}`,
})

/** A campaign that is over, with personal data wherever a ledger can hold them. */
async function planted(): Promise<Ledger> {
  const ledger = open({ user: 'login' })
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
  const no = refused()
  await send(ledger, {
    ...no,
    reason: `The service answered 422 (${SAID})`,
    evidence: { ...no.evidence, ...said },
  })
  const doubt = inDoubt()
  await send(ledger, { ...doubt, reason: SAID, evidence: { ...doubt.evidence, ...said, status: 500 } })
  const decision = { rowId: 3, decision: 'written_off' as const, assigned: null, attempt: null }
  ledger.resolve(
    [
      {
        ...decision,
        by: `Ada ${IBAN}`,
        reason: `${NAME} called about ${IBAN}`,
        evidence: `${IBAN}.csv (SHA-256 ${'de89'.repeat(16)})`,
      },
    ],
    { dryRun: false },
  )
  return ledger
}

const filesWith = (ledger: Ledger, texts: readonly string[]): string[] =>
  readdirSync(dirname(ledger.file)).flatMap((name) => {
    const bytes = readFileSync(join(dirname(ledger.file), name))
    return texts.filter((text) => bytes.includes(text)).map((text) => `${name}: ${text}`)
  })

describe('9.2.1 what a person types', () => {
  it('is kept with account numbers masked: reason, name, the file that was the evidence, the file of an export', async () => {
    const ledger = await planted()
    admit(ledger, [{ reference: 'M-9', customerNo: 9, verdict: 'invalid' }], { name: `export-${IBAN}.csv` })
    const [decision] = look(ledger.file, (reader) => reader.decisionsOfRow(3))
    expect(decision).toMatchObject({
      by: 'Ada DE…3000',
      as: 'login',
      reason: `${NAME} called about DE…3000`,
      evidence: `DE…3000.csv (SHA-256 ${'de89'.repeat(16)})`,
    })
    expect(look(ledger.file, (reader) => reader.sources().at(-1)?.name)).toBe('export-DE…3000.csv')
  })
})

describe('9.2.1 a purge', () => {
  it('leaves nothing planted in any file of the ledger, and every total, state, rule and hash as it was', async () => {
    const opened = await planted()
    opened.close()
    const ledger = open({ file: opened.file, user: 'login' })
    writeFileSync(emergencyPathOf(ledger.file), `${JSON.stringify({ message: SAID, iban: IBAN })}\n`, {
      mode: 0o600,
    })
    expect(new Set(filesWith(ledger, PLANTED).map((found) => found.split(': ')[1]))).toEqual(new Set(PLANTED))
    const standing = (): unknown =>
      look(ledger.file, (reader) => [
        reader.totals(),
        reader.problemCounts(),
        reader.distinctCounts(),
        reader.runs(),
        reader
          .rows(['invalid', 'refused', 'registered', 'written_off'], 0, 10)
          .map(({ id, state, rule }) => [id, state, rule]),
      ])
    const before = standing()
    const report = ledger.purge({ by: 'Ada', reason: `done ${IBAN}`, withOpenRows: true })
    expect(report).toMatchObject({ rows: 4, isErased: true, removedFiles: [emergencyPathOf(ledger.file)] })
    expect(filesWith(ledger, PLANTED)).toEqual([])
    expect(standing()).toEqual(before)
    const [decision] = look(ledger.file, (reader) => reader.decisionsOfRow(3))
    expect(decision).toMatchObject({
      as: 'login',
      decision: 'written_off',
      evidence: `SHA-256 ${'de89'.repeat(16)}`,
    })
    expect(look(ledger.file, (reader) => reader.problemsOfRow(4)[0])).toMatchObject({
      value: '',
      message: 'The customer number is not a plain whole number.',
    })
    expect(look(ledger.file, (reader) => reader.row(1))).toMatchObject({ originalMandateReference: 'M-1' })
    expect(look(ledger.file, (reader) => reader.row(4))).toMatchObject({
      originalMandateReference: 'DE…3000',
    })
  })

  it('counts what can still be corrected and refuses, unless that is accepted', async () => {
    const ledger = await planted()
    expect(() => ledger.purge({ by: 'Ada', reason: 'done' })).toThrow(
      'Cannot purge the ledger while rows can still be corrected: 2 invalid, 1 refused. Nothing was removed',
    )
    expect(filesWith(ledger, [NAME])).not.toEqual([])
    ledger.purge({ by: 'Ada', reason: 'done', withOpenRows: true })
    expect(filesWith(ledger, [NAME])).toEqual([])
  })

  it('never purges what is ready or in doubt, accepted or not', async () => {
    const ledger = await planted()
    admit(ledger, [{ reference: 'M-8', customerNo: 8 }])
    expect(() => ledger.purge({ by: 'Ada', reason: 'done', withOpenRows: true })).toThrow(UsageError)
  })

  it('is the only way in which words go: the file refuses any other', async () => {
    const ledger = await planted()
    const texts = [
      `update problem set value = '' where id = 1`,
      `update problem set message = '' where id = 1`,
      `update attempt set message = null, answer = null where id = 2`,
      `update attempt set reason = null where id = 2`,
      `update attempt set mandate_key = 'x' where id = 2`,
      `update decision set reason = 'x'`,
      `update decision set decided_as = 'x'`,
      `update row set original_mandate_reference = 'x' where id = 4`,
      `update source set name = 'x'`,
    ]
    const refusals = (): number =>
      byHand(ledger.file, (db) => {
        db.exec('begin')
        const refused = texts.filter((sql) => {
          try {
            db.exec(sql)
            return false
          } catch {
            return true
          }
        })
        db.exec('rollback')
        return refused.length
      })
    expect(refusals()).toBe(texts.length)
    ledger.purge({ by: 'Ada', reason: 'done', withOpenRows: true })
    expect(refusals()).toBe(1) // the user of the operating system stays for good
    byHand(ledger.file, (db) => {
      for (const sql of [
        `update row set original_mandate_reference = 'x' where state = 'registered'`,
        `update row set mandate_key = 'x' where state = 'registered'`,
        `update attempt set status = 1 where id = 1`,
        `update problem set rule = 'x'`,
      ])
        expect(() => db.exec(sql), sql).toThrow('never change')
    })
  })
})

describe('9.2.2 an erasure', () => {
  const REQUEST = { by: 'Ada', reason: 'request of 1 July' }

  it('removes what is held on one customer, leaves every other row and all totals, and says who asked', async () => {
    const ledger = await planted()
    const others = (): unknown =>
      look(ledger.file, (reader) => [
        reader.totals(),
        // An account that another customer has too counts twice from then on: nothing tells any more that it is one.
        { ...reader.distinctCounts(), accounts: null },
        reader.row(5),
        reader.problemsOfRow(5),
      ])
    const before = others()
    const erase = (): unknown => ledger.erase({ ...REQUEST, customerNo: 4, rowIds: [4] })
    expect(erase).toThrow('Cannot erase customer 4 while rows can still be corrected: 1 invalid')
    const report = ledger.erase({ ...REQUEST, customerNo: 4, rowIds: [4], withOpenRows: true })
    expect(report).toEqual({ rows: 1, isErased: true })
    expect(others()).toEqual(before)
    const reader = openLedgerReader(ledger.file)
    expect(reader.row(4)).toMatchObject({ state: 'invalid', cells: null, customerNo: 4 })
    expect(reader.problemsOfRow(4).map(({ value }) => value)).toEqual(['', ''])
    expect(reader.decisionsOfRow(4)).toMatchObject([
      { decision: 'erased', by: 'Ada', as: 'login', reason: 'request of 1 July' },
    ])
    reader.close()
    expect(() => ledger.erase({ ...REQUEST, customerNo: 4, rowIds: [4], withOpenRows: true })).not.toThrow()
  })

  it('removes the words of the service and of people about those rows', async () => {
    const ledger = await planted()
    ledger.erase({ ...REQUEST, customerNo: 3, rowIds: [3] })
    look(ledger.file, (reader) => {
      expect(reader.attempts(3)).toMatchObject([
        { message: null, answer: null, reason: 'The service answered 500' },
      ])
      expect(reader.decisionsOfRow(3).map(({ reason }) => reason)).toEqual([
        'removed with the personal data',
        'request of 1 July',
      ])
      expect(reader.attempts(2)).toMatchObject([{ message: SAID }])
    })
  })

  it('26.3 masks an account that shifted columns put where the reference should be, in those rows alone', async () => {
    const ledger = await planted()
    const mandateKey = `DE98ZZZ09999999999|${IBAN}`
    admit(ledger, [
      { reference: IBAN, mandateKey, customerNo: 8, verdict: 'excluded' },
      { reference: IBAN, mandateKey, customerNo: 9, verdict: 'excluded' },
    ])
    ledger.erase({ ...REQUEST, customerNo: 8, rowIds: [6], withOpenRows: true })
    look(ledger.file, (reader) => {
      expect(reader.row(6)?.originalMandateReference).not.toContain(IBAN.slice(4, -4))
      expect(reader.row(7)?.originalMandateReference).toBe(IBAN)
    })
    byHand(ledger.file, (db) =>
      expect(db.prepare('select mandate_key from row where id in (6, 7) order by id').pluck().all()).toEqual([
        'removed|6',
        mandateKey,
      ]),
    )
  })

  it('waits until no row is ready or in doubt, and knows nobody by a number that it does not hold', async () => {
    const ledger = await planted()
    admit(ledger, [{ reference: 'M-8', customerNo: 8 }])
    expect(() => ledger.erase({ ...REQUEST, customerNo: 8, rowIds: [6], withOpenRows: true })).toThrow(
      'Cannot erase customer 8 while rows are open: 1 ready',
    )
    expect(() => ledger.erase({ ...REQUEST, customerNo: 77, rowIds: [] })).toThrow(
      'holds no row of customer 77',
    )
  })

  it('finds the rows of a customer also where the number could not be read as such', async () => {
    const ledger = await planted()
    const record = recordOf({ verdict: 'invalid', mandateKey: null, cells: ['0004', 'x'] })
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'export.csv', header: ['a', 'b'], columns: {} })
    source.add([{ ...record, values: { ...record.values, customerNo: null } }])
    source.close(summaryOf(1))
    admission.commit()
    look(ledger.file, (reader) => {
      expect(reader.rowsAbout(4).map(({ id }) => id)).toEqual([4, 6])
      expect(reader.rowsAbout(40)).toEqual([])
    })
  })
})

const SIGN_OFF = { by: 'Ada Example', reason: 'signed off on 1 July', withOpenRows: true }

async function settledLedger() {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  admit(ledger, [
    { reference: 'M-1' },
    { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN },
    { reference: 'M-3', customerNo: 3, verdict: 'invalid' },
    { reference: 'M-4', customerNo: 4 },
    { reference: 'M-4', customerNo: 5 },
  ])
  await send(ledger, registered('NEW-1'))
  await send(ledger, refused())
  return { ledger, clock }
}

/** Every file beside the ledger that holds one of the account numbers. */
const filesWithAccounts = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => {
    const bytes = readFileSync(join(dirname(file), name))
    return bytes.includes(IBAN) || bytes.includes(OTHER_IBAN)
  })

const withoutWords = (attempt: AttemptRecord | null): AttemptRecord | null =>
  attempt === null
    ? null
    : {
        ...attempt,
        serviceCode: null,
        field: null,
        message: null,
        answer: null,
        reason: `The service answered ${String(attempt.status)}`,
      }

describe('a purge', () => {
  it('leaves no account number in any file, and keeps totals, references and history', async () => {
    const { ledger, clock } = await settledLedger()
    const [before, totals] = [rowsOf(ledger.file), ledger.totals()]
    expect(filesWithAccounts(ledger.file)).not.toEqual([])
    clock.advance(1_000)
    expect(ledger.purge(SIGN_OFF)).toEqual({ rows: 4, removedFiles: [], isErased: true })
    expect(filesWithAccounts(ledger.file)).toEqual([])
    expect(ledger.totals()).toEqual(totals)
    expect(rowsOf(ledger.file)).toEqual(
      before.map((row) => ({ ...row, cells: null, lastAttempt: withoutWords(row.lastAttempt) })),
    )
    expect(look(ledger.file, (reader) => reader.campaign())).toMatchObject({
      purgedAt: '2026-06-15T10:00:01.000Z',
      changedAt: '2026-06-15T10:00:01.000Z',
    })
    const kept = byHand(ledger.file, (db) =>
      db.prepare('select secret, purged_by, purge_reason from campaign').get(),
    )
    expect(kept).toEqual({ secret: null, purged_by: 'Ada Example', purge_reason: 'signed off on 1 July' })
  })

  it('takes no more files afterwards', async () => {
    const { ledger } = await settledLedger()
    ledger.purge(SIGN_OFF)
    expect(() => ledger.admit({ severities: {} })).toThrow('it was purged at 2026-06-15T10:00:00.000Z')
    ledger.close()
    expect(() => open({ file: ledger.file }).admit({ severities: {} })).toThrow('it was purged at')
  })

  it('waits until nothing is open', async () => {
    const { ledger } = await settledLedger()
    admit(ledger, [{ reference: 'M-6', customerNo: 6 }])
    expect(() => ledger.purge(SIGN_OFF)).toThrow('Cannot purge the ledger while rows are open: 1 ready')
    await send(ledger, inDoubt())
    expect(() => ledger.purge(SIGN_OFF)).toThrow(UsageError)
    expect(rowsOf(ledger.file).some(({ cells }) => cells !== null)).toBe(true)
    await expect(send(ledger, refused())).rejects.toThrow('expected a ready row')
  })

  it('says when a reader keeps old pages, and can be asked again', async () => {
    const { ledger, clock } = await settledLedger()
    const reader = openDatabase(ledger.file, { readonly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from row').get()
    expect(ledger.purge(SIGN_OFF).isErased).toBe(false)
    reader.close()
    clock.advance(5_000)
    expect(ledger.purge(SIGN_OFF)).toEqual({ rows: 0, removedFiles: [], isErased: true })
    expect(filesWithAccounts(ledger.file)).toEqual([])
    expect(look(ledger.file, (view) => view.campaign().purgedAt)).toBe('2026-06-15T10:00:00.000Z')
  })

  it('does not send refused rows again: there is nothing left to send', async () => {
    const { ledger } = await settledLedger()
    ledger.purge(SIGN_OFF)
    expect(() => ledger.retryRefused('Ada Example')).toThrow('it was purged at')
    expect(ledger.totals()).toMatchObject({ refused: 1 })
  })
})
