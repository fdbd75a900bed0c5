import { LedgerError } from '../../errors.js'
import type { Ledger } from '../ledger.js'
import type { Lock } from '../safety/lock.js'
import { putSeal, sealedSince } from '../safety/seal.js'
import { isLogGone } from '../safety/side-files.js'
import type { Connection } from './connection.js'

function lookForDamage(connection: Connection): unknown {
  connection.pragma('ignore_check_constraints = ON')
  try {
    return connection.pragma('quick_check(1)', { simple: true })
  } finally {
    connection.pragma('ignore_check_constraints = OFF')
  }
}

/**
 * Every page and every record is looked at. Conditions on values are held when they are written, and rows are compared
 * with what was admitted before they leave: to try them all again takes three quarters of the time.
 */
function assertUndamaged(connection: Connection, file: string): void {
  const verdict = lookForDamage(connection)
  if (verdict === 'ok') return
  throw new LedgerError(
    'damaged',
    `Cannot open the ledger "${file}": its content is damaged (${String(verdict).split('\n')[0] ?? ''})`,
    'Send nothing from it. Keep the file and its -wal, restore a backup, and compare it with the service',
  )
}

/** Whether a ledger that is open is known to be whole. */
export interface DamageLook {
  /** Looks, unless this process did. @throws {LedgerError} `damaged` */
  readonly look: () => void
  readonly lookedAtMs: () => number
}

export interface DamageLookOptions {
  readonly file: string
  readonly now: () => number
  /** It is empty: everything in it will be of this process. */
  readonly isNew: boolean
  /** The caller looks before anything is sent or comes in; a file that is as a run left it may wait until then. */
  readonly isLate: boolean
}

/** Looks at once, but where the file is proven to be as it was left. @throws {LedgerError} `damaged` */
export function startLooking(
  connection: Connection,
  { file, now, isNew, isLate }: DamageLookOptions,
): DamageLook {
  const sealed = isLate && isLogGone(file) ? sealedSince(file, now()) : null
  let lookedAtMs = sealed ?? now()
  let isSure = isNew
  function look(): void {
    if (isSure) return
    assertUndamaged(connection, file)
    lookedAtMs = now()
    isSure = true
  }
  if (sealed === null) look()
  return { look, lookedAtMs: () => lookedAtMs }
}

/** What a run does that finds nothing to send. Every other verb looks first, also one that does not exist yet. */
const WITHOUT_LOOK: ReadonlySet<string> = new Set([
  'assertBelongsTo',
  'startRun',
  'endRun',
  'countReady',
  'countSelected',
  'waiting',
  'totals',
  'hasAssigned',
  'close',
  'holdsOldPages',
  'areUsed',
  'standing',
  'hasMark',
  'latestMark',
] satisfies (keyof Ledger | keyof Ledger['waves'] | keyof Ledger['claims'])[])

/** The ledger, which looks before anything comes in, leaves or is decided. */
export function lookingBefore(ledger: Ledger, look: () => void): Ledger {
  const guarded = guard(ledger, look)
  return {
    ...guarded,
    waves: guard(ledger.waves, look),
    claims: guard(ledger.claims, look),
    readBacks: guard(ledger.readBacks, look),
    plans: guard(ledger.plans, look),
    // A file that is known by its hash brings nothing in.
    admit: (options) => {
      const admission = ledger.admit(options)
      return { ...admission, open: guard({ open: admission.open }, look).open }
    },
  }
}

const guard = <Verbs extends object>(verbs: Verbs, look: () => void): Verbs =>
  Object.fromEntries(
    Object.entries(verbs).map(([name, verb]: [string, unknown]) => [
      name,
      typeof verb !== 'function' || WITHOUT_LOOK.has(name)
        ? verb
        : (...given: unknown[]): unknown => {
            look()
            return Reflect.apply(verb, null, given)
          },
    ]),
  ) as Verbs

/** Ends of a run after which the file is not taken for whole: an error that nobody foresaw, and one of the ledger. */
const IN_QUESTION: readonly number[] = [1, 8]

/**
 * Leaves a seal behind a run that left nothing to send, since no other run can do without a look.
 * @returns how the ledger is to be made: with this lock, and then with these verbs
 */
export function sealing(
  connection: Connection,
  { file, lock, lookedAtMs }: { readonly file: string; readonly lock: Lock } & Pick<DamageLook, 'lookedAtMs'>,
): { readonly lock: Lock; readonly verbsOf: (ledger: Ledger) => Ledger } {
  let isWhole = false
  return {
    lock: {
      release: () => {
        if (isWhole && isLogGone(file)) putSeal(file, lookedAtMs())
        lock.release()
      },
    },
    verbsOf: (ledger) => ({
      ...ledger,
      startRun: (...given) => {
        isWhole = false
        return ledger.startRun(...given)
      },
      endRun: (id, end) => {
        ledger.endRun(id, end)
        isWhole = !IN_QUESTION.includes(end.exitCode) && !holdsUnsent(connection)
      },
    }),
  }
}

const holdsUnsent = (connection: Connection): boolean =>
  connection
    .prepare<[], number>(`select exists (select 1 from row where state in ('ready', 'sending'))`)
    .pluck()
    .get() !== 0
