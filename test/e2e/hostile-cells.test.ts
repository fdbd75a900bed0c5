import { expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeOfTest } from '../support/place.js'

const HEADER_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'] as const

it('a status word that is a name of JavaScript ends no report', async () => {
  const { write, read, program } = await placeOfTest({ truth: {} })
  const [header = '', ...rows] = validExport(6).trimEnd().split('\n')
  const lines = rows.map((row, at) => `${row},${HEADER_NAMES[at] ?? 'active'}`)
  write('export.csv', [`${header},status`, ...lines, ''].join('\n'))
  const { status, stderr } = await program('run', 'export.csv')
  expect(stderr).not.toContain('internal')
  expect(status).toBe(3)
  for (const word of ['constructor', '__proto__']) expect(read('report.html')).toContain(`${word}: 1`)
  expect((await program('report', '--out', 'again')).status).toBe(3)
})

it('a cell of many blanks takes check no longer than another one', async () => {
  const { write, program } = await placeOfTest()
  const [header = '', row = ''] = validExport(1).split('\n')
  write('export.csv', `${header},status\n${row},a${' '.repeat(8_000)}b\n`)
  const begun = performance.now()
  expect((await program('check', 'export.csv')).stderr).toMatch(/FILE_WORDS_UNKNOWN/)
  expect(performance.now() - begun).toBeLessThan(10_000)
})
