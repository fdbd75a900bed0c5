import { fold } from './text.js'

/**
 * Names of columns that hold an account number or a part of one in national form, as exports of the countries of SEPA
 * have them: German Kontonummer and BLZ, French code banque, guichet and clé RIB, Polish NRB, Spanish CCC, British sort
 * code. Folded names; holders and bank names are not among them.
 */
const ACCOUNT_COLUMN = new RegExp(
  `(?:${[
    'iban',
    'konto(?:nr|no|nummer|numer)?',
    'kto(?:nr|nummer)?',
    'blz',
    'bankleitzahl',
    '(?:bank)?acc(?:oun)?t?(?:no|nr|num|number|id)',
    'bankaccount',
    '(?:bank|branch|sort|routing|clearing)(?:code|number|no|nr)',
    '(?:numero|no|num|n)(?:de|du)?(?:compte|cuenta|conto|conta)',
    'cuenta(?:bancaria|corriente)?',
    'compte(?:bancaire)?',
    'conto(?:corrente)?',
    'code(?:banque|guichet)',
    '(?:cle)?rib',
    'rekening(?:nr|nummer)?',
    'bankrekening(?:nr|nummer)?',
    '(?:nr|numer)?(?:konta|rachunku)(?:bankowego)?',
    'rachunek(?:bankowy)?',
    'nrb',
    'ccc',
    'abi',
    'cab',
  ].join('|')})$`,
)

/** True for a column whose numbers are no business of whoever looks at the file. */
export const isAccountColumn = (header: string): boolean => ACCOUNT_COLUMN.test(fold(header))

const SHORT = 8

/** Every number of such a cell but its end: `…0044`, `…45` where it is short. */
export const maskNumbers = (cell: string): string =>
  cell.replace(/\p{Nd}[\p{Nd}\s./-]*/gu, (number) => {
    const digits = number.replace(/\P{Nd}/gu, '')
    const blank = /\s$/.test(number) ? ' ' : ''
    return `…${digits.length < SHORT / 2 ? '' : digits.slice(digits.length < SHORT ? -2 : -4)}${blank}`
  })
