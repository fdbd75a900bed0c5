import { expect, it } from 'vitest'
import { sameResolve } from '../../../src/cli/terminal/next.js'
it('repeats every decision that was typed, and not the dry run', () => {
  const own = {
    row: ['4', '7'],
    as: 'refused',
    reason: 'not in the list',
    by: 'Ada',
    dryRun: true,
    force: true,
  }
  expect(sameResolve({ own })).toEqual({
    name: 'resolve',
    words: [
      '--row',
      '4',
      '--row',
      '7',
      '--as',
      'refused',
      '--reason',
      'not in the list',
      '--by',
      'Ada',
      '--force',
    ],
  })
})
