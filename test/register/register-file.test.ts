import { chmodSync, linkSync, readdirSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  openRegisterFile,
  openRegisterToLook,
  setRegisterAside,
  numberWith,
} from '../../src/register/register-file.js'
import { openDatabase } from '../../src/driver.js'
import { freshFolder } from '../support/folder.js'
import { randomBytes } from 'node:crypto'

it('is the same for the same text and key, another for every other one, and fits a number', () => {
  const number = numberWith(randomBytes(32))
  const other = numberWith(randomBytes(32))
  const texts = Array.from({ length: 10_000 }, (_, n) => `DE98ZZZ09999999999|M-${n}`)
  const numbers = texts.map(number)
  expect(new Set(numbers).size).toBe(texts.length)
  expect(numbers.every((each) => Number.isSafeInteger(each) && each >= 0)).toBe(true)
  expect(texts.map(number)).toEqual(numbers)
  expect(texts.filter((text, at) => other(text) === numbers[at])).toEqual([])
})

const PLAIN = { sharedFolder: false }

function place() {
  const folder = join(freshFolder(), 'state', 'sepa-migrate')
  return { folder, path: join(folder, 'register.db'), open: () => openRegisterFile(folder, PLAIN) }
}

describe('the file of the register', () => {
  it('is made whole, private, and with a key of its own', () => {
    const [one, other] = [place(), place()]
    const file = one.open()
    expect(statSync(one.folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(one.folder))
      expect(statSync(join(one.folder, name)).mode & 0o777).toBe(0o600)
    const second = other.open()
    expect(Buffer.from(second.key).equals(file.key)).toBe(false)
    file.close()
    second.close()
    const again = one.open()
    expect(Buffer.from(again.key).equals(file.key)).toBe(true)
    again.close()
  })

  it('is there at once for a second process that makes it at the same moment', () => {
    const { folder, path, open } = place()
    const first = open()
    first.write(() =>
      first.connection.exec(`insert into ledger values (1, 'a', 'p', 's', null, 0, 0, 0, null, null)`),
    )
    const inode = statSync(path).ino
    const second = open()
    expect(second.connection.prepare('select count(*) from ledger').pluck().get()).toBe(1)
    expect(statSync(path).ino).toBe(inode)
    first.close()
    second.close()
    expect(readdirSync(folder)).toEqual(['register.db'])
  })

  it('goes on after a kill between its two names', () => {
    const { folder, path, open } = place()
    open().close()
    linkSync(path, join(folder, 'register.db.0123456789ab'))
    open().close()
    expect(readdirSync(folder)).toEqual(['register.db'])
  })

  it('is refused at once where its folder cannot be made, as below /proc', () => {
    for (const folder of ['/proc/sepa-migrate/state', join('/dev/null', 'state')])
      expect(() => openRegisterFile(folder, PLAIN)).toThrow(
        expect.objectContaining({ name: 'LedgerError', problem: 'register' }) as Error,
      )
  })

  it('is none for a command that only looks', () => {
    const { folder } = place()
    expect(openRegisterToLook(folder)).toBe(null)
  })

  it.each([
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['cut', (path: string) => truncateSync(path, 8_192)],
    ['cut within its first page', (path: string) => truncateSync(path, 50)],
    ['another file', (path: string) => writeFileSync(path, 'no database', { mode: 0o600 })],
    ['lost without its log', (path: string) => renameSync(path, `${path}-wal`)],
  ])('%s is damage, and can be set aside', (_, damage) => {
    const { folder, path, open } = place()
    open().close()
    damage(path)
    expect(open).toThrow(/Cannot use the register of campaigns ".*register\.db".*nothing was sent/)
    const aside = setRegisterAside(folder, 'set-aside-1')
    expect(aside).toBe(join(folder, 'set-aside-1'))
    open().close()
    expect(setRegisterAside(place().folder, 'set-aside-1')).toBe(null)
  })

  it('refuses one of another version, and says what to do', () => {
    const { folder, path, open } = place()
    open().close()
    const connection = openDatabase(path)
    connection.pragma('user_version = 2')
    connection.close()
    expect(open).toThrow(/of another version of this program/)
    expect(() => openRegisterToLook(folder)).toThrow(/of another version/)
    setRegisterAside(folder, 'set-aside-1')
    open().close()
  })

  it('is refused where others could change or read it', () => {
    const { folder, path, open } = place()
    open().close()
    chmodSync(path, 0o644)
    expect(open).toThrow(/other users may open it/)
    chmodSync(path, 0o600)
    chmodSync(folder, 0o777)
    expect(open).toThrow(/anybody on this machine can write to it/)
    openRegisterFile(folder, { sharedFolder: true }).close()
  })
})
