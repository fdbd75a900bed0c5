import { expect, it } from 'vitest'
import { areWavesBalanced } from '../../../src/domain/wave/wave.js'
import { admit, open, registered, send, SETTINGS } from '../campaign-setup.js'
import { look } from '../ledger-views.js'

it('tells each wave with its totals, the rest last, as another process sees them', async () => {
  const ledger = open()
  admit(ledger, [
    { reference: 'M-1', customerNo: 1 },
    { reference: 'M-2', customerNo: 2, verdict: 'invalid' },
    { reference: 'M-3', customerNo: 3 },
    { reference: 'M-4', customerNo: 4, verdict: 'excluded' },
  ])
  expect(look(ledger.file, (reader) => reader.waves())).toBeNull()

  const admission = ledger.admit({ severities: {} })
  const [first, second] = ledger.waves.declare([
    { name: 'first', number: 2 },
    { name: 'second', held: true },
  ])
  ledger.waves.allot(1, first?.id ?? 0)
  ledger.waves.allot(2, first?.id ?? 0)
  ledger.waves.allot(3, second?.id ?? 0)
  expect(look(ledger.file, (reader) => reader.waves())).toBeNull()
  admission.commit()
  ledger.startRun(SETTINGS)
  await send(ledger, registered('NEW-1'))

  const records = look(ledger.file, (reader) => reader.waves())
  expect(records?.waves).toMatchObject([
    {
      name: 'first',
      position: 1,
      isHeld: false,
      filter: { number: 2 },
      totals: { read: 2, invalid: 1, registered: 1 },
    },
    { name: 'second', position: 2, isHeld: true, filter: {}, totals: { read: 1, ready: 1 } },
    { name: 'rest', position: null, isHeld: false, filter: null, totals: { read: 1, excluded: 1 } },
  ])
  expect(records?.totals).toMatchObject({ read: 4 })
  expect(records === null ? false : areWavesBalanced(records)).toBe(true)
})

it('counts a correction in the place of its row, and a line that changed nothing nowhere', () => {
  const ledger = open()
  admit(ledger, [
    { verdict: 'invalid', reference: 'M-1', customerNo: 1 },
    { reference: 'M-2', customerNo: 2 },
  ])
  admit(
    ledger,
    [
      { reference: 'M-1', customerNo: 1, corrects: 1 },
      { reference: 'M-2', customerNo: 2, corrects: 2, isUnchanged: true },
    ],
    { name: 'corrections.csv' },
  )
  const admission = ledger.admit({ severities: {} })
  const [wave] = ledger.waves.declare([{ name: 'a' }])
  for (const id of [1, 2, 3, 4]) ledger.waves.allot(id, wave?.id ?? 0)
  admission.commit()
  const records = ledger.view.waves()
  expect(records?.waves[0]?.totals.read).toBe(2)
  expect(records?.totals.read).toBe(2)
  expect(records === null ? false : areWavesBalanced(records)).toBe(true)
})
