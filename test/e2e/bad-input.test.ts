import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { validExport, validLine } from '../support/export.js'
import { placeForEach, type Place, type Told } from '../support/place.js'

const place = placeForEach({ rows: 3, ownState: true, sandbox: {} })
const [HEADER = ''] = validExport(0).split('\n')
const RUN = ['run', 'export.csv']
const [USAGE, SOURCE, LEDGER] = [2, 7, 8]

interface Mistake {
  readonly typed: readonly string[]
  /** What is there before. */
  readonly given?: (place: Place) => unknown
  readonly env?: Readonly<Record<string, string>>
  readonly status: number
  readonly says: RegExp
}

const reading = (name: string, says: RegExp): Mistake => ({ typed: ['run', name], status: SOURCE, says })
const source = (content: string | Buffer, says: RegExp): Mistake => ({
  ...reading('given.csv', says),
  given: ({ write }) => write('given.csv', content),
})
const configured = (text: string, says: RegExp): Mistake => ({
  ...usage(RUN, says),
  given: ({ write }) => write('sepa-migrate.yaml', text),
})
const usage = (typed: readonly string[], says: RegExp, env: Mistake['env'] = {}): Mistake => {
  return { typed, env, says, status: USAGE }
}
/** With a ledger that cannot be opened. */
const opening = (says: RegExp, line: string): Mistake => ({ typed: line.split(' '), status: LEDGER, says })
/** With a campaign of which a row waits. */
const later = (
  typed: readonly string[],
  says: RegExp,
  given?: Mistake['given'],
  status: number = USAGE,
): Mistake => ({
  ...{ typed, status, says },
  given: async (place) => {
    await place.ends(5, ...RUN, '--limit', '2')
    given?.(place)
  },
})
const ownLedger = ({ path }: Place): ReturnType<typeof openLedger> =>
  openLedger({ file: path('sepa-migrate.db'), clock: { now: () => 0, monotonic: () => 0 } })

const APPROVE = ['approve', '--by', 'Ada', '--reference', 'a mail']
const NO_PASSWORD = { SEPA_MIGRATE_PASSWORD: '' }
const DECIDE = (list: string): string[] => ['resolve', '--from', list, '--by', 'Ada']

/** What people do at the end of a long day. */
const MISTAKES: Readonly<Record<string, Mistake>> = {
  'a name with a slip': reading('exprot.csv', /exprot\.csv.*no such file/),
  'a folder in the place of a file': {
    ...reading('folder.csv', /folder\.csv.*directory/),
    given: ({ path }) => mkdirSync(path('folder.csv')),
  },
  'a link to itself': {
    ...reading('link.csv', /symbolic link/),
    given: ({ path }) => symlinkSync('link.csv', path('link.csv')),
  },
  'a name that no file can have': reading(`${'x'.repeat(300)}.csv`, /ENAMETOOLONG/),
  'an empty file': source('', /empty|no header/),
  'a header without rows': source(`${HEADER}\n`, /no records/),
  'a missing column': source('customer_no,iban\n1,DE89370400440532013000\n', /no column for signed_date/),
  'a quote that is never closed': source(
    `${HEADER}\n${validLine(1)}\n"3,open\n${validLine(4)}\n`,
    /line 3 opens a quote/,
  ),
  'an archive': source(Buffer.from('PK\u0003\u0004aaaaaaaaaaaaaaaaaaaa'), /ZIP archive/),
  'a rule with a slip': configured('rules: { IBAN_CHEKSUM: warning }\n', /IBAN_CHEKSUM/),
  'a key with a slip': configured('servce: {}\n', /no key "servce"; the nearest is "service"/),
  'a configuration that is no YAML': configured('columns: [\n', /sepa-migrate\.yaml/),
  'a configuration that is not there': usage([...RUN, '--config', 'mine.yaml'], /mine\.yaml.*no such file/),
  'a folder for a configuration': usage([...RUN, '--config', '.'], /not a regular file|directory/),
  'a plan that is not there': usage([...APPROVE, 'plan.json'], /plan\.json.*no such file/),
  'an export in the place of a plan': usage([...APPROVE, 'export.csv'], /export\.csv/),
  'a run under a plan that is not there': later(['run', '--plan', 'plan.json'], /plan\.json.*no such file/),
  'no address': usage(RUN, /base URL/, { SEPA_MIGRATE_BASE_URL: '' }),
  'no user name': usage(RUN, /user name/, { SEPA_MIGRATE_USERNAME: '' }),
  'no password': usage(RUN, /password/, NO_PASSWORD),
  'a password file that others can read': {
    ...usage([...RUN, '--password-file', 'password'], /other users may open it/, NO_PASSWORD),
    given: ({ path }) => writeFileSync(path('password'), 'x\n', { mode: 0o644 }),
  },
  'certificate checks off': usage(RUN, /NODE_TLS_REJECT_UNAUTHORIZED/, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  'another host, and nobody to ask': usage([...RUN, '--base-url', 'https://service.example'], /confirmation/),
  'rows of no such kind': usage(['resolve', '--ask', '--of', 'registerd'], /--of[^]*in-doubt, registered/),
  'a flag with a slip': usage([...RUN, '--limti', '3'], /--limti[^]*--limit/),
  'a number in words': usage([...RUN, '--concurrency', 'many'], /--concurrency: "many"/),
  'a flag twice': later(['resolve', '--row', '1', '--as', 'refused', '--as', 'resend'], /given twice/),
  'a command with a slip': usage(['rnu', 'export.csv'], /"rnu".*"run"/),
  'a command of another tool': usage(['migrate', 'export.csv'], /"migrate"; sepa-migrate alone/),
  'a language that there is not': usage(['report', '--lang', 'pt'], /"pt" is not one of/),
  'a column to choose by that is not there': usage(
    [...RUN, '--only', 'Segmnt=A'],
    /no file has a column "Segmnt"/,
  ),
  'no file, and no ledger': usage(['run'], /no such file|no ledger/i),
  'a status without a ledger': usage(['status'], /no (?:such file|ledger)/i),
  'a report to a place that cannot be': usage([...RUN, '--out', '/proc/sepa-migrate'], /\/proc\//),
  'an export in the place of decisions': later(DECIDE('export.csv'), /"export\.csv" is no list to decide in/),
  'a list of ours whose columns were deleted': later(
    DECIDE('list.csv'),
    /list\.csv.*without its column migration_row/,
    ({ rows, save }) =>
      save(
        'list.csv',
        rows('not-sent.csv').map(({ customer_no, iban }) => ({
          ...{ customer_no: customer_no ?? '', iban: iban ?? '' },
          migration_decision: 'written-off',
        })),
      ),
    SOURCE,
  ),
  'a decision without a reason': later(['resolve', '--row', '1', '--as', 'refused', '--by', 'Ada'], /reason/),
  'a purge, and nobody to ask': later(['purge'], /confirmation|corrected|ready/),
  'a ledger that is no database': {
    typed: RUN,
    given: ({ write }) => write('sepa-migrate.db', 'this is not a database, but somebody needs it'),
    status: LEDGER,
    says: /ledger/,
  },
  'a ledger in no folder': opening(/Cannot open the ledger .*ENOENT/, 'run export.csv --ledger no/l.db'),
  'a plan that is not there, for a ledger without a mandate': {
    typed: ['run', '--plan', 'plan.json'],
    given: (there) => ownLedger(there).close(),
    status: USAGE,
    says: /plan\.json.*(?:no such file|not there)/i,
  },
  'a CSV for a ledger': opening(
    /export\.csv" is named like an export, and is no ledger/,
    'status --ledger export.csv',
  ),
}

describe('a mistake', () => {
  it('is one of more than forty', () => expect(Object.keys(MISTAKES).length).toBeGreaterThan(40))

  it.each(Object.entries(MISTAKES))(
    '%s: told in three lines, with what to do, and nothing is sent',
    async (_, { typed, given, env = {}, status, says }) => {
      await given?.(place)
      const before = place.sandbox().requests()
      const ended = await place.programWith(env, ...typed)
      expect(ended.stderr).toMatch(says)
      expect(ended.stderr).toMatch(/\n {2}To do: \S|^Error: /)
      expect(ended.status).toBe(status)
      const printed = (ended.stdout + ended.stderr).split('\n').filter((line) => line.trim() !== '')
      expect(printed.length, printed.join('\n')).toBeLessThan(4)
      expect(place.sandbox().requests()).toEqual(before)
    },
  )

  it.each([
    ...['a name with a slip', 'a ledger that is no database', 'a flag with a slip'],
    'a command with a slip',
  ])('%s: the same as a JSON document', async (name) => {
    const { typed, given, status, says } = MISTAKES[name]!
    await given?.(place)
    const { stdout, stderr } = await place.program(...typed, '--json')
    expect(stderr).toBe('')
    const [error] = (JSON.parse(stdout) as Told).errors
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: status, ok: false })
    expect(error?.message).toMatch(says)
    expect(error?.next).toMatch(/./)
  })
})

describe('what else is refused', () => {
  it('a good file beside a bad one: nothing of the command comes in', async () => {
    place.write('bad.csv', `${HEADER}\n"1,unclosed\n`)
    expect((await place.json(...RUN, 'bad.csv')).exitCode).toBe(SOURCE)
    expect((await place.json('status')).totals).toMatchObject({ read: 0 })
  })

  it('a ledger that another run holds, and one of another service', async () => {
    const ledger = ownLedger(place)
    const held = await place.program(...RUN)
    ledger.close()
    expect([held.status, held.stderr]).toEqual([LEDGER, expect.stringMatching(/held it since/)])
    expect(place.sandbox().requests().received.migrate).toBe(0)
    expect((await place.program(...RUN)).status).toBe(0)
    const other = await place.program(...RUN, '--base-url', 'http://127.0.0.1:1')
    expect([other.status, other.stderr]).toEqual([LEDGER, expect.stringMatching(/127\.0\.0\.1:1/)])
  })

  it('a service that is down: said once, counted, and every row stays ready', async () => {
    const { status, stdout, stderr } = await place.program(...RUN, '--base-url', 'http://127.0.0.1:1')
    expect([status, stdout]).toEqual([5, expect.stringMatching(/ready +3/)])
    expect(stderr.match(/refused the connection/g), stderr).toHaveLength(1)
    expect(stderr).toMatch(/could not be reached \d+ times in a row/)
  })

  it('a wrong password: the service says so once, and every row stays ready', async () => {
    const { status, stdout } = await place.programWith({ SEPA_MIGRATE_PASSWORD: 'wrong' }, ...RUN)
    expect(status).toBe(6)
    expect(stdout).toMatch(/ready +3/)
    expect(place.sandbox().requests().answered).toEqual({ '401': 1 })
    expect(place.held()).toEqual([])
  })

  it('12 an installation in which the HTTP client cannot be loaded, before an intent is written', async () => {
    place.write(
      'broken.cjs',
      `const module_ = require('node:module')
       const load = module_._load
       module_._load = (name, ...rest) => {
         if (name === 'undici') throw new Error('undici is not there')
         return load(name, ...rest)
       }`,
    )
    const { status, stdout, stderr } = await place.programWith(
      { NODE_OPTIONS: '--require ./broken.cjs' },
      ...[...RUN, '--ledger', 'a.db'],
    )
    expect(stdout + stderr).toContain('undici is not there')
    expect(status).toBe(1)
    expect(place.sandbox().requests().received.migrate).toBe(0)
    expect(place.totals('a.db')).toMatchObject({ read: 0 })
  })
})
