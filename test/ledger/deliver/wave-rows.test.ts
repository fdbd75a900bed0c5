import { describe, expect, it } from 'vitest'
import type { Wave } from '../../../src/domain/wave/wave.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { admit, open, refused, registered, send, SETTINGS } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'

const mandates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ reference: `M-${index + 1}`, customerNo: index + 1 }))

/** Declares the waves and puts rows into them by hand: row id to index of the wave. */
function put(ledger: Ledger, waves: readonly Wave[], rows: Readonly<Record<number, number>>): void {
  const admission = ledger.admit({ severities: {} })
  const declared = ledger.waves.declare(waves)
  for (const [row, index] of Object.entries(rows))
    ledger.waves.allot(Number(row), declared[index]?.id ?? null)
  admission.commit()
}

describe('rows of waves', () => {
  it('that were never sent come page by page with what tells them apart, and with cells where these are asked for', () => {
    const ledger = open()
    admit(ledger, mandates(3))
    put(ledger, [{ name: 'a' }], { 2: 0 })
    const page = ledger.waves.unsent(0, 2, false)
    expect(page).toMatchObject([
      { id: 1, sourceId: 1, countedIn: 1, state: 'ready', ibanMasked: 'DE…3000', cells: null, waveId: null },
      { id: 2, waveId: 1 },
    ])
    expect(page[0]?.mandateKey).toBe('DE|09999999999|M-1')
    expect(ledger.waves.unsent(2, 2, true)[0]?.cells).toContain('"M-3"')
    expect(ledger.waves.unsent(3, 2, true)).toEqual([])
  })

  it('that were sent are counted with their wave, and are not among those to allot', async () => {
    const ledger = open()
    admit(ledger, mandates(3))
    put(ledger, [{ name: 'a' }, { name: 'b' }], { 1: 0, 2: 0, 3: 1 })
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
    await send(ledger, refused())
    expect(ledger.waves.unsent(0, 10, false).map(({ id }) => id)).toEqual([3])
    const admission = ledger.admit({ severities: {} })
    expect(ledger.waves.declare([{ name: 'b' }, { name: 'a' }]).map(({ sent }) => sent)).toEqual([0, 2])
    admission.rollback()
  })

  it('a correction counts in the file of the row whose place it took', () => {
    const ledger = open()
    admit(ledger, [{ verdict: 'invalid', reference: 'M-1', customerNo: 1 }])
    admit(ledger, [{ reference: 'M-1', customerNo: 1, corrects: 1 }], { name: 'corrections.csv' })
    expect(ledger.waves.unsent(1, 10, false)).toMatchObject([{ id: 2, sourceId: 2, countedIn: 1 }])
  })
})

describe('the file itself', () => {
  it('keeps the wave of a row that was sent, and every wave', async () => {
    const ledger = open()
    admit(ledger, mandates(3))
    put(ledger, [{ name: 'a' }, { name: 'b' }], { 1: 0, 3: 0 })
    ledger.startRun(SETTINGS)
    await send(ledger, refused())
    await send(ledger, refused())
    const change = (sql: string) => (): unknown => byHand(ledger.file, (db) => db.exec(sql))
    const sent = 'a row that was sent keeps its wave'
    expect(change('update wave_row set wave_id = 2 where row_id = 1')).toThrow(sent)
    expect(change('delete from wave_row where row_id = 1')).toThrow(sent)
    expect(change('insert into wave_row values (2, 1)')).toThrow(sent)
    expect(change('delete from wave')).toThrow('the ledger never deletes')
    expect(change(`update wave set name = 'c' where id = 1`)).toThrow('the name of a wave never changes')
    change('update wave_row set wave_id = 2 where row_id = 3')()
  })
})

describe('a campaign without waves', () => {
  it('has no line of any', () => {
    const ledger = open()
    admit(ledger, mandates(2))
    expect(ledger.waves.areUsed()).toBe(false)
    expect(ledger.view.waves()).toBeNull()
  })
})
