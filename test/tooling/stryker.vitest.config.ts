import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/**
 * The tests that belong to what is mutated, and no others: a mutant must be killed by the tests of its own file.
 * Stryker's own list (`testFiles`) would let every mutant of a top-level value survive (stryker-js issue 6144).
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [
      'test/service/{classify,checked-service,client}.test.ts',
      'test/domain/{row/row-state,proof/read-back}.test.ts',
      'test/run/{decide,deliver,pace,brake}.test.ts',
    ],
    testTimeout: 20_000,
  },
})
