import { creditorIdentifierOf, inventIban, seeded } from './sample-values.js'

/** What the exports of the walks (test/e2e/walks) were invented from: 400 rows each, with 12 planted faults. */
interface Walk {
  readonly seed: number
  readonly country: string
  readonly creditor: string
  /** Customer, holder, account, reference, date of signature, creditor, last collection, status, amount. */
  readonly columns: readonly string[]
  readonly dated: (date: string) => string
  readonly customer: (number: number) => string
}

const parts = (date: string): string[] => date.split('-')

export const WALKS = {
  spanish: {
    seed: 34,
    country: 'ES',
    creditor: creditorIdentifierOf('ES', 'B12345674'),
    columns: [
      ...[
        'Código cliente',
        'Titular de la cuenta',
        'Número de cuenta (IBAN)',
        'Referencia única del mandato',
      ],
      ...['Fecha de firma', 'Identificador del acreedor', 'Último cobro', 'Estado', 'Importe'],
    ],
    dated: (date) => parts(date).reverse().join('/'),
    customer: (number) => `C-${`${number}`.padStart(6, '0')}`,
  },
  portuguese: {
    seed: 351,
    country: 'PT',
    creditor: creditorIdentifierOf('PT', '104321'),
    columns: [
      ...['Nº de cliente', 'Nome do devedor', 'IBAN do devedor', 'Autorização de Débito'],
      ...['Data de assinatura', 'Identificação do credor', 'Última cobrança', 'Situação', 'Valor'],
    ],
    dated: (date) => parts(date).reverse().join('-'),
    customer: (number) => `${number}`.padStart(8, '0'),
  },
  czech: {
    seed: 420,
    country: 'CZ',
    creditor: creditorIdentifierOf('CZ', '10234'),
    columns: [
      ...['Číslo zákazníka', 'Jméno plátce', 'Číslo účtu (IBAN)', 'Jedinečný odkaz na mandát'],
      ...['Datum podpisu', 'Identifikátor inkasanta', 'Poslední inkaso', 'Stav', 'Částka'],
    ],
    dated: (date) =>
      parts(date)
        .reverse()
        .map((part) => part.replace(/^0/, ''))
        .join('.'),
    customer: (number) => `${number}`,
  },
} as const satisfies Readonly<Record<string, Walk>>

/** What each row truly is, by the number of its record: customer, account, reference, date of signature, creditor. */
export function truthOf(walk: Walk): ReadonlyMap<string, readonly [string, string, string, string, string]> {
  const random = seeded(walk.seed)
  const rows = Array.from({ length: 399 }, (_, index) => {
    random.below(1) // its names
    random.below(1)
    const account = inventIban(random, walk.country).replaceAll(/(.{4})(?=.)/g, '$1 ')
    const reference = `${walk.country}${random.digits(5)}-${`${index + 1}`.padStart(4, '0')}`
    const signed = walk.dated(random.date(2016, 2025))
    random.digits(4) // its last collection and its amount
    return [walk.customer(1_201 + index), account, reference, signed, walk.creditor] as const
  })
  return new Map(rows.map((row, index) => [`${index + 1}`, row]))
}
