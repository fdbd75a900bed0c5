import { raw } from 'hono/html'
import { timeText } from '../../domain/text/wording.js'
import type { ReportFacts } from '../facts/facts.js'
import type { Texts } from '../text/texts.js'
import { rehearsalText } from './page-cover.js'

/** The whole look of report.html: on paper (A4, grey) as on screen, with fonts every machine has. */
export const PAGE_STYLE = raw(`
:root { --ink: #1c2430; --soft: #55606e; --line: #cdd3da; --paper: #fff; --tint: #f4f6f8; --warn: #8a4b08; --bad: #8f2424; --good: #1f5a48 }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: #e9ecef; color: var(--ink); font: 14px/1.5 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1040px; margin: 24px auto; padding: 44px 56px 56px; background: var(--paper); border-top: 6px solid var(--good) }
main.unbalanced { border-top-color: var(--bad) }
h1 { margin: 0 0 2px; font-size: 27px; line-height: 1.2; letter-spacing: -0.01em }
h2 { margin: 38px 0 10px; padding-bottom: 5px; border-bottom: 2px solid var(--ink); font-size: 18px; line-height: 1.3 }
h3 { margin: 20px 0 6px; font-size: 14px }
p { margin: 6px 0 10px; max-width: 78ch }
a { color: inherit }
code, .id { font-family: "SFMono-Regular", Consolas, "Liberation Mono", monospace; font-size: 0.92em }
code { white-space: nowrap }
.id { overflow-wrap: anywhere }
.lead { color: var(--soft); font-size: 16px; margin-bottom: 18px }
dl.facts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px 24px; margin: 0 0 22px }
dl.facts div { border-top: 1px solid var(--line); padding-top: 5px; min-width: 0 }
dl.facts dt, th .soft, .soft { color: var(--soft); font-weight: normal }
dl.facts dt { font-size: 12px }
dl.facts dd { margin: 0; overflow-wrap: anywhere }
.verdict { margin: 0 0 6px; padding: 16px 20px; background: var(--tint); border: 1px solid var(--line); border-left: 8px solid var(--good) }
.verdict.open { border-left-color: var(--warn) }
.verdict.unbalanced { border-left-color: var(--bad) }
.verdict h2 { margin: 0 0 4px; padding: 0; border: 0; font-size: 20px }
.verdict ul { margin: 8px 0 2px; padding-left: 20px }
.verdict li { margin: 3px 0 }
.rehearsal { max-width: none; margin: 0 0 14px; padding: 8px 14px; border: 3px double var(--bad) }
.rehearsal strong { color: var(--bad); font-size: 18px; letter-spacing: 0.12em; margin-right: 8px }
dl.figures { display: grid; grid-template-columns: repeat(5, 1fr); gap: 10px 20px; margin: 18px 0 }
dl.figures dt { color: var(--soft); font-size: 12px }
dl.figures dd { margin: 0; font-size: 23px; font-weight: 700; line-height: 1.25 }
dl.figures dd .soft { display: block; font-size: 12px }
dl.transfer, dl.people { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 24px; margin: 12px 0 }
dl.transfer div, dl.people div { border-top: 1px solid var(--line); padding-top: 5px; min-width: 0 }
dl.transfer dt, dl.people dt { color: var(--soft); font-size: 12px }
dl.transfer dd, dl.people dd { margin: 0; overflow-wrap: anywhere }
.annex { margin: 44px 0 16px; padding-top: 8px; border-top: 6px solid var(--line); color: var(--soft); font-size: 16px }
table { width: 100%; border-collapse: collapse; margin: 8px 0 4px; font-size: 13px }
caption { text-align: left; color: var(--soft); padding-bottom: 4px }
th, td { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word }
thead th { border-bottom: 1.5px solid var(--ink); font-size: 12px; vertical-align: bottom }
tbody th { font-weight: 600 }
td:last-child, th:last-child { padding-right: 0 }
.n { text-align: right; white-space: nowrap; padding-right: 16px }
.t { white-space: nowrap }
tr.sum th, tr.sum td { border-top: 1.5px solid var(--ink); font-weight: 700 }
tr.last th, tr.last td { border-bottom: 3px double var(--ink); font-weight: 700 }
tr.zero { color: var(--soft) }
#plans td { overflow-wrap: anywhere }
.columns th:first-child { width: 38% }
.columns code { white-space: normal; overflow-wrap: anywhere }
.wide { font-size: 11.5px }
.wide th, .wide td { padding-right: 8px }
.wide th:first-child { width: 30% }
.wide .n { padding-right: 10px }
.swatch { vertical-align: -2px; margin-right: 7px }
.chart { display: block; width: 100%; height: auto; margin: 12px 0 8px }
.axis { font-size: 9.5px; fill: #55606e }
.line-bar { vertical-align: -1px }
.case { border: 1px solid var(--line); border-left: 5px solid var(--warn); padding: 10px 16px 12px; margin: 10px 0; break-inside: avoid }
.case h3 { margin: 0 0 4px; display: flex; justify-content: space-between; gap: 16px }
.case p { margin: 2px 0 6px }
.case dl { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 28px; margin: 6px 0 0; font-size: 12.5px }
.case dl div { display: flex; gap: 8px; min-width: 0 }
.case dt { flex: none; width: 118px; color: var(--soft) }
.case dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.answer { margin: 8px 0 0; padding: 6px 10px; background: var(--tint); font-size: 11.5px; overflow-wrap: anywhere }
.mark { display: inline-block; padding: 0 7px; border: 1.5px solid var(--warn); color: var(--warn); font-size: 12px; font-weight: 700 }
.changed { margin: 6px 0; padding: 8px 14px; border-left: 5px solid var(--warn); background: #fdf6ea }
.note { padding: 12px 18px; background: var(--tint); border: 1px solid var(--line) }
.note ul { margin: 4px 0; padding-left: 20px }
.settings { margin: 4px 0 0; padding: 0; list-style: none; columns: 2; font-size: 12px; overflow-wrap: anywhere }
ul.one { columns: 1 }
.run { break-inside: avoid; margin-bottom: 14px }
.sign { display: grid; grid-template-columns: repeat(3, 1fr); gap: 28px; margin-top: 14px; break-inside: avoid }
.sign div { font-size: 12.5px; color: var(--soft) }
.sign strong { display: block; color: var(--ink); margin-bottom: 34px }
.sign span { display: block; border-top: 1px solid var(--ink); padding-top: 3px; margin-bottom: 30px }
footer { margin-top: 30px; color: var(--soft); font-size: 12px }
@media screen and (max-width: 760px) { main { margin: 0; padding: 24px 18px } dl.facts, dl.transfer, dl.people, .case dl, .sign { grid-template-columns: 1fr } dl.figures { grid-template-columns: 1fr 1fr } section { overflow-x: auto } .settings { columns: 1 } .line-bar { width: 56px } }
@page { size: A4; margin: 15mm 14mm 16mm }
@media print {
  body { background: none; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact }
  main { max-width: none; margin: 0; padding: 0; border-top: 0 }
  .cover { break-after: page; line-height: 1.2; font-size: 9.5pt }
  .cover h2 { margin-top: 8pt }
  .cover p { max-width: none; margin: 2pt 0 4pt }
  .cover li { margin: 1pt 0 }
  .cover .sign { margin-top: 6pt }
  .cover .sign strong { margin-bottom: 24pt }
  .cover .sign span { margin-bottom: 14pt }
  .cover .rehearsal, .cover .changed { padding: 3pt 10pt; margin: 4pt 0 }
  dl.transfer, dl.people { margin: 5pt 0; gap: 4pt 18pt }
  .annex { margin-top: 0; padding-top: 0; border-top: 0 }
  dl.figures { margin: 7pt 0; gap: 4pt 8pt }
  dl.figures dt { font-size: 8pt }
  dl.figures dd { font-size: 17pt }
  h2 { break-after: avoid; margin-top: 18pt; font-size: 13pt }
  h1 { font-size: 19pt }
  h3, caption { break-after: avoid }
  thead { display: table-header-group }
  tr, .chart { break-inside: avoid }
  table { font-size: 8.8pt }
  th, td { padding-top: 2.6pt; padding-bottom: 2.6pt }
  dl.facts { margin-bottom: 12pt; gap: 5pt 16pt }
  .verdict { padding: 9pt 14pt }
  .cover .verdict { padding: 6pt 12pt }
  .lead { margin-bottom: 10pt }
  .cover .lead { margin-bottom: 6pt }
  .wide { font-size: 7.6pt }
  .wide thead .n { writing-mode: vertical-rl }
  a { text-decoration: none }
  #sign-off { break-inside: avoid }
}
`)

const cssText = (text: string): string => `"${text.replace(/[^\p{L}\p{N}_ \u00A0.,:;()/-]/gu, ' ')}"`

/** A number where the text has its place. */
const COUNTERS: Readonly<Partial<Record<string, string>>> = {
  '{page}': 'counter(page)',
  '{pages}': 'counter(pages)',
}

const countedText = (text: string): string =>
  text
    .split(/(\{pages?\})/)
    .filter((part) => part !== '')
    .map((part) => COUNTERS[part] ?? cssText(part))
    .join(' ')

/** What stands on every printed page: which ledger it is of, and that none is missing. */
export function printedMargins(facts: ReportFacts, texts: Texts) {
  const { say } = texts
  const { ledgerId, changedAt } = facts.campaign
  const note = 'font: 8pt Helvetica, Arial, "Liberation Sans", sans-serif; color: #55606e'
  const mark =
    rehearsalText(facts, texts) === null
      ? ''
      : `@top-center { content: ${cssText(say('cover.rehearsal'))}; ${note} }`
  return raw(`@page {
  @bottom-left { content: ${cssText(say('page.printedLedger', { id: ledgerId, at: timeText(changedAt) }))}; ${note} }
  @bottom-right { content: ${countedText(say('page.printedPage'))}; ${note} }
  ${mark}
}
`)
}
