/** A payment source as the service writes it. */
export interface Source {
  readonly id?: string
  readonly status: string
  readonly scheme?: string
  readonly details: { readonly reference?: string; readonly iban?: string; readonly signed_at?: string }
}

/** An answer to a read-back before it is written out. */
interface ListAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> & { readonly data: readonly Source[] }
}

/** How a list may be false about a mandate that is there: as it is told instead. */
export type Lie = (answer: ListAnswer) => ListAnswer

const each =
  (change: (source: Source) => Source): Lie =>
  ({ headers, body }) => ({ headers, body: { ...body, data: body.data.map(change) } })

const account = (masked: (iban: string) => string | undefined): Lie =>
  each(({ details: { iban, ...details }, ...source }) => {
    const shown = masked(iban ?? '')
    return { ...source, details: shown === undefined ? details : { ...details, iban: shown } }
  })

const middle = (of: string) => (iban: string) =>
  iban.slice(0, 4) + of.repeat(iban.length - 8) + iban.slice(-4)

const scheme = (word: string | undefined): Lie =>
  each(({ scheme: _, ...source }) => (word === undefined ? source : { ...source, scheme: word }))

/** The list is empty, and something beside it tells why. */
const hidden =
  (beside: object, headers: Readonly<Record<string, string>> = {}): Lie =>
  ({ body }) => ({ headers, body: { ...body, data: [], ...beside } })

const dated = (day: string): Lie =>
  each((source) => ({ ...source, details: { ...source.details, signed_at: `${day}T00:00:00` } }))

export const LIES: Readonly<Record<string, Lie>> = {
  'another date': dated('2001-01-01'),
  'two live mandates under one id': ({ headers, body }) => ({
    headers,
    body: { ...body, data: body.data.flatMap((source) => [source, secondOf(source)]) },
  }),
  'account with X in its middle': account(middle('X')),
  'account with x in its middle': account(middle('x')),
  'account with zeros in its middle': account(middle('0')),
  'account with zeros that pass the check digits': account(zeroed),
  'account with blanks in its middle': account(middle(' ')),
  'account with stars in its middle': account(middle('*')),
  'account with dots in its middle': account((iban) => `${iban.slice(0, 2)}…${iban.slice(-4)}`),
  'last four digits alone': account((iban) => iban.slice(-4)),
  'account without its last digit': account((iban) => iban.slice(0, -1)),
  'account as a hash': account(() => '9f86d081884c7d65'),
  'empty account': account(() => ''),
  'no account': account(() => undefined),
  'masked account with another date': (answer) => dated('2001-01-01')(account(middle('X'))(answer)),
  'status ERROR': hidden({ status: 'ERROR' }),
  'status PARTIAL': hidden({ status: 'PARTIAL' }),
  'status null': hidden({ status: null }),
  'status not OK beside the mandate': ({ headers, body }) => ({ headers, body: { ...body, status: 'OLD' } }),
  'errors beside an empty list': hidden({ errors: [{ message: 'shard 3 did not answer' }] }),
  'an error in the meta data': hidden({ meta: { error: 'timeout' } }),
  has_more: hidden({ has_more: true }),
  next: hidden({ next: '/api/v2/payment_source?page=2' }),
  'a cursor in the meta data': hidden({ meta: { next_cursor: 'MQ' } }),
  'a total above what is shown': hidden({ total: 1 }),
  'a count in the meta data': hidden({ meta: { total_count: 1 } }),
  'a Link header': hidden({}, { link: '</api/v2/payment_source?page=2>; rel="next"' }),
  'a total in a header': hidden({}, { 'x-total-count': '1' }),
  'a range in a header': hidden({}, { 'content-range': 'items */1' }),
  'scheme SEPA_DD': scheme('SEPA_DD'),
  'scheme SDD_CORE': scheme('SDD_CORE'),
  'scheme card, with its account': scheme('CARD'),
  'no scheme': scheme(undefined),
}

const secondOf = ({ details, ...source }: Source): Source => ({
  ...source,
  details: { ...details, reference: `${details.reference ?? ''}-2` },
})

/** Zeros between country and last four, with the check digits that they need. */
function zeroed(iban: string): string {
  const rest = '0'.repeat(iban.length - 8) + iban.slice(-4)
  const digits = Array.from(`${rest}${iban.slice(0, 2)}00`, (character) => parseInt(character, 36)).join('')
  return `${iban.slice(0, 2)}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${rest}`
}
