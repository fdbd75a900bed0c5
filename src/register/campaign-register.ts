import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { LedgerError, UsageError, type Way } from '../errors.js'
import type { AdoptionReport, Claims, RunSettings } from '../ledger/ledger.js'
import { underLock } from '../ledger/safety/lock.js'
import { sameService } from '../service/base-url.js'
import { addPart, endOf, partSchema, readParts, standing, type ClaimPart } from './claimed-mandates.js'
import { holds, nameOfKey, numberMandates, shortNumber, startNumbers } from './mandate-numbers.js'
import {
  appendLine,
  ensureFolder,
  explainingRegister,
  keyOf,
  readOwn,
  registerFault,
} from './register-place.js'
import { openTide, readTide, type TideFile } from './tide.js'

/**
 * What ledgers of this user began to send on this machine. A ledger cannot know that another one sends the same
 * mandates, nor that it is an older copy of itself; the register can:
 *
 *   campaigns.jsonl   one line for each run that claimed mandates for a service
 *   mandates/         for each ledger the mandates that its runs claimed, as keyed numbers
 *   register.key      the key of these numbers
 *   ledgers/          for each ledger the mark of its latest run, and how many attempts it has begun
 *
 * Order of writing, when a run begins: the mark into the ledger, then into the register; for each group of attempts:
 * the intents into the ledger, then their number into the register, then the requests. So the register never knows
 * more than the ledger that was last used, whenever it dies, and always at least what an older copy does not know.
 */
export interface Register {
  /** Changes nothing. @throws {LedgerError} `older`, `register` */
  readonly checkCopy: () => void
  /**
   * Changes nothing.
   * @throws {UsageError} when another ledger claimed the same mandates
   * @throws {LedgerError} `register`
   */
  readonly checkOthers: () => void
  /**
   * Which other ledger claimed these mandates for the same service, as a sentence without its full stop, also where that
   * is allowed; null where none is known, or the register cannot say.
   */
  readonly knownElsewhere: () => string | null
  /** Both checks again while no other run of this user can claim, then the claim; afterwards requests may leave. */
  readonly claim: () => void
  /** A person goes on with an older copy, which is the latest from now on. */
  readonly adopt: (adoption: { by: string; reason: string; run: RunSettings }) => AdoptionReport
  /**
   * Notes a ledger that was made in the place of others that are lost: what those claimed until now does not bar it any
   * more, and they are barred by it. Does nothing the second time.
   */
  readonly rebuilt: () => void
  /** False for a ledger that has sent before, and of which the register knows nothing: it came from elsewhere. */
  readonly knowsLedger: () => boolean
  readonly close: () => void
}

export interface RegisterOptions {
  /** Folder of the register; made where it is missing. */
  readonly folder: string
  /** The address that the ledger is bound to. */
  readonly baseUrl: string
  /** Absolute path of the ledger, for texts. */
  readonly ledger: string
  readonly claims: Claims
  /** False for a rehearsal on this machine, which is repeated with new ledgers on purpose. */
  readonly guardsMandates: boolean
  /** True when a person said that another ledger may hold the same mandates. */
  readonly allowsOthers: boolean
  readonly sharedFolder: boolean
}

const lineSchema = z.object({
  baseUrl: z.string(),
  ledgerId: z.string(),
  ledger: z.string(),
  /** Runs that the ledger had counted, this one included. */
  run: z.number(),
  /** SHA-256 of every source in the ledger. */
  sources: z.array(z.string()),
  // Lines of earlier versions end here.
  /** What the ledger keeps of this run. */
  mark: z.string().optional(),
  /** Which key made the numbers. */
  key: z.string().optional(),
  /** Earlier versions: the smallest of the short numbers. */
  sketch: z.array(z.number()).optional(),
  /** The numbers that this run was the first of its ledger to claim. */
  claimed: partSchema.optional(),
  /** Ledgers that are lost, in whose place this one was made: their lines above this one do not bar it. */
  replaces: z.array(z.string()).optional(),
})
type RegisterLine = z.infer<typeof lineSchema>

const FILE = 'campaigns.jsonl'

/** A register that is open. The functions below change it; nobody else sees it. */
interface Opened {
  readonly options: RegisterOptions
  readonly file: string
  tide: TideFile | null
  mandates: Mandates | null
}

export function openRegister(options: RegisterOptions): Register {
  const register: Opened = { options, file: join(options.folder, FILE), tide: null, mandates: null }
  return {
    checkCopy: () => checkCopy(register),
    checkOthers: () => checkOthers(register),
    knownElsewhere: () => knownElsewhere(register),
    claim: () => lockRegister(register, () => claim(register)),
    adopt: (adoption) => lockRegister(register, () => adopt(register, adoption)),
    rebuilt: () => lockRegister(register, () => rebuilt(register)),
    knowsLedger: () => knowsLedger(options),
    close: () => {
      register.tide?.close()
      register.tide = null
    },
  }
}

function checkCopy({ options, file }: Opened): void {
  const { folder, claims, ledger } = options
  ensureFolder(folder, options)
  const fault = olderThanNoted(options, file)
  if (fault !== null) throw olderCopy(ledger, fault, claims.adoptable())
  // Nothing that was noted is missing, so the log was merged into the file.
  if (claims.standing().isLogMissing) claims.trustLog()
}

function checkOthers(register: Opened): void {
  const { options, file } = register
  if (!options.guardsMandates) return
  ensureFolder(options.folder, options)
  const lines = readLines(file)
  if (options.allowsOthers) return
  const claimed = findClaimed(register, lines)
  if (claimed !== null) throw new UsageError(`${claimed.why}; nothing was sent`, claimed.next, claimed)
}

/** What a person let pass must not be a fault now; a register that cannot be read was let pass with it. */
function knownElsewhere(register: Opened): string | null {
  if (!register.options.guardsMandates) return null
  try {
    return findClaimed(register, readLines(register.file))?.why ?? null
  } catch (error) {
    if (error instanceof LedgerError && error.problem === 'register') return null
    throw error
  }
}

/** Mandates of this ledger that were claimed already, and what to do about it. */
interface Claimed {
  readonly why: string
  readonly next: string
  readonly ways: readonly Way[]
}

function findClaimed(register: Opened, all: readonly RegisterLine[]): Claimed | null {
  const { options, file } = register
  const { folder, claims } = options
  const counted = withoutReplaced(all, claims.standing().ledgerId)
  const lines = counted.filter((line) => sameService(line.baseUrl, options.baseUrl))
  const source = findSource(lines, claims.standing())
  if (source !== null) return source
  const numbered = lines.filter(isNumbered)
  if (numbered.length === 0) return null
  const key = keyOf(folder, { mayMake: false })
  assertComparable(file, numbered, key)
  return key === null ? null : findMandates(folder, numbered, mandatesBy(register, key), claims)
}

function claim(register: Opened): void {
  const { claims, guardsMandates } = register.options
  checkCopy(register)
  checkOthers(register)
  const mark = newMark()
  claims.begin(mark, (attempts) => register.tide?.note(attempts))
  noteMark(register, mark)
  if (guardsMandates) claimMandates(register, mark)
  register.mandates = null
}

function adopt(register: Opened, adoption: Parameters<Register['adopt']>[0]): AdoptionReport {
  const mark = newMark()
  const report = register.options.claims.adoptOlderCopy({ ...adoption, mark })
  noteMark(register, mark)
  return report
}

function rebuilt(register: Opened): void {
  const { folder, claims, guardsMandates, baseUrl } = register.options
  const mark = claims.latestMark()
  if (mark === null) throw new Error('A ledger that was rebuilt has no mark')
  const { ledgerId } = claims.standing()
  if (readTide(folder, ledgerId) === null) noteMark(register, mark)
  if (!guardsMandates) return
  const all = readLines(register.file)
  if (all.some((line) => line.ledgerId === ledgerId)) return
  const lines = all.filter((line) => sameService(line.baseUrl, baseUrl))
  claimMandates(register, mark, lostLedgers(register, lines))
  register.mandates = null
}

/** Other ledgers that were sent from to this service and have an export or a mandate of this one. */
function lostLedgers(register: Opened, lines: readonly RegisterLine[]): string[] {
  const { folder, claims } = register.options
  const { ledgerId: own, sources } = claims.standing()
  const key = keyOf(folder, { mayMake: false })
  const numbered = lines.filter(isNumbered)
  if (numbered.length > 0) assertComparable(register.file, numbered, key)
  const numbers = key === null ? new Float64Array() : mandatesBy(register, key).all
  const others = new Set(lines.map(({ ledgerId }) => ledgerId).filter((ledgerId) => ledgerId !== own))
  return [...others].filter((ledgerId) => {
    const theirs = lines.filter((line) => line.ledgerId === ledgerId)
    if (theirs.some((line) => line.sources.some((sha256) => sources.includes(sha256)))) return true
    return numbers.some(claimedBy(folder, ledgerId, { all: theirs, counted: theirs }))
  })
}

const isNumbered = ({ sketch, claimed }: RegisterLine): boolean =>
  sketch !== undefined || claimed !== undefined

/** Without what was claimed by ledgers in whose place this one was made, before that. */
function withoutReplaced(lines: readonly RegisterLine[], own: string): readonly RegisterLine[] {
  const at = lines.findIndex(({ ledgerId, replaces }) => ledgerId === own && replaces !== undefined)
  const replaced = new Set(lines[at]?.replaces)
  return lines.filter(({ ledgerId }, n) => n > at || !replaced.has(ledgerId))
}

function noteMark(register: Opened, mark: string): void {
  const { folder, claims } = register.options
  const { ledgerId, attempts } = claims.standing()
  register.tide?.close()
  register.tide = openTide(folder, ledgerId, { mark, attempts })
}

function knowsLedger({ folder, claims }: RegisterOptions): boolean {
  const { hasMarks, ledgerId } = claims.standing()
  return !hasMarks || readTide(folder, ledgerId) !== null
}

/** Numbers every mandate once; a million take some seconds. */
function mandatesBy(register: Opened, key: Uint8Array): Mandates {
  if (register.mandates?.key !== nameOfKey(key)) register.mandates = numberAll(register.options.claims, key)
  return register.mandates
}

const newMark = (): string => randomBytes(16).toString('hex')

function lockRegister<Value>({ options, file }: Opened, body: () => Value): Value {
  ensureFolder(options.folder, options)
  let done: { readonly value: Value } | { readonly error: unknown } | null = null
  explainingRegister(file, () =>
    underLock(file, () => {
      try {
        done = { value: body() }
      } catch (error) {
        done = { error } // its own words, not those of the register
      }
    }),
  )
  return outcomeOf(done)
}

function outcomeOf<Value>(done: { readonly value: Value } | { readonly error: unknown } | null): Value {
  if (done !== null && 'value' in done) return done.value
  throw done?.error
}

type Known = Pick<Claims, 'standing' | 'hasMark'>

/**
 * Says of a ledger that is only read whether it is an older copy of what this user has sent from; null where it is not.
 * @throws {LedgerError} `register`
 */
export const olderThanRegister = (folder: string, ledger: Known): string | null =>
  olderThanNoted({ folder, claims: ledger, guardsMandates: true }, join(folder, FILE))

/** What is wrong with this copy, as an end of "is older than it was: …"; null when it is the one that was last used. */
function olderThanNoted(
  { folder, claims, guardsMandates }: Pick<RegisterOptions, 'folder' | 'guardsMandates'> & { claims: Known },
  file: string,
): string | null {
  const { ledgerId } = claims.standing()
  const noted = readTide(folder, ledgerId)
  // Asked after the register, which a run that is going writes later than its ledger.
  const { attempts, runs, isLogMissing } = claims.standing()
  if (noted !== null) {
    if (!claims.hasMark(noted.mark)) return 'a run began to send since, of which this file knows nothing'
    if (attempts < noted.attempts)
      return `it knows of ${attempts} requests that were begun, and ${noted.attempts} were`
    return null
  }
  const lines = guardsMandates ? readLines(file) : []
  const latest = Math.max(0, ...lines.filter((line) => line.ledgerId === ledgerId).map(({ run }) => run))
  if (runs < latest) return `it counts ${runs} runs, and run ${latest} has begun`
  return isLogMissing ? 'a run did not come to its end, and its write-ahead log (-wal) is missing' : null
}

const SHOWN = 20

const listed = (ids: readonly number[]): string =>
  ids.slice(0, SHOWN).join(', ') + (ids.length > SHOWN ? ` … ${ids.at(-1) ?? ''}` : '')

function olderCopy(ledger: string, why: string, adoptable: ReturnType<Claims['adoptable']>): LedgerError {
  const { ready, refused } = adoptable
  const rows = [
    `${ready.length} rows that are ready in it may have been sent since${ready.length === 0 ? '' : ` (${listed(ready)})`}`,
    ...(refused.length === 0 ? [] : [`${refused.length} that it calls refused as well (${listed(refused)})`]),
  ]
  return new LedgerError(
    'older',
    `The ledger "${ledger}" is older than it was: ${why}. An old copy was put back, or its write-ahead log is lost. ` +
      `${rows.join(', ')}. Nothing was sent`,
    'Put the newest copy back, with its -wal. Where there is none, adopt the older copy: all these rows ' +
      'become in doubt, so that none is sent before it was looked up at the service',
    { ways: ['adopt_older_copy'] },
  )
}

/** @throws {LedgerError} `register` for any line that cannot be read: it may be the one that matters */
function readLines(file: string): RegisterLine[] {
  const text = readOwn(file) ?? ''
  const lines = text.split('\n')
  const rest = lines.pop() ?? ''
  const parsed = lines.map((line, index) => readLine(file, line, index + 1))
  if (rest !== '') throw damagedLine(file, lines.length + 1)
  return parsed.filter((line) => line !== null)
}

function readLine(file: string, text: string, number: number): RegisterLine | null {
  if (text.trim() === '') return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damagedLine(file, number)
  }
  const parsed = lineSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw damagedLine(file, number)
}

const damagedLine = (file: string, number: number): LedgerError =>
  registerFault(
    file,
    `line ${number} is cut or damaged`,
    'The line is the note of one run: it names a ledger and a service. Make sure that no other ledger holds this ' +
      'export, then remove the line with an editor and run the same command again',
  )

function findSource(
  lines: readonly RegisterLine[],
  { ledgerId, sources }: Pick<ReturnType<Claims['standing']>, 'ledgerId' | 'sources'>,
): Claimed | null {
  const own = new Set(sources)
  const other = lines.find(
    (line) => line.ledgerId !== ledgerId && line.sources.some((sha256) => own.has(sha256)),
  )
  if (other === undefined) return null
  return {
    why: `An export of this ledger was already sent to the same service from the ledger "${other.ledger}"`,
    next: continueWith(other.ledger, 'nothing of it was ever sent'),
    ways: OTHER_WAYS,
  }
}

const OTHER_WAYS: readonly Way[] = ['name_ledger', 'rebuild', 'another_ledger', 'read_back_first']

const continueWith = (ledger: string, onlyIf: string): string =>
  `Continue with the ledger "${ledger}". Where it is lost and no copy is left, have it made anew from the service. Only if ${onlyIf}, or where the service is asked about each row first, run without looking at other ledgers`

function assertComparable(file: string, lines: readonly RegisterLine[], key: Uint8Array | null): void {
  const name = key === null ? null : nameOfKey(key)
  if (lines.every((line) => line.key === name)) return
  throw registerFault(
    file,
    'its mandates were noted with another key, register.key was replaced or is lost',
    'Bring register.key back from a backup. Only if no other ledger holds these mandates, run without looking at other ledgers',
    { ways: ['another_ledger'] },
  )
}

interface Mandates {
  /** Name of the key that numbered them. */
  readonly key: string
  /** Of everything that was or may be sent, sorted; a number may stand twice. */
  readonly all: Float64Array
  /** Of rows that may be sent, by pairs: the mandate, and what else it is known by (the same again where nothing is). */
  readonly fresh: Float64Array
  readonly again: Float64Array
}

function numberAll(claims: Claims, key: Uint8Array): Mandates {
  const number = numberMandates(key)
  const [all, fresh, again] = [startNumbers(), startNumbers(), startNumbers()]
  for (const { key: mandateKey, agreement, mayLeave, attempts } of claims.mandates()) {
    const mandate = number(mandateKey)
    const known = agreement === null ? mandate : number(agreement)
    for (const each of new Set([mandate, known])) all.add(each)
    if (mayLeave !== 1) continue
    const pairs = attempts === 0 ? fresh : again
    pairs.add(mandate)
    pairs.add(known)
  }
  return {
    key: nameOfKey(key),
    all: all.collected().sort(),
    fresh: fresh.collected(),
    again: again.collected(),
  }
}

const countPairs = (pairs: Float64Array, isClaimed: (number: number) => boolean): number => {
  let count = 0
  for (let at = 0; at < pairs.length; at += 2)
    if (isClaimed(pairs[at] ?? 0) || isClaimed(pairs[at + 1] ?? 0)) count += 1
  return count
}

const partsOf = (lines: readonly RegisterLine[]): readonly ClaimPart[] =>
  standing(lines.flatMap(({ claimed }) => claimed ?? []))

/** Says of a number whether one of these lines of a ledger claimed it. */
function claimedBy(
  folder: string,
  ledgerId: string,
  { all, counted }: { all: readonly RegisterLine[]; counted: readonly RegisterLine[] },
): (number: number) => boolean {
  const short = new Set(counted.flatMap(({ sketch }) => sketch ?? []))
  const theirs = new Set(counted.map((line) => line.claimed))
  const claimed = readParts(
    folder,
    ledgerId,
    partsOf(all).filter((part) => theirs.has(part)),
  )
  return (number) => holds(claimed, number) || short.has(shortNumber(number))
}

/**
 * What another ledger claimed, and what this ledger itself claimed in a run that it does not know, since it was put
 * back to an older state: rows that came in since then may have been sent. Rows that a person has sent again are not
 * fresh.
 */
function findMandates(
  folder: string,
  lines: readonly RegisterLine[],
  { fresh, again }: Mandates,
  claims: Claims,
): Claimed | null {
  const own = claims.standing().ledgerId
  for (const ledgerId of new Set(lines.map((line) => line.ledgerId))) {
    const isOwn = ledgerId === own
    const all = lines.filter((line) => line.ledgerId === ledgerId)
    const counted = isOwn ? all.filter(({ mark }) => mark !== undefined && !claims.hasMark(mark)) : all
    if (counted.length === 0) continue
    const isClaimed = claimedBy(folder, ledgerId, { all, counted })
    const shared = countPairs(fresh, isClaimed) + (isOwn ? 0 : countPairs(again, isClaimed))
    if (shared === 0) continue
    const ledger = counted.at(-1)?.ledger ?? ''
    return isOwn
      ? {
          why: `${countOf(shared)} ready here ${wereOf(shared)} in this ledger before it was put back to an older copy, and may have been sent`,
          next: 'Compare them with the service. Only if none of them was sent, run without looking at what was claimed',
          ways: ['another_ledger', 'read_back_first'],
        }
      : {
          why: `${countOf(shared)} ready here ${wereOf(shared)} already claimed for the same service by the ledger "${ledger}"`,
          next: continueWith(ledger, 'none of them was ever sent from there'),
          ways: OTHER_WAYS,
        }
  }
  return null
}

const countOf = (count: number): string => (count === 1 ? 'A mandate that is' : `${count} mandates that are`)
const wereOf = (count: number): string => (count === 1 ? 'was' : 'were')

/** Before the line of the run: a kill in between leaves numbers that no line counts. */
function claimNumbers(
  { folder, allowsOthers }: RegisterOptions,
  ledgerId: string,
  lines: readonly RegisterLine[],
  all: Float64Array,
): ClaimPart {
  const parts = partsOf(lines.filter((line) => line.ledgerId === ledgerId))
  let known: Float64Array
  try {
    known = readParts(folder, ledgerId, parts)
  } catch (error) {
    if (!allowsOthers) throw error
    return addPart(folder, ledgerId, 0, all)
  }
  const added = startNumbers()
  let last = -1
  for (const number of all) {
    if (number !== last && !holds(known, number)) added.add(number)
    last = number
  }
  return addPart(folder, ledgerId, endOf(parts), added.collected())
}

function claimMandates(register: Opened, mark: string, replaces: readonly string[] = []): void {
  const { folder, baseUrl, ledger, claims } = register.options
  const key = keyOf(folder, { mayMake: true })
  if (key === null) throw new Error('The register has no key')
  const { ledgerId, runs, sources } = claims.standing()
  const { all } = mandatesBy(register, key)
  const claimed = claimNumbers(register.options, ledgerId, readLines(register.file), all)
  const line: RegisterLine = {
    baseUrl,
    ledgerId,
    ledger,
    run: runs,
    sources: [...sources],
    mark,
    key: nameOfKey(key),
    claimed,
    ...(replaces.length === 0 ? {} : { replaces: [...replaces] }),
  }
  appendLine(register.file, JSON.stringify(line))
}
