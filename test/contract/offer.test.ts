import { describe, expect, it } from 'vitest'
import { samples } from './wire-samples.js'
import {
  OFFER_PATH,
  OFFER_TYPES,
  offer,
  offerRequest,
  readOfferAnswer,
} from '../../src/contract/billogram.js'

const { request, response } = samples.createOffer
const accepts = (change: object) => offerRequest.safeParse({ ...request, ...change }).success

describe('an offer (src/contract/README.md#offer)', () => {
  it('is created under the path of the description', () => {
    expect(OFFER_PATH).toBe('/api/v2/offer')
  })

  it('type is banner, sale or info and nothing else', () => {
    expect([...OFFER_TYPES]).toEqual(['banner', 'sale', 'info'])
    for (const type of OFFER_TYPES) expect(accepts({ type })).toBe(true)
    for (const type of ['Banner', '', 'offer', null, undefined, 1]) expect(accepts({ type })).toBe(false)
  })

  it.each(['A', 'a1', 'x'.repeat(30), '0'])('offer_id may be %j', (offer_id) => {
    expect(accepts({ offer_id })).toBe(true)
  })

  it.each(['', ' ', 'x'.repeat(31), 'a b', 'a-b', 'a_b', 'ä', 'abc\n', '\u0660', null, 7, undefined])(
    'offer_id may not be %j',
    (offer_id) => {
      expect(accepts({ offer_id })).toBe(false)
    },
  )

  it.each([
    ['title', 200],
    ['text', 1000],
  ])('%s has at most %i characters, whatever they are', (field, limit) => {
    expect(accepts({ [field]: 'x'.repeat(limit) })).toBe(true)
    expect(accepts({ [field]: '🙂'.repeat(limit) })).toBe(true)
    expect(accepts({ [field]: 'x'.repeat(limit + 1) })).toBe(false)
    expect(accepts({ [field]: undefined })).toBe(false)
  })

  it('info_link begins with http:// or https:// and has at most 1000 characters', () => {
    const longest = 'https://a.example/'.padEnd(1000, 'x')
    for (const info_link of ['http://a.example', longest]) expect(accepts({ info_link })).toBe(true)
    for (const info_link of [
      `${longest}x`,
      'ftp://a.example',
      'https:a.example',
      'https:/a.example',
      'HTTPS://a.example',
      ' https://a.example',
      '',
      undefined,
    ]) {
      expect(accepts({ info_link })).toBe(false)
    }
  })

  it('media has a base64 picture and its media type', () => {
    const { media } = request
    expect(accepts({ media: { ...media, picture: 'AAA=' } })).toBe(true)
    for (const broken of [
      undefined,
      {},
      { picture: media.picture },
      { picture_type: 'image/png' },
      { ...media, picture: 'not base64!' },
      { ...media, picture_type: 'png' },
      { ...media, size: 1 },
    ]) {
      expect(accepts({ media: broken })).toBe(false)
    }
  })

  it('link_text may be left out, in the request and in the answer', () => {
    expect(accepts({ link_text: undefined })).toBe(true)
    const { link_text: _, ...rest } = response.data
    expect(offer.safeParse(rest).success).toBe(true)
  })

  it('an unknown field is refused', () => {
    expect(accepts({ colour: 'red' })).toBe(false)
    expect(accepts({ created_at: '2025-03-01T09:30:00Z' })).toBe(false)
  })
})

describe('the tolerant reader of a created offer', () => {
  it('reads the hand-typed answer as it is', () => {
    expect(readOfferAnswer(response)).toEqual({
      kind: 'read',
      status: 'OK',
      content: response.data,
      leftOut: [],
    })
  })

  it('cannot read an answer without an offer_id', () => {
    for (const offer_id of [undefined, '', ' ', 7, null]) {
      expect(readOfferAnswer({ ...response, data: { ...response.data, offer_id } })).toEqual({
        kind: 'unreadable',
        reason: 'data.offer_id is missing or blank',
      })
    }
  })
})
