import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { openPackFolder } from '../../../src/report/pack/pack-folder.js'
import { freshFolder } from '../../support/folder.js'

const NAMES = ['one.csv', 'two.csv'] as const

async function publishIn(out: string): Promise<void> {
  const pack = await openPackFolder(out, NAMES)
  for (const name of NAMES) await pack.write(name, `content of ${name}`)
  await pack.publish()
}

describe('a folder of files that belong together', () => {
  it('shows none of them before all are complete', async () => {
    const out = join(freshFolder(), 'new', 'report')
    const pack = await openPackFolder(out, NAMES)
    await pack.write('one.csv', 'one')
    const second = await pack.create('two.csv')
    second.put('tw')
    await second.drain()
    expect(readdirSync(out).filter((name) => !name.startsWith('.'))).toEqual([])
    await second.write(Buffer.from('o'))
    expect(await second.finish()).toMatchObject({ name: 'two.csv', bytes: 3 })
    expect(await pack.publish()).toEqual({ folder: out, kept: null, toDo: null })
    expect(readdirSync(out).sort()).toEqual(['one.csv', 'two.csv'])
    expect(readFileSync(join(out, 'two.csv'), 'utf8')).toBe('two')
  })

  it('is private, with every file in it', async () => {
    const out = join(freshFolder(), 'report')
    await publishIn(out)
    const modes = [out, ...NAMES.map((name) => join(out, name))].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
  })

  it('leaves nothing behind when it is discarded half written', async () => {
    const out = freshFolder()
    const pack = await openPackFolder(out, NAMES)
    await pack.write('one.csv', 'one')
    const second = await pack.create('two.csv')
    second.put('half')
    await second.drain()
    await pack.discard()
    expect(readdirSync(out)).toEqual([])
  })

  it('keeps aside what is read again, private, and publishes none of it', async () => {
    const out = freshFolder()
    const pack = await openPackFolder(out, NAMES)
    const [first, second] = [await pack.scratch('.first'), await pack.scratch('.second')]
    const text = 'some text'.repeat(300_000)
    first.put(text.slice(0, 1_000_001))
    await first.drain()
    second.put('of another')
    await second.drain()
    first.put(text.slice(1_000_001))
    const workshop = join(out, readdirSync(out)[0] ?? '')
    expect(statSync(join(workshop, '.first')).mode & 0o777).toBe(0o600)
    const read: Buffer[] = []
    for await (const chunk of first.chunks()) read.push(Buffer.from(chunk))
    expect(Buffer.concat(read).toString() === text).toBe(true)
    await first.remove()
    expect(readdirSync(workshop)).toEqual(['.second', 'to-do'])
    await pack.write('one.csv', 'one')
    await pack.publish()
    expect(readdirSync(out)).toEqual(['one.csv'])
    await pack.discard()
  })

  it('a file of somebody else keeps its place, and the whole pack goes beside it', async () => {
    const out = freshFolder()
    writeFileSync(join(out, 'two.csv'), 'filled in by hand')
    await publishIn(out)
    expect(readFileSync(join(out, 'two.csv'), 'utf8')).toBe('filled in by hand')
    expect(existsSync(join(out, 'one.csv'))).toBe(false)
    expect(readdirSync(join(out, 'report-2')).sort()).toEqual([...NAMES])
  })
})

describe('is refused before anything is written', () => {
  it('where a link or a folder has the name of a file', async () => {
    const out = freshFolder()
    symlinkSync('/etc/hostname', join(out, 'two.csv'))
    await expect(openPackFolder(out, NAMES)).rejects.toThrow('a symbolic link is in its place')
    const other = freshFolder()
    mkdirSync(join(other, 'one.csv'))
    await expect(openPackFolder(other, NAMES)).rejects.toThrow('a folder is in its place')
    expect(readdirSync(out)).toEqual(['two.csv'])
  })

  it('where one of the names is a file that the command reads', async () => {
    const out = freshFolder()
    writeFileSync(join(out, 'one.csv'), 'an export')
    await expect(openPackFolder(out, NAMES, [join(out, 'one.csv')])).rejects.toThrow(UsageError)
    expect(readFileSync(join(out, 'one.csv'), 'utf8')).toBe('an export')
  })

  it('where the folder cannot be one, with the reason and the way out', async () => {
    const file = join(freshFolder(), 'file')
    writeFileSync(file, '')
    await expect(openPackFolder(join(file, 'report'), NAMES)).rejects.toMatchObject({
      message: expect.stringContaining('a part of the path is a file (ENOTDIR)') as string,
      ways: ['report_folder', 'report'],
    })
  })
})

describe('what a killed report left behind', () => {
  it('is removed once it is an hour old, and no sooner: it may be one that is being written', async () => {
    const out = freshFolder()
    const [old, young] = ['.sepa-migrate-report-old', '.sepa-migrate-report-young']
    for (const name of [old, young]) mkdirSync(join(out, name))
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(join(out, old), longAgo, longAgo)
    const pack = await openPackFolder(out, NAMES)
    expect(existsSync(join(out, old))).toBe(false)
    expect(existsSync(join(out, young))).toBe(true)
    await pack.discard()
  })
})
