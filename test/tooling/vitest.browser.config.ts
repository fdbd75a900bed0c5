import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/** What only a browser can tell of the report; it needs Chromium and pdftotext, which the suite does not. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/browser/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
