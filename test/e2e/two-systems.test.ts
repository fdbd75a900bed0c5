import { expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { nextOf, placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'
import { openWork } from '../support/work.js'

/** Two systems with headings and date formats of their own in one ledger, each with its configuration. */
const place = placeForEach({ sandbox: {} })
const { write, program, json, held, path } = place

const WRONG = (n: number): string => germanIban(n).replace(/^DE../, 'DE00')
const CREDITOR = '  sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }\n'
const A = 'Kd,IBAN,Datum,Ref'
const B = 'client,compte,signature,rum'
const linesOfA = (second: string): string[] => [
  `1,${germanIban(1)},01.02.2020,A-1`,
  `2,${second},02.02.2020,A-2`,
]
const linesOfB = (second: string): string[] => [
  `11,${germanIban(11)},03/21/2020,B-1`,
  `12,${second},03/22/2020,B-2`,
  `13,${germanIban(13)},03/23/2020,B-3`,
]
const save = (name: string, header: string, lines: readonly string[]): void =>
  write(name, [header, ...lines, ''].join('\n'))

function configure(): void {
  const columns = (names: readonly string[], format: string): string =>
    `columns:\n  customer_no: ${names[0] ?? ''}\n  iban: ${names[1] ?? ''}\n  unique_mandate_reference: ${names[3] ?? ''}\n  signed_date: { column: ${names[2] ?? ''}, format: ${format} }\n${CREDITOR}`
  write('a.yaml', columns(A.split(','), 'dd.mm.yyyy'))
  write('b.yaml', columns(B.split(','), 'mm/dd/yyyy'))
}

async function begin(): Promise<void> {
  configure()
  save('a.csv', A, linesOfA(WRONG(2)))
  save('b.csv', B, linesOfB(WRONG(12)))
  await program('run', 'a.csv', '--config', 'a.yaml')
  expect((await program('run', 'b.csv', '--config', 'b.yaml')).status).toBe(3)
}

const TO_DO = inReport('to-do.xlsx')
const open = () => openWork(path(TO_DO))
const dates = (): string[] =>
  place
    .sandbox()
    .mandates()
    .map(({ customer_no, signed_date }) => `${customer_no} ${signed_date}`)
    .sort()

it('each line of the list goes with the configuration of its export, and the refusals say how', async () => {
  await begin()
  const work = open()
  work.type('Corrections', 0, { IBAN: germanIban(2) })
  work.save()
  const without = await json('run', TO_DO)
  expect(without.exitCode).toBe(7)
  expect(without.errors[0]?.next).toContain(
    'the configuration that the exports of its lines were read with (--config)',
  )
  work.type('Corrections', 1, { IBAN: germanIban(12) })
  work.save(path('both.xlsx'))
  const both = await json('run', 'both.xlsx', '--config', 'a.yaml')
  expect(both.errors[0]?.message).toContain(
    'Leave that line as it was in this file. Correct it in the list that is written then, and give that with --config b.yaml',
  )
  expect(held().sort()).toEqual([1, 11, 13])

  expect((await program('run', TO_DO, '--config', 'a.yaml')).status).toBe(3)
  expect(held()).toContain(2)
  const rest = open()
  rest.type('Corrections', 0, { IBAN: germanIban(12) })
  rest.save()
  expect((await program('run', TO_DO, '--config', 'b.yaml')).status).toBe(0)
  expect(dates()).toEqual(['1 2020-02-01', '11 2020-03-21', '12 2020-03-22', '13 2020-03-23', '2 2020-02-02'])
})

it('an export of one of them does not end the mandates of the other, and both are compared together', async () => {
  await begin()
  save('final-a.csv', A, linesOfA(germanIban(2)))
  save('final-b.csv', B, linesOfB(germanIban(12)))
  const alone = await json('compare', 'final-b.csv', '--config', 'b.yaml')
  expect([alone.exitCode, alone.errors[0]?.message]).toEqual([
    2,
    expect.stringContaining('Of 2 mandates that came in with "a.yaml" 2 are not in this export'),
  ])
  const names = B.split(',').map((name, at) => `[${A.split(',')[at] ?? ''}, ${name}]`)
  write(
    'both.yaml',
    `columns:\n  customer_no: ${names[0] ?? ''}\n  iban: ${names[1] ?? ''}\n  unique_mandate_reference: ${names[3] ?? ''}\n  signed_date: { column: ${names[2] ?? ''}, format: auto }\n${CREDITOR}`,
  )
  const together = await json('compare', 'final-a.csv', 'final-b.csv', '--config', 'both.yaml')
  expect(together.errors).toEqual([])
  expect(together).toMatchObject({ mandates: { ledger: 5, final: 5 } })
})

it('what to paste names the configuration of the file that it names, whatever was typed before', async () => {
  configure()
  write('jan.csv', validExport(3).replace(germanIban(2), WRONG(2)))
  expect((await program('run', 'jan.csv')).status).toBe(3)
  // The list has the columns of the export.
  expect(nextOf(await program('status', '--config', 'a.yaml'))).toBe(`sepa-migrate run ${TO_DO}`)
  const final = [1, 2, 3, 4].map((n) => {
    const [customer, iban, date, , reference] = validLine(n).split(',')
    return `${customer ?? ''},${iban ?? ''},${(date ?? '').split('-').reverse().join('.')},${reference ?? ''}`
  })
  save('feb.csv', A, final)
  const compared = await program('compare', 'feb.csv', '--config', 'a.yaml')
  expect(nextOf(compared)).toBe('sepa-migrate run feb.csv --config a.yaml')
  const status = await program('status')
  expect(nextOf(status)).toBe('sepa-migrate run feb.csv --config a.yaml')
  write('other.yaml', 'source: { encoding: utf-8 }\n')
  expect(nextOf(await program('status', '--config', 'other.yaml'))).toContain('--config a.yaml')
  expect((await place.pasteNext(status)).status).toBe(0)
})
