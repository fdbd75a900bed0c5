import {
  accountOf,
  datePartOf,
  fold,
  matchSources,
  type ListedSource,
  type Verdict,
} from '../domain/proof/match-sources.js'
import type { Mandate } from '../domain/mandate/mandate.js'
import { maskAccounts } from '../domain/text/masking.js'
import type { LimitHeaders } from '../service/read-back/limit-headers.js'
import type { SourcesSeen } from '../service/read-back/classify-sources.js'
import { answerOf, isAnswered, isSameAnswer, type Answer, type AnswerWord } from './answers.js'
import type { Observations, Pair, Posted, Shown } from './observations.js'

/**
 * What was found out, a machine word each. `not_known`: it was asked, and what came does not tell. `not_asked`: something
 * that it stands on was missing. `varies`: the service answered the same question in more than one way.
 */
export interface Findings {
  readonly duplicate: DuplicateFinding
  readonly secondMandate: AnswerFinding
  readonly unknownCustomer: AnswerFinding
  readonly wrongAccount: AnswerFinding
  readonly readBack: ReadBackFinding
  readonly delay: DelayFinding
  readonly limits: LimitsFinding
}

type Open = 'not_known' | 'not_asked'

interface AnswerFinding extends Omit<Answer, 'word'> {
  readonly finding: AnswerWord | Open
}

interface DuplicateFinding extends Omit<Answer, 'word'> {
  /** `second_mandate`, `same_reference`: it was registered, with a reference of its own or with that of the first. */
  readonly finding: Exclude<AnswerWord, 'registered'> | 'second_mandate' | 'same_reference' | 'varies' | Open
  /** How many of the two were listed in the end, by what is listed alone. */
  readonly held: 'one' | 'two' | 'none' | 'more' | 'varies' | Open
  /** Pairs that were answered. */
  readonly answered: number
}

/** Whether what was sent came back as it was. */
type Kept = 'same' | 'differs' | 'missing'

interface ReadBackFinding {
  /**
   * `available`: a mandate was listed that was registered before. `not_shown`: lists came, without it. `missing`: there
   * is no such operation. `refused`: this user may not, or not so.
   */
  readonly finding: 'available' | 'not_shown' | 'missing' | 'refused' | Open
  readonly status: number | null
  /** What the list of an unknown customer is. */
  readonly unknownCustomer: 'empty' | 'missing' | 'refused' | 'known' | Open
  /** Words of the service. */
  readonly statusWords: readonly string[]
  readonly schemes: readonly string[]
  readonly date: Kept | Open
  /** `masked`: not a whole account number. */
  readonly account: Kept | 'masked' | Open
  readonly reference: Kept | 'other_case' | Open
  /** What the program itself proves by what is listed. */
  readonly verdict: Verdict['kind'] | Open
}

interface DelayFinding {
  readonly finding: 'at_once' | 'delayed' | 'not_within' | Open
  /** The longest after which a mandate was not listed yet, and after which it was; milliseconds since its answer. */
  readonly notYetMs: number | null
  readonly shownMs: number | null
}

interface LimitsFinding {
  /** `met`: something was answered "too many". */
  readonly finding: 'met' | 'not_met' | Open
  readonly reads: number
  readonly throttledAt: number | null
  readonly throttledPosts: number
  readonly retryAfterMs: number | null
  readonly headers: LimitHeaders
}

/** Pure and total: what the observations prove, and not a word more. */
export const findingsOf = (seen: Observations): Findings => ({
  duplicate: duplicateOf(seen.pairs),
  secondMandate: findingOf(seen.secondMandate),
  unknownCustomer: unknownOf(seen),
  wrongAccount: wrongAccountOf(seen),
  readBack: readBackOf(seen),
  delay: delayOf(seen.pairs.map(({ shown }) => shown)),
  limits: limitsOf(seen),
})

/** Findings that leave their question open, by name. */
export function openIn({ readBack, delay, limits, ...answers }: Findings): readonly string[] {
  const hasNoReadBack = readBack.finding === 'missing' || readBack.finding === 'refused'
  const byName = {
    ...answers,
    readBack,
    ...(hasNoReadBack ? {} : { delay, limits }),
  }
  return Object.entries(byName)
    .filter(([, { finding }]) => OPEN.has(finding))
    .map(([name]) => name)
}

const OPEN: ReadonlySet<string> = new Set(['not_known', 'not_asked', 'varies', 'not_shown', 'not_within'])

const NOTHING = { status: null, identifier: null, field: null } as const

function findingOf(posted: Posted | null): AnswerFinding {
  if (posted === null) return { finding: 'not_asked', ...NOTHING }
  const { word, ...rest } = answerOf(posted.outcome)
  return { finding: word, ...rest }
}

const answersOf = (all: readonly (Posted | null)[]): readonly Answer[] =>
  all.flatMap((posted) => (posted === null ? [] : [answerOf(posted.outcome)])).filter(isAnswered)

/** A refusal tells of its cause only where something good is answered otherwise. */
function besides(asked: Posted | null, good: readonly (Posted | null)[]): AnswerFinding {
  const finding = findingOf(asked)
  if (asked === null || finding.finding === 'registered' || finding.finding === 'not_known') return finding
  const answer = answerOf(asked.outcome)
  const others = answersOf(good)
  const isTold =
    others.some(({ word }) => word === 'registered') ||
    (others.length > 0 && !others.some((other) => isSameAnswer(other, answer)))
  return isTold ? finding : { ...finding, finding: 'not_known' }
}

const unknownOf = (seen: Observations): AnswerFinding =>
  askedAgain(
    seen,
    besides(
      seen.unknownCustomer,
      seen.pairs.map(({ first }) => first),
    ),
    seen.unknownCustomer,
  )

const wrongAccountOf = (seen: Observations): AnswerFinding =>
  askedAgain(seen, besides(seen.wrongAccount, seen.controls), seen.wrongAccount)

/**
 * A mandate whose answer was lost may be there, so that the next one is a second mandate of its customer: a refusal counts
 * where second mandates are answered otherwise.
 */
function askedAgain(
  { posted, secondMandate }: Observations,
  finding: AnswerFinding,
  asked: Posted | null,
): AnswerFinding {
  const isFirst = posted.filter(({ purpose }) => purpose === asked?.purpose).length <= 1
  return isFirst || finding.finding === 'not_known' ? finding : besides(asked, [secondMandate])
}

const same = <Value extends string>(values: readonly Value[]): Value | 'varies' | null => {
  const distinct = new Set(values)
  return distinct.size > 1 ? 'varies' : (values[0] ?? null)
}

function duplicateOf(pairs: readonly Pair[]): DuplicateFinding {
  const sent = pairs.filter(({ duplicate }) => duplicate !== null)
  const held = same(sent.map(heldOf).filter((word) => word !== 'not_known'))
  const answered = sent.flatMap((pair) => {
    const answer = duplicateAnswerOf(pair)
    return answer === null ? [] : [answer]
  })
  const [first] = answered
  const words = same(
    answered.map(({ finding, status, identifier }) => [finding, status, identifier].join(' ')),
  )
  const finding =
    first === undefined
      ? sent.length === 0
        ? 'not_asked'
        : 'not_known'
      : words === 'varies'
        ? words
        : first.finding
  return {
    ...NOTHING,
    ...(first ?? lastAnswer(sent)),
    finding,
    held: held ?? (sent.length === 0 ? 'not_asked' : 'not_known'),
    answered: answered.length,
  }
}

/** What came where nothing counts as an answer, a 500 for example. */
function lastAnswer(sent: readonly Pair[]): Omit<Answer, 'word'> | null {
  const last = sent.at(-1)?.duplicate
  if (last === null || last === undefined) return null
  const { word: _word, ...rest } = answerOf(last.outcome)
  return rest
}

function duplicateAnswerOf({ first, duplicate }: Pair) {
  if (duplicate === null) return null
  const { word, ...rest } = answerOf(duplicate.outcome)
  if (word === 'not_known') return null
  return { ...rest, finding: word === 'registered' ? registeredAs(first, duplicate) : word }
}

function registeredAs(first: Posted, duplicate: Posted): 'second_mandate' | 'same_reference' {
  const references = [first, duplicate].map(({ outcome }) =>
    outcome.kind === 'registered' ? fold(outcome.value.mandateReference) : null,
  )
  return references[0] === references[1] ? 'same_reference' : 'second_mandate'
}

function heldOf({ held }: Pair): 'none' | 'one' | 'two' | 'more' | 'not_known' {
  if (held.kind === 'not_known') return held.kind
  return (['none', 'one', 'two'] as const)[held.count] ?? 'more'
}

type ShownSource = Pair & { readonly shown: Shown & { readonly kind: 'shown' } }

const isShown = (pair: Pair): pair is ShownSource => pair.shown.kind === 'shown'

function readBackOf({ pairs, before, after, unknownCustomerNo }: Observations): ReadBackFinding {
  const shown = pairs.filter(isShown)
  const unread = pairs.flatMap((pair) => (pair.shown.kind === 'not_read' ? [pair.shown.seen] : [])).at(-1)
  const isListed = [...before, ...after].some(
    ([customerNo, seen]) => customerNo !== unknownCustomerNo && seen?.kind === 'listed',
  )
  const finding = ((): ReadBackFinding['finding'] => {
    if (shown.length > 0) return 'available'
    if (pairs.some((pair) => pair.shown.kind === 'not_within')) return 'not_shown'
    if (unread?.cause === 'missing' && !isListed) return 'missing'
    if (unread?.cause === 'refused' && !isListed) return 'refused'
    return pairs.some(({ first }) => first.outcome.kind === 'registered') ? 'not_known' : 'not_asked'
  })()
  const kept = <Word extends string>(wordOf: (pair: ShownSource) => Word): Word | Open => {
    const word = same(shown.map(wordOf))
    return word === null ? 'not_asked' : word === 'varies' ? 'not_known' : word
  }
  return {
    finding,
    status: unread?.status ?? null,
    unknownCustomer: isListed ? unknownListOf(before.get(unknownCustomerNo)) : 'not_asked',
    statusWords: wordsOf(shown, ({ status }) => status),
    schemes: wordsOf(shown, ({ scheme }) => scheme),
    date: kept(({ first, shown: { source } }) => dateOf(source, first.mandate)),
    account: kept(({ first, shown: { source } }) => accountKept(source, first.mandate)),
    reference: kept(({ first, shown: { source } }) => referenceKept(source, first)),
    verdict: kept(verdictOf),
  }
}

function unknownListOf(seen: SourcesSeen | null | undefined): ReadBackFinding['unknownCustomer'] {
  if (seen === null || seen === undefined) return 'not_asked'
  if (seen.kind === 'listed') return seen.sources.length === 0 ? 'empty' : 'known'
  return seen.cause === 'missing' || seen.cause === 'refused' ? seen.cause : 'not_known'
}

const wordsOf = (
  shown: readonly ShownSource[],
  wordOf: (source: ListedSource) => string | null,
): readonly string[] =>
  [...new Set(shown.flatMap((pair) => wordOf(pair.shown.source) ?? []).map(maskAccounts))].toSorted()

function dateOf({ signedAt }: ListedSource, { signedDate }: Mandate): Kept {
  const date = datePartOf(signedAt)
  return date === null ? 'missing' : date === signedDate ? 'same' : 'differs'
}

function accountKept({ iban }: ListedSource, mandate: Mandate): Kept | 'masked' {
  if (iban === null) return 'missing'
  const account = accountOf(iban)
  return account === null ? 'masked' : account === mandate.iban ? 'same' : 'differs'
}

function referenceKept({ reference }: ListedSource, { outcome }: Posted): Kept | 'other_case' {
  const assigned = outcome.kind === 'registered' ? outcome.value.mandateReference : null
  if (reference === null || assigned === null) return 'missing'
  if (reference === assigned) return 'same'
  return fold(reference) === fold(assigned) ? 'other_case' : 'differs'
}

function verdictOf({ first: { mandate, outcome }, shown: { sources } }: ShownSource): Verdict['kind'] {
  const row = {
    rowId: 1,
    isAccount: (iban: string) => iban === mandate.iban,
    accountKey: mandate.iban,
    signedDate: mandate.signedDate,
    reference: outcome.kind === 'registered' ? outcome.value.mandateReference : null,
  }
  const [verdict] = matchSources([row], { kind: 'listed', sources })
  return verdict?.kind ?? 'absent'
}

/** A look that came late, because earlier ones brought no list, does not tell whether it would have shown at once. */
const AT_ONCE_MS = 1_000

function delayOf(all: readonly Shown[]): DelayFinding {
  const shown = all.filter((each) => each.kind === 'shown')
  const never = all.filter((each) => each.kind === 'not_within')
  const notYet = [...shown.map(({ notYetMs }) => notYetMs), ...never.map(({ waitedMs }) => waitedMs)]
  const times = { notYetMs: longest(notYet), shownMs: longest(shown.map(({ shownMs }) => shownMs)) }
  const finding = ((): DelayFinding['finding'] => {
    if (never.length > 0) return 'not_within'
    if (times.notYetMs !== null) return 'delayed'
    if (shown.some(({ askedMs }) => askedMs < AT_ONCE_MS)) return 'at_once'
    return shown.length === 0 ? 'not_asked' : 'not_known'
  })()
  return { finding, ...times }
}

function longest(all: readonly (number | null)[]): number | null {
  const known = all.filter((ms) => ms !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function limitsOf({ burst, throttledPosts }: Observations): LimitsFinding {
  const isMet = throttledPosts > 0 || (burst?.throttledAt ?? null) !== null
  const finding = isMet ? 'met' : burst === null ? 'not_asked' : 'not_met'
  return {
    finding,
    reads: burst?.asked ?? 0,
    throttledAt: burst?.throttledAt ?? null,
    throttledPosts,
    retryAfterMs: burst?.retryAfterMs ?? null,
    headers: burst?.headers ?? {},
  }
}
