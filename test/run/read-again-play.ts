import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SourceError, UsageError } from '../../src/errors.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { collectionOpeners, sourceOpeners } from '../../src/run/admit-sources.js'
import { type OpenRun, runCampaign } from '../../src/run/campaign.js'
import { readSourceOptions } from '../../src/source/options.js'
import { registeredNo, USUAL_RUN, WIDE_POLICY } from './delivery-world.js'
import type { Draw, Said } from './read-again-draws.js'
import { AS_OF } from '../support/sources.js'

/** The column that says which mandates have ended, where it is asked about. */
const KIND = 15

/** What was sent of each record, named by its file and its place in it. */
type Sent = Map<string, string>

const SETTINGS = { version: '0', host: 'test', pid: 1, asOf: AS_OF, zone: 'UTC', settings: {} }
const { signal } = new AbortController()

/** A campaign in a folder of its own, with a service that registers everything. */
export function campaignIn(folder: string, name: string) {
  const file = join(folder, name)
  const ledger: Ledger = openLedger({
    file,
    clock: { now: () => Date.UTC(2026, 5, 15), monotonic: () => 0 },
    pid: 1,
  })
  ledger.bind({ baseUrl: 'http://127.0.0.1/', username: 'test' })
  const byRow = new Map<number, string>()
  let again: readonly string[] = []
  const kept = ['registered', 'ready', 'conflict', 'invalid', 'excluded', 'duplicate', 'refused'] as const
  const rows = () => ledger.view.rows([...kept], 0, 10_000)
  return {
    ledger,
    rows,
    /** Of the last run that had anything to send. */
    readAgain: () => again,
    sent: (): Sent =>
      new Map(
        rows().flatMap(({ id, source, record }) => {
          const line = byRow.get(id)
          return line === undefined ? [] : [[`${source} ${record}`, line]]
        }),
      ),
    /** @returns why nothing was sent, or null */
    run: async (
      files: readonly string[],
      said: Said,
      limit: number | null = null,
      evidence: readonly string[] = [],
    ): Promise<string | null> => {
      for (const [second, text] of Object.entries(said.seconds)) writeFileSync(join(folder, second), text)
      const { crosswalk, join: joins = [], ...others } = said.reading
      const within = <File extends { file: string }>(one: File): File => ({
        ...one,
        file: join(folder, one.file),
      })
      const options = readSourceOptions({
        ...others,
        ...(crosswalk === undefined ? {} : { crosswalk: within(crosswalk) }),
        join: joins.map(within),
      })
      const against = {
        today: AS_OF,
        zone: said.zone,
        severities: said.rules,
        newCreditorIdentifier: said.newCreditorIdentifier,
        dormantSoonDays: 60,
      }
      const paths = files.map((one) => join(folder, one))
      const parts: OpenRun = {
        ...USUAL_RUN,
        ledger,
        evidence: collectionOpeners(
          evidence.map((one) => join(folder, one)),
          options,
        ),
        files: sourceOpeners(paths, options, against, signal),
        readBy: { options, against, ledger: file, configuration: join(folder, 'sepa-migrate.yaml') },
        severities: said.rules,
        settings: SETTINGS,
        asOf: AS_OF,
        confirm: ({ readAgain }) => {
          again = readAgain
          return Promise.resolve(true)
        },
        clock: { now: () => Date.UTC(2026, 5, 15), monotonic: () => performance.now() },
        after: (ms, wake) => {
          const timer = setTimeout(wake, ms)
          return () => clearTimeout(timer)
        },
        policy: { ...WIDE_POLICY, concurrency: 1, limit },
        send: ({ customerNo, iban, signedDate, original }, { rowId }) => {
          byRow.set(
            rowId,
            `${customerNo} ${iban} ${signedDate} ${original.creditorIdentifier} ${original.mandateReference}`,
          )
          return Promise.resolve(registeredNo(byRow.size))
        },
      }
      try {
        await runCampaign(parts)
        return null
      } catch (error) {
        if (error instanceof SourceError || error instanceof UsageError) return error.message
        throw error
      }
    },
  }
}

export interface Played {
  /** What the campaign of two configurations does that one of the second alone does not, and the other way round. */
  readonly wrong: readonly string[]
  /** Null where the draw says nothing: the pilot was refused, or sent nothing. */
  readonly compared: number | null
  readonly told: string
}

export async function play(draw: Draw, parent: string): Promise<Played> {
  const folder = mkdtempSync(join(parent, 'again-'))
  for (const { name, bytes } of draw.files) writeFileSync(join(folder, name), bytes)
  const [own, other] = draw.files.map(({ name }) => name) as [string, string]
  const corrected = campaignIn(folder, 'corrected.db')
  const fresh = campaignIn(folder, 'fresh.db')
  try {
    const refused = await corrected.run([own], draw.first, draw.limit)
    const pilot = corrected.sent()
    if (refused !== null || pilot.size === 0)
      return { wrong: [], compared: null, told: `no pilot: ${refused ?? ''}` }
    const readFirst = new Map(corrected.rows().map((row) => [`${row.source} ${row.record}`, row]))
    const given = { 'no file': [], 'the same file': [own], 'another file': [other] }[draw.way]
    const wholly = await fresh.run([own], draw.then)
    let rest = await corrected.run(given, draw.then)
    // Most go to others: a pilot of at most half of them is looked at first, as the refusal says.
    const others = Number(/^Read again, (\d+) of .*may have moved/.exec(rest ?? '')?.[1] ?? 0)
    if (others > 0)
      rest =
        (await corrected.run(given, draw.then, Math.floor(others / 2))) ??
        (await corrected.run(given, draw.then))
    if (draw.way === 'another file' && wholly === null) {
      // The rules of several records look at all that was ever there.
      const more = await fresh.run([other], draw.then)
      if (more !== null)
        return { wrong: rest === null ? [`was not refused: ${more}`] : [], compared: 0, told: 'refused both' }
    }
    if (wholly !== null) {
      // A column that nobody decided about is asked of the whole file; of what is left, where that still shows it.
      const isLeft = draw.key !== 'words' && corrected.rows().some(({ cells }) => cells?.[KIND] === 'old')
      const isAsked = isLeft || !wholly.includes('FILE_COLUMN_UNDECIDED')
      const more = [...corrected.sent()].filter(([key]) => isAsked && key.startsWith(own) && !pilot.has(key))
      return {
        wrong: more.map(([, line]) => `sent: ${line}, where a fresh ledger says: ${wholly}`),
        compared: 0,
        told: 'refused',
      }
    }
    const all = fresh.sent()
    const isDone = [...all.keys()].every((key) => pilot.has(key))
    // Of the dates of what is left alone it may be asked once more.
    if (rest !== null && (isDone || rest.includes('FILE_DATES_SHIFTED')))
      return { wrong: [], compared: 0, told: `refused: ${rest}` }
    if (rest !== null) return { wrong: [`was refused: ${rest}`], compared: 0, told: '' }
    // What was sent as it was read then is not read again, and is another customer, account or mandate for what shares them.
    const told = fresh.rows()
    const isMoved = (key: string): boolean => all.get(key) !== pilot.get(key)
    const moved = told.filter(
      (row) => pilot.has(`${row.source} ${row.record}`) && isMoved(`${row.source} ${row.record}`),
    )
    const moments = [...moved, ...moved.flatMap((row) => readFirst.get(`${row.source} ${row.record}`) ?? [])]
    const sharesWith = (key: string): boolean => {
      const mine = [...told.filter((row) => `${row.source} ${row.record}` === key), readFirst.get(key)]
      return mine.some((row) =>
        moments.some(
          (gone) =>
            row !== undefined &&
            (row.customerNo === gone.customerNo ||
              row.ibanMasked === gone.ibanMasked ||
              (row.mandateKey !== null && row.mandateKey === gone.mandateKey)),
        ),
      )
    }
    const sent = corrected.sent()
    const linesIn = (one: Sent): string[] =>
      [...one].flatMap(([key, line]) => (pilot.has(key) || sharesWith(key) ? [] : [line])).sort()
    const [expected, got] = [linesIn(all), linesIn(sent)]
    const wrong = [
      ...expected.filter((line) => !got.includes(line)).map((line) => `not sent: ${line}`),
      ...got
        .filter((line, at) => !expected.includes(line) || got.indexOf(line) !== at)
        .map((line) => `sent: ${line}`),
    ]
    const compared = expected.length
    return { wrong, compared, told: '' }
  } finally {
    for (const one of [corrected, fresh]) one.ledger.close()
    rmSync(folder, { recursive: true })
  }
}
