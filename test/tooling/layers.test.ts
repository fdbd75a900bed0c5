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
import { dirname, join } from 'node:path'
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

it('a mandate leaves from the room of the main job alone', () => {
  const folder = join(root, 'src')
  const senders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) => /\.migrateMandate\(/.test(readFileSync(join(folder, path), 'utf8')))
  expect(senders).toEqual(['migrate/migrate.ts'])
})

describe('imports', () => {
  it('point down the layers', async () => expect(await violations(root)).toEqual([]))

  it('that point up, or past the file that chooses the driver, are found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'layers-'))
    const put = (file: string, ...lines: string[]): void => {
      mkdirSync(dirname(join(folder, 'src', file)), { recursive: true })
      writeFileSync(join(folder, 'src', file), `${lines.join('\n')}\n`)
    }
    try {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      const opens = "export { open } from '../ledger/open.js'"
      const driver = `export { default } from '${driverFor(process.versions.node)!}'`
      put('ledger/open.ts', 'export const open = 1')
      put('domain/up.ts', opens, "export { readFileSync } from 'node:fs'")
      put('service/across.ts', opens, driver)
      // 11.3: the public index is for others, and nobody but migrate sends.
      put('index.ts', "export { open } from './ledger/open.js'")
      put('cli/past.ts', "export { open } from '../index.js'")
      put('run/campaign.ts', 'export type Plan = 1', 'export const run = 1')
      const second = "import { type Plan, run } from '../run/campaign.js'"
      put('cli/second-way.ts', second, 'export const plan: Plan = run')
      const types = "import type { Plan } from '../run/campaign.js'"
      put('cli/fine.ts', types, opens, 'export const plan: Plan = 1')
      const found = (await violations(folder)).map((text) => text.split(':')[0])
      expect(found.sort()).toEqual([
        'cli-is-above-everything-but-the-public-index',
        'domain-is-the-bottom',
        'only-driver--ts-imports-better-sqlite3--node20--',
        'only-migrate-sends',
        'pure-layers-touch-nothing',
        'service-knows-contract',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
