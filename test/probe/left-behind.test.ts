import { expect, it } from 'vitest'
import { leftBehind } from '../../src/probe/left-behind.js'
import { next, observed, postedAs, sourceOf } from './outcomes.js'

const listing = (...sources: ReturnType<typeof sourceOf>[]) =>
  ({ kind: 'listed', sources, limits: {}, status: 200, durationMs: 1 }) as const

it('names what was registered, what is listed and what may be there, with its ids, and nothing that was refused', () => {
  const [one, two, three, four, five] = [next(1), next(1), next(1), next(1), next(1)]
  const posted = [
    postedAs('first', { status: 200, reference: 'NEW-1' }, one),
    postedAs('duplicate', { status: 200, reference: 'NEW-2' }, one),
    postedAs('first', null, two),
    postedAs('second_mandate', null, three),
    postedAs('wrong_account', { status: 400 }, four),
    postedAs('unknown_customer', { status: 429 }, five),
  ]
  const after = new Map([
    [1, listing(sourceOf(one, 'NEW-1'), sourceOf(one, 'NEW-2'), sourceOf(two, 'NEW-7'))],
  ])
  const left = leftBehind(observed({ posted, after }))
  expect(left.map(({ certainty, purposes, assigned, ids }) => [certainty, purposes, assigned, ids])).toEqual([
    ['registered', ['first', 'duplicate'], ['NEW-1', 'NEW-2'], ['id-NEW-1', 'id-NEW-2']],
    ['listed', ['first'], ['NEW-7'], ['id-NEW-7']],
    ['may_be', ['second_mandate'], [], []],
  ])
  expect(left[0]).toMatchObject({ customerNo: 1, reference: one.original.mandateReference })
  expect(JSON.stringify(left)).not.toContain(one.iban.slice(0, 12))
})

it('shows an id whole, also one that looks like an account', () => {
  const mandate = next(1)
  const id = 'ps-97e0mey9wpk2ypkpfptmqz619g'
  const posted = [postedAs('first', { status: 200, reference: 'NEW-1' }, mandate)]
  const after = new Map([[1, listing(sourceOf(mandate, 'NEW-1', { id }))]])
  expect(leftBehind(observed({ posted, after }))[0]?.ids).toEqual([id])
})

it('shows no account that the service hides in an id', () => {
  const mandate = next(1)
  const posted = [postedAs('first', { status: 200, reference: 'NEW-1' }, mandate)]
  const source = sourceOf(mandate, 'NEW-1', { id: `source-${mandate.iban}` })
  const [left] = leftBehind(observed({ posted, after: new Map([[1, listing(source)]]) }))
  expect(left?.ids.join()).not.toContain(mandate.iban)
})
