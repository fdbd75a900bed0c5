import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  checkRegister,
  readRegister,
  writeRegister,
  type RegisteredRun,
} from '../../src/run/campaign-register.js'

const RUN: RegisteredRun = {
  baseUrl: 'https://service.example',
  ledgerId: 'one',
  ledger: '/campaign/march.db',
  run: 1,
  sources: ['aaa', 'bbb'],
}

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'register-'))))
afterEach(() => rmSync(folder, { recursive: true }))

describe('the register of campaigns', () => {
  it('lets the first run and every next run of the same ledger pass', () => {
    expect(() => checkRegister([], RUN)).not.toThrow()
    expect(() => checkRegister([RUN], { ...RUN, run: 2 })).not.toThrow()
  })

  it('39: refuses the same export from another ledger of the same service, and names the first one', () => {
    const second = { ...RUN, ledgerId: 'two', ledger: '/tmp/new.db', sources: ['ccc', 'bbb'] }
    expect(() => checkRegister([RUN], second)).toThrow(/march\.db.*nothing was sent/)
    expect(() => checkRegister([RUN], { ...second, sources: ['ccc'] })).not.toThrow()
    expect(() => checkRegister([RUN], { ...second, baseUrl: 'https://test.example' })).not.toThrow()
  })

  it('44: refuses a ledger that counts fewer runs than it did', () => {
    expect(() => checkRegister([RUN, { ...RUN, run: 5 }], { ...RUN, run: 5 })).toThrow(/older than it was/)
    expect(() => checkRegister([RUN, { ...RUN, run: 5 }], { ...RUN, run: 6 })).not.toThrow()
  })

  it('keeps runs in a private file and passes over a line that was cut', () => {
    const file = join(folder, 'state', 'campaigns.jsonl')
    expect(readRegister(file)).toEqual([])
    expect(writeRegister(file, RUN)).toBe(true)
    appendFileSync(file, '{"baseUrl": "https://ser\n')
    expect(writeRegister(file, { ...RUN, run: 2 })).toBe(true)
    expect(readRegister(file)).toEqual([RUN, { ...RUN, run: 2 }])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700)
  })

  it('says so when it cannot be written', () => {
    writeFileSync(join(folder, 'state'), 'a file where the folder should be')
    expect(writeRegister(join(folder, 'state', 'campaigns.jsonl'), RUN)).toBe(false)
  })
})
