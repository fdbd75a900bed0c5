import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { placeForEach, placeOfTest, type Place } from '../support/place.js'
import { openTerminal, type TerminalSession } from '../support/terminal.js'

const ROWS = 60
const SANDBOX: SandboxOptions = {
  latencyMs: 25,
  faults: [
    { match: { customer_no: 4 }, times: 1, fault: { kind: 'reset', applied: true } },
    { match: { customer_no: 6 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
  ],
}
const here = placeForEach({ rows: ROWS, ownState: true, sandbox: SANDBOX })

const RUN = ['run', 'export.csv', '--concurrency', '1']

const terminal = (
  args: readonly string[],
  columns: number,
  more: { suffix?: string; env?: Readonly<Record<string, string>>; place?: Place } = {},
): TerminalSession => {
  const { place = here } = more
  return openTerminal(args, { cwd: place.folder(), columns, ...more, env: { ...place.env(), ...more.env } })
}

const standing = async (place = here) => (await place.json('status')).totals

const COLOUR = /\u001b\[(?:1|2|3\d|9\d)m/
const OUTCOME =
  'Row 4: in doubt. The connection broke before the answer was complete (ECONNRESET): the service may have applied the request'

describe.skipIf(process.platform !== 'linux').each([40, 80])('10.3.1 a terminal of %i columns', (columns) => {
  it('10.3.1 draws the run on three lines, and leaves the end screen whole', async () => {
    const session = terminal(RUN, columns)
    await session.shows('in doubt 1')
    const during = await session.screen()
    const first = during.findIndex((line) => /^[█░]+ \d+ %/.test(line))
    expect(during.slice(first).join('\n')).toMatch(
      /^[█░]+ \d+ % [^]*registered \d+[^]*refused \d · in doubt 1\n.* a second · /,
    )
    expect(during.slice(first)).toHaveLength(3)
    for (const line of during.slice(first)) expect(line.length).toBeLessThan(columns)

    expect(await session.ended).toBe(4)
    const end = await session.screen()
    expect(end.join('\n')).not.toMatch(/[█░]/)
    expect(end).toContain(OUTCOME)
    const expected = [
      'Control totals',
      '  read         60   records of the exports',
      '  ready         0   waiting to be sent',
      '  registered   58   the service confirmed it',
      '  refused       1   the service said no',
      '  in doubt      1   may be registered; a person must resolve it',
      '  balanced: 60 read = the sum of all states',
      '',
      'Open:',
      '  1 in doubt: may be registered, never sent again by the program (to-do/in-doubt.csv)',
      '  1 refused by the service (to-do/refused.csv)',
      'No column of "export.csv" says which mandates are active: every mandate is treated as active.',
      'Report: sepa-migrate-report/report.html',
      'Compare sepa-migrate-report/to-do/in-doubt.csv with the service and fill in its columns of decision and reason.',
      'Next: sepa-migrate resolve --from sepa-migrate-report/to-do/in-doubt.csv --dry-run',
    ]
    expect(end.slice(-expected.length)).toEqual(expected)
  })

  it('10.3.3 shows the plan, then asks', async () => {
    const args = [...RUN, '--base-url', 'https://mistyped.example', '--rate', '2']
    const session = terminal(args, columns)
    await session.shows('Type the host name "mistyped.example"')
    const shown = (await session.screen()).join('\n')
    expect(shown).toContain('Target: https://mistyped.example')
    expect(shown).toContain('User at the service: sandbox')
    expect(shown).toContain('To send in this run: 60 rows')
    expect(shown).toContain('at most 2 a second, 1 request at a time, about 30 s')
    expect(shown).toMatch(/previous creditor DE\w+: 60 rows/)
    session.type('no\r')
    expect(await session.ended).toBe(2)
    expect((await session.screen()).at(-1)).toBe(
      'Next: sepa-migrate run export.csv --base-url https://mistyped.example --concurrency 1 --rate 2',
    )
  })
})

describe.skipIf(process.platform !== 'linux')('10.3.4 a terminal', () => {
  const columns = 80

  it('10.3.4 Ctrl-C once: what is under way finishes, and the last line resumes', async () => {
    const session = terminal(RUN, columns)
    await session.shows('registered 5')
    session.type('\u0003')
    expect(await session.ended).toBe(130)
    const end = await session.screen()
    expect(end).toContain(
      'Signal received: no new rows; waiting for what is under way (signal again to give it up)',
    )
    expect(end.at(-1)).toBe('Next: sepa-migrate run --concurrency 1')
    expect(end.join('\n')).not.toMatch(/[█░]/)
    const totals = await standing()
    expect(totals).toMatchObject({ sending: 0, inDoubt: 1 })
    expect(totals['ready']).toBeGreaterThan(0)
  })

  it('10.3.4 Ctrl-C twice: what is under way is given up and in doubt', async () => {
    const place = await placeOfTest({ rows: ROWS, ownState: true, sandbox: { latencyMs: 60_000 } })
    const session = terminal(RUN, columns, { place })
    await session.shows('0 %')
    for (let { sending } = await standing(place); sending !== 1;) ({ sending } = await standing(place))
    session.type('\u0003')
    await session.shows('Signal received')
    session.type('\u0003')
    expect(await session.ended).toBe(130)
    const end = await session.screen()
    // the terminal itself echoes ^C in front of it
    expect(end.join('\n')).toContain('Second signal: giving up what is under way; those rows become in doubt')
    expect(end.at(-1)).toContain('Next: sepa-migrate run --concurrency')
    expect(await standing(place)).toMatchObject({ sending: 0, inDoubt: 1, ready: ROWS - 1 })
  })

  it.each([' | true', ' >&-'])(
    '10.3.1 with stdout closed (%s) every row is sent all the same',
    async (suffix) => {
      const session = terminal(RUN, columns, { suffix })
      await session.ended
      const end = (await session.screen()).join('\n')
      expect(end).toContain(OUTCOME)
      expect(end).not.toMatch(/EPIPE|EBADF|Unexpected|at .*\.js/)
      // The shell does not wait for what stands before the pipe.
      for (let totals = await standing(); totals['registered'] !== ROWS - 2; totals = await standing())
        expect(totals['inDoubt']).toBeLessThan(2)
    },
  )
})

describe.skipIf(process.platform !== 'linux')('10.3.1 colour', () => {
  it('10.3.1 is on state words and labels in a terminal, and says nothing that the words do not say', async () => {
    const coloured = terminal(RUN, 100)
    expect(await coloured.ended).toBe(4)
    expect(coloured.raw()).toMatch(/Row 4: \u001b\[33min doubt\u001b\[39m\. /)
    expect(coloured.raw()).toMatch(/ {2}\u001b\[33min doubt +1\u001b\[39m {3}may be/)
    expect(coloured.raw()).toContain('\u001b[1mNext\u001b[22m: sepa-migrate ')
    const words = await coloured.screen()
    const plain = terminal(['status', '--no-color'], 100)
    expect(await plain.ended).toBe(4)
    expect(plain.raw()).not.toMatch(COLOUR)
    expect((await plain.screen()).at(-1)).toBe(words.at(-1))
  })

  it.each([
    ['--no-color', ['--no-color'], {}],
    ['--no-color, although FORCE_COLOR asks for it', ['--no-color'], { FORCE_COLOR: '1' }],
    ['SEPA_MIGRATE_NO_COLOR', [], { SEPA_MIGRATE_NO_COLOR: '1' }],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['NODE_DISABLE_COLORS', [], { NODE_DISABLE_COLORS: '1' }],
    ['TERM=dumb', [], { TERM: 'dumb' }],
  ])('10.3.1 is nowhere with %s, in a question neither', async (_name, flags, more) => {
    const session = terminal([...RUN, '--base-url', 'https://mistyped.example', ...flags], 100, { env: more })
    await session.shows('Type the host name')
    session.type('no\r')
    expect(await session.ended).toBe(2)
    expect(session.raw()).not.toMatch(COLOUR)
  })

  it('10.3.1 is nowhere in a pipe, unless FORCE_COLOR asks for it, and never in the JSON document', async () => {
    const check = (more: Readonly<Record<string, string>>, ...args: string[]) =>
      here.programWith(more, 'check', 'export.csv', ...args)
    expect((await check({})).stdout).not.toContain('\u001b')
    expect((await check({ FORCE_COLOR: '1' })).stdout).toMatch(COLOUR)
    expect((await check({ FORCE_COLOR: '1' }, '--json')).stdout).not.toContain('\u001b')
  })
})
