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
import { seedChance } from '../../support/chance.js'
import { IBAN, registered, send } from '../../ledger/campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import {
  approve,
  change,
  decide,
  emptyCampaign,
  forge,
  kindsFound,
  prove,
  provenPack,
  rechain,
  sign,
  SIGNER,
  STRANGER,
  type Campaign,
} from './packs.js'

const SEED = Number(process.env['PACK_SEED'] ?? 7)
const BYTES = 300

const linesOf = (text: string): string[] => text.trimEnd().split('\n')
const withoutLine =
  (at: number) =>
  (text: string): string =>
    `${linesOf(text).toSpliced(at, 1).join('\n')}\n`
const swapped = (text: string): string => {
  const [header = '', one = '', other = '', ...lines] = linesOf(text)
  return `${[header, other, one, ...lines].join('\n')}\n`
}

interface Manifest {
  readonly changedAt: string
  readonly campaign: object
  readonly plans: readonly { readonly approvals: readonly object[]; readonly [name: string]: unknown }[]
  readonly files: readonly { readonly name: string }[]
}

const forgeManifest = (out: string, how: (manifest: Manifest) => object): void =>
  forge(out, { 'manifest.json': (text) => JSON.stringify(how(JSON.parse(text) as Manifest)) })

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
    await write(null)
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

describe('a tampering is found by the manifest alone, and named', () => {
  const inManifest = (from: string, to: string) => (out: string) =>
    change(out, 'manifest.json', (text) => text.replace(from, to))
  const removed = (name: string) => (out: string) => rmSync(join(out, name))
  const TAMPERINGS: readonly [what: string, tamper: (out: string) => unknown, kind: string, file: string][] =
    [
      [
        'a decision is taken out',
        (out) => change(out, 'decisions.csv', withoutLine(2)),
        'changed',
        'decisions.csv',
      ],
      ['a file is emptied', (out) => writeFileSync(join(out, 'report.html'), ''), 'changed', 'report.html'],
      ['a file is removed', removed('problems.csv'), 'missing', 'problems.csv'],
      ['a file is a link to its copy', linked, 'missing', 'summary.json'],
      ['a file has another name', renamed, 'missing', 'registered.csv'],
      [
        'it names a file elsewhere',
        inManifest('"summary.json"', '"../../etc/passwd"'),
        'not_named',
        '../../etc/passwd',
      ],
      ['it no longer names a file, which is gone', forgotten, 'not_named', 'problems.csv'],
      [
        'it names a file twice',
        (out) => forgeManifest(out, ({ files, ...others }) => ({ ...others, files: [...files, ...files] })),
        'not_named',
        'report.html',
      ],
      [
        'it says something else',
        inManifest('"migration"', '"migrated"'),
        'manifest_changed',
        'manifest.json',
      ],
      ['it loses a key', inManifest('"changedAt"', '"changed"'), 'manifest_changed', 'manifest.json'],
      ['it is of another ledger', mixed, 'changed', 'registered.csv'],
    ]
  function linked(out: string): void {
    const elsewhere = join(freshFolder(), 'summary.json')
    renameSync(join(out, 'summary.json'), elsewhere)
    symlinkSync(elsewhere, join(out, 'summary.json'))
  }
  function renamed(out: string): void {
    renameSync(join(out, 'registered.csv'), join(out, 'registered (1).csv'))
  }
  function forgotten(out: string): void {
    const files = ({ name }: { name: string }): boolean => name !== 'problems.csv'
    forgeManifest(out, (manifest) => ({ ...manifest, files: manifest.files.filter(files) }))
    removed('problems.csv')(out)
  }
  async function mixed(out: string): Promise<void> {
    const other = emptyCampaign()
    await other.write()
    cpSync(join(other.out, 'manifest.json'), join(out, 'manifest.json'))
  }

  it.each(TAMPERINGS)('%s', async (_, tamper, kind, file) => {
    const { out } = await provenPack()
    await tamper(out)
    const { discrepancies } = await prove(out)
    expect(discrepancies).toContainEqual(expect.objectContaining({ kind, file }))
    const words = discrepancies.map(({ message, next }) => `${message} ${next}`).join('\n')
    expect(words).not.toContain(IBAN)
    if (existsSync(join(out, 'registered (1).csv'))) expect(words).toContain('"registered (1).csv"')
  })
})

/** What is altered, with every hash of the manifest and of the chain made anew. */
const inFile = (name: string, from: string, to: string) => (out: string) =>
  forge(out, { [name]: (text) => text.replace(from, to) })
const inManifest = (how: (manifest: Manifest) => object) => (out: string) =>
  forgeManifest(out, (manifest) => ({ ...manifest, ...how(manifest) }))
const both =
  (...parts: readonly ((out: string) => void)[]) =>
  (out: string): void => {
    for (const part of parts) part(out)
  }
const inPage = inFile('report.html', '</h1>', '.</h1>')
const FORGERIES: readonly [what: string, forging: (out: string) => void, file: string][] = [
  ['a reason', reasoned, 'decisions.csv'],
  ['a word of the page', inPage, 'report.html'],
  ['a byte of the workbook', forgeWorkbook, 'reconciliation.xlsx'],
  ['a finding', (out) => forge(out, { 'problems.csv': (text) => `${text.trim()} \n` }), 'problems.csv'],
  ['a total', inFile('summary.json', '"read": 11', '"read": 12'), 'summary.json'],
  ['an identifier', inFile('registered.csv', '"NEW-1"', '"NEW-9"'), 'registered.csv'],
  ['the order of rows', (out) => forge(out, { 'registered.csv': swapped }), 'registered.csv'],
  [
    'the last decision',
    both((out) => change(out, 'decisions.csv', withoutLine(3)), rechain),
    'decisions.csv',
  ],
  [
    'a reason under an invented purge',
    both(
      reasoned,
      inManifest((manifest) => ({ campaign: { ...manifest.campaign, purgedAt: earlier(manifest) } })),
    ),
    'decisions.csv',
  ],
  [
    'the page, a moment earlier',
    both(
      inPage,
      inManifest((manifest) => ({ changedAt: earlier(manifest) })),
    ),
    'decisions.csv',
  ],
  [
    'the page, by an invented version',
    both(
      inPage,
      inManifest(() => ({ version: '0.0.9' })),
    ),
    'manifest.json',
  ],
  [
    'the page, by a run that never was',
    both(
      inPage,
      inManifest(() => ({ changedWhileReading: true })),
    ),
    'manifest.json',
  ],
  [
    'who approved',
    inManifest(({ plans: [plan] }) => ({
      plans: [{ ...plan, approvals: plan?.approvals.map((one) => ({ ...one, approvedBy: 'Eve' })) }],
    })),
    'manifest.json',
  ],
  [
    'an approval that is gone',
    inManifest(({ plans: [plan] }) => ({ plans: [{ ...plan, approvals: [] }] })),
    'manifest.json',
  ],
  ['a plan that was doubled', inManifest(({ plans }) => ({ plans: [...plans, ...plans] })), 'manifest.json'],
]

function reasoned(out: string): void {
  change(out, 'decisions.csv', (text) => text.replace('not in the list', 'on the paper list'))
  rechain(out)
}

const earlier = ({ changedAt }: Manifest): string => new Date(Date.parse(changedAt) - 1).toISOString()

function forgeWorkbook(out: string): void {
  const path = join(out, 'reconciliation.xlsx')
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(path, bytes)
  forge(out, {})
}

describe('a pack that was made anew as a whole', () => {
  it.each(FORGERIES)('is missed by itself, and found by the ledger: %s', async (_, forging, file) => {
    const { ledger, out } = await provenPack()
    rmSync(join(out, 'manifest.sig'))
    forging(out)
    expect(await kindsFound(out)).toEqual([])
    const { discrepancies } = await prove(out, { ledger: ledger.file })
    expect(discrepancies.map((found) => found.file)).toContain(file)
  })

  it('is found by key, or by the signature that was left', async () => {
    const { out } = await provenPack()
    reasoned(out)
    expect(await kindsFound(out)).toEqual(['signature_changed'])
    rmSync(join(out, 'manifest.sig'))
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_missing'])
    sign(out, STRANGER.privateKey)
    expect(await kindsFound(out)).toEqual([])
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_of_another_key'])
  })
})

describe('beside a ledger that has moved on', () => {
  /** As much as can happen to a ledger behind a pack. */
  async function movedOn({ ledger, clock }: Campaign): Promise<void> {
    clock.advance(60_000)
    await send(ledger, registered('NEW-10'))
    decide(ledger, 7, 'written_off', 'gave up')
    approve(ledger, ledger.view.plans()[0]?.digest ?? '', 'Edsger')
  }

  it('what was registered, decided and approved then still holds', async () => {
    const campaign = await provenPack()
    await movedOn(campaign)
    expect(await prove(campaign.out, { ledger: campaign.ledger.file })).toMatchObject({
      discrepancies: [],
      ledger: 'moved_on',
    })
  })

  const COMPARED = FORGERIES.filter(([what]) => !/page|workbook|finding|total|that is gone/.test(what))
  it.each(COMPARED)('a forgery is found all the same: %s', async (_, forging, file) => {
    const campaign = await provenPack()
    rmSync(join(campaign.out, 'manifest.sig'))
    forging(campaign.out)
    await movedOn(campaign)
    const { discrepancies } = await prove(campaign.out, { ledger: campaign.ledger.file })
    expect(discrepancies.map((found) => found.file)).toContain(file)
  })

  it('that was purged since, only the words that went are passed over', async () => {
    const { ledger, clock, out, write } = await provenPack()
    decide(ledger, 7, 'written_off', 'gave up')
    for (const reference of ['NEW-10', 'NEW-11']) await send(ledger, registered(reference))
    await write(null)
    clock.advance(60_000)
    ledger.purge({ by: 'Ada', reason: 'signed off', withOpenRows: true })
    expect(await prove(out, { ledger: ledger.file })).toMatchObject({ discrepancies: [], ledger: 'moved_on' })
    change(out, 'decisions.csv', (text) => text.replace('"Ada Example"', '"Eve Example"'))
    rechain(out)
    expect(await kindsFound(out, { ledger: ledger.file })).toEqual(['ledger_differs'])
  })

  it('by a run that ended behind the moment that the pack names', async () => {
    const { ledger, clock, out, write } = await provenPack()
    clock.advance(60_000)
    ledger.endRun(1, { stoppedBy: null, exitCode: 0 })
    await write(null)
    forgeManifest(out, (manifest) => ({ ...manifest, changedAt: earlier(manifest) }))
    const { discrepancies } = await prove(out, { ledger: ledger.file })
    expect(discrepancies.map(({ file }) => file)).toContain('summary.json')
  })
})

describe('beside a ledger that cannot have written it, nothing more is compared', () => {
  it('of another campaign', async () => {
    const { out } = await provenPack()
    const other = await provenPack()
    expect(await prove(out, { ledger: other.ledger.file })).toMatchObject({
      discrepancies: [{ kind: 'other_ledger' }],
      ledger: 'another',
    })
  })

  it('that is older', async () => {
    const { ledger, clock, out, write } = await provenPack()
    const copy = join(freshFolder(), 'older.db')
    cpSync(ledger.file, copy)
    cpSync(`${ledger.file}-wal`, `${copy}-wal`)
    openLedgerReader(copy).close()
    clock.advance(60_000)
    decide(ledger, 7, 'written_off', 'gave up')
    await write()
    expect(await prove(out, { ledger: copy })).toMatchObject({
      discrepancies: [{ kind: 'ledger_differs' }],
      ledger: 'behind',
    })
  })
})

describe('what is no pack', () => {
  it.each([
    ['a folder that is not there', (out: string) => rmSync(out, { recursive: true })],
    ['one without a manifest', (out: string) => rmSync(join(out, 'manifest.json'))],
    ['a manifest that is not JSON', (out: string) => change(out, 'manifest.json', (text) => text.slice(1))],
  ])('%s is told, with what to do', async (_, spoil) => {
    const { out } = await provenPack()
    spoil(out)
    const error: unknown = await prove(out).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SourceError)
    expect((error as SourceError).message).toContain(`Cannot verify "${out}"`)
    expect((error as SourceError).next).toMatch(/report/)
  })
})
