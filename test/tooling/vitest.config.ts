import { existsSync, statfsSync, type StatsFs } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** They replace modules, so each has a process of its own. All others share loaded modules: loading them takes longer than most tests. */
const ALONE = [
  'test/e2e/people{,-weakened}.test.ts',
  'test/machine.test.ts',
  'test/migrate/**/{migrate,weakened}.test.ts',
  'test/service/**/connections.test.ts',
  'test/report/pack/failing-page.test.ts',
  // It counts the expressions that are made while modules load.
  'test/tooling/expressions.test.ts',
]

/** They start the built program, or the tools of the gate. */
const PROGRAM = [
  'test/e2e/**/*.test.ts',
  'test/tooling/**/*.test.ts',
  'test/driver.test.ts',
  'test/cli/commands.test.ts',
  'test/ledger/**/{emergency-file,lock,recovery}.test.ts',
  'test/trust/trusted-file.test.ts',
]

/** Tests make some thousand ledgers, each of whose commits waits for the disk, and no test can tell whether it does. */
const MEMORY = '/dev/shm'
const hasRoom = ({ bavail, bsize }: StatsFs): boolean => bavail * bsize > 4 * 1024 ** 3
const TMPDIR = existsSync(MEMORY) && hasRoom(statfsSync(MEMORY)) ? MEMORY : tmpdir()

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    exclude: [...configDefaults.exclude, 'test/bench/**', 'test/viewers/**', 'test/torture/**'],
    // Thousands of draws in one test take minutes.
    testTimeout: process.env['READING_SEEDS'] === undefined ? 60_000 : 1_200_000,
    hookTimeout: 60_000,
    env: { TMPDIR },
    // Tests wait for processes and for the disk a third of the time; of its own accord vitest leaves one core to itself.
    maxWorkers: availableParallelism() + 1,
    // The built program is loaded as Node loads it.
    server: { deps: { external: [/\/dist\//] } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'built', include: PROGRAM, exclude: ALONE, isolate: false } },
      // `npm run test:fast` is this part.
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...PROGRAM],
          isolate: false,
        },
      },
    ],
  },
})
