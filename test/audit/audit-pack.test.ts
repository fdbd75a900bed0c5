import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../../src/errors.js'
import { PACK_FILES } from '../../src/report/pack/pack.js'
import { admit, IBAN, registered, send } from '../ledger/campaign-setup.js'
import { seedChance } from '../e2e/simulation-chance.js'
import { freshFolder } from '../support/folder.js'
import {
  approve,
  audit,
  change,
  decide,
  emptyCampaign,
  forge,
  kindsFound,
  provenPack,
  rechain,
  sign,
  SIGNER,
  STRANGER,
  type Asked,
} from './packs.js'

const SEED = Number(process.env['PACK_SEED'] ?? 7)
const BYTES = 300

const linesOf = (text: string): string[] => text.trimEnd().split('\n')
const withoutLine =
  (at: number) =>
  (text: string): string =>
    `${linesOf(text).toSpliced(at, 1).join('\n')}\n`
const swapped =
  (one: number, other: number) =>
  (text: string): string => {
    const lines = linesOf(text)
    return `${lines
      .with(one, lines[other] ?? '')
      .with(other, lines[one] ?? '')
      .join('\n')}\n`
  }

interface Planned {
  readonly approvals: readonly object[]
  readonly [name: string]: unknown
}

const approvedBy = (plan: Planned | undefined, how: (approval: object) => object, times = 1): Planned => ({
  ...plan,
  approvals: Array.from({ length: times }, () => plan?.approvals ?? [])
    .flat()
    .map(how),
})

describe('a pack as it was written', () => {
  it('holds, by itself, beside its ledger and under its key', async () => {
    const { ledger, out } = await provenPack()
    expect(await audit(out)).toMatchObject({ count: 0, signature: 'whole', ledger: null, others: [] })
    expect(await audit(out, { ledger: ledger.file, key: SIGNER.publicKey })).toMatchObject({
      discrepancies: [],
      count: 0,
      rows: 11,
      decisions: 3,
      files: PACK_FILES.length - 1,
      signature: 'proven',
      ledger: 'unchanged',
    })
  })

  it('holds without a row, a decision or a signature', async () => {
    const { ledger, out, write } = emptyCampaign()
    await write(null)
    expect(await audit(out, { ledger: ledger.file })).toMatchObject({ count: 0, rows: 0, signature: 'none' })
  })

  it('holds beside what people put there, and names it', async () => {
    const { out } = await provenPack()
    writeFileSync(join(out, 'notes.txt'), 'to do')
    mkdirSync(join(out, 'report-2'))
    expect(await audit(out)).toMatchObject({ count: 0, others: ['notes.txt', 'report-2'] })
  })
})

describe(`any byte of any file of a pack (PACK_SEED=${SEED})`, () => {
  it(`is found: ${BYTES} of them changed, taken out or put in`, async () => {
    const { out } = await provenPack()
    const chance = seedChance(SEED)
    const names = readdirSync(out).sort()
    expect(names).toEqual([...PACK_FILES, 'manifest.sig'].sort())
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

/** Another campaign, whose pack looks like the first. */
async function another(): Promise<string> {
  return (await provenPack()).out
}

describe('a tampering is found and named', () => {
  const TAMPERINGS: readonly [what: string, tamper: (out: string) => unknown, kind: string, file: string][] =
    [
      [
        'a decision is taken out',
        (out) => change(out, 'decisions.csv', withoutLine(2)),
        'changed',
        'decisions.csv',
      ],
      [
        'a decision is taken out and the hashes of all files are made anew',
        (out) => forge(out, { 'decisions.csv': withoutLine(2) }),
        'chain_broken',
        'decisions.csv',
      ],
      [
        'the last decision is taken out, with new hashes',
        (out) => forge(out, { 'decisions.csv': withoutLine(3) }),
        'chain_broken',
        'decisions.csv',
      ],
      [
        'two decisions are swapped, with new hashes',
        (out) => forge(out, { 'decisions.csv': swapped(1, 2) }),
        'chain_broken',
        'decisions.csv',
      ],
      [
        'the manifest is that of another ledger',
        async (out) => cpSync(join(await another(), 'manifest.json'), join(out, 'manifest.json')),
        'other_ledger',
        'summary.json',
      ],
      [
        'manifest and decisions are those of another ledger, with new hashes',
        async (out) => {
          const other = await another()
          for (const name of ['manifest.json', 'decisions.csv', 'summary.json'])
            cpSync(join(other, name), join(out, name))
          forge(out, {})
        },
        'other_ledger',
        'refused.csv',
      ],
      [
        'a file is cut',
        (out) => change(out, 'registered.csv', (text) => text.slice(0, text.length / 2)),
        'changed',
        'registered.csv',
      ],
      [
        'the summary is no summary any more, with new hashes',
        (out) => forge(out, { 'summary.json': (text) => text.replace('"hashTotals"', '"noTotals"') }),
        'unreadable',
        'summary.json',
      ],
      ['a file is emptied', (out) => writeFileSync(join(out, 'report.html'), ''), 'changed', 'report.html'],
      ['a file is removed', (out) => rmSync(join(out, 'problems.csv')), 'missing', 'problems.csv'],
      [
        'a file is a link to its copy',
        (out) => {
          const elsewhere = join(freshFolder(), 'summary.json')
          renameSync(join(out, 'summary.json'), elsewhere)
          symlinkSync(elsewhere, join(out, 'summary.json'))
        },
        'missing',
        'summary.json',
      ],
      [
        'the manifest names a file elsewhere',
        (out) =>
          change(out, 'manifest.json', (text) =>
            text.replace('"name": "summary.json"', '"name": "../../etc/passwd"'),
          ),
        'not_named',
        '../../etc/passwd',
      ],
      [
        'the manifest no longer names a file, which is gone',
        (out) => {
          forge(out, {
            'manifest.json': (text) => {
              const manifest = JSON.parse(text) as { files: { name: string }[] }
              return JSON.stringify({
                ...manifest,
                files: manifest.files.filter(({ name }) => name !== 'refused.csv'),
              })
            },
          })
          rmSync(join(out, 'refused.csv'))
        },
        'not_named',
        'refused.csv',
      ],
      [
        'a row is moved from one list to another, with new hashes',
        (out) => {
          const [, row = ''] = linesOf(readFileSync(join(out, 'refused.csv'), 'utf8'))
          forge(out, {
            'refused.csv': withoutLine(1),
            'corrections.csv': (text) => `${text}${row}\n`,
          })
        },
        'totals_differ',
        'refused.csv',
      ],
      [
        'a row stands in two lists, with new hashes',
        (out) => {
          const [, row = ''] = linesOf(readFileSync(join(out, 'refused.csv'), 'utf8'))
          forge(out, { 'not-sent.csv': (text) => `${text}${row}\n` })
        },
        'row_twice',
        'not-sent.csv',
      ],
      [
        'the order of two rows is swapped, with new hashes',
        (out) => forge(out, { 'not-sent.csv': swapped(1, 2) }),
        'row_twice',
        'not-sent.csv',
      ],
      [
        'somebody begins to fill in a list',
        (out) => change(out, 'in-doubt.csv', (text) => text.replace('"",""\n', '"","the service said so"\n')),
        'worked_in',
        'in-doubt.csv',
      ],
      [
        'the manifest loses a key',
        (out) => change(out, 'manifest.json', (text) => text.replace('"changedAt"', '"changed"')),
        'manifest_changed',
        'manifest.json',
      ],
    ]

  it.each(TAMPERINGS)('%s', async (_, tamper, kind, file) => {
    const { out } = await provenPack()
    await tamper(out)
    const { discrepancies } = await audit(out)
    expect(discrepancies).toContainEqual(expect.objectContaining({ kind, file }))
    const words = discrepancies.map(({ message, next }) => `${message} ${next}`).join('\n')
    expect(words).not.toContain(IBAN)
    expect(words.length).toBeGreaterThan(0)
  })

  it('a renamed file is told with its new name', async () => {
    const { out } = await provenPack()
    renameSync(join(out, 'registered.csv'), join(out, 'registered (1).csv'))
    const [found] = (await audit(out)).discrepancies
    expect(found).toMatchObject({ kind: 'missing', file: 'registered.csv' })
    expect(found?.message).toContain('"registered (1).csv"')
  })

  it('many of one kind are counted, and the first of them told', async () => {
    const { ledger, out, write } = emptyCampaign()
    admit(
      ledger,
      Array.from({ length: 40 }, (_, index) => ({ reference: `M-${index}`, customerNo: index + 1 })),
      { sha256: '3'.repeat(64) },
    )
    await write()
    forge(out, { 'not-sent.csv': (text) => text.replace(/"L-[^"]+"/g, '"L-another"') })
    const { discrepancies, count } = await audit(out)
    expect(count).toBeGreaterThanOrEqual(40)
    const told = discrepancies.filter(({ kind }) => kind === 'other_ledger')
    expect(told).toHaveLength(5)
    expect(told.at(-1)?.message).toContain('and 35 more of this kind')
  })
})

describe('a pack that was made anew as a whole', () => {
  const forgery = (out: string): void => {
    change(out, 'decisions.csv', (text) => text.replace('not in the list', 'on the paper list'))
    rechain(out)
  }
  const removal = (out: string): void => {
    change(out, 'decisions.csv', withoutLine(3))
    rechain(out)
  }

  it.each([
    ['a reason is another one', forgery],
    ['the last decision is gone', removal],
  ])('is missed by itself, and found by key or ledger: %s', async (_, forging) => {
    const { ledger, out } = await provenPack()
    forging(out)
    rmSync(join(out, 'manifest.sig'))
    expect(await kindsFound(out)).toEqual([])
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_missing'])
    expect(await kindsFound(out, { ledger: ledger.file })).toEqual(['ledger_differs'])
    sign(out, STRANGER.privateKey)
    expect(await kindsFound(out)).toEqual([])
    expect(await kindsFound(out, { key: SIGNER.publicKey })).toEqual(['signature_of_another_key'])
  })

  it('is found by the signature that was left, whoever made it', async () => {
    const { out } = await provenPack()
    forgery(out)
    expect(await kindsFound(out)).toEqual(['signature_changed'])
  })
})

describe('each check finds what no other one does, and without it that is missed', () => {
  const reject = (text: string): string =>
    text.replace('"refused": {', '"refused": {').replace(/("refused": \{[^}]*"customerNoSum": ")\d+/, '$17')
  const MISSED: readonly [check: string, tamper: (out: string) => unknown][] = [
    ['manifestForm', (out) => change(out, 'manifest.json', (text) => `${text}\n`)],
    [
      'manifestDigest',
      (out) => change(out, 'manifest.json', (text) => text.replace('"migration"', '"migrated"')),
    ],
    ['files', (out) => change(out, 'report.html', (text) => text.replace('<body', '<body '))],
    [
      'balance',
      (out) =>
        forge(out, {
          'summary.json': (text) => text.replaceAll(/"read": (\d+)/g, (_, n) => `"read": ${Number(n) + 1}`),
        }),
    ],
    ['lists', (out) => forge(out, { 'refused.csv': withoutLine(1) })],
    ['hashTotals', (out) => forge(out, { 'summary.json': reject })],
    ['registered', (out) => forge(out, { 'registered.csv': (text) => text.replace('"NEW-1"', '"NEW-9"') })],
    [
      'chain',
      (out) => forge(out, { 'decisions.csv': (text) => text.replace('not in the list', 'in the list') }),
    ],
  ]

  it.each(MISSED)('%s', async (check, tamper) => {
    const { out, write } = await provenPack()
    rmSync(out, { recursive: true })
    await write(null)
    expect(await kindsFound(out)).toEqual([])
    tamper(out)
    expect(await kindsFound(out)).not.toEqual([])
    expect(await kindsFound(out, { without: check })).toEqual([])
  })

  it('ledgerId', async () => {
    const { ledger, out, write } = emptyCampaign()
    admit(ledger, [{}], { sha256: '4'.repeat(64) })
    await send(ledger, registered('NEW-1'))
    await write(null)
    forge(out, {
      'manifest.json': (text) => JSON.stringify({ ...(JSON.parse(text) as object), ledgerId: 'another' }),
    })
    rechain(out)
    expect(await kindsFound(out)).toEqual(['other_ledger'])
    expect(await kindsFound(out, { without: 'ledgerId' })).toEqual([])
  })
})

describe('beside a ledger', () => {
  const beside = (ledger: { file: string }): Asked => ({ ledger: ledger.file })

  it('that has moved on, what was registered and decided then still holds', async () => {
    const { ledger, clock, out } = await provenPack()
    clock.advance(60_000)
    await send(ledger, registered('NEW-10'))
    decide(ledger, 7, 'written_off', 'gave up')
    expect(await audit(out, beside(ledger))).toMatchObject({ discrepancies: [], ledger: 'moved_on' })
  })

  it('that has moved on, a decision that the pack lacks is found all the same', async () => {
    const { ledger, clock, out } = await provenPack()
    clock.advance(60_000)
    decide(ledger, 7, 'written_off', 'gave up')
    rmSync(join(out, 'manifest.sig'))
    change(out, 'decisions.csv', withoutLine(3))
    rechain(out)
    expect(await kindsFound(out, beside(ledger))).toEqual(['ledger_differs'])
  })

  it('that was purged since, only the words that went are passed over', async () => {
    const { ledger, clock, out, write } = await provenPack()
    decide(ledger, 7, 'written_off', 'gave up')
    for (const reference of ['NEW-10', 'NEW-11']) await send(ledger, registered(reference))
    await write(null)
    clock.advance(60_000)
    ledger.purge({ by: 'Ada', reason: 'signed off', withOpenRows: true })
    expect(await audit(out, beside(ledger))).toMatchObject({ discrepancies: [], ledger: 'moved_on' })
    change(out, 'decisions.csv', (text) => text.replace('"Ada Example"', '"Eve Example"'))
    rechain(out)
    expect(await kindsFound(out, beside(ledger))).toEqual(['ledger_differs'])
  })

  it('of another campaign nothing is compared', async () => {
    const { out } = await provenPack()
    const other = await provenPack()
    expect(await audit(out, beside(other.ledger))).toMatchObject({
      discrepancies: [{ kind: 'other_ledger' }],
      ledger: 'another',
    })
  })

  const withPlans =
    (how: (plans: Planned[]) => Planned[]) =>
    (text: string): string => {
      const manifest = JSON.parse(text) as { plans: Planned[] }
      return JSON.stringify({ ...manifest, plans: how(manifest.plans) })
    }

  it.each<[string, (plans: Planned[]) => Planned[]]>([
    ['somebody else approved', ([plan]) => [approvedBy(plan, (one) => ({ ...one, approvedBy: 'Eve' }))]],
    ['a key was made up', ([plan]) => [approvedBy(plan, (one) => ({ ...one, key: 'ab'.repeat(32) }))]],
    ['an approval is gone', ([plan]) => [{ ...plan, approvals: [] }]],
    ['an approval was made up', ([plan]) => [approvedBy(plan, (one) => one, 2)]],
    ['a plan is gone', () => []],
    ['a plan was made up', ([plan]) => [{ ...plan, approvals: [], digest: '0'.repeat(64) }]],
    ['a plan was doubled', ([plan]) => [{ ...plan, approvals: plan?.approvals ?? [] }, { approvals: [] }]],
    ['it plans other rows', ([plan]) => [{ ...plan, approvals: plan?.approvals ?? [], rows: { count: 1 } }]],
  ])('%s, with every hash made anew: found', async (_, how) => {
    const { ledger, out } = await provenPack()
    rmSync(join(out, 'manifest.sig'))
    forge(out, { 'manifest.json': withPlans(how) })
    expect(await kindsFound(out)).toEqual([])
    expect(await kindsFound(out, beside(ledger))).toEqual(['ledger_differs'])
  })

  it('that has moved on, an approval of the pack must still be there, and a later one may be', async () => {
    const { ledger, clock, out } = await provenPack()
    clock.advance(60_000)
    const [plan] = ledger.view.plans()
    approve(ledger, plan?.digest ?? '', 'Edsger')
    expect(await audit(out, beside(ledger))).toMatchObject({ discrepancies: [], ledger: 'moved_on' })
    rmSync(join(out, 'manifest.sig'))
    forge(out, {
      'manifest.json': withPlans(([one]) => [approvedBy(one, (each) => ({ ...each, approvedBy: 'Eve' }))]),
    })
    expect(await kindsFound(out, beside(ledger))).toEqual(['ledger_differs'])
  })

  it.each([
    ['a registered row has another customer', 'registered.csv', '"1001"', '"1009"'],
    ['a registered row has another reference', 'registered.csv', '"NEW-1"', '"NEW-77"'],
    ['two registered rows are swapped', 'registered.csv', null, null],
    ['a row is in another state', 'corrections.csv', '"invalid"', '"conflict"'],
    ['a row has another number', 'refused.csv', '"3","refused"', '"99","refused"'],
  ])('%s, with every hash made anew: found', async (_, name, from, to) => {
    const { ledger, out } = await provenPack()
    rmSync(join(out, 'manifest.sig'))
    forge(out, { [name]: from === null ? swapped(1, 2) : (text) => text.replace(from, to) })
    expect(await kindsFound(out, beside(ledger))).toContain('ledger_differs')
  })
})

describe('what is no pack', () => {
  it.each([
    ['a folder that is not there', (out: string) => rmSync(out, { recursive: true })],
    ['one without a manifest', (out: string) => rmSync(join(out, 'manifest.json'))],
    ['a manifest that is not JSON', (out: string) => change(out, 'manifest.json', (text) => text.slice(1))],
    [
      'a manifest of an earlier version',
      (out: string) => change(out, 'manifest.json', (text) => text.replace(/ *"digest".*\n/, '')),
    ],
  ])('%s is told, with what to do', async (_, spoil) => {
    const { out } = await provenPack()
    spoil(out)
    const error: unknown = await audit(out).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SourceError)
    expect((error as SourceError).message).toContain(`Cannot verify "${out}"`)
    expect((error as SourceError).next).toMatch(/report/)
  })
})
