import { describe, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { listed, placeForEach, type Row } from '../support/place.js'
import type { Ended } from '../support/program.js'

const place = placeForEach({
  sandbox: {
    faults: [
      {
        match: { customer_no: 7 },
        times: 1,
        fault: { kind: 'refuse', status: 422, field: 'iban', message: 'closed' },
      },
      { match: { customer_no: 8 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 9 }, times: 1, fault: { kind: 'reset', applied: false } },
    ],
  },
})
const { write, rows: readRows, save: writeRows, held, sandbox } = place
const program = (...args: string[]): Promise<Ended> => place.program(...args, '--json')

async function totalsOf(
  ended: Promise<Ended>,
): Promise<{ status: number | null; totals: Record<string, number> }> {
  const { status, stdout } = await ended
  const { totals, balanced } = JSON.parse(stdout) as { totals: Record<string, number>; balanced: boolean }
  expect(balanced).toBe(true)
  return { status, totals: Object.fromEntries(Object.entries(totals).filter(([, count]) => count > 0)) }
}

const timesHeld = (customer: number): number => held().filter((each) => each === customer).length

/** Rows 1 and 2 are fine, 3 has an impossible date, 4 stands twice with different dates, 5 is repeated. */
function writeExport(): void {
  const lines = [validLine(1), validLine(2), validLine(3).replace('2024-03-04', '2024-02-30')]
  lines.push(validLine(4), validLine(4).replace('2024-03-05', '2024-03-06'), validLine(5), validLine(5))
  write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
}

describe('the way back of corrected rows', () => {
  it.each(['corrections.csv', 'not-sent.csv'])(
    '9.1.2 recognises %s when nothing in it was changed',
    async (name) => {
      writeExport()
      const first = { read: 7, registered: 3, invalid: 1, conflict: 2, duplicate: 1 }
      expect(await totalsOf(program('run', 'export.csv'))).toEqual({ status: 3, totals: first })
      const rows = readRows(name)
      writeRows('unchanged.csv', rows)
      expect(await totalsOf(program('run', 'unchanged.csv'))).toEqual({
        status: 3,
        totals: { ...first, resubmitted: rows.length },
      })
      expect(sandbox().mandates()).toHaveLength(3)
    },
  )

  it('9.1.3 takes corrected rows in any column separator and ends with nothing open', async () => {
    writeExport()
    await program('run', 'export.csv')
    const corrected = readRows('corrections.csv').map((row) => ({
      ...row,
      signed_date: row['signed_date']?.replace('2024-02-30', '2024-02-29') ?? '',
      migration_decision: row['customer_no'] === '4' && row['signed_date'] !== '2024-03-06' ? 'send' : '',
    }))
    writeRows('corrected.csv', corrected, ';')
    expect(await totalsOf(program('run', 'corrected.csv'))).toEqual({
      status: 0,
      // Of the two rows that contradicted each other one was replaced by the decision for the other.
      totals: { read: 7, resubmitted: 3, registered: 5, superseded: 1, duplicate: 1 },
    })
    for (const customer of [1, 2, 3, 4, 5]) expect(timesHeld(customer)).toBe(1)
  })

  it('replaces a refused row, and protects rows that are registered or in doubt', async () => {
    write('export.csv', validExport(8))
    expect((await totalsOf(program('run', 'export.csv'))).totals).toEqual({
      read: 8,
      registered: 6,
      refused: 1,
      inDoubt: 1,
    })
    const refused = readRows('refused.csv').map((row) => ({ ...row, iban: germanIban(4711) }))
    const inDoubt = readRows('in-doubt.csv').map((row) => ({ ...row, iban: germanIban(4712) }))
    writeRows('refused-corrected.csv', refused)
    writeRows('in-doubt-corrected.csv', inDoubt)
    expect(
      (await totalsOf(program('run', 'refused-corrected.csv', 'in-doubt-corrected.csv'))).totals,
    ).toEqual({
      read: 8,
      resubmitted: 2,
      registered: 7,
      inDoubt: 1,
    })
    expect(timesHeld(7)).toBe(1)
    expect(timesHeld(8)).toBe(1)
  })

  it('sends a refused row again unchanged only when a person asks for it', async () => {
    write('export.csv', validExport(7))
    await program('run', 'export.csv')
    writeRows('refused-unchanged.csv', readRows('refused.csv'))
    expect((await totalsOf(program('run', 'refused-unchanged.csv'))).totals).toEqual({
      read: 7,
      resubmitted: 1,
      registered: 6,
      refused: 1,
    })
    expect(await totalsOf(program('run', '--retry-refused'))).toEqual({
      status: 0,
      totals: { read: 7, resubmitted: 1, registered: 7 },
    })
  })
})

describe('rows in doubt', () => {
  it('are resolved by the filled-in file: one registered, one sent again, each held once', async () => {
    write('export.csv', validExport(9))
    expect((await totalsOf(program('run', 'export.csv'))).totals).toEqual({
      read: 9,
      registered: 6,
      refused: 1,
      inDoubt: 2,
    })
    const held = new Map(
      sandbox()
        .mandates()
        .map((mandate) => [String(mandate.customer_no), mandate]),
    )
    const decided = readRows('in-doubt.csv').map((row) => {
      const found = held.get(row['customer_no'] ?? '')
      return {
        ...row,
        migration_decision: found === undefined ? 'resend' : 'registered',
        migration_reason: 'the service was asked',
        migration_assigned_creditor_identifier: found?.sepa_creditor_identifier ?? '',
        migration_assigned_mandate_reference: found?.unique_mandate_reference ?? '',
      }
    })
    writeRows('decided.csv', decided)
    const tooEarly = await program('resolve', '--from', 'decided.csv', '--by', 'ops')
    expect(tooEarly.status).toBe(2)
    expect(tooEarly.stdout).toMatch(/15 minutes/)
    const [again] = decided.filter((row) => row.migration_decision === 'resend') as Row[]
    const force = ['--yes-resend', again?.['unique_mandate_reference'] ?? '']
    const dry = await totalsOf(
      program('resolve', '--from', 'decided.csv', '--by', 'ops', ...force, '--dry-run'),
    )
    expect(dry.totals).toMatchObject({ inDoubt: 2 })
    expect(await totalsOf(program('resolve', '--from', 'decided.csv', '--by', 'ops', ...force))).toEqual({
      status: 5,
      totals: { read: 9, registered: 7, refused: 1, ready: 1 },
    })
    const twice = await program('resolve', '--from', 'decided.csv', '--by', 'ops', ...force)
    expect(twice.status).toBe(2)
    expect(await totalsOf(program('run', '--retry-refused'))).toEqual({
      status: 0,
      totals: { read: 9, registered: 9 },
    })
    for (let customer = 1; customer <= 9; customer += 1) expect(timesHeld(customer), `${customer}`).toBe(1)
  })

  it('that a list from the service proves are proposed and recorded', async () => {
    write('export.csv', validExport(9))
    await program('run', 'export.csv')
    writeRows('list.csv', sandbox().mandates().map(listed))
    const compared = JSON.parse((await program('resolve', '--against', 'list.csv')).stdout) as {
      reconciliation: unknown
    }
    expect(compared.reconciliation).toMatchObject({
      listed: 7,
      matched: 6,
      missingThere: 0,
      unknownHere: 0,
      differs: 0,
      proposals: 1,
      stillInDoubt: 1,
      isApplied: false,
    })
    const applied = await totalsOf(program('resolve', '--against', 'list.csv', '--apply', '--by', 'ops'))
    expect(applied.totals).toEqual({ read: 9, registered: 7, refused: 1, inDoubt: 1 })
    const registered = readRows('registered.csv')
    expect(registered).toHaveLength(6)
    await program('report')
    const told = readRows('registered.csv').find(({ customer_no }) => customer_no === '8')
    const truth = sandbox()
      .mandates()
      .find(({ customer_no }) => customer_no === 8)
    expect(told?.['assigned_mandate_reference']).toBe(truth?.unique_mandate_reference)
  })

  it('and lists that do not fit the ledger are told apart', async () => {
    write('export.csv', validExport(2))
    await program('run', 'export.csv')
    const [one] = sandbox().mandates()
    const known = listed(one!)
    writeRows('list.csv', [
      { ...known, signed_date: '2020-01-01' },
      { ...known, customer_no: '99', unique_mandate_reference: 'UNKNOWN' },
    ])
    const compared = await program('resolve', '--against', 'list.csv')
    expect(compared.status).toBe(3)
    expect(JSON.parse(compared.stdout)).toMatchObject({
      reconciliation: { listed: 2, matched: 0, differs: 1, unknownHere: 1, missingThere: 1 },
    })
  })
})
