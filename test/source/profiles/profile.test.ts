import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { placeForEach } from '../../support/place.js'
import { AS_OF, kindsIn, readText, refusal, rulesOf, SAMPLES } from '../../support/sources.js'

const sample = (id: string): string => join(SAMPLES, 'profiles', `${id}.csv`)
const textOf = (id: string): string => readFileSync(sample(id), 'utf8')
const without = (id: string, column: string): string => textOf(id).replace(column, `x_${column}`)
const NUMBER = 'columns: { customer_no: { column: SND_ID, transform: [stripZeros] } }'
const SAP = `${NUMBER}\nwords: { status: { notActive: ["4"] } }`

describe('what is not said to live is never sent', () => {
  it.each([
    ['odoo-oca', ',Valid,', ',Confirmed,', 'STATUS_UNKNOWN'],
    ['odoo-oca', 'Recurring,2020', 'Final,2020', 'EXCLUDED_BY_CONFIGURATION'],
    ['civisepa', 'RCUR,RCUR,', 'RCUR,SENT,', 'STATUS_UNKNOWN'],
    ['civisepa', ',1,750001', ',,750001', 'EXCLUDED_BY_CONFIGURATION'],
    ['zuora', ',Active,770001', ',Suspense,770001', 'STATUS_UNKNOWN'],
  ])('%s: "%s" as "%s" is held by %s', async (id, before, after, rule) => {
    const { records } = await readText(textOf(id).replace(before, after))
    expect(records[0]?.verdict.kind).not.toBe('sendable')
    expect(rulesOf(records[0])).toContain(rule)
  })

  it('a code of SAP that nobody documented is asked, and only that one', async () => {
    const { message } = await refusal(readText(textOf('sap'), NUMBER))
    expect(message).toContain('Column "STATUS" is used as status and holds 4 1.')
    expect(message).toContain('words: { status: { active: […], notActive: […] } }')
    // A person may say what another code means, and that one of the known ones means something else.
    const words = 'words: { status: { active: ["4"], notActive: ["1"] } }'
    const kinds = await kindsIn(textOf('sap'), `${NUMBER}\n${words}`)
    expect(kinds.flatMap((kind, at) => (kind === 'sendable' ? [at] : []))).toEqual([3])
  })

  it('an older version of a mandate contradicts no current one', async () => {
    const { records } = await readText(textOf('sap'), SAP)
    expect([records[1]?.mandateKey, records[2]?.mandateKey]).toEqual([expect.any(String), null])
  })

  it('the number of a row is no creditor identifier, whatever its column is called', async () => {
    const { message } = await refusal(readText(without('civisepa', 'sepa_creditor_identifier')))
    expect(message).toContain('it has no column for sepa_creditor_identifier ("creditor_id" is the number')
  })

  it('a column that would keep rows back and is not there is told', async () => {
    const { summary } = await readText(without('sap', 'GLOCK'), SAP)
    expect(summary.reading.profile).toMatchObject({ id: 'sap', lacks: ['GLOCK'] })
    const ignored = await readText(without('sap', 'GLOCK'), `source: { ignoreColumns: [GLOCK] }\n${SAP}`)
    expect(ignored.summary.reading.profile).toMatchObject({ lacks: [] })
  })
})

describe('the configuration wins', () => {
  it.each([
    // Of a field, of the rules of a column, of a column that does not count.
    ['odoo-oca', 'columns: { status: none }', 5],
    ['odoo-oca', 'words: { scheme: { core: ["Enterprise (B2B)"] } }', 4],
    ['civisepa', 'exclude: [{ column: is_enabled, equals: ["x"], reason: no }]', 4],
    ['civisepa', 'source: { ignoreColumns: [is_enabled] }', 4],
    ['civisepa', 'exclude: [{ column: contact_id, equals: ["4101"], reason: no }]', 2],
    ['hostbill', 'profile: hostbill', 2],
  ])('%s with %s: %i are to be sent', async (id, yaml, count) => {
    const kinds = await kindsIn(textOf(id), yaml)
    expect(kinds.filter((kind) => kind === 'sendable')).toHaveLength(count)
  })

  it('none is read by its usual names, another one or an unknown one is refused', async () => {
    const { message } = await refusal(readText(textOf('odoo-oca'), 'profile: none'))
    expect(message).toContain('it has no column for iban;')
    const other = await refusal(readText(textOf('odoo-oca'), 'profile: sap'))
    expect(other).toMatchObject({ rule: 'FILE_HEADER_MISSING' })
    expect(other.message).toContain(
      'it is no export of SAP (table SEPA_MANDATE) (profile sap): it has no column',
    )
    await expect(readText(textOf('odoo-oca'), 'profile: odo')).rejects.toThrow(UsageError)
  })
})

describe('for people', () => {
  const { write, read, rows, edit, program, json } = placeForEach({ sandbox: {} })
  const day = ['--as-of', AS_OF]

  it('inspect lists the systems and names the one of a file, and init drafts what is known of it', async () => {
    const listed = await json<{ profiles: readonly { id: string }[] }>('inspect', '--profiles')
    expect(listed.profiles).toHaveLength(14)
    expect((await program('inspect')).status).toBe(2)
    const { stdout } = await program('inspect', sample('odoo-oca'), ...day)
    expect(stdout).toContain('looks like Odoo (OCA)')
    write('plain.csv', 'a,b\n1,2\n')
    expect(await json('inspect', 'plain.csv')).toMatchObject({ profile: null, inspection: { system: null } })
    const before = await json('check', sample('odoo-oca'), ...day)
    await program('init', sample('odoo-oca'), ...day)
    const after = await json('check', sample('odoo-oca'), ...day)
    expect([before.exitCode, after.totals]).toEqual([0, before.totals])
    await program('init', sample('sap'), '--to', 'sap.yaml', ...day)
    const draft = read('sap.yaml')
    expect(draft).toContain('profile: sap ')
    expect(draft).toContain('# stays behind: {"column":"MVERS","except":["0","00","000","0000"],')
    expect(draft).toContain('# words of status: {"active":["1"]}')
    expect(draft).toContain('# words: { status: { active: [], notActive: [] } }   # EDIT: sort in: 4 (1)')
    await program('init', sample('odoo'), '--to', 'odoo.yaml', ...day)
    expect(read('odoo.yaml')).toContain('# signed_date: { column: Start Date, format: iso }   # EDIT: "Start')
    await program('init', 'plain.csv', '--to', 'plain.yaml', '--profile', 'sap')
    expect(read('plain.yaml')).toContain(
      '# EDIT: SAP (table SEPA_MANDATE) has it in "SND_IBAN", which is not',
    )
    const unknown = await program('init', 'plain.csv', '--to', 'x.yaml', '--profile', 'spa')
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('the nearest is "sap"')])
  })

  it('corrections of a known system come back without a configuration, and the plan names it', async () => {
    write('export.csv', textOf('odoo-oca').replace('2020-07-13', '2020-17-13'))
    const { plan } = await json<{ plan: object }>('plan', 'export.csv', ...day)
    expect(plan).toMatchObject({
      readAs: ['export.csv: looks like Odoo (OCA), read by the profile odoo-oca'],
    })
    expect(await json('run', 'export.csv', ...day)).toMatchObject({ totals: { registered: 2, invalid: 1 } })
    edit(
      'corrections.csv',
      (row) => ({ ...row, 'Date of Signature of the Mandate': '13.07.2020' }),
      'edited.csv',
    )
    expect(await json('run', 'edited.csv', ...day)).toMatchObject({
      totals: { registered: 3, excluded: 4, conflict: 0 },
    })
    expect(rows('registered.csv').map(({ signed_date }) => signed_date)).toContain('2020-07-13')
  })
})
