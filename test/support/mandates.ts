import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { germanIban } from './export.js'
import type { Place, Row } from './place.js'
import { inReport, type Ended } from './program.js'

/** Records of mandates as exports of several systems show them, and what became of the mandates at the service. */

/** The n-th mandate, but for what is given. */
export const mandate = (n: number, ...changes: readonly Row[]): Row =>
  Object.assign(
    {
      customer_no: String(n),
      iban: germanIban(n),
      signed_date: `2024-03-${String((n % 28) + 1).padStart(2, '0')}`,
      sepa_creditor_identifier: 'DE98ZZZ09999999999',
      unique_mandate_reference: `MND-${String(n).padStart(4, '0')}`,
    },
    ...changes,
  ) as Row

export const account = (n: number): Row => ({ iban: germanIban(n) })
export const customer = (n: number): Row => ({ customer_no: String(n) })
export const named = (reference: string): Row => ({ unique_mandate_reference: reference })
export const DATE: Row = { signed_date: '2024-04-30' }
export const ENDED: Row = { Status: 'cancelled' }
/** Each with the check digits of none. */
export const TYPED_WRONG: Row = { iban: germanIban(1).replace(/^DE\d\d/, 'DE00') }

/** In an export that has a column for it. */
export const withStatus = (...all: readonly Row[]): Row[] =>
  all.map((row) => ({ ...row, Status: row['Status'] ?? 'active' }))

const VALUES = ['unique_mandate_reference', 'customer_no', 'iban', 'signed_date']
/** What makes a mandate, on one line each. */
export const linesOf = (all: readonly Row[]): string[] =>
  all.map((row) => VALUES.map((name) => row[name]).join(' ')).sort()

/** What the service registered, as often as it did. */
export const registered = ({ sandbox }: Place): string[] =>
  linesOf(
    sandbox()
      .mandates()
      .map(({ customer_no, iban, signed_date, amendment }) => ({
        ...{ customer_no: String(customer_no), iban, signed_date },
        unique_mandate_reference: amendment.unique_mandate_reference,
      })),
  )

/** The lines of a list in the report; of one that is not written where nothing is open, none. */
export const listOf = (place: Place, name: string): Row[] =>
  existsSync(place.path(name)) ? place.rows(name) : []

/** What waits for a word of a person. */
export const waiting = (place: Place): string[] => linesOf(place.rows('corrections.csv'))

/** The rule that holds each record, by its reference. */
export const heldBy = (place: Place): Row =>
  Object.fromEntries(
    place
      .rows('corrections.csv')
      .map((row) => [row['unique_mandate_reference'], row['migration_rule'] ?? '']),
  ) as Row

/** Runs what is given, and expects this status and exactly these mandates at the service afterwards. */
export async function expectRun(
  place: Place,
  args: readonly string[],
  status: number,
  mandates: readonly Row[],
): Promise<Ended> {
  const ended = await place.program('run', ...args)
  expect([ended.status, registered(place)], ended.stdout + ended.stderr).toEqual([status, linesOf(mandates)])
  return ended
}

/** What the last line says where records wait for a word. */
export const GIVE_BACK = `sepa-migrate run ${inReport('to-do.xlsx')}`

/** Somebody writes a word beside lines of the corrections, and gives them back. */
export async function decide(
  place: Place,
  word: 'send' | 'written-off',
  which: readonly Row[],
): Promise<Ended> {
  const chosen = new Set(linesOf(which))
  place.edit('corrections.csv', (row) =>
    chosen.delete(linesOf([row]).join())
      ? { ...row, migration_decision: word, migration_reason: 'the customer was asked' }
      : row,
  )
  expect([...chosen], 'in no line of the list').toEqual([])
  const command = word === 'send' ? ['run'] : ['resolve', '--from']
  return place.program(...command, inReport('corrections.csv'))
}
