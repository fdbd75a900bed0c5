import { generateKeyPairSync } from 'node:crypto'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { nextOf, placeOfTest } from '../support/place.js'
import { wordsOf, type Ended } from '../support/program.js'

const MOST_COMMANDS = 24
const DOUBTED = 1_301
/** Rows by their customer: an answer that is lost, and a no. */
const FAULTS = [
  { match: { customer_no: DOUBTED }, times: 1, fault: { kind: 'reset', applied: true } },
  { match: { customer_no: 1_302 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
] as const

describe.skipIf(process.platform === 'win32')('the walk of an engineer', () => {
  // 400 invented rows each, of which 12 are faulty.
  it.each([
    ['spanish', '14/05/2016', 'ES11ZZZB12345674'],
    ['portuguese', '28-10-2024', 'PT96ZZZ104321'],
    ['czech', '14.5.2016', 'CZ17ZZZ10234'],
  ])(
    'with the %s export ends at a signed pack',
    async (name, signedRight, creditorRight) => {
      const place = await placeOfTest({ sandbox: { faults: [...FAULTS] } })
      const { folder, read, write, edit, env, program, held, sandbox } = place
      cpSync(join(import.meta.dirname, `walks/${name}.csv`), join(folder(), 'export.csv'))
      // The sandbox is started in another terminal, and counts.
      const typed = ['sandbox']
      const touched = new Set<string>()

      /** No way ends: what is refused is followed by a command. */
      async function type(line: string): Promise<Ended> {
        typed.push(line)
        expect(typed.length, typed.join('\n')).toBeLessThanOrEqual(MOST_COMMANDS)
        const words = await wordsOf(line, { cwd: folder(), env: env() })
        const ended = await program(...words)
        expect([0, 3, 4, 5], `${typed.join('\n')}\n${ended.stdout}${ended.stderr}`).toContain(ended.status)
        return ended
      }
      const paste = (before: Ended): Promise<Ended> => type(nextOf(before))
      const touch = (file: string, change: Parameters<typeof edit>[1]): void => {
        touched.add(file)
        edit(file, change)
      }

      const inspected = await type('sepa-migrate inspect export.csv')
      expect(inspected.stdout).toContain('Not found: customer_no.')
      const drafted = await paste(inspected)
      touched.add('sepa-migrate.yaml')
      expect(read('sepa-migrate.yaml').match(/EDIT:/g)).toHaveLength(1)
      write('sepa-migrate.yaml', read('sepa-migrate.yaml').replace(/^ {2}# customer_no:/m, '  customer_no:'))
      const then = /^Then: (.*)$/m.exec(drafted.stdout)?.[1] ?? ''
      const checked = await type(then)
      expect(inspected.stdout).toContain('400 records')
      expect(checked.stdout).toMatch(/read +400 /)
      expect(checked.stdout).toMatch(/invalid +10 [^]*duplicate +1 [^]*excluded +1 [^]*ready +388 /)

      let last = await type('sepa-migrate run export.csv --yes')
      expect(last.stdout).toMatch(/registered +386 [^]*refused +1 [^]*in doubt +1 /)
      // What each list asks for is written into it, and the next command is pasted, until nothing is open.
      const isOver = ({ stdout }: Ended): boolean =>
        /^Next: sepa-migrate (?:compare|report verify)/m.test(stdout)
      while (!isOver(last)) {
        const list = /[^\s(]*to-do\S*\/(corrections|in-doubt|refused)\.csv/.exec(
          last.stdout.split('\n').slice(-3).join('\n'),
        )
        if (list !== null && !touched.has(list[0]))
          touch(list[0], (row) => {
            const n = Number(row['migration_row'])
            const own = Object.keys(row).filter((column) => !column.startsWith('migration_'))
            const right = [`${1_200 + n}`, '', germanIban(n), `RIGHT-${n}`, signedRight, creditorRight]
            if (row['migration_state'] === 'refused') return { ...row, [own[4] ?? '']: signedRight }
            // The message names the columns that are wrong.
            const isWrong = (column: string): boolean => row['migration_message']?.includes(column) === true
            const put = own.flatMap((column, at) => (isWrong(column) ? [[column, right[at] ?? '']] : []))
            if (row['migration_state'] === 'invalid')
              return { ...row, ...(Object.fromEntries(put) as typeof row) }
            const shown = sandbox()
              .mandates()
              .find((one) => one.customer_no === DOUBTED)
            return {
              ...row,
              migration_decision: 'registered',
              migration_assigned_creditor_identifier: shown?.sepa_creditor_identifier ?? '',
              migration_assigned_mandate_reference: shown?.unique_mandate_reference ?? '',
              migration_reason: 'The service shows it',
              migration_by: 'E. Engineer',
            }
          })
        last = await paste(last)
      }
      writeFileSync(
        join(folder(), 'finance-key.pem'),
        generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
        { mode: 0o600 },
      )
      const pack = await type('sepa-migrate report --sign-with finance-key.pem')
      expect(pack.stdout).toContain('sepa-migrate-report')
      const proven = await type('sepa-migrate report verify sepa-migrate-report --ledger sepa-migrate.db')
      expect(proven.status).toBe(0)
      process.stdout.write(
        `${name}: ${typed.length} commands, ${touched.size} files touched\n${typed.join('\n')}\n`,
      )
      expect(held()).toHaveLength(398)
    },
    120_000,
  )
})
