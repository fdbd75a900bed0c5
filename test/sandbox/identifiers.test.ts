import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { samples } from '../contract/wire-samples.js'
import { ASSIGNED_CREDITOR_IDENTIFIER, assignedReference, eventUuid } from '../../src/sandbox/store.js'

describe('2.3: assigned identifiers', () => {
  it('the creditor identifier has right check digits and is not the one of the sample', () => {
    const [, country, digits, national] =
      /^([A-Z]{2})(\d{2})ZZZ(\d{11})$/.exec(ASSIGNED_CREDITOR_IDENTIFIER) ?? []
    const text = `${national ?? ''}${country ?? ''}${digits ?? ''}`.replace(/[A-Z]/g, (letter) =>
      String(letter.charCodeAt(0) - 55),
    )
    expect(BigInt(text) % 97n).toBe(1n)
    expect(ASSIGNED_CREDITOR_IDENTIFIER).not.toBe(
      samples.migrateMandate.request.amendment.sepa_creditor_identifier,
    )
  })

  it('references have 26 letters and digits, repeat with the seed and with nothing else', () => {
    const references = Array.from({ length: 10_000 }, (_, index) => assignedReference(1, index + 1))
    for (const reference of references) expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(new Set(references).size).toBe(10_000)
    expect(assignedReference(1, 1)).toBe(references[0])
    expect(assignedReference(2, 1)).not.toBe(references[0])
  })

  it('events have UUIDs of their own', () => {
    expect(z.uuidv4().safeParse(eventUuid(1, 'SANDBOX1', 0)).success).toBe(true)
    expect(eventUuid(1, 'SANDBOX1', 1)).not.toBe(eventUuid(1, 'SANDBOX1', 0))
    expect(eventUuid(1, 'SANDBOX2', 0)).not.toBe(eventUuid(1, 'SANDBOX1', 0))
  })
})
