import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LedgerError, SourceError } from '../../src/errors.js'
import type { MandateReference } from '../../src/domain/mandate/mandate.js'
import { ROW_STATES, LATE_REQUEST_MS } from '../../src/domain/row/row-state.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { type CampaignEnd, type OpenRun, type RunPreview } from '../../src/run/campaign.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { registeredNo, runOn, WIDE_POLICY } from './delivery-world.js'
import { inDoubt, refused } from './outcome-samples.js'
import { mandateOf, recordOf, sourceOf } from './mandate-samples.js'
import { startVirtualTime } from './virtual-time.js'
import { decide, resolutionOf } from '../ledger/campaign-setup.js'
import { freshFolder } from '../support/folder.js'

const no = (): Promise<boolean> => Promise.resolve(false)

const opened = (...sources: OpenedSource[]) => sources.map((source) => () => Promise.resolve(source))

/** A campaign on a new ledger, with a service that registers everything. */
function newCampaign({ isBound = true } = {}) {
  const time = startVirtualTime()
  let backMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() - backMs }
  const ledger = openLedger({ file: join(freshFolder(), 'campaign.db'), clock, defer: time.defer })
  if (isBound) ledger.bind({ baseUrl: 'http://127.0.0.1/', username: 'test' })
  const reader = openLedgerReader(ledger.file)
  onTestFinished(() => {
    reader.close()
    ledger.close()
  })
  const sent: number[] = []
  const drain = new AbortController()
  const run = (given: Partial<OpenRun> = {}): Promise<CampaignEnd> =>
    runOn(time, ledger, {
      send: ({ customerNo }) => {
        sent.push(customerNo)
        return time.sleep(10).then(() => registeredNo(customerNo))
      },
      clock,
      drain: drain.signal,
      ...given,
    })
  return {
    ledger,
    sent,
    drain,
    run,
    pass: (ms: number) => time.runUntil(time.sleep(ms)),
    setBack: (ms: number) => void (backMs += ms),
    /** What the ledger says of the last run. */
    lastRun: () => reader.runs().at(-1)!,
    /** All that another process sees, save for the runs themselves. */
    everything: () => ({
      campaign: { ...reader.campaign(), changedAt: '', lastRun: null },
      sources: reader.sources(),
      rows: reader.rows(ROW_STATES, 0, 100),
      decisions: reader.decisions(0, 100),
      totals: reader.totals(),
    }),
  }
}

/** Says yes, and keeps what was asked. */
function agreeing() {
  const plans: RunPreview[] = []
  return { plans, confirm: (plan: RunPreview) => Promise.resolve(plans.push(plan) > 0) }
}

describe('one run of a campaign', () => {
  it('admits the files, sends what is ready, and records how it ended', async () => {
    const campaign = newCampaign()
    const end = await campaign.run({ files: opened(sourceOf('a.csv', [1, 2]), sourceOf('b.csv', [3])) })
    const admitted = [{ name: 'a.csv' }, { name: 'b.csv' }]
    expect(end).toMatchObject({ admitted, stop: null, totals: { read: 3, registered: 3 }, exitCode: 0 })
    expect(campaign.sent).toEqual([1, 2, 3])
    expect(campaign.lastRun()).toMatchObject({ stoppedBy: null, exitCode: 0 })
    expect(campaign.lastRun().endedAt).not.toBe(null)
  })

  it('claims once the files are on disk and before a request leaves, and sends nothing where it may not', async () => {
    const campaign = newCampaign()
    const seen: { read: number; sent: number }[] = []
    const claim = (): void => {
      const reader = openLedgerReader(campaign.ledger.file) // sees what was committed
      seen.push({ read: reader.totals().read, sent: campaign.sent.length })
      reader.close()
      if (seen.length === 2) throw new LedgerError('older', 'older', 'next')
    }
    await campaign.run({ files: opened(sourceOf('a.csv', [1]), sourceOf('c.csv', [2])), claim })
    expect(seen).toEqual([{ read: 2, sent: 0 }])
    await expect(campaign.run({ files: opened(sourceOf('b.csv', [3])), claim })).rejects.toThrow('older')
    expect(campaign.sent).toEqual([1, 2])
  })
})

describe('not confirming is nothing happening', () => {
  const decline = async (
    campaign: ReturnType<typeof newCampaign>,
    given: Partial<OpenRun>,
  ): Promise<void> => {
    const before = campaign.everything()
    const end = await campaign.run({ ...given, confirm: no })
    expect(end).toMatchObject({ admitted: [], stop: { kind: 'declined' }, exitCode: 2 })
    expect(campaign.lastRun()).toMatchObject({ stoppedBy: 'declined', exitCode: 2 })
    expect(campaign.everything()).toEqual(before)
    expect(campaign.ledger.totals()).toEqual(before.totals)
  }
  const nothingToAsk = (): Promise<boolean> => Promise.reject(new Error('There is nothing to confirm'))

  it('8.2.5 --retry-refused leaves no decision and no ready row, and the next run sends nothing', async () => {
    const campaign = newCampaign()
    await campaign.run({ files: opened(sourceOf('a.csv', [1, 2])), send: () => Promise.resolve(refused()) })
    await decline(campaign, { retryRefusedBy: 'Ada' })
    const end = await campaign.run({ confirm: nothingToAsk })
    expect(end).toMatchObject({ totals: { refused: 2 }, exitCode: 3 })
    expect(campaign.sent).toEqual([])
  })

  it('files leave no row and replace none, and can be given again', async () => {
    const campaign = newCampaign()
    await campaign.run({ files: opened(sourceOf('a.csv', [1])), send: () => Promise.resolve(refused()) })
    await decline(campaign, { files: opened(sourceOf('b.csv', [1, 2])) })
    await campaign.run({ confirm: nothingToAsk })
    expect(campaign.sent).toEqual([])
    await campaign.run({ files: opened(sourceOf('b.csv', [1, 2])), retryRefusedBy: 'Ada' })
    expect(campaign.sent).toEqual([1, 2])
  })

  it('a new ledger stays free for another service', async () => {
    const campaign = newCampaign({ isBound: false })
    const confirm = (isYes: boolean, baseUrl: string) => () => {
      if (isYes) campaign.ledger.bind({ baseUrl, username: 'test' })
      return Promise.resolve(isYes)
    }
    const run = (isYes: boolean, baseUrl: string) =>
      campaign.run({ files: opened(sourceOf('a.csv', [1])), confirm: confirm(isYes, baseUrl) })
    await run(false, 'https://wrong.example/')
    expect(campaign.everything().campaign.baseUrl).toBe(null)
    await run(true, 'https://right.example/')
    expect(campaign.everything().campaign.baseUrl).toBe('https://right.example/')
  })

  it('the plan sees what it asks about, and nobody else does before the yes', async () => {
    const campaign = newCampaign()
    const seen: unknown[] = []
    const confirm = ({ ledger }: RunPreview) => {
      seen.push(
        ledger.sources().map(({ name }) => name),
        campaign.everything().sources,
      )
      return Promise.resolve(true)
    }
    await campaign.run({ files: opened(sourceOf('a.csv', [1])), confirm })
    expect(seen).toEqual([['a.csv'], []])
    expect(campaign.everything().sources).toHaveLength(1)
  })
})

it('rows that wait for a late request stop the run with the time from which they may leave, when a clock ran ahead of the decision', async () => {
  const campaign = newCampaign()
  await campaign.run({ files: opened(sourceOf('a.csv', [1, 2])), send: () => Promise.resolve(inDoubt()) })
  const both = [1, 2].map((rowId) => resolutionOf(rowId, 'refused', { attempt: 1 }))
  expect(campaign.ledger.resolve(both, { dryRun: false, force: true }).isApplied).toBe(false)
  await campaign.pass(LATE_REQUEST_MS)
  expect(campaign.ledger.resolve(both, { dryRun: false }).isApplied).toBe(true)
  campaign.setBack(LATE_REQUEST_MS)
  const end = await campaign.run({ retryRefusedBy: 'Ada' })
  expect(end).toMatchObject({ stop: { kind: 'waiting' }, totals: { ready: 2 }, exitCode: 5 })
  expect(end.stop?.next).toMatch(/run the same command after \d{4}-/)
  expect(campaign.sent).toEqual([])
  const third = await campaign.run({ files: opened(sourceOf('b.csv', [3])) })
  expect(third).toMatchObject({ stop: { kind: 'waiting' }, totals: { registered: 1, ready: 2 } })
  expect(campaign.sent).toEqual([3])
})

describe('a refused row that a later file has corrected', () => {
  /** Customer, account and date of a mandate under another reference. */
  const corrected = (n: number): OpenedSource => {
    const original = { ...mandateOf(n).original, mandateReference: `CORRECTED-${n}` as MandateReference }
    return sourceOf('b.csv', [recordOf({ ...mandateOf(n), original }, 1)])
  }

  it('stays refused, and the plan and the end say so', async () => {
    const campaign = newCampaign()
    await campaign.run({ files: opened(sourceOf('a.csv', [1, 2])), send: () => Promise.resolve(refused()) })
    const { plans, confirm } = agreeing()
    const end = await campaign.run({ files: opened(corrected(2)), retryRefusedBy: 'Ada', confirm })
    expect(plans).toMatchObject([{ toSend: 2, leftRefused: 1 }])
    expect(end).toMatchObject({ leftRefused: 1, totals: { refused: 1, registered: 2 }, exitCode: 3 })
  })
})

it('a signal while a file is read leaves the ledger as it was, ends with its own status, and is no error', async () => {
  const campaign = newCampaign()
  const source = sourceOf('a.csv', [1, 2, 3], { onBatch: () => campaign.drain.abort() })
  const end = await campaign.run({ files: opened(source), signalStatus: () => 143, retryRefusedBy: 'Ada' })
  expect(end).toMatchObject({ admitted: [], stop: { kind: 'signal' }, totals: { read: 0 }, exitCode: 143 })
  expect(campaign.lastRun()).toMatchObject({ stoppedBy: 'signal', exitCode: 143 })
  expect(campaign.sent).toEqual([])
})

describe('an error', () => {
  it('of a file is recorded with the run and thrown', async () => {
    const campaign = newCampaign()
    const failing = new SourceError('Cannot read "a.csv"', 'Give a whole file', { source: 'a.csv' })
    const files = opened(sourceOf('a.csv', [1], { failing }))
    await expect(campaign.run({ files })).rejects.toBe(failing)
    expect(campaign.lastRun()).toMatchObject({ stoppedBy: 'source', exitCode: 7 })
    expect(campaign.sent).toEqual([])
  })

  it.each([
    [new Error('a bug'), { stoppedBy: 'unexpected', exitCode: 1 }],
    [new LedgerError('damaged', 'another ledger', 'look'), { stoppedBy: 'ledger' }],
  ])('while asking leaves nothing, and is recorded: %s', async (error, ended) => {
    const campaign = newCampaign()
    const before = campaign.everything()
    const files = opened(sourceOf('a.csv', [1]))
    await expect(campaign.run({ files, confirm: () => Promise.reject(error) })).rejects.toBe(error)
    expect(campaign.everything()).toEqual(before)
    expect(campaign.lastRun()).toMatchObject(ended)
  })

  it('of the ledger stays the one that is told when the end of the run cannot be written either', async () => {
    const campaign = newCampaign()
    const full = new LedgerError('unwritable', 'Cannot write the ledger: the disk is full', 'Free some space')
    const later = new Error('still full')
    const ledger: Ledger = {
      ...campaign.ledger,
      begin: () => Promise.reject(full),
      endRun: () => {
        throw later
      },
    }
    const files = opened(sourceOf('a.csv', [1]))
    await expect(campaign.run({ files, ledger })).rejects.toBe(full)
    expect(full.cause).toBe(later)
    expect(campaign.sent).toEqual([])
  })
})

describe('a run that is told which of the ready rows to send', () => {
  const customers = (...values: number[]) => ({
    only: [{ column: 'customer_no', values: values.map(String) }],
    countries: null,
  })
  const files = () => opened(sourceOf('a.csv', [1, 2, 3, 4, 5, 6]))

  it('sends those in the order of their ids and leaves the others, which a later run sends', async () => {
    const campaign = newCampaign()
    const { plans, confirm } = agreeing()
    const end = await campaign.run({ files: files(), choice: customers(6, 2, 4), confirm })
    expect(campaign.sent).toEqual([2, 4, 6])
    expect(plans).toMatchObject([{ toSend: 3, totals: { ready: 6 }, choice: { left: 3 } }])
    const why =
      'No row that this run was told to send (customer_no: 6 or 2 or 4) is ready any more, and 3 others are'
    expect(end).toMatchObject({ stop: { kind: 'choice', why }, choice: { left: 3 }, exitCode: 5 })
    expect(campaign.lastRun()).toMatchObject({ stoppedBy: 'choice', exitCode: 5 })
    const last = await campaign.run({ choice: customers(1, 3, 5) })
    expect(last).toMatchObject({ stop: null, choice: { left: 0 }, exitCode: 0 })
    expect(campaign.sent).toEqual([2, 4, 6, 1, 3, 5])
  })

  it('takes the pilot of a new file from those alone', async () => {
    const campaign = newCampaign()
    await campaign.run({ files: files() })
    const policy = { ...WIDE_POLICY, limit: 1 }
    await campaign.run({ files: opened(sourceOf('b.csv', [7, 8, 9])), choice: customers(9), policy })
    expect(campaign.sent).toEqual([1, 2, 3, 4, 5, 6, 9])
  })

  it('claims nothing where nothing of it is to be sent', async () => {
    const campaign = newCampaign()
    let claims = 0
    const claim = (): void => void (claims += 1)
    await campaign.run({ files: files(), choice: customers(77), claim })
    expect(claims).toBe(0)
    await campaign.run({ choice: customers(1), claim })
    expect(claims).toBe(1)
  })

  it('waits for those alone whose earlier request may still arrive', async () => {
    const campaign = newCampaign()
    const doubtful: OpenRun['send'] = () => Promise.resolve(inDoubt())
    await campaign.run({ files: files(), choice: customers(1), send: doubtful })
    await campaign.pass(LATE_REQUEST_MS)
    decide(campaign.ledger, 1, 'refused')
    campaign.setBack(LATE_REQUEST_MS)
    campaign.ledger.retryRefused('Ada')
    expect(await campaign.run({ choice: customers(2) })).toMatchObject({ stop: { kind: 'choice' } })
    expect(await campaign.run({ choice: customers(1) })).toMatchObject({ stop: { kind: 'waiting' } })
    expect(campaign.sent).toEqual([2])
  })
})
