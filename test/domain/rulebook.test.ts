import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isRuleId, RULES, ruleOf, type RuleId } from '../../src/domain/rule/rules.js'

const PAGE = new URL('../../src/domain/rulebook.md', import.meta.url)
const BEGIN = '<!-- prettier-ignore-start -->\n'
const END = '<!-- prettier-ignore-end -->'

const ids = Object.keys(RULES).filter(isRuleId)

function line(id: RuleId): string {
  const { severity, unusable, state, message, remedy, section } = ruleOf(id)
  const marks = `${unusable === true ? ' †' : ''}${state === undefined ? '' : ` (${state})`}`
  return `| ${id} | ${severity}${marks} | ${message} | ${remedy} | [${section}](#${section}) |\n`
}

const table = `| rule | by default | what it means | what to do | checks and source |\n| - | - | - | - | - |\n${ids.map(line).join('')}`

const withTable = (page: string): string =>
  page.slice(0, page.indexOf(BEGIN) + BEGIN.length) + table + page.slice(page.indexOf(END))

/** UPDATE_SAMPLES=1 writes the table anew after a rule was changed. */
if (process.env['UPDATE_SAMPLES'] === '1') writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')))

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')

const page = readFileSync(PAGE, 'utf8')
const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .map((section): [string, string] => [anchorOf(section.split('\n')[0] ?? ''), section]),
)

describe('11.1 the rulebook beside the rules', () => {
  test('11.1 has the table of RULES', () => {
    expect(page).toBe(withTable(page))
  })

  test.each(ids)('11.1 says under the heading of %s what is checked', (id) => {
    expect(sections.get(ruleOf(id).section) ?? 'no such heading').toMatch(new RegExp(`\\b${id}\\b`))
  })

  test.each([...new Set(ids.map((id) => ruleOf(id).section))])('11.1 gives the source of %s', (section) => {
    expect(sections.get(section)).toMatch(/^\*\*Source:\*\* \S/m)
  })

  test('11.1 names no rule that does not exist', () => {
    const named = page.match(/\b[A-Z]+[0-9]?[A-Z]*(?:_[A-Z0-9]+)+\b/g) ?? []
    const others = ['CREDITOR_IDENTIFIER_LENGTHS', 'UPDATE_SAMPLES']
    expect([...new Set(named)].filter((name) => !isRuleId(name) && !others.includes(name))).toEqual([])
  })
})
