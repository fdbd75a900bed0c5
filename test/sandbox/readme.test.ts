import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkFaults } from '../../src/sandbox/faults/faults.js'

const at = (path: string) => new URL(path, import.meta.url)
const pageOf = (name: string) => readFileSync(at(`../../src/sandbox/${name}`), 'utf8')
const readme = pageOf('README.md')
const coverage = pageOf('coverage.md')
const rows = coverage
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, section = '', , where = '']) => {
    const [, file, name] = /^`([\w/-]+\.test\.ts)`: (.+)$/.exec(where) ?? []
    return file === undefined || name === undefined ? [] : [{ sections: section.split(', '), file, name }]
  })

describe('the pages of the sandbox', () => {
  it('names for each line of the interface a test that exists', () => {
    expect(rows.length).toBeGreaterThan(40)
    for (const { sections, file, name } of rows) {
      const source = readFileSync(at(`../${file}`), 'utf8')
      const found = source.replaceAll("\\'", "'").includes(name)
      expect(found, `section ${sections.join(', ')}: "${name}" in ${file}`).toBe(true)
    }
  })

  it('has a line for every section of the interface that tells of the wire', () => {
    const sections = new Set(rows.flatMap(({ sections: named }) => named))
    const expected = [
      '1',
      '2',
      '2.1',
      '2.2',
      '2.2.1',
      '2.2.2',
      '2.2.3',
      '2.2.4',
      '2.3',
      '4',
      '4.1',
      '4.2',
      '4.3',
    ]
    for (const section of [...expected, '5.1', '5.2', '6', '7', '8', '9']) expect(sections).toContain(section)
  })

  it('shows a fault script that works', () => {
    const [, script] = /```json\n([^`]+)```/.exec(readme) ?? []
    expect(checkFaults(JSON.parse(script ?? ''))).toHaveLength(3)
  })

  it('numbers its choices without a gap, and the code names only numbers that exist', () => {
    const numbers = [...pageOf('choices.md').matchAll(/^\| (\d+) +\|/gm)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(20)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    const folder = at('../../src/sandbox/')
    const named = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...pageOf(name).matchAll(/\bchoice (\d+)|^ {2}\/\*\* (\d+)\. /gm)])
      .map(([, choice, line]) => Number(choice ?? line))
    expect(named.length).toBeGreaterThan(7)
    for (const number of named) expect(numbers).toContain(number)
  })
})
