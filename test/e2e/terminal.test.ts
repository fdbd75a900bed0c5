import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/index.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder } from '../support/program.js'
import { openTerminal, type TerminalSession } from '../support/terminal.js'

/** `script` takes other flags elsewhere. */
const isLinux = process.platform === 'linux'

const WIDTHS = [40, 80, 120]

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

interface Place {
  readonly folder: string
  readonly sandbox: Sandbox
}

async function open(rows: number, options: SandboxOptions = {}): Promise<Place> {
  const place = makeFolder()
  const sandbox = await startSandbox({ seed: 1, username: 'sandbox', password: 'sandbox', ...options })
  opened.push(async () => {
    await sandbox.close()
    place.remove()
  })
  writeFileSync(join(place.folder, 'export.csv'), validExport(rows))
  return { folder: place.folder, sandbox }
}

const run = (
  { folder, sandbox }: Place,
  columns: number,
  args: string[] = [],
  suffix = '',
): TerminalSession =>
  openTerminal(['run', 'export.csv', '--base-url', sandbox.url, ...args], {
    cwd: folder,
    columns,
    env: CREDENTIALS,
    suffix,
  })

const HANG = { fault: { kind: 'hang', applied: true } } as const
/** Every third answer is lost after the mandate was registered. */
const LOSE_SOME: SandboxOptions = {
  faults: [3, 6, 9].map((customer_no) => ({
    match: { customer_no },
    fault: { kind: 'reset', applied: true },
  })),
}

describe.skipIf(!isLinux).each(WIDTHS)('a run on a terminal of %i columns', (columns) => {
  it('shows the counts while it goes on, cut nowhere', async () => {
    const place = await open(12, { faults: [{ match: { customer_no: 12 }, ...HANG }] })
    const session = run(place, columns)
    await session.shows('registered 11')
    const screen = await session.screen()
    const first = screen.findIndex((line) => line.includes('91 %'))
    expect(screen.slice(first).join('\n')).toMatch(/registered 11[^]*refused 0 · in doubt 0/)
    for (const line of screen.slice(first)) expect(line.length).toBeLessThan(columns)
    session.type('\u0003')
    await session.shows('waiting for what is under way')
    session.type('\u0003')
    expect(await session.ended).toBe(130)
  })

  it('ends with every message whole, above the totals, and nothing left of what was redrawn', async () => {
    const place = await open(10, LOSE_SOME)
    const session = run(place, columns)
    expect(await session.ended).toBe(4)
    const screen = await session.screen()
    const doubts = screen.filter((line) => /^Row \d+: in doubt\. .*request$/.test(line))
    expect(doubts).toHaveLength(3)
    const totals = screen.indexOf('Control totals')
    expect(totals).toBeGreaterThan(screen.indexOf(doubts.at(-1)!))
    expect(screen.some((line) => line.includes('░') || line.includes('█'))).toBe(false)
    expect(screen.at(-1)).toMatch(/^Next: /)
  })

  it('asks for the host name, and does nothing when it is not typed', async () => {
    const { folder } = await open(3)
    const session = openTerminal(['run', 'export.csv', '--base-url', 'https://bank.invalid'], {
      cwd: folder,
      columns,
      env: CREDENTIALS,
    })
    await session.shows('Type the host name')
    expect((await session.screen()).join(' ')).toContain('Target: https://bank.invalid')
    session.type('no\r')
    expect(await session.ended).toBe(2)
    expect((await session.screen()).join('\n')).toContain(
      'The host name was not confirmed, so nothing was sent',
    )
  })
})

describe.skipIf(!isLinux)('on a terminal', () => {
  it('Ctrl-C once lets what is under way finish', async () => {
    const place = await open(40, { latencyMs: 50 })
    const session = run(place, 80, ['--concurrency', '2'])
    await session.shows('registered 3')
    session.type('\u0003')
    expect(await session.ended).toBe(130)
    const text = (await session.screen()).join('\n')
    expect(text).toContain('Signal received: no new rows')
    expect(text).toMatch(/Next: .*run/)
    expect(place.sandbox.mandates().length).toBeLessThan(40)
  })

  it('goes on when the reader of stdout is gone', async () => {
    const place = await open(5)
    const session = run(place, 80, [], ' | true')
    await session.ended
    expect(place.sandbox.mandates()).toHaveLength(5)
  })

  it('status --watch shows the same view, and ends with Ctrl-C', async () => {
    const place = await open(6)
    expect(await run(place, 80, ['--limit', '4']).ended).toBe(5)
    const session = openTerminal(['status', '--watch'], { cwd: place.folder, columns: 40, env: CREDENTIALS })
    await session.shows('66 %')
    await session.shows('refused 0 · in doubt 0')
    session.type('\u0003')
    expect(await session.ended).toBe(5)
    expect((await session.screen()).join('\n')).not.toContain('66 %')
  })

  describe('resolve without arguments', () => {
    const UP = '\u001b[A'
    async function inDoubt(): Promise<Place> {
      const place = await open(2, {
        faults: [{ match: { customer_no: 1 }, fault: { kind: 'reset', applied: true } }],
      })
      expect(await run(place, 80).ended).toBe(4)
      return place
    }
    const walk = ({ folder }: Place) =>
      openTerminal(['resolve', '--by', 'N. Tester'], { cwd: folder, columns: 100, env: CREDENTIALS })
    async function answer(session: TerminalSession, place: Place, last: string): Promise<void> {
      await session.shows('Row 1: what is known?')
      expect((await session.screen()).join(' ')).toMatch(/customer 1, DE…\w{4}, reference MANDATE-1/)
      session.type(`${UP}${UP}${UP}${UP}\r`)
      const [held] = place.sandbox.mandates()
      await session.shows('Assigned creditor identifier')
      session.type(`${held?.sepa_creditor_identifier ?? ''}\r`)
      await session.shows('Assigned mandate reference')
      session.type(`${held?.unique_mandate_reference ?? ''}\r`)
      await session.shows('How do you know?')
      session.type('seen in the service\r')
      await session.shows('Type "record"')
      session.type(`${last}\r`)
    }

    it('asks row by row and records what was confirmed', async () => {
      const place = await inDoubt()
      const session = walk(place)
      await answer(session, place, 'record')
      expect(await session.ended).toBe(0)
      expect((await session.screen()).join('\n')).toContain('Row 1: in_doubt → registered')
    })

    it('records nothing when the last answer is another word', async () => {
      const place = await inDoubt()
      const session = walk(place)
      await answer(session, place, 'no')
      expect(await session.ended).toBe(2)
      expect((await session.screen()).join('\n')).toContain('Nothing was recorded')
      const status = openTerminal(['status'], { cwd: place.folder, columns: 100, env: CREDENTIALS })
      expect(await status.ended).toBe(4)
    })
  })
})
