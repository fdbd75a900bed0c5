import { plural } from '../text/wording.js'

/** Rows with one of these values in this column of their export. */
export interface ChosenColumn {
  readonly column: string
  readonly values: readonly string[]
}

/** Which of the rows that are ready one run may send. All that it names must hold. */
export interface Choice {
  readonly only: readonly ChosenColumn[]
  /** Countries of the account, two letters each; null for all. */
  readonly countries: readonly string[] | null
}

/** A choice, and how many ready rows it does not take. */
export interface CountedChoice extends Choice {
  readonly left: number
}

/** `Segment: A or B; country: AT`. */
export const choiceText = ({ only, countries }: Choice): string =>
  [
    ...only.map(({ column, values }) => `${column}: ${values.join(' or ')}`),
    ...(countries === null ? [] : [`country: ${countries.length === 0 ? 'none' : countries.join(' or ')}`]),
  ].join('; ')

/** The same for people, with what it leaves; no line where there is none. */
export const choiceLines = (choice: CountedChoice | null): string[] =>
  choice === null
    ? []
    : [
        `Of the ready rows only ${choiceText(choice)}; ${plural(choice.left, 'other row stays ready', 'other rows stay ready')}`,
      ]

/** The rows that both take. */
export function narrowed(wide: Choice | null, narrow: Choice | null): Choice | null {
  if (wide === null || narrow === null) return wide ?? narrow
  const countries =
    wide.countries === null || narrow.countries === null
      ? (wide.countries ?? narrow.countries)
      : wide.countries.filter((country) => narrow.countries?.includes(country))
  return { only: [...wide.only, ...narrow.only], countries }
}
