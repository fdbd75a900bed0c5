import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/** What only the programs can tell in which a report is looked at: Chromium, a reader of PDF, LibreOffice, pandas. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/viewers/**/*.test.ts', 'test/e2e/resaved.test.ts'],
    env: { REAL_RESAVINGS: '1' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
