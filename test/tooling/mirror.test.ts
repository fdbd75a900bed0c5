import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Whole programs, and what serves the tests themselves. */
const OF_THE_WHOLE = /^(bench|e2e|support|tooling|torture|viewers)(\/|$)/

it('11.6 every folder of tests is named as the folder of src whose files it proves', () => {
  const folders = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map(dirname)
  const strange = [...new Set(folders)].filter(
    (folder) => !OF_THE_WHOLE.test(folder) && !existsSync(join(ROOT, 'src', folder)),
  )
  expect(strange).toEqual([])
})
