import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { sheetsOf } from '../report/workbook-value.js'
import { germanIban } from '../support/export.js'
import { atService, cancelSource, placeOfTest, sourceIds, type Place } from '../support/place.js'
import { inReport, type Ended } from '../support/program.js'

let place: Place
/** Everything that was printed. */
let printed = ''

async function program(...args: string[]): Promise<Ended> {
  const ended = await place.program(...args)
  printed += ended.stdout + ended.stderr
  return ended
}

const THERE = ['verify', '--quiet']
const verify = (...args: string[]): Promise<Ended> => program(...THERE, ...args)

/** A campaign of so many mandates, all of them registered, customers counted from 1. */
async function registered(rows: number, options: SandboxOptions = {}): Promise<void> {
  const choices = { repeatedMandate: 'register', cancelledSources: 'gone' } as const
  place = await placeOfTest({ rows, sandbox: { choices, ...options } })
  printed = ''
  const sent = await place.program('run', 'export.csv', '--concurrency', '16')
  expect(sent.status, sent.stderr).toBe(0)
}

const at = (name: string): string => place.path(name)
const textOf = (name: string): string => place.read(name)
const recordsOf = (name: string) => place.rows(name)
const pageText = (): string =>
  textOf('report.html')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

const cancel = async (customerNo: number): Promise<void> =>
  cancelSource(place, (await sourceIds(place, customerNo))[0])

/** As somebody else would, past the ledger. */
async function postAgain(customerNo: number, signed_date: string): Promise<void> {
  const posted = await atService(place, '/api/v2/sepa_dd_mandate/migrate', {
    ...{ customer_no: customerNo, iban: germanIban(customerNo), signed_date },
    amendment: {
      sepa_creditor_identifier: 'DE98ZZZ09999999999',
      unique_mandate_reference: `MANDATE-${customerNo}`,
    },
  })
  expect(posted.status).toBe(200)
}

const SIGNED_3 = '2024-03-04' // as `validExport` has it for customer 3

/** No file of the pack, no output and no evidence holds an account number of the sandbox. */
function expectNoAccount(): void {
  const names = readdirSync(at('sepa-migrate-report')).filter((name) => /\.(?:csv|html|json)$/.test(name))
  const files = names.map(textOf)
  for (const { iban } of place.sandbox().mandates())
    for (const text of [printed, ...files]) expect(text.includes(iban)).toBe(false)
}

describe('verify', () => {
  it('proves every registered mandate, and the page that is signed says so', async () => {
    await registered(40)
    expect(existsSync(at('verification.csv'))).toBe(false)
    expect(pageText()).toContain('Read back at the service: not asked.')

    const { status, stdout } = await verify()
    expect(status, stdout).toBe(0)
    const sentence =
      /\b40 of 40 registered mandates proven at the service between .* UTC and .* UTC; 0 not asked\./
    expect(stdout).toMatch(sentence)
    expect(pageText()).toMatch(
      /Proven at the service: 40 of 40 registered mandates \(.* – .*\); not asked: 0\./,
    )
    expect(pageText()).toContain('Balanced, nothing is open')
    expect(recordsOf('verification.csv').map(({ verification }) => verification)).toEqual(
      Array.from({ length: 40 }, () => 'proven'),
    )
    expect(stdout).toContain('Next: sepa-migrate purge')
    const shown = await program('status')
    expect(shown.status).toBe(0)
    expect(shown.stdout).toMatch(sentence)
    expectNoAccount()
  })

  it('lists first what is missing, twice, different or unreadable, with what a person may cancel', async () => {
    const fault = { kind: 'server_error', status: 500 } as const
    await registered(40, {
      faults: [{ operation: 'read_back', match: { customer_no: 5 }, fault }],
      choices: { repeatedMandate: 'register', cancelledSources: 'gone' },
    })
    const [own = ''] = await sourceIds(place, 3)
    await cancel(2)
    await postAgain(3, SIGNED_3)
    await cancel(4)
    await postAgain(4, '2019-01-01')
    const double = (await sourceIds(place, 3)).find((id) => id !== own) ?? ''
    const before = place.sandbox().mandates()

    const { status, stdout } = await verify()
    expect(status, stdout).toBe(4)
    expect(place.sandbox().mandates()).toEqual(before) // neither sent nor cancelled
    const lines = stdout.split('\n')
    expect(lines[0]).toBe(
      'Registered, and not proven at the service: 1 missing, 1 twice, 1 different, 1 unreadable',
    )
    expect(lines.slice(1, 5).map((line) => line.split(':')[0])).toEqual([
      '  row 2, customer 2, missing',
      '  row 3, customer 3, twice',
      '  row 4, customer 4, different',
      '  row 5, customer 5, unreadable',
    ])
    expect(lines[2]).toContain(`${own} is the one of this ledger; a person may cancel ${double}.`)
    expect(stdout).toContain('36 of 40 registered mandates proven at the service between')
    expect(stdout).toContain('1 missing, 1 twice, 1 different, 1 unreadable; 0 not asked.')
    expect(stdout).toMatch(/Next: sepa-migrate verify\n/)

    const listed = recordsOf('verification.csv')
    expect(
      listed.slice(0, 5).map(({ migration_row, verification }) => [migration_row, verification]),
    ).toEqual([
      ['2', 'missing'],
      ['3', 'twice'],
      ['4', 'different'],
      ['5', 'unreadable'],
      ['1', 'proven'],
    ])
    expect(listed).toHaveLength(40)
    expect(listed[1]).toMatchObject({ payment_sources: `${own} ${double}`, may_be_cancelled: double })
    const page = pageText()
    expect(page).toContain('Balanced, open points: 1')
    expect(page).toContain('Registered, but missing, twice or different at the service: 3')
    expect(page).toContain(`a person may cancel ${double}.`)
    const sheet = sheetsOf(readFileSync(at('reconciliation.xlsx'))).get('Verification') ?? []
    expect(sheet.slice(2).map((cells) => cells[1]?.value)).toEqual([
      'missing',
      'twice',
      'different',
      'unreadable',
    ])
    for (const [name, status] of [
      ['status', 4],
      ['report', 4],
      ['run', 0], // the status of its own rows
    ] as const) {
      const ended = name === 'run' ? await place.program('run', '--no-report') : await program(name)
      expect([name, ended.status]).toEqual([name, status])
      expect(ended.stdout).toContain('3 registered, and not so at the service')
      expect(ended.stdout).not.toContain('Nothing is open')
      expect(ended.stdout).not.toContain('purge')
    }
    for (const out of ['sepa-migrate-report', 'again'])
      expect((await program('report', '--out', out)).status).toBe(4)
    for (const name of ['verification.csv', 'report.html', 'reconciliation.xlsx', 'manifest.json'])
      expect(readFileSync(at(`again/${name}`)).equals(readFileSync(at(name))), name).toBe(true)
    expectNoAccount()
  })

  it('27.7 counts the status words of the payment sources as the service shows them', async () => {
    await registered(12, { choices: { cancelledSources: 'listed' } })
    const [first, second] = place.sandbox().mandates()
    for (const mandate of [first, second])
      await atService(
        place,
        `/_sandbox/mandates/${mandate?.unique_mandate_reference ?? ''}/first-payment`,
        {},
      )
    await cancel(7)
    const { status, stdout } = await verify()
    expect(status, stdout).toBe(4)
    expect(stdout).toContain('Their payment sources by status: 9 PENDING, 2 ACTIVE, 1 CANCELLED.')
    expect(
      recordsOf('verification.csv')
        .map((record) => record['payment_source_statuses'])
        .sort(),
    ).toEqual([...['ACTIVE', 'ACTIVE', 'CANCELLED'], ...Array.from({ length: 9 }, () => 'PENDING')])
    const told = JSON.parse((await verify('--json')).stdout) as { statuses: object[] }
    expect(told.statuses).toEqual([
      { status: 'PENDING', sources: 9 },
      { status: 'ACTIVE', sources: 2 },
      { status: 'CANCELLED', sources: 1 },
    ])
  })

  it('is settled by what is asked later: the latest answer counts', async () => {
    await registered(10)
    await postAgain(3, SIGNED_3)
    const { status, stdout } = await verify('--json')
    const told = JSON.parse(stdout) as {
      verification: object
      unproven: { id: number; cancellable: string[] }[]
    }
    expect(status).toBe(4)
    expect(told.verification).toMatchObject({ registered: 10, proven: 9, twice: 1, notAsked: 0 })
    await cancelSource(place, told.unproven[0]?.cancellable[0])
    const again = await verify()
    expect(again.status, again.stdout).toBe(0)
    expect(recordsOf('verification.csv').map(({ verification }) => verification)).not.toContain('twice')
    expect(again.stdout).toContain('10 of 10 registered mandates proven')
  })

  it('says of a sample that it is one, with its size', async () => {
    await registered(120)
    const { status, stdout } = await verify('--sample', '50')
    expect(status, stdout).toBe(0)
    expect(stdout).toContain('A sample of 50 of 120 registered mandates, drawn at random: 50 proven.')
    expect(stdout).toContain('; 70 not asked.')
    expect(recordsOf('verification.csv')).toHaveLength(50)
    expect(pageText()).toContain('not asked: 70. What was asked last is a sample, drawn at random: 50.')
    const whole = await verify()
    expect(whole.stdout).not.toContain('sample')
    expect(pageText()).toContain('; not asked: 0.')
    expect(pageText()).not.toContain('sample')
  })

  it('goes on where it was killed, and asks nobody again who was proven', async () => {
    await registered(60)
    const asked = (): number => place.sandbox().requests().received['read_back']
    const { child, ended } = place.start(...THERE, '--rate', '25')
    while (asked() === 0) await setImmediate() // then the ledger is its own
    const questions = (): number => place.ledger((reader) => reader.readBacks()[0]?.questions ?? 0)
    while (questions() < 10) await setImmediate()
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    const kept = questions()
    expect(pageText()).toContain('not asked') // the page of the run
    const partly = await program('report')
    expect(partly.status).toBe(0)
    expect(pageText()).toMatch(new RegExp(`${kept} of 60 .*; not asked: ${60 - kept}\\.`))
    const before = asked()
    const rest = await verify()
    expect(rest.status, rest.stdout).toBe(0)
    expect(asked() - before).toBe(60 - kept)
    expect(rest.stdout).toContain('60 of 60 registered mandates proven')
  })

  it('stops at a service without a read-back with 5, and says how to ask again', async () => {
    await registered(10, { readBack: 'off' })
    const { status, stdout } = await verify('--sample', '5')
    expect(status, stdout).toBe(5)
    expect(stdout).toMatch(/A sample of 5 of 10 .*: 0 proven, \d unreadable\./)
    expect(stdout).toMatch(/0 of 10 registered mandates proven at the service; \d unreadable; \d not asked\./)
    expect(stdout).toContain('it has no read-back, or knows none of these customers')
    expect(stdout).toMatch(/Next: sepa-migrate verify --sample 5\n/)
    expect((await program('status')).status).toBe(0) // nothing contradicts a registration
  })

  it('gives a file that is for reading: neither run nor resolve takes it', async () => {
    await registered(3)
    await verify()
    const sent = place.sandbox().mandates().length
    const run = await place.program('run', inReport('verification.csv'), '--no-report')
    expect([2, 7]).toContain(run.status)
    const resolve = await program('resolve', '--from', inReport('verification.csv'))
    expect([2, 7]).toContain(resolve.status)
    expect(place.sandbox().mandates()).toHaveLength(sent)
  })
})
