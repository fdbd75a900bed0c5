import { CUT_OVER_CLASSES, type ClassCounts } from '../../domain/row/cut-over.js'
import {
  isBalanced,
  TOTAL_OF_STATE,
  type Totals,
  VERIFICATION_WORDS,
  verificationWord,
} from '../../domain/row/row-state.js'
import { shortDigest, toSend } from '../../domain/plan/plan.js'
import { isRuleId, ruleOf } from '../../domain/rule/verdict.js'
import { html } from 'hono/html'
import {
  countedOn,
  hasSent,
  idsText,
  type OpenRow,
  runsUnder,
  explainVerified,
  type ReportFacts,
} from '../facts/facts.js'
import { DECISIONS_FILE, PLACE_OF_PART, REPORT_ORDER, VERIFICATION_FILE } from '../pack/pack-folder.js'
import type { ApprovalRecord, RunRecord, SourceRecord, VerifiedRow } from '../../ledger/read/reader.js'
import {
  fact,
  fileLink,
  type Markup,
  partsOf,
  section,
  settingLines,
  settingText,
  table,
  type Texts,
  type TextKey,
} from '../text/texts.js'
import { maskedText } from '../../domain/text/accounts.js'
import { ATTEMPTS, decisionWord, explainedColumns } from '../files/lists.js'
import { said, plainText } from '../../domain/text/text.js'

/** Lines the page shows of each table of causes; the sentence under it says where the rest is. */
const LINES_SHOWN = 25

/** @param file that holds all of them, where that is not said elsewhere */
const restOf = (shown: number, total: number, { say }: Texts, file = ''): Markup | '' =>
  shown >= total
    ? ''
    : html`<p>${say('page.shown', { shown, total })} ${file === '' ? '' : say('page.allIn', { file })}</p>`

/** The rows nobody can answer for yet, each with what is known about it. */
function inDoubtSection({ inDoubt: { total, first }, proposals }: ReportFacts, texts: Texts): Markup {
  const { labelled, mark } = texts
  const file = fileLink(PLACE_OF_PART.inDoubt)
  const command = html`<code>sepa-migrate resolve --from ${PLACE_OF_PART.inDoubt}</code>`
  const proposed = { count: proposals, file, word: html`<em>resend</em>` }
  return html`<section id="in-doubt">
    <h2>${labelled('state.in_doubt', total)}</h2>
    ${total === 0 ? '' : html`<p>${mark('doubt.lead', { file, command })}</p>`}
    ${proposals === 0 ? '' : html`<p>${mark('doubt.proposals', proposed)}</p>`}
    ${first.map((listed) => inDoubtCase(listed, texts))}
    ${restOf(first.length, total, texts, PLACE_OF_PART.inDoubt)}
  </section>`
}

function inDoubtCase({ row, explanation }: OpenRow, texts: Texts): Markup {
  const { say, labelled } = texts
  const attempt = row.lastAttempt
  const since = attempt?.endedAt ?? attempt?.startedAt ?? null
  // Nothing left, since the service held it already.
  const isUnsent = attempt?.outcome === 'in_doubt' && attempt.started === false
  const leaning = attempt?.hint ?? 'unknown'
  const hint = isUnsent ? say('doubt.alreadyThere') : leaning === 'unknown' ? '' : say(`hint.${leaning}`)
  const mark = hint === '' ? '' : html` <span class="mark">${hint}</span>`
  const answered = attempt?.status == null ? '–' : `HTTP ${attempt.status}`
  const error = attempt?.errorCode ?? null
  return html`<article class="case">
    <h3>
      <span
        >${labelled('label.row', String(row.id))},
        ${labelled('label.customer', String(row.customerNo ?? '–'))}${mark}</span
      >
      <span class="soft">${since === null ? '' : say('doubt.openSince', { at: texts.time(since) })}</span>
    </h3>
    <p lang="en">${explanation.message}</p>
    <dl>
      ${fact(say('label.previousReference'), plainText(row.originalMandateReference ?? ''), 'id')}
      ${fact(say('label.sentAt'), isUnsent ? '–' : texts.time(attempt?.startedAt ?? null))}
      ${fact(say('label.previousCreditor'), plainText(row.originalCreditorIdentifier ?? ''), 'id')}
      ${fact(say('label.answer'), `${answered}${error === null ? '' : `, ${plainText(error)}`}`)}
      ${fact(say('label.account'), row.ibanMasked ?? '')} ${fact(say('label.signed'), row.signedDate ?? '')}
      ${fact(say('label.lastRequest'), attempt?.requestId ?? '', 'id')}
      ${fact(say('label.source'), `${plainText(row.source)}, ${labelled('label.record', String(row.record))}`)}
      ${fact(say('label.attempts'), String(row.attempts))}
    </dl>
    ${answerOf(attempt?.answer ?? null, texts)}
  </article>`
}

const LONGEST_ANSWER = 600

/** As it was received, accounts masked; the whole of it is in the ledger. */
function answerOf(answer: string | null, { say }: Texts): Markup | '' {
  if (answer === null || answer.trim() === '') return ''
  const text = maskedText(answer)
  const shown = text.length <= LONGEST_ANSWER ? text : `${text.slice(0, LONGEST_ANSWER)}…`
  return html`<div class="answer"><span class="soft">${say('label.answer')}</span> ${shown}</div>`
}

const causeText = ({ serviceCode, field, message }: ReportFacts['refusalCounts'][number]): string =>
  maskedText([serviceCode, field, message].filter((part) => part !== null && part !== '').join(', ')) || '–'

/** A bar for one line of a table, which holds the figures itself. */
function lineBar(count: number, highest: number): Markup {
  const width = Math.max(1, (150 * count) / highest)
  return html`<svg
    class="line-bar"
    viewBox="0 0 150 10"
    preserveAspectRatio="none"
    width="150"
    height="10"
    aria-hidden="true"
    focusable="false"
  >
    <rect x="0" y="1" width="${width.toFixed(1)}" height="8" fill="#5b6673" />
  </svg>`
}

/** Refused rows by what the service said. */
function refusalsSection({ totals, refusalCounts }: ReportFacts, texts: Texts): Markup {
  const { count, say, labelled, mark } = texts
  const heading = labelled('state.refused', totals.refused)
  if (totals.refused === 0) return section('refused', heading)
  const causes = [...refusalCounts].sort((a, b) => b.count - a.count)
  const shown = causes.slice(0, LINES_SHOWN)
  const highest = shown[0]?.count ?? 1
  const command = html`<code>sepa-migrate run ${PLACE_OF_PART.refused}</code>`
  return html`<section id="refused">
    <h2>${heading}</h2>
    <p>${mark('refused.lead', { file: fileLink(PLACE_OF_PART.refused), command })}</p>
    ${table(shown, [
      ['HTTP', ({ status }) => status ?? say('label.decision')],
      [say('label.answer'), causeText],
      [say('label.rows'), (cause) => html`${lineBar(cause.count, highest)} ${count(cause.count)}`, 'figures'],
    ])}
    ${restOf(shown.length, causes.length, texts, PLACE_OF_PART.refused)}
  </section>`
}

/** Findings by rule, errors first, the most frequent first. */
function problemsSection({ problems, problemCounts }: ReportFacts, texts: Texts): Markup {
  const { say, labelled, mark } = texts
  const heading = labelled('problems.title', problems)
  if (problemCounts.length === 0) return section('problems', heading)
  const counts = [...problemCounts].sort(
    (a, b) => a.severity.localeCompare(b.severity, 'en') || b.count - a.count || (a.rule < b.rule ? -1 : 1),
  )
  const highest = Math.max(...counts.map(({ count }) => count))
  const files = { problems: fileLink('problems.csv'), corrections: fileLink(PLACE_OF_PART.corrections) }
  return html`<section id="problems">
    <h2>${heading}</h2>
    <p>${mark('problems.lead', files)}</p>
    ${table(counts, [
      [
        say('label.severity'),
        ({ severity }) =>
          severity === 'error' ? html`<strong>${say('severity.error')}</strong>` : say('severity.warning'),
      ],
      [say('label.reason'), ({ rule }) => texts.reason(rule, '')],
      [say('label.count'), ({ count }) => html`${lineBar(count, highest)} ${texts.count(count)}`, 'figures'],
    ])}
  </section>`
}

/** What is told where there is any. */
const UNPROVEN = VERIFICATION_WORDS.filter((word) => word !== 'proven')

/** What the sign-off says of the proof at the service; where nobody asked, that alone. */
export function proofText({ verification }: ReportFacts, texts: Texts): string {
  const { say, labelled } = texts
  if (verification === null) return say('proof.none')
  const { firstAt, lastAt, notAsked, sample } = verification
  const asked = firstAt === null ? '' : ` (${texts.time(firstAt)} – ${texts.time(lastAt)})`
  const counts = [
    ...UNPROVEN.filter((word) => verification[word] > 0).map((word) =>
      labelled(`proof.${word}`, verification[word]),
    ),
    labelled('proof.notAsked', notAsked),
  ]
  const drawn = sample === null || notAsked === 0 ? '' : ` ${say('proof.sample', { count: sample })}`
  const { proven, registered } = verification
  return `${say('proof.summary', { proven, registered })}${asked}; ${counts.join('; ')}.${drawn}`
}

/** Nothing where nobody asked. */
function verificationSection(facts: ReportFacts, texts: Texts): Markup | '' {
  const { verification } = facts
  const { say, mark, count } = texts
  if (verification === null) return ''
  const { total, first } = verification.unproven
  return html`<section id="verification">
    <h2>${say('proof.title')}</h2>
    <p>${proofText(facts, texts)} ${mark('page.allIn', { file: fileLink(VERIFICATION_FILE) })}</p>
    ${total === 0 ? '' : unprovenTable(first, texts)} ${restOf(first.length, total, texts)}
    <dl class="facts">
      ${VERIFICATION_WORDS.map((word) => fact(say(`proof.${word}`), count(verification[word])))}
      ${fact(say('proof.notAsked'), count(verification.notAsked))}
    </dl>
  </section>`
}

const unprovenTable = (rows: readonly VerifiedRow[], { say, time }: Texts): Markup =>
  table(rows, [
    [say('label.row'), ({ id }) => id, 'figures'],
    [
      say('label.verification'),
      ({ verdict }) => html`<strong>${say(`proof.${verificationWord(verdict)}`)}</strong>`,
    ],
    [
      say('label.customer'),
      (row) => html`${row.customerNo}<br /><span class="soft">${row.ibanMasked ?? ''}</span>`,
    ],
    [say('label.assignedReference'), (row) => plainText(row.assignedMandateReference), 'id'],
    [
      say('label.message'),
      (row) =>
        html`<span lang="en">${plainText(explainVerified(row))}</span><br /><span class="soft t"
            >${time(row.answeredAt)}</span
          >`,
    ],
  ])

/** Nobody should sign for more than the answer of the service says. */
const MEANS_NOT = ['notFinal', 'notProven', 'notCancelled', 'notRestarted', 'notTold'] as const

function registeredSection(facts: ReportFacts, texts: Texts): Markup {
  const { say, labelled, mark } = texts
  return html`<section id="registered">
    <h2>${labelled('state.registered', facts.totals.registered)}</h2>
    <div class="note">
      <p>${mark('registered.meaning', { file: fileLink(PLACE_OF_PART.registered) })}</p>
      <p><strong>${say('registered.meansNot')}</strong></p>
      <ul>
        ${MEANS_NOT.map((key) => html`<li>${say(`registered.${key}`)}</li>`)}
      </ul>
    </div>
  </section>`
}

/** What people decided; what they changed in rows that they gave back has a list of its own, where there is any. */
const decisionsSection = ({ decisions, corrections }: ReportFacts, texts: Texts): (Markup | '')[] => [
  decided('decisions', 'decisions.title', decisions, texts),
  corrections.total === 0 ? '' : decided('corrected', 'decisions.corrected', corrections, texts),
]

function decided(
  id: string,
  title: TextKey,
  { total, first }: ReportFacts['decisions'],
  texts: Texts,
): Markup {
  const { say, labelled, time } = texts
  const lines = table(first, [
    [say('label.row'), ({ rowId }) => rowId, 'figures'],
    [say('label.decision'), ({ decision }) => decisionWord(decision, texts)],
    [say('label.by'), ({ by, at }) => html`${plainText(by)}<br /><span class="soft t">${time(at)}</span>`],
    [
      say('label.reason'),
      ({ reason, evidence }) =>
        html`${maskedText(reason)}${evidence === null ? '' : html`<br /><span class="soft id">${plainText(evidence)}</span>`}`,
    ],
  ])
  const rest = restOf(first.length, total, texts, DECISIONS_FILE)
  return section(id, labelled(title, total), total === 0 ? '' : html`${lines} ${rest}`)
}

/** What the last export said, class by class, and who closed what. */
function cutOverSection({ cutOver }: ReportFacts, texts: Texts): Markup | '' {
  if (cutOver === null) return ''
  const { say, count } = texts
  const { at, by, finalMandates: final, ledgerMandates: ledger, classes, lines } = cutOver
  const open = (name: keyof ClassCounts): number =>
    countedOn(lines, ({ listed, by }) => listed === name && by === null)
  const closed = (name: keyof ClassCounts): string =>
    lines
      .flatMap(({ listed, by, decision, count: closed }) =>
        listed !== name || by === null
          ? []
          : `${maskedText(by)}: ${decisionWord(decision, texts)} (${count(closed)})`,
      )
      .join(', ')
  return section(
    'cut-over',
    say('cutOver.title'),
    html`${at === null ? '' : html`<p>${say('cutOver.compared', { name: maskedText(by), at: texts.moment(at), final, ledger })}</p>`}
    ${table(CUT_OVER_CLASSES, [
      [say('label.class'), (name) => say(`cutOver.${name}`), 'head'],
      [say('label.mandates'), (name) => count(classes[name]), 'figures'],
      [say('label.open'), (name) => count(open(name)), 'figures'],
      [say('label.closedBy'), closed],
    ])}`,
  )
}

/** Figures that let a third party check the files against page and workbook. */
export function hashTotalLines({ hashTotals }: ReportFacts, { say }: Texts) {
  const sum = (rows: TextKey, totals: typeof hashTotals.read) => ({
    name: `${say('hash.sum')}, ${say(rows)}`,
    rows: totals.customerNoRows,
    value: totals.customerNoSum,
  })
  const registered = hashTotals.byState.get('registered')
  return said([
    sum('hash.all', hashTotals.read),
    registered !== undefined && sum('state.registered', registered),
  ])
}

/** What is counted besides rows. */
export const DISTINCT = ['customers', 'mandates', 'accounts'] as const

function hashTotalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { count, say, mark } = texts
  const files = { summary: fileLink('summary.json'), manifest: fileLink('manifest.json') }
  return html`<section id="hash-totals">
    <h2>${say('hash.title')}</h2>
    <dl class="facts">${DISTINCT.map((name) => fact(say(`hash.${name}`), count(facts.distinct[name])))}</dl>
    <p>${say('hash.lead')} ${mark('hash.where', files)}</p>
    ${table(hashTotalLines(facts, texts), [
      [say('hash.title'), ({ name }) => name, 'head'],
      [say('label.rows'), ({ rows }) => count(rows), 'figures'],
      [say('label.value'), ({ value }) => value, 'id'],
    ])}
  </section>`
}

const definitionsSection = (_: ReportFacts, { say }: Texts): Markup =>
  section(
    'definitions',
    say('meaning.title'),
    table(REPORT_ORDER, [
      [say('label.state'), (state) => html`<span class="t">${say(`state.${state}`)}</span>`, 'head'],
      [say('label.meaning'), (state) => say(`meaning.${state}`)],
    ]),
  )

/** What stands in the files beside this page: their headers are the same in every language. */
const columnsSection = (facts: ReportFacts, texts: Texts): Markup =>
  section(
    'columns',
    texts.say('columns.title'),
    html`<p>${texts.say('columns.lead')}</p>`,
    ...explainedColumns(facts, texts).map(({ files, columns }) =>
      table(
        columns,
        [
          [texts.say('label.column'), ([column]) => html`<code>${column}</code>`, 'head'],
          [texts.say('label.meaning'), ([, meaning]) => meaning],
        ],
        {
          style: 'columns',
          caption: html`<caption>
            ${files.map((file, at) => html`${at === 0 ? '' : ', '}${fileLink(file)}`)}
          </caption>`,
        },
      ),
    ),
  )

/** Totals of each source, and how it was read. */
function sourcesSection({ sources, totals }: ReportFacts, texts: Texts): Markup {
  const { count, say } = texts
  const states = REPORT_ORDER.filter((state) => totals[TOTAL_OF_STATE[state]] > 0)
  const counted = (name: keyof Totals) => (of: Pick<SourceRecord, 'totals'>) => count(of.totals[name])
  const all = { name: say('sources.all'), totals }
  return html`<section id="sources" tabindex="0" aria-label="${say('sources.title')}">
    <h2>${say('sources.title')}</h2>
    ${table(
      [...sources, all],
      [
        [say('label.source'), ({ name }) => plainText(name), 'head'],
        [say('cover.read'), counted('read'), 'figures'],
        ...states.map((state) => [say(`state.${state}`), counted(TOTAL_OF_STATE[state]), 'figures'] as const),
        [
          say('label.balanced'),
          (of) => (isBalanced(of.totals) ? say('yes') : html`<strong>${say('no').toUpperCase()}</strong>`),
        ],
      ],
      { style: 'wide', lineStyle: (of) => (of === all ? 'sum last' : '') },
    )}
    ${sources.map((source) => oneSource(source, texts))}
  </section>`
}

const oneSource = (source: SourceRecord, { labelled, time }: Texts): Markup =>
  html`<div class="run">
    <h3>${plainText(source.name)}</h3>
    <p>
      ${labelled('label.bytes', source.bytes)}, ${labelled('cover.read', source.records)},
      ${time(source.admittedAt)}, SHA-256: <span class="id">${source.sha256}</span>
    </p>
    <ul class="settings one" lang="en">
      ${settingLines([...Object.entries(source.reading), ['blankLines', source.blankLines]]).map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`

/** Every run with its settings; those that change what an answer means stand out. */
const runsSection = ({ runs, leftByChoice }: ReportFacts, texts: Texts): Markup =>
  html`<section id="runs">
    <h2>${texts.labelled('runs.title', runs.length)}</h2>
    ${runs.map((run, at) => oneRun(run, runs[at + 1] ?? null, leftByChoice, texts))}
  </section>`

/** What changes the meaning of an answer or a finding: nobody should sign without having seen it. */
export const hasOverrides = ({ settings }: RunRecord): boolean =>
  partsOf(settings.outcomes).length + partsOf(settings.rules).length > 0

/** @param left ready rows that the latest run was not told to send */
function oneRun(run: RunRecord, later: RunRecord | null, left: number | null, texts: Texts): Markup {
  const { say } = texts
  const span =
    run.endedAt === null ? '' : ` (${texts.duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))})`
  const { outcomes, rules, only = [], ...others } = run.settings
  const lines = settingLines([
    ['startedBy', run.startedAs === null ? null : plainText(run.startedAs)],
    ['programVersion', plainText(run.version)],
    ['todayOfDateRules', `${run.asOf} ${plainText(run.zone)}`],
    ...partsOf(others),
  ])
  const chosen = only.map(
    ({ column, values }) => `only rows with ${maskedText(column)}: ${maskedText(values.join(', '))}`,
  )
  const ofOthers = left === null || later !== null ? '' : ` ${say('runs.leftByChoice', { count: left })}`
  return html`<div class="run">
    <h3>${run.id}, ${texts.time(run.startedAt)}<span class="soft">${span}</span></h3>
    <p>${endOf(run, later, texts)} ${requestsText(run, texts)}.${ofOthers}</p>
    ${hasOverrides(run) ? html`<div class="changed"><span class="mark">${say('verdict.settingsChanged')}</span>${overrides(outcomes, rules)}</div>` : ''}
    <ul class="settings" lang="en">
      ${[...chosen, ...lines].map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`
}

/** A rule has its usual severity before the one that it was given. */
const overrides = (outcomes: unknown, rules: unknown): Markup[] => [
  ...partsOf(outcomes).map(
    ([status, outcome]) => html` <code>${plainText(status)}: ${settingText(outcome)}</code>`,
  ),
  ...partsOf(rules).map(
    ([rule, severity]) =>
      html` <code
        >${plainText(rule)}:
        ${isRuleId(rule) ? `${ruleOf(rule).severity} → ` : ''}${settingText(severity)}</code
      >`,
  ),
]

const requestsText = (run: RunRecord, { labelled }: Texts): string =>
  ATTEMPTS.filter(({ label }) => label !== 'label.open' || run.attempts.open > 0)
    .map(({ label, value }) => labelled(label, value(run) ?? 0))
    .join(', ')

/** One run at a time holds the ledger, so one that never ended and was followed by another is dead. */
function endOf(run: RunRecord, later: RunRecord | null, { say, labelled, time }: Texts): Markup {
  if (run.endedAt === null)
    return html`<strong
      >${say(later === null && run.stoppedBy === null ? 'runs.goingOn' : 'runs.killed')}</strong
    >`
  const exit = labelled('label.exit', run.exitCode ?? '–')
  if (run.stoppedBy === null) return html`${labelled('label.ended', time(run.endedAt))}, ${exit}.`
  return html`<strong>${labelled('label.stoppedBy', maskedText(run.stoppedBy))}</strong> (${exit}).`
}

const PLANS_SHOWN = 50

/** On the first page, which stays one page. */
const APPROVALS_SHOWN = 3

/** How many rows left under which approval, and how many under none: nobody should sign without having seen it. */
export function approvalFacts({ plans, sentByApproval }: ReportFacts, texts: Texts): Markup[] {
  const { say, labelled } = texts
  const approvals = plans.flatMap((plan) => plan.approvals)
  const under = sentByApproval.flatMap(({ approval: id, rows }) =>
    approvals.filter((approval) => approval.id === id).map((approval) => ({ approval, rows })),
  )
  const bare = sentByApproval.find(({ approval }) => approval === null)?.rows ?? 0
  const shown = under.slice(0, APPROVALS_SHOWN)
  return said([
    ...shown.map(({ approval, rows }) =>
      fact(
        say('cover.approvedBy'),
        `${maskedText(approval.approvedBy)}, ${texts.minute(approval.approvedAt)}; ${labelled('label.rows', rows)}; ${proofOf(approval, texts)}`,
      ),
    ),
    under.length > shown.length &&
      fact(say('cover.approvedBy'), say('cover.others', { count: under.length - shown.length })),
    plans.length > 0 && bare > 0 && fact(say('plans.none'), labelled('label.rows', bare)),
  ])
}

/** What a signature proves is the key, and what was recorded proves nothing. */
const proofOf = ({ key, reference }: ApprovalRecord, { say }: Texts): string =>
  key === null
    ? say('plans.recorded', { reference: maskedText(reference ?? '') })
    : say('plans.proven', { key })

const personText = (by: string, as: string | null): string =>
  as === null ? maskedText(by) : `${maskedText(by)} (${plainText(as)})`

/** Every plan with its approvals, and the runs that went under it; nothing where nobody planned. */
function plansSection({ plans, runs }: ReportFacts, texts: Texts): Markup | '' {
  const { say } = texts
  if (plans.length === 0) return ''
  const shown = plans.slice(-PLANS_SHOWN)
  const unplanned = runs.filter((run) => run.settings.plan === undefined && hasSent(run))
  return html`<section id="plans">
    <h2>${say('plans.title')}</h2>
    ${restOf(shown.length, plans.length, texts)}
    ${unplanned.length === 0 ? '' : html`<p>${say('plans.underNone', { runs: idsText(unplanned) })}</p>`}
    ${table(shown, [
      [say('label.plan'), ({ digest }) => html`<code>${shortDigest(digest)}</code>`, 'head'],
      [
        say('cover.plannedBy'),
        ({ document: { plannedAt, plannedBy, plannedAs } }) =>
          `${texts.time(plannedAt)}, ${personText(plannedBy, plannedAs)}`,
      ],
      [say('label.rows'), (plan) => texts.count(toSend(plan.document)), 'figures'],
      [
        say('cover.approvedBy'),
        ({ approvals }) =>
          approvals.length === 0
            ? say('plans.notApproved')
            : html`${approvals.map((approval) => html`<div>${approvalText(approval, texts)}</div>`)}`,
      ],
      [say('runs.title'), (plan) => runsUnder(plan, runs)],
    ])}
  </section>`
}

function approvalText(approval: ApprovalRecord, texts: Texts): string {
  const { approvedAt, approvedBy, recordedAs, expiresAt } = approval
  const ends = texts.labelled('label.expires', texts.time(expiresAt))
  return `${texts.time(approvedAt)}, ${personText(approvedBy, recordedAs)}; ${ends}; ${proofOf(approval, texts)}`
}

/** What the first page rests on behind its totals, in the order of the page. */
export const ANNEX = [
  verificationSection,
  cutOverSection,
  inDoubtSection,
  refusalsSection,
  problemsSection,
  registeredSection,
  sourcesSection,
  plansSection,
  runsSection,
  decisionsSection,
  hashTotalsSection,
  definitionsSection,
  columnsSection,
]
