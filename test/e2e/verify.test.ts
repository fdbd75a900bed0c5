import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { sheetsOf } from '../report/workbook-value.js'
import {
  cancelSource,
  listed as listedThere,
  placeOfTest,
  postElsewhere,
  sourceIds,
  type Place,
} from '../support/place.js'
import { germanIban } from '../support/export.js'
import { inReport, type Ended } from '../support/program.js'

let place: Place
/** Everything that was printed. */
let printed = ''

async function program(...args: string[]): Promise<Ended> {
  const ended = await place.program(...args)
  printed += ended.stdout + ended.stderr
  return ended
}

const verify = (): Promise<Ended> => program('verify', '--quiet')

/** A campaign of so many mandates, all of them registered, customers counted from 1. */
async function registered(rows: number, options: SandboxOptions = {}): Promise<void> {
  const choices = { repeatedMandate: 'register', cancelledSources: 'gone' } as const
  place = await placeOfTest({ rows, sandbox: { choices, ...options } })
  printed = ''
  const sent = await place.program('run', 'export.csv', '--concurrency', '16')
  expect(sent.status, sent.stderr).toBe(0)
}

const listed = () => place.rows('verification.csv')
const pageText = (): string => place.read('report.html').replace(/(?:<[^>]+>|\s)+/g, ' ')

const cancel = async (customerNo: number): Promise<void> =>
  cancelSource(place, (await sourceIds(place, customerNo))[0])

/** No file of the pack, no output and no evidence holds an account number of the sandbox. */
function expectNoAccount(): void {
  const names = readdirSync(place.path('sepa-migrate-report')).filter((name) =>
    /\.(?:csv|html|json)$/.test(name),
  )
  for (const { iban } of place.sandbox().mandates())
    for (const text of [printed, ...names.map(place.read)]) expect(text.includes(iban)).toBe(false)
}

describe('verify', () => {
  it('proves every registered mandate, the page that is signed says so, and its file is for reading', async () => {
    await registered(12)
    expect(existsSync(place.path('verification.csv'))).toBe(false)
    expect(pageText()).toContain('The service was not asked to confirm what it holds.')

    const { status, stdout } = await verify()
    expect(status, stdout).toBe(0)
    const sentence =
      /\b12 of 12 registered mandates proven at the service between .* UTC and .* UTC; 0 not asked\./
    expect(stdout).toMatch(sentence)
    expect(pageText()).toMatch(
      /Proven at the service: 12 of 12 registered mandates \(.* – .*\); not asked: 0\./,
    )
    expect(pageText()).toContain('Balanced, nothing is open')
    expect(new Set(listed().map(({ verification }) => verification))).toEqual(new Set(['proven']))
    expect(listed()).toHaveLength(12)
    expect(stdout).toContain('export once more as final.csv and compare it before finance signs')
    const shown = await program('status')
    expect(shown.status).toBe(0)
    expect(shown.stdout).toMatch(sentence)

    const file = inReport('verification.csv')
    expect([2, 7]).toContain((await program('run', file, '--no-report')).status)
    expect([2, 7]).toContain((await program('resolve', '--from', file)).status)
    expect(place.held()).toHaveLength(12)
    expectNoAccount()
  })

  it('lists first what is missing, twice, different or unreadable, with what a person may cancel', async () => {
    const fault = { kind: 'server_error', status: 500 } as const
    await registered(12, { faults: [{ operation: 'read_back', match: { customer_no: 5 }, fault }] })
    const [own = ''] = await sourceIds(place, 3)
    await cancel(2)
    await postElsewhere(place, 3)
    await cancel(4)
    await postElsewhere(place, 4, { signed_date: '2019-01-01' })
    const double = (await sourceIds(place, 3)).find((id) => id !== own) ?? ''
    const before = place.sandbox().mandates()

    const { status, stdout } = await verify()
    expect(status, stdout).toBe(4)
    expect(place.sandbox().mandates()).toEqual(before) // neither sent nor cancelled
    const lines = stdout.split('\n')
    expect(lines.slice(0, 5).map((line) => line.split(':')[0])).toEqual([
      'Registered, and not proven at the service',
      '  row 2, customer 2, missing',
      '  row 3, customer 3, twice',
      '  row 4, customer 4, different',
      '  row 5, customer 5, unreadable',
    ])
    expect(lines[2]).toContain(`${own} is the one of this ledger; a person may cancel ${double}.`)
    expect(stdout).toContain('8 of 12 registered mandates proven at the service between')
    expect(stdout).toContain('1 missing, 1 twice, 1 different, 1 unreadable; 0 not asked.')
    expect(stdout).toMatch(/Next: sepa-migrate verify\n/)

    expect(listed()).toHaveLength(12)
    expect(listed().slice(0, 5)).toMatchObject([
      { migration_row: '2', verification: 'missing' },
      { verification: 'twice', payment_sources: `${own} ${double}`, may_be_cancelled: double },
      { migration_row: '4', verification: 'different' },
      { migration_row: '5', verification: 'unreadable' },
      { migration_row: '1', verification: 'proven' },
    ])
    const page = pageText()
    expect(page).toContain('Balanced, open points: 1')
    expect(page).toContain('Registered, but missing, twice or different at the service: 3')
    expect(page).toContain(`a person may cancel ${double}.`)
    const book = readFileSync(place.path('reconciliation.xlsx'))
    const sheet = sheetsOf(book).get('Verification') ?? []
    const found = ['missing', 'twice', 'different', 'unreadable']
    const words = sheet.slice(2).flatMap((cells) => cells.map((cell) => cell.value))
    expect(words.filter((word) => found.includes(word))).toEqual(found)
    for (const [name, code] of [
      ['status', 4],
      ['report', 4],
      ['run', 4],
    ] as const) {
      const ended = await program(name, ...(name === 'run' ? ['--no-report'] : []))
      expect([name, ended.status]).toEqual([name, code])
      expect(ended.stdout).toContain('3 registered, and not so at the service')
      expect(ended.stdout).not.toMatch(/Nothing is open|purge/)
    }
    expectNoAccount()
    await cancelSource(place, double)
    expect((await verify()).stdout).toContain('9 of 12 registered mandates proven')
  })

  it('goes on where it was killed, and asks nobody again who was proven', async () => {
    await registered(40)
    const asked = (): number => place.sandbox().requests().received['read_back']
    const { child, ended } = place.start('verify', '--quiet', '--rate', '25')
    while (asked() === 0) await setImmediate() // then the ledger is its own
    const questions = (): number => place.ledger((reader) => reader.readBacks()[0]?.questions ?? 0)
    while (questions() < 10) await setImmediate()
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    const kept = questions()
    expect(pageText()).toContain('not asked') // the page of the run
    expect((await program('report')).status).toBe(0)
    expect(pageText()).toMatch(new RegExp(`${kept} of 40 .*; not asked: ${40 - kept}\\.`))
    const before = asked()
    const rest = await verify()
    expect(rest.status, rest.stdout).toBe(0)
    expect(asked() - before).toBe(40 - kept)
    expect(rest.stdout).toContain('40 of 40 registered mandates proven')
  })
})

describe('a mandate whose line of the cut-over somebody closed with done', () => {
  /** Of five registered ones the last export has 1 ended, 2 with another account and 3 no more; all three lines are done. */
  async function done(cancelledSources: 'listed' | 'gone' = 'listed'): Promise<void> {
    await registered(5, { choices: { cancelledSources } })
    const [header = '', ...lines] = place.read('export.csv').trim().split(/\r?\n/)
    const word = (line: string, at: number): string => `${line},${at === 0 ? 'cancelled' : 'active'}`
    const other = lines.map((line, at) => (at === 1 ? line.replace(germanIban(2), germanIban(92)) : line))
    place.write('final.csv', `${[`${header},Status`, ...other.map(word).toSpliced(2, 1)].join('\n')}\n`)
    expect((await program('compare', 'final.csv')).status).toBe(3)
    place.edit('cut-over.csv', { migration_decision: 'done', migration_reason: 'x' })
    expect((await program('resolve', '--from', inReport('cut-over.csv'))).status).toBe(0)
  }
  const anew = async (): Promise<void> => {
    for (const customer of [1, 2, 3]) await cancel(customer)
    await postElsewhere(place, 2, { iban: germanIban(92) })
  }
  const words = () =>
    listed()
      .toSorted((one, other) => Number(one['migration_row']) - Number(other['migration_row']))
      .map(({ verification }) => verification)
  const list = (isWhole = false): void =>
    place.save(
      'service.csv',
      place
        .sandbox()
        .mandates()
        .filter(({ cancelled_at }) => isWhole || cancelled_at === null)
        .map((held) => ({ ...listedThere(held), cancelled_at: held.cancelled_at ?? '' })),
    )
  const against = () =>
    place.json<{ exitCode: number; reconciliation: object }>('resolve', '--against', 'service.csv')

  it.each(['listed', 'gone'] as const)(
    'is as decided where the service shows that it was done, cancelled ones %s',
    async (shown) => {
      await done(shown)
      await anew()
      const { status, stdout } = await verify()
      expect(status, stdout).toBe(0)
      expect(stdout).toMatch(
        /2 of 5 registered mandates proven at the service .*; 3 cancelled or changed as decided; 0 not asked\./,
      )
      expect(stdout).not.toContain('Registered, and not')
      expect(words()).toEqual(['decided', 'decided', 'decided', 'proven', 'proven'])
      expect(pageText()).toMatch(
        /Proven at the service: 2 of 5 .*; cancelled or changed as decided: 3; not asked: 0\./,
      )
      expect(pageText()).toContain('Balanced, nothing is open')
      const sheet = sheetsOf(readFileSync(place.path('reconciliation.xlsx'))).get('Verification') ?? []
      expect(JSON.stringify(sheet)).not.toMatch(/decided|different/)
      for (const command of [['status'], ['report'], ['run', '--no-report'], ['compare', 'final.csv']])
        expect([command, (await program(...command)).status]).toEqual([command, 0])
      list()
      expect(await against()).toMatchObject({
        exitCode: 0,
        reconciliation: { matched: 3, missingThere: 0, unknownHere: 0, differs: 0 },
      })
      list(true)
      expect(await against()).toMatchObject({
        exitCode: 0,
        reconciliation: { matched: 6, missingThere: 0, unknownHere: 0, differs: 0 },
      })
    },
  )

  it('is open where the service shows it as it was sent, until it was done and is asked again', async () => {
    await done()
    const { status, stdout } = await verify()
    expect(status, stdout).toBe(4)
    expect(stdout).toContain(
      'row 1, customer 1, different: Somebody said that it was cancelled at the service, and the service shows it active',
    )
    expect(stdout).toContain(
      'row 2, customer 2, different: Somebody said that it was changed at the service, and the service shows it as it was sent',
    )
    expect(words()).toEqual(['different', 'different', 'different', 'proven', 'proven'])
    expect((await program('customer', 'show', '1')).stdout).toContain('what was decided: different')
    expect(pageText()).toContain('Registered, but missing, twice or different at the service: 3')
    for (const command of [['status'], ['report'], ['run', '--no-report']])
      expect([command, (await program(...command)).status]).toEqual([command, 4])
    list()
    expect(await against()).toMatchObject({
      exitCode: 4,
      reconciliation: { matched: 2, missingThere: 0, unknownHere: 0, differs: 3 },
    })
    await anew()
    expect((await verify()).status).toBe(0)
    expect(words()).toEqual(['decided', 'decided', 'decided', 'proven', 'proven'])
  })
})
