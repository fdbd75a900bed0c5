/** What each exit status means, in general. */
export const EXIT_STATUSES = {
  0: 'everything asked for is done and nothing is open',
  1: 'unexpected error (a bug)',
  2: 'usage or configuration error; nothing was sent',
  3: 'finished; some rows are invalid, in conflict or refused',
  4: 'rows are in doubt (outranks 3 and 5)',
  5: 'stopped early by a limit or the brake; ready rows remain',
  6: 'credentials or permission refused by the service',
  7: 'input unreadable, or not what it was when it was admitted',
  8: 'ledger locked, damaged, foreign, newer or an older copy',
  130: 'interrupted; safe to run again',
  143: 'interrupted; safe to run again',
} as const

type ExitStatus = keyof typeof EXIT_STATUSES

/** What a command ends with, besides 1 for a bug and 2 for a wrong command line: the meaning, or the general one. */
export type Exits = Readonly<Partial<Record<ExitStatus, string>>>

const general = (...statuses: readonly ExitStatus[]): Exits =>
  Object.fromEntries(statuses.map((status) => [status, EXIT_STATUSES[status]]))

const STANDING: Exits = { ...general(0, 2, 3, 4), 5: 'ready rows remain', ...general(8) }

export const EXITS = {
  /** Nothing but what was asked for. */
  plain: { 0: 'done', 2: 'usage or configuration error' },
  /** By what is open in the ledger. */
  standing: STANDING,
  /** The same, and by what the service contradicts. */
  verified: {
    ...STANDING,
    4: 'rows are in doubt, or a registered mandate is missing, twice or different at the service (outranks 3 and 5)',
  },
  run: general(0, 2, 3, 4, 5, 6, 7, 8, 130, 143),
} as const satisfies Record<string, Exits>

/** Statuses of the same meaning on one line. */
export function exitLines(exits: Exits): [statuses: string, meaning: string][] {
  const meanings = [...new Set(Object.values(exits))]
  return meanings.map((meaning) => [
    Object.entries(exits)
      .filter(([, other]) => other === meaning)
      .map(([status]) => status)
      .join(', '),
    meaning,
  ])
}
