import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { nextOf, placeOfTest } from '../support/place.js'
import { wordsOf, type Ended } from '../support/program.js'
import { openWork } from '../support/work.js'

const MOST_COMMANDS = 20
/** What members are called at the new service. */
const NEW = 5_000
const DOUBTED = 1_301 + NEW
/** Rows by their customer: an answer that is lost, and a no. */
const FAULTS = [
  { match: { customer_no: DOUBTED }, times: 1, fault: { kind: 'reset', applied: true } },
  { match: { customer_no: 1_302 + NEW }, times: 1, fault: { kind: 'refuse', status: 422, message: 'no' } },
] as const

/** Figures of the control totals, in their order. */
const sums = (...figures: readonly string[]): RegExp =>
  new RegExp(figures.map((figure) => `${figure.replace(/ (?=\S+$)/, ' +')} `).join('[^]*'))

describe.skipIf(process.platform === 'win32')('the walk of an engineer', () => {
  // 400 invented rows each, of which 12 are faulty.
  it.each([
    ['spanish', '14/05/2016', 'ES11ZZZB12345674', 'Código cliente', 'C-00', 1],
    ['portuguese', '28-10-2024', 'PT96ZZZ104321', 'Nº de cliente', '0000', 1],
    ['czech', '14.5.2016', 'CZ17ZZZ10234', 'Číslo zákazníka', '', 1],
    ['italian', '14/05/2016', 'IT91ZZZ0000001234567897', 'Codice cliente', 'CL00', 2],
  ])(
    'with the %s export goes from a pilot to a signed pack, by what is printed or in the README',
    async (name, signedRight, creditorRight, column, before, over) => {
      const place = await placeOfTest({ sandbox: { faults: [...FAULTS] } })
      const { folder, path, read, write, env, program, held, sandbox } = place
      const readme = readFileSync('README.md', 'utf8')
      const given = readFileSync(join(import.meta.dirname, `walks/${name}.csv`))
      write('export.csv', given)
      // The sandbox is started in another terminal, and counts.
      const typed = ['sepa-migrate sandbox']
      const printed = new Set(typed)
      const members = (...without: readonly number[]): void => {
        const all = Array.from({ length: 401 }, (_, at) => 1_201 + at).filter((one) => !without.includes(one))
        const lines = all.map((one) => `${before}${one},${one + NEW}`)
        write('customers.csv', ['old,new', ...lines, ''].join('\n'))
      }
      members(1_303)

      /** No way ends: what is open is followed by a command, and each was printed or is in the README. */
      async function type(line: string): Promise<Ended> {
        typed.push(line)
        expect(typed.length, typed.join('\n')).toBeLessThanOrEqual(MOST_COMMANDS)
        const command = line.replace(/--password-file \S+ ?/, '').trim()
        expect(printed.has(line) || readme.includes(command), `Nobody says to type: ${line}`).toBe(true)
        const ended = await program(...(await wordsOf(line, { cwd: folder(), env: env() })))
        expect([0, 3, 4, 5], `${typed.join('\n')}\n${ended.stdout}${ended.stderr}`).toContain(ended.status)
        for (const [, next = ''] of ended.stdout.matchAll(/^(?:Next|Then): (.*)$/gm)) {
          expect(next, 'moves on').not.toBe(line)
          printed.add(next)
        }
        return ended
      }
      const paste = (before: Ended): Promise<Ended> => type(nextOf(before))

      const inspected = await type('sepa-migrate inspect export.csv')
      expect(inspected.stdout).toContain('Not found: customer_no.')
      expect(inspected.stdout).toContain('400 records')
      const drafted = await paste(inspected)
      expect(read('sepa-migrate.yaml').match(/EDIT:/g)).toHaveLength(1)
      const crosswalk = `crosswalk: { file: customers.csv, from: ${column}, key: old, customer_no: new }\n`
      write('sepa-migrate.yaml', read('sepa-migrate.yaml') + crosswalk)
      const checked = await type(/^Then: (.*)$/m.exec(drafted.stdout)?.[1] ?? '')
      const ready = `ready ${388 - over}`
      expect(checked.stdout).toMatch(sums('read 400', 'invalid 11', 'duplicate 1', `excluded ${over}`, ready))

      const pilot = await paste(checked)
      expect(pilot.stdout).toMatch(/registered +10 /)
      // Somebody found the member that the crosswalk lacks.
      members()
      const all = await paste(pilot)
      expect(all.stdout).toMatch(sums('invalid 10', `registered ${387 - over}`, 'refused 1', 'in doubt 1'))
      expect(nextOf(all)).toContain('to-do.xlsx')

      const work = openWork(path('to-do.xlsx'))
      const shown = sandbox()
        .mandates()
        .find((one) => one.customer_no === DOUBTED)
      work.type('In doubt', 0, {
        migration_decision: 'registered',
        migration_assigned_creditor_identifier: shown?.sepa_creditor_identifier ?? '',
        migration_assigned_mandate_reference: shown?.unique_mandate_reference ?? '',
        migration_reason: 'The service shows it',
        migration_by: 'E. Engineer',
      })
      for (const sheet of ['Corrections', 'Refused'])
        for (const [nth, row] of work.rows(sheet).entries()) {
          const n = Number(row['migration_row'])
          const own = Object.keys(row).filter((each) => !each.startsWith('migration_'))
          const right = ['', '', germanIban(n), `RIGHT-${n}`, signedRight, creditorRight]
          // The message names the columns that are wrong.
          const isWrong = (each: string): boolean => row['migration_message']?.includes(each) === true
          const put = own.flatMap((each, at) => (at > 0 && isWrong(each) ? [[each, right[at] ?? '']] : []))
          const customer = isWrong(own[0] ?? '') ? { migration_customer_no: `${1_200 + n + NEW}` } : {}
          const change = Object.fromEntries(put) as Record<string, string>
          const typed = sheet === 'Refused' ? { [own[4] ?? '']: signedRight } : { ...change, ...customer }
          work.type(sheet, nth, typed)
        }
      work.save()
      const mended = await paste(all)
      expect(mended.stdout).toMatch(sums('ready 0', `registered ${399 - over}`, 'refused 0', 'in doubt 0'))

      // One has left since, one has come.
      const lines = given.toString('latin1').split('\n')
      const left = lines.findIndex((line) => line.includes('-0100;'))
      const come = (lines[left] ?? '')
        .replace(/1300/, '1601')
        .replace(/[A-Z]{2}\d\d [A-Z\d ]+/, germanIban(1_601))
        .replace('-0100;', '-0401;')
      write('final.csv', Buffer.from(lines.with(left, come).join('\n'), 'latin1'))
      const compared = await type('sepa-migrate compare final.csv')
      let end = compared
      while (!/^Next: sepa-migrate purge/m.test(end.stdout)) {
        const isList = nextOf(end).includes('to-do.xlsx')
        if (isList) {
          const cutOver = openWork(path('to-do.xlsx'))
          for (const [nth] of cutOver.rows('Cut-over').entries())
            cutOver.type('Cut-over', nth, { migration_decision: 'done', migration_reason: 'cancelled there' })
          cutOver.save()
        }
        end = await paste(end)
      }
      const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
      writeFileSync(join(folder(), 'finance-key.pem'), key, { mode: 0o600 })
      const pack = await type('sepa-migrate report --sign-with finance-key.pem')
      expect(pack.stdout).toContain('sepa-migrate-report')
      const proven = await type('sepa-migrate report verify sepa-migrate-report --ledger sepa-migrate.db')
      expect(proven.status).toBe(0)
      process.stdout.write(`${name}: ${typed.length} commands\n${typed.join('\n')}\n`)
      expect(held()).toHaveLength(400 - over)
    },
    120_000,
  )
})
