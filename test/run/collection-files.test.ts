import { expect, it } from 'vitest'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { seedChance } from '../support/chance.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { CHECK, fileOf, optionsOf } from '../support/sources.js'
import { open } from '../ledger/campaign-setup.js'

const IBANS = ['DE89370400440532013000', 'DE02120300000000202051'] as const

/** A campaign that takes the files of one command after the other. */
function campaign() {
  const ledger = open()
  const { signal } = new AbortController()
  const customers = fileOf('reference,customer_no\nM-1,101\nM-2,102\nM-3,103\n', 'customers.csv')
  const options = optionsOf(
    `crosswalk: { file: ${customers}, from: unique_mandate_reference, key: reference, customer_no: customer_no }`,
  )
  return async (...texts: string[]): Promise<string[]> => {
    const files = sourceOpeners(
      texts.map((text) => fileOf(text)),
      options,
      CHECK,
      signal,
    )
    await admitSources(ledger, files, { severities: {}, signal, watch: () => undefined })
    return ledger.view
      .rows(['ready', 'conflict', 'excluded'], 0, 100)
      .map(
        ({ state, originalMandateReference, ibanMasked }) =>
          `${state} ${originalMandateReference ?? ''} ${ibanMasked ?? ''}`,
      )
  }
}

const january = collectionFile([{ reference: 'M-1', iban: IBANS[1] }, { reference: 'M-2' }])
const february = collectionFile([
  { reference: 'M-1', day: '2026-02-05' },
  { reference: 'M-2', day: '2026-02-05', sequence: 'FNAL' },
])
const LATEST = ['ready M-1 DE…3000', 'excluded M-2 DE…3000']

it('30.5 of several files the latest day counts, in whatever order and command they come', async () => {
  for (const order of [
    [january, february],
    [february, january],
  ]) {
    expect(await campaign()(...order)).toEqual(LATEST)
    const later = campaign()
    for (const file of order) await later(file)
    expect(await later(...order)).toEqual(LATEST)
  }
})

it('30.5 no file of the same day, and none beside another export, replaces what says something else', async () => {
  const ended = collectionFile([{ reference: 'M-1', sequence: 'FNAL' }])
  expect(await campaign()(ended, january)).toContain('conflict M-1 DE…2051')
  expect(await campaign()(january, ended)).toEqual(['ready M-2 DE…3000', 'excluded M-1 DE…3000'])
  const line = `${IBANS[0]},2015-03-01,DE98ZZZ09999999999`
  const csv = `iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,status\n${line},M-1,ended\n${line},M-2,active\n`
  expect(await campaign()(csv, january)).toEqual(['ready M-2 DE…3000', 'conflict M-1 DE…2051'])
})

it('30.5 an end that repeats an earlier one is an end still, beside a row of its day that lives', async () => {
  const end = (day: string, sequence: string) => collectionFile([{ reference: 'M-1', day, sequence }])
  const alive = collectionFile([{ reference: 'M-1', day: '2026-03-05' }])
  const rows = await campaign()(end('2026-01-05', 'FNAL'), end('2026-03-05', 'OOFF'), alive)
  expect(rows).toEqual(['conflict M-1 DE…3000'])
})

const SEEDS = Number(process.env['READING_SEEDS'] ?? 60)

it(
  `30.5 what is ready is of the latest day and did not end there, over ${SEEDS} seeds`,
  { timeout: 60_000 + SEEDS * 1000 },
  async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const chance = seedChance(seed)
      const debit = (): Debit & { day: string; iban: string } => ({
        reference: chance.pick(['M-1', 'M-2', 'M-3']),
        day: `2026-0${chance.between(1, 3)}-05`,
        iban: chance.pick(IBANS),
        sequence: chance.pick(['FRST', 'RCUR', 'RCUR', 'FNAL', 'OOFF']),
      })
      const files = Array.from({ length: 3 }, () => Array.from({ length: chance.between(1, 5) }, debit))
      const texts = files.map((file) => collectionFile(file))
      const run = campaign()
      const rows = chance.happens(0.5)
        ? await run(...texts)
        : (await run(texts[0]!), await run(...texts.slice(1)))
      for (const reference of ['M-1', 'M-2', 'M-3']) {
        const all = files.flat().filter((one) => one.reference === reference)
        const day = all
          .map((one) => one.day)
          .sort()
          .at(-1)
        const last = all.filter((one) => one.day === day)
        const isAlive = last.every(({ sequence }) => sequence === 'FRST' || sequence === 'RCUR')
        const account = new Set(last.map(({ iban }) => iban)).size === 1 ? last[0]!.iban.slice(-4) : null
        const expected = isAlive && account !== null ? [`ready ${reference} DE…${account}`] : []
        const ready = rows.filter((row) => row.startsWith(`ready ${reference}`))
        expect({ seed, ready }).toEqual({ seed, ready: expected })
      }
    }
  },
)
