import { describe, expect, it } from 'vitest'
import { headerOfMore, signOfError, signOfMore } from '../../src/contract/payment-source.js'
describe('26.1 what stands beside a list of two', () => {
  it.each<[unknown, string]>([
    [{ has_more: true }, 'has_more'],
    [{ hasMore: 'true' }, 'hasMore'],
    [{ next: '/api/v2/payment_source?page=2' }, 'next'],
    [{ meta: { next_cursor: 'abc' } }, 'meta.next_cursor'],
    [{ links: { next: { href: '/x' } } }, 'links.next'],
    [{ links: [{ rel: 'next', href: '/x' }] }, 'links.0.rel'],
    [{ paging: { cursors: { after: 'x' }, next: 'y' } }, 'paging.next'],
    [{ total: 3 }, 'total'],
    [{ meta: { total_count: '3' } }, 'meta.total_count'],
    [{ count: 3 }, 'count'],
    [{ page: { totalElements: 3 } }, 'page.totalElements'],
    [{ total_pages: 2 }, 'total_pages'],
    [{ pagination: { page: 2 } }, 'pagination.page'],
    [{ per_page: 2 }, 'per_page'],
    [{ limit: 2 }, 'limit'],
    [{ offset: 1 }, 'offset'],
    [{ truncated: true }, 'truncated'],
    [{ last: false }, 'last'],
    [{ complete: false }, 'complete'],
    [{ remaining: 1 }, 'remaining'],
  ])('%j says that there may be more', (beside, place) => {
    expect(signOfMore(beside, 2)).toBe(`${place}: may not be the whole list`)
  })

  it.each<unknown>([
    null,
    {},
    { has_more: false, next: null, next_cursor: '' },
    { meta: { total_count: 2, total_pages: 1, page: 1, per_page: 50, offset: 0 } },
    { last: true, complete: true, truncated: false, links: { self: '/x', next: null } },
    { rate_limit: { limit: 1, remaining: 99 }, request_count: 7, retry_count: 3 },
    { timestamp: 1_700_000_000, id: 'more' },
  ])('%j says nothing of the kind', (beside) => {
    expect(signOfMore(beside, 2)).toBeNull()
  })

  it.each<[unknown, string | null]>([
    [{ errors: ['x'] }, 'errors'],
    [{ error: { message: 'x' } }, 'error'],
    [{ meta: { warnings: [{}] } }, 'meta.warnings'],
    [{ error_count: 1 }, 'error_count'],
    [{ failed: true }, 'failed'],
    [{ errors: [], error: null, error_count: 0, failed: false, warnings: {} }, null],
    [{ message: 'OK' }, null],
  ])('%j is read for errors: %j', (beside, place) => {
    expect(signOfError(beside)).toBe(place === null ? null : `${place}: errors beside the list`)
  })

  it('is read to a depth, and no further', () => {
    let deep: object = { next: 'x' }
    for (let n = 0; n < 50; n += 1) deep = { deep }
    expect(signOfMore(deep, 0)).toBeNull()
  })
})

describe('26.1 the headers of a list of two', () => {
  it.each<[string, string]>([
    ['link', '<https://service.example/x?page=2>; rel="next"'],
    ['link', '<https://service.example/x?page=9>; rel=last'],
    ['link', '</x>; rel="self", </x?page=2>; rel="next"'],
    ['link', '</x>; rel="self", </x?page=2>'],
    ['link', 'anything'],
    ['x-total-count', '3'],
    ['x-total-pages', '2'],
    ['x-next-page', '2'],
    ['x-has-more', 'true'],
    ['x-pagination', '{"TotalCount":3}'],
    ['content-range', 'items 0-1/3'],
    ['content-range', 'items 0-1/*'],
  ])('%s: %s says that there may be more', (name, value) => {
    expect(headerOfMore({ 'content-type': 'application/json', [name]: value }, 2)).toBe(
      `header ${name}: may not be the whole list`,
    )
  })

  it.each<[string, string]>([
    ['link', '</x>; rel="self"'],
    ['link', '</docs>; rel=help, </x>; rel="describedby self"'],
    ['x-total-count', '2'],
    ['x-total-pages', '1'],
    ['x-next-page', ''],
    ['x-pagination', '{"TotalCount":2}'],
    ['x-pagination', '{'],
    ['content-range', 'items 0-1/2'],
    ['x-ratelimit-remaining', '99'],
    ['x-request-count', '99'],
    ['x-retry-count', '99'],
    ['content-length', '500'],
  ])('%s: %s says nothing of the kind', (name, value) => {
    expect(headerOfMore({ [name]: value }, 2)).toBeNull()
  })
})
