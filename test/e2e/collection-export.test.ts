import { expect, it } from 'vitest'
import { collectionFile } from '../support/collections.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

const { write, read, program, sandbox } = placeForEach({ rows: 1, sandbox: {} })

const MOVED = 'DE02120300000000202051'

it('collection files are drafted, planned and run with a crosswalk, and what is corrected comes back', async () => {
  write(
    'january.xml',
    collectionFile([
      { reference: 'M-1' },
      { reference: 'M-2', sequence: 'FRST' },
      { reference: 'M-3', sequence: 'FNAL' },
      { reference: 'M-4', iban: 'DE00370400440532013000' },
    ]),
  )
  write(
    'february.xml',
    collectionFile([{ reference: 'M-1', day: '2026-02-05', iban: MOVED, isAmended: true }]),
  )
  expect((await program('init', 'january.xml')).status).toBe(0)
  const drafted = read('sepa-migrate.yaml')
  const [, crosswalk = ''] = /^# (crosswalk: .*)$/m.exec(drafted) ?? []
  const unmapped = await program('run', 'january.xml')
  expect([unmapped.status, unmapped.stderr]).toEqual([7, expect.stringContaining(crosswalk)])
  write('sepa-migrate.yaml', `${drafted}\n${crosswalk}\n`)
  write('customers.csv', 'reference,customer_no\nM-1,101\nM-2,102\nM-3,103\nM-4,104\n')
  const planned = await program('plan', 'january.xml', 'february.xml')
  expect(planned.stdout).toContain('february.xml: 1 record')
  expect(planned.stdout).toMatch(/1 row excluded: .*final.* \(SEQUENCE_FINAL\)/)
  await program('approve', 'plan.json', '--yes', '--by', 'Ada', '--reference', 'mail of today')
  const run = await program('run', 'january.xml', 'february.xml', '--plan', 'plan.json')
  expect(run.status, run.stderr).toBe(3)
  expect(sandbox().mandates()).toMatchObject([{ customer_no: 102 }, { customer_no: 101, iban: MOVED }])
  const corrections = read('corrections.csv')
  expect(corrections).toContain('of transaction 4')
  write('corrections.csv', corrections.replace('DE00370400440532013000', 'DE75512108001245126199'))
  const corrected = await program('run', inReport('corrections.csv'))
  expect(corrected.status, corrected.stderr).toBe(0)
  expect((await program('run', 'february.xml', 'january.xml')).status).toBe(0)
  expect(sandbox().mandates()).toHaveLength(3)
})
