import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { noConfiguration } from '../../../src/cli/settings/configuration.js'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { worldOf } from '../world.js'
import { commandLine } from '../../../src/cli/terminal/next.js'

const asked = (flags: Readonly<Record<string, string>>, own: Readonly<Record<string, unknown>> = {}) => ({
  settings: readSettings(flags, worldOf(), noConfiguration),
  own,
})

describe('a word', () => {
  it.each(['export.csv', "may's export.csv", '$(reboot)', 'a"b', '*', '', 'ü', 'a\nb', '~', '#x'])(
    'is read back by a shell as it is: %j',
    (word) => {
      const line = commandLine(asked({}), { name: 'resolve', words: ['--reason', word] })
      const script = `typed() { printf %s "$3"; }; ${line.replace('sepa-migrate', 'typed')}`
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(word)
    },
  )
})

describe('the next command', () => {
  it('takes along where the campaign is, and not what held for one run alone', () => {
    const line = commandLine(asked({ ledger: 'march.db', out: 'packs', limit: '5', rate: '3' }), {
      name: 'run',
    })
    expect(line).toBe('sepa-migrate run --ledger march.db --out packs --rate 3')
  })

  it('gives no flag to a command that does not have it', () => {
    const flags = { ledger: 'march.db', rate: '3', logFile: 'run.log' }
    expect(commandLine(asked(flags), { name: 'check', files: ['x.csv'] })).toBe(
      'sepa-migrate check x.csv --ledger march.db',
    )
  })

  it('keeps what was decided about columns for what reads files again', () => {
    const own = { ignoreColumn: ['Note 1'], anotherLedger: true, reason: 'disk lost' }
    expect(commandLine(asked({}, own), { name: 'run' })).toBe("sepa-migrate run --ignore-column 'Note 1'")
    expect(commandLine(asked({}, own), { name: 'plan' })).toBe(
      "sepa-migrate plan --ignore-column 'Note 1' --another-ledger --reason 'disk lost'",
    )
    expect(commandLine(asked({}, own), { name: 'report' })).toBe('sepa-migrate report')
  })

  it('takes no file for a flag', () => {
    expect(commandLine(asked({}), { name: 'run', files: ['-x.csv', '-'] })).toBe(
      'sepa-migrate run ./-x.csv -',
    )
  })
})
