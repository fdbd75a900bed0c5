import { html } from 'hono/html'
import type { DoubtHint } from '../../domain/row/outcome.js'
import { HELD_BACK } from '../../domain/proof/before-sending.js'
import { verificationText, type VerificationWord } from '../../domain/proof/verification.js'
import { NO_REASON } from '../../domain/row/correction.js'
import { STILL_NOT_SENT } from '../../domain/rule/finding.js'
import { RULES, type RuleId, type Severity } from '../../domain/rule/rules.js'
import type { RowState } from '../../domain/row/row-state.js'
import type { RunTerms } from '../../domain/row/run-terms.js'
import type { SourceReading } from '../../domain/rule/source-reading.js'
import { STATE_WORDS } from '../../domain/row/state-words.js'
import { countText, durationText, plural, shareText, widthText } from '../../domain/text/wording.js'
import { DEFINITIONS } from '../facts/hash-totals.js'
import type { Markup } from './markup.js'

type Words<Key extends string> = Readonly<Record<Key, string>>

/** What the domain says in English is its own source: the other languages say the same. */
const states: Readonly<Record<RowState, Words<'name' | 'long'>>> = STATE_WORDS
const rules: Readonly<Record<RuleId, Words<'message' | 'remedy'>>> = RULES

const heldBack: Words<keyof typeof HELD_BACK> = HELD_BACK

const severities: Words<Severity> = { error: 'error', warning: 'warning', off: 'off' }

/** What a person decided, by the word that was recorded. */
const decisionWords: Words<
  'registered' | 'refused' | 'resend' | 'written_off' | 'retry_refused' | 'corrected'
> = {
  registered: 'registered',
  refused: 'refused',
  resend: 'resend',
  written_off: 'written off',
  retry_refused: 'retry refused',
  corrected: 'corrected',
}

const verdictWords: Words<VerificationWord> = {
  missing: 'missing',
  twice: 'twice',
  different: 'different',
  unreadable: 'unreadable',
  proven: 'proven',
}

const verdictTitles: Words<VerificationWord> = {
  missing: 'Missing: not shown for the customer',
  twice: 'Twice: shown more than once',
  different: 'Different: shown with other data, or ended',
  unreadable: 'Unreadable: could not be compared',
  proven: 'Proven: shown exactly once',
}

const hints: Words<Exclude<DoubtHint, 'unknown'>> = {
  probably_registered: 'probably registered',
  may_exist: 'may already exist',
}

/** The page itself, and what stands above and below everything. */
const page = {
  title: 'Reconciliation of the SEPA mandate migration',
  annex: 'Annex: what the first page rests on',
  footer:
    'All times are UTC. Account numbers are shown as country and last four characters. Made from the ledger alone: the same ledger gives the same page.',
  asRecorded:
    'Words of the service and of persons, why a run stopped, what was found about a single value, and settings stand as they were recorded.',
  printedLedger: (id: string, at: string) => `Ledger ${id}, as of ${at}`,
  printedPage: (page: string, pages: string) => `Page ${page} of ${pages}`,
  firstShown: (shown: number, total: number) =>
    `The first ${countText(shown)} of ${countText(total)} are shown.`,
  allIn: (file: string) => `All are in ${file}.`,
}

const cover = {
  noService: 'no service yet',
  lead: (host: string, at: string) => `to ${host}, as of ${at}`,
  rehearsal: 'REHEARSAL',
  onThisComputer: 'Everything was sent to a service on this computer.',
  declaredAsTest: (host: string) => `The configuration declares ${host} to be a test environment.`,
  treatedAsActive: (names: string, more: number) =>
    `No column of ${names}${more > 0 ? ` and ${countText(more)} more` : ''} says which mandates are active: every mandate is treated as active.`,
  read: 'Records read',
  registered: 'Registered',
  inDoubt: 'In doubt',
  refused: 'Refused',
  notSent: 'Not sent',
  comeFrom: 'Registered mandates come from',
  goTo: 'and go to',
  others: (count: number) => `others (${countText(count)})`,
  nothingRun: 'nothing was run',
  runsBetween: (runs: number, from: string, to: string) => `${plural(runs, 'run', 'runs')}, ${from} to ${to}`,
  runBy: 'Run by',
  decidedBy: 'Decided by',
  nobodyDecided: 'no row was resolved by a person',
  decisionsBy: (name: string, decisions: number) => `${name} (${plural(decisions, 'decision', 'decisions')})`,
  forcedResends: (resends: number) =>
    `${plural(resends, 'resend', 'resends')} forced within 15 minutes of the attempt`,
  decisionsByOthers: (decisions: number) => `others (${plural(decisions, 'decision', 'decisions')})`,
  plannedBy: 'Planned by',
  approvedBy: 'Approved by',
  moreNames: (count: number) => `${countText(count)} others`,
  signOff: 'Sign-off',
  compared: (read: number, registered: number, ledger: Markup, at: string) =>
    html`I have compared ${plural(read, 'record', 'records')} read with ${countText(registered)} registered
    and the open points above, for ledger ${ledger} as of ${at}.`,
  signers: { prepared: 'Prepared by', checked: 'Checked by', approved: 'Approved by' },
  nameAndFunction: 'Name, function',
  dateAndSignature: 'Date, signature',
}

const metadata = {
  target: 'Target',
  notBound: 'not bound to a service yet',
  user: 'User at the service',
  period: 'Period',
  span: (from: string, to: string) => `${from} to ${to}`,
  ledger: 'Ledger',
  ledgerId: 'Ledger id',
  accounts: 'Account numbers',
  accountsKept: 'kept for rows that are not registered',
  accountsRemoved: (at: string) => `removed ${at}`,
}

const verdict = {
  notBalanced: 'The control totals do NOT balance',
  nothingRead: 'Balanced: no record was read yet',
  nothingOpen: 'Balanced, nothing is open',
  open: (points: number) => `Balanced, ${plural(points, 'point', 'points')} open`,
  everyRecord: (records: number, sources: number) =>
    `Every one of the ${plural(records, 'record', 'records')} read from ${plural(sources, 'source', 'sources')} is in exactly one state.`,
  doNotSign:
    'The states do not add up to the records read. Do not sign: keep the ledger as it is and have it looked into.',
  stoppedEarly: (why: string) => `The last run stopped early: ${why}`,
  settingsChanged: 'settings changed',
  readDifferently: (runs: number) =>
    `${plural(runs, 'run', 'runs')} read answers or rules differently from the default.`,
  runGoingOn: 'a run was going on',
  changedMeanwhile:
    'The ledger changed while this report was written. Each row is counted once, as it was met; write the report again when the run has ended.',
}

/** What somebody still has to act on. */
const openPoints = {
  contradicted: (count: number) =>
    `${plural(count, 'registered mandate is', 'registered mandates are')} missing, twice or different at the service.`,
  inDoubt: (count: number) =>
    `${plural(count, 'mandate is', 'mandates are')} in doubt: registered or not, nobody knows yet.`,
  sending: (count: number) =>
    `${plural(count, 'mandate was', 'mandates were')} on the way when this was written.`,
  refused: (count: number) => `${plural(count, 'mandate was', 'mandates were')} refused by the service.`,
  ready: (count: number) =>
    `${plural(count, 'row is', 'rows are')} ready and not registered yet; run again to continue.`,
  invalid: (count: number) =>
    `${plural(count, 'row is', 'rows are')} invalid and cannot be sent as they are.`,
  conflict: (count: number) =>
    `${plural(count, 'row contradicts', 'rows contradict')} another row of the same mandate.`,
}

const totals = {
  title: 'Control totals',
  state: 'State',
  rows: 'Rows',
  share: 'Share',
  listedIn: 'Listed in',
  sum: 'Sum of all states',
  read: 'Records read, counted by the reader of the sources',
  difference: 'Difference',
  resubmitted: (lines: number) =>
    `${plural(lines, 'line was', 'lines were')} given back as corrections. A correction counts in the place of the row it corrects, so these lines add nothing to the records read.`,
  notTaken: (count: number, file: string) =>
    `${plural(count, 'of them was', 'of them were')} not taken, because what was sent or closed cannot be replaced by a file, or because the line does not fit the row it names: see ${file} and problems.csv.`,
}

const chart = {
  rowsByState: 'Rows by state',
  nothingRead: 'No record was read yet.',
  nothingRegistered: 'Nothing was registered yet.',
  registrationsPer: (width: string) => `Registrations per ${width}`,
  countPer: (count: number, width: string) => `${countText(count)} per ${width}`,
  bars: (bars: number, width: string, from: string, to: string, highest: number) =>
    `${plural(bars, 'bar', 'bars')} of one ${width} from ${from} to ${to}, at most ${countText(highest)}`,
}

const verification = {
  notAsked: 'Read back at the service: not asked.',
  summary: verificationText,
  sample: (mandates: number) =>
    `What was asked last is a sample of ${plural(mandates, 'mandate', 'mandates')}, drawn at random.`,
  title: 'Proof at the service',
  eachIn: (file: Markup) => html`Each row that was asked is in ${file}.`,
  notAskedTitle: 'Not asked',
  row: 'Row',
  what: 'What',
  customer: 'Customer, account',
  assignedReference: 'Assigned reference',
  seen: 'What was seen',
}

const inDoubt = {
  title: 'In doubt',
  none: 'No mandate is in doubt: the outcome of every request is known.',
  counted: (mandates: number) => `In doubt: ${plural(mandates, 'mandate', 'mandates')}`,
  lead: (file: Markup, command: Markup) =>
    html`Each of these may or may not exist at the service. Sending one again could debit the customer twice,
    so the program never does. Look each one up at the service, fill the decision columns of ${file} and run
    ${command}.`,
  proposals: (count: number, file: Markup, word: Markup) =>
    html`${plural(count, 'of them was', 'of them were')} read back as absent for long enough: ${file} proposes
    ${word} with the evidence, for a person to decide.`,
  alreadyThere: 'already at the service, not sent',
  noneAnswered: 'none',
  noAnswer: 'no answer',
  row: (row: number, customer: number | string) => `Row ${row}, customer ${customer}`,
  unknown: 'unknown',
  openSince: (at: string) => `open since ${at}`,
  previousReference: 'Previous reference',
  requestSent: 'Request sent',
  notSent: 'not sent',
  previousCreditor: 'Previous creditor',
  answer: 'Answer',
  account: 'Account, signed',
  requestId: 'Request id',
  source: 'Source',
  record: (source: string, record: number) => `${source}, record ${record}`,
  attempts: 'Attempts',
  asReceived: 'Answer as received, masked:',
  cut: 'the whole answer is in the ledger',
}

const refused = {
  title: 'Refused',
  none: 'The service refused no mandate.',
  counted: (mandates: number) => `Refused by the service: ${plural(mandates, 'mandate', 'mandates')}`,
  lead: (file: Markup, command: Markup) =>
    html`Nothing was registered for these rows. Correct them in ${file} and feed the file back with
    ${command}.`,
  said: 'What the service said',
  rows: 'Rows',
  compared: 'Compared',
  decided: 'decided',
  field: (field: string) => `field ${field}`,
  noReason: 'No reason was given',
  answersIn: (file: string) => `Every row has its answer in ${file}.`,
}

const problems = {
  title: 'Problems in the sources',
  none: 'The checks found no problem.',
  lead: (problemsFile: Markup, correctionsFile: Markup) =>
    html`An error keeps a row from being sent; a warning does not. One row can have several. Each with its
    place in the source is in ${problemsFile}; rows that were not sent can be corrected in ${correctionsFile}
    and fed back.`,
  severity: 'Severity',
  rule: 'Rule and meaning',
  count: 'Count',
  compared: 'Compared',
}

const registered = {
  counted: (mandates: number) => `Registered: ${plural(mandates, 'mandate', 'mandates')}`,
  means: 'What “registered” means.',
  meaning: (file: Markup) =>
    html`The service answered that it stored the mandate, and gave it a new creditor identifier and a new
    reference. ${file} holds old and new side by side.`,
  meansNot: 'What it does not mean.',
  notFinal: 'It is not final. A mandate has moved only when its first payment is initiated with it.',
  notProven:
    'It does not prove the account, the reference or the date. If one is wrong, the first debit comes back (MD01, MD02, AC01, AC04, AM05, MD07), days or months later.',
  notCancelled:
    'It is no reason to cancel anything at the previous creditor, and the old identifiers have to be kept for good.',
  notRestarted: 'It does not restart the 36 months after which an unused mandate lapses.',
  notTold: 'Each customer must learn the new creditor name, identifier and reference before the next debit.',
  lapseFirst: 'Registered mandates that lapse first',
  earliest: (rows: number) =>
    `The first debit has to run by this date. Earliest ${rows} of those for which it can be told.`,
  firstDebitBy: 'First debit by',
  customer: 'Customer',
  assignedReference: 'Assigned reference',
  previousReference: 'Previous reference',
}

const sources = {
  title: 'Sources',
  source: 'Source',
  read: 'Read',
  addsUp: 'Adds up',
  all: 'All sources',
  size: (bytes: number, records: number, blankLines: number, at: string) =>
    `${countText(bytes)} bytes, ${plural(records, 'record', 'records')}, ${plural(blankLines, 'blank line', 'blank lines')}, admitted ${at}`,
}

const plans = {
  samePerson: 'same person',
  approvedAlone: (plans: number, name: string, link: Markup) =>
    html`${plural(plans, 'plan was', 'plans were')} planned and approved by the same person, last ${name}:
    nobody else looked at ${link}.`,
  whatWasToBeSent: 'what was to be sent',
  person: (name: string, user: string) => `${name} (user ${user})`,
  title: 'Plans and approvals',
  latest: (shown: number, total: number) => `The latest ${shown} of ${countText(total)}.`,
  underNone: (count: number, runs: string) =>
    `${plural(count, 'run', 'runs')} sent rows under no plan: ${runs}.`,
  plan: 'Plan',
  planned: 'Planned',
  rows: 'Rows',
  approved: 'Approved',
  runs: 'Runs',
  notApproved: 'not approved',
  noRun: 'none',
  byTheSamePerson: 'the same person',
  approval: (at: string, person: string, reason: string, until: string) =>
    `${at}, ${person}: ${reason}; until ${until}`,
}

const runs = {
  title: 'Runs',
  none: 'Nothing was run yet.',
  run: (id: number, at: string) => `Run ${id}, ${at}`,
  requests: (registered: number, refused: number, inDoubt: number, turnedAway: number, notSent: number) =>
    `Requests: ${countText(registered)} registered, ${countText(refused)} refused, ${countText(inDoubt)} in doubt, ${countText(turnedAway)} turned away, ${countText(notSent)} not sent`,
  withoutOutcome: (count: number) => `${countText(count)} without an outcome`,
  answersChanged: 'answers read differently',
  readAs: (status: string, outcome: string) => `${status} as ${outcome}`,
  rulesChanged: 'rules changed',
  usually: (severity: string) => `default ${severity}`,
  unknown: 'unknown',
  startedBy: 'started by',
  version: 'program version',
  today: 'today of the date rules',
  goingOn: 'Going on, or ended without a word.',
  killed: 'Killed: it ended without a word.',
  becameDoubtful: 'What it had under way became in doubt.',
  ended: (at: string, exit: number | string) => `Ended at ${at}, exit status ${exit}.`,
  onlyRows: (column: string, values: string) => `only rows with ${column}: ${values}`,
  leftByChoice: (count: number) => `${plural(count, 'other row stays ready', 'other rows stay ready')}.`,
  stopped: (why: string) => `Stopped early: ${why}`,
  exit: (exit: number | string) => `exit status ${exit}`,
}

const decisions = {
  title: 'Decisions by persons',
  none: 'No row was resolved by a person.',
  row: 'Row',
  decision: 'Decision',
  by: 'By, at',
  reason: 'Reason and evidence',
  corrected: 'Corrected rows',
  correctedLead: 'Rows that were given back with other values: before and after, accounts masked.',
  noReason: NO_REASON,
}

const hashTotals = {
  title: 'Hash totals',
  customers: 'Different customers',
  mandates: 'Different mandates',
  accounts: 'Different accounts',
  distinct: (count: number) => `${countText(count)} among all mandates`,
  lead: 'These totals change when a row is lost, doubled or altered. They do not depend on the order of rows.',
  over: 'Over',
  rows: 'Rows',
  total: 'Total',
  value: 'Value',
  allMandates: 'All mandates',
  registered: 'Registered',
  sum: 'sum of customer_no',
  oldKeys: 'digest of old keys',
  pairs: 'digest of old and new',
  definitions: `Old key: ${DEFINITIONS.oldKey} Digest of old keys: ${DEFINITIONS.oldKeyDigest} Digest of old and new: ${DEFINITIONS.pairDigest}`,
  whereAll: (summary: Markup, manifest: Markup) =>
    html`The totals of every state are in ${summary}; those of the states add up to those of all rows.
    ${manifest} has the size and SHA-256 of every file of this pack and of every source.`,
}

/** Why a row is where it is and what a person should do. */
const explanation = {
  inDoubtRemedy:
    'Look the mandate up at the service. Then fill the decision columns and run "sepa-migrate resolve --from" with this file. Never feed it back as a source.',
  refusedRemedy:
    'Correct the value and feed this file back. If the cause was at the service, run again with --retry-refused.',
  readyRemedy: 'Run again to send it.',
  sending: 'A run is sending this row, or ended while it did',
  sendingRemedy: 'If no run is going, run again: the row becomes in doubt and is not sent.',
  registered: 'Registered',
  replaced: 'Replaced by a later file',
  replacedBy: (row: number) => `Replaced by row ${row} of a later file`,
  writtenOff: 'Written off by a person',
  decided: (by: string, on: string, decision: string, reason: string) =>
    `Decided by ${by} on ${on} (${decision}): ${reason}`,
  field: (field: string) => `field ${field}`,
  theServiceSaid: (reason: string, words: string) => `${reason}. The service said: ${words}`,
  notSentYet: 'Not sent yet',
  toBeSentAgain: (why: string) => `To be sent again. ${why}`,
  aPersonDecided: 'A person decided so',
  afterRefusal: (said: string) => `To be sent again after it was refused: ${said}`,
  notCarriedOut: (said: string) => `Not registered yet, the last attempt was not carried out: ${said}`,
  itWasInDoubt: (how: string, at: string, request: string) => `It was in doubt: ${how} ${at} (id ${request})`,
  rowWasInDoubt: (row: number, how: string, at: string, request: string) =>
    `Row ${row} of this mandate was in doubt: ${how} ${at} (id ${request})`,
  mayHaveLeft: 'its request may have left',
  left: 'its request left',
  heldAlready: 'the service held it already, and nothing was sent',
  mayBeApplied: (told: string) => `${told} and may have been applied.`,
}

/**
 * Why a row is in doubt, was refused or not sent, as it is recorded in English. What stands in it is what another layer
 * records; `recorded.test.ts` has each of them made there.
 */
const reasons = {
  unsent: {
    refusedConnection: 'The service refused the connection',
    unknownHost: 'The host name of the service is not known',
    notLookedUp: 'The host name of the service could not be looked up',
    unreachable: 'The service cannot be reached from here',
    connectionLate: 'The connection was not ready in time',
    noConnection: 'No connection was ready in time',
    brokenOff: 'The run was broken off before the request left',
    proxyCredentials: 'The proxy asked for credentials with 407',
    proxyAnswered: (status: string) =>
      `The proxy answered ${status} instead of opening the way to the service`,
    notTrusted: 'No trusted connection could be set up, check certificates, host name and port',
    notWellFormed: (problem: string) => `The request was not well formed: ${problem}`,
    notSetUp: 'The connection could not be set up',
  },
  broken: {
    notComplete: 'No complete answer came in time',
    noAnswer: 'No answer came in time',
    inTheMiddle: 'The answer stopped in the middle',
    tooLarge: 'The answer was too large to read',
    brokenOff: 'The run was broken off while the request was under way',
    connection: 'The connection broke before the answer was complete',
  },
  consequence: {
    mayExist: 'the mandate may already exist there',
    refused: 'refused',
    credentials: 'credentials or permission refused, nothing was applied',
    later: 'not now, try later',
    redirect: 'a redirect, which is never followed',
    unclear: 'this does not tell whether the request was applied',
  },
  /** What the domain says itself. */
  held: heldBack,
  compared: {
    lacking: 'a source that could be this mandate lacks what is compared',
    unknownRow: 'this row is not known to the ledger',
  },
  source: {
    withReference: (id: string, reference: string) => `payment source ${id}, reference ${reference}`,
    alone: (id: string) => `payment source ${id}`,
  },
  unread: {
    broken: (how: string, code: string) => `${how} (${code})`,
    notWhole: (status: string, how: string, code: string) =>
      `The service answered ${status}, but not whole: ${how} (${code})`,
    answeredSaying: (status: string, said: string) => `The service answered ${status} (${said})`,
    answered: (status: string) => `The service answered ${status}`,
    tooLarge: 'The list of payment sources is larger than is read',
    notAList: (status: string, problem: string) =>
      `The service answered ${status}, but not with a list of payment sources (${problem})`,
    notComparable: (why: string) => `The list of payment sources cannot be held against this mandate: ${why}`,
  },
  sentence: {
    nothingSent: (cause: string, code: string) => `${cause} (${code}): nothing was sent`,
    mayBeApplied: (how: string, code: string) => `${how} (${code}): the service may have applied the request`,
    cutProbablyApplied: (status: string, how: string, code: string) =>
      `The service answered ${status}, but the answer did not arrive whole (${how} (${code})): the request was probably applied`,
    cut: (status: string, how: string, code: string) =>
      `The service answered ${status}, but the answer did not arrive whole (${how} (${code}))`,
    answeredSaying: (status: string, said: string, consequence: string) =>
      `The service answered ${status} (${said}): ${consequence}`,
    answered: (status: string, consequence: string) => `The service answered ${status}: ${consequence}`,
    complete: (status: string) => `The service answered ${status} with a complete answer`,
    nothingElse: (status: string) =>
      `The service answered ${status} and nothing else: the request was probably applied`,
    notJson: (status: string) =>
      `The service answered ${status} and something that is not JSON: the request was probably applied`,
    notUsable: (status: string, problem: string) =>
      `The service answered ${status}, but the answer is not usable (${problem}): the request was probably applied`,
    otherField: (status: string, field: string) =>
      `The service answered ${status}, but its ${field} is not the one that was sent: answers may be shifted`,
    repeated: (reference: string, creditor: string) =>
      `The service answered with the mandate reference "${reference}" of "${creditor}", which it gave to another row before`,
    heldBack: (what: string, shown: string) => `${what}, so it was not sent: ${shown}`,
    askedFirst: (answer: string) => `Asked first what the service holds; the row was not sent. ${answer}`,
    interrupted: 'The run was interrupted while the service was asked; the row was not sent',
    ended: 'The program ended before the answer was recorded',
    endedWithAnswer: (file: string) =>
      `The program ended before the answer was recorded. Its answer is in the file "${file}"`,
    olderCopy: 'An older copy of the ledger was put back: this row may have been sent since it was made',
    anotherLedger: 'Another ledger of yours began to send this one',
    allInDoubt: 'Nobody knows what was sent before this ledger was made: this row may have been',
  },
  withoutId: 'without an id',
  noError: 'no error was given',
}

/** What was seen of a registered row at the service, and what a person may do about it. */
const seen = {
  absent:
    'The service shows no payment source of this customer. Ask it: the mandate may have been cancelled, or shows late.',
  times: (sources: number) => `The service shows this mandate ${sources} times.`,
  moreThanOnce: 'The service shows this mandate more than once.',
  cannotTell: 'Which of them may be cancelled cannot be told here: look them up at the service.',
  mayBeCancelled: (own: string, others: string) =>
    `${own} is the one of this ledger; a person may cancel ${others}.`,
  withoutId: 'One without an id',
  unreadable: (why: string) => `It could not be compared, so it is not proven: ${why}.`,
  noList: 'no list came',
  ended: (status: string) => `The service shows this mandate as ended (${status}).`,
  noStatus: 'no status',
  ambiguous: 'Another row of this customer has the same account and date, and no reference tells them apart.',
  noneOfThem:
    'The service shows payment sources of this customer, and none with account, date and reference of this mandate.',
  differs: (theirs: string, ours: string) => `The service shows it with ${theirs}; the ledger has ${ours}.`,
  accountAndDate: (account: string, date: string) => `account ${account}, signed ${date}`,
  unknown: 'unknown',
}

/** Names of the sheets of the workbook: 31 characters at the most, and none of `[ ] : * ? / \\`. */
const sheets = {
  summary: 'Summary',
  verification: 'Verification',
  inDoubt: 'In doubt',
  refused: 'Refused',
  corrections: 'To correct',
  notSent: 'Not sent',
  registered: 'Registered',
  closed: 'Closed',
  problems: 'Problems',
  decisions: 'Decisions',
  sources: 'Sources',
  plans: 'Plans',
  runs: 'Runs',
  columns: 'Columns',
}

/** What stands above the columns of the sheets. */
const headers = {
  row: 'Row',
  state: 'State',
  customer: 'Customer',
  account: 'IBAN (masked)',
  signed: 'Signed',
  previousCreditor: 'Previous creditor',
  previousReference: 'Previous reference',
  assignedCreditor: 'Assigned creditor',
  assignedReference: 'Assigned reference',
  registeredAt: 'Registered at',
  firstDebitBy: 'First debit by',
  source: 'Source',
  record: 'Record',
  line: 'Line',
  lastRequest: 'Last request',
  lastAttemptAt: 'Last attempt at',
  status: 'HTTP status',
  rule: 'Rule',
  message: 'Message',
  remedy: 'What to do',
  column: 'Column',
  severity: 'Severity',
  value: 'Value',
  verification: 'Verification',
  verifiedAt: 'Verified at',
  paymentSources: 'Payment sources',
  cancellable: 'May be cancelled',
  seen: 'What was seen',
  at: 'At',
  by: 'By',
  decision: 'Decision',
  reason: 'Reason',
  evidence: 'Evidence',
  admittedAt: 'Admitted at',
  bytes: 'Bytes',
  read: 'Read',
  resubmitted: 'Resubmitted',
  balanced: 'Balanced',
  run: 'Run',
  started: 'Started',
  ended: 'Ended',
  version: 'Version',
  asOf: 'As of',
  zone: 'Zone',
  registered: 'Registered',
  refused: 'Refused',
  inDoubt: 'In doubt',
  turnedAway: 'Turned away',
  notSent: 'Not sent',
  open: 'Open',
  stoppedBy: 'Stopped by',
  exit: 'Exit',
  settings: 'Settings',
  plan: 'Plan',
  plannedAt: 'Planned at',
  plannedBy: 'Planned by',
  rows: 'Rows',
  approvedAt: 'Approved at',
  approvedBy: 'Approved by',
  expires: 'Expires',
  asUser: 'As user',
  samePerson: 'Same person',
  runs: 'Runs',
  file: 'File',
  meaning: 'Meaning',
}

const workbook = {
  title: 'SEPA mandate migration: reconciliation',
  sheets,
  headers,
  notProven: 'Not proven at the service',
  proposals: (file: string, count: number) => `(${file} proposes to send again: ${countText(count)})`,
  span: (first: number, last: number, total: number) =>
    `rows ${countText(first)} to ${countText(last)} of ${countText(total)}`,
  noneOf: (total: number) => `none of ${countText(total)}`,
  full: 'A workbook cannot hold more.',
  allInLedger: 'All are in the ledger, table of rows.',
  plansTitle: 'Plans, a line for each approval',
  samePerson: 'YES',
  otherPerson: 'no',
  user: 'User',
  asOf: 'State of the ledger as of',
  result: 'Result',
  balanced: 'The control totals balance',
  notBalanced: 'THE CONTROL TOTALS DO NOT BALANCE',
  resubmitted: 'Resubmitted, counted in the place of the rows they correct',
  notTaken: 'Of these not taken',
  distinct: 'Distinct',
  count: 'Count',
  customers: 'Customers',
  mandates: 'Mandates',
  accounts: 'Accounts',
  sumOfAll: 'Sum of customer numbers, all mandates',
  oldKeysOfAll: 'Digest of old keys, all mandates',
  sumOfRegistered: 'Sum of customer numbers, registered',
  oldKeysOfRegistered: 'Digest of old keys, registered',
  pairsOfRegistered: 'Digest of old and new, registered',
}

/** Settings whose own name says nothing to a person. */
const settingNames: Readonly<Partial<Record<string, string>>> = {
  stopAtCanaryDoubt: 'stop where the very first row gets no answer',
  maxDurationMs: 'longest duration in ms',
  timeoutMs: 'deadline of a request in ms',
  resultFile: 'written by this program',
} satisfies Partial<Record<keyof RunTerms | keyof SourceReading, string>>

/** `headerLine` as `header line`. */
const asWords = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)

const registeredColumns = {
  customer_no: 'Number of the customer at the service.',
  iban_masked: 'The account: country and last four characters.',
  signed_date: 'Day on which the mandate was signed.',
  original_creditor_identifier: 'Creditor identifier of the previous creditor.',
  original_mandate_reference: 'Mandate reference at the previous creditor.',
  assigned_creditor_identifier: 'Creditor identifier that the service assigned.',
  assigned_mandate_reference: 'Mandate reference that the service assigned.',
  registered_at: 'When the mandate became registered, in UTC.',
  source: 'The file that the row was read from.',
  record: 'Number of the record in that file; the header is none.',
  attempts: 'How many attempts to send the row there were.',
  latest_first_debit:
    'Day by which the first debit has to run, because the mandate lapses then; empty where it cannot be told.',
}

const resultColumns = {
  migration_row:
    'Number of the row in the ledger, by which a corrected line is recognised. Leave it as it is.',
  migration_state: 'State of the row, as the program names it.',
  migration_rule: 'The rules by which the row has this state.',
  migration_status: 'HTTP status of the last answer.',
  migration_message: 'What happened to the row.',
  migration_remedy: 'What to do about it.',
  migration_sent_at: 'When the latest request began, in UTC.',
  migration_sent_ago: 'How long that was before the latest change of the ledger.',
  migration_resend_from:
    'From when on the row may be called refused or be sent again, in UTC; until then the request may still arrive.',
  migration_request_id: 'Id of that request, to ask the service about it.',
  migration_proposal: 'The decision that the evidence allows. It decides nothing.',
  migration_proposal_evidence: 'What the proposal rests on, or why there is none.',
  migration_ledger: 'Mark of the ledger: a decision counts for this one alone. Leave it as it is.',
  migration_attempt:
    'Number of the latest attempt: a decision is refused once there was another. Leave it as it is.',
  migration_decision:
    'For a person to fill in: registered, refused, resend or written-off in in-doubt.csv, written-off to close a row, send in corrections.csv where the row is right as it stands.',
  migration_reason: 'For a person to fill in: how it is known.',
  migration_by: 'For a person to fill in: who decided. Where it is empty, the user who records it.',
  migration_assigned_creditor_identifier:
    'For a person to fill in with the decision registered: the creditor identifier that the service assigned.',
  migration_assigned_mandate_reference:
    'For a person to fill in with the decision registered: the mandate reference that the service assigned.',
}

const problemColumns = {
  source: 'The file in which it was found.',
  record: 'Number of the record in that file; the header is none. Empty for a whole file.',
  line: 'Line of the file on which the record begins. Empty for a whole file.',
  column: 'The column of the export.',
  rule: 'The rule that was broken.',
  severity: 'error keeps the row from being sent, warning does not.',
  value: 'The value that was found, account numbers masked.',
  message: 'What is wrong.',
  remedy: 'What to do about it.',
}

const decisionColumns = {
  id: 'Number of the decision.',
  row: 'Number of the row in the ledger.',
  attempt: 'Number, in the ledger, of the attempt that was decided on; empty where there was none.',
  time: 'When it was recorded, in UTC.',
  by: 'Who decided, by the name that was given.',
  as: 'User of the operating system who recorded it.',
  decision: 'What was decided.',
  from: 'State of the row before it.',
  to: 'State of the row after it.',
  reason: 'How it was known, as it was given.',
  evidence: 'What it rests on.',
  hash: 'SHA-256 over the hash of the line before and the cells of this one: none can change, move or go unnoticed.',
}

const verificationColumns = {
  migration_row: 'Number of the row in the ledger.',
  customer_no: 'Number of the customer at the service.',
  iban_masked: 'The account: country and last four characters.',
  assigned_mandate_reference: 'Mandate reference that the service assigned.',
  assigned_creditor_identifier: 'Creditor identifier that the service assigned.',
  verification: 'What the latest answer says: missing, twice, different, unreadable or proven.',
  verified_at: 'When that answer came, in UTC.',
  payment_sources: 'Ids of the payment sources that the service shows, with blanks between them.',
  payment_source_statuses: 'Their statuses, in the same order.',
  may_be_cancelled: 'Ids of those that a person may cancel.',
  explanation: 'What was seen, and what a person may do about it.',
}

/** What stands in the columns of the files (`explained-columns.ts`), whose names and cells are the same in every language. */
const columns = {
  title: 'The columns of the files',
  lead: 'Names of columns, and the words that the program writes under them, are English in every language, because programs read them. In the files to be corrected the columns of the export stand before these.',
  column: 'Column',
  meaning: 'Meaning',
  registered: registeredColumns,
  result: resultColumns,
  problems: problemColumns,
  decisions: decisionColumns,
  verification: verificationColumns,
}

const settings = {
  name: (name: string) => settingNames[name] ?? asWords(name),
  yes: 'yes',
  no: 'no',
}

/** Everything that a reader of the report sees in English. */
export const en = {
  tag: 'en',
  count: countText,
  share: shareText,
  duration: durationText,
  width: widthText,
  labelled: (name: string, value: string) => `${name}: ${value}`,
  addsUp: 'yes',
  doesNotAddUp: 'NO',
  states,
  rules,
  stillNotSent: STILL_NOT_SENT,
  severities,
  decisionWords,
  verdictWords,
  verdictTitles,
  hints,
  page,
  cover,
  metadata,
  verdict,
  openPoints,
  totals,
  chart,
  verification,
  inDoubt,
  refused,
  problems,
  registered,
  sources,
  plans,
  runs,
  decisions,
  hashTotals,
  stateMeanings: 'What the states mean',
  explanation,
  reasons,
  seen,
  columns,
  workbook,
  settings,
}

/** What every language has: a text, or a function of counts, names and links. */
export type Texts = typeof en
