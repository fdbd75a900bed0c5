import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { describe, expect, it } from 'vitest'
import { driverFor } from '../../src/driver.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const configFile = fileURLToPath(new URL('layers.cjs', import.meta.url))
const { forbidden } = createRequire(import.meta.url)(configFile) as Required<
  Pick<IFlattenedRuleSet, 'forbidden'>
>

async function violations(folder: string): Promise<string[]> {
  const options = await extractConfig(configFile)
  const { output } = await cruise(['src'], {
    ...options,
    baseDir: folder,
    ruleSet: { forbidden },
    validate: true,
    tsConfig: { fileName: join(root, 'tsconfig.json') },
  })
  const { summary, modules } = output as ICruiseResult
  expect(modules.length).toBeGreaterThan(0)
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
}

describe('a mandate leaves', () => {
  it('from the room of the main job alone', () => {
    const folder = join(root, 'src')
    const senders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .filter((path) => /\.migrateMandate\(/.test(readFileSync(join(folder, path), 'utf8')))
    expect(senders).toEqual(['migrate/migrate.ts'])
  })
})

describe('imports', () => {
  it('point down the layers', async () => {
    expect(await violations(root)).toEqual([])
  })

  it('10.1.1 that point up, or past the file that chooses the driver, are found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'layers-'))
    try {
      for (const layer of ['domain', 'ledger', 'service', 'cli'])
        mkdirSync(join(folder, 'src', layer), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'src/ledger/open.ts'), 'export const open = 1\n')
      writeFileSync(
        join(folder, 'src/domain/up.ts'),
        "export { open } from '../ledger/open.js'\nexport { readFileSync } from 'node:fs'\n",
      )
      writeFileSync(
        join(folder, 'src/service/across.ts'),
        "export { open } from '../ledger/open.js'\nexport { default } from '" +
          `${driverFor(process.versions.node)!}'\n`,
      )
      // 11.3: the public index is for others, and nobody but migrate sends.
      writeFileSync(join(folder, 'src/index.ts'), "export { open } from './ledger/open.js'\n")
      writeFileSync(join(folder, 'src/cli/past.ts'), "export { open } from '../index.js'\n")
      mkdirSync(join(folder, 'src/run'))
      writeFileSync(join(folder, 'src/run/campaign.ts'), 'export type Plan = 1\nexport const run = 1\n')
      writeFileSync(
        join(folder, 'src/cli/second-way.ts'),
        "import { type Plan, run } from '../run/campaign.js'\nexport const plan: Plan = run\n",
      )
      writeFileSync(
        join(folder, 'src/cli/fine.ts'),
        "import type { Plan } from '../run/campaign.js'\nexport { open } from '../ledger/open.js'\nexport const plan: Plan = 1\n",
      )
      const found = (await violations(folder)).map((text) => text.split(':')[0])
      expect(found.sort()).toEqual(
        [
          'cli-is-above-everything-but-the-public-index',
          'domain-is-the-bottom',
          'only-migrate-sends',
          'only-driver--ts-imports-better-sqlite3--node20--',
          'pure-layers-touch-nothing',
          'service-knows-contract',
        ].sort(),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
