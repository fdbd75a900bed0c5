import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { validExport, validLine } from '../support/export.js'
import { placeOfTest, type Place } from '../support/place.js'
import type { Ended, Started } from '../support/program.js'

/**
 * The numbers are those of test/faults.md, which also says where the others are played.
 */

const open = (sandbox: SandboxOptions, rows: number): Promise<Place> => placeOfTest({ sandbox, rows })

const run = (place: Place, ...args: string[]): Started => place.start('run', 'export.csv', ...args)

/** The same where nothing happens to the process. */
const runHere = (place: Place, ...args: string[]): Promise<Ended> =>
  place.program('run', 'export.csv', ...args)

const totals = (place: Place) => place.totals()

/** Resolves when the program's stderr shows this. */
function shows({ child }: Started, text: string): Promise<void> {
  let seen = ''
  return new Promise((resolve) => {
    child.stderr!.on('data', (part: Buffer) => {
      seen += part.toString()
      if (seen.includes(text)) resolve()
    })
  })
}

async function untilReceived({ sandbox }: Place, count: number): Promise<void> {
  while (sandbox().requests().received.migrate < count) await new Promise((resolve) => setImmediate(resolve))
}

const HANG_ALL: SandboxOptions = { faults: [{ fault: { kind: 'hang', applied: true } }] }

describe('36: a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s once lets what is under way finish, and the next run goes on', async (signal, status) => {
    const place = await open({ latencyMs: 20 }, 60)
    const started = run(place, '--concurrency', '4', '--no-report')
    await untilReceived(place, 5)
    started.child.kill(signal)
    const ended = await started.ended
    expect(ended.status).toBe(status)
    expect(ended.stdout).toMatch(/Control totals/)
    expect(totals(place)).toMatchObject({ inDoubt: 0, sending: 0 })
    expect(totals(place).ready).toBeGreaterThan(0)
    expect((await runHere(place, '--no-report')).status).toBe(0)
    expect(place.sandbox().mandates()).toHaveLength(60)
  })

  it('twice gives up what is under way, which becomes in doubt', async () => {
    const place = await open(HANG_ALL, 20)
    const started = run(place, '--no-report')
    const drained = shows(started, 'Signal received')
    await untilReceived(place, 1)
    started.child.kill('SIGINT')
    await drained
    started.child.kill('SIGINT')
    const { status, stderr } = await started.ended
    expect(status).toBe(130)
    expect(stderr).toMatch(/Second signal/)
    expect(totals(place)).toMatchObject({ inDoubt: 1, ready: 19, sending: 0 })
  })

  it('SIGQUIT leaves at once, and the next start finds the row in doubt', async () => {
    const place = await open(HANG_ALL, 20)
    const started = run(place, '--no-report')
    await untilReceived(place, 1)
    started.child.kill('SIGQUIT')
    expect((await started.ended).status).toBe(131)
    expect(totals(place)).toMatchObject({ sending: 1 })
    const next = run(place, '--limit', '1', '--timeout', '0.2', '--no-report')
    expect((await next.ended).stderr).toMatch(
      /1 row was under way when the last run ended, and is in doubt now/,
    )
    expect(
      place
        .sandbox()
        .mandates()
        .filter(({ customer_no }) => customer_no === 1),
    ).toHaveLength(1)
  })
})

describe('37, 48: a program that is stopped and goes on', () => {
  it('keeps its lock meanwhile, and its request becomes in doubt when its time is over', async () => {
    const place = await open(HANG_ALL, 1)
    const started = run(place, '--timeout', '1', '--no-report')
    await untilReceived(place, 1)
    started.child.kill('SIGSTOP')
    const second = await runHere(place, '--json')
    expect(second.status).toBe(8)
    expect(second.stdout).toMatch(/has held it since/)
    started.child.kill('SIGCONT')
    expect((await started.ended).status).toBe(4)
    expect(totals(place)).toMatchObject({ inDoubt: 1 })
  })
})

describe('26, 27, 62: answers with 503', () => {
  const BUSY: SandboxOptions = {
    faults: [{ match: { customer_no: 3 }, times: 1, fault: { kind: 'server_error', status: 503 } }],
  }

  it('leave the row in doubt', async () => {
    const place = await open(BUSY, 6)
    expect((await runHere(place, '--no-report')).status).toBe(4)
    expect(totals(place)).toMatchObject({ registered: 5, inDoubt: 1 })
  })

  it('are turned away where the configuration says so, which is recorded and reported', async () => {
    const place = await open(BUSY, 6)
    place.write('sepa-migrate.yaml', 'outcomes: { "503": turned_away }\n')
    expect((await runHere(place)).status).toBe(0)
    expect(totals(place)).toMatchObject({ registered: 6, inDoubt: 0 })
    const [first] = place.ledger((reader) => reader.runs())
    expect(first?.settings).toMatchObject({ outcomes: { 503: 'turned_away' } })
    expect(place.read('report.html')).toMatch(/503/)
  })
})

describe('50: an unclosed quote on line 2 of many', () => {
  it('refuses the whole file and names the line; nothing is admitted or sent', async () => {
    const place = await open({}, 0)
    const [header, ...lines] = validExport(100_000).split('\n')
    place.write('export.csv', [header, '"1,open', ...lines].join('\n'))
    const { status, stderr } = await runHere(place)
    expect(status).toBe(7)
    expect(stderr).toMatch(/line 2/)
    expect(totals(place).read).toBe(0)
    expect(place.sandbox().requests().received.migrate).toBe(0)
  })
})

describe('51: an export as spreadsheets leave it', () => {
  const [header = ''] = validExport(0).split('\n')
  const check = async (content: string | Buffer): Promise<Ended> => {
    const { write, program } = await open({}, 0)
    write('export.csv', content)
    return program('check', 'export.csv', '--json')
  }

  it.each([
    [
      'a byte order mark and mixed line ends',
      `\ufeff${header}\r\n${validLine(1)}\n${validLine(2)}\r${validLine(3)}\n`,
      3,
    ],
    ['semicolons and blank lines', `${header}\n\n${validLine(1)}\n\n`.replaceAll(',', ';'), 1],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${header}\n${validLine(1)}\n`, 'utf16le'), 1],
  ])('with %s is read', async (_name, content, rows) => {
    const { status, stdout } = await check(content)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { read: rows, ready: rows } })
  })

  it.each([
    ['a column twice', `${header},iban\n${validLine(1)},x\n`, 7],
    ['200,000 commas on a line', `${header}\n${','.repeat(200_000)}1\n`, 7],
    [
      'a control character in a reference',
      `${header}\n${validLine(1).replace('MANDATE', 'MAN\u0001DATE')}\n`,
      3,
    ],
    ['a formula for a reference', `${header}\n${validLine(1).replace('MANDATE-1', '=1+1')}\n`, 3],
  ])('with %s is not', async (_name, content, status) => {
    expect((await check(content)).status).toBe(status)
  })
})

describe('53: values that look like others', () => {
  const BROKEN: readonly (readonly [from: string, to: string])[] = [
    ['1,DE', '9007199254740993,DE'],
    ['1,DE', '1e3,DE'],
    ['1,DE', '-5,DE'],
    ['2024-03-02', '2024-02-30'],
    ['DE', 'DE00'],
  ]

  it('are invalid with a reason each, or read in their one fixed form', async () => {
    const place = await open({}, 0)
    const lines = BROKEN.map(([from, to], n) =>
      validLine(1).replace(from, to).replace('MANDATE-1', `BROKEN-${n}`),
    )
    place.write('export.csv', `${validExport(0)}${lines.join('\n')}\n0${validLine(1)}\n`)
    expect((await runHere(place)).status).toBe(3)
    expect(totals(place)).toMatchObject({ invalid: BROKEN.length, registered: 1 })
    expect(place.sandbox().mandates()).toMatchObject([{ customer_no: 1 }])
    const reasons = place.read('corrections.csv').match(/"(CUST|DATE|IBAN)_[A-Z_]+"/g)
    expect(reasons).toEqual([
      '"CUST_RANGE"',
      '"CUST_FORMAT"',
      '"CUST_FORMAT"',
      '"DATE_INVALID"',
      '"IBAN_LENGTH"',
    ])
  })
})

describe('52: the same mandate', () => {
  it('twice is sent once; with other content none of the group is sent', async () => {
    const place = await open({}, 0)
    const other = validLine(2).replace('2024-03-03', '2024-03-04')
    const lines = [validLine(1), validLine(1), validLine(2), other]
    place.write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
    expect((await runHere(place, '--no-report')).status).toBe(3)
    expect(totals(place)).toMatchObject({ registered: 1, duplicate: 1, conflict: 2 })
    expect(place.held()).toEqual([1])
  })
})

describe('55: a reader that goes away', () => {
  it('does not stop the run', async () => {
    const place = await open({ latencyMs: 5 }, 30)
    const started = run(place, '--verbose', '--no-report')
    started.child.stdout!.destroy()
    started.child.stderr!.destroy()
    const ended: Ended = await started.ended
    expect(ended.status).toBe(0)
    expect(totals(place)).toMatchObject({ registered: 30 })
  })
})
