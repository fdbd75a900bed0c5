import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../../../src/errors.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { PACK_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { provePack } from '../../../src/report/proof/prove-pack.js'
import { signText } from '../../../src/trust/signature.js'
import {
  admit,
  IBAN,
  inDoubt,
  open,
  refused,
  registered,
  send,
  SETTINGS,
  stoppedClock,
} from '../../ledger/campaign-setup.js'
import { recorded } from '../../ledger/plan/approvals.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { seedChance } from '../../support/chance.js'
import { freshFolder } from '../../support/folder.js'
import { many } from '../ledger-value.js'

const SIGNER = generateKeyPairSync('ed25519')
const STRANGER = generateKeyPairSync('ed25519')

function emptyCampaign() {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  const out = join(freshFolder(), 'pack')
  const write = (signWith?: typeof SIGNER.privateKey) =>
    writeReport(ledger.file, signWith === undefined ? { out } : { out, signWith })
  return { ledger, clock, out, write }
}
type Campaign = ReturnType<typeof emptyCampaign>
type Ledger = Campaign['ledger']

/** Rows of every list, from two sources, a plan with its approval and three decisions; the report of it, signed. */
async function provenPack(): Promise<Campaign> {
  const campaign = emptyCampaign()
  const { ledger, clock } = campaign
  const row = (n: number) => ({ reference: `M-${n}`, customerNo: 1000 + n })
  const held = [
    { ...row(8), verdict: 'invalid', mandateKey: null } as const,
    { ...row(9), verdict: 'excluded' } as const,
  ]
  admit(ledger, [...many(7, row), ...held], { name: 'first.csv', sha256: '1'.repeat(64) })
  const second = [1, 2].map((n) => ({ reference: `N-${n}`, customerNo: 2000 + n }))
  admit(ledger, second, { name: 'second.csv', sha256: '2'.repeat(64) })
  const plan = planOf()
  ledger.plans.record(plan)
  approve(ledger, plan.digest, 'Grace')
  for (const outcome of [registered('NEW-1'), registered('NEW-2'), refused(), ...many(4, () => inDoubt())])
    await send(ledger, outcome)
  clock.advance(15 * 60_000)
  decide(ledger, 4, 'registered', 'shown on the telephone, "twice"', 'NEW-4')
  clock.advance(1_000)
  decide(ledger, 5, 'refused', 'not in the list; asked again')
  clock.advance(1_000)
  decide(ledger, 6, 'written_off', '=moved away')
  expect(await campaign.write(SIGNER.privateKey)).toMatchObject({ balanced: true, totals: ledger.totals() })
  return campaign
}

function approve(ledger: Ledger, digest: string, by: string): void {
  ledger.plans.approve(recorded(digest, { approvedBy: by }))
}

function decide(
  ledger: Ledger,
  rowId: number,
  decision: 'registered' | 'refused' | 'written_off',
  reason: string,
  mandateReference?: string,
): void {
  const assigned =
    mandateReference === undefined ? null : { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference }
  const resolution = { rowId, decision, reason, by: 'Ada Example', assigned, evidence: null, attempt: null }
  const { isApplied, results } = ledger.resolve([resolution], { dryRun: false })
  if (!isApplied) throw new Error(JSON.stringify(results))
}

interface Asked {
  readonly ledger?: string
  readonly key?: typeof SIGNER.publicKey
}

async function prove(folder: string, { ledger, key }: Asked = {}) {
  const reader = ledger === undefined ? null : openLedgerReader(ledger)
  try {
    return await provePack(folder, { key: key ?? null, ledger: reader })
  } finally {
    reader?.close()
  }
}

/** What was found, by kind; `no pack` where there is none to read. */
async function kindsFound(folder: string, asked: Asked = {}): Promise<string[]> {
  try {
    return (await prove(folder, asked)).discrepancies.map(({ kind }) => kind)
  } catch (error) {
    if (error instanceof SourceError) return ['no pack']
    throw error
  }
}

type Change = (text: string) => string

/** Byte for byte, so that an archive can be changed too. */
function change(folder: string, name: string, how: Change): void {
  const text = readFileSync(join(folder, name), 'latin1')
  const changed = how(text)
  if (changed === text) throw new Error(`The test did not change ${name}`)
  writeFileSync(join(folder, name), changed, 'latin1')
}

interface Manifest {
  readonly [name: string]: unknown
  readonly ledgerId: string
  readonly changedAt: string
  readonly campaign: object
  readonly plans: readonly { readonly approvals: readonly object[]; readonly [name: string]: unknown }[]
  readonly files: readonly { readonly name: string }[]
}
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** What somebody does who knows the program and changes a pack: every hash and total of the manifest is made anew. */
function forge(folder: string, changes: Readonly<Record<string, Change>>, parts: Forging = () => ({})): void {
  for (const [name, how] of Object.entries(changes)) change(folder, name, how)
  const manifest = manifestIn(folder)
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>
  const files = manifest.files.map(({ name }) => {
    const bytes = readFileSync(join(folder, name))
    return { name, bytes: bytes.length, sha256: sha256(bytes) }
  })
  const { totals, notTaken } = summary
  const content = { ...{ ...manifest, files, totals, notTaken }, ...parts({ ...manifest, files }) }
  writeFileSync(join(folder, 'manifest.json'), canonical(content))
}
type Forging = (manifest: Manifest) => object
const forgeManifest = (out: string, how: Forging): void => forge(out, {}, how)

const SEED = Number(process.env['PACK_SEED'] ?? 7)
const BYTES = 300

/** These lines, counted from the header, in this order. */
const linesAt =
  (...places: readonly number[]): Change =>
  (text) =>
    text
      .trimEnd()
      .split('\n')
      .reduce((all, _, at, own) => (places[at] === undefined ? all : `${all}${own[places[at]] ?? ''}\n`), '')

describe('a pack as it was written', () => {
  it('holds, by itself, beside its ledger and under its key', async () => {
    const { ledger, out } = await provenPack()
    expect(await prove(out)).toMatchObject({ count: 0, signature: 'whole', ledger: null, others: [] })
    const beside = readdirSync(dirname(ledger.file))
    expect(await prove(out, { ledger: ledger.file, key: SIGNER.publicKey })).toMatchObject({
      discrepancies: [],
      count: 0,
      rows: 11,
      decisions: 3,
      files: PACK_FILES.length - 1,
      signature: 'proven',
      ledger: 'unchanged',
    })
    expect(readdirSync(dirname(ledger.file))).toEqual(beside)
  })

  it('holds without a row, a decision or a signature', async () => {
    const { ledger, out, write } = emptyCampaign()
    await write()
    expect(await prove(out, { ledger: ledger.file })).toMatchObject({ count: 0, rows: 0, signature: 'none' })
  })

  it('holds beside a copy of the ledger under another name, whatever language and terms it was written in', async () => {
    const { ledger } = await provenPack()
    ledger.endRun(1, { stoppedBy: null, exitCode: 0 })
    ledger.close()
    const out = join(freshFolder(), 'pack')
    await writeReport(ledger.file, { out, language: 'sv', absentAfterMs: 1 })
    const copy = join(freshFolder(), 'copy.db')
    cpSync(ledger.file, copy)
    expect(await prove(out, { ledger: copy })).toMatchObject({ discrepancies: [], ledger: 'unchanged' })
  })

  it('holds where people work in its lists, or put something beside it, and names that', async () => {
    const { ledger, out } = await provenPack()
    change(out, 'to-do/in-doubt.csv', (text) => text.replace('"",""\n', '"","the service said so"\n'))
    writeFileSync(join(out, 'notes.txt'), 'to do')
    mkdirSync(join(out, 'report-2'))
    const found = await prove(out, { ledger: ledger.file })
    expect(found).toMatchObject({ count: 0, ledger: 'unchanged', others: ['notes.txt', 'report-2'] })
  })
})

describe(`any byte of any file of a pack (PACK_SEED=${SEED})`, () => {
  it(`is found: ${BYTES} of them changed, taken out or put in`, async () => {
    const { out } = await provenPack()
    const chance = seedChance(SEED)
    const names = readdirSync(out).filter((name) => name !== 'to-do')
    expect(names.sort()).toEqual([...PACK_FILES, 'manifest.sig'].sort())
    const missed: string[] = []
    for (let n = 0; n < BYTES; n += 1) {
      const name = names[n % names.length] ?? '' // each file, as often
      const path = join(out, name)
      const bytes = readFileSync(path)
      const at = chance.between(0, bytes.length - 1)
      const other = ((bytes[at] ?? 0) + chance.between(1, 255)) % 256
      const how = chance.pick(['change', 'remove', 'insert'] as const)
      const tampered = [...bytes]
      if (how === 'insert') tampered.splice(at, 0, other)
      else tampered.splice(at, 1, ...(how === 'change' ? [other] : []))
      writeFileSync(path, Buffer.from(tampered))
      if ((await kindsFound(out)).length === 0) missed.push(`${name} ${how} at ${at}`)
      writeFileSync(path, bytes)
    }
    expect(missed).toEqual([])
    expect(await kindsFound(out)).toEqual([])
  }, 120_000)
})

describe('a tampering is found by the manifest and its signature, and named', () => {
  const inManifest = (from: string, to: string) => (out: string) =>
    change(out, 'manifest.json', (text) => text.replace(from, to))
  function linked(out: string): void {
    const elsewhere = join(freshFolder(), 'summary.json')
    renameSync(join(out, 'summary.json'), elsewhere)
    symlinkSync(elsewhere, join(out, 'summary.json'))
  }
  function renamed(out: string): void {
    renameSync(join(out, 'registered.csv'), join(out, 'registered (1).csv'))
  }
  function forgotten(out: string): void {
    forgeManifest(out, ({ files }) => ({ files: files.filter(({ name }) => name !== 'problems.csv') }))
    rmSync(join(out, 'problems.csv'))
  }

  it.each<[string, (out: string) => unknown, kind: string, file: string]>([
    ['one is gone', (out) => change(out, 'decisions.csv', linesAt(0, 1, 3)), 'changed', 'decisions.csv'],
    ['a file is removed', (out) => rmSync(join(out, 'problems.csv')), 'missing', 'problems.csv'],
    ['a file is a link to its copy', linked, 'missing', 'summary.json'],
    ['a file has another name', renamed, 'missing', 'registered.csv'],
    ['it names a file elsewhere', inManifest('"summary.json"', '"../x"'), 'not_named', '../x'],
    ['it no longer names a file, which is gone', forgotten, 'not_named', 'problems.csv'],
    ['it says something else', inManifest('"migration"', '"moved"'), 'signature_changed', 'manifest.sig'],
    ['it loses a key', inManifest('"changedAt"', '"changed"'), 'manifest_changed', 'manifest.json'],
    ['it is no JSON', inManifest('{', ''), 'manifest_changed', 'manifest.json'],
  ])('%s', async (_, tamper, kind, file) => {
    const { out } = await provenPack()
    await tamper(out)
    const { discrepancies, others } = await prove(out)
    expect(discrepancies).toContainEqual(expect.objectContaining({ kind, file }))
    const words = discrepancies.map(({ message, next }) => `${message} ${next}`).join('\n')
    expect(words).not.toContain(IBAN)
    if (existsSync(join(out, 'registered (1).csv'))) expect(others).toContain('registered (1).csv')
  })
})

/** What is altered, with every hash of the manifest made anew. */
const inFile = (name: string, how: Change) => (out: string) => forge(out, { [name]: how })
const inPage = (how: Forging) => (out: string) =>
  forge(out, { 'report.html': (text) => text.replace('</h1>', '.</h1>') }, how)
const inDecisions = (how: Change) => (out: string) => {
  forge(out, { 'decisions.csv': how })
}
const reasoned = inDecisions((text) => text.replace('not in the list', 'on the paper list'))
const inPlans = (how: (plans: Manifest['plans']) => Manifest['plans']) => (out: string) =>
  forgeManifest(out, ({ plans }) => ({ plans: how(plans) }))
const earlier = ({ changedAt }: Manifest): string => new Date(Date.parse(changedAt) - 1).toISOString()

/** By the file in which the ledger shows them. */
const FORGED: readonly (readonly [file: string, what: string, forging: (out: string) => void])[] = [
  ['decisions.csv', 'a reason', reasoned],
  ['decisions.csv', 'the last decision', inDecisions(linesAt(0, 1, 2))],
  [
    'decisions.csv',
    'a reason under an invented purge',
    (out) => {
      reasoned(out)
      forgeManifest(out, (from) => ({ campaign: { ...from.campaign, purgedAt: earlier(from) } }))
    },
  ],
  ['decisions.csv', 'the page, a moment earlier', inPage((from) => ({ changedAt: earlier(from) }))],
  ['report.html', 'a word of the page', inPage(() => ({}))],
  ['reconciliation.xlsx', 'a byte', inFile('reconciliation.xlsx', (text) => `${text} `)],
  ['problems.csv', 'a finding', inFile('problems.csv', (text) => `${text.trim()} \n`)],
  ['summary.json', 'a total', inFile('summary.json', (text) => text.replace('"read": 11', '"read": 12'))],
  ['registered.csv', 'a reference', inFile('registered.csv', (text) => text.replace('"NEW-1"', '"NEW-9"'))],
  ['registered.csv', 'the order of rows', inFile('registered.csv', linesAt(0, 2, 1, 3))],
  ['manifest.json', 'the page, by an invented version', inPage(() => ({ version: '0.0.9' }))],
  ['manifest.json', 'the page, by a run that never was', inPage(() => ({ changedWhileReading: true }))],
  [
    'manifest.json',
    'who approved',
    inPlans(([plan]) => {
      const approvals = plan?.approvals.map((one) => ({ ...one, approvedBy: 'Eve' })) ?? []
      return [{ ...plan, approvals }]
    }),
  ],
  ['manifest.json', 'an approval that is gone', inPlans(([plan]) => [{ ...plan, approvals: [] }])],
  ['manifest.json', 'a plan that was doubled', inPlans((plans) => [...plans, ...plans])],
]

describe('a pack that was made anew as a whole', () => {
  it.each(FORGED)('is not proven by itself, nor by the ledger: %s, %s', async (file, _, forging) => {
    const { ledger, out } = await provenPack()
    rmSync(join(out, 'manifest.sig'))
    forging(out)
    expect(await kindsFound(out)).toEqual([])
    const { discrepancies, notProven } = await prove(out, { ledger: ledger.file })
    expect([...discrepancies.map((found) => found.file), ...notProven]).toContain(file)
    expect((await prove(out)).notProven).toContain(file)
  })

  it('is found by key, or by the signature that was left', async () => {
    const { out } = await provenPack()
    reasoned(out)
    expect(await kindsFound(out)).toEqual(['signature_changed'])
    rmSync(join(out, 'manifest.sig'))
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_missing'])
    const manifest = readFileSync(join(out, 'manifest.json'), 'utf8')
    writeFileSync(join(out, 'manifest.sig'), signText(manifest, STRANGER.privateKey))
    expect(await kindsFound(out)).toEqual([])
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_of_another_key'])
  })
})

it('beside a ledger that has moved on nothing is compared: a signature proves it, or nothing', async () => {
  const { ledger, clock, out } = await provenPack()
  clock.advance(60_000)
  await send(ledger, registered('NEW-10'))
  const [then, key] = [{ ledger: ledger.file }, SIGNER.publicKey]
  const names = manifestIn(out).files.map(({ name }) => name)
  const notProven = ['manifest.json', ...names]
  expect(await prove(out, then)).toMatchObject({ discrepancies: [], ledger: 'moved_on', notProven })
  expect(await prove(out, { ...then, key })).toMatchObject({ discrepancies: [], notProven: [] })
})

describe('beside a ledger that cannot have written it, nothing more is compared', () => {
  it('of another campaign', async () => {
    const { out } = await provenPack()
    const other = await provenPack()
    const found = { discrepancies: [{ kind: 'other_ledger' }], ledger: 'not_compared' }
    expect(await prove(out, { ledger: other.ledger.file })).toMatchObject(found)
  })

  it('that is older', async () => {
    const { ledger, clock, out, write } = await provenPack()
    const copy = join(freshFolder(), 'older.db')
    cpSync(ledger.file, copy)
    cpSync(`${ledger.file}-wal`, `${copy}-wal`)
    openLedgerReader(copy).close()
    clock.advance(60_000)
    decide(ledger, 7, 'written_off', 'gave up')
    rmSync(join(out, 'manifest.sig'))
    await write()
    const found = { discrepancies: [{ kind: 'ledger_differs' }], ledger: 'not_compared' }
    expect(await prove(out, { ledger: copy })).toMatchObject(found)
  })
})

it.each([
  ['a folder that is not there', (out: string) => rmSync(out, { recursive: true })],
  ['one without a manifest', (out: string) => rmSync(join(out, 'manifest.json'))],
])('what is no pack %s is told, with what to do', async (_, spoil) => {
  const { out } = await provenPack()
  spoil(out)
  const error: unknown = await prove(out).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SourceError)
  expect((error as SourceError).message).toContain(`Cannot verify "${out}"`)
  expect((error as SourceError).next).toMatch(/report/)
})
