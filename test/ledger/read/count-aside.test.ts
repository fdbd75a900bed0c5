import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { countAside } from '../../../src/ledger/read/count-aside.js'
import { admit, open, registered, send, SETTINGS } from '../campaign-setup.js'
import { look } from '../ledger-views.js'

/** `npm test` builds it first. */
const counter = new URL('../../../dist/ledger/read/counter.js', import.meta.url)
const SMALL = { counter, smallestBytes: 0 }

async function someLedger(): Promise<string> {
  const ledger = open()
  admit(ledger, [
    { reference: 'M-1', customerNo: 1 },
    { reference: 'M-2', customerNo: 1 },
    { reference: 'M-3', customerNo: 3, verdict: 'invalid' },
    { reference: 'M-4', customerNo: 4 },
  ])
  ledger.startRun(SETTINGS)
  await send(ledger, registered('NEW-1'))
  return ledger.file
}

async function countsOf(file: string, options: typeof SMALL) {
  const aside = countAside({ file, sharedFolder: false }, options)
  const counts = await aside?.counts
  await aside?.stop()
  return counts
}

it('tells what a reader tells, beside the process that writes', async () => {
  const file = await someLedger()
  const counts = look(file, (reader) => reader.distinctCounts())
  expect(counts.customers).toBe(3)
  expect(await countsOf(file, SMALL)).toEqual(counts)
})

it('is not begun for a small ledger, nor where its module is missing', async () => {
  const file = await someLedger()
  expect(countAside({ file, sharedFolder: false }, { counter })).toBeNull()
  const missing = new URL('./none.js', counter)
  expect(countAside({ file, sharedFolder: false }, { ...SMALL, counter: missing })).toBeNull()
})

it('cannot tell of a ledger of an older version, of none, or with a module that fails', async () => {
  const file = await someLedger()
  const broken = join(dirname(file), 'broken.mjs')
  writeFileSync(broken, 'throw new Error("broken")')
  expect(await countsOf(file, { ...SMALL, counter: pathToFileURL(broken) })).toBeNull()
  writeFileSync(broken, '')
  expect(await countsOf(file, { ...SMALL, counter: pathToFileURL(broken) })).toBeNull()
  const older = openDatabase(file)
  const version = Number(older.pragma('user_version', { simple: true }))
  older.pragma(`user_version = ${version - 1}`)
  older.close()
  expect(await countsOf(file, SMALL)).toBeNull()
})

it('is left in the middle', async () => {
  const aside = countAside({ file: await someLedger(), sharedFolder: false }, SMALL)
  await aside?.stop()
  expect(await aside?.counts).toBeNull()
})
