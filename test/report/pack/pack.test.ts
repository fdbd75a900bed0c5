import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { NOTE, openPackFolder } from '../../../src/report/pack/pack-folder.js'
import { PACK_FILES, TO_DO_FILES, writeProblems, writeReport } from '../../../src/report/pack/pack.js'
import { freshFolder } from '../../support/folder.js'
import {
  attemptOf,
  decisionOf,
  IBAN,
  many,
  problemOf,
  readerOf,
  registeredRow,
  rowOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'

let folder: string
beforeEach(() => {
  folder = freshFolder()
})

/** One row of every state, and then some. */
const EVERY_STATE = {
  rows: [
    registeredRow(1),
    registeredRow(2),
    rowOf(3, { state: 'refused', attempts: 1, lastAttempt: attemptOf({ outcome: 'refused', status: 422 }) }),
    rowOf(4, { state: 'in_doubt', attempts: 1, lastAttempt: attemptOf({ n: 4, status: 503 }) }),
    rowOf(5, { state: 'sending', attempts: 1, lastAttempt: attemptOf({ n: 5, endedAt: null }) }),
    rowOf(6, { state: 'invalid', rule: 'IBAN_CHECKSUM' }),
    rowOf(7, { state: 'conflict', rule: 'CONFLICT_MANDATE' }),
    rowOf(8, { state: 'excluded', rule: 'SCHEME_B2B' }),
    rowOf(9, { state: 'duplicate', rule: 'DUPLICATE_MANDATE' }),
    rowOf(10),
    rowOf(11, { state: 'superseded', supersededBy: 12 }),
    rowOf(12),
    rowOf(13, { state: 'written_off' }),
  ],
  problems: [problemOf({ rowId: 6, record: 6, line: 7 })],
  decisions: [decisionOf({ rowId: 13, decision: 'written_off' })],
}
const GROWN = { ...EVERY_STATE, rows: [...EVERY_STATE.rows, rowOf(14)] }
const ABSENT = verifiedRow(2, { verdict: 'absent', sources: [] })
const VERIFIED = { ...EVERY_STATE, verified: [verifiedRow(1), ABSENT] }

const report = (value: LedgerValue = EVERY_STATE, options: Partial<Parameters<typeof writeReport>[1]> = {}) =>
  writeReport(readerOf(value), { out: folder, ...options })
const check = (out = folder, id = 1) => writeProblems([problemOf({ id, record: id })], { out })

/** A list to work in lies in its own folder. */
const pathOf = (name: string): string =>
  join(folder, TO_DO_FILES.find((list) => list.endsWith(`/${name}`)) ?? name)
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8')
const put = (name: string, text: string): void => writeFileSync(pathOf(name), text)
const namesIn = (...path: string[]): string[] => readdirSync(join(folder, ...path)).sort()
const modeOf = (...path: string[]): number => statSync(join(folder, ...path)).mode & 0o777
const recordsOf = (name: string): Record<string, string>[] =>
  parse<Record<string, string>>(textOf(name), { columns: true, bom: true })
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

const EACH = [...PACK_FILES, ...TO_DO_FILES]
/** What stands in the folder of a report. */
const ALL = [...PACK_FILES, 'to-do'].sort()
const HERE = { kept: null }
const besides = (kept?: string) => ({ folder: join(folder, 'report-2'), ...(kept && { kept }) })

interface Summary {
  readonly balanced: boolean
  readonly files: Record<string, { rows: number }>
  readonly inNoFile: Record<string, number>
  readonly totals: Record<string, number>
  readonly definitions: object
  readonly hashTotals: Record<string, Record<string, string | number>>
}
const summary = (): Summary => JSON.parse(textOf('summary.json')) as Summary

describe('the reconciliation pack', () => {
  it('has the exact headers of the contract', async () => {
    await report(VERIFIED)
    // What people open in a spreadsheet begins with the mark by which that knows UTF-8.
    const originals =
      '\uFEFFcustomer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,' +
      'migration_row,migration_state,migration_rule,migration_status,migration_message,migration_remedy'
    const closing = 'migration_ledger,migration_attempt,migration_decision,migration_reason,migration_by'
    const headers = {
      'registered.csv':
        'customer_no,iban_masked,signed_date,original_creditor_identifier,original_mandate_reference,' +
        'assigned_creditor_identifier,assigned_mandate_reference,registered_at,source,record,attempts,latest_first_debit,last_collected',
      'refused.csv': `${originals},${closing}`,
      'corrections.csv': `${originals},${closing}`,
      'in-doubt.csv':
        `${originals},migration_sent_at,migration_sent_ago,migration_resend_from,migration_request_id,` +
        `migration_proposal,migration_proposal_evidence,${closing},` +
        'migration_assigned_creditor_identifier,migration_assigned_mandate_reference',
      'not-sent.csv': `${originals},${closing}`,
      'problems.csv': 'source,record,line,column,rule,severity,value,message,remedy',
      'verification.csv':
        '\uFEFFmigration_row,customer_no,iban_masked,assigned_mandate_reference,assigned_creditor_identifier,' +
        'verification,verified_at,payment_sources,payment_source_statuses,may_be_cancelled,explanation',
    }
    const written = Object.keys(headers).map((name) => [name, textOf(name).split('\n')[0]])
    expect(Object.fromEntries(written)).toEqual(headers)
  })

  it('puts every row into one file or into the count of closed rows, so that all add up to the rows read', async () => {
    const { totals, balanced } = await report()
    const files = ['registered.csv', 'refused.csv', 'corrections.csv', 'in-doubt.csv', 'not-sent.csv']
    const records = files.map(recordsOf)
    const told = summary()
    expect(balanced).toBe(true)
    expect(files.map((name) => told.files[name]?.rows)).toEqual(records.map((list) => list.length))
    const closed = Object.values(told.inNoFile).reduce((sum, count) => sum + count, 0)
    expect(records.flat().length + closed).toBe(totals.read)
    const ids = records.slice(1).flatMap((list) => list.map((record) => Number(record['migration_row'])))
    expect(ids.sort((one, other) => one - other)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 12])
  })

  it('says so when the states do not add up to the records that were read', async () => {
    const { totals, balanced } = await report({ ...EVERY_STATE, sources: [sourceOf({ records: 14 })] })
    expect([balanced, totals.read, summary().balanced]).toEqual([false, 14, false])
    expect(textOf('report.html')).toContain('The control totals do NOT balance')
  })

  it('is the same twice, byte for byte; the manifest lists every file but itself as it is on disk', async () => {
    const [first, second] = [await report(), await report(EVERY_STATE, { out: join(folder, 'again') })]
    expect(first.files.map((file) => file.name).sort()).toEqual([...PACK_FILES].sort())
    expect(second.files).toEqual(first.files)
    for (const name of EACH)
      expect(readFileSync(join(folder, 'again', name)).equals(readFileSync(pathOf(name))), name).toBe(true)
    const manifest = JSON.parse(textOf('manifest.json')) as { files: typeof first.files; sources: unknown[] }
    expect(manifest.files).toEqual(first.files.filter(({ name }) => name !== 'manifest.json'))
    for (const { name, ...told } of first.files) {
      const bytes = readFileSync(join(folder, name))
      expect(told, name).toEqual({ bytes: bytes.length, sha256: sha256(bytes) })
    }
    expect(manifest.sources).toEqual([{ name: 'export.csv', bytes: 1234, sha256: 'a'.repeat(64) }])
  })

  it('shows a full account number only in the files that are made to be edited', async () => {
    // People and services write account numbers where none belong.
    const lastAttempt = attemptOf({ outcome: 'refused', message: `iban ${IBAN}`, reason: `see ${IBAN}` })
    const rows = EVERY_STATE.rows.map((row) => (row.lastAttempt === null ? row : { ...row, lastAttempt }))
    const decisions = [decisionOf({ rowId: 3, reason: `the customer of ${IBAN} agreed` })]
    await report({ ...EVERY_STATE, rows, decisions })
    const lists = TO_DO_FILES.filter((name) => name.endsWith('.csv'))
    expect(EACH.filter((name) => textOf(name).includes(IBAN))).toEqual(lists)
  })
})

describe('the hash totals', () => {
  it('can be computed again from registered.csv alone', async () => {
    await report()
    const records = recordsOf('registered.csv')
    expect(summary().hashTotals['registered']).toEqual({
      rows: 2,
      customerNoRows: 2,
      customerNoSum: records.reduce((sum, record) => sum + BigInt(record['customer_no']!), 0n).toString(),
    })
  })

  it('of the states, each under its name, add up to those of all rows, and it is said how they are made', async () => {
    await report()
    const { hashTotals, totals, definitions } = summary()
    const { read, ...states } = hashTotals
    expect(['read', 'resubmitted', ...Object.keys(states)].sort()).toEqual(Object.keys(totals).sort())
    const sum = (of: 'rows' | 'customerNoSum'): bigint =>
      Object.values(states).reduce((total, part) => total + BigInt(part[of]!), 0n)
    expect([sum('rows'), String(sum('customerNoSum'))]).toEqual([13n, read!['customerNoSum']])
    expect(definitions).toHaveProperty('customerNoSum')
  })
})

describe('the folder of a pack', () => {
  it('is made private, and so are its files', async () => {
    await report(EVERY_STATE, { out: join(folder, 'new', 'pack') })
    expect(namesIn('new', 'pack')).toEqual(ALL)
    expect([modeOf('new', 'pack'), modeOf('new', 'pack', 'to-do')]).toEqual([0o700, 0o700])
    for (const name of EACH) expect(modeOf('new', 'pack', name), name).toBe(0o600)
  })

  it('leaves lists alone in which somebody works, and puts the new ones into a folder beside them', async () => {
    const lists = async (of: string, left: string | null) =>
      expect(await report()).toMatchObject({
        ...HERE,
        toDo: { folder: join(folder, of), left: left === null ? null : join(folder, left) },
      })
    await lists('to-do', null)
    put('in-doubt.csv', 'filled in')
    const before = namesIn('to-do')
    await lists('to-do-2', 'to-do')
    expect(namesIn('to-do-2')).toEqual(before)
    expect(textOf('in-doubt.csv')).toBe('filled in')
    // As long as nobody works in the second ones, they are replaced; then there are third ones.
    await lists('to-do-2', 'to-do')
    put('to-do-2/notes.txt', 'asked on Monday')
    await lists('to-do-3', 'to-do-2')
    // The newest have the highest number, also where somebody is done with earlier ones.
    rmSync(join(folder, 'to-do'), { recursive: true })
    await lists('to-do-3', 'to-do-2')
    rmSync(join(folder, 'to-do-2'), { recursive: true })
    await lists('to-do', null)
    expect(namesIn()).toEqual(ALL)
  })

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a folder of somebody else', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync(tmpdir(), path)],
  ])('writes nothing through %s in the place of the lists', async (_, occupy) => {
    occupy(join(folder, 'to-do'))
    const toDo = { folder: join(folder, 'to-do-2'), left: join(folder, 'to-do') }
    expect(await report()).toMatchObject({ toDo })
  })

  it.each(['reconciliation.xlsx', 'problems.csv', 'decisions.csv', 'verification.csv'])(
    'leaves an annotated %s alone, and goes to a folder beside it',
    async (name) => {
      await report(VERIFIED)
      const edited = `${textOf(name)} `
      put(name, edited)
      const before = PACK_FILES.map(textOf)
      expect(await report(GROWN)).toMatchObject(besides(name))
      expect(PACK_FILES.map(textOf)).toEqual(before)
      expect([namesIn('report-2'), modeOf('report-2')]).toEqual([ALL, 0o700])
      expect(textOf('report-2/to-do/not-sent.csv')).toContain('M-14')
      expect(await report(GROWN)).toMatchObject(besides(name))
      put(`report-2/${name}`, edited)
      expect((await report(GROWN)).folder).toBe(join(folder, 'report-3'))
    },
  )

  it.each(['registered.csv', 'manifest.json', 'report.html', 'problems.csv', 'manifest.sig'])(
    'leaves a %s of others alone',
    async (name) => {
      put(name, '{"name": "my own"}')
      expect(await report()).toMatchObject(besides(name))
      expect(textOf(name)).toBe('{"name": "my own"}')
      expect(namesIn()).toEqual([name, 'report-2'].sort())
    },
  )

  it('that is signed stays as it is, and nothing is written over it by one that says the same', async () => {
    const signWith = generateKeyPairSync('ed25519').privateKey
    const own = { signWith, out: folder }
    await report(VERIFIED, own)
    const seen = (): string[] =>
      [...PACK_FILES, 'manifest.sig'].map((name) => `${name} ${statSync(pathOf(name)).ino} ${textOf(name)}`)
    const before = seen()
    for (const options of [{ out: folder }, own])
      expect(await report(VERIFIED, options)).toMatchObject({ folder, ...HERE })
    expect(seen()).toEqual(before)
    // Nor by what says something else, signed or not.
    for (const options of [{ out: folder }, { ...own, signWith: generateKeyPairSync('ed25519').privateKey }])
      expect(await report(GROWN, options)).toMatchObject(besides('manifest.sig'))
    expect(await report(GROWN)).toMatchObject({ kept: 'manifest.sig', folder: join(folder, 'report-2') })
    expect(seen()).toEqual(before)
  })

  it('of another ledger stays as it is, and each goes on in its own', async () => {
    const other = readerOf(EVERY_STATE)
    const { campaign } = other
    const second = { ...other, campaign: () => ({ ...campaign(), ledgerId: 'another' }) }
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    const before = readFileSync(join(folder, 'manifest.json'), 'utf8')
    for (let times = 0; times < 2; times += 1) {
      const written = await writeReport(second, { out: folder })
      expect(written).toMatchObject({ folder: join(folder, 'report-2'), isBesideAnother: true })
      expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(before)
    }
    const own = await writeReport(readerOf(EVERY_STATE), { out: folder })
    expect(own).toMatchObject({ folder, kept: null, isBesideAnother: false })
  })

  it('goes on where an earlier report or check was killed while it gave its files their names', async () => {
    const workshop = join(folder, '.sepa-migrate-report-killed')
    const kill = ({ folder: written }: { folder: string }, name: string): void => {
      renameSync(written, workshop)
      renameSync(join(workshop, name), pathOf(name))
    }
    await report()
    kill(await report(GROWN, { out: join(folder, 'elsewhere') }), 'registered.csv')
    expect(await report(GROWN)).toMatchObject({ folder, ...HERE })
    rmSync(workshop, { recursive: true })
    kill(await check(join(folder, 'elsewhere'), 3), 'problems.csv')
    expect(await check()).toMatchObject({ folder, ...HERE })
  })

  it.each([
    ['a link', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('is refused before anything is written when %s has the name of a file', async (_, occupy) => {
    occupy(join(folder, 'manifest.json'))
    await expect(report()).rejects.toThrow(UsageError)
    expect(namesIn()).toEqual(['manifest.json'])
  })

  it('is refused where a file that the command reads has one of the names, or where it cannot be, with the way out', async () => {
    put('problems.csv', 'an export')
    await expect(report(EVERY_STATE, { forbidden: [pathOf('problems.csv')] })).rejects.toThrow(UsageError)
    expect([namesIn(), textOf('problems.csv')]).toEqual([['problems.csv'], 'an export'])
    await expect(report(EVERY_STATE, { out: pathOf('problems.csv/report') })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot write the report to ".*not a directory \(ENOTDIR\)/) as string,
      next: expect.stringContaining('(--out DIR; sepa-migrate report)') as string,
    })
    // A check has no ledger.
    await expect(writeProblems([], { out: pathOf('problems.csv/report') })).rejects.toMatchObject({
      next: 'Solve the cause or give another folder (--out DIR), then check again.',
    })
  })

  it('with what was read back has verification.csv, the contradicted first, under its hash; the same twice', async () => {
    const { files } = await report(VERIFIED)
    const found = recordsOf('verification.csv').map(({ verification }) => verification)
    expect(found).toEqual(['missing', 'proven'])
    expect(files.map(({ name }) => name).sort()).toEqual([...PACK_FILES, 'verification.csv'].sort())
    expect((await report(VERIFIED, { out: join(folder, 'again') })).files).toEqual(files)
    rmSync(join(folder, 'again'), { recursive: true })
    // None is left beside a newer pack that has none.
    expect(await report()).toMatchObject({ folder, ...HERE })
    expect(namesIn()).toEqual(ALL)
  })

  it('takes two reports at a time without mixing them', async () => {
    const [first] = await Promise.all([report(), report(), report()])
    expect(namesIn()).toEqual(ALL)
    for (const file of first.files) expect(sha256(readFileSync(join(folder, file.name)))).toBe(file.sha256)
  })

  it('is cleared of what a killed report left behind, but not of a report that is being written', async () => {
    const [left, living] = ['.sepa-migrate-report-left', '.sepa-migrate-report-live']
    for (const name of [left, living]) mkdirSync(join(folder, name))
    utimesSync(join(folder, left), new Date('2026-01-01'), new Date('2026-01-01'))
    await report()
    expect([left, living].map((name) => existsSync(join(folder, name)))).toEqual([false, true])
  })

  it('keeps the earlier pack whole and leaves nothing behind when a report is interrupted', async () => {
    await report()
    const before = EACH.map(textOf)
    await expect(report(GROWN, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(EACH.map(textOf)).toEqual(before)
    expect(namesIn()).toEqual(ALL)
  })

  it('with a page that cannot be made has its lists all the same, and no page of before; it is told', async () => {
    await report()
    const lists = EACH.filter((name) => name.endsWith('.csv'))
    const before = lists.map(textOf)
    const told = { company: 7, from: null } as never
    await expect(report(EVERY_STATE, { told })).rejects.toThrow(
      /A page of the report cannot be made; its lists are in/,
    )
    expect(lists.map(textOf)).toEqual(before)
    expect(namesIn()).toEqual(ALL.filter((name) => !/^re.*(?:html|xlsx)$/.test(name)))
    await report()
    expect(namesIn()).toEqual(ALL)
  })

  it('shows no file before all are complete, and publishes nothing of what is read again', async () => {
    const pack = await openPackFolder(folder, ['one.csv', 'two.csv'])
    const workshop = join(folder, readdirSync(folder)[0] ?? '')
    await pack.write('one.csv', 'one')
    const second = await pack.create('two.csv')
    second.put('tw')
    await second.drain()
    const scratch = await pack.scratch()
    const text = 'some text'.repeat(300_000)
    for (const part of [text.slice(0, 1_000_001), text.slice(1_000_001)]) {
      scratch.put(part)
      await scratch.drain()
    }
    expect(statSync(join(workshop, '.sheet-1')).mode & 0o777).toBe(0o600)
    const read: Buffer[] = []
    for await (const chunk of scratch.chunks()) read.push(Buffer.from(chunk))
    expect(Buffer.concat(read).toString() === text).toBe(true)
    expect(namesIn().filter((name) => !name.startsWith('.'))).toEqual([])
    await second.write(Buffer.from('o'))
    expect(await second.finish()).toMatchObject({ name: 'two.csv', bytes: 3 })
    expect(await pack.publish()).toEqual({ folder, kept: null, isBesideAnother: false, toDo: null })
    expect([namesIn(), textOf('two.csv')]).toEqual([['one.csv', 'two.csv'], 'two'])
    await pack.discard()
  })
})

describe('the problem list of a check', () => {
  it('takes the place of that of an earlier check, and gives it to a report', async () => {
    for (const write of [check, () => check(folder, 2), report])
      expect(await write()).toMatchObject({ folder, ...HERE })
  })

  it.each([
    ['problems.csv', 'that a person wrote into', (text: string) => text.replace('IBAN', 'IBAN: asked')],
    ['problems.csv', 'that a spreadsheet saved', (text: string) => text.replaceAll(',', ';')],
    [NOTE, 'of somebody else', () => 'mine\n'],
  ])('leaves a %s alone %s', async (name, _, change) => {
    await check()
    const changed = change(textOf(name))
    put(name, changed)
    for (const write of [check, report, check]) expect(await write()).toMatchObject(besides())
    expect(textOf(name)).toBe(changed)
  })

  it('is written alone, from any source of problems', async () => {
    const problems = many(2500, (id) => problemOf({ id, record: id }))
    const { name } = await writeProblems(problems.values(), { out: folder })
    const records = recordsOf('problems.csv')
    expect([name, records.length, modeOf('problems.csv')]).toEqual(['problems.csv', 2500, 0o600])
    expect(records[2499]).toMatchObject({ record: '2500', rule: 'IBAN_CHECKSUM', value: 'DE…3001' })
  })
})
