import { durationText, plural } from '../../domain/text/wording.js'
import { oneLine } from '../../domain/text/plain-text.js'
import type { Findings } from '../../probe/findings.js'
import type { LeftBehind } from '../../probe/left-behind.js'
import type { Purpose } from '../../probe/observations.js'
import type { ProbeEvent } from '../../probe/observe.js'
import { type Line, type Tone, toned } from '../terminal/line.js'

type AnswerFinding = Findings['secondMandate']

/** What each word means, as the end of "the service …". */
const ANSWERS: Readonly<
  Record<AnswerFinding['finding'] | Findings['duplicate']['finding'], readonly [tone: Tone, text: string]>
> = {
  registered: ['open', 'registered it'],
  second_mandate: ['bad', 'registered a second mandate'],
  same_reference: ['good', 'recognised it and gave the same reference'],
  exists: ['good', 'says that it may have it'],
  conflict: ['open', 'answered a conflict'],
  refused: ['good', 'refused it'],
  unclear: ['open', 'gave an answer that does not tell whether it was registered'],
  turned_away: ['open', 'says that it is not available yet'],
  varies: ['open', 'gave different answers'],
  not_known: ['open', 'gave no answer that tells'],
  not_asked: ['open', 'was not asked'],
}

/** The findings for a person, in the order in which they were asked for. */
export const findingLines = (findings: Findings): Line[] => [
  [toned('strong', 'What the service does')],
  answerLine('the same mandate twice', findings.duplicate, heldText(findings.duplicate)),
  answerLine('another mandate of a customer', findings.secondMandate),
  answerLine('a mandate of an unknown customer', findings.unknownCustomer),
  answerLine('wrong check digits in the account', findings.wrongAccount),
  ...readBackLines(findings.readBack),
  delayLine(findings.delay),
  ...limitsLines(findings.limits),
]

function answerLine(
  question: string,
  { finding, ...answer }: AnswerFinding | Findings['duplicate'],
  more: string | null = null,
): Line {
  const [tone, text] = ANSWERS[finding]
  const end = more === null ? '' : `; ${more}`
  return [`  ${question}: `, toned(tone, `the service ${text}`), `${statusText(answer)}${end}`]
}

function statusText({ status, identifier, field }: Omit<AnswerFinding, 'finding'>): string {
  const words = [
    status === null ? null : String(status),
    identifier,
    field === null ? null : `field ${field}`,
  ]
  const known = words.filter((word) => word !== null)
  return known.length === 0 ? '' : ` (${known.join(', ')})`
}

const HELD: Readonly<Record<Findings['duplicate']['held'], string | null>> = {
  none: 'none of them is listed',
  one: 'one of them is listed',
  two: 'both are listed',
  more: 'more than two are listed',
  varies: 'how many are listed varies',
  not_known: 'how many it holds is not known',
  not_asked: null,
}
const heldText = ({ held }: Findings['duplicate']): string | null => HELD[held]

const READ_BACK: Readonly<Record<Findings['readBack']['finding'], readonly [tone: Tone, text: string]>> = {
  available: ['good', 'is there'],
  not_shown: ['open', 'answers, and no made-up mandate showed in time'],
  missing: ['open', 'is not there'],
  refused: ['open', 'is refused to this user'],
  not_known: ['open', 'gave no answer that tells'],
  not_asked: ['open', 'could not be tried: no mandate was registered'],
}

function readBackLines(found: Findings['readBack']): Line[] {
  const [tone, text] = READ_BACK[found.finding]
  const status = found.status === null ? '' : ` (${found.status})`
  const first: Line = ['  reading back: it ', toned(tone, text), status]
  if (found.finding !== 'available') return [first]
  const proves = found.verdict === 'proven'
  return [
    first,
    [
      '    this program ',
      proves ? toned('good', 'can prove') : toned('bad', 'cannot prove'),
      ' a mandate by it: ',
      `account ${found.account}, date ${found.date}, reference ${found.reference}`.replaceAll('_', ' '),
    ],
    `    status ${wordsText(found.statusWords)}, scheme ${wordsText(found.schemes)}; the list of an unknown customer: ${found.unknownCustomer.replaceAll('_', ' ')}`,
  ]
}

const wordsText = (words: readonly string[]): string =>
  words.length === 0 ? 'missing' : words.map((word) => oneLine(word)).join(', ')

function delayLine({ finding, notYetMs, shownMs }: Findings['delay']): Line {
  const shown = shownMs === null ? '' : durationText(shownMs)
  const notYet = notYetMs === null ? '' : durationText(notYetMs)
  const texts: Readonly<Record<typeof finding, readonly [tone: Tone, text: string]>> = {
    at_once: ['good', 'at once'],
    delayed: ['open', `not yet after ${notYet}, and after ${shown} at the latest`],
    not_within: ['open', `not within ${notYet}`],
    not_known: ['open', `after ${shown} at the latest`],
    not_asked: ['open', 'not asked'],
  }
  return ['  a new mandate shows: ', toned(...texts[finding])]
}

function limitsLines({ finding, reads, throttledAt, retryAfterMs, ...limits }: Findings['limits']): Line[] {
  const named = Object.entries(limits.headers).map(([name, value]) => `${name}: ${oneLine(value)}`)
  const wait = retryAfterMs === null ? '' : `, to wait ${durationText(retryAfterMs)}`
  const texts: Readonly<Record<typeof finding, string>> = {
    met: [
      throttledAt === null ? null : `read ${throttledAt} of a burst was too many${wait}`,
      limits.throttledPosts === 0
        ? null
        : `${plural(limits.throttledPosts, 'mandate was', 'mandates were')} turned away with 429`,
    ]
      .filter((part) => part !== null)
      .join('; '),
    not_met: `none met by ${plural(reads, 'read', 'reads')} in a row`,
    not_known: 'not known',
    not_asked: 'not asked',
  }
  return [
    ['  limits: ', toned(finding === 'not_met' ? 'good' : 'open', texts[finding])],
    ...(named.length === 0 ? [] : [`    the service says: ${named.join(', ')}`]),
  ]
}

const CERTAINTY: Readonly<Record<LeftBehind['certainty'], readonly [tone: Tone, text: string]>> = {
  registered: ['strong', 'registered'],
  listed: ['strong', 'listed, its answer was lost'],
  may_be: ['open', 'may be registered'],
}

/** What a person has to cancel in the test environment. */
export function leftBehindLines(left: readonly LeftBehind[]): Line[] {
  if (left.length === 0) return ['Nothing was registered.']
  return [
    [toned('strong', 'Made-up mandates that stay there'), ': cancel them in the test environment'],
    ...left.map(({ customerNo, reference, accountMasked, certainty, assigned, ids }): Line => {
      const known = [
        ...(assigned.length === 0 ? [] : [`assigned ${assigned.join(' and ')}`]),
        ...(ids.length === 0 ? [] : [`id ${ids.join(' and ')}`]),
      ].join(', ')
      return [
        `  ${reference} of customer ${customerNo} (${accountMasked}): `,
        toned(...CERTAINTY[certainty]),
        known === '' ? '' : `, ${known}`,
      ]
    }),
  ]
}

const PURPOSES: Readonly<Record<Purpose, string>> = {
  first: 'a new mandate',
  duplicate: 'the same mandate once more',
  second_mandate: 'another mandate of this customer',
  unknown_customer: 'a mandate of a customer who is not known',
  wrong_account: 'a mandate with wrong check digits',
}

/** What goes on, a line for each step. */
export function eventLine(event: ProbeEvent): string {
  switch (event.kind) {
    case 'reading':
      return `Reading what customer ${event.customerNo} has`
    case 'posting': {
      const { customerNo, original } = event.mandate
      return `Sending ${original.mandateReference} to customer ${customerNo}: ${PURPOSES[event.purpose]}`
    }
    case 'posted':
      return `  ${event.posted.outcome.reason}`
    case 'waiting':
      return `Waiting ${durationText(event.delayMs)}`
    case 'burst':
      return `Reading ${event.reads} times in a row`
  }
}
