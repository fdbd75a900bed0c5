import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bench, describe } from 'vitest'
import { fileURLToPath } from 'node:url'

/**
 * Admission of a million rows, in a process of its own so that the peak of its memory is its own too; printed, not
 * asserted. The target is 40,000 rows a second and less than 250 MB on an idle machine with two cores.
 *
 *   plain    every row a mandate of its own, in no order
 *   pairs    every row twice: half a million duplicates are found and reported
 *   filler   every row with one reference: a million conflicts
 *   scratch  plain, into the temporary ledger of `check`
 */
const ROWS = 1_000_000
const SCRIPT = fileURLToPath(new URL('../ledger/processes/admit.mjs', import.meta.url))

function admit(kind: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-bench-'))
  try {
    const args = [SCRIPT, join(folder, 'campaign.db'), String(ROWS), kind]
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    console.log(stdout.trim())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe(`admit ${ROWS} rows`, () => {
  for (const kind of ['plain', 'pairs', 'filler', 'scratch']) {
    bench(kind, () => admit(kind), { iterations: 1, time: 0, warmupIterations: 0, warmupTime: 0 })
  }
})
