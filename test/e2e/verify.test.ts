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

const wordsOf = () =>
  listed()
    .toSorted((one, other) => Number(one['migration_row']) - Number(other['migration_row']))
    .map(({ verification }) => verification)

describe('verify', () => {
  it('proves every registered mandate, the page that is signed says so, and its file is for reading', async () => {
    await registered(12)
    expect(existsSync(place.path('verification.csv'))).toBe(false)
    expect(pageText()).toContain('The service was not asked to confirm what it holds.')
    const { status, stdout } = await verify()
    expect(status, stdout).toBe(0)
    const sentence = /\b12 of 12 registered mandates proven at the service between .* UTC; 0 not asked\./
    expect(stdout).toMatch(sentence)
    expect(pageText()).toMatch(/Proven at the service: 12 of 12 registered mandates \(.*\); not asked: 0\./)
    expect(wordsOf()).toEqual(Array.from({ length: 12 }, () => 'proven'))
    expect((await program('status')).stdout).toMatch(sentence)
    const file = inReport('verification.csv')
    expect([2, 7]).toContain((await program('run', file, '--no-report')).status)
    expect([2, 7]).toContain((await program('resolve', '--from', file)).status)
    expectNoAccount()
  })

  it('lists first what is missing, twice, different or unreadable, with what a person may cancel', async () => {
    const fault = { kind: 'server_error', status: 500 } as const
    await registered(6, { faults: [{ operation: 'read_back', match: { customer_no: 5 }, fault }] })
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
    const may = `${own} is the one of this ledger; a person may cancel ${double}.`
    for (const text of [stdout, pageText(), place.read('verification.csv')]) expect(text).toContain(may)
    expect(stdout).toContain('1 missing, 1 twice, 1 different, 1 unreadable; 0 not asked.')
    const found = ['missing', 'twice', 'different', 'unreadable']
    expect(listed().map(({ verification }) => verification)).toEqual([...found, 'proven', 'proven'])
    const sheet = sheetsOf(readFileSync(place.path('reconciliation.xlsx'))).get('Verification') ?? []
    const words = sheet.slice(2).flatMap((cells) => cells.map((cell) => cell.value))
    expect(words.filter((word) => found.includes(word))).toEqual(found)
    for (const name of ['status', 'report', 'run']) {
      const ended = await program(name)
      expect([name, ended.status]).toEqual([name, 4])
      expect(ended.stdout).toContain('3 registered, and not so at the service')
    }
    expectNoAccount()
    await cancelSource(place, double)
    expect((await verify()).stdout).toContain('3 of 6 registered mandates proven')
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
  const against = (isWhole = false) => {
    const held = place.sandbox().mandates()
    const shown = held.filter(({ cancelled_at }) => isWhole || cancelled_at === null)
    const lines = shown.map((one) => ({ ...listedThere(one), cancelled_at: one.cancelled_at ?? '' }))
    place.save('service.csv', lines)
    return place.json<{ exitCode: number; reconciliation: object }>('resolve', '--against', 'service.csv')
  }

  it.each(['listed', 'gone'] as const)('is as decided where the service shows it (%s)', async (shown) => {
    await done(shown)
    await anew()
    const { status, stdout } = await verify()
    expect(status, stdout).toBe(0)
    expect(stdout).toMatch(/2 of 5 registered mandates proven .*; 3 cancelled or changed as decided;/)
    expect(stdout).not.toContain('Registered, and not')
    expect(wordsOf()).toEqual(['decided', 'decided', 'decided', 'proven', 'proven'])
    expect(pageText()).toMatch(/2 of 5 .*; cancelled or changed as decided: 3; not asked: 0\./)
    expect(pageText()).toContain('Balanced, nothing is open')
    for (const command of [['status'], ['report'], ['run', '--no-report'], ['compare', 'final.csv']])
      expect([command, (await program(...command)).status]).toEqual([command, 0])
    for (const isWhole of [false, true])
      expect(await against(isWhole)).toMatchObject({
        exitCode: 0,
        reconciliation: { matched: isWhole ? 6 : 3, missingThere: 0, unknownHere: 0, differs: 0 },
      })
  })

  it('is open where the service shows it as it was sent, until it was done and is asked again', async () => {
    await done()
    const { status, stdout } = await verify()
    expect(status, stdout).toBe(4)
    const said = 'different: Somebody said that it was'
    expect(stdout).toContain(`${said} cancelled at the service, and the service shows it active`)
    expect(stdout).toContain(`${said} changed at the service, and the service shows it as it was sent`)
    expect(wordsOf()).toEqual(['different', 'different', 'different', 'proven', 'proven'])
    expect((await program('customer', 'show', '1')).stdout).toContain('what was decided: different')
    expect(pageText()).toContain('Registered, but missing, twice or different at the service: 3')
    for (const command of [['status'], ['report'], ['run', '--no-report']])
      expect([command, (await program(...command)).status]).toEqual([command, 4])
    expect(await against()).toMatchObject({
      exitCode: 4,
      reconciliation: { matched: 2, missingThere: 0, unknownHere: 0, differs: 3 },
    })
    await anew()
    expect((await verify()).status).toBe(0)
    expect(wordsOf()).toEqual(['decided', 'decided', 'decided', 'proven', 'proven'])
  })
})
