import { describe, expect, it } from 'vitest'
import { openScratchCopy } from '../../../src/ledger/file/scratch.js'
import { admit, holding, OTHER_IBAN, registered, running, send, stoppedClock } from '../campaign-setup.js'
import { byHand, rowsOf } from '../ledger-views.js'

describe('9.1.3 places in the control totals', () => {
  it('never move but to a correction, and a row without one is never sent', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN }])
    byHand(ledger.file, (db) => {
      expect(() => db.exec('update row set place = 0 where id = 1')).toThrow('a place goes to')
      expect(() => db.exec('update row set place = 2 where id = 1')).toThrow('a place goes to')
    })
  })

  it('a correction that replaces nothing counts nowhere, and says why', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN, corrects: 1 }])
    expect(ledger.totals()).toMatchObject({ read: 1, resubmitted: 1, registered: 1, conflict: 0 })
    expect(rowsOf(ledger.file)[1]).toMatchObject({ state: 'conflict', countedIn: null, corrects: 1 })
  })

  it('a copy to try corrections in leaves the ledger as it is', () => {
    const ledger = holding([{ verdict: 'invalid' }])
    const copy = openScratchCopy(ledger.file, stoppedClock())
    admit(copy, [{ corrects: 1 }])
    expect(copy.reader.totals()).toMatchObject({ read: 1, resubmitted: 1, ready: 1, invalid: 0 })
    copy.close()
    expect(ledger.totals()).toMatchObject({ read: 1, resubmitted: 0, invalid: 1 })
  })
})
