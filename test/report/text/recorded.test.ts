import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/domain/proof/evidence.js'
import type { ListedSource } from '../../../src/domain/proof/match-sources.js'
import { STILL_NOT_SENT } from '../../../src/domain/rule/finding.js'
import { RULES } from '../../../src/domain/rule/rules.js'
import { DOUBT_REASONS } from '../../../src/ledger/deliver/doubt-reasons.js'
import { en, type Texts } from '../../../src/report/text/en.js'
import { LANGUAGES, textsOf } from '../../../src/report/text/language.js'
import { problemMessage, problemRemedy, reasonText } from '../../../src/report/text/recorded.js'
import { checkBeforeSend } from '../../../src/migrate/check-before-send.js'
import {
  outcomeOfHeldBack,
  outcomeOfInterruption,
  outcomeOfUnanswered,
} from '../../../src/run/ask/check-outcome.js'
import { decide } from '../../../src/run/decide.js'
import { classify } from '../../../src/service/classify.js'
import { createCleaner } from '../../../src/service/evidence.js'
import type { Exchange, Response } from '../../../src/service/exchange.js'
import { classifySources } from '../../../src/service/read-back/classify-sources.js'
import { createStatusTable } from '../../../src/service/status-table.js'
import { admit, open, SETTINGS } from '../../ledger/campaign-setup.js'
import { rowsOf } from '../../ledger/ledger-views.js'
import { registered } from '../../run/outcome-samples.js'
import { mandateOf } from '../../service/sending.js'
import { englishOn } from './leaves.js'

const { message, remedy } = RULES.IBAN_CHECKSUM
const other: Texts = {
  ...en,
  rules: { ...en.rules, IBAN_CHECKSUM: { message: 'Ungueltig.', remedy: 'Nachsehen.' } },
  stillNotSent: 'Bleibt liegen.',
}
const problem = (change: object = {}) => ({ rule: 'IBAN_CHECKSUM', message, remedy, ...change })

describe('what was recorded about a value', () => {
  it('is put into a language as far as it is the text of the rule', () => {
    expect(problemMessage(problem(), other)).toBe('Ungueltig.')
    expect(problemRemedy(problem(), other)).toBe('Nachsehen.')
  })

  it('keeps what was noted about this one value', () => {
    const noted = problem({ message: `${message} It has 23 characters.` })
    expect(problemMessage(noted, other)).toBe('Ungueltig. It has 23 characters.')
    const lowered = problem({ message: `${message} ${STILL_NOT_SENT}` })
    expect(problemMessage(lowered, other)).toBe('Ungueltig. Bleibt liegen.')
  })

  it('stands as it was recorded where another version had other texts, or the rule is not known', () => {
    const older = problem({ message: 'The check digits are wrong!', remedy: 'Look it up' })
    expect([problemMessage(older, other), problemRemedy(older, other)]).toEqual([older.message, older.remedy])
    const unknown = problem({ rule: 'NEW_RULE' })
    expect([problemMessage(unknown, other), problemRemedy(unknown, other)]).toEqual([message, remedy])
  })

  it('is the recorded text in English', () => {
    const noted = problem({ message: `${message} Detail. ${STILL_NOT_SENT}` })
    expect([problemMessage(noted, en), problemRemedy(noted, en)]).toEqual([noted.message, remedy])
  })
})

const textOf = (path: string): string => readFileSync(path, 'utf8')

/** Every code that chooses a sentence, one that chooses none, and what a proxy says. */
const ERRORS = [
  ...[...textOf('src/service/transport-reason.ts').matchAll(/\['([A-Z_]+)',/g)].map(([, code]) => code ?? ''),
  'ECONNRESET',
  'CERT_HAS_EXPIRED',
  'UND_ERR_INVALID_ARG',
].map((code) => ({ code, name: 'Error', message: 'x-1' }))
const PROXY = [407, 502].map((status) => ({
  code: null,
  name: 'AbortError',
  message: `Proxy response (${status}) !== 200 when HTTP Tunneling`,
}))

const exchangeOf = (parts: Partial<Exchange>): Exchange => ({
  started: true,
  response: null,
  error: null,
  durationMs: 12,
  receivedAtMs: 0,
  ...parts,
})

const answered = (status: number, bodyText: string, parts: Partial<Response> = {}): Partial<Exchange> => ({
  response: { status, headers: {}, bodyText, complete: true, ...parts },
})

const envelope = (status: string | null, field: string | null, message: string): string =>
  JSON.stringify({ status, data: { field, message } })

const mandate = mandateOf(4711)
const echo = {
  customer_no: 4711,
  iban: mandate.iban,
  signed_date: mandate.signedDate,
  sepa_creditor_identifier: 'DE79ZZZ01234567890',
  unique_mandate_reference: 'NEW-1',
}
const echoed = (fields: object): string => JSON.stringify({ status: 'OK', data: { ...echo, ...fields } })

/** Every way in which an exchange can end, by what chooses the sentence. */
const EXCHANGES: readonly Partial<Exchange>[] = [
  ...[...ERRORS, ...PROXY, null].flatMap((error) => [
    { started: false, error },
    { error },
    { ...answered(200, '', { complete: false }), error },
    { ...answered(500, '', { complete: false }), error },
  ]),
  ...[200, 301, 400, 401, 403, 404, 409, 422, 429, 500, 503].flatMap((status) => [
    answered(status, ''),
    answered(status, '<p>'),
    answered(status, envelope('INVALID_PARAMETER', 'iban', 'x (y): refused')),
    answered(status, envelope('NOT_AVAILABLE_YET', null, 'x')),
    answered(status, envelope('INVALID_OBJECT_STATE', 'a.b', 'x')),
  ]),
  answered(200, echoed({})),
  answered(200, echoed({ iban: 'NO9386011117947' })),
  answered(200, echoed({ unique_mandate_reference: ' NEW-1' })),
]

const source = (parts: Partial<ListedSource> = {}): ListedSource => ({
  id: null,
  status: null,
  scheme: null,
  reference: null,
  iban: null,
  signedAt: null,
  ...parts,
})

const heldBack = (parts: Partial<Evidence>): string =>
  outcomeOfHeldBack(
    {
      verdict: 'proven',
      why: null,
      sources: [
        { id: 'PS-1', status: 'PENDING', reference: 'R-1', accountMasked: null, signedDate: null },
        { id: null, status: 'ENDED', reference: 'R-2', accountMasked: null, signedDate: null },
        { id: null, status: null, reference: null, accountMasked: null, signedDate: null },
        { id: 'PS-2', status: null, reference: null, accountMasked: null, signedDate: null },
      ],
      ...parts,
    },
    1,
  ).reason

/** A list that cannot be held against the row, which the ledger may not even know. */
async function notComparable(isKnown: boolean): Promise<string> {
  const row = {
    rowId: 1,
    attempts: 1,
    isAccount: () => true,
    accountKey: 'a',
    accountMasked: 'DE…3000',
    signedDate: mandate.signedDate,
    reference: null,
  }
  const seen = { kind: 'listed', sources: [source()], limits: {}, status: 200, durationMs: 1 } as const
  const looking = checkBeforeSend({
    send: () => Promise.resolve(registered()),
    reader: { listPaymentSources: () => Promise.resolve(seen) },
    readBacks: {
      startBeforeSending: () => 1,
      rowsOf: () => (isKnown ? [row] : []),
      record: () => undefined,
      end: () => undefined,
    },
    terms: {} as Parameters<typeof checkBeforeSend>[0]['terms'],
    clock: { now: () => 0, monotonic: () => 0 },
    after: () => () => undefined,
    drain: new AbortController().signal,
  })
  const attempt = { rowId: 1, n: 1 } as Parameters<typeof looking.send>[1]
  return (await looking.send(mandate, attempt, new AbortController().signal)).reason
}

/** What real ledgers record of attempts that they never saw the end of. */
async function recordedByLedgers(): Promise<string[]> {
  const dead = open()
  dead.startRun(SETTINGS)
  admit(
    dead,
    [1, 2, 3].map((n) => ({ reference: `M-${n}`, customerNo: n })),
  )
  const attempts = await Promise.all(dead.ready(0, 2).map((row) => dead.begin(row)))
  dead.close()
  const kept = `{"kind":"header"}\n{"requestId":"${attempts[1]!.requestId}"}`
  writeFileSync(`${dead.file}.emergency.jsonl`, kept, { mode: 0o600 })
  const older = open({ file: dead.file })
  older.claims.adoptOlderCopy({ by: 'Ada', reason: 'restored', mark: 'mark-2', run: SETTINGS })
  return rowsOf(dead.file).map(({ lastAttempt }) => lastAttempt?.reason ?? '')
}

async function everyReason(): Promise<string[]> {
  const questions = EXCHANGES.map((parts) =>
    classifySources(exchangeOf(parts), createCleaner({ iban: null, secrets: [] })),
  )
  const repeated = decide(registered(), {
    isReferenceKnown: true,
    turnedAway: 0,
    ageMs: 0,
    connectionFailures: 0,
    random: 0,
  })
  return [
    ...EXCHANGES.map((parts) => classify(exchangeOf(parts), mandate, createStatusTable()).reason),
    ...questions.flatMap((seen) =>
      seen.kind === 'not_read' ? [outcomeOfUnanswered(seen, null).reason] : [],
    ),
    repeated.outcome.reason,
    heldBack({}),
    heldBack({ verdict: 'twice' }),
    heldBack({ verdict: 'other', why: 'ended' }),
    heldBack({ verdict: 'other', why: 'other_date' }),
    heldBack({ verdict: 'other', why: 'ambiguous' }),
    outcomeOfInterruption(1).reason,
    await notComparable(true),
    await notComparable(false),
    ...(await recordedByLedgers()),
    ...Object.values(DOUBT_REASONS),
  ]
}

/** Statuses, codes, references, files, and words of the service. */
const variablesOf = (reason: string): string[] =>
  reason.match(/[\w.-]*(?:\d|[A-Z]{2}|\.\w)[\w.-]*|x \(y\)/g) ?? []

/** What a reader of answers says of a value, which stands as it was recorded. */
const DETAIL =
  /\((?:data|status|header link|sepa_creditor_identifier|unique_mandate_reference|the answer)\b[^)]*\)/

/** Words that no other language has, and that no part of these reasons is. */
const ENGLISH_WORD = /\b(?:the|this|answered|field|not|nothing|without|already|with|probably)\b/i

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

describe('why a row is in doubt, was refused or not sent', () => {
  it.each(OTHERS)(
    'is said in %s, whatever this version records, with every code and reference',
    async (language) => {
      const texts = await textsOf(language)
      const reasons = [...new Set(await everyReason())]
      expect(reasons.length).toBeGreaterThan(100)
      for (const reason of reasons) {
        const said = reasonText(reason, texts)
        expect([said, englishOn(said), ENGLISH_WORD.exec(said.replace(DETAIL, ''))]).toEqual([said, [], null])
        for (const part of variablesOf(reason)) expect(said, reason).toContain(part)
      }
    },
  )

  it('knows every sentence of the files that record one', async () => {
    const texts = (await everyReason()).join('\n') + JSON.stringify(en.reasons).replaceAll('\\"', '"')
    const unknown = FILES.flatMap((file) => sentencesIn(file).filter((text) => !texts.includes(text)))
    expect(unknown.filter((text) => !NO_REASON.some((other) => text.startsWith(other)))).toEqual([])
  })

  it('stands as it was recorded in English', async () => {
    for (const reason of await everyReason()) expect(reasonText(reason, en)).toBe(reason)
    for (const reason of await everyReason())
      expect(reasonText(reason, { ...en, reasons: { ...en.reasons } })).toBe(reason)
  })

  it.each([
    'The service answered 422: something new',
    'Something new (ECONNRESET): nothing was sent',
    'The service answered 4x2: refused',
    'Somebody said: The service answered 422: refused',
    'The program ended before the answer was recorded.',
    '',
  ])('stands as it was recorded where this version has no such sentence: %j', async (reason) => {
    for (const language of OTHERS) expect(reasonText(reason, await textsOf(language))).toBe(reason)
  })

  it('says it in whole sentences', async () => {
    const de = await textsOf('de')
    expect(
      reasonText('The service answered 422 (INVALID_PARAMETER, field iban, is wrong): refused', de),
    ).toBe('Der Dienst antwortete mit 422 (INVALID_PARAMETER, Feld iban, is wrong): abgelehnt')
    expect(reasonText(heldBack({}), await textsOf('sv'))).toBe(
      'Tjänsten har redan detta mandat, därför skickades det inte: betalningskälla PS-1, referens R-1, PENDING; betalningskälla utan id, referens R-2, ENDED; betalningskälla utan id; betalningskälla PS-2',
    )
  })
})

/** Where reasons are made. */
const FILES = [
  'src/service/transport-reason.ts',
  'src/service/classify.ts',
  'src/service/read-back/classify-sources.ts',
  'src/domain/proof/before-sending.ts',
  'src/run/ask/check-outcome.ts',
  'src/run/decide.ts',
  'src/migrate/check-before-send.ts',
  'src/ledger/deliver/recovery.ts',
  'src/ledger/deliver/doubt-reasons.ts',
]

/** What stands there besides: statements of the database, why a run stops, mistakes of a caller. */
const NO_REASON = [
  'update ',
  'select ',
  'insert ',
  "(state in ('ready'",
  'and mandate_key is not null',
  'has no attempt',
  'The service turned the same row away',
  'times or for a quarter of an hour',
  'Ask the service about its limits, send fewer requests at once or a second, then run again',
  'The decision needs a person and a reason',
  'Give both',
]

/** Every text of more than one word, without the values in it. */
function sentencesIn(file: string): string[] {
  const texts: string[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text.trim())
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest))
  return texts.filter((text) => /\p{L}{2} \p{L}{2}/u.test(text))
}
