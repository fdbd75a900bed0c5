import type { Iban, LocalDate, Mandate } from '../domain/mandate/mandate.js'
import { mod97 } from '../domain/text/check-digits.js'
import { checkMandate, usualChecks } from '../domain/value/check-mandate.js'

/** Of the German bank codes none begins with a zero: no bank has this account. */
const NO_BANK = '00000000'
/** A creditor that the central bank made up for examples. */
const NO_CREDITOR = 'DE98ZZZ09999999999'
const FIRST_WORD = 'PROBE'

export interface MadeUpMandates {
  /** A new one at each call: account and reference are in no other. */
  readonly next: (customerNo: number) => Mandate
  /**
   * The same with check digits that are wrong: the one account that leaves without being one, since what the service
   * says to it is the question.
   */
  readonly nextWrong: (customerNo: number) => Mandate
}

/**
 * Mandates that nobody gave. They pass every check of the rulebook, and their references begin with a word that a person
 * recognises.
 * @param machine.now milliseconds since 1970
 * @param machine.random in [0, 1); two probes of one second differ by it, and two of the same chance by their second
 */
export function inventMandates({
  now,
  random,
}: {
  readonly now: number
  readonly random: () => number
}): MadeUpMandates {
  const at = new Date(now).toISOString()
  const time = at.slice(0, 19).replace(/[-:]/g, '')
  const drawn = Math.floor(random() * 1e6)
  let made = 0
  const next = (customerNo: number): Mandate => {
    made += 1
    const reference = `${FIRST_WORD}-${time}-R${String(drawn).padStart(6, '0')}-${made}`
    return checked(
      customerNo,
      accountOf(((Math.floor(now / 1_000) + drawn) % 1e7) * 1_000 + made),
      reference,
      at,
    )
  }
  return { next, nextWrong: (customerNo) => withWrongAccount(next(customerNo)) }
}

/** Midsummer of the year before: behind any zone that is not UTC, summer time included, a converted date shows. */
const signedDateAt = (at: string): string => `${Number(at.slice(0, 4)) - 1}-07-01`

function accountOf(number: number): string {
  const bban = NO_BANK + String(number).padStart(10, '0')
  return `DE${checkDigits(98 - mod97(`${bban}DE00`))}${bban}`
}

const checkDigits = (number: number): string => String(number).padStart(2, '0')

function checked(customerNo: number, iban: string, reference: string, at: string): Mandate {
  const { verdict, findings } = checkMandate(
    {
      customer_no: String(customerNo),
      iban,
      signed_date: signedDateAt(at),
      sepa_creditor_identifier: NO_CREDITOR,
      unique_mandate_reference: reference,
    },
    usualChecks(at.slice(0, 10) as LocalDate),
  )
  if (verdict.kind === 'sendable') return verdict.mandate
  throw new Error(`A made-up mandate breaks ${findings.map(({ rule }) => rule).join(', ')}`)
}

/** Nothing but this makes an account that no check has seen. */
function withWrongAccount(mandate: Mandate): Mandate {
  const right = Number(mandate.iban.slice(2, 4))
  const wrong = right === 98 ? 2 : right + 1
  const iban = `${mandate.iban.slice(0, 2)}${checkDigits(wrong)}${mandate.iban.slice(4)}`
  return { ...mandate, iban: iban as Iban }
}
