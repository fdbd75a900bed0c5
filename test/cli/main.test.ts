import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { main } from '../../src/cli/main.js'
import { emptyResult, type CommandResult } from '../../src/cli/terminal/result.js'
import { LedgerError, SourceError } from '../../src/errors.js'
import { worldOf } from './world.js'
import { totalsOf } from '../../src/domain/row/row-state.js'

const commandOf = (run: Command['run']): Command => ({
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
  json: [],
  run,
})

const result = (given: Partial<CommandResult>): CommandResult => ({ ...emptyResult, ...given })

async function call(
  argv: readonly string[],
  run: Command['run'],
  env: Readonly<Record<string, string>> = {},
) {
  const world = worldOf({ env })
  const status = await main(argv, { look: () => Promise.resolve(commandOf(run)) }, world)
  return { status, ...world.printed }
}

describe('main', () => {
  it('11.4 refuses a setting that cannot be before the command begins, wherever it was given', async () => {
    let begun = 0
    const begin = () => {
      begun += 1
      return Promise.resolve(result({}))
    }
    for (const [argv, env] of [
      [['look', '--as-of', 'tomorrow'], {}],
      [['look'], { SEPA_MIGRATE_AS_OF: 'tomorrow' }],
      [['look'], { SEPA_MIGRATE_YES: 'perhaps' }],
      [['look', '--ledger', ''], {}],
    ] as const) {
      const { status, stderr } = await call(argv, begin, env)
      expect(status).toBe(2)
      expect(stderr).toMatch(
        /Cannot read (--as-of|SEPA_MIGRATE_AS_OF|SEPA_MIGRATE_YES|--ledger): .*nothing was sent/s,
      )
    }
    expect(begun).toBe(0)
  })

  it('hands flags, own flags and arguments to the command', async () => {
    let seen: unknown
    await call(['look', '--yes', '--dry-run', '--row', '7', 'a.csv', 'b.csv'], (context) => {
      seen = [context.args, context.settings.get('yes'), context.own['dryRun'], context.own['row']]
      return Promise.resolve(result({}))
    })
    expect(seen).toEqual([['a.csv', 'b.csv'], true, true, '7'])
  })

  it('prints lines on stdout, warnings and errors on stderr, and returns the status', async () => {
    const ended = await call(['look'], () =>
      Promise.resolve(
        result({
          exitCode: 3,
          lines: ['a line'],
          warnings: ['a warning'],
          errors: [{ kind: 'k', message: 'Cannot', next: 'Do' }],
        }),
      ),
    )
    expect(ended).toEqual({
      status: 3,
      stdout: 'a line\n',
      stderr: 'Warning: a warning\nError: Cannot\n  To do: Do\n',
    })
  })

  it('prints exactly one JSON document when asked by flag or environment', async () => {
    const run = () =>
      Promise.resolve(result({ lines: ['not printed'], totals: totalsOf(1, new Map([['ready', 1]])) }))
    for (const ended of [
      await call(['look', '--json'], run),
      await call(['look'], run, { SEPA_MIGRATE_JSON: '1' }),
    ]) {
      expect(ended.stderr).toBe('')
      expect(JSON.parse(ended.stdout)).toMatchObject({
        schemaVersion: 1,
        command: 'look',
        ok: true,
        balanced: true,
        totals: { read: 1, ready: 1 },
      })
    }
  })

  it.each([
    [new SourceError('Cannot read it', 'Mend it', { source: 'a.csv' }), 7],
    [new LedgerError('locked', 'It is locked', 'Wait'), 8],
    [new Error('of DE89 3704 0044 0532 0130 00'), 1],
  ])(
    '8.4.4 turns what a command throws into its exit status, and into JSON without figures',
    async (thrown, status) => {
      const ended = await call(['look', '--json'], () => Promise.reject(thrown))
      expect(ended.status).toBe(status)
      const document = JSON.parse(ended.stdout) as { errors: { message: string; next: string }[] }
      expect(document.errors[0]?.next).not.toBe('')
      expect(document, '8.4.4 zeros would look like an empty campaign').toMatchObject({
        totals: null,
        balanced: null,
      })
      expect(ended.stdout).not.toContain('0532')
    },
  )

  it('explains a wrong flag once, with status 2', async () => {
    const run = () => Promise.resolve(result({}))
    const plain = await call(['look', '--nope'], run)
    expect(plain).toMatchObject({ status: 2, stdout: '' })
    expect(plain.stderr).toContain('--nope')
    const json = await call(['look', '--nope', '--json'], run)
    expect(json.stderr).toBe('')
    expect(JSON.parse(json.stdout)).toMatchObject({
      exitCode: 2,
      totals: null,
      balanced: null,
      errors: [{ kind: 'usage' }],
    })
  })

  it('shows help with the exit statuses, and the version', async () => {
    const run = () => Promise.resolve(result({}))
    const help = await call(['look', '--help'], run)
    expect(help).toMatchObject({ status: 0 })
    expect(help.stdout).toMatch(/^Examples:\n {2}sepa-migrate look a.csv\n[^]*Exit status:\n {2}0 {2}done/)
    expect(await call(['--version'], run)).toMatchObject({ status: 0, stdout: '0.0.0\n' })
  })
})
