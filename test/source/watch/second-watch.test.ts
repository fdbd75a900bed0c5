import { describe, expect, it } from 'vitest'
import { csv, OWN, type Column } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'
import { CHECK, optionsOf, readAll } from '../../support/sources.js'

/** Columns of a joined file or a crosswalk that nothing uses are asked about as those of the export are. */

const ROWS = 23
const [customer, account, ...mandate] = OWN
const first = (rows: number, text: string, others: string) => (n: number) => (n <= rows ? text : others)
const JOINED: Column = ['Mandate status', first(2, 'cancelled', 'active')]
const ENDED: Column = ['left on', first(1, '2025-12-31', '')]

const joining = (path: string, more = '') =>
  `join: [{ file: ${path}, on: { customer_no: customer_no }, take: { iban: IBAN${more} } }]`
const joined = (...columns: readonly Column[]) => csv(ROWS, [customer, account, ...columns])
const crosswalk = (...columns: readonly Column[]) =>
  csv(ROWS, [['old', (n) => `D${n}`], ['no', (n) => `${n}`], ...columns])
const crossing = (path: string) => `crosswalk: { file: ${path}, from: Member, key: old, customer_no: no }`

const withoutAccount = () => csv(ROWS, [customer, ...mandate])
const ofMembers = () => csv(ROWS, [['Member', (n) => `D${n}`], account, ...mandate])

async function askedAbout(path: string, yaml: string): Promise<Record<string, string>> {
  const { summary } = await readAll(path, optionsOf(yaml), { ...CHECK, undecided: 'tell' })
  const asked = summary.findings.filter(({ rule }) => rule === 'FILE_COLUMN_UNDECIDED')
  return Object.fromEntries(asked.map(({ value, message }) => [value, message]))
}
const kindsOf = async (path: string, yaml: string): Promise<Record<string, number>> => {
  const { records } = await readAll(path, optionsOf(yaml))
  const kinds = records.map(({ verdict }) => verdict.kind)
  return Object.fromEntries(
    [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  )
}

describe('a column of a joined file that nothing uses', () => {
  it.each([
    ['words', JOINED],
    ['dates', ['Mandate cancelled on', first(2, '2026-01-31', '')]],
    ['a mark in few rows', ['LOEVM', first(1, 'X', '')]],
    ['a mark of activity', ['Mandat aktiv', first(20, 'x', '')]],
    ['a remark', ['Note', first(1, 'Falk (gekündigt)', 'Falk')]],
  ] as const satisfies readonly (readonly [string, Column])[])('refuses the file: %s', async (_, column) => {
    const path = joined(column)
    const asked = await askedAbout(withoutAccount(), joining(path))
    expect(Object.keys(asked)).toEqual([column[0]])
    expect(asked[column[0]]).toContain(`Column "${column[0]}" of export.csv, the joined file, `)
    expect(asked[column[0]]).toContain(`--ignore-column "${column[0]}"`)
    await expect(readAll(withoutAccount(), optionsOf(joining(path)))).rejects.toMatchObject({
      rule: 'FILE_COLUMN_UNDECIDED',
      exitCode: 7,
    })
  })

  it('is answered by each way that the question names', async () => {
    const path = joined(JOINED)
    const [asked] = Object.values(await askedAbout(withoutAccount(), joining(path)))
    expect(asked).toContain(
      'cancelled 2 will not be migrated; active 21 go. To use it: take: { status: "Mandate status" }',
    )
    expect(await kindsOf(withoutAccount(), joining(path, ', status: Mandate status'))).toEqual({
      excluded: 2,
      sendable: 21,
    })
    for (const answer of ['columns: { status: none }', 'source: { ignoreColumns: [mandate status] }'])
      expect(await kindsOf(withoutAccount(), `${joining(path)}\n${answer}`)).toEqual({ sendable: 23 })
  })

  it('holds each row that has a date, where dates are taken as a status', async () => {
    const path = joined(ENDED)
    expect(await kindsOf(withoutAccount(), joining(path, ', status: left on'))).toEqual({
      conflict: 1,
      sendable: 22,
    })
  })

  it('is asked about once, where the file is joined twice and the second time takes it', async () => {
    const path = joined(JOINED, ENDED)
    const twice = `join: [
      { file: ${path}, on: { customer_no: customer_no }, take: { iban: IBAN } },
      { file: ${path}, on: { customer_no: customer_no }, take: { status: Mandate status } }]`
    expect(Object.keys(await askedAbout(withoutAccount(), twice))).toEqual(['left on'])
  })
})

describe('a column of a crosswalk that nothing uses', () => {
  it('refuses the file, and is joined to be used', async () => {
    const path = crosswalk(ENDED)
    const [asked] = Object.values(await askedAbout(ofMembers(), crossing(path)))
    expect(asked).toContain('Column "left on" of export.csv, the crosswalk, ')
    expect(asked).toContain('with a date 1 will not be migrated')
    const join = `join: [{ file: ${path}, on: { Member: old }, take: { status: "left on" } }]`
    expect(asked).toContain('join: [{ file: …, on: { … }, take: { status: "left on" } }]')
    expect(await kindsOf(ofMembers(), `${crossing(path)}\n${join}`)).toEqual({ conflict: 1, sendable: 22 })
  })

  it('asks about its accounts, until one is named', async () => {
    const yaml = crossing(crosswalk(['Bank account', (n) => germanIban(n + 500)]))
    expect(Object.keys(await askedAbout(ofMembers(), yaml))).toEqual(['Bank account'])
    expect(await askedAbout(ofMembers(), `${yaml}\ncolumns: { iban: IBAN }`)).toEqual({})
  })

  it('asks nothing about names, addresses, marks that all have and columns in use', async () => {
    const path = crosswalk(
      ['Name', (n) => `Person ${n}`],
      ['Ort', first(2, 'Neudorf', 'Altheim')],
      ['E-Mail', (n) => `p${n}@example.com`],
      ['Eintritt', (n) => `2019-03-${10 + (n % 9)}`],
      ['aktiv', () => 'x'],
    )
    expect(await askedAbout(ofMembers(), crossing(path))).toEqual({})
  })
})
