import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { validExport } from '../support/export.js'
import { freshFolder } from '../support/folder.js'
import { CREDENTIALS, runShell, type Ended } from '../support/program.js'
import { startTruth } from '../support/truth-server.js'

const NO_MOUNT = spawnSync('unshare', ['-m', 'true']).status !== 0 && 'a mount needs root on Linux'
const ROWS = 3_000

interface Result {
  readonly totals: { readonly read: number; readonly registered: number; readonly inDoubt: number } | null
  readonly warnings: readonly string[]
}
const resultOf = ({ stdout }: Ended): Result => JSON.parse(stdout) as Result

/** Runs of the program whose ledger and report lie on a disk of that size, which they alone see. */
async function onDisk(size: string, lines: readonly string[], rows = ROWS, json = '--json') {
  const folder = freshFolder()
  writeFileSync(join(folder, 'export.csv'), validExport(rows))
  mkdirSync(join(folder, 'small'))
  const service = await startTruth()
  onTestFinished(() => service.close())
  const program = '"$NODE" "$PROGRAM" run'
  const given = '--ledger small/a.db --out small/report --concurrency 16'
  const commands = lines.map((line) => line.replace('RUN', `${program} ${given} ${json}`)).join('; ')
  const ran = await runShell(`mount -t tmpfs -o size=${size},mode=0700 none small && ${commands}`, {
    cwd: folder,
    env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: service.baseUrl },
  })
  return { ran, posts: service.posts() }
}

describe('a small disk', () => {
  it.skipIf(NO_MOUNT !== false)(
    'is told of once, before anything is sent, and large enough all the same',
    async () => {
      const { ran, posts } = await onDisk('13m', ['RUN export.csv'])
      const { totals, warnings } = resultOf(ran)
      expect(ran.status, ran.stderr).toBe(0)
      expect([posts, totals?.registered, totals?.inDoubt]).toEqual([ROWS, ROWS, 0])
      expect(warnings).toEqual([
        expect.stringMatching(/^The disk of the ledger has .* free, and this run may take/),
      ])
    },
  )

  it.skipIf(NO_MOUNT !== false)(
    'that fills up while a report is written leaves the earlier pack whole, wherever that happens',
    async () => {
      const report = '"$NODE" "$PROGRAM" report --ledger small/a.db --out small/report --json'
      const fill = [
        'free=$(df -k --output=avail small | tail -1)',
        'head -c $(( (free - kb) * 1024 )) /dev/zero > small/filler',
      ].join('; ')
      const seen = 'sha256sum --quiet -c ../../before && ls -A | tr "\\n" " "'
      const { ran } = await onDisk('24m', [
        'RUN export.csv > /dev/null',
        '(cd small/report; find . -type f -exec sha256sum {} + > ../../before)',
        // So much is left; the files of a report of these rows take 1 MB, what is kept aside meanwhile some more.
        `for kb in 100 250 400 500 600 800 1000 1200 1500 1800 2400 4000; do ${fill}; ${report} > out.json; ` +
          `echo "$kb $? $(cd small/report; ${seen}) $(grep -c 'no space is left' out.json)"; rm small/filler; done`,
      ])
      const results = ran.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
      expect(results, ran.stderr).toHaveLength(12)
      const names = [...PACK_FILES, 'to-do'].sort()
      for (const [kb = '', status, ...rest] of results) {
        expect(
          rest
            .slice(0, -1)
            .filter((name) => name !== '')
            .sort(),
          `${kb} kB left`,
        ).toEqual(names)
        expect([status, rest.at(-1)]).toEqual(status === '0' ? ['0', '0'] : ['2', '1'])
      }
      const statuses = results.map(([, status]) => status)
      expect([statuses[0], statuses.at(-1)]).toEqual(['2', '0'])
      expect(statuses.filter((status) => status !== '0').length).toBeGreaterThan(4)
    },
    120_000,
  )
})
