import { makeFaults } from './sample-faults.js'
import {
  COUNTRIES,
  CREDITOR,
  csvLine,
  FIRST_NAMES,
  inventIban,
  LAST_NAMES,
  seeded,
  type Seeded,
} from './sample-values.js'
import { makeWalk, WALKS } from './walk-exports.js'
import { makeExcelDamaged, makeFrench, makeGerman, makeUtf16 } from './sample-exports.js'

/** Every sample by its name in `samples/`. Seeded, so the bytes are the same everywhere. */
export function makeSamples(): ReadonlyMap<string, Buffer> {
  return new Map([
    ['clean.csv', makeClean()],
    ['demo.csv', makeDemo()],
    ...makeFaults(),
    ...makeGerman(),
    ...makeFrench(),
    ['excel-damaged.csv', makeExcelDamaged()],
    ['utf16.csv', makeUtf16()],
  ])
}

const HEADER = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
  'account_holder',
]

const inventName = (random: Seeded): string => `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`

function makeClean(): Buffer {
  const random = seeded(20260615)
  const lines = Array.from({ length: 240 }, (_, index) =>
    csvLine([
      `${100_001 + index}`,
      inventIban(random, COUNTRIES[index % COUNTRIES.length]!),
      random.date(2012, 2025),
      CREDITOR,
      `MND-${2012 + (index % 14)}-${`${index + 1}`.padStart(5, '0')}`,
      inventName(random),
    ]),
  )
  return Buffer.from(`${[csvLine(HEADER), ...lines].join('\n')}\n`)
}

/** About sixty rows of every kind; the sandbox of the demo refuses 424242 and loses its answer for 424243. */
function makeDemo(): Buffer {
  const random = seeded(424242)
  const row = (customerNo: string, reference: string, change: Readonly<Record<string, string>> = {}) => ({
    customer_no: customerNo,
    iban: inventIban(random, random.pick(COUNTRIES)),
    signed_date: random.date(2016, 2025),
    sepa_creditor_identifier: CREDITOR,
    unique_mandate_reference: reference,
    account_holder: inventName(random),
    status: 'active',
    ...change,
  })
  const rows = Array.from({ length: 50 }, (_, index) =>
    row(`${420_001 + index}`, `DEMO-${`${index + 1}`.padStart(4, '0')}`),
  )
  const repeated = rows[11]!
  rows.splice(20, 0, row('424242', 'DEMO-REFUSED'))
  rows.splice(35, 0, row('424243', 'DEMO-LOST-ANSWER'))
  rows.push(
    repeated,
    row('421001', 'DEMO-CONFLICT'),
    row('421002', 'DEMO-CONFLICT'),
    row('421003', 'DEMO-CANCELLED', { status: 'cancelled' }),
    row('421004', 'DEMO-TYPO', { iban: 'DE88370400440532013000' }),
    row('421005', 'DEMO-MASKED', { iban: 'DE89**************3000' }),
    row('421006', 'DEMO-NO-DAY', { signed_date: '2023-02-29' }),
    row('', 'DEMO-NO-CUSTOMER'),
    row('421008', 'DEMO_UNDERSCORE'),
  )
  const header = [...HEADER, 'status']
  const lines = rows.map((cells) => csvLine(header.map((name) => (cells as Record<string, string>)[name]!)))
  return Buffer.from(`${[csvLine(header), ...lines].join('\n')}\n`)
}

/** The exports of the walks (e2e/walks.test.ts), which are no samples: 400 rows with 12 planted faults each. */
export const makeWalks = (): ReadonlyMap<string, Buffer> =>
  new Map(Object.entries(WALKS).map(([name, walk]) => [`${name}.csv`, makeWalk(walk).bytes]))
