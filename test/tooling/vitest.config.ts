import { defineConfig } from 'vitest/config'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/viewers/**', 'test/torture/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest leaves one core to itself, which on two cores means one file at a time.
    maxWorkers: Math.max(2, availableParallelism()),
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
  },
})
