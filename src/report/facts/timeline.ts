/** Widths of a bar in milliseconds, each dividing the next; the last one grows without end. */
const WIDTHS_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 604_800_000]
const BARS_AT_MOST = 60

interface Bar {
  /** ISO 8601, where the bar begins. */
  readonly from: string
  readonly count: number
}

export interface Timeline {
  readonly widthMs: number
  /** Without gaps from the first bar to the last. */
  readonly bars: readonly Bar[]
}

export interface TimelineTally {
  /** Takes a time in ISO 8601. */
  readonly add: (at: string) => void
  readonly result: () => Timeline
}

/** Counts points in time in bars that widen as the span grows, so that memory stays flat. */
export function tallyTimeline(): TimelineTally {
  let widthMs = WIDTHS_MS[0] ?? 1_000
  let first = Infinity
  let last = -Infinity
  let counts = new Map<number, number>()

  let latest = { at: '', time: NaN }

  return { add, result }

  function add(at: string): void {
    // Rows next to each other were often registered in the same millisecond.
    if (at !== latest.at) latest = { at, time: Date.parse(at) }
    const { time } = latest
    if (Number.isNaN(time)) return
    first = Math.min(first, time)
    last = Math.max(last, time)
    while (Math.floor(last / widthMs) - Math.floor(first / widthMs) >= BARS_AT_MOST) widen()
    const bar = Math.floor(time / widthMs)
    counts.set(bar, (counts.get(bar) ?? 0) + 1)
  }

  function widen(): void {
    const wider = WIDTHS_MS.find((width) => width > widthMs) ?? widthMs * 4
    const merged = new Map<number, number>()
    for (const [bar, count] of counts) {
      const into = Math.floor((bar * widthMs) / wider)
      merged.set(into, (merged.get(into) ?? 0) + count)
    }
    widthMs = wider
    counts = merged
  }

  function result(): Timeline {
    const bars: Bar[] = []
    for (let bar = Math.floor(first / widthMs); counts.size > 0 && bar * widthMs <= last; bar += 1) {
      bars.push({ from: new Date(bar * widthMs).toISOString(), count: counts.get(bar) ?? 0 })
    }
    return { widthMs, bars }
  }
}
