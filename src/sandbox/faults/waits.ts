/** Waits that a closing sandbox can end early. */
export interface Waits {
  /** Resolves after `ms` milliseconds, at once for 0, and early when the sandbox closes. */
  readonly wait: (ms: number) => Promise<void>
  close(): void
}

export function openWaits(): Waits {
  const waiting = new Set<() => void>()
  return {
    async wait(ms) {
      if (ms === 0) return
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        waiting.add(end)
      })
    },
    close() {
      for (const end of waiting) end()
    },
  }
}
