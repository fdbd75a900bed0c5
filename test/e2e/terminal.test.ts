import { beforeEach, describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { germanIban } from '../support/export.js'
import { type Place, placeForEach, placeOfTest } from '../support/place.js'
import { openTerminal, type TerminalSession } from '../support/terminal.js'

describe('screens', () => {
  const ROWS = 30
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
    more: { env?: Readonly<Record<string, string>>; place?: Place } = {},
  ): TerminalSession => {
    const { place = here } = more
    return openTerminal(args, { cwd: place.folder(), columns, env: { ...place.env(), ...more.env } })
  }

  const standing = async (place = here) => (await place.json('status')).totals

  const COLOUR = /\u001b\[(?:1|2|3\d|9\d)m/
  const OUTCOME =
    'Row 4: in doubt. The connection broke before the answer was complete (ECONNRESET): the service may have applied the request'

  describe.skipIf(process.platform !== 'linux')('a terminal', () => {
    it.each([60, 80])(
      'of %i columns draws the run on three lines, in colour, and leaves the end screen whole',
      async (columns) => {
        const session = terminal(RUN, columns)
        await session.shows('in doubt 1')
        const during = await session.screen()
        const first = during.findIndex((line) => /^[█░]+ \d+ %/.test(line))
        const shown = during.slice(first).join('\n')
        expect(shown).toMatch(/^[█░]+ \d+ % [^]*registered \d+[^]*refused \d · in doubt 1\n.* a second · /)
        expect(during.slice(first)).toHaveLength(3)
        for (const line of during.slice(first)) expect(line.length).toBeLessThan(columns)

        expect(await session.ended).toBe(4)
        expect(session.raw()).toMatch(/Row 4: \u001b\[33min doubt\u001b\[39m\. /)
        expect(session.raw()).toMatch(/ {2}\u001b\[33min doubt +1\u001b\[39m {3}may be/)
        expect(session.raw()).toContain('\u001b[1mNext\u001b[22m: sepa-migrate ')
        const end = await session.screen()
        expect(end.join('\n')).not.toMatch(/[█░]/)
        // Prose is broken at words, and a command never.
        const wordsIn = (lines: readonly string[]): string => lines.join(' ').replace(/ +/g, ' ')
        expect(wordsIn(end)).toContain(OUTCOME)
        for (const line of end.filter((line) => !/sepa-migrate|to-do.xlsx/.test(line)))
          expect(line.length, line).toBeLessThanOrEqual(columns)
        expect(wordsIn(end)).toContain('balanced: 30 read = the sum of all states')
        const expected = [
          'Open:',
          '  1 in doubt: may be registered, never sent again by the program (to-do/in-doubt.csv)',
          '  1 refused by the service (to-do/refused.csv)',
          'No column of "export.csv" says which mandates are active: every mandate is treated as active.',
          'Report: sepa-migrate-report/report.html',
          'Ask the service about each row in doubt, fill in your decision and your reason in sepa-migrate-report/to-do/to-do.xlsx, and give it back.',
          'Next: sepa-migrate run sepa-migrate-report/to-do/to-do.xlsx --concurrency 1',
        ]
        expect(wordsIn(end).endsWith(wordsIn(expected)), end.join('\n')).toBe(true)
      },
    )

    it.each([
      ['--no-color, although FORCE_COLOR asks for it', ['--no-color'], { FORCE_COLOR: '1' }],
      ['NO_COLOR', [], { NO_COLOR: '1' }],
    ])(
      'shows the plan, then asks, without colour for %s; after a no nothing has happened',
      async (_name, flags, env) => {
        const args = [...RUN, '--base-url', 'https://mistyped.example', '--rate', '2', ...flags]
        const session = terminal(args, 100, { env })
        await session.shows('Type the host name "mistyped.example"')
        const shown = (await session.screen()).join('\n')
        expect(shown).toContain('Target: https://mistyped.example')
        expect(shown).toContain('User at the service: sandbox')
        expect(shown).toContain('To send in this run: 30 rows')
        expect(shown).toContain('at most 2 a second, 1 request at a time, about 15 s')
        expect(shown).toMatch(/previous creditor DE\w+: 30 rows/)
        session.type('no\r')
        expect(await session.ended).toBe(2)
        const end = await session.screen()
        expect(end.join('\n')).toContain('the ledger is as it was')
        expect(end.at(-1)).toMatch(/^Next: sepa-migrate run export\.csv --base-url https:.* --rate 2/)
        expect(session.raw()).not.toMatch(COLOUR)
        expect(() => here.read('report.html')).toThrow('ENOENT')
        expect(await standing()).toMatchObject({ read: 0, ready: 0 })
        const later = await here.json('run', '--yes', '--base-url', 'https://right.example')
        expect(later).toMatchObject({ exitCode: 2, totals: { read: 0 } })
        expect(later.errors[0]?.message).toContain('holds no mandates yet')
      },
    )

    it('Ctrl-C twice: what is under way is given up and in doubt', async () => {
      const place = await placeOfTest({ rows: ROWS, ownState: true, sandbox: { latencyMs: 60_000 } })
      const session = terminal(RUN, 80, { place })
      await session.shows('0 %')
      for (let { sending } = await standing(place); sending !== 1;) ({ sending } = await standing(place))
      session.type('\u0003')
      await session.shows('Signal received: no new rows; waiting for requests in flight')
      session.type('\u0003')
      expect(await session.ended).toBe(130)
      const end = await session.screen()
      // the terminal itself echoes ^C in front of it
      expect(end.join('\n')).toContain('Second signal: giving up; 1 request in flight becomes in doubt')
      expect(end.join('\n')).not.toMatch(/[█░]/)
      expect(end.at(-1)).toContain('Next: sepa-migrate run --concurrency')
      expect(await standing(place)).toMatchObject({ sending: 0, inDoubt: 1, ready: ROWS - 1 })
    })
  })

  describe.skipIf(process.platform !== 'linux')('help on a terminal', () => {
    it('breaks lines at words in 60 columns', async () => {
      const session = terminal(['report', '--help'], 60)
      expect(await session.ended).toBe(0)
      const long = (await session.screen()).filter((line) => line.length > 60)
      expect(long.filter((line) => !line.startsWith('  sepa-migrate '))).toEqual([])
    })

    it('shows a topic with $PAGER, and as it is where that is empty or not there', async () => {
      const shown = async (PAGER: string): Promise<string> => {
        const session = terminal(['help', 'glossary'], 60, { env: { PAGER } })
        expect(await session.ended).toBe(0)
        return session.raw()
      }
      expect(await shown('sed s/^/PAGED:/')).toMatch(/^PAGED:glossary: /)
      expect(await shown('')).toMatch(/^glossary: /)
      expect(await shown('no-such-pager')).toMatch(/^glossary: /m)
      const piped = await here.programWith({ PAGER: 'sed s/^/PAGED:/' }, 'help', 'glossary')
      expect(piped.stdout).toMatch(/^glossary: /)
    })
  })

  it('colour is nowhere in a pipe, unless FORCE_COLOR asks for it, and never in the JSON document', async () => {
    const check = (more: Readonly<Record<string, string>>, ...args: string[]) =>
      here.programWith(more, 'check', 'export.csv', ...args)
    expect((await check({})).stdout).not.toContain('\u001b')
    expect((await check({ FORCE_COLOR: '1' })).stdout).toMatch(COLOUR)
    expect((await check({ FORCE_COLOR: '1' }, '--json')).stdout).not.toContain('\u001b')
  })
})

describe('what others wrote', () => {
  const ESCAPE = '\u001b[31m\u009b2J\u202e'
  /** In a name of a column, a reference, a file and an answer of the service. */
  const EXPORT = [
    `customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,"Na${ESCAPE}me"`,
    `1,${germanIban(1)},2024-01-02,DE98ZZZ09999999999,M-1,x`,
    `2,${germanIban(2)},2024-01-02,DE98ZZZ09999999999,=1+2,"x;=cmd"`,
    `3,${germanIban(3)},2024-01-02,DE98ZZZ09999999999,M-${ESCAPE}3,x`,
    `4,${germanIban(4)},2024-01-02,DE98ZZZ09999999999,+49/4,x`,
  ].join('\n')
  const FILE = `export${ESCAPE}.csv`

  const said = { kind: 'refuse', status: 422, message: `no${ESCAPE}no` } as const
  const faults = [{ match: { customer_no: 1 }, fault: said }]
  const { read, write, program } = placeForEach({ sandbox: { faults } })
  beforeEach(() => write(FILE, EXPORT))

  it('what others wrote reaches neither the terminal as commands, nor the log, nor registered.csv', async () => {
    const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
    for (const args of [
      ['inspect', FILE],
      ['check', FILE],
      ['check', FILE, '--json'],
      ['check', `missing${ESCAPE}.csv`],
      ['customer', 'show', `1${ESCAPE}`],
      [`no${ESCAPE}command`],
      ['run', FILE, '--verbose', '--log-file', 'run.log'],
      ['status'],
      ['customer', 'show', '1'],
      ['customer', 'show', '3', '--json'],
    ]) {
      const { stdout, stderr } = await program(...args)
      expect(stdout + stderr, args.join(' ')).not.toMatch(OBEYED)
      expect((stdout + stderr).length).toBeGreaterThan(20)
      if (args[0] === 'run') expect(stderr).toContain('Row 1: refused')
    }
    expect(read('run.log')).not.toMatch(OBEYED)
    expect(read('registered.csv')).toContain('"=""+49/4"""')
    expect(read('registered.csv')).not.toMatch(/[\u001b\u009b\u202e]/)
  })
})
