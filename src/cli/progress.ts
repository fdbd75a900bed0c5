import { Presets, SingleBar } from 'cli-progress'
import type { Outcome } from '../index.js'
import type { World } from './world.js'

/** Shows how far a run is: a bar on a terminal, one plain line per interval elsewhere. Always on stderr. */
export interface Progress {
  readonly reading: (source: string, records: number) => void
  readonly sending: (total: number) => void
  readonly outcome: (kind: Outcome['kind']) => void
  readonly note: (text: string) => void
  readonly end: () => void
}

const INTERVAL_MS = 10_000
const READING_STEP = 50_000

export const silentProgress: Progress = {
  reading: () => undefined,
  sending: () => undefined,
  outcome: () => undefined,
  note: () => undefined,
  end: () => undefined,
}

interface Counts {
  total: number
  registered: number
  refused: number
  inDoubt: number
  again: number
}

const settledOf = (counts: Counts): number => counts.registered + counts.refused + counts.inDoubt

function count(counts: Counts, kind: Outcome['kind']): void {
  if (kind === 'registered') counts.registered += 1
  else if (kind === 'refused') counts.refused += 1
  else if (kind === 'in_doubt') counts.inDoubt += 1
  else counts.again += 1
}

const describe = ({ registered, refused, inDoubt, again }: Counts): string =>
  `registered ${registered}, refused ${refused}, in doubt ${inDoubt}, sent again ${again}`

export function startProgress(world: World): Progress {
  return world.stderr.isTerminal ? barProgress(world) : lineProgress(world)
}

function barProgress(world: World): Progress {
  const counts: Counts = { total: 0, registered: 0, refused: 0, inDoubt: 0, again: 0 }
  let bar: SingleBar | null = null
  /** Wipes the bar from its line first; the next update draws it again below. */
  const say = (text: string): void => world.stderr.write(bar === null ? `${text}\n` : `\r\u001b[2K${text}\n`)
  return {
    reading: (source, records) => {
      if (records % READING_STEP === 0) say(`Reading ${source}: ${records} records`)
    },
    sending: (total) => {
      counts.total = total
      if (total === 0) return
      bar = new SingleBar(
        {
          stream: world.stderr.stream,
          format: 'Sending {bar} {value}/{total} · {rate}/s · ETA {eta_formatted} · {counts}',
          hideCursor: true,
          forceRedraw: true,
          stopOnComplete: false,
        },
        Presets.shades_classic,
      )
      bar.start(total, 0, { counts: describe(counts), rate: '0' })
    },
    outcome: (() => {
      const startedMs = world.clock.monotonic()
      return (kind: Outcome['kind']) => {
        count(counts, kind)
        const perSecond = settledOf(counts) / Math.max(1, (world.clock.monotonic() - startedMs) / 1000)
        bar?.update(settledOf(counts), { counts: describe(counts), rate: perSecond.toFixed(0) })
      }
    })(),
    note: say,
    end: () => {
      bar?.stop()
      bar = null
    },
  }
}

function lineProgress(world: World): Progress {
  const counts: Counts = { total: 0, registered: 0, refused: 0, inDoubt: 0, again: 0 }
  let startedMs = world.clock.monotonic()
  let saidMs = startedMs
  let saidAt = 0
  const say = (text: string): void => world.stderr.write(`${text}\n`)
  function sayCounts(): void {
    const settled = settledOf(counts)
    const perSecond = settled / Math.max(0.001, (world.clock.monotonic() - startedMs) / 1000)
    const leftSeconds = perSecond > 0 ? Math.round((counts.total - settled) / perSecond) : null
    const eta = leftSeconds === null ? '' : `, about ${leftSeconds} s left`
    say(
      `Sending: ${settled} of ${counts.total} (${describe(counts)}), ${perSecond.toFixed(0)} per second${eta}`,
    )
    saidMs = world.clock.monotonic()
    saidAt = settled
  }
  return {
    reading: (source, records) => {
      if (world.clock.monotonic() - saidMs < INTERVAL_MS) return
      saidMs = world.clock.monotonic()
      say(`Reading ${source}: ${records} records`)
    },
    sending: (total) => {
      counts.total = total
      startedMs = saidMs = world.clock.monotonic()
      if (total > 0) say(`Sending ${total} rows`)
    },
    outcome: (kind) => {
      count(counts, kind)
      if (world.clock.monotonic() - saidMs >= INTERVAL_MS) sayCounts()
    },
    note: say,
    end: () => {
      if (settledOf(counts) > saidAt) sayCounts()
    },
  }
}
