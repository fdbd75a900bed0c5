import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkFaults } from '../../src/sandbox/faults.js'

const at = (path: string) => new URL(path, import.meta.url)
const pageOf = (name: string) => readFileSync(at(`../../src/sandbox/${name}`), 'utf8')
const topic = readFileSync(at('../../src/help/sandbox.md'), 'utf8')

describe('the pages of the sandbox', () => {
  it('shows a fault script that works', () => {
    const [, script] = /```json\n([^`]+)```/.exec(topic) ?? []
    expect(checkFaults(JSON.parse(script ?? ''))).toHaveLength(3)
  })

  it('numbers its choices without a gap, and the code names only numbers that exist', () => {
    const numbers = [...pageOf('choices.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
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
