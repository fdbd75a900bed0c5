import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOfPlan } from '../../../src/domain/plan/plan.js'
import { open } from '../../ledger/campaign-setup.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { assertReplaceable, planPaths, writePlanFiles } from '../../../src/cli/plan/plan.js'

const PLAN = planOf()

/** A ledger with the plan on record, and the plan written beside it. */
function place() {
  const ledger = open()
  ledger.plans.record(PLAN, [])
  ledger.close()
  const paths = planPaths(join(dirname(ledger.file), 'plan.json'))
  const write = (page = '<p>one</p>\n'): void => writePlanFiles(paths, { text: textOfPlan(PLAN), page })
  const check = (): void =>
    assertReplaceable(paths, { ledger: ledger.file, sharedFolder: false }, [ledger.file])
  return { ledger: ledger.file, paths, write, check }
}

describe('the files of a plan', () => {
  it('are for their owner alone, and nothing else is left', () => {
    const { paths, write, check } = place()
    check()
    write()
    expect(readFileSync(paths.json, 'utf8')).toBe(textOfPlan(PLAN))
    expect(readFileSync(paths.html, 'utf8')).toMatch(/^<!-- sepa-migrate [0-9a-f]{64} -->\n<p>one<\/p>\n$/)
    for (const path of [paths.json, paths.html]) expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(dirname(paths.json)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('are replaced while they are as this program wrote them, also once others may read them', () => {
    const { paths, write, check } = place()
    write()
    chmodSync(paths.json, 0o644)
    check()
    write('<p>two</p>\n')
    expect(readFileSync(paths.html, 'utf8')).toContain('two')
    expect(() => check()).not.toThrow()
  })

  it.each(['json', 'html'] as const)('are left alone where somebody has written into the %s', (kind) => {
    const { paths, write, check } = place()
    write()
    writeFileSync(paths[kind], `${readFileSync(paths[kind], 'utf8')} `)
    expect(check).toThrow(
      /is no plan that this ledger has on record, and is not overwritten; nothing was planned/,
    )
  })

  it('are never written through a link, nor over what the command reads', () => {
    const { ledger, paths, check } = place()
    symlinkSync(ledger, paths.json)
    expect(check).toThrow('it is a symbolic link')
    expect(() => assertReplaceable(planPaths(ledger), { ledger, sharedFolder: false }, [ledger])).toThrow(
      'reads or keeps',
    )
    const { paths: others, check: checkOthers } = place()
    symlinkSync('/nowhere', others.html)
    expect(checkOthers).toThrow('it is a symbolic link')
  })

  it('stand beside each other', () => {
    expect(planPaths('a/pilot.json').html).toBe('a/pilot.html')
    expect(planPaths('pilot').html).toBe('pilot.html')
  })
})
