import iconv from 'iconv-lite'
import { creditorIdentifierOf, csvLine, grouped, inventIban, seeded } from './sample-values.js'

/** How systems of one country write an export. */
interface Walk {
  readonly seed: number
  readonly country: string
  readonly encoding: string
  readonly creditor: string
  /** Customer, holder, account, reference, date of signature, creditor, last collection, status, amount. */
  readonly columns: readonly string[]
  readonly names: readonly [first: readonly string[], last: readonly string[]]
  readonly dated: (date: string) => string
  readonly customer: (number: number) => string
  readonly status: readonly [goes: string, ended: string]
  readonly preamble: readonly string[]
  readonly footer: (records: number) => readonly string[]
}

const parts = (date: string): string[] => date.split('-')

export const WALKS = {
  spanish: {
    seed: 34,
    country: 'ES',
    encoding: 'windows-1252',
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
    names: [
      ['Lucía', 'Íñigo', 'Begoña', 'Álvaro', 'Nuria', 'Jesús'],
      ['Núñez', 'Ibáñez', 'Peña', 'Muñoz', 'Gómez', 'Sanz'],
    ],
    dated: (date) => parts(date).reverse().join('/'),
    customer: (number) => `C-${`${number}`.padStart(6, '0')}`,
    status: ['Activo', 'Baja'],
    preamble: ['Listado de domiciliaciones SEPA;Aguas de Villanueva, S.A.', ''],
    footer: (records) => [`Total registros: ${records}`],
  },
  portuguese: {
    seed: 351,
    country: 'PT',
    encoding: 'utf8',
    creditor: creditorIdentifierOf('PT', '104321'),
    columns: [
      ...['Nº de cliente', 'Nome do devedor', 'IBAN do devedor', 'Autorização de Débito'],
      ...['Data de assinatura', 'Identificação do credor', 'Última cobrança', 'Situação', 'Valor'],
    ],
    names: [
      ['João', 'Inês', 'Conceição', 'Simão', 'Beatriz', 'Luís'],
      ['Simões', 'Gonçalves', 'Magalhães', 'Araújo', 'Brandão', 'Reis'],
    ],
    dated: (date) => parts(date).reverse().join('-'),
    customer: (number) => `${number}`.padStart(8, '0'),
    status: ['Ativa', 'Cancelada'],
    preamble: [],
    footer: () => [],
  },
  czech: {
    seed: 420,
    country: 'CZ',
    encoding: 'windows-1250',
    creditor: creditorIdentifierOf('CZ', '10234'),
    columns: [
      ...['Číslo zákazníka', 'Jméno plátce', 'Číslo účtu (IBAN)', 'Jedinečný odkaz na mandát'],
      ...['Datum podpisu', 'Identifikátor inkasanta', 'Poslední inkaso', 'Stav', 'Částka'],
    ],
    names: [
      ['Žaneta', 'Jiří', 'Květa', 'Ondřej', 'Šárka', 'Luděk'],
      ['Dvořák', 'Šťastná', 'Kučera', 'Říhová', 'Němec', 'Žák'],
    ],
    dated: (date) =>
      parts(date)
        .reverse()
        .map((part) => part.replace(/^0/, ''))
        .join('.'),
    customer: (number) => `${number}`,
    status: ['Aktivní', 'Zrušený'],
    preamble: ['Přehled mandátů k inkasu'],
    footer: (records) => [`Celkem;;;;;;;;${records}`],
  },
} as const satisfies Readonly<Record<string, Walk>>

const ROWS = 400

/** The bytes of an export, and what each row truly is, by the number of its record. */
export function makeWalk(walk: Walk): {
  readonly bytes: Buffer
  readonly truth: ReadonlyMap<string, readonly string[]>
} {
  const random = seeded(walk.seed)
  const [first, last] = walk.names
  const sound = Array.from({ length: ROWS - 1 }, (_, index) => [
    walk.customer(1_201 + index),
    `${random.pick(first)} ${random.pick(last)}`,
    grouped(inventIban(random, walk.country)),
    `${walk.country}${random.digits(5)}-${`${index + 1}`.padStart(4, '0')}`,
    walk.dated(random.date(2016, 2025)),
    walk.creditor,
    walk.dated(`2026-0${1 + random.below(5)}-05`),
    walk.status[0],
    `${10 + random.below(90)},${random.digits(2)}`,
  ])
  const truth = new Map(sound.map((cells, index) => [`${index + 1}`, [...cells]]))
  const [customer, account, reference, signed, creditor, status] = [0, 2, 3, 4, 5, 7]
  const plant = (row: number, column: number, change: (cell: string) => string): void => {
    sound[row]![column] = change(sound[row]![column]!)
  }
  plant(20, account, (cell) => cell.replace(/\d$/, (digit) => `${(Number(digit) + 1) % 10}`))
  plant(50, account, (cell) => `${cell.slice(0, 4)} **** **** ${cell.slice(-4)}`)
  plant(80, account, (cell) => cell.slice(0, -5))
  plant(110, signed, () => walk.dated('2019-02-31'))
  plant(140, signed, () => walk.dated('2062-03-01'))
  plant(170, reference, () => '')
  plant(200, reference, (cell) => cell.replace('-', '_'))
  plant(230, reference, () => '1,23457E+14')
  plant(260, creditor, (cell) => cell.slice(0, -1))
  plant(290, status, () => walk.status[1])
  plant(320, customer, () => '')
  // The twelfth is a row that was exported twice.
  sound.push([...sound[350]!])
  const lines = [walk.columns, ...sound].map((cells) => csvLine([...cells], ';'))
  const text = [...walk.preamble, ...lines, ...walk.footer(ROWS), ''].join('\r\n')
  return { bytes: iconv.encode(text, walk.encoding), truth }
}
