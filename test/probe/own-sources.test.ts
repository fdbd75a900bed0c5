import { describe, expect, it } from 'vitest'
import { listedIn, ownSources } from '../../src/probe/own-sources.js'
import { next, sourceOf } from './outcomes.js'

const mandate = next(1)
const other = next(1)
const own = sourceOf(mandate, 'NEW-1')

describe('the sources of a made-up mandate', () => {
  it.each([
    ['by its account', [{ ...own, reference: null }], 1],
    ['by its account in groups of four', [{ ...own, iban: own.iban?.replace(/.{4}/g, '$& ') ?? null }], 1],
    ['by its reference', [{ ...own, iban: null }], 1],
    ['by its reference in small letters', [{ ...own, iban: null, reference: 'new-1' }], 1],
    ['twice', [own, sourceOf(mandate, 'NEW-2')], 2],
    ['listed twice under one id', [own, own], 1],
    [
      'without an id, twice',
      [
        { ...own, id: null },
        { ...own, id: null },
      ],
      2,
    ],
    ['beside another one', [own, sourceOf(other, 'NEW-3')], 1],
    ['not there', [sourceOf(other, 'NEW-3')], 0],
  ])('%s', (_what, sources, count) => {
    const found = ownSources(sources, [], mandate, ['NEW-1'])
    expect(found.own).toHaveLength(count)
    expect(found.isUnclear).toBe(false)
  })

  it('are none of those that were there before', () => {
    expect(ownSources([own], [own], mandate, ['NEW-1']).own).toEqual([])
  })

  it('cannot be told where a new one shows neither account nor a known reference', () => {
    const dark = { ...sourceOf(other, 'NEW-9'), iban: null }
    expect(ownSources([own, dark], [], mandate, ['NEW-1']).isUnclear).toBe(true)
    expect(ownSources([own, dark], [dark], mandate, ['NEW-1']).isUnclear).toBe(false)
  })

  it('are looked for in a list alone', () => {
    expect(listedIn(null)).toEqual([])
    const listed = { kind: 'listed', sources: [own], limits: {}, status: 200, durationMs: 1 } as const
    expect(listedIn(listed)).toEqual([own])
  })
})
