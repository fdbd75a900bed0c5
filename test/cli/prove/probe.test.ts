import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { main } from '../../../src/cli/main.js'
import type { World } from '../../../src/cli/terminal/world.js'
import type { Findings } from '../../../src/probe/findings.js'
import type { Choices } from '../../../src/sandbox/choices.js'
import type { FaultRuleInput } from '../../../src/sandbox/faults/faults.js'
import type { Sandbox } from '../../../src/sandbox/sandbox.js'
import { startProbing, type Document } from './probing.js'

const UNKNOWN = 2_147_483_647
const ONE = ['--customer', '1001'] as const
const TWO = [...ONE, '--customer', '1002'] as const

type Repeated = Choices['repeatedMandate']
type Second = Choices['secondMandateOfCustomer']
type Check = Choices['ibanCheck']
type Reading = 'off' | 'at once' | 'late'

interface Chosen {
  readonly repeatedMandate: Repeated
  readonly secondMandateOfCustomer: Second
  readonly ibanCheck: Check
  readonly reading: Reading
}

const EVERY_CHOICE: readonly Chosen[] = (['register', 'refuse', 'conflict'] as const).flatMap(
  (repeatedMandate) =>
    (['register', 'refuse'] as const).flatMap((secondMandateOfCustomer) =>
      (['checksum', 'none'] as const).flatMap((ibanCheck) =>
        (['off', 'at once', 'late'] as const).map((reading) => ({
          repeatedMandate,
          secondMandateOfCustomer,
          ibanCheck,
          reading,
        })),
      ),
    ),
)

const sandboxOf = ({ reading, ...choices }: Chosen) => ({
  choices,
  readBack: reading === 'off' ? ('off' as const) : ('on' as const),
  readBackLagMs: reading === 'late' ? 5_000 : 0,
})

/** Typed by hand from sandbox/choices.md: what a probe of such a service must say. */
function truthOf({ repeatedMandate, secondMandateOfCustomer, ibanCheck, reading }: Chosen) {
  const DUPLICATES = {
    register: { finding: 'second_mandate', status: 200, identifier: null, field: null },
    refuse: { finding: 'exists', status: 400, identifier: 'INVALID_OBJECT_STATE', field: 'amendment' },
    conflict: { finding: 'conflict', status: 409, identifier: 'CONFLICT', field: 'amendment' },
  }
  const ofCustomer = {
    finding: 'exists',
    status: 400,
    identifier: 'INVALID_OBJECT_STATE',
    field: 'customer_no',
  }
  const isSecondRefused = secondMandateOfCustomer === 'refuse'
  const duplicate =
    repeatedMandate === 'register' && isSecondRefused ? ofCustomer : DUPLICATES[repeatedMandate]
  return {
    duplicate,
    held: reading === 'off' ? 'not_known' : duplicate.finding === 'second_mandate' ? 'two' : 'one',
    secondMandate: isSecondRefused ? ofCustomer : { finding: 'registered', status: 200 },
    unknownCustomer: { finding: 'registered' },
    wrongAccount:
      ibanCheck === 'none' ? { finding: 'registered' } : { finding: 'refused', status: 400, field: 'iban' },
    readBack: reading === 'off' ? 'missing' : 'available',
    delay: { off: 'not_asked', 'at once': 'at_once', late: 'delayed' }[reading],
    outcomes: repeatedMandate === 'conflict' ? { '409': 'in_doubt' } : {},
  }
}

const isLike = (found: object, told: object): boolean =>
  Object.entries(told).every(([key, value]) => Reflect.get(found, key) === value)

/** What a person would act on; times differ from run to run. */
const tellingOf = ({ delay, limits: _limits, ...rest }: Findings) => ({ ...rest, delay: delay.finding })

/** Everything that the sandbox holds is named, and nothing else is called registered. */
function expectNamed(sandbox: Sandbox, { mandates }: Document): void {
  const held = sandbox.mandates().map((mandate) => mandate.unique_mandate_reference)
  const named = mandates.flatMap(({ assigned }) => assigned)
  expect(named.toSorted()).toEqual(held.toSorted())
}

describe('a probe of a sandbox', () => {
  const found = new Map<string, string>()

  it.each(EVERY_CHOICE)(
    'finds out: again $repeatedMandate, second $secondMandateOfCustomer, account $ibanCheck, read back $reading',
    async (chosen) => {
      const there = await startProbing(sandboxOf(chosen))
      const document = await there.ask(...TWO)
      const { findings, proposal } = document
      const truth = truthOf(chosen)
      expect(findings.duplicate).toMatchObject({ ...truth.duplicate, held: truth.held })
      expect(findings.secondMandate).toMatchObject(truth.secondMandate)
      expect(findings.unknownCustomer).toMatchObject(truth.unknownCustomer)
      expect(findings.wrongAccount).toMatchObject(truth.wrongAccount)
      expect(findings.readBack.finding).toBe(truth.readBack)
      expect(findings.delay.finding).toBe(truth.delay)
      expect(proposal).toEqual({ readBack: truth.readBack === 'available', outcomes: truth.outcomes })
      expect([document.open, document.ended, document.exitCode]).toEqual([[], null, 0])
      expectNamed(there.sandbox, document)
      found.set(JSON.stringify(chosen), JSON.stringify(tellingOf(findings)))
    },
  )

  it('never says the same of two services that choose differently', () => {
    expect(found.size).toBe(EVERY_CHOICE.length)
    expect(new Set(found.values()).size).toBe(EVERY_CHOICE.length)
  })

  it('tells how late a mandate shows, between two looks', async () => {
    for (const lagMs of [700, 5_000, 20_000]) {
      const { findings } = await (await startProbing({ readBackLagMs: lagMs })).ask(...ONE)
      expect(findings.delay.finding).toBe('delayed')
      expect(findings.delay.notYetMs).toBeLessThan(lagMs + 1_000)
      expect(findings.delay.shownMs).toBeGreaterThanOrEqual(lagMs)
      expect(findings.delay.shownMs! / lagMs).toBeLessThan(3)
    }
  })

  it('names the words of the list, and how much of what was sent came back', async () => {
    const { findings } = await (await startProbing()).ask(...ONE)
    expect(findings.readBack).toEqual({
      finding: 'available',
      status: null,
      unknownCustomer: 'empty',
      statusWords: ['PENDING'],
      schemes: ['SEPA_DIRECT_DEBIT'],
      date: 'same',
      account: 'same',
      reference: 'same',
      verdict: 'proven',
    })
  })

  it('does not take a 404 for a customer without a mandate for a service without reading back', async () => {
    const fault = { kind: 'answer', status: 404, body: { status: 'NOT_FOUND', data: {} } } as const
    const faults: FaultRuleInput[] = [{ operation: 'read_back', match: { request: [1, 2, 3, 4] }, fault }]
    const { findings, proposal } = await (await startProbing({ faults })).ask(...ONE)
    expect([findings.readBack.finding, findings.delay.finding]).toEqual(['available', 'delayed'])
    expect(proposal.readBack).toBe(true)
  })

  it('does not count what a customer had before', async () => {
    const there = await startProbing()
    const [first, again] = [await there.ask(...ONE), await there.ask(...ONE, '--unknown-customer', '9')]
    expect([first.findings.duplicate.held, again.findings.duplicate.held]).toEqual(['two', 'two'])
    expect(tellingOf(again.findings)).toEqual(tellingOf(first.findings))
    const ids = [first, again].flatMap(({ mandates }) => mandates.flatMap((each) => each.ids))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('gives up on a mandate that does not show in time, and proposes nothing of reading back', async () => {
    const there = await startProbing({ readBackLagMs: 3_600_000 })
    const { findings, proposal, open, exitCode } = await there.ask(...ONE, '--wait', '30')
    expect([findings.readBack.finding, findings.delay.finding]).toEqual(['not_shown', 'not_within'])
    expect(findings.delay.notYetMs).toBeGreaterThanOrEqual(30_000)
    expect(findings.duplicate).toMatchObject({ finding: 'second_mandate', held: 'not_known' })
    expect([proposal.readBack, open, exitCode]).toEqual([null, ['readBack', 'delay'], 5])
  })

  it('with a single customer does not take the refusal of any second mandate for that of a wrong account', async () => {
    const choices = { secondMandateOfCustomer: 'refuse', ibanCheck: 'none' } as const
    const one = await (await startProbing({ choices })).ask(...ONE)
    expect(one.findings.wrongAccount).toMatchObject({ finding: 'not_known', status: 400 })
    expect([one.open, one.exitCode]).toEqual([['wrongAccount'], 5])
    const checked = await (await startProbing({ choices: { ...choices, ibanCheck: 'checksum' } })).ask(...ONE)
    expect(checked.findings.wrongAccount).toMatchObject({ finding: 'refused', field: 'iban' })
  })

  it('with a customer who has a mandate already and may not get another says so, and does not guess', async () => {
    const there = await startProbing({ choices: { secondMandateOfCustomer: 'refuse' } })
    await there.ask(...ONE)
    const again = await there.ask(...ONE)
    expect(again.findings.duplicate).toMatchObject({ finding: 'not_asked', held: 'not_asked' })
    expect(again.open).toContain('duplicate')
    const other = await there.ask(...ONE, '--customer', '1003')
    expect(other.findings.duplicate).toMatchObject({ finding: 'exists', held: 'one' })
  })
})

const forUnknown = (fault: FaultRuleInput['fault']): FaultRuleInput => ({
  operation: 'migrate',
  match: { customer_no: UNKNOWN },
  fault,
})

describe('an unknown customer', () => {
  it.each([
    [{ kind: 'refuse', status: 404, code: 'NOT_FOUND' }, 'refused', 404],
    [{ kind: 'refuse', status: 400, code: 'INVALID_PARAMETER', field: 'customer_no' }, 'refused', 400],
    [{ kind: 'refuse', status: 409, code: 'NO_CUSTOMER' }, 'conflict', 409],
    [{ kind: 'refuse', status: 404, code: 'NOT_AVAILABLE_YET' }, 'turned_away', 404],
    [{ kind: 'refuse', status: 412, code: 'NO_CUSTOMER' }, 'unclear', 412],
  ] as const)('is answered %o: %s', async (fault, finding, status) => {
    const { findings, proposal } = await (await startProbing({ faults: [forUnknown(fault)] })).ask(...ONE)
    expect(findings.unknownCustomer).toMatchObject({ finding, status, identifier: fault.code })
    // What a mandate gets that does not exist says nothing of one that does.
    expect(proposal.outcomes).toEqual({})
  })

  it('that the list knows is not sent anything', async () => {
    const there = await startProbing()
    await there.ask(...ONE)
    const { findings } = await there.ask('--customer', '1002', '--unknown-customer', '1001')
    expect(findings.unknownCustomer.finding).toBe('not_asked')
    expect(findings.readBack.unknownCustomer).toBe('known')
  })

  it('has a list, or none', async () => {
    const answer = { kind: 'answer', status: 404, body: { status: 'NOT_FOUND', data: {} } } as const
    const faults: FaultRuleInput[] = [
      { operation: 'read_back', match: { customer_no: UNKNOWN }, fault: answer },
    ]
    const { findings } = await (await startProbing({ faults })).ask(...ONE)
    expect(findings.readBack).toMatchObject({ finding: 'available', unknownCustomer: 'missing' })
  })
})

describe('the same mandate twice', () => {
  it('refused without the word that it exists proposes that this status is in doubt', async () => {
    const faults: FaultRuleInput[] = [
      { operation: 'migrate', match: { request: 2 }, fault: { kind: 'refuse', status: 422, code: 'TWICE' } },
    ]
    const { findings, proposal } = await (await startProbing({ faults })).ask(...ONE)
    expect(findings.duplicate).toMatchObject({
      finding: 'refused',
      status: 422,
      identifier: 'TWICE',
      held: 'one',
    })
    expect(proposal.outcomes).toEqual({ '422': 'in_doubt' })
  })

  it('is asked with another mandate where the answer is lost, whether it was registered or not', async () => {
    for (const applied of [true, false]) {
      const faults: FaultRuleInput[] = [
        { operation: 'migrate', match: { request: 2 }, fault: { kind: 'reset', applied } },
      ]
      const there = await startProbing({ faults, choices: { repeatedMandate: 'conflict' } })
      const document = await there.ask(...ONE)
      expect(document.findings.duplicate).toMatchObject({ finding: 'conflict', answered: 1, held: 'one' })
      expectNamed(there.sandbox, document)
    }
  })

  it('is not known where every answer is lost, and what is there twice is named with both ids', async () => {
    const faults: FaultRuleInput[] = [
      { operation: 'migrate', match: { request: [2, 4, 6] }, fault: { kind: 'cut', applied: true } },
    ]
    const there = await startProbing({ faults })
    const document = await there.ask(...ONE)
    expect(document.findings.duplicate).toMatchObject({ finding: 'not_known', answered: 0 })
    expect([document.open, document.exitCode, document.proposal.outcomes]).toEqual([['duplicate'], 5, {}])
    expect(document.mandates.slice(0, 3).map(({ ids }) => ids.length)).toEqual([2, 2, 2])
    expectNamed(there.sandbox, document)
  })

  it.each([500, 503])(
    'answered with %i each time is not known, with the status that was seen',
    async (status) => {
      const fault = { kind: 'server_error', status } as const
      const faults: FaultRuleInput[] = [{ operation: 'migrate', match: { request: [2, 4, 6] }, fault }]
      const { findings, proposal } = await (await startProbing({ faults })).ask(...ONE)
      expect(findings.duplicate).toMatchObject({ finding: 'not_known', status })
      expect(proposal.outcomes).toEqual({})
    },
  )
})

describe('limits', () => {
  it('that are met end the burst, with what the service asks to be waited', async () => {
    const faults: FaultRuleInput[] = [
      { operation: 'read_back', match: { every: 21 }, fault: { kind: 'throttle', retry_after: 7 } },
    ]
    const there = await startProbing({ faults })
    const { findings } = await there.ask(...ONE)
    expect(findings.limits).toMatchObject({ finding: 'met', retryAfterMs: 7_000 })
    expect(findings.limits.throttledAt).toBeLessThan(22)
    expect(there.sandbox.requests().received.read_back).toBeLessThan(45)
  })

  it('are named by the headers of the service, and a mandate that is turned away is sent once it is allowed', async () => {
    const headers = { 'x-ratelimit-limit': '100', 'ratelimit-policy': '100;w=60' }
    const listing = { kind: 'answer', status: 204, headers } as const
    const faults: FaultRuleInput[] = [
      { operation: 'migrate', match: { request: 1 }, fault: { kind: 'throttle', retry_after: 2 } },
      { operation: 'read_back', match: { request: 1 }, fault: listing },
      { operation: 'read_back', match: { request: [20, 21] }, fault: listing },
    ]
    const there = await startProbing({ faults })
    const { findings, exitCode } = await there.ask(...ONE)
    expect(findings.limits).toMatchObject({ finding: 'met', throttledPosts: 1, throttledAt: null, headers })
    expect(findings.duplicate.finding).toBe('second_mandate')
    expect(exitCode).toBe(0)
  })
})

describe('chaos', () => {
  /** Findings that are neither true nor open, and those that are open. */
  async function play(seed: number): Promise<{ lies: readonly string[]; open: readonly string[] }> {
    const chosen = EVERY_CHOICE[(seed * 7) % EVERY_CHOICE.length]!
    const there = await startProbing({ ...sandboxOf(chosen), seed, chaos: 0.25 })
    const { findings, proposal, mandates, open } = await there.ask(...TWO, '--timeout', '1')
    const truth = truthOf(chosen)
    const lies: string[] = []
    const tell = (what: string, said: unknown): void =>
      void lies.push(`seed ${seed}: ${what} ${JSON.stringify(said)}`)
    for (const name of ['duplicate', 'secondMandate', 'unknownCustomer', 'wrongAccount'] as const) {
      const told = ['not_known', 'not_asked'].includes(findings[name].finding) ? {} : truth[name]
      if (!isLike(findings[name], told)) tell(name, findings[name])
    }
    const words: [string, string, readonly string[]][] = [
      ['held', findings.duplicate.held, [truth.held, 'not_known', 'not_asked']],
      ['readBack', findings.readBack.finding, [truth.readBack, 'not_known', 'not_asked', 'not_shown']],
      ['delay', findings.delay.finding, [truth.delay, 'not_known', 'not_asked', 'not_within']],
      ['proposed', String(proposal.readBack), [String(truth.readBack === 'available'), 'null']],
      ['outcomes', JSON.stringify(proposal.outcomes), ['{}', JSON.stringify(truth.outcomes)]],
    ]
    for (const [what, said, allowed] of words) if (!allowed.includes(said)) tell(what, said)
    const named = new Set(mandates.map(({ reference }) => reference))
    for (const { amendment } of there.sandbox.mandates())
      if (!named.has(amendment.unique_mandate_reference))
        tell('not named', amendment.unique_mandate_reference)
    return { lies, open }
  }

  const allOpen: string[] = []

  it.each([1, 13, 25])('never makes it say what is not so: a dozen seeds from %i', async (from) => {
    const played = await Promise.all(Array.from({ length: 12 }, (_, n) => play(from + n)))
    expect(played.flatMap(({ lies }) => lies)).toEqual([])
    allOpen.push(...played.flatMap(({ open }) => open))
  })

  it('leaves few questions open, since a lost answer is asked for again', () => {
    expect(allOpen.length).toBeGreaterThan(0)
    expect(allOpen.length).toBeLessThan(36 * 2)
  })
})

describe('nothing is sent', () => {
  it.each([
    [[], /needs an existing customer/],
    [['--customer', 'x'], /"x" is not a customer number/],
    [['--customer', '9007199254740993'], /is not a customer number/],
    [['--customer', 'DE89370400440532013000'], /"DE…3000" is not a customer number/],
    [[...ONE, ...ONE], /each once/],
    [Array.from({ length: 6 }, (_, n) => ['--customer', String(n + 1)]).flat(), /at most 5 customers/],
    [[...ONE, '--unknown-customer', '1001'], /cannot be both/],
    [[...ONE, '--wait', 'long'], /Cannot read --wait/],
  ])('for %j', async (argv, message) => {
    const there = await startProbing()
    const { exitCode, errors } = await there.ask(...argv)
    expect(exitCode).toBe(2)
    expect(errors[0]?.message).toMatch(message)
    expect(`${errors[0]?.message ?? ''} ${errors[0]?.next ?? ''}`).toContain('nothing was sent')
    expect(there.sandbox.requests().received).toMatchObject({ migrate: 0, read_back: 0 })
  })

  it('elsewhere without a terminal and without --yes, nor to an address that nobody typed', async () => {
    const there = await startProbing()
    const elsewhere = async (base: readonly string[], ...argv: string[]) => {
      there.world.printed.stderr = ''
      const env = { ...there.world.env, SEPA_MIGRATE_BASE_URL: 'https://service.example' }
      const world = { ...there.world, env }
      const status = await main(['probe', ...base, ...ONE, ...argv], commands, world)
      return [status, there.world.printed.stderr] as const
    }
    const typed = ['--base-url', 'https://test.example']
    expect(await elsewhere(typed)).toEqual([
      2,
      'Error: Sending to "test.example" needs a confirmation, and there is no terminal to ask on\n' +
        '  To do: Pass --yes when the target is right; nothing was sent\n',
    ])
    const [status, told] = await elsewhere([], '--yes')
    expect(status).toBe(2)
    expect(told).toContain('has to be typed')
    expect(told).toContain('nothing was sent')
  })

  it('to the host of a campaign, with --yes and another path too', async () => {
    const there = await startProbing()
    const file = join(there.world.stateFolder, 'campaigns.jsonl')
    mkdirSync(there.world.stateFolder, { mode: 0o700 })
    const line = {
      baseUrl: 'https://service.example',
      ledgerId: 'x',
      ledger: '/march.db',
      run: 1,
      sources: [],
    }
    writeFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    const address = 'https://service.example/test'
    const argv = ['probe', '--base-url', address, ...ONE, '--yes', '--json']
    const status = await main(argv, commands, there.world)
    const { errors } = JSON.parse(there.world.printed.stdout) as Document
    expect([status, errors[0]?.message]).toEqual([
      2,
      'A campaign was sent to "service.example" from the ledger "/march.db", so made-up mandates are not sent there; nothing was sent',
    ])
  })

  it('with a password that the service does not take', async () => {
    const env = { SEPA_MIGRATE_USERNAME: 'sandbox', SEPA_MIGRATE_PASSWORD: 'another' }
    const there = await startProbing({ change: () => ({ env }) })
    const { exitCode, ended, mandates } = await there.ask(...ONE)
    expect([exitCode, ended, mandates]).toEqual([6, 'credentials', []])
    expect(there.sandbox.mandates()).toEqual([])
    expect(there.sandbox.requests().received.migrate).toBe(0)
  })

  it('where nobody listens', async () => {
    const there = await startProbing()
    await there.sandbox.close()
    const { exitCode, ended, mandates, findings } = await there.ask(...ONE)
    expect([exitCode, ended, mandates]).toEqual([5, 'no_connection', []])
    expect(findings.readBack.finding).toBe('not_asked')
  })
})

/** Signals that a test gives. */
function signalled() {
  const [drain, abort] = [new AbortController(), new AbortController()]
  const exitStatus = (): number | null => (drain.signal.aborted ? 130 : null)
  const change = (): Partial<World> => ({
    signals: { drain: drain.signal, abort: abort.signal, exitStatus },
  })
  return { drain, abort, change }
}

describe('Ctrl-C', () => {
  it.each([1, 2, 3, 4, 5, 7, 8, 9, 40])(
    'while request %i is under way ends it there, and names what was registered',
    async (n) => {
      const { drain, change } = signalled()
      let [requests, posts] = [0, 0]
      const log = (line: string): void => {
        if (line.startsWith('POST') && drain.signal.aborted) posts += 1
        requests += 1
        if (requests === n) drain.abort()
      }
      const there = await startProbing({ change, log })
      const document = await there.ask(...ONE)
      expect([document.exitCode, document.ended]).toEqual([130, 'signal'])
      expect(posts).toBe(0)
      expect(document.errors[0]).toMatchObject({ kind: 'interrupted' })
      const held = there.sandbox.mandates().map((mandate) => mandate.unique_mandate_reference)
      expect(document.mandates.flatMap(({ assigned }) => assigned).toSorted()).toEqual(held.toSorted())
    },
  )

  it('twice gives up an answer that does not come, and says that its mandate may be registered', async () => {
    const { drain, abort, change } = signalled()
    const log = (line: string): void => {
      if (!line.startsWith('fault hang')) return
      drain.abort()
      abort.abort()
    }
    const faults: FaultRuleInput[] = [{ operation: 'migrate', fault: { kind: 'hang', applied: true } }]
    const there = await startProbing({ change, log, faults })
    const { exitCode, mandates } = await there.ask(...ONE)
    expect(exitCode).toBe(130)
    expect(mandates).toMatchObject([{ certainty: 'may_be', assigned: [], ids: [] }])
    expect(there.sandbox.mandates()).toHaveLength(1)
  })
})

describe('what is written', () => {
  it('holds no account number, not of the wrong account either, in any form of output', async () => {
    const there = await startProbing({ choices: { ibanCheck: 'none' } })
    const proposal = join(there.folder, 'proposal.yaml')
    expect(await there.run(...TWO, '--to', proposal)).toBe(0)
    await there.ask('--customer', '1003')
    const { stdout, stderr } = there.world.printed
    const accounts = there.sandbox.mandates().map(({ iban }) => iban)
    expect(accounts.length).toBeGreaterThan(8)
    for (const text of [stdout, stderr, readFileSync(proposal, 'utf8')]) {
      expect(text).not.toMatch(/DE\s?\d{2}\s?0000/)
      for (const iban of accounts) expect(text).not.toContain(iban.slice(4, 18))
    }
    expect(stderr).toContain('Sending PROBE-')
    expect(stdout).not.toContain('of the test')
  })

  it('is a proposal for its owner alone, and never over an existing file: then nothing is sent', async () => {
    const there = await startProbing({ choices: { repeatedMandate: 'conflict' } })
    const file = join(there.folder, 'proposal.yaml')
    const { files } = await there.ask(...ONE, '--to', file)
    expect(files).toEqual({ proposal: file })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('service:\n')
    expect(text).toContain("  '409': in_doubt\n")
    const before = there.sandbox.requests().received
    const again = await there.ask(...ONE, '--to', file)
    expect([again.exitCode, again.errors[0]?.message]).toEqual([
      2,
      expect.stringContaining('is not overwritten'),
    ])
    expect(there.sandbox.requests().received).toEqual(before)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('is on the screen where its file cannot be written any more', async () => {
    const there = await startProbing()
    const file = join(there.folder, 'proposal.yaml')
    let isTaken = false
    const after: World['after'] = (delayMs, wake) => {
      if (!isTaken) writeFileSync(file, 'taken\n', { mode: 0o600 })
      isTaken = true
      return there.world.after(delayMs, wake)
    }
    const other = await startProbing({ change: () => ({ after }) })
    const document = await other.ask(...ONE, '--to', file)
    expect(document.warnings).toEqual([expect.stringContaining('The proposal was not written')])
    expect([document.files, document.proposal.readBack]).toEqual([{}, true])
    expect(readFileSync(file, 'utf8')).toBe('taken\n')
  })

  it('warns of a configuration that calls the answer to a duplicate refused', async () => {
    const there = await startProbing({ choices: { repeatedMandate: 'conflict' } })
    const config = join(there.folder, 'sepa-migrate.yaml')
    writeFileSync(config, "outcomes: { '409': refused }\n", { mode: 0o600 })
    const { warnings, findings } = await there.ask(...ONE, '--config', config)
    expect(findings.duplicate.finding).toBe('conflict')
    expect(warnings).toEqual([expect.stringContaining('409')])
  })

  it('makes no ledger and no register', async () => {
    const there = await startProbing()
    await there.ask(...ONE)
    expect(existsSync(join(there.folder, 'state'))).toBe(false)
  })
})
