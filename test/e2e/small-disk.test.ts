import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { placeOfTest } from '../support/place.js'
import { runShell } from '../support/program.js'

const NO_MOUNT = spawnSync('unshare', ['-m', 'true']).status !== 0 && 'a mount needs root on Linux'

it.skipIf(NO_MOUNT !== false)(
  'a disk that fills up while a report is written leaves the earlier pack whole, wherever that happens',
  async () => {
    const { folder, path, env } = await placeOfTest({ rows: 1_500, truth: {} })
    mkdirSync(path('small'))
    const program = (command: string): string =>
      `"$NODE" "$PROGRAM" ${command} --ledger small/a.db --out small/report --json`
    // So much is left; the files of a report of these rows take half of a MB, what is kept aside meanwhile some more.
    const fill = [
      'free=$(df -k --output=avail small | tail -1)',
      'head -c $(( (free - kb) * 1024 )) /dev/zero > small/filler',
    ].join('; ')
    const seen = 'sha256sum --quiet -c ../../before && ls -A | tr "\\n" " "'
    const ran = await runShell(
      [
        'mount -t tmpfs -o size=16m,mode=0700 none small',
        `${program('run export.csv --concurrency 16')} > /dev/null`,
        '(cd small/report; find . -type f -exec sha256sum {} + > ../../before)',
        `for kb in 60 150 250 400 600 900 3000; do ${fill}; ${program('report')} > out.json`,
        `echo "$kb $? $(cd small/report; ${seen}) $(grep -c 'no space is left' out.json)"; rm small/filler; done`,
      ].join('; '),
      { cwd: folder(), env: env() },
    )
    const results = ran.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/))
    expect(results, ran.stderr).toHaveLength(7)
    for (const [kb = '', status, ...rest] of results) {
      const names = rest.slice(0, -1).sort()
      expect(names, `${kb} kB left`).toEqual([...PACK_FILES, 'to-do'].sort())
      expect([status, rest.at(-1)]).toEqual(status === '0' ? ['0', '0'] : ['2', '1'])
    }
    const statuses = results.map(([, status]) => status)
    expect([statuses[0], statuses.at(-1)]).toEqual(['2', '0'])
    expect(statuses.filter((status) => status !== '0').length).toBeGreaterThan(2)
  },
)
