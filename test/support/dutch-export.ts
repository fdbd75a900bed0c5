import { creditorIdentifierOf, ibanOf } from './sample-values.js'

/** An association of a Dutch town and its members, all invented: an export that no sample resembles. */

export const MEMBERS = 12
const CREDITOR = creditorIdentifierOf('NL', '404040400001', 'ZZZ')

/** Ten digits that pass the eleven test, which Dutch account numbers do. */
function accountDigits(n: number): string {
  for (let candidate = 410_000_000 + n * 1_009; ; candidate += 1) {
    const digits = String(candidate).padStart(10, '0')
    const sum = Array.from(digits).reduce((total, digit, at) => total + Number(digit) * (10 - at), 0)
    if (sum % 11 === 0) return digits
  }
}

const dutchAccount = (n: number): string => ibanOf('NL', `INGB${accountDigits(n)}`)

export const PERSONS = Array.from({ length: MEMBERS }, (_, index) => ({
  customerNo: 70_001 + index,
  name: `Fenna Oosterhuis-Zuiderveld ${'abcdefghijkl'.charAt(index)}`,
  mail: `fenna.${'abcdefghijkl'.charAt(index)}@post.example`,
  street: `Kruidenierspad ${index + 1} bis`,
  account: dutchAccount(index + 1),
}))

const grouped = (account: string): string => account.replace(/(.{4})(?=.)/g, '$1 ')

/**
 * UTF-8 with a byte order mark, tabs, Dutch names of columns, dates as day-month-year, accounts in groups of four, a
 * title above and a total below. The account of the second member has a typing error, the third has ended.
 */
export function dutchExport(): string {
  const rows = PERSONS.map(({ customerNo, name, mail, street, account }, index) =>
    [
      customerNo,
      name,
      mail,
      street,
      grouped(index === 1 ? account.replace(/.$/, (digit) => String((Number(digit) + 1) % 10)) : account),
      `VER-${String(index + 1).padStart(4, '0')}`,
      `${String(index + 1).padStart(2, '0')}-11-2021`,
      CREDITOR,
      index === 2 ? 'beëindigd' : 'lopend',
    ].join('\t'),
  )
  const header = [
    'Lidnummer',
    'Naam',
    'E-mailadres',
    'Straat',
    'Rekeningnummer',
    'Machtigingskenmerk',
    'Datum ondertekening',
    'Incassant-ID',
    'Toestand',
  ].join('\t')
  return `\uFEFFLedenlijst van de vereniging\r\n\r\n${[header, ...rows].join('\r\n')}\r\nAantal leden: ${MEMBERS}\r\n`
}
