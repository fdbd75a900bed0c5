import { existsSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import type { LedgerReader } from '../../src/ledger/read/reader.js'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrationPlan } from '../../src/migrate/options.js'
import { rebuild, type RebuildOptions, type RebuildPlan } from '../../src/migrate/rebuild.js'
import { validExport } from '../support/export.js'
import { newPlace, type Place } from './place.js'

const SERVICE = 'https://service.example'

const asking = (place: Place, baseUrl: string, more: Partial<RebuildOptions> = {}): RebuildOptions => ({
  files: [place.at('export.csv')],
  ledger: place.at('campaign.db'),
  service: place.asked(baseUrl).service,
  asOf: '2026-06-15',
  machine: place.machine(),
  by: 'Ada',
  reason: 'the disk is lost',
  confirm: () => Promise.resolve(true),
  watchReading: () => undefined,
  ...more,
})

function look<Value>(place: Place, of: (reader: LedgerReader) => Value, name = 'campaign.db'): Value {
  const reader = openLedgerReader(place.at(name))
  try {
    return of(reader)
  } finally {
    reader.close()
  }
}

/** Claims the mandates for a real service and is stopped before anything leaves. */
async function claimFor(place: Place, ledger: string, plans: MigrationPlan[] = []): Promise<void> {
  const stop = new AbortController()
  const files = ledger === 'campaign.db' ? [] : [place.at('export.csv')]
  await migrate(
    place.asked(SERVICE, {
      files,
      ledger: place.at(ledger),
      confirm: (plan) => {
        plans.push(plan)
        stop.abort()
        return true
      },
      signal: stop.signal,
    }),
  )
}

describe('a ledger in the place of one that is lost', () => {
  it('holds the files and every row in doubt, in one commit that nobody sees before the yes', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(12)
    const plans: RebuildPlan[] = []
    const confirm = (plan: RebuildPlan): Promise<boolean> => {
      plans.push(plan)
      expect(look(place, (reader) => reader.totals().read)).toBe(0)
      return Promise.resolve(true)
    }
    const made = await rebuild(asking(place, sandbox.url, { confirm }))
    expect(made).toMatchObject({ kind: 'made', totals: { read: 12, inDoubt: 12, ready: 0 }, warnings: [] })
    expect(plans).toMatchObject([
      {
        totals: { ready: 12 },
        service: { href: sandbox.url, username: 'test' },
        knownElsewhere: null,
      },
    ])
    look(place, (reader) => {
      expect(reader.campaign()).toMatchObject({ baseUrl: sandbox.url, username: 'test', asksFirst: true })
      expect(reader.runs()).toMatchObject([{ stoppedBy: 'rebuilt', exitCode: 4 }])
      expect(reader.decisions(0, 100)).toHaveLength(12)
      expect(reader.decisionsOfRow(1)).toMatchObject([
        { decision: 'rebuilt', by: 'Ada', reason: 'the disk is lost' },
      ])
      expect(reader.attempts(1)).toMatchObject([{ outcome: 'in_doubt', hint: 'unknown', started: null }])
    })
    expect(await migrate(place.asked(sandbox.url))).toMatchObject({ exitCode: 4, totals: { inDoubt: 12 } })
    expect(sandbox.requests().received).toMatchObject({ migrate: 0, read_back: 0 })
  })

  it('adds nothing the second time, also where the first did not come to note it', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(4)
    await rebuild(asking(place, sandbox.url))
    const again = await rebuild(
      asking(place, sandbox.url, { confirm: () => Promise.reject(new Error('no')) }),
    )
    expect(again).toMatchObject({ kind: 'known', totals: { read: 4, inDoubt: 4 } })
    expect(look(place, (reader) => reader.runs())).toHaveLength(1)
  })

  it.each([
    ['a no', () => Promise.resolve(false)],
    ['an error of whoever asks', () => Promise.reject(new Error('nobody is there'))],
  ])('holds nothing after %s, and can be made then', async (_, confirm) => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(4)
    await rebuild(asking(place, sandbox.url, { confirm })).catch(() => undefined)
    look(place, (reader) => {
      expect(reader.totals().read).toBe(0)
      expect(reader.campaign().baseUrl).toBeNull()
    })
    expect(await rebuild(asking(place, sandbox.url))).toMatchObject({ kind: 'made', totals: { inDoubt: 4 } })
  })

  it('is refused where there is one, for other files, and for a person without a reason', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(4)
    await expect(rebuild(asking(place, sandbox.url, { reason: ' ' }))).rejects.toThrow(UsageError)
    expect(look(place, (reader) => reader.totals().read)).toBe(0)
    await rebuild(asking(place, sandbox.url))
    writeFileSync(place.at('other.csv'), validExport(2, 60))
    const other = rebuild(asking(place, sandbox.url, { files: [place.at('other.csv')] }))
    await expect(other).rejects.toThrow(/"other\.csv" is none of the files .* nothing was changed/)
    const used = place.at('used.db')
    await migrate(place.asked(sandbox.url, { ledger: used, limit: 1 }))
    await expect(rebuild(asking(place, sandbox.url, { ledger: used }))).rejects.toThrow(
      /exists and was not made in the place of a lost one; nothing was changed/,
    )
  })
})

describe('the register of a rebuilt ledger', () => {
  it('lets it be sent from, and bars the lost one and any third', async () => {
    const place = newPlace()
    place.exported(3)
    await claimFor(place, 'lost.db')
    const plans: RebuildPlan[] = []
    await rebuild(asking(place, SERVICE, { confirm: (plan) => Promise.resolve(plans.push(plan) > 0) }))
    expect(plans[0]?.knownElsewhere).toMatch(/^An export of this ledger was already sent .*lost\.db"$/)
    expect(existsSync(place.at('state', 'campaigns.jsonl'))).toBe(true)

    const ledger = openLedger({ file: place.at('campaign.db'), clock: place.machine().clock })
    const resolutions = ledger.view.rows(['in_doubt'], 0, 9).map(({ id }) => ({
      ...{ rowId: id, decision: 'resend' as const, reason: 'absent', by: 'Ada' },
      ...{ assigned: null, evidence: null, attempt: null },
    }))
    expect(ledger.resolve(resolutions, { dryRun: false, force: true }).isApplied).toBe(true)
    ledger.close()
    const sent: MigrationPlan[] = []
    await claimFor(place, 'campaign.db', sent)
    expect(sent).toMatchObject([{ toSend: 3, knownElsewhere: null }])
    for (const barred of ['lost.db', 'third.db'])
      await expect(claimFor(place, barred)).rejects.toThrow(/already sent to the same service/)
  })
})
