import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/** `npm run torture`: hundreds of kills of the built program, outside `npm test` because it takes minutes. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/torture/**/*.test.ts'],
    testTimeout: 2 * 60 * 60_000,
    disableConsoleIntercept: true,
  },
})
