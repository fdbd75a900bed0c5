import type { Campaign, Confirmation, Office } from './people-office.js'
import { sorted, sortedApart, type Sheet } from './people-spreadsheet.js'
import type { Chance } from '../support/chance.js'

export const drawCampaign = ({ campaigns }: Office, chance: Chance): Campaign =>
  chance.happens(0.7) ? campaigns[0]! : chance.pick(campaigns)

/** Flags that people give now and then. */
export const drawFlags = (chance: Chance): string[] => [
  ...(chance.happens(0.4) ? ['--limit', String(chance.between(1, 3))] : []),
  ...(chance.happens(0.6) ? ['--concurrency', String(chance.between(1, 3))] : []),
]

export const drawConfirmation = (chance: Chance): Confirmation =>
  chance.weigh<Confirmation>({ 'with --yes': 6, 'host typed': 1.5, 'no typed': 1 })

export function orderedAs(
  sheet: Sheet,
  order: 'as_it_was' | 'all' | 'row' | 'customer' | 'reference' | 'attempt',
  chance: Chance,
): Sheet {
  switch (order) {
    case 'as_it_was':
      return sheet
    case 'all':
      return sorted(sheet, chance)
    case 'row':
      return sortedApart(sheet, 'migration_row', chance)
    case 'customer':
      return sortedApart(sheet, 'customer_no', chance)
    case 'reference':
      return sortedApart(sheet, 'unique_mandate_reference', chance)
    case 'attempt':
      return sortedApart(sheet, 'migration_attempt', chance)
  }
}
