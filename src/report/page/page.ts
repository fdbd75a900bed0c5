import { html, raw } from 'hono/html'
import {
  notSentOf,
  type OpenPoint,
  openPointsOf,
  type RowState,
  TOTAL_OF_STATE,
  type Totals,
  isAsExpected,
  type ComparedTotals,
} from '../../domain/row/row-state.js'
import { countedOn, hasSent, type ReportFacts } from '../facts/facts.js'
import { PLACE_OF_PART, PART_OF_STATE, REPORT_ORDER } from '../pack/pack-folder.js'
import {
  ENGLISH,
  fact,
  fileLink,
  listOf,
  type Markup,
  pageOf,
  section,
  table,
  type Texts,
  type TextKey,
} from '../text/texts.js'
import { maskedText, CHECKED_AGAINST } from '../../domain/text/accounts.js'
import { treatedAsActive } from '../../domain/rule/verdict.js'
import { isLoopback, said, plainText } from '../../domain/text/text.js'
import { ANNEX, approvalFacts, hasOverrides, proofText } from './annex.js'

/** report.html: one page without network or script, for the person who signs. */
export const renderPage = (facts: ReportFacts, texts = ENGLISH): Promise<string> =>
  pageOf(
    texts.language,
    `${texts.say('page.title')}, ${texts.time(facts.campaign.changedAt)}`,
    html`<main class="${facts.balanced ? 'balanced' : 'unbalanced'}">
      ${coverSection(facts, verdictSection(facts, texts), texts)}
      <p class="annex">${texts.say('page.annex')}</p>
      ${[metadataSection, totalsSection, ...ANNEX].map((each) => each(facts, texts))}
      <footer>${texts.say('page.footer', { zone: texts.zone })}</footer>
    </main>`,
    printedMargins(facts, texts),
  )

/** What this page was made from. */
function metadataSection({ campaign, ledger }: ReportFacts, { say, time }: Texts): Markup {
  const { purgedAt } = campaign
  const accounts =
    purgedAt === null ? say('label.accountsKept') : say('label.accountsRemoved', { at: time(purgedAt) })
  return html`<dl class="facts">
    ${fact(say('label.target'), plainText(campaign.baseUrl ?? say('cover.noService')))}
    ${fact(say('label.user'), plainText(campaign.username ?? ''))}
    ${fact(say('label.started'), time(campaign.createdAt))} ${fact(say('label.ledger'), plainText(ledger))}
    ${fact(say('label.ledgerId'), campaign.ledgerId)} ${fact(say('label.accounts'), accounts)}
  </dl>`
}

/** Where on the page each is shown. */
const ANCHORS: Readonly<Record<OpenPoint, string>> = {
  contradicted: 'verification',
  unexpected: 'sign-off',
  in_doubt: 'in-doubt',
  sending: 'in-doubt',
  ready: 'totals',
  held: 'cut-over',
  cutOver: 'cut-over',
  untaken: 'cut-over',
  uncompared: 'cut-over',
  asReadBefore: 'sources',
  refused: 'refused',
  conflict: 'problems',
  invalid: 'problems',
}

const openPoints = ({ mandates, totals, open, verification }: ReportFacts) =>
  openPointsOf(mandates, totals, open, verification)

function verdictSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals, balanced, sources, runs } = facts
  const { say } = texts
  const open = openPoints(facts)
  const stoppedBy = runs.at(-1)?.stoppedBy ?? null
  const overridden = runs.filter(hasOverrides).length
  const word = balanced ? (open.length === 0 ? 'complete' : 'open') : 'unbalanced'
  const files = sources.filter(({ id, origin }) => id === origin)
  const lists = files.filter(({ reading }) => reading.resultFile === true)
  const counted = {
    records: totals.read,
    sources: files.length - lists.length,
    // One that several configurations read is a source of each.
    lists: new Set(lists.map(({ sha256 }) => sha256)).size,
    mandates: facts.mandates.total,
    repeats: totals.read - facts.mandates.total,
  }
  return html`<div class="verdict ${word}">
    <h2>${headline(facts, open.length, texts)}</h2>
    <p>${balanced ? say('verdict.everyRecord', counted) : say('verdict.doNotSign')}</p>
    ${listOf(open.map(([point, count]) => html`<a href="#${ANCHORS[point]}">${say(`open.${point}`, { count })}</a>`))}
    ${stoppedBy === null ? '' : html`<p>${say('verdict.stoppedEarly', { why: maskedText(stoppedBy) })}</p>`}
    ${
      overridden === 0
        ? ''
        : html`<p>
            <span class="mark">${say('verdict.settingsChanged')}</span>
            <a href="#runs">${say('verdict.readDifferently', { count: overridden })}</a>
          </p>`
    }
    ${facts.changedWhileReading ? html`<p><strong>${say('verdict.changedMeanwhile')}</strong></p>` : ''}
  </div>`
}

function headline({ balanced, totals }: ReportFacts, openPoints: number, { say }: Texts): string {
  if (!balanced) return say('verdict.notBalanced')
  if (totals.read === 0) return say('verdict.nothingRead')
  return openPoints === 0 ? say('verdict.nothingOpen') : say('verdict.open', { count: openPoints })
}

const fileOf = (state: RowState): string => {
  const part = PART_OF_STATE[state]
  return part === 'closed' ? 'reconciliation.xlsx' : PLACE_OF_PART[part]
}

function totalsSection(facts: ReportFacts, texts: Texts): Markup {
  const { totals } = facts
  const { count, share, say } = texts
  const states = REPORT_ORDER.map((state) => ({ state, rows: totals[TOTAL_OF_STATE[state]] }))
  const sum = states.reduce((all, { rows }) => all + rows, 0)
  const lines = [
    ...states.map(({ state, rows }) => ({
      ...{ name: html`${swatch(state)}${say(`state.${state}`)}`, rows, share: share(rows, totals.read) },
      ...(rows === 0 ? { file: '', style: 'zero' } : { file: fileLink(fileOf(state)), style: '' }),
    })),
    { name: say('totals.sum'), rows: sum, share: '', file: '', style: 'sum' },
    { name: say('cover.read'), rows: totals.read, share: '', file: '', style: '' },
    { name: say('totals.difference'), rows: totals.read - sum, share: '', file: '', style: 'last' },
  ]
  return section(
    'totals',
    say('totals.title'),
    stateBar(totals, texts),
    table(
      lines,
      [
        [say('label.state'), ({ name }) => name, 'head'],
        [say('label.rows'), ({ rows }) => count(rows), 'figures'],
        [say('totals.share'), ({ share }) => share, 'figures'],
        [say('label.file'), ({ file }) => file],
      ],
      { lineStyle: ({ style }) => style },
    ),
    totals.resubmitted === 0 ? '' : resubmittedNote(facts, texts),
  )
}

/** User units: the drawings scale with the page. */
const WIDTH = 700
/** Two rows of a million must still be seen. */
const THINNEST = 5

/** Told apart by lightness and pattern too, so that a grey print says the same. */
const FILL: Readonly<Record<RowState, string>> = {
  registered: '#2b6a57',
  in_doubt: 'url(#fill-in-doubt)',
  sending: 'url(#fill-in-doubt)',
  refused: 'url(#fill-refused)',
  ready: '#a9c3d9',
  invalid: '#8d95a0',
  conflict: '#757d88',
  excluded: '#b6bcc4',
  duplicate: '#ced3d9',
  superseded: '#e1e4e8',
  written_off: '#eef0f2',
}

const PATTERNS = html`<defs>
  <pattern
    id="fill-in-doubt"
    width="6"
    height="6"
    patternUnits="userSpaceOnUse"
    patternTransform="rotate(45)"
  >
    <rect width="6" height="6" fill="#f6c667" />
    <rect width="2.4" height="6" fill="#8a4b08" />
  </pattern>
  <pattern id="fill-refused" width="5" height="5" patternUnits="userSpaceOnUse">
    <rect width="5" height="5" fill="#a63d3d" />
    <circle cx="2.5" cy="2.5" r="1" fill="#fff" />
  </pattern>
</defs>`

const tenth = (length: number): string => length.toFixed(1)

/** A small square as a legend shows it. */
const swatch = (state: RowState): Markup =>
  html`<svg class="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" focusable="false">
    <rect x="0.5" y="0.5" width="13" height="13" fill="${FILL[state]}" stroke="#4b5563" />
  </svg>`

/** All rows by state as one bar; the table of control totals is its legend. */
function stateBar(totals: Totals, texts: Texts): Markup {
  const counts = REPORT_ORDER.map((state) => ({ state, count: totals[TOTAL_OF_STATE[state]] }))
  const segments = counts.filter(({ count }) => count > 0)
  if (segments.length === 0) return html`<p>${texts.say('verdict.nothingRead')}</p>`
  const sum = segments.reduce((total, { count }) => total + count, 0)
  // Widths add up to `WIDTH`, and none is thinner than can be seen.
  const free = WIDTH - THINNEST * segments.length
  let x = 0
  const drawn = segments.map(({ state, count }) => {
    const width = THINNEST + (free * count) / sum
    x += width
    return html`<rect
      x="${tenth(x - width)}"
      y="0.5"
      width="${tenth(width)}"
      height="30.0"
      fill="${FILL[state]}"
      stroke="#374151"
      stroke-width="0.7"
      ><title>${texts.labelled(`state.${state}`, count)}</title></rect
    >`
  })
  const described = segments.map(
    ({ state, count }) =>
      `${texts.say(`state.${state}`)} ${texts.count(count)} (${texts.share(count, totals.read)})`,
  )
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} 31"
    role="img"
    aria-labelledby="state-bar-title state-bar-text"
  >
    <title id="state-bar-title">${texts.say('totals.title')}</title>
    <desc id="state-bar-text">${described.join(', ')}</desc>
    ${PATTERNS} ${drawn}
  </svg>`
}

/** Lines that add nothing to what was read. */
function resubmittedNote({ totals, notTaken }: ReportFacts, { say, labelled }: Texts): Markup {
  const files = `${PLACE_OF_PART.notSent}, problems.csv`
  const refused = notTaken === 0 ? '' : ` ${labelled('label.notTaken', notTaken)} (${files}).`
  return html`<p>
    ${labelled('label.resubmitted', totals.resubmitted)}. ${say('totals.resubmitted')}${refused}
  </p>`
}

const SHOWN = 4

const urlOf = ({ campaign: { baseUrl } }: ReportFacts): URL | null =>
  baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : null

export const hostOf = (facts: ReportFacts, { say }: Texts): string =>
  urlOf(facts)?.host ?? say('cover.noService')

/** Why nothing of this happened to real customers, as a sentence; null for what may be the real service. */
export function rehearsalText(facts: ReportFacts, { say }: Texts): string | null {
  const url = urlOf(facts)
  if (url === null) return null
  if (isLoopback(url.hostname)) return say('cover.onThisComputer')
  // A host may have been declared by mistake once; what was sent otherwise is no rehearsal.
  const senders = facts.runs.filter(hasSent)
  return senders.length > 0 && senders.every(({ settings }) => settings.testHost === url.host)
    ? say('cover.declaredAsTest', { host: plainText(url.host) })
    : null
}

/** The first printed page: who signs needs no other. */
function coverSection(facts: ReportFacts, verdict: Markup, texts: Texts): Markup {
  const { say } = texts
  const lead = { host: plainText(hostOf(facts, texts)), at: texts.moment(facts.campaign.changedAt) }
  const rehearsal = rehearsalText(facts, texts)
  return html`<div class="cover">
    <header>
      <h1>${say('page.title')}</h1>
      <p class="lead">${namesText(facts, texts)}${say('cover.lead', lead)}</p>
      ${rehearsal === null ? '' : html`<p class="rehearsal"><strong>${say('cover.rehearsal')}</strong> ${rehearsal}</p>`}
      ${asActiveNote(facts, texts)}
    </header>
    ${verdict} ${figures(facts, texts)} ${reasons(facts, texts)} ${transfer(facts, texts)}
    <p class="soft">${say('cover.checkedAgainst', { sources: CHECKED_AGAINST })}</p>
    ${people(facts, texts)} ${signOff(facts, texts)}
  </div>`
}

/** Whose mandates these are, and where they come from, as far as the configuration says it. */
function namesText({ told: { company, from } }: ReportFacts, { labelled }: Texts): string {
  const names = said([
    company !== null && plainText(company),
    from !== null && labelled('cover.formerProvider', plainText(from)),
  ])
  return names.length === 0 ? '' : `${names.join(', ')}; `
}

/** The first few, and how many others there are. */
const fewOf = (names: readonly string[], { say }: Texts, most: number): string[] =>
  said([...names.slice(0, most), names.length > most && say('cover.others', { count: names.length - most })])

/** Who signs has to know that nothing in the export was asked which mandates are active. */
function asActiveNote({ sources }: ReportFacts, texts: Texts): Markup | '' {
  const names = treatedAsActive(sources)
  if (names.length === 0) return ''
  const named = fewOf(names.map(maskedText), texts, SHOWN).join(', ')
  return html`<p><strong>${texts.say('cover.treatedAsActive', { names: named })}</strong></p>`
}

/** The others add up to the first. */
export const mandateFigures = ({ mandates }: ReportFacts): readonly (readonly [TextKey, number])[] => [
  ['label.mandates', mandates.total],
  ['state.registered', mandates.registered],
  ['state.in_doubt', mandates.inDoubt + mandates.sending],
  ['state.refused', mandates.refused],
  ...(mandates.writtenOff > 0 ? [['state.written_off', mandates.writtenOff] as const] : []),
  ['cover.notSent', notSentOf(mandates)],
]

const figures = (facts: ReportFacts, { say, count, share }: Texts): Markup =>
  html`<dl class="figures">
    ${mandateFigures(facts).map(([label, number]) =>
      fact(
        say(label),
        html`${count(number)}<span class="soft">${share(number, facts.mandates.total)}</span>`,
      ),
    )}
  </dl>`

/** The annex has the rest. */
const firstSentence = (text: string): string => text.replace(/\. .*/, '.')

/** Why mandates were not sent, the most frequent reasons first. */
function reasons({ notSent }: ReportFacts, texts: Texts): Markup | '' {
  if (notSent.length === 0) return ''
  const left = notSent.slice(SHOWN).reduce((sum, { count }) => sum + count, 0)
  const { say } = texts
  const lines = notSent.slice(0, SHOWN).map(({ state, rule, count }) => {
    const why = texts.reason(rule, say(`meaning.${state}`), firstSentence)
    return { state: say(`state.${state}`), why, count }
  })
  const rest = { state: say('cover.others', { count: notSent.length - SHOWN }), why: '', count: left }
  return table(left === 0 ? lines : [...lines, rest], [
    [say('cover.notSent'), ({ state }) => state, 'head'],
    [say('label.reason'), ({ why }) => why],
    [say('label.mandates'), ({ count }) => texts.count(count), 'figures'],
  ])
}

/** The most frequent values, each with its count. */
function valuesText(
  { values, others }: ReportFacts['resolvedBy'],
  { say, count: countText }: Texts,
  style = 'id',
): Markup {
  const left = values.slice(SHOWN).reduce((sum, { count }) => sum + count, others)
  return html`${values
    .slice(0, SHOWN)
    .map(
      ({ value, count }, at) =>
        html`${at === 0 ? '' : ', '}<span class="${style}">${plainText(value)}</span> (${countText(count)})`,
    )}${left === 0 ? '' : `, ${say('cover.others', { count: left })}`}`
}

function transfer(facts: ReportFacts, texts: Texts): Markup | '' {
  const { creditors } = facts
  if (creditors.previous.values.length === 0) return ''
  return html`<dl class="transfer">
    ${fact(texts.say('cover.comeFrom'), valuesText(creditors.previous, texts))}
    ${fact(texts.say('cover.goTo'), valuesText(creditors.assigned, texts))} ${changedSince(facts, texts)}
  </dl>`
}

/** What people did at the service about registered mandates, as the lines of the cut-over say. */
function changedSince({ cutOver, mandates }: ReportFacts, { say }: Texts): Markup | '' {
  const done = (cutOver?.lines ?? []).filter(({ decision }) => decision === 'done')
  if (done.length === 0) return ''
  const cancelled = countedOn(done, ({ listed }) => listed === 'ended_after_registration')
  const values = {
    cancelled,
    changed: countedOn(done, ({ listed }) => listed === 'changed_after_registration'),
    names: [...new Set(done.map(({ by }) => maskedText(by ?? '')))].join(', '),
    live: mandates.registered - cancelled,
  }
  return fact(say('cover.since'), say('cover.changedSince', values))
}

/** Who did what, as far as the ledger has their names. */
function people(facts: ReportFacts, texts: Texts): Markup {
  const { runs, campaign } = facts
  const { say, labelled } = texts
  const runners = [...new Set(runs.flatMap(({ startedAs }) => startedAs ?? []))].map(plainText)
  const [first, last] = [runs.at(0), runs.at(-1)]
  const ran = said([
    ...fewOf(runners, texts, SHOWN),
    labelled('runs.title', runs.length),
    first !== undefined &&
      last !== undefined &&
      `${texts.minute(first.startedAt)} – ${texts.minute(last.endedAt ?? campaign.changedAt)}`,
  ])
  return html`<dl class="people">
    ${planner(facts, texts)} ${approvalFacts(facts, texts)} ${fact(say('cover.runBy'), ran.join(', '))}
    ${fact(say('cover.decidedBy'), deciders(facts, texts))}
  </dl>`
}

function deciders({ resolvedBy, forcedResends, corrections }: ReportFacts, texts: Texts): Markup | string {
  const { say, labelled } = texts
  if (resolvedBy.values.length === 0) return say('cover.nobodyDecided')
  const forced = forcedResends === 0 ? '' : `, ${say('cover.forcedResends', { count: forcedResends })}`
  const corrected = corrections.total === 0 ? '' : `, ${labelled('decisions.corrected', corrections.total)}`
  return html`${valuesText(resolvedBy, texts, '')}${forced}${corrected}`
}

/** Of the plan that the latest run sent under. */
function planner({ plans, runs }: ReportFacts, { say, minute }: Texts): Markup | '' {
  const digest = runs.findLast(hasSent)?.settings.plan
  const plan = plans.find((each) => each.digest === digest)
  if (plan === undefined) return ''
  return fact(
    say('cover.plannedBy'),
    `${maskedText(plan.document.plannedBy)}, ${minute(plan.document.plannedAt)}`,
  )
}

const SIGNERS = ['cover.prepared', 'cover.checked', 'cover.approvedBy'] as const

/** What the former provider counts, as it was given. */
function totalsText(
  { names, records, customerNoSum }: ComparedTotals,
  { say, count, labelled }: Texts,
): string {
  const sum = customerNoSum === null ? '' : `, ${say('hash.sum')}: ${customerNoSum}`
  return `${maskedText(names)}, ${labelled('cover.read', count(records))}${sum}`
}

/** How the totals of the former provider stand to what was read. */
export function comparedText({ expected, totals: { read } }: ReportFacts, texts: Texts): string {
  if (expected.length === 0) return texts.say('cover.notCompared', { read })
  return expected
    .map((totals) =>
      texts.say(isAsExpected(totals) ? 'cover.agrees' : 'cover.differs', {
        expected: totalsText(totals, texts),
        read: totals.read.records,
      }),
    )
    .join(' ')
}

const vouchedText = (
  { vouched, notInExport, totals: { registered } }: ReportFacts,
  { say }: Texts,
): string =>
  vouched === null ? '' : ` ${say('cover.vouched', { agree: vouched, registered, missing: notInExport })}`

function signOff(facts: ReportFacts, texts: Texts): Markup {
  const { campaign, totals } = facts
  const { say, mark } = texts
  const seen = {
    registered: totals.registered,
    ledger: html`<span class="id">${campaign.ledgerId}</span>`,
    at: texts.moment(campaign.changedAt),
  }
  const isOpen = openPoints(facts).length > 0
  return html`<section id="sign-off">
    <h2>${say('cover.signOff')}</h2>
    <p>${comparedText(facts, texts)} ${mark(isOpen ? 'cover.seenOpen' : 'cover.seen', seen)}</p>
    <p>
      ${isOpen || facts.cutOver?.at != null ? '' : say('cutOver.none')}
      ${proofText(facts, texts)}${vouchedText(facts, texts)}
      ${facts.who === null ? say('who.none') : say('who.asked', facts.who)}
    </p>
    <div class="sign">
      ${SIGNERS.map((role) => html`<div><strong>${say(role)}</strong><span>${say('cover.nameAndFunction')}</span><span>${say('cover.dateAndSignature')}</span></div>`)}
    </div>
  </section>`
}

const cssText = (text: string): string => `"${text.replace(/[^\p{L}\p{N}_ \u00A0.,:;()/-]/gu, ' ')}"`

/** With a number where the text has its place. */
const countedText = (text: string): string =>
  text
    .split(/(\{pages?\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{pages?\}$/.test(part) ? `counter(${part.slice(1, -1)})` : cssText(part)))
    .join(' ')

/** What stands on every printed page: which ledger it is of, and that none is missing. */
function printedMargins(facts: ReportFacts, texts: Texts) {
  const { say } = texts
  const { ledgerId, changedAt } = facts.campaign
  const note = 'font: 8pt Helvetica, Arial, "Liberation Sans", sans-serif; color: #55606e'
  const mark =
    rehearsalText(facts, texts) === null
      ? ''
      : `@top-center { content: ${cssText(say('cover.rehearsal'))}; ${note} }`
  return raw(`@page {
  @bottom-left { content: ${cssText(say('page.printedLedger', { id: ledgerId, at: texts.moment(changedAt) }))}; ${note} }
  @bottom-right { content: ${countedText(say('page.printedPage'))}; ${note} }
  ${mark}
}
`)
}
