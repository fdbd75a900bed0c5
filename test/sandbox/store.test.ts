import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { maskIban } from '../../src/domain/text/accounts.js'
import { openDatabase } from '../../src/driver.js'
import { UsageError } from '../../src/errors.js'
import {
  ASSIGNED_CREDITOR_IDENTIFIER,
  assignedReference,
  eventUuid,
  openStore,
  type HeldMandate,
} from '../../src/sandbox/store.js'
import { samples } from '../contract/wire-samples.js'
import { freshFolder } from '../support/folder.js'
import { creditorIdentifierOf } from '../support/sample-values.js'
import { act, createOffer, exchange, migrate, start, update } from './exchange.js'

const newFile = (): string => join(freshFolder(), 'state.db')

describe('state in a file', () => {
  it('is the same after a restart: mandates, offers, billograms and what was finalised', async () => {
    const dataFile = newFile()
    const first = await start({ dataFile })
    await migrate(first)
    await createOffer(first)
    await update(first, samples.updateBillogram.request)
    const reference = first.mandates()[0]?.unique_mandate_reference ?? ''
    await act(first, `mandates/${reference}/first-payment`, {})
    const held = [first.mandates(), first.offers(), first.billograms()]
    await first.close()

    const second = await start({ dataFile })
    expect([second.mandates(), second.offers(), second.billograms()]).toEqual(held)
    expect(second.mandates()[0]?.finalised).toBe(true)
    const again = await createOffer(second, { offer_id: 'SPRING2025' })
    expect(again.json).toMatchObject({ data: { field: 'offer_id' } })
  })

  it('never gives a reference twice, not even after a restart with the same seed', async () => {
    const dataFile = newFile()
    for (const seed of [1, 1, 2]) {
      const sandbox = await start({ dataFile, seed })
      await migrate(sandbox)
      await sandbox.close()
    }
    const references = (await start({ dataFile })).mandates().map((held) => held.unique_mandate_reference)
    expect(new Set(references).size).toBe(3)
  })

  it('lists more mandates than fit one page', async () => {
    const dataFile = newFile()
    const store = openStore(dataFile, [])
    const numbers = Array.from({ length: 10_001 }, (_, index) => index + 1)
    for (const customer_no of numbers)
      store.addMandate({
        ...samples.migrateMandate.request,
        ...{ customer_no, sepa_creditor_identifier: ASSIGNED_CREDITOR_IDENTIFIER },
        unique_mandate_reference: assignedReference(1, customer_no),
        ...{ registered_at: '2025-01-01T00:00:00.000Z', request_id: null },
        ...{ finalised: false, finalised_at: null, cancelled_at: null },
      })
    store.close()
    const sandbox = await start({ dataFile })
    const answer = await exchange(sandbox, 'GET', '/_sandbox/mandates')
    expect((answer.json as HeldMandate[]).map((held) => held.customer_no)).toEqual(numbers)
    expect(sandbox.mandates().map((held) => ({ ...held, iban: maskIban(held.iban) }))).toEqual(answer.json)
  })

  it('can be read by its owner alone, and belongs to one sandbox at a time', async () => {
    const dataFile = newFile()
    await migrate(await start({ dataFile }))
    for (const file of [dataFile, `${dataFile}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600)
    await expect(start({ dataFile })).rejects.toThrow(/another sandbox is using it/)
  })

  it('refuses a file that is not its own, and leaves it as it was', async () => {
    const folder = freshFolder()
    const [foreign, text] = [join(folder, 'foreign.db'), join(folder, 'text.csv')]
    openDatabase(foreign).exec('CREATE TABLE invoices (id INTEGER)').close()
    writeFileSync(text, 'customer_no;iban\n'.repeat(100))
    mkdirSync(join(folder, 'folder.db'))
    const before = [readFileSync(foreign), readFileSync(text)]
    for (const dataFile of [foreign, text, join(folder, 'folder.db'), join(folder, 'none', 'state.db')])
      await expect(start({ dataFile }), dataFile).rejects.toThrow(UsageError)
    expect([readFileSync(foreign), readFileSync(text)]).toEqual(before)
  })
})

it('state in memory starts anew with every sandbox', async () => {
  await migrate(await start())
  expect((await start()).mandates()).toEqual([])
})

describe('assigned identifiers', () => {
  it('the creditor identifier has right check digits and is not the one of the sample', () => {
    const [, national = ''] = /^DE\d{2}ZZZ(\d{11})$/.exec(ASSIGNED_CREDITOR_IDENTIFIER) ?? []
    expect(ASSIGNED_CREDITOR_IDENTIFIER).toBe(creditorIdentifierOf('DE', national))
    const { amendment } = samples.migrateMandate.request
    expect(ASSIGNED_CREDITOR_IDENTIFIER).not.toBe(amendment.sepa_creditor_identifier)
  })

  it('references have 26 letters and digits, repeat with the seed and with nothing else', () => {
    const references = Array.from({ length: 10_000 }, (_, index) => assignedReference(1, index + 1))
    for (const reference of references) expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(new Set(references).size).toBe(10_000)
    expect(assignedReference(1, 1)).toBe(references[0])
    expect(assignedReference(2, 1)).not.toBe(references[0])
  })

  it('events have UUIDs of their own', () => {
    const ids = [eventUuid(1, 'SANDBOX1', 0), eventUuid(1, 'SANDBOX1', 1), eventUuid(1, 'SANDBOX2', 0)]
    for (const id of ids) expect(z.uuidv4().safeParse(id).success).toBe(true)
    expect(new Set(ids).size).toBe(3)
  })
})
