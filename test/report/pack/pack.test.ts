import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { readSignature } from '../../../src/trust/signature.js'
import { NOTE } from '../../../src/report/pack/earlier-pack.js'
import { PACK_FILES, TO_DO_FILES, writeProblems, writeReport } from '../../../src/report/pack/pack.js'
import {
  attemptOf,
  decisionOf,
  IBAN,
  NO_RECORDS,
  problemOf,
  readerOf,
  registeredRow,
  rowOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** One row of every state, and then some. */
const EVERY_STATE: LedgerValue = {
  ...NO_RECORDS,
  sources: [sourceOf({ records: 13 })],
  rows: [
    registeredRow(1),
    registeredRow(2),
    rowOf(3, { state: 'refused', attempts: 1, lastAttempt: attemptOf({ outcome: 'refused', status: 422 }) }),
    rowOf(4, {
      state: 'in_doubt',
      attempts: 1,
      lastAttempt: attemptOf({ n: 4, outcome: 'in_doubt', status: 503 }),
    }),
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

/** A list to work in lies in its own folder. */
const placeOf = (name: string): string => TO_DO_FILES.find((list) => list.endsWith(`/${name}`)) ?? name
/** What stands in the folder of a report. */
const ALL = [...PACK_FILES, 'to-do'].sort()
const textOf = (name: string): Promise<string> => readFile(join(folder, placeOf(name)), 'utf8')

async function recordsOf(name: string): Promise<Record<string, string>[]> {
  return parse<Record<string, string>>(await textOf(name), { columns: true, bom: true })
}

interface Summary {
  balanced: boolean
  totals: Record<string, number>
  files: Record<string, { rows: number }>
  inNoFile: Record<string, number>
  hashTotals: Record<string, Record<string, string | number>>
}

describe('the reconciliation pack', () => {
  it('has the exact headers of the contract', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })

    const headers = await Promise.all(
      [
        'registered.csv',
        'refused.csv',
        'corrections.csv',
        'in-doubt.csv',
        'not-sent.csv',
        'problems.csv',
      ].map(async (name) => (await textOf(name)).split('\n')[0]),
    )
    // What people open in a spreadsheet begins with the mark by which that knows UTF-8.
    const originals =
      '\uFEFFcustomer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,' +
      'migration_row,migration_state,migration_rule,migration_status,migration_message,migration_remedy'
    const closing = 'migration_ledger,migration_attempt,migration_decision,migration_reason,migration_by'
    expect(headers).toEqual([
      'customer_no,iban_masked,signed_date,original_creditor_identifier,original_mandate_reference,' +
        'assigned_creditor_identifier,assigned_mandate_reference,registered_at,source,record,attempts,latest_first_debit',
      `${originals},${closing}`,
      `${originals},${closing}`,
      `${originals},migration_sent_at,migration_sent_ago,migration_resend_from,migration_request_id,` +
        `migration_proposal,migration_proposal_evidence,${closing},` +
        'migration_assigned_creditor_identifier,migration_assigned_mandate_reference',
      `${originals},${closing}`,
      'source,record,line,column,rule,severity,value,message,remedy',
    ])
  })

  it('puts every row into one file or into the count of closed rows, so that all add up to the rows read', async () => {
    const { totals, balanced } = await writeReport(readerOf(EVERY_STATE), { out: folder })

    const files = ['registered.csv', 'refused.csv', 'corrections.csv', 'in-doubt.csv', 'not-sent.csv']
    const records = await Promise.all(files.map(recordsOf))
    const summary = JSON.parse(await textOf('summary.json')) as Summary
    expect(balanced).toBe(true)
    expect(files.map((name) => summary.files[name]?.rows)).toEqual(records.map((list) => list.length))
    const closed = Object.values(summary.inNoFile).reduce((sum, count) => sum + count, 0)
    expect(records.flat().length + closed).toBe(totals.read)
    const ids = records.slice(1).flatMap((list) => list.map((record) => record['migration_row']))
    expect(ids.sort((one, other) => Number(one) - Number(other))).toEqual([
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
      '10',
      '12',
    ])
  })

  it('says so when the states do not add up to the records that were read', async () => {
    const lost = { ...EVERY_STATE, rows: EVERY_STATE.rows.slice(1) }

    const { totals, balanced } = await writeReport(readerOf(lost), { out: folder })

    expect(balanced).toBe(false)
    expect(totals.read).toBe(13)
    expect((JSON.parse(await textOf('summary.json')) as Summary).balanced).toBe(false)
    expect(await textOf('report.html')).toContain('The control totals do NOT balance')
  })

  it('does not balance when the errors of two sources cancel each other out', async () => {
    const shifted = {
      ...EVERY_STATE,
      sources: [sourceOf({ records: 12 }), sourceOf({ id: 2, records: 1 })],
    }

    expect((await writeReport(readerOf(shifted), { out: folder })).balanced).toBe(false)
  })

  it('is the same twice, byte for byte', async () => {
    const first = await writeReport(readerOf(EVERY_STATE), { out: join(folder, 'first') })
    const second = await writeReport(readerOf(EVERY_STATE), { out: join(folder, 'second') })

    expect(first.files.map((file) => file.name).sort()).toEqual([...PACK_FILES].sort())
    expect(second.files).toEqual(first.files)
    for (const name of [...PACK_FILES, ...TO_DO_FILES]) {
      const bytes = await Promise.all(['first', 'second'].map((side) => readFile(join(folder, side, name))))
      expect(bytes[1]?.equals(bytes[0]!), name).toBe(true)
    }
  })

  it('lists every file but itself in the manifest with the size and digest that is on disk', async () => {
    const { files } = await writeReport(readerOf(EVERY_STATE), { out: folder })

    const manifest = JSON.parse(await textOf('manifest.json')) as { files: typeof files; sources: unknown[] }
    expect(manifest.files.map((file) => file.name)).toHaveLength(PACK_FILES.length - 1)
    for (const file of files) {
      const bytes = await readFile(join(folder, file.name))
      expect(file).toEqual({
        name: file.name,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })
    }
    expect(manifest.sources).toEqual([{ name: 'export.csv', bytes: 1234, sha256: 'a'.repeat(64) }])
  })

  it('prefills the attempt of a row in doubt and leaves the decision to a person', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })

    const [inDoubt, sending] = await recordsOf('in-doubt.csv')
    expect(inDoubt).toMatchObject({
      migration_row: '4',
      migration_state: 'in_doubt',
      migration_status: '503',
      migration_attempt: '4',
      migration_decision: '',
      migration_reason: '',
      migration_by: '',
    })
    expect(sending).toMatchObject({ migration_state: 'sending', migration_attempt: '5' })
  })

  it('shows a full account number only in the files that are made to be edited', async () => {
    const told = maskedRows()
    await writeReport(readerOf(told), { out: folder })

    const holders: string[] = []
    for (const name of [...PACK_FILES, ...TO_DO_FILES])
      if ((await textOf(name)).includes(IBAN)) holders.push(name)
    expect(holders).toEqual(TO_DO_FILES)
  })
})

/** People and services write account numbers where none belong. */
function maskedRows(): LedgerValue {
  const attempt = attemptOf({
    outcome: 'refused',
    status: 422,
    message: `iban ${IBAN} is blocked`,
    reason: `see ${IBAN}`,
  })
  return {
    ...EVERY_STATE,
    rows: EVERY_STATE.rows.map((row) => (row.lastAttempt === null ? row : { ...row, lastAttempt: attempt })),
    decisions: [decisionOf({ rowId: 3, reason: `the customer of ${IBAN} agreed` })],
  }
}

describe('the hash totals', () => {
  it('can be computed again from registered.csv alone', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })

    const records = await recordsOf('registered.csv')
    const digest = (texts: string[]): string => {
      const sum = texts.reduce(
        (total, text) => total + BigInt('0x' + createHash('sha256').update(text).digest('hex')),
        0n,
      )
      return (sum % 2n ** 256n).toString(16).padStart(64, '0')
    }
    const keyOf = (record: Record<string, string>): string => {
      const creditor = record['original_creditor_identifier']!
      const reference = record['original_mandate_reference']!.replace(/[a-z]/g, (letter) =>
        letter.toUpperCase(),
      )
      return `${creditor.slice(0, 2)}|${creditor.slice(7)}|${reference}`
    }
    const summary = JSON.parse(await textOf('summary.json')) as Summary
    expect(summary.hashTotals['registered']).toEqual({
      rows: 2,
      customerNoRows: 2,
      customerNoSum: records.reduce((sum, record) => sum + BigInt(record['customer_no']!), 0n).toString(),
      oldKeyRows: 2,
      oldKeyDigest: digest(records.map(keyOf)),
      pairRows: 2,
      pairDigest: digest(
        records.map(
          (record) =>
            `${keyOf(record)}\n${record['assigned_creditor_identifier']!}\n${record['assigned_mandate_reference']!}`,
        ),
      ),
    })
  })

  it('of the states add up to those of all rows', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })

    const { read, ...states } = (JSON.parse(await textOf('summary.json')) as Summary).hashTotals
    const parts = Object.values(states)
    const sum = (key: string): bigint => parts.reduce((total, part) => total + BigInt(part[key]!), 0n)
    const digests = parts.reduce((total, part) => total + BigInt(`0x${String(part['oldKeyDigest'])}`), 0n)
    expect(parts).toHaveLength(11)
    expect(sum('rows')).toBe(13n)
    expect(sum('customerNoSum')).toBe(BigInt(read!['customerNoSum']!))
    expect((digests % 2n ** 256n).toString(16).padStart(64, '0')).toBe(read!['oldKeyDigest'])
  })
})

describe('the folder of a pack', () => {
  it('is made private, and so are its files', async () => {
    const out = join(folder, 'new', 'pack')
    await writeReport(readerOf(EVERY_STATE), { out })

    expect((await stat(out)).mode & 0o777).toBe(0o700)
    expect((await readdir(out)).sort()).toEqual(ALL)
    expect((await stat(join(out, 'to-do'))).mode & 0o777).toBe(0o700)
    for (const name of [...PACK_FILES, ...TO_DO_FILES])
      expect((await stat(join(out, name))).mode & 0o777, name).toBe(0o600)
  })

  it('takes a second report over the first', async () => {
    const first = await writeReport(readerOf(EVERY_STATE), { out: folder })
    const grown = { ...EVERY_STATE, rows: [...EVERY_STATE.rows, rowOf(14)] }
    const second = await writeReport(readerOf(grown), { out: folder })

    expect([first, second].map((report) => [report.folder, report.kept])).toEqual([
      [folder, null],
      [folder, null],
    ])
    expect((await readdir(folder)).sort()).toEqual(ALL)
    expect(await textOf('not-sent.csv')).toContain('M-14')
  })

  it('9.1.5 leaves lists alone in which somebody works, and puts the new ones into a folder beside them', async () => {
    const listsOf = async (name: string) => (await readdir(join(folder, name))).sort()
    const workIn = (name: string) => writeFile(join(folder, name, 'in-doubt.csv'), 'filled in')
    const write = () => writeReport(readerOf(EVERY_STATE), { out: folder })
    const first = await write()
    expect(first.toDo).toMatchObject({ folder: join(folder, 'to-do'), left: null })
    await workIn('to-do')
    const before = await listsOf('to-do')

    const next = await write()
    expect(next).toMatchObject({ folder, kept: null, files: first.files })
    expect(next.toDo).toMatchObject({ folder: join(folder, 'to-do-2'), left: join(folder, 'to-do') })
    expect(await listsOf('to-do-2')).toEqual(before)
    expect(await textOf('in-doubt.csv')).toBe('filled in')

    // As long as nobody works in the second ones, they are replaced; then there are third ones.
    expect((await write()).toDo?.folder).toBe(join(folder, 'to-do-2'))
    await writeFile(join(folder, 'to-do-2', 'notes.txt'), 'asked on Monday')
    expect((await write()).toDo).toMatchObject({
      folder: join(folder, 'to-do-3'),
      left: join(folder, 'to-do-2'),
    })

    // The newest have the highest number, also where somebody is done with earlier ones.
    await rm(join(folder, 'to-do'), { recursive: true })
    expect((await write()).toDo?.folder).toBe(join(folder, 'to-do-3'))
    await rm(join(folder, 'to-do-2'), { recursive: true })
    expect((await write()).toDo).toMatchObject({ folder: join(folder, 'to-do'), left: null })
    expect((await readdir(folder)).sort()).toEqual(ALL)
  })

  it.each([
    ['a file', (path: string) => writeFile(path, 'mine')],
    ['a folder of somebody else', (path: string) => mkdir(path)],
    ['a link', (path: string) => symlink(tmpdir(), path)],
  ])('9.1.5 writes nothing through %s in the place of the lists', async (_, occupy) => {
    await occupy(join(folder, 'to-do'))
    const { toDo } = await writeReport(readerOf(EVERY_STATE), { out: folder })
    expect(toDo).toMatchObject({ folder: join(folder, 'to-do-2'), left: join(folder, 'to-do') })
  })

  it.each([['reconciliation.xlsx'], ['problems.csv'], ['decisions.csv']])(
    '9.1.5 leaves an annotated %s alone, and goes to a folder beside it as a whole',
    async (name) => {
      await writeReport(readerOf(EVERY_STATE), { out: folder })
      const edited = `${await textOf(name)} `
      await writeFile(join(folder, name), edited)
      const others = await Promise.all(PACK_FILES.filter((other) => other !== name).map(textOf))
      const grown = { ...EVERY_STATE, rows: [...EVERY_STATE.rows, rowOf(14)] }

      const moved = await writeReport(readerOf(grown), { out: folder })
      expect(moved).toMatchObject({ folder: join(folder, 'report-2'), kept: name })
      expect(await textOf(name)).toBe(edited)
      expect(await Promise.all(PACK_FILES.filter((other) => other !== name).map(textOf))).toEqual(others)
      expect((await readdir(moved.folder)).sort()).toEqual(ALL)
      expect((await stat(moved.folder)).mode & 0o777).toBe(0o700)
      expect(await textOf('report-2/to-do/not-sent.csv')).toContain('M-14')

      expect((await writeReport(readerOf(grown), { out: folder })).folder).toBe(moved.folder)
      await writeFile(join(moved.folder, name), edited)
      expect((await writeReport(readerOf(grown), { out: folder })).folder).toBe(join(folder, 'report-3'))
    },
  )

  it('is signed where a key is given, and a later report without one takes the signature away', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const signed = await writeReport(readerOf(EVERY_STATE), { out: folder, signWith: privateKey })
    expect(signed.files.map(({ name }) => name)).toContain('manifest.sig')
    const signature = await textOf('manifest.sig')
    expect(readSignature(signature)?.isOf(await readFile(join(folder, 'manifest.json')))).toBe(true)
    const again = await writeReport(readerOf(EVERY_STATE), { out: folder, signWith: privateKey })
    expect(again).toMatchObject({ folder, kept: null })
    expect(await textOf('manifest.sig')).toBe(signature)
    expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({ folder, kept: null })
    expect((await readdir(folder)).sort()).toEqual(ALL)
  })

  it('9.1.5 leaves a manifest.sig of somebody else alone', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    await writeFile(join(folder, 'manifest.sig'), 'signed by hand')
    expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({
      folder: join(folder, 'report-2'),
      kept: 'manifest.sig',
    })
    expect(await textOf('manifest.sig')).toBe('signed by hand')
  })

  it.each(['registered.csv', 'manifest.json', 'report.html', 'problems.csv'])(
    '9.1.5 leaves a %s of somebody else alone',
    async (name) => {
      await writeFile(join(folder, name), '{"name": "my own"}')
      const { folder: written, kept } = await writeReport(readerOf(EVERY_STATE), { out: folder })
      expect([written, kept]).toEqual([join(folder, 'report-2'), name])
      expect(await textOf(name)).toBe('{"name": "my own"}')
      expect((await readdir(folder)).sort()).toEqual([name, 'report-2'].sort())
    },
  )

  it('9.1.5 goes on where an earlier report was killed while it gave its files their names', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    const grown = { ...EVERY_STATE, rows: [...EVERY_STATE.rows, rowOf(14)] }
    const elsewhere = await writeReport(readerOf(grown), { out: join(folder, 'elsewhere') })
    const workshop = join(folder, '.sepa-migrate-report-killed')
    await rename(elsewhere.folder, workshop)
    await rename(join(workshop, 'registered.csv'), join(folder, 'registered.csv'))

    expect(await writeReport(readerOf(grown), { out: folder })).toMatchObject({ folder, kept: null })
  })

  it('9.1.5 takes the place of the problem list of a check', async () => {
    await writeProblems([problemOf()], { out: folder })
    expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({ folder, kept: null })
  })

  it('9.1.5 leaves the problem list of a report alone that a person wrote into', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    const annotated = `${await textOf('problems.csv')}asked the customer\n`
    await writeFile(join(folder, 'problems.csv'), annotated)
    expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({
      folder: join(folder, 'report-2'),
      kept: 'problems.csv',
    })
    expect(await textOf('problems.csv')).toBe(annotated)
  })

  it('is refused before anything is written when a file name is taken by a link or a folder', async () => {
    const outside = join(folder, 'outside.txt')
    await writeFile(outside, 'untouched')
    for (const occupy of [(path: string) => symlink(outside, path), (path: string) => mkdir(path)]) {
      const out = join(folder, 'pack')
      await mkdir(out)
      await occupy(join(out, 'manifest.json'))

      await expect(writeReport(readerOf(EVERY_STATE), { out })).rejects.toThrow(UsageError)

      expect(await readdir(out)).toEqual(['manifest.json'])
      await rm(out, { recursive: true })
    }
    expect(await readFile(outside, 'utf8')).toBe('untouched')
  })

  it('is refused with the path and the reason when it is a file', async () => {
    const out = join(folder, 'taken')
    await writeFile(out, '')

    await expect(writeReport(readerOf(EVERY_STATE), { out })).rejects.toThrow(
      `Cannot write the report to "${out}"`,
    )
  })

  describe('with what was read back', () => {
    const verified = [verifiedRow(1), verifiedRow(2, { verdict: 'absent', sources: [] })]
    const VERIFIED: LedgerValue = { ...EVERY_STATE, verified }

    it('has verification.csv, the contradicted first, under its hash in the manifest; the same twice', async () => {
      const { files } = await writeReport(readerOf(VERIFIED), { out: folder })
      expect((await recordsOf('verification.csv')).map(({ verification }) => verification)).toEqual([
        'missing',
        'proven',
      ])
      const names = files.map(({ name }) => name).sort()
      expect(names).toEqual([...PACK_FILES, 'verification.csv'].sort())
      const manifest = JSON.parse(await textOf('manifest.json')) as { files: typeof files }
      expect(manifest.files).toEqual(files.filter(({ name }) => name !== 'manifest.json'))
      const again = await writeReport(readerOf(VERIFIED), { out: join(folder, 'again') })
      expect(again.files).toEqual(files)
      for (const name of names) expect(await textOf(`again/${name}`), name).toBe(await textOf(name))
    })

    it('leaves no verification.csv beside a newer pack that has none', async () => {
      await writeReport(readerOf(VERIFIED), { out: folder })
      expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({ folder, kept: null })
      expect((await readdir(folder)).sort()).toEqual(ALL)
    })

    it('leaves one alone that somebody changed, and goes beside it as a whole', async () => {
      await writeReport(readerOf(VERIFIED), { out: folder })
      const edited = `${await textOf('verification.csv')}"looked up"\n`
      await writeFile(join(folder, 'verification.csv'), edited)
      for (const value of [EVERY_STATE, VERIFIED, EVERY_STATE])
        expect(await writeReport(readerOf(value), { out: folder })).toMatchObject({
          folder: join(folder, 'report-2'),
          kept: 'verification.csv',
        })
      expect(await textOf('verification.csv')).toBe(edited)
      expect((await readdir(join(folder, 'report-2'))).sort()).toEqual(ALL)
    })
  })

  it('takes two reports at a time without mixing them', async () => {
    const results = await Promise.all(
      [1, 2, 3].map(() => writeReport(readerOf(EVERY_STATE), { out: folder })),
    )

    expect((await readdir(folder)).sort()).toEqual(ALL)
    for (const { name, sha256 } of results[0]!.files) {
      expect(
        createHash('sha256')
          .update(await readFile(join(folder, name)))
          .digest('hex'),
      ).toBe(sha256)
    }
  })

  it('is cleared of what a killed report left behind, but not of a report that is being written', async () => {
    const left = join(folder, '.sepa-migrate-report-left')
    const living = join(folder, '.sepa-migrate-report-live')
    await Promise.all([left, living].map((path) => mkdir(path)))
    await utimes(left, new Date('2026-01-01'), new Date('2026-01-01'))

    await writeReport(readerOf(EVERY_STATE), { out: folder })

    const hidden = (await readdir(folder)).filter((name) => name.startsWith('.'))
    expect(hidden).toEqual(['.sepa-migrate-report-live'])
  })

  it('keeps the earlier pack whole and leaves nothing behind when a report is interrupted', async () => {
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    const before = await Promise.all(PACK_FILES.map(textOf))
    const grown = { ...EVERY_STATE, rows: [...EVERY_STATE.rows, rowOf(14)] }

    const signal = AbortSignal.abort(new Error('enough'))
    await expect(writeReport(readerOf(grown), { out: folder, signal })).rejects.toThrow('enough')

    expect(await Promise.all(PACK_FILES.map(textOf))).toEqual(before)
    expect((await readdir(folder)).sort()).toEqual(ALL)
  })
})

describe('writeProblems', () => {
  it('9.1.5 takes the place of an earlier check, of a report, and of a check that was killed', async () => {
    for (const id of [1, 2])
      expect(await writeProblems([problemOf({ id, record: id })], { out: folder })).toMatchObject({
        folder,
        kept: null,
      })
    await writeReport(readerOf(EVERY_STATE), { out: folder })
    expect(await writeProblems([problemOf()], { out: folder })).toMatchObject({ folder, kept: null })
    expect(await writeReport(readerOf(EVERY_STATE), { out: folder })).toMatchObject({ folder, kept: null })

    const elsewhere = await writeProblems([problemOf({ id: 3, record: 3 })], {
      out: join(folder, 'elsewhere'),
    })
    await rename(elsewhere.folder, join(folder, '.sepa-migrate-report-killed'))
    await rename(join(folder, '.sepa-migrate-report-killed', 'problems.csv'), join(folder, 'problems.csv'))
    expect(await writeProblems([problemOf()], { out: folder })).toMatchObject({ folder, kept: null })
  })

  it.each([
    ['problems.csv', 'that a person wrote into', (text: string) => text.replace('IBAN', 'IBAN: asked')],
    ['problems.csv', 'that a spreadsheet saved', (text: string) => text.replaceAll(',', ';')],
    [NOTE, 'of somebody else', () => 'mine\n'],
  ])('9.1.5 leaves a %s alone %s', async (name, _, change) => {
    await writeProblems([problemOf()], { out: folder })
    const changed = change(await textOf(name))
    await writeFile(join(folder, name), changed)
    const moved = { folder: join(folder, 'report-2') }
    expect(await writeProblems([problemOf()], { out: folder })).toMatchObject(moved)
    expect((await writeReport(readerOf(EVERY_STATE), { out: folder })).folder).toBe(join(folder, 'report-2'))
    expect(await textOf(name)).toBe(changed)
    expect(await writeProblems([problemOf()], { out: folder })).toMatchObject(moved)
  })

  it('writes problems.csv alone from any source of problems', async () => {
    function* problems() {
      for (let id = 1; id <= 2500; id += 1) yield problemOf({ id, record: id })
    }

    const file = await writeProblems(problems(), { out: folder })

    const records = await recordsOf('problems.csv')
    expect(file.name).toBe('problems.csv')
    expect(records).toHaveLength(2500)
    expect(records[2499]).toMatchObject({ record: '2500', rule: 'IBAN_CHECKSUM', value: 'DE…3001' })
    expect((await stat(join(folder, 'problems.csv'))).mode & 0o777).toBe(0o600)
  })
})
