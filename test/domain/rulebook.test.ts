import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isRuleId, RULES, ruleOf } from '../../src/domain/rule/verdict.js'
const page = readFileSync(new URL('../../src/domain/rulebook.md', import.meta.url), 'utf8')

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')

const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .map((section): [string, string] => [anchorOf(section.split('\n')[0] ?? ''), section]),
)
const named = new Set(
  Object.keys(RULES)
    .filter(isRuleId)
    .map((id) => ruleOf(id).section),
)

describe('the rulebook beside the rules', () => {
  test.each([...named])('gives the source of %s', (section) => {
    expect(sections.get(section) ?? 'no such heading').toMatch(/^\*\*Source:\*\* \S/m)
  })

  test('names no rule that does not exist', () => {
    const rules = page.match(/\b[A-Z]+[0-9]?[A-Z]*(?:_[A-Z0-9]+)+\b/g) ?? []
    expect([...new Set(rules)].filter((name) => !isRuleId(name))).toEqual([])
  })
})
