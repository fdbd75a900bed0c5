import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { worldOf } from '../cli/world.js'
import type { OpenNext } from '../../src/run/admit-sources.js'
import type * as Survey from '../../src/run/survey-sources.js'
import type { DrawnExports } from './survey-exports.js'

/** What a person, a script and a spreadsheet get from a check. */
export interface Checked {
  readonly status: number
  readonly lines: string
  readonly json: string
  readonly problems: string | null
}

/** Neither surveyed nor read quickly, which rests on the same judgement. */
const inFull =
  (open: OpenNext): OpenNext =>
  async (earlier) => ({ ...(await open(earlier)), quickRecords: null })

let isFull = false
let surveyed = 0

/** `check` with and without a survey, on the real command line. Call it once everything else is mocked. */
export async function loadBothWays() {
  vi.doMock('../../src/run/survey-sources.js', async (original) => {
    const real = await (original as () => Promise<typeof Survey>)()
    return {
      surveySources: async (...[files, options]: Parameters<typeof Survey.surveySources>) => {
        if (isFull) return files.map(inFull)
        const found = await real.surveySources(files, options)
        if (found !== files) surveyed += 1
        return found
      },
    }
  })
  const { main } = await import('../../src/cli/main.js')
  const { commands } = await import('../../src/cli/commands.js')

  async function check(folder: string, names: readonly string[], full: boolean): Promise<Checked> {
    isFull = full
    const out = join(folder, 'out')
    const paths = names.map((name) => join(folder, name))
    const args = ['check', ...paths, '--config', join(folder, 'c.yaml'), '--as-of', '2026-06-15']
    const print = async (...more: string[]) => {
      const world = { ...worldOf(), stateFolder: join(folder, 'state') }
      const status = await main([...args, ...more], commands, world)
      // How far the reading is depends on the clock.
      const stderr = world.printed.stderr.replaceAll(/^Reading .*\n/gm, '')
      return { status, text: `${world.printed.stdout}\n---\n${stderr}` }
    }
    const lines = await print('--out', out)
    const json = await print('--json')
    const problems = readProblems(out)
    rmSync(out, { recursive: true, force: true })
    return { status: lines.status, lines: lines.text, json: json.text, problems }
  }

  /** @returns both results, and whether the survey was used */
  return async ({ files, configuration }: DrawnExports) => {
    const folder = mkdtempSync(join(tmpdir(), 'two-ways-'))
    try {
      for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
      writeFileSync(join(folder, 'c.yaml'), JSON.stringify(configuration), { mode: 0o600 })
      const names = files.map(({ name }) => name)
      const full = await check(folder, names, true)
      const before = surveyed
      const quick = await check(folder, names, false)
      return { full, quick, isSurveyed: surveyed > before }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function readProblems(out: string): string | null {
  try {
    return readdirSync(out)
      .map((name) => readFileSync(join(out, name), 'latin1'))
      .join('\n')
  } catch {
    return null
  }
}
