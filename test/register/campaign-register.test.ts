import { copyFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import {
  noteDecided,
  openRegister,
  openRunRegister,
  type Register,
  type RegisterOptions,
} from '../../src/register/campaign-register.js'
import { notTheLatest } from '../../src/register/register-file.js'
import {
  admit,
  compareWith,
  open,
  readyRow,
  SETTINGS,
  running,
  runningAt,
  decide,
  send,
  stoppedClock,
  begin,
} from '../ledger/campaign-setup.js'
import { refused, registered, inDoubt } from '../ledger/outcomes.js'
import { IBAN, OTHER_IBAN, type Values } from '../ledger/records.js'
import { forge, statesOf } from '../ledger/ledger-views.js'
import { UsageError } from '../../src/errors.js'
import { USUAL_RUN } from '../run/delivery-world.js'
import { freshFolder } from '../support/folder.js'

const BY_KIM = { by: 'Kim', reason: 'the disk is lost' }
const TAKE_OVER = { decision: 'another_ledger', ...BY_KIM } as const

function place() {
  const folder = join(freshFolder(), 'state', 'sepa-migrate')
  const register = (ledger: Ledger, options: Partial<RegisterOptions> = {}): Register =>
    openRegister({
      folder,
      baseUrl: 'https://service.example',
      testHosts: [],
      ledger: ledger.file,
      claims: ledger.claims,
      guardsMandates: true,
      takeOver: null,
      sharedFolder: false,
      ...options,
    })
  const read = <Row>(sql: string): Row[] => {
    const connection = openDatabase(join(folder, 'register.db'), { readonly: true })
    try {
      return connection.prepare<[], Row>(sql).all()
    } finally {
      connection.close()
    }
  }
  /** Why it is no copy of now, as whoever only looks is told. */
  const older = ({ claims, file }: Ledger) => notTheLatest(folder, { ...claims, file })
  const decided = ({ claims }: Ledger) => noteDecided(folder, claims)
  return { folder, register, read, older, decided, path: join(folder, 'register.db') }
}
type Place = ReturnType<typeof place>

const rowOf = (n: number, values: Values = {}): Values => ({ customerNo: n, reference: `M-${n}`, ...values })

const few = (...numbers: number[]): Ledger => running(numbers.map((n) => rowOf(n)))

type Claimed = Partial<RegisterOptions> & { readonly limit?: number | null }

/** As a run does it; leaves the register open, as while it sends. */
function claimed({ register }: Place, ledger: Ledger, { limit = null, ...options }: Claimed = {}): Register {
  const own = register(ledger, options)
  own.note()
  own.hold({})
  own.claim(limit, null)
  return own
}

/** One row leaves and is refused. */
const sendOne = (ledger: Ledger): Promise<number> => send(ledger, refused())

/** A run that sends one row and ends; the next one is begun. */
async function beginOne(here: Place, ledger: Ledger, options: Claimed = {}): Promise<Ledger> {
  const own = claimed(here, ledger, options)
  await sendOne(ledger)
  own.close()
  ledger.startRun(SETTINGS)
  return ledger
}

/** A register in which another ledger claimed these mandates. */
function claimedThere(...rows: Values[]): Place {
  const here = place()
  claimed(here, running(rows)).close()
  return here
}

function within<Value>(own: Register, work: (own: Register) => Value): Value {
  try {
    return work(own)
  } finally {
    own.close()
  }
}

const hold = ({ register }: Place, ledger: Ledger, options: Partial<RegisterOptions> = {}) =>
  within(register(ledger, options), (own) => {
    own.note()
    return own.hold({})
  })

/** Notes the ledger. @returns whether the register knew it */
const noted = ({ register }: Place, ledger: Ledger): boolean =>
  within(register(ledger), (own) => {
    own.note()
    return own.knowsLedger()
  })

/** Goes on with an older copy, in another run. */
function adopt({ register }: Place, copy: Ledger) {
  const adopted = within(register(copy), (own) => own.adopt({ ...BY_KIM, run: SETTINGS }))
  copy.startRun(SETTINGS)
  return adopted
}

describe('what is noted before the first row comes in', () => {
  it('lets a ledger go on whose log is gone, where nothing was ever sent from it', () => {
    const here = place()
    const ledger = open()
    expect(noted(here, ledger)).toBe(true)
    const dead = died(ledger)
    expect(dead.claims.standing().isLogMissing).toBe(true)
    noted(here, dead)
    expect(dead.claims.standing().isLogMissing).toBe(false)
  })

  it('refuses a log that is gone where nothing was noted: a copy from elsewhere looks so', () => {
    const { register } = place()
    const dead = died(open())
    expect(() => register(dead).note()).toThrow(
      /is older than it was: .* \(-wal\) is missing.*Nothing was sent/,
    )
  })

  it('44: refuses what a run began to send since, whatever its log is like', async () => {
    const here = place()
    const ledger = few(1, 2, 3)
    const own = claimed(here, ledger)
    const copy = copyOf(ledger)
    await sendOne(ledger)
    own.close()
    expect(() => here.register(copy).note()).toThrow(/it knows of 0 requests that were begun, and 1 were/)
    ledger.startRun(SETTINGS)
    claimed(here, ledger).close()
    expect(() => here.register(copy).note()).toThrow(/a run began to send since/)
    expect(here.older(copy)).toMatch(/^The ledger ".*" is older/)
    expect(here.older(ledger)).toBe(null)
  })

  it('refuses a row that was begun and that a hand on the file calls ready again, until it is adopted', async () => {
    const here = place()
    const ledger = few(1, 2, 3)
    const own = claimed(here, ledger)
    await sendOne(ledger)
    await sendOne(ledger)
    own.close()
    forge(
      ledger.file,
      `update row set state = 'ready', attempts = 0 where id = 1; delete from attempt where row_id = 1`,
    )
    const refusal = /it calls 1 row ready whose requests were begun/
    expect(() => here.register(ledger).note()).toThrow(refusal)
    expect(here.older(ledger)).toMatch(refusal)
    adopt(here, ledger)
    expect(statesOf(ledger.file)[0]).toBe('in_doubt')
    expect(here.older(ledger)).toBe(null)
  })

  describe.each([
    ['a decision', (ledger: Ledger) => void decide(ledger, 2, 'written_off')],
    ['a file', (ledger: Ledger) => void admit(ledger, [rowOf(9)])],
    ['a comparison', (ledger) => compareWith(ledger, [])],
  ])('refuses what does not know of %s', (_, change) => {
    const older = /is older than it was: something was decided/

    it('whoever notes it, once it is noted', async () => {
      for (const isRun of [true, false]) {
        const here = place()
        const ledger = await beginOne(here, few(1, 2, 3))
        const copy = copyOf(ledger)
        change(ledger)
        // A kill here: the ledger knows more than the register.
        expect([here.older(ledger), here.older(copy)]).toEqual([null, null])
        if (isRun) noted(here, ledger)
        else expect(here.decided(ledger)).toBe(null)
        expect(here.older(ledger)).toBe(null)
        expect(here.older(copy)).toMatch(older)
        expect(() => here.register(copy).note()).toThrow(older)
      }
    })

    it('however much is decided in it since, and lets it go on once it was adopted', async () => {
      const here = place()
      const ledger = await beginOne(here, few(1, 2, 3))
      const copy = copyOf(ledger, stoppedClock('2026-06-15T10:00:00.001Z'))
      change(ledger)
      here.decided(ledger)
      for (const row of [2, 3]) decide(copy, row, 'written_off', { reason: 'otherwise' })
      admit(copy, [rowOf(10)])
      here.decided(copy)
      expect(here.older(ledger)).toBe(null)
      expect(here.older(copy)).toMatch(older)
      adopt(here, copy)
      expect(here.older(copy)).toBe(null)
      decide(copy, 1, 'written_off')
      here.decided(copy)
      expect(here.older(copy)).toBe(null)
      expect(here.older(ledger)).toMatch(/is older than it was/)
    })
  })

  it('forgets the number of a reference that was an account with the erasure of its row', async () => {
    const here = place()
    const ledger = await beginOne(here, running([rowOf(1, { reference: IBAN }), rowOf(2)]))
    const numbers = () => here.read('select mandate, spelling from mandate order by row')
    const [account, other] = numbers()
    decide(ledger, 2, 'written_off')
    here.decided(ledger)
    expect(numbers()).toEqual([account, other])
    ledger.erase({ ...BY_KIM, customerNo: 1, rowIds: [1], withOpenRows: true })
    expect(here.decided(ledger)).toBe(null)
    expect(numbers()).toEqual([{ mandate: expect.any(Number) as number, spelling: null }, other])
    expect(numbers()[0]).not.toMatchObject({ mandate: (account as { mandate: number }).mandate })
  })

  it('notes no decision of a ledger that it does not know, and says why it cannot', () => {
    const here = place()
    const ledger = few(1)
    expect(here.decided(ledger)).toBe(null)
    here.register(few(2)).note()
    expect(here.decided(ledger)).toBe(null)
    expect(here.read('select id from ledger')).toHaveLength(1)
    truncateSync(here.path, 0)
    expect(here.decided(ledger)).toMatch(/^Cannot use the register .*: [^.]*$/)
  })

  it('knows of a ledger that was sent from elsewhere that it does not know it', async () => {
    const ledger = await beginOne(place(), few(1, 2, 3))
    const here = place()
    expect(noted(here, ledger)).toBe(false)
    expect(here.read('select attempts, mark from ledger')).toEqual([{ attempts: 1, mark: null }])
    expect(noted(here, ledger)).toBe(false)
  })
})

it('a kill between the mark in the ledger and that in the register asks nobody anything', () => {
  const here = place()
  const ledger = open()
  admit(ledger, [rowOf(1)])
  noted(here, ledger)
  ledger.startRun(SETTINGS)
  ledger.claims.begin('0123456789abcdef0123456789abcdef', () => undefined)
  expect(noted(here, ledger)).toBe(true)
})

/** A process died in a run, and its log holds nothing. */
function died(ledger: Ledger): Ledger {
  ledger.startRun(SETTINGS)
  const copy = join(freshFolder(), 'copy.db')
  copyFileSync(ledger.file, copy)
  return open({ file: copy })
}

function copyOf(ledger: Ledger, clock = stoppedClock()): Ledger {
  const copy = join(freshFolder(), 'copy.db')
  for (const ending of ['', '-wal']) copyFileSync(ledger.file + ending, copy + ending)
  return open({ file: copy, clock })
}

describe('what a run claims', () => {
  it('is what it may send, with a limit no more than that, and begun once it leaves', async () => {
    const here = place()
    const ledger = few(1, 2, 3)
    const own = claimed(here, ledger, { limit: 2 })
    const marks = () => here.read('select row, begun from mandate order by row')
    expect(marks()).toEqual([1, 2].map((row) => ({ row, begun: 0 })))
    await begin(ledger, readyRow(ledger))
    expect(marks()[0]).toEqual({ row: 1, begun: 1 })
    own.close()
  })

  it('leaves what waits at that moment to a later run, so that nothing is sent that was not claimed', async () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, [rowOf(1), rowOf(2)])
    await send(ledger, inDoubt())
    clock.advance(16 * 60_000)
    decide(ledger, 1, 'refused')
    clock.advance(-10 * 60_000)
    ledger.retryRefused('Kim')
    const here = place()
    const own = claimed(here, ledger)
    expect(here.read('select row from mandate where begun = 0')).toEqual([{ row: 2 }])
    clock.advance(20 * 60_000)
    expect(ledger.ready(0, 10).map(({ id }) => id)).toEqual([2])
    own.close()
  })

  it('names the way that works where that ledger is where this one is, or nowhere any more', () => {
    const here = place()
    const lost = few(1)
    claimed(here, lost).close()
    const next = (options: Partial<RegisterOptions> = {}): string => {
      try {
        hold(here, few(1), options)
        return 'nothing was refused'
      } catch (error) {
        return error instanceof UsageError ? error.next : String(error)
      }
    }
    const isLost =
      /^That ledger is not at its path any more\. Put it back, .* \(sepa-migrate run FILE --another-ledger/
    expect(next()).toMatch(/^Continue with the ledger "/)
    expect(next({ ledger: lost.file })).toMatch(isLost)
    rmSync(lost.file)
    expect(next()).toMatch(isLost)
  })

  it('39: names a single mandate of a large export in another ledger, however few it has', () => {
    const here = claimedThere(...Array.from({ length: 4_000 }, (_, n) => rowOf(n + 1)))
    for (const n of [1, 1234, 3999])
      expect(() => hold(here, few(n))).toThrow(
        /^A mandate that is ready here was already claimed for the same service by the ledger ".*"; nothing was sent/,
      )
    expect(() => hold(here, few(1, 2, 5001))).toThrow(/^2 mandates that are ready here were/)
    expect(() => hold(here, few(5001))).not.toThrow()
    expect(() => hold(here, few(1), { guardsMandates: false })).not.toThrow()
  })

  it('counts where the service has another address, unless one of the two is a test environment', async () => {
    const here = place()
    await beginOne(here, few(1, 2))
    const moved = { baseUrl: 'https://api.service.example' }
    const fault = (): unknown => hold(here, few(1, 2, 3), moved)
    expect(fault).toThrow(
      /^2 mandates .* already claimed for "https:\/\/service\.example" by the ledger ".*", and this one is for "https:\/\/api\.service\.example"/,
    )
    expect(fault).toThrow(
      expect.objectContaining({
        next: expect.stringContaining('service.testHost: service.example or api.service.example;') as string,
      }),
    )
    for (const testHosts of [['service.example'], ['test.example', 'api.service.example']])
      expect(hold(here, few(1, 2, 3), { ...moved, testHosts })).toMatchObject({ inDoubt: 0, replaces: [] })
    expect(hold(here, few(1, 2, 3), { baseUrl: 'http://127.0.0.1:1' })).toMatchObject({ inDoubt: 0 })
    // Customers of another service are others.
    const same = [rowOf(1, { reference: 'OTHER' })]
    expect(hold(here, running(same), moved)).toMatchObject({ inConflict: 0 })
    expect(hold(here, running(same))).toMatchObject({ inConflict: 1 })

    const own = here.register(few(1, 2, 3), { ...moved, takeOver: TAKE_OVER })
    own.note()
    expect(own.hold({})).toMatchObject({ inDoubt: 1, replaces: [expect.any(String)] })
    own.claim(null, null)
    own.close()
    const isRetired = here.read('select retired_by is not null as isRetired from ledger where n = 1')
    expect(isRetired).toEqual([{ isRetired: 1 }])
  })

  it('does not grow by runs', () => {
    const here = place()
    const ledger = few(1, 2, 3)
    for (let run = 0; run < 5; run += 1) {
      claimed(here, ledger).close()
      ledger.startRun(SETTINGS)
    }
    expect(here.read('select count(*) as count from mandate')).toEqual([{ count: 3 }])
  })

  it('is not what another ledger claimed while the question was open', () => {
    const here = place()
    const [one, other] = [few(1, 2, 3), few(1, 2, 3)]
    const [first, second] = [one, other].map((ledger) => here.register(ledger))
    for (const each of [first!, second!]) {
      each.note()
      each.hold({})
    }
    first!.claim(null, null)
    expect(() => second!.claim(null, null)).toThrow(/already claimed .*nothing was sent/)
    for (const each of [first!, second!]) each.close()
  })
})

describe('a lost ledger', () => {
  it('what it began comes in as in doubt, what it only claimed is ready, and it is refused', async () => {
    const here = place()
    const lost = await beginOne(here, few(1, 2, 3, 4), { limit: 3 })

    const ledger = few(1, 2, 3, 4, 5)
    const taking = here.register(ledger, { takeOver: TAKE_OVER })
    taking.note()
    expect(taking.hold({})).toEqual({ ...USUAL_RUN.hold(), inDoubt: 1, replaces: [lost.file] })
    taking.claim(null, null)
    taking.close()
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'ready', 'ready', 'ready', 'ready'])
    expect(ledger.view.decisions(0, 10)).toMatchObject([{ rowId: 1, decision: 'another_ledger', ...BY_KIM }])
    const reason = 'Another ledger of yours began to send this one'
    expect(ledger.view.attempts(1)[0]).toMatchObject({ reason })

    const retired = /is retired: the ledger ".*" took its place\. Nothing was sent/
    expect(() => here.register(lost).note()).toThrow(retired)
    expect(() => here.register(lost).adopt({ ...BY_KIM, run: SETTINGS })).toThrow(/is retired/)
    expect(here.older(lost)).toMatch(/is retired/)
    ledger.startRun(SETTINGS)
    expect(() => claimed(here, ledger).close()).not.toThrow()
    // What comes in later, and was begun there, is not sent on the strength of it.
    expect(() => hold(here, few(1))).toThrow(/already claimed/)
  })

  it('of a run that did not come to its end everything claimed counts as begun', () => {
    const here = place()
    claimed(here, few(1, 2)) // its process is gone
    const ledger = few(1, 2, 3)
    expect(hold(here, ledger, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 2 })
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'in_doubt', 'ready'])
  })

  it('is lost a second time: what either began is in doubt', async () => {
    const here = place()
    await beginOne(here, few(1, 2, 3))
    const second = await beginOne(here, few(1, 2, 3), { takeOver: TAKE_OVER })
    const third = few(1, 2, 3)
    expect(hold(here, third, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 2, replaces: [second.file] })
    expect(statesOf(third.file)).toEqual(['in_doubt', 'in_doubt', 'ready'])
  })

  it('a later file with rows that the lost one began is refused without the flag, and in doubt with it', async () => {
    const here = place()
    await beginOne(here, few(1, 2))
    const ledger = few(2)
    claimed(here, ledger, { takeOver: TAKE_OVER }).close()
    ledger.startRun(SETTINGS)
    admit(ledger, [rowOf(1)])
    expect(() => hold(here, ledger)).toThrow(/A mandate that is ready here was already claimed/)
    expect(hold(here, ledger, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 1, replaces: [] })
    expect(statesOf(ledger.file)).toEqual(['ready', 'in_doubt'])
  })

  it('a register that was made anew learns what a ledger began before, also where nothing is left to send', async () => {
    const here = place()
    const ledger = await beginOne(here, few(1))
    rmSync(here.folder, { recursive: true })
    noted(here, ledger)
    expect(() => claimed(here, few(1, 2))).toThrow(/A mandate that is ready here was already claimed/)
  })

  it('what a person sends again after the doubt leaves', async () => {
    const here = place()
    await beginOne(here, few(1))
    const ledger = few(1)
    claimed(here, ledger, { takeOver: TAKE_OVER }).close()
    decide(ledger, 1, 'resend', { force: true })
    ledger.startRun(SETTINGS)
    await beginOne(here, ledger)
    const begun = here.read('select begun from mandate join ledger on n = ledger order by n')
    expect(begun).toEqual([{ begun: 1 }, { begun: 1 }])
  })

  it.each<[string, Values]>([
    ['customer', { customerNo: 92 }],
    ['date', { signedDate: '2021-05-05' }],
  ])('what it began for another %s is told, and says so', async (_, values) => {
    for (const decision of ['another_ledger', 'all_in_doubt'] as const) {
      const here = place()
      await beginOne(here, await beginOne(here, few(1, 2)))
      const ledger = running([rowOf(1, values), rowOf(2)])
      const takeOver = { ...TAKE_OVER, decision }
      expect(hold(here, ledger, { takeOver })).toMatchObject({ inDoubt: 2, begunOtherwise: 1 })
      const reasons = [1, 2].map((row) => ledger.view.attempts(row)[0]?.reason)
      expect(reasons).toEqual([
        `${String(reasons[1])}. It was begun for another customer or date than this row has`,
        expect.stringMatching(/^(?:Another ledger of yours began to send this one|Nobody knows .* been)$/),
      ])
    }
  })

  it('what it claimed and sent under another reference alone is held back as it was claimed first', async () => {
    const here = place()
    const lost = few(1)
    claimed(here, lost).close()
    lost.startRun(SETTINGS)
    admit(lost, [rowOf(1, { reference: 'M1', corrects: 1 })])
    await beginOne(here, lost)
    const ledger = few(1, 2)
    expect(hold(here, ledger, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 0, inConflict: 1 })
    expect(statesOf(ledger.file)).toEqual(['conflict', 'ready'])
  })

  it('holds back what is corrected and written otherwise in the file behind the export', async () => {
    const here = place()
    await beginOne(here, few(1))
    const ledger = running([rowOf(1, { verdict: 'invalid' }), rowOf(2)])
    claimed(here, ledger, { takeOver: TAKE_OVER }).close()
    ledger.startRun(SETTINGS)
    admit(ledger, [rowOf(1, { reference: 'M1', corrects: 1 })])
    expect(hold(here, ledger)).toMatchObject({ inConflict: 1 })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'conflict'])
  })

  it('with every row in doubt, where the register is lost or cannot be read', () => {
    const here = claimedThere(rowOf(1))
    truncateSync(here.path, 0)
    const ledger = few(1, 2)
    expect(() => hold(here, ledger)).toThrow(/it is empty, or no register/)
    const takeOver = { decision: 'all_in_doubt', ...BY_KIM } as const
    expect(hold(here, ledger, { takeOver })).toMatchObject({ inDoubt: 2 })
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'in_doubt'])
    decide(ledger, 1, 'resend', { force: true })
    ledger.startRun(SETTINGS)
    expect(hold(here, ledger)).toMatchObject({ inDoubt: 0 })
    expect(statesOf(ledger.file)).toEqual(['ready', 'in_doubt'])
  })

  it.each([
    { by: ' ', reason: 'lost' },
    { by: 'Kim', reason: '' },
  ])('needs a person and a reason, as an older copy does that a person goes on with: %j', (words) => {
    const here = place()
    claimed(here, few(1)) // its process is gone
    const ledger = few(1)
    const takeOver = { ...TAKE_OVER, ...words }
    expect(() => hold(here, ledger, { takeOver })).toThrow('needs a person and a reason')
    const adopt = () => here.register(ledger).adopt({ ...words, run: SETTINGS })
    expect(adopt).toThrow('needs a person and a reason')
    expect(ledger.totals().ready).toBe(1)
  })
})

describe('where neither HOME nor XDG_STATE_HOME names a folder', () => {
  const NOWHERE = /^Cannot tell where the register of campaigns is: neither HOME nor XDG_STATE_HOME/
  const opening = (ledger: Ledger, isLoopback: boolean) =>
    openRunRegister(
      {
        folder: null,
        baseUrl: 'https://service.example',
        testHosts: [],
        ledger: ledger.file,
        claims: ledger.claims,
        takeOver: { decision: 'all_in_doubt', ...BY_KIM },
        sharedFolder: false,
      },
      { isLoopback },
    )

  it('a run against a service is refused, whatever may be in doubt', () => {
    expect(() => opening(few(1), false)).toThrow(UsageError)
    expect(() => opening(few(1), false)).toThrow(NOWHERE)
  })

  it('a rehearsal on this machine is told, and goes on', () => {
    const { warnings, hold: held } = opening(few(1), true)
    expect(warnings).toEqual([
      expect.stringMatching(/is an absolute path\. A run against a real service would be refused$/),
    ])
    expect(held({})).toMatchObject({ inDoubt: 1 })
  })

  it('what is only looked at or decided is told so', () => {
    const ledger = few(1)
    expect(noteDecided(null, ledger.claims)).toMatch(NOWHERE)
    expect(() => notTheLatest(null, { ...ledger.claims, file: ledger.file })).toThrow(NOWHERE)
  })
})

describe('two that run at once', () => {
  it('the one that was overtaken sends nothing of its group, and its rows are ready again', async () => {
    const here = place()
    const stopped = few(1, 2, 3)
    const own = claimed(here, stopped)
    await sendOne(stopped)
    const copy = copyOf(stopped)
    copy.startRun(SETTINGS)
    const overtaking = claimed(here, copy)
    const both = [stopped.begin(readyRow(stopped)), stopped.begin(readyRow(stopped, 2))]
    for (const each of both)
      await expect(each).rejects.toThrow(/was overtaken: .*2 rows were about to be sent/)
    expect(statesOf(stopped.file)).toEqual(['refused', 'ready', 'ready'])
    expect(stopped.view.attempts(2)).toMatchObject([{ outcome: 'not_sent' }])
    await sendOne(copy)
    own.close()
    overtaking.close()
    expect(here.read('select is_open as isOpen, attempts from ledger')).toEqual([{ isOpen: 0, attempts: 2 }])
  })

  it.each<[string, (here: Place, stopped: Ledger) => Register | null]>([
    [
      'something was decided in a copy',
      ({ folder }, stopped) => {
        const copy = copyOf(stopped)
        decide(copy, 2, 'written_off')
        noteDecided(folder, copy.claims)
        return null
      },
    ],
    ['another ledger took its place', (here) => claimed(here, few(1, 2, 3), { takeOver: TAKE_OVER })],
    [
      'the register is gone',
      ({ path }) => {
        const connection = openDatabase(path)
        connection.exec('delete from mandate; delete from ledger')
        connection.close()
        return null
      },
    ],
  ])('the same where %s meanwhile', async (_, meanwhile) => {
    const here = place()
    const stopped = few(1, 2, 3)
    const own = claimed(here, stopped)
    const other = meanwhile(here, stopped)
    await expect(stopped.begin(readyRow(stopped))).rejects.toThrow(/was overtaken/)
    expect(statesOf(stopped.file)).toEqual(['ready', 'ready', 'ready'])
    own.close()
    other?.close()
  })
})

describe('what the register knows a mandate by', () => {
  it('holds no account, customer or reference, and numbers that differ from register to register', () => {
    const ledger = few(1, 2, 3)
    const places = [place(), place()]
    for (const here of places) {
      claimed(here, ledger).close()
      ledger.startRun(SETTINGS)
    }
    const numbers = places.map(({ read }) => read('select mandate, likeness, spelling from mandate'))
    expect(numbers[0]).toHaveLength(3)
    expect(numbers[0]).not.toEqual(numbers[1])
  })

  it('does not ask for the account: another one of the same mandate is the same mandate', () => {
    const here = claimedThere(rowOf(1))
    expect(() => hold(here, running([rowOf(1, { iban: 'NL91ABNA0417164300' })]))).toThrow(/A mandate/)
  })

  it('a row that resembles a mandate is a conflict, and the others go', () => {
    const here = claimedThere(rowOf(1, { reference: '000123' }), rowOf(2))
    const ledger = running([rowOf(1, { reference: '123' }), rowOf(3)])
    expect(hold(here, ledger)).toEqual({ ...USUAL_RUN.hold(), inConflict: 1 })
    expect(statesOf(ledger.file)).toEqual(['conflict', 'ready'])
    expect(ledger.view.decisions(0, 10)).toMatchObject([{ rowId: 1, decision: 'held', by: 'sepa-migrate' }])
    const [problem] = ledger.view.problemsOfRow(1)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
  })

  describe.each(['MND-0001', 'MND0001', '00MND-0001', 'mnd 0001'])(
    'claimed as %s, of another date',
    (sent) => {
      const OTHERS = ['MND-0001', 'MND0001', '00MND-0001', 'mnd 0001'].filter((each) => each !== sent)

      it.each(OTHERS)('is held back as %s, whatever its account', (reference) => {
        for (const iban of [IBAN, OTHER_IBAN]) {
          const here = claimedThere(rowOf(7, { reference: sent }))
          const ledger = running([rowOf(7, { reference, iban, signedDate: '2021-05-05' }), rowOf(8)])
          expect(hold(here, ledger, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 0, inConflict: 1 })
          expect(statesOf(ledger.file)).toEqual(['conflict', 'ready'])
          const [problem] = ledger.view.problemsOfRow(1)
          expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
          expect(problem?.message).toMatch(
            /^Customer and reference, but for zeros in front, blanks and marks, are those of a mandate that the ledger ".*" claimed\./,
          )
        }
      })
    },
  )

  it.each<[string, Values, Values]>([
    ['of another customer', { customerNo: 1, reference: '1-11' }, { customerNo: 11, reference: '11-1' }],
    ['with another reference', { reference: 'A-1' }, { reference: 'A-2' }],
    ['of another creditor', {}, { creditor: 'DE71ZZZ08888888888', reference: 'M1' }],
    ['of marks alone', { reference: '---' }, { reference: '/' }],
  ])('a mandate %s is not held back', (_, theirs, ours) => {
    const ledger = running([{ ...ours, signedDate: '2021-05-05' }])
    expect(hold(claimedThere(theirs), ledger)).toMatchObject({ inConflict: 0 })
    expect(statesOf(ledger.file)).toEqual(['ready'])
  })

  describe('sent by a lost ledger, in another spelling and for another customer', () => {
    const other = (reference: string, n = 92) =>
      rowOf(n, { reference, signedDate: '2021-05-05', iban: OTHER_IBAN })
    /** Its process is gone while it sent. */
    function lost(sent: string) {
      const here = place()
      claimed(here, running([rowOf(7, { reference: sent }), rowOf(8)]))
      return here
    }
    const held = (here: Place, ...rows: Values[]) => {
      const ledger = running([rowOf(8), ...rows])
      return { ledger, ...hold(here, ledger, { takeOver: TAKE_OVER }) }
    }

    it.each(['MND0001', '00MND-0001', 'mnd 0001'])('waits as %s', (reference) => {
      const { ledger, inDoubt: doubts, inConflict } = held(lost('MND-0001'), other(reference))
      expect([doubts, inConflict]).toEqual([1, 1])
      expect(ledger.view.problemsOfRow(2)[0]?.message).toMatch(
        /^Letters and digits of the reference, but for zeros in front, are those of a mandate that the ledger ".*" claimed for another customer\./,
      )
    })

    it('waits in a later file', () => {
      const here = lost('MND-0001')
      const ledger = running([rowOf(8)])
      claimed(here, ledger, { takeOver: TAKE_OVER }).close()
      ledger.startRun(SETTINGS)
      admit(ledger, [other('MND0001', 93)])
      expect(hold(here, ledger)).toMatchObject({ inConflict: 1 })
    })

    it('goes where the export has what was sent as well, or its reference is short', () => {
      const both = held(lost('MND-0001'), other('MND0001'), rowOf(7, { reference: 'MND-0001' }))
      expect(both).toMatchObject({ inDoubt: 2, inConflict: 0 })
      expect(held(lost('M-001'), other('M001'))).toMatchObject({ inDoubt: 1, inConflict: 0 })
    })

    it('goes beside a ledger that is not lost', () => {
      const here = lost('MND-0001')
      expect(hold(here, running([other('MND0001')]))).toMatchObject({ inConflict: 0 })
    })
  })

  it('says what a row resembles that another ledger claims while the question is open', () => {
    const here = place()
    const own = here.register(running([rowOf(1, { reference: 'M1', signedDate: '2021-05-05' })]))
    own.note()
    own.hold({})
    claimed(here, few(1)).close()
    expect(() => own.claim(null, null)).toThrow(
      /has just claimed a mandate that row 1 resembles; nothing was sent/,
    )
    own.close()
  })

  it('learns the spelling of what a ledger began before it was noted', async () => {
    const ledger = await beginOne(place(), few(1))
    const here = place()
    noted(here, ledger)
    const other = running([rowOf(1, { reference: 'M1', signedDate: '2021-05-05' })])
    expect(hold(here, other)).toMatchObject({ inConflict: 1 })
  })

  it.each<[string, Values]>([
    ['in another spelling', { reference: 'M1', signedDate: '2021-05-05' }],
    ['of the customer of that day', { reference: 'M-1b' }],
  ])('another mandate %s resembles none that both ledgers have', (_, other) => {
    const ledger = running([rowOf(1), rowOf(1, other)])
    expect(hold(claimedThere(rowOf(1)), ledger, { takeOver: TAKE_OVER })).toMatchObject({ inConflict: 0 })
  })

  it('a row of which a person said "send" leaves, in this run and the next', () => {
    const here = claimedThere(rowOf(1, { reference: '000123' }))
    const ledger = running([rowOf(1, { reference: '123' })])
    hold(here, ledger)
    ledger.startRun(SETTINGS)
    // The line of the first row comes back with "send" beside it, and is compared in the same transaction.
    const own = here.register(ledger)
    own.note()
    const admitted: Ledger['admit'] = (options) => {
      const admission = ledger.admit(options)
      const commit = (): void => {
        expect(own.hold({})).toMatchObject({ inConflict: 0 })
        admission.commit()
      }
      return { ...admission, commit }
    }
    admit({ admit: admitted }, [rowOf(1, { reference: '123', corrects: 1, isDecided: true })])
    own.close()
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
    ledger.startRun(SETTINGS)
    expect(hold(here, ledger)).toMatchObject({ inConflict: 0 })
    ledger.startRun(SETTINGS)
    claimed(here, ledger).close()
  })

  it('a row that was ready before is held as well, and one that this ledger claimed itself is not', () => {
    const here = place()
    const ledger = running([rowOf(1, { reference: '123' }), rowOf(2, { reference: '2' })])
    claimed(here, ledger, { limit: 1 }).close()
    claimed(here, running([rowOf(2, { reference: '02' })])).close()
    ledger.startRun(SETTINGS)
    expect(hold(here, ledger)).toMatchObject({ inConflict: 1 })
    expect(statesOf(ledger.file)).toEqual(['ready', 'conflict'])
  })
})

describe('an older copy that a person goes on with', () => {
  it('is the latest then, and what came in behind it is not sent on the strength of it', async () => {
    const here = place()
    const ledger = few(1)
    const own = claimed(here, ledger)
    const copy = copyOf(ledger)
    await sendOne(ledger)
    own.close()
    ledger.startRun(SETTINGS)
    admit(ledger, [rowOf(2)])
    const later = claimed(here, ledger)
    await ledger.settle(await begin(ledger, readyRow(ledger)), registered('NEW-2'))
    later.close()

    expect(() => noted(here, copy)).toThrow(/is older than it was/)
    expect(adopt(here, copy)).toMatchObject({ rows: [1] })
    admit(copy, [rowOf(2)])
    expect(() => hold(here, copy)).toThrow(
      /A mandate that is ready here .* before an older copy was put back/,
    )
    expect(hold(here, copy, { takeOver: TAKE_OVER })).toMatchObject({ inDoubt: 1 })
    expect(() => here.register(ledger).note()).toThrow(/a run began to send since/)
  })

  /** What a run would send, once the register has held what it holds. */
  function sendable(here: Place, copy: Ledger): number[] {
    hold(here, copy)
    return Array.from(copy.claims.toSend(null), ({ row }) => row)
  }

  /** Row 2 is not sent in the copy; what is said here of its mandate is what the lost part sent as row 3. */
  async function adopted(held: Values, lost: Values) {
    const here = place()
    const ledger = await beginOne(here, running([rowOf(1), held]))
    const copy = copyOf(ledger)
    ledger.startRun(SETTINGS)
    admit(ledger, [{ ...lost, corrects: 2 }])
    const later = claimed(here, ledger)
    await ledger.settle(await begin(ledger, readyRow(ledger)), registered('NEW-3'))
    later.close()
    adopt(here, copy)
    return { here, copy }
  }

  const OTHERWISE: [string, Values][] = [
    ['another spelling', { reference: 'M3' }],
    ['another spelling and date', { reference: '0M-3', signedDate: '2021-05-05' }],
    ['another reference', { reference: 'NEW-3' }],
  ]

  describe.each<[string, Values]>([
    ['invalid', rowOf(3, { verdict: 'invalid' })],
    ['without a date', rowOf(3, { verdict: 'invalid', values: { signedDate: null } })],
    ['in conflict', rowOf(3, { verdict: 'conflict' })],
    ['left out', rowOf(3, { verdict: 'excluded' })],
  ])('sends nothing once more that the lost part sent of a row that is %s in it', (_, held) => {
    it.each(OTHERWISE)('and that comes under %s', async (__, values) => {
      for (const corrects of [null, 2]) {
        const { here, copy } = await adopted(held, rowOf(3))
        admit(copy, [rowOf(3, { ...values, corrects })], { isNewer: true })
        expect(sendable(here, copy)).toEqual([])
      }
    })
  })

  it('brings in as in doubt what corrects its rows, where nobody knows what was begun', () => {
    const here = place()
    const ledger = running([rowOf(1, { verdict: 'invalid' }), rowOf(2, { verdict: 'invalid' })])
    adopt(here, ledger)
    admit(ledger, [rowOf(1, { corrects: 1 })])
    admit(ledger, [rowOf(3, { verdict: 'invalid' }), rowOf(4)])
    admit(ledger, [rowOf(3, { corrects: 4 })])
    expect(hold(here, ledger)).toMatchObject({ inDoubt: 0 })
    expect(hold(here, ledger, { guardsMandates: false })).toMatchObject({ inDoubt: 1 })
    const states = 'superseded invalid in_doubt superseded ready ready'
    expect(statesOf(ledger.file).join(' ')).toBe(states)
    expect(ledger.view.decisionsOfRow(3)).toMatchObject([{ by: 'Kim', decision: 'older_copy' }])
  })

  it.each(OTHERWISE)('nor what was closed in the copy before it was adopted, under %s', async (_, values) => {
    const here = place()
    const ledger = await beginOne(here, few(1, 3), { limit: 1 })
    const copy = copyOf(ledger)
    ledger.startRun(SETTINGS)
    await beginOne(here, ledger)
    decide(copy, 2, 'written_off')
    adopt(here, copy)
    admit(copy, [rowOf(3, values)], { isNewer: true })
    expect(sendable(here, copy)).toEqual([])
  })

  it.each(OTHERWISE)('nor what was refused in it and corrected since, under %s', async (_, values) => {
    const here = place()
    const ledger = await beginOne(here, few(3))
    admit(ledger, [rowOf(3, { verdict: 'invalid', corrects: 1 })])
    const copy = copyOf(ledger)
    ledger.startRun(SETTINGS)
    admit(ledger, [rowOf(3, { corrects: 2 })])
    await beginOne(here, ledger)
    adopt(here, copy)
    admit(copy, [rowOf(3, values)], { isNewer: true })
    expect(sendable(here, copy)).toEqual([])
  })

  it.each<[string, Values]>([
    ['customer', { customerNo: 92 }],
    ['date', { signedDate: '2021-05-05' }],
    ['customer and spelling', { customerNo: 92, reference: 'MANDATE3' }],
  ])('says of what the lost part sent for another %s that it did', async (_, values) => {
    const here = place()
    const ledger = await beginOne(here, running([rowOf(1), rowOf(3, { reference: 'MANDATE-3' }), rowOf(4)]), {
      limit: 1,
    })
    const copy = copyOf(ledger)
    ledger.startRun(SETTINGS)
    admit(ledger, [rowOf(3, { reference: 'MANDATE-3', ...values, corrects: 2 })])
    await beginOne(here, ledger)
    ledger.startRun(SETTINGS)
    await beginOne(here, ledger)
    expect(adopt(here, copy)).toMatchObject({ rows: [1, 2, 3], otherwise: [2] })
    expect([2, 3].map((row) => copy.view.attempts(row)[0]?.reason)).toEqual([
      expect.stringMatching(/was made\. It was begun for another customer or date than this row has$/),
      expect.stringMatching(/was made$/),
    ])
  })

  it('sends what resembles only what it knows as sent', async () => {
    const { here, copy } = await adopted(rowOf(3, { verdict: 'invalid' }), rowOf(3))
    admit(copy, [rowOf(4), rowOf(5)], { isNewer: true })
    expect(sendable(here, copy)).toEqual([3, 4])
  })

  it('is known to other ledgers by what it had sent, where the register had not known it', async () => {
    const ledger = await beginOne(place(), few(1))
    const here = place()
    adopt(here, ledger)
    expect(() => hold(here, few(1))).toThrow(/already claimed/)
  })
})
