import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maskIban } from '../../src/domain/text/masking.js'
import { openDatabase } from '../../src/driver.js'
import { UsageError } from '../../src/errors.js'
import { openStore, type HeldMandate, assignedReference } from '../../src/sandbox/store.js'
import { samples } from '../contract/wire-samples.js'
import { exchange } from './exchange.js'
import { folderMaker, sandboxStarter } from './running-sandbox.js'

const start = sandboxStarter()
const makeFolder = folderMaker()
const MIGRATE = '/api/v2/sepa_dd_mandate/migrate'
const body = samples.migrateMandate.request

const mandate = (number: number): HeldMandate => ({
  ...body,
  customer_no: number,
  sepa_creditor_identifier: 'DE84ZZZ09876543210',
  unique_mandate_reference: assignedReference(1, number),
  registered_at: '2025-01-01T00:00:00.000Z',
  request_id: null,
  finalised: false,
  finalised_at: null,
  cancelled_at: null,
})

describe('state in a file', () => {
  it('is the same after a restart: mandates, offers, billograms and what was finalised', async () => {
    const dataFile = join(makeFolder(), 'state.db')
    const first = await start({ dataFile })
    await exchange(first, 'POST', MIGRATE, { body })
    await exchange(first, 'POST', '/api/v2/offer', { body: samples.createOffer.request })
    await exchange(first, 'PUT', '/api/v2/billogram/SANDBOX1', { body: samples.updateBillogram.request })
    const reference = first.mandates()[0]?.unique_mandate_reference ?? ''
    await exchange(first, 'POST', `/_sandbox/mandates/${reference}/first-payment`, { body: {} })
    const held = [first.mandates(), first.offers(), first.billograms()]
    await first.close()

    const second = await start({ dataFile })
    expect([second.mandates(), second.offers(), second.billograms()]).toEqual(held)
    expect(second.mandates()[0]?.finalised).toBe(true)
    const again = { ...samples.createOffer.request, offer_id: 'SPRING2025' }
    const answer = await exchange(second, 'POST', '/api/v2/offer', { body: again })
    expect(answer.json).toMatchObject({ data: { field: 'offer_id' } })
  })

  it('never gives a reference twice, not even after a restart with the same seed', async () => {
    const dataFile = join(makeFolder(), 'state.db')
    for (const seed of [1, 1, 2]) {
      const sandbox = await start({ dataFile, seed })
      await exchange(sandbox, 'POST', MIGRATE, { body })
      await sandbox.close()
    }
    const references = (await start({ dataFile })).mandates().map((held) => held.unique_mandate_reference)
    expect(new Set(references).size).toBe(3)
  })

  it('lists more mandates than fit one page', async () => {
    const dataFile = join(makeFolder(), 'state.db')
    const store = openStore(dataFile, [])
    const numbers = Array.from({ length: 10_001 }, (_, index) => index + 1)
    for (const number of numbers) store.addMandate(mandate(number))
    store.close()
    const sandbox = await start({ dataFile })
    const answer = await exchange(sandbox, 'GET', '/_sandbox/mandates')
    expect((answer.json as HeldMandate[]).map((held) => held.customer_no)).toEqual(numbers)
    expect(sandbox.mandates().map((held) => ({ ...held, iban: maskIban(held.iban) }))).toEqual(answer.json)
  })

  it('can be read by its owner alone', async () => {
    const dataFile = join(makeFolder(), 'state.db')
    await exchange(await start({ dataFile }), 'POST', MIGRATE, { body })
    for (const file of [dataFile, `${dataFile}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('belongs to one sandbox at a time', async () => {
    const dataFile = join(makeFolder(), 'state.db')
    await start({ dataFile })
    await expect(start({ dataFile })).rejects.toThrow(/another sandbox is using it/)
  })

  it('refuses a file that is not its own, and leaves it as it was', async () => {
    const folder = makeFolder()
    const foreign = join(folder, 'foreign.db')
    const database = openDatabase(foreign)
    database.exec('CREATE TABLE invoices (id INTEGER)')
    database.close()
    const text = join(folder, 'text.csv')
    writeFileSync(text, 'customer_no;iban\n'.repeat(100))
    mkdirSync(join(folder, 'folder.db'))
    const before = [readFileSync(foreign), readFileSync(text)]
    for (const dataFile of [foreign, text, join(folder, 'folder.db'), join(folder, 'none', 'state.db')]) {
      await expect(start({ dataFile }), dataFile).rejects.toThrow(UsageError)
    }
    expect([readFileSync(foreign), readFileSync(text)]).toEqual(before)
  })
})

describe('state in memory', () => {
  it('starts anew with every sandbox', async () => {
    await exchange(await start(), 'POST', MIGRATE, { body })
    expect((await start()).mandates()).toEqual([])
  })
})
