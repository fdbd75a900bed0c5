import { describe, expect, it } from 'vitest'
import { type Command, emptyResult, type CommandResult } from '../../src/cli/command.js'
import { commands, main } from '../../src/cli/main.js'
import { totalsOf } from '../../src/domain/row/row-state.js'
import { LedgerError, SourceError } from '../../src/errors.js'
import { worldOf } from './world.js'

const ends = (given: Partial<CommandResult> = {}) => Promise.resolve({ ...emptyResult, ...given })

async function call(
  argv: readonly string[],
  run: Command['run'] = () => ends(),
  env: Record<string, string> = {},
) {
  const world = worldOf({ env })
  const look: Command = {
    usage: 'look [files...]',
    summary: 'a command of this test',
    options: ['json', 'ledger', 'noColor', 'yes', 'asOf'],
    own: [
      ['--dry-run', 'own flag'],
      ['--row <id>', 'own value'],
    ],
    examples: ['sepa-migrate look a.csv'],
    epilogue: [],
    exits: { 0: 'done' },
    run,
  }
  const status = await main(argv, { look: () => Promise.resolve(look) }, world)
  return { status, ...world.printed }
}

describe('main', () => {
  it.each<[string[], Record<string, string>]>([
    [['look', '--as-of', 'tomorrow'], {}],
    [['look'], { SEPA_MIGRATE_AS_OF: 'tomorrow' }],
    [['look'], { SEPA_MIGRATE_YES: 'perhaps' }],
    [['look', '--ledger', ''], {}],
  ])('refuses a setting that cannot be before the command begins: %j %j', async (argv, env) => {
    const begun: unknown[] = []
    const run: Command['run'] = (context) => ends({ details: { begun: begun.push(context) } })
    const { status, stderr } = await call(argv, run, env)
    expect([status, begun]).toEqual([2, []])
    expect(stderr).toMatch(/Cannot read (?:--as-of|SEPA_MIGRATE_[A-Z_]+|--ledger): .*nothing was sent/s)
  })

  it('hands flags, own flags and arguments to the command', async () => {
    let seen: unknown
    await call(['look', '--yes', '--dry-run', '--row', '7', 'a.csv', 'b.csv'], ({ args, settings, own }) => {
      seen = [args, settings.get('yes'), own['dryRun'], own['row']]
      return ends()
    })
    expect(seen).toEqual([['a.csv', 'b.csv'], true, true, '7'])
  })

  it('prints lines on stdout, warnings and errors on stderr, and returns the status', async () => {
    const errors = [{ kind: 'k', message: 'Cannot', next: 'Do' }]
    const run = () => ends({ exitCode: 3, lines: ['a line'], warnings: ['a warning'], errors })
    const stderr = 'Warning: a warning\nError: Cannot\n  To do: Do\n'
    expect(await call(['look'], run)).toEqual({ status: 3, stdout: 'a line\n', stderr })
  })

  it('prints exactly one JSON document when asked by flag or environment', async () => {
    const run = () => ends({ lines: ['not printed'], totals: totalsOf(1, new Map([['ready', 1]])) })
    for (const ended of [
      await call(['look', '--json'], run),
      await call(['look'], run, { SEPA_MIGRATE_JSON: '1' }),
    ]) {
      expect(ended.stderr).toBe('')
      const told = { schemaVersion: 1, command: 'look', ok: true, balanced: true, totals: { ready: 1 } }
      expect(JSON.parse(ended.stdout)).toMatchObject(told)
    }
  })

  it.each([
    [new SourceError('Cannot read it', 'Mend it', { source: 'a.csv' }), 7],
    [new LedgerError('locked', 'It is locked', 'Wait'), 8],
    [new Error('of DE89 3704 0044 0532 0130 00'), 1],
  ])('turns "%s" into its exit status, and JSON without figures', async (thrown, status) => {
    const ended = await call(['look', '--json'], () => Promise.reject(thrown))
    expect(ended.status).toBe(status)
    const errors = [{ next: expect.stringMatching(/./) as string }]
    expect(JSON.parse(ended.stdout)).toMatchObject({ totals: null, balanced: null, errors })
    expect(ended.stdout).not.toContain('0532')
  })

  it.each([
    ['ledger', /^Examples:\n {2}sepa-migrate ledger adopt/],
    ['customer', /^ {2}customer show .*\n {2}customer erase /m],
  ])('helps where the first word of a command stands alone: %s', async (word, expected) => {
    const world = worldOf()
    expect(await main([word, '--help'], commands, world)).toBe(0)
    expect(world.printed.stdout).toMatch(expected)
  })

  it('explains a wrong flag once, with status 2', async () => {
    const plain = await call(['look', '--nope'])
    expect(plain).toMatchObject({ status: 2, stdout: '' })
    expect(plain.stderr).toMatch(/^Error: unknown option '--nope'/)
    const json = await call(['look', '--nope', '--json'])
    expect(json.stderr).toBe('')
    const told = { exitCode: 2, totals: null, balanced: null, errors: [{ kind: 'usage' }] }
    expect(JSON.parse(json.stdout)).toMatchObject(told)
  })
})
