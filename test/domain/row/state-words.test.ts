import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROW_STATES, STATE_MEANS, stateName } from '../../../src/domain/row/row-state.js'
it('11.5 what may still be at the service is never called unregistered', () => {
  for (const state of ['in_doubt', 'sending'] as const)
    expect(STATE_MEANS[state]).not.toMatch(/nothing was registered|not registered/i)
})

it('11.5 the table of states in the README has each of them, by its name', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const section = /## Row states\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const named = [...section.matchAll(/^\| \**([a-z ]+?)\** +\|/gm)].map(([, name]) => name)
  expect(named.slice(1).sort()).toEqual(ROW_STATES.map(stateName).sort())
})
