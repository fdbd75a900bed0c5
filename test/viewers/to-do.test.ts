import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { openWork } from '../support/work.js'

const { path, folder, write, json, totals, held, sandbox } = placeForEach({
  sandbox: {
    faults: [
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'reset', applied: true } },
    ],
  },
})

/** Opens it in LibreOffice and saves it again. */
function saveAgain(file: string): string {
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder(), 'profile')).href}`
  const given = [profile, '--headless', '--convert-to', 'xlsx', '--outdir', join(folder(), 'saved')]
  execFileSync('soffice', [...given, file], { stdio: 'pipe' })
  return 'saved/to-do.xlsx'
}

it('to-do.xlsx comes back from LibreOffice as it was, and with corrections as they were typed', async () => {
  const faulty = validLine(1)
    .replace(/2024-03-\d\d/, '30.02.2024')
    .replace('MANDATE-1', '00123')
  const others = [validLine(2).replace('MANDATE-2', '1E5'), validLine(3)]
  write('export.csv', `${validExport(0)}${[faulty, ...others].join('\n')}\n`)
  await json('run', 'export.csv')
  const before = totals()
  expect(before).toMatchObject({ invalid: 1, refused: 1, inDoubt: 1 })
  const untouched = await json('run', saveAgain(path('to-do.xlsx')))
  expect(untouched.totals).toMatchObject({ ...before, resubmitted: 2 })
  expect(untouched.warnings).toEqual([])

  const work = openWork(path('to-do.xlsx'))
  work.type('Corrections', 0, { signed_date: '2024-03-15' })
  work.type('Refused', 0, { iban: germanIban(4702) })
  work.type('In doubt', 0, { migration_decision: 'written-off', migration_reason: 'left' })
  work.save()
  const saved = saveAgain(path('to-do.xlsx'))
  expect((await json('run', saved)).totals).toMatchObject({ registered: 2, inDoubt: 0, writtenOff: 1 })
  expect((await json('run', saved)).totals).toMatchObject({ registered: 2, writtenOff: 1 })
  expect(held().sort()).toEqual([1, 2, 3])
  const references = sandbox()
    .mandates()
    .map(({ amendment }) => amendment.unique_mandate_reference)
  expect(references.sort()).toEqual(['00123', '1E5', 'MANDATE-3'])
})
