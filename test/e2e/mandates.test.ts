import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { MandateTotals } from '../../src/domain/row/row-state.js'
import { textOf } from '../report/ledger-value.js'
import { ENDED, mandate, TYPED_WRONG, withStatus } from '../support/mandates.js'
import { placeForEach, type Row } from '../support/place.js'
import { sheetsOf } from '../report/workbook-value.js'
import { seedChance } from '../support/chance.js'

const place = placeForEach({ sandbox: {} })
const { save, program, json, read, registered } = place

const FATES: readonly Row[] = [{}, {}, {}, ENDED, TYPED_WRONG]
const MANDATES = 14

/** The figures of page 1 in their order: mandates, registered, in doubt, refused, not sent. */
const onPage = (): number[] => {
  const figures = /<dl class="figures">(.*?)<\/dl>/s.exec(read('report.html'))?.[1] ?? ''
  return [...textOf(figures).matchAll(/ (\d+) [\d.]+ %/g)].map(([, count]) => Number(count))
}

/** The same of the first sheet. */
const inWorkbook = (): unknown[] => {
  const cells = (sheetsOf(readFileSync(place.path('reconciliation.xlsx'))).get('Summary') ?? []).map((row) =>
    row.map(({ value }) => value),
  )
  const at = cells.findIndex(([name]) => name === 'Mandates')
  return cells.slice(at, at + 5).map(([, count]) => Number(count))
}

it.each([1, 2, 3, 4, 5, 6])(
  'page, workbook, summary, status and console count the same mandates, each once (seed %d)',
  async (seed) => {
    const draw = seedChance(seed)
    const numbers = Array.from({ length: MANDATES }, (_, at) => at + 1)
    const first = numbers.slice(0, -2).map((n) => mandate(n, draw.pick(FATES)))
    save('export.csv', withStatus(...first, ...first.slice(0, draw.between(0, 3))))
    await program('run', 'export.csv', '--limit', String(draw.between(1, 5)))
    save(
      'final.csv',
      withStatus(
        ...numbers
          .map((n) => first[n - 1] ?? mandate(n))
          .map((row) => ({ ...row, ...(draw.happens(0.2) ? ENDED : {}) })),
      ),
    )
    await program('compare', 'final.csv')
    const { stdout } = await program('run', 'final.csv')
    const { mandates } = await json<{ mandates: MandateTotals }>('status')
    const summary = JSON.parse(read('summary.json')) as { mandates: MandateTotals }
    expect(summary.mandates).toEqual(mandates)
    const { total, ...byState } = mandates
    const unsent = byState.ready + byState.invalid + byState.conflict + byState.excluded + byState.writtenOff
    expect([total, byState.registered]).toEqual([MANDATES, registered().length])
    expect(inWorkbook()).toEqual(onPage())
    expect(onPage()).toEqual([
      total,
      byState.registered,
      byState.inDoubt + byState.sending,
      byState.refused,
      unsent,
    ])
    expect(stdout).toContain(`  ${total} mandates: ${byState.registered} registered, `)
  },
)
