import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planStanding, planStandingLine } from '../../../src/cli/commands/status.js'
import { assertReplaceable, planPaths, writePlanFiles } from '../../../src/cli/commands/plan.js'
import { renderPlanPage } from '../../../src/report/plan/plan-sections.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
import { textOfPlan } from '../../../src/domain/plan/plan.js'
import { open, stoppedClock } from '../../ledger/campaign-setup.js'
import { recorded } from '../../ledger/plan/approvals.js'
import { planOf } from '../../ledger/plan/plan-document.js'

describe('the files of a plan', () => {
  const PLAN = planOf()

  /** A ledger with the plan on record, and the plan written beside it. */
  function place() {
    const ledger = open()
    ledger.plans.record(PLAN)
    ledger.close()
    const at = { ledger: ledger.file, sharedFolder: false }
    const paths = planPaths(join(dirname(ledger.file), 'plan.json'))
    const write = async (): Promise<void> =>
      writePlanFiles(paths, { text: textOfPlan(PLAN), page: await renderPlanPage(PLAN) })
    const check = (of = paths): Promise<void> => assertReplaceable(of, at, [ledger.file])
    return { ledger: ledger.file, paths, write, check }
  }

  it('are for their owner alone, stand beside each other, and nothing else is left', async () => {
    const { paths, write, check } = place()
    await check()
    await write()
    expect(readFileSync(paths.json, 'utf8')).toBe(textOfPlan(PLAN))
    for (const path of [paths.json, paths.html]) expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(paths.json)).filter((name) => name.startsWith('.'))).toEqual([])
    const pages = ['a/pilot.json', 'pilot'].map((name) => planPaths(name).html)
    expect(pages).toEqual(['a/pilot.html', 'pilot.html'])
  })

  it('are replaced while they are as this program wrote them, also once others may read them', async () => {
    const { paths, write, check } = place()
    await write()
    chmodSync(paths.json, 0o644)
    await check()
    await write()
    expect(readFileSync(paths.html, 'utf8')).toContain(`Digest: ${PLAN.digest}`)
    await check()
  })

  it.each(['json', 'html'] as const)('are left alone where somebody wrote into the %s', async (kind) => {
    const { paths, write, check } = place()
    await write()
    writeFileSync(paths[kind], `${readFileSync(paths[kind], 'utf8')} `)
    const why = /is no plan that this ledger has on record, and is not overwritten; nothing was planned/
    await expect(check()).rejects.toThrow(why)
  })

  it.each(['json', 'html'] as const)('are never written through a link named as the %s', async (kind) => {
    const { ledger, paths, check } = place()
    symlinkSync(ledger, paths[kind])
    await expect(check()).rejects.toThrow('it is a symbolic link')
  })

  it('are not written over what the command reads', async () => {
    const { ledger, check } = place()
    await expect(check(planPaths(ledger))).rejects.toThrow('reads or keeps')
  })
})

it('where the latest plan stands says by whom, of how many rows, and which approval counts longest', () => {
  /** The plan as the ledger gives it, with approvals that end at these times. */
  function standing(expiries: readonly string[], limit: number | null = null) {
    const ledger = open({ clock: stoppedClock() })
    const document = planOf({ limit })
    ledger.plans.record(document)
    for (const [at, expiresAt] of expiries.entries())
      ledger.plans.approve(recorded(document.digest, { approvedBy: `Approver ${at}`, expiresAt }))
    const [record] = ledger.view.plans()
    const text = wordsOf(planStandingLine(record!, Date.parse('2026-06-16T12:00:00.000Z')))
    return { ...planStanding(record!), text }
  }
  const at = (second: number): string => standing([`2026-06-16T12:00:0${second}.000Z`]).text
  expect(standing([]).text).toMatch(/^Latest plan: \w{12} by Ada, .* UTC, 3 rows; no approval on record yet$/)
  expect(at(1)).toContain('approved by Approver 0 until 2026-06-16 12:00:01 UTC')
  expect(at(0)).toContain('the approval by Approver 0 ended at 2026-06-16 12:00:00 UTC')
  const two = standing(['2026-06-17T00:00:00.000Z', '2026-06-16T00:00:00.000Z'], 2)
  expect(two).toMatchObject({ rows: 2, approvedBy: 'Approver 0' })
  expect(two.text).toContain(', 2 rows; approved by Approver 0 until 2026-06-17')
})
