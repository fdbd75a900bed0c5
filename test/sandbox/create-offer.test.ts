import { describe, expect, it } from 'vitest'
import { samples } from '../contract/wire-samples.js'
import { exchange } from './exchange.js'
import { sandboxStarter } from './running-sandbox.js'
import { offerResponse } from '../../src/contract/billogram.js'

const start = sandboxStarter()
const { request } = samples.createOffer
const now = () => new Date('2025-03-01T09:30:00Z')

describe('2.1, 4.1: POST /api/v2/offer', () => {
  it('4.1: creates the offer and returns the created object in the envelope', async () => {
    const sandbox = await start({ now })
    const answer = await exchange(sandbox, 'POST', '/api/v2/offer', { body: request })
    expect(answer.status).toBe(200)
    expect(offerResponse.parse(answer.json)).toEqual({
      status: 'OK',
      data: { ...request, created_at: '2025-03-01T09:30:00.000Z', updated_at: '2025-03-01T09:30:00.000Z' },
    })
    expect(sandbox.offers()).toEqual([(answer.json as { data: unknown }).data])
  })

  it('2.1: returns link_text only if it was given', async () => {
    const sandbox = await start()
    const { link_text: _, ...rest } = request
    const answer = await exchange(sandbox, 'POST', '/api/v2/offer', { body: rest })
    expect(answer.json).not.toHaveProperty('data.link_text')
  })

  it('2.1: refuses an offer_id that exists, whatever its case', async () => {
    const sandbox = await start()
    await exchange(sandbox, 'POST', '/api/v2/offer', { body: request })
    for (const offer_id of ['Spring2025', 'SPRING2025', 'spring2025']) {
      const answer = await exchange(sandbox, 'POST', '/api/v2/offer', { body: { ...request, offer_id } })
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ status: 'INVALID_PARAMETER', data: { field: 'offer_id' } })
    }
    expect(sandbox.offers()).toHaveLength(1)
  })
})
