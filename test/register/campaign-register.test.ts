import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../src/ledger/ledger.js'
import { openRegister, type Register, type RegisterOptions } from '../../src/register/campaign-register.js'
import { admit, open, readyRow, refused, registered, SETTINGS } from '../ledger/campaign-setup.js'
import { freshFolder } from '../support/folder.js'

const SHA = 'ab'.repeat(32)

function place() {
  const folder = join(freshFolder(), 'state', 'sepa-migrate')
  const register = (ledger: Ledger, options: Partial<RegisterOptions> = {}): Register =>
    openRegister({
      folder,
      baseUrl: 'https://service.example',
      ledger: ledger.file,
      claims: ledger.claims,
      guardsMandates: true,
      allowsOthers: false,
      sharedFolder: false,
      ...options,
    })
  return { folder, register, file: join(folder, 'campaigns.jsonl') }
}

function started(rows = 3, sha256 = SHA): Ledger {
  const ledger = open()
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    Array.from({ length: rows }, (_, n) => ({ customerNo: n + 1, reference: `M-${n + 1}` })),
    { sha256 },
  )
  return ledger
}

/** A line as earlier versions wrote it. */
const earlier = (ledgerId: string, run: number, sources = [SHA]): string =>
  `${JSON.stringify({ baseUrl: 'https://service.example', ledgerId, ledger: '/campaign/march.db', run, sources })}\n`

const mandatesFile = (folder: string): string =>
  join(folder, 'mandates', readdirSync(join(folder, 'mandates'))[0]!)

/** A ledger with some of the mandates of a large export, under another file. */
const few = (...numbers: number[]): Ledger => {
  const ledger = open()
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    numbers.map((n) => ({ customerNo: n, reference: `M-${n}` })),
    { sha256: 'cd'.repeat(32) },
  )
  return ledger
}

describe('8.1.2 what ledgers claimed', () => {
  it('names a single mandate of a large export in another ledger, however few it has', () => {
    const { register } = place()
    register(started(4_000)).claim()
    for (const n of [1, 1234, 2345, 3999]) {
      expect(() => register(few(n)).checkOthers()).toThrow(
        /^A mandate that is ready here was already claimed/,
      )
      expect(() => register(few(n, 1, 5001)).checkOthers()).toThrow(/mandates? that (is|are) ready here/)
    }
    expect(() => register(few(5001, 5002)).checkOthers()).not.toThrow()
  })

  it('grows by what is new, not by runs', () => {
    const { folder, file, register } = place()
    const ledger = started(300)
    register(ledger).claim()
    const size = statSync(mandatesFile(folder)).size
    expect(size).toBe(2 * 300 * 8)
    for (let run = 0; run < 20; run += 1) {
      ledger.startRun(SETTINGS)
      register(ledger).claim()
    }
    expect(statSync(mandatesFile(folder)).size).toBe(size)
    expect(statSync(file).size / 21).toBeLessThan(600)
    admit(ledger, [{ customerNo: 9001, reference: 'M-9001' }], { sha256: 'ef'.repeat(32) })
    ledger.startRun(SETTINGS)
    register(ledger).claim()
    expect(statSync(mandatesFile(folder)).size).toBe(size + 16)
    expect(() => register(few(9001)).checkOthers()).toThrow(/A mandate/)
  })

  it('keeps what was known of a mandate whose account number is gone', async () => {
    const { register } = place()
    const ledger = started(1)
    register(ledger).claim()
    await ledger.settle(await ledger.begin(readyRow(ledger)), registered('NEW-1'))
    ledger.startRun(SETTINGS)
    register(ledger).claim()
    const second = open()
    second.startRun(SETTINGS)
    admit(second, [{ customerNo: 1, reference: 'ANOTHER' }], { sha256: 'cd'.repeat(32) })
    expect(() => register(second).checkOthers()).toThrow(/already claimed/)
  })

  it('counts nothing of a run that was killed before its line, and goes on behind the last line', () => {
    const { folder, register } = place()
    const ledger = started(3)
    register(ledger).claim()
    appendFileSync(mandatesFile(folder), Buffer.alloc(20, 7))
    ledger.startRun(SETTINGS)
    admit(ledger, [{ customerNo: 9001, reference: 'M-9001' }], { sha256: 'ef'.repeat(32) })
    register(ledger).claim()
    expect(() => register(few(9001)).checkOthers()).toThrow(/A mandate/)
    expect(() => register(few(2)).checkOthers()).toThrow(/A mandate/)
    expect(statSync(mandatesFile(folder)).size).toBe(8 * 8)
  })

  it.each([
    ['cut', (path: string) => truncateSync(path, 40)],
    ['changed', (path: string) => writeFileSync(path, Buffer.alloc(48, 1))],
    ['lost', (path: string) => rmSync(path)],
  ])('stops the run when its file is %s', (_, damage) => {
    const { folder, register } = place()
    register(started(3)).claim()
    damage(mandatesFile(folder))
    expect(() => register(few(2)).checkOthers()).toThrow(
      /mandates a ledger claimed, and is damaged or cut.*nothing was sent/,
    )
    expect(() => register(few(2), { allowsOthers: true }).checkOthers()).not.toThrow()
  })

  it('begins anew where its own file is damaged and a person goes on', () => {
    const { folder, register } = place()
    const ledger = started(3)
    register(ledger).claim()
    truncateSync(mandatesFile(folder), 0)
    ledger.startRun(SETTINGS)
    expect(() => register(ledger).claim()).toThrow(/damaged or cut/)
    ledger.startRun(SETTINGS)
    register(ledger, { allowsOthers: true }).claim()
    ledger.startRun(SETTINGS)
    expect(() => register(ledger).claim()).not.toThrow()
    expect(() => register(few(2)).checkOthers()).toThrow(/A mandate/)
    expect(() => register(few(8)).checkOthers()).not.toThrow()
  })

  it('still compares with the sketches of earlier versions', () => {
    const { folder, file, register } = place()
    const first = started(3)
    register(first).claim()
    const { claimed: _, ...line } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const bytes = readFileSync(mandatesFile(folder))
    const sketch = [0, 1, 2, 3, 4, 5].map((n) => Math.floor(bytes.readDoubleLE(8 * n) / 32))
    rmSync(join(folder, 'mandates'), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ ...line, sketch })}\n`)
    expect(() => register(few(2)).checkOthers()).toThrow(/A mandate/)
    expect(() => register(few(8)).checkOthers()).not.toThrow()
    first.startRun(SETTINGS)
    expect(() => register(first).claim()).not.toThrow()
  })
})

describe('the register of campaigns', () => {
  it('lets the first run and every next run of the same ledger pass, in private files', () => {
    const { folder, register } = place()
    const ledger = started()
    for (let run = 0; run < 3; run += 1) {
      if (run > 0) ledger.startRun(SETTINGS)
      const own = register(ledger)
      expect(() => own.claim()).not.toThrow()
      own.close()
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of ['campaigns.jsonl', 'campaigns.jsonl.lock', 'register.key'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    const [noted] = readdirSync(join(folder, 'ledgers'))
    expect(statSync(join(folder, 'ledgers', noted!)).mode & 0o777).toBe(0o600)
  })

  it('keeps no account, reference or customer, and nothing from which one could be tried without its key', () => {
    const { folder, register, file } = place()
    const ledger = started()
    register(ledger).claim()
    expect(readFileSync(file, 'utf8')).not.toMatch(/M-1|DE89|1000/)
    const other = place()
    ledger.startRun(SETTINGS)
    other.register(ledger).claim()
    const numbersOf = ({ folder }: typeof other) => readFileSync(mandatesFile(folder))
    expect(numbersOf({ folder, register, file })).toHaveLength(6 * 8)
    expect(numbersOf(other).equals(numbersOf({ folder, register, file }))).toBe(false)
  })

  it('39: refuses the same export from another ledger of the same service, and names the first one', () => {
    const { folder, register, file } = place()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, earlier('x', 1), { mode: 0o600 })
    const second = started()
    expect(() => register(second).checkOthers()).toThrow(/march\.db.*nothing was sent/)
    expect(() => register(second, { baseUrl: 'https://test.example' }).checkOthers()).not.toThrow()
    expect(() => register(second, { allowsOthers: true }).checkOthers()).not.toThrow()
    expect(() => register(started(3, 'cd'.repeat(32))).checkOthers()).not.toThrow()
  })

  it('44: honours lines of earlier versions: a ledger that counts fewer runs than it did is refused', () => {
    const { folder, register, file } = place()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const ledger = started()
    writeFileSync(file, earlier(ledger.claims.standing().ledgerId, 2), { mode: 0o600 })
    for (let n = 0; n < 2; n += 1)
      expect(() => register(ledger).checkCopy()).toThrow(/counts 1 runs, and run 2 has begun/)
    ledger.startRun(SETTINGS)
    expect(() => register(ledger).checkCopy()).not.toThrow()
  })

  it('is refused where others could change it', () => {
    const { folder, register } = place()
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    expect(() => register(started()).checkCopy()).toThrow(/anybody on this machine can write to it/)
    expect(() => register(started(), { sharedFolder: true }).checkCopy()).not.toThrow()
    chmodSync(folder, 0o700)
    writeFileSync(join(folder, 'campaigns.jsonl'), '')
    chmodSync(join(folder, 'campaigns.jsonl'), 0o644)
    expect(() => register(started()).checkOthers()).not.toThrow() // it holds no secret
    chmodSync(join(folder, 'campaigns.jsonl'), 0o646)
    expect(() => register(started()).checkOthers()).toThrow(/anybody on this machine can write to it/)
    chmodSync(join(folder, 'campaigns.jsonl'), 0o600)
    register(started()).claim()
    chmodSync(join(folder, 'register.key'), 0o644)
    expect(() => register(started(3, 'cd'.repeat(32))).checkOthers()).toThrow(/other users may open it/)
  })
})

describe('8.1.1 how far a ledger has come', () => {
  const noted = (folder: string): { mark: string; attempts: number } =>
    JSON.parse(readFileSync(join(folder, 'ledgers', readdirSync(join(folder, 'ledgers'))[0]!), 'utf8')) as {
      mark: string
      attempts: number
    }

  it('is noted before a request can leave, and never ahead of the ledger', async () => {
    const { folder, register } = place()
    const ledger = started(3)
    const own = register(ledger)
    own.claim()
    expect(noted(folder).attempts).toBe(0)
    for (let n = 1; n <= 3; n += 1) {
      const attempt = await ledger.begin(readyRow(ledger))
      expect(attempt.id).toBe(n)
      expect(noted(folder).attempts).toBe(n)
      await ledger.settle(attempt, refused())
    }
    expect(ledger.claims.hasMark(noted(folder).mark)).toBe(true)
    own.close()
  })

  it('a request whose number cannot be noted does not leave, and what came back is kept', async () => {
    const ledger = started(2)
    const fault = new Error('the disk of the register is full')
    let isFull = false
    ledger.claims.begin('mark', () => {
      if (isFull) throw fault
    })
    const first = await ledger.begin(readyRow(ledger))
    isFull = true
    const settled = ledger.settle(first, refused())
    await expect(ledger.begin(readyRow(ledger, first.rowId))).rejects.toBe(fault)
    await settled
    expect(ledger.totals()).toMatchObject({ refused: 1, sending: 1 })
  })

  it('is not taken for half a note when it was made and never written', () => {
    const { folder, register } = place()
    const ledger = started()
    register(ledger).claim()
    const file = join(folder, 'ledgers', readdirSync(join(folder, 'ledgers'))[0]!)
    writeFileSync(file, '')
    expect(() => register(ledger).checkCopy()).not.toThrow()
    writeFileSync(file, '\0'.repeat(128))
    expect(() => register(ledger).checkCopy()).not.toThrow()
    writeFileSync(file, '{"mark":"ab')
    expect(() => register(ledger).checkCopy()).toThrow(/how far this ledger has come, and is damaged/)
  })

  it('stands after an adoption, which puts refused rows in doubt as well and knows only this copy', async () => {
    const { folder, register } = place()
    const ledger = started(3)
    const own = register(ledger)
    own.claim()
    await ledger.settle(await ledger.begin(readyRow(ledger)), refused())
    own.close()
    const { mark } = noted(folder)
    const adopting = register(ledger)
    expect(adopting.adopt({ by: 'Kim', reason: 'lost', run: SETTINGS })).toMatchObject({
      rows: [1, 2, 3],
      refused: 1,
    })
    adopting.close()
    expect(ledger.totals()).toMatchObject({ inDoubt: 3, ready: 0, refused: 0 })
    expect(noted(folder)).toMatchObject({ attempts: 4 })
    expect(noted(folder).mark).not.toBe(mark)
    expect(() => register(ledger).checkCopy()).not.toThrow()
  })

  it('an adoption needs a person and a reason', () => {
    const { register } = place()
    const ledger = started()
    for (const words of [
      { by: ' ', reason: 'lost' },
      { by: 'Kim', reason: '' },
    ])
      expect(() => register(ledger).adopt({ ...words, run: SETTINGS })).toThrow('needs a person and a reason')
    expect(ledger.totals().ready).toBe(3)
  })
})

describe('a ledger in the place of one that is lost', () => {
  /** As `rebuild` makes it: the same mandates, all in doubt. */
  function rebuilt(rows = 3, sha256 = SHA): Ledger {
    const ledger = started(rows, sha256)
    ledger.claims.rebuild({ by: 'Ada', reason: 'lost', mark: 'ef'.repeat(16) })
    return ledger
  }
  /** A person has said that every row may be sent. */
  const release = (ledger: Ledger): Ledger => {
    const resolutions = ledger.view.rows(['in_doubt'], 0, 100).map(({ id }) => ({
      ...{ rowId: id, decision: 'resend' as const, reason: 'absent', by: 'Ada' },
      ...{ assigned: null, evidence: null, attempt: null },
    }))
    expect(ledger.resolve(resolutions, { dryRun: false, force: true }).isApplied).toBe(true)
    return ledger
  }

  it.each([
    ['the same file', SHA],
    ['another file with the same mandates', 'fe'.repeat(32)],
  ])('is let through once it is noted, and bars the lost one and any third: %s', (_, sha256) => {
    const { register } = place()
    const lost = started()
    register(lost).claim()
    const ledger = rebuilt(3, sha256)
    release(ledger)
    expect(() => register(ledger).checkOthers()).toThrow(/; nothing was sent$/)
    register(ledger).rebuilt()
    expect(() => register(ledger).checkOthers()).not.toThrow()
    expect(register(ledger).knownElsewhere()).toBeNull()
    expect(() => register(lost).checkOthers()).toThrow(/; nothing was sent$/)
    expect(() => register(few(2)).checkOthers()).toThrow(/already claimed for the same service/)
  })

  it('is barred again by what is claimed after it was noted', () => {
    const { register } = place()
    const lost = started()
    register(lost).claim()
    const ledger = release(rebuilt())
    register(ledger).rebuilt()
    lost.endRun(1, { stoppedBy: null, exitCode: 5 })
    lost.startRun(SETTINGS)
    register(lost, { allowsOthers: true }).claim()
    expect(() => register(ledger).checkOthers()).toThrow(/already sent to the same service/)
  })

  it('is noted once, names none that has nothing of it, and is no older copy of itself', () => {
    const { register, file } = place()
    register(few(77)).claim()
    const lost = started()
    register(lost).claim()
    const ledger = rebuilt()
    for (let n = 0; n < 3; n += 1) register(ledger).rebuilt()
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(3)
    const { replaces } = JSON.parse(lines[2] ?? '') as { replaces: string[] }
    expect(replaces).toEqual([lost.claims.standing().ledgerId])
    expect(() => register(ledger).checkCopy()).not.toThrow()
  })
})
