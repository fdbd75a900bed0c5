import { expect, it } from 'vitest'
import { openForReading } from '../../../src/ledger/file/connection.js'
import { openLedger } from '../../../src/ledger/file/open-ledger.js'
import { admit, freshFile, registered, send, SETTINGS, stoppedClock } from '../../ledger/campaign-setup.js'
import { oldPages } from '../../../src/cli/closing.js'

async function registeredWhileRead(isRead: boolean): Promise<string[]> {
  const file = freshFile()
  const ledger = openLedger({ file, clock: stoppedClock(), pid: 4711 })
  admit(ledger, [{}])
  const viewer = openForReading(file)
  if (isRead) viewer.exec('begin')
  viewer.prepare('select count(*) from row').get()
  ledger.startRun(SETTINGS)
  await send(ledger, registered('NEW-1'))
  expect(oldPages(ledger)).toEqual([])
  ledger.close()
  viewer.close()
  return oldPages(ledger)
}

it('tells where account numbers may still stand while another program reads, and how to finish', async () => {
  const [told, ...others] = await registeredWhileRead(true)
  expect(others).toEqual([])
  expect(told).toMatch(/campaign\.db-wal".*sepa-migrate run --no-report/s)
})

it('tells nothing where the log could be emptied', async () => {
  expect(await registeredWhileRead(false)).toEqual([])
})
