import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MandateTotals } from '../../src/domain/row/row-state.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { textsIn } from '../../src/report/text/texts.js'
import { stoppedClock } from '../ledger/campaign-setup.js'
import { textOf } from '../report/ledger-value.js'
import { sheetsOf } from '../report/workbook-value.js'
import { seedChance } from '../support/chance.js'
import { ENDED, mandate, mandates, type Row, TYPED_WRONG, withStatus } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { placeForAll, placeForEach } from '../support/place.js'

describe('a report that is proven', () => {
  const { folder, path, read, save, write, program, ends, json } = placeForEach({ rows: 6, sandbox: {} })

  const HOLDS = { exitCode: 0, pack: { holds: true, notProven: [], ledger: 'unchanged', discrepancies: [] } }
  const verify = () => json('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')

  it('compares the totals of the former provider with the export that they belong to, in every command', async () => {
    save('final.csv', mandates(11, 12, 13))
    save('other.csv', mandates(14, 15))
    await ends(0, 'run', 'export.csv', '--expected-records', '6')
    expect(read('report.html')).toContain('(export.csv, Records read: 6) agree with the records read (6).')
    // The newest export is another one now, and was not counted by anybody.
    await ends(0, 'run', 'final.csv', 'other.csv', '--yes')
    expect(read('report.html')).toContain('No totals from the former provider were supplied')
    await ends(3, 'report', '--expected-records', 'export.csv=7')
    await ends(3, 'report', '--expected-records', '5')
    expect(read('report.html')).toContain('(export.csv, Records read: 7) DIFFER from the records read (6).')
    await ends(0, 'report', '--expected-records', 'export.csv=6')
    expect((await ends(3, 'report', '--expected-records', '6')).stdout).toContain(
      '1 total of the former provider',
    )
    await ends(0, 'report', '--expected-records', '5')
    expect((await json('status')).exitCode).toBe(0)
    await ends(0, 'report', '--expected-records', 'final.csv=3')
    await ends(3, 'report', '--expected-records', 'other.csv=3')
    expect(read('report.html')).toContain('(other.csv, Records read: 3) DIFFER from the records read (2).')
    expect(read('report.html')).toContain('(final.csv, Records read: 3) agree with the records read (3).')
    for (const command of [['status'], ['report'], ['run', '--yes']])
      expect([command, (await json(...command)).exitCode]).toEqual([command, 3])
    const unknown = await ends(2, 'report', '--expected-records', 'last.csv=3')
    expect(unknown.stderr).toContain('no export "last.csv"')
    expect((await program('run', 'new.csv', '--expected-records', 'x=3')).status).not.toBe(0)
    const held = openLedger({ file: path('sepa-migrate.db'), clock: stoppedClock(), pid: 1 })
    await ends(8, 'report', '--expected-records', '2')
    held.close()
  })

  it('a signed report stays beside what later commands write, which say so', async () => {
    await ends(0, 'run', 'export.csv', '--limit', '6', '--yes')
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(path('key.pem'), key, { mode: 0o600 })
    await ends(0, 'report', '--sign-with', 'key.pem')
    const files = (): string[] => ['manifest.sig', 'manifest.json', 'report.html'].map((name) => read(name))
    const before = files()
    expect((await ends(0, 'report')).stderr).not.toContain('signed')
    for (const command of [['run', '--yes'], ['compare', 'export.csv'], ['verify']]) {
      const told = await program(...command)
      expect(told.stdout + told.stderr).toMatch(
        /is signed, so it was left as it is; the new report is in ".*report-2"/,
      )
      expect(files()).toEqual(before)
    }
    expect(await verify()).toMatchObject({ exitCode: 3, pack: { ledger: 'moved_on', discrepancies: [] } })
  })

  it('a report lies in its own folder, compares with the totals of the former provider, and holds', async () => {
    const none = await json('report', 'verify', 'nowhere')
    expect(none).toMatchObject({ exitCode: 7, errors: [{ kind: 'source' }] })
    const run = await json('run', 'export.csv', '--yes', '--expected-records', '7')
    expect(run).toMatchObject({ exitCode: 3, cutOver: { unexpected: 1 } })
    expect(read('report.html')).toContain('DIFFER from the records read (6)')
    expect(await verify()).toMatchObject(HOLDS)
    expect(statSync(path('sepa-migrate-report')).mode & 0o777).toBe(0o700)
    const beside = readdirSync(folder()).filter((name) => /\.(?:csv|html|json|xlsx)$/.test(name))
    expect(beside).toEqual(['export.csv'])
    const file = await program('run', '--expected', 'expected.yaml')
    expect(file.stderr).toContain('--expected-records 400')

    write('registered.csv', read('registered.csv').replace('DE…', 'FR…'))
    const { stdout } = await ends(3, 'report', 'verify', 'sepa-migrate-report')
    expect(stdout).toMatch(/^Does NOT hold: 1 difference .*\n {2}registered\.csv was changed since/)
  })
})

describe('languages', () => {
  const { path, read, write, ends } = placeForAll({
    rows: 6,
    sandbox: {
      faults: [
        { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: true } },
        { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      ],
    },
  })

  it('a language is that of the configuration, changes no file that a program reads, and the pack holds', async () => {
    write('german.yaml', 'lang: de\n')
    await ends(4, 'run', 'export.csv', '--config', 'german.yaml')
    expect(read('sepa-migrate-report/report.html')).toContain('<html lang="de">')
    for (const language of ['en', 'fr']) await ends(4, 'report', '--lang', language, '--out', language)
    expect(read('fr/report.html')).toContain(`<h1>${textsIn('fr').say('page.title')}</h1>`)
    const { stdout } = await ends(0, 'report', 'verify', 'fr', '--ledger', 'sepa-migrate.db')
    expect(stdout).toMatch(/^Holds: /)
    const files = filesBelow(path('en')).filter((name) => /\.csv$|^summary\.json$/.test(name))
    expect(files.length).toBeGreaterThan(6)
    for (const name of files) expect(read(`fr/${name}`) === read(`en/${name}`), name).toBe(true)
  })
})

describe('counts of mandates', () => {
  const place = placeForEach({ sandbox: {} })
  const { save, program, json, read, registered } = place

  const FATES: readonly Row[] = [{}, {}, {}, ENDED, TYPED_WRONG]
  const MANDATES = 14

  /** The figures of page 1 in their order: mandates, registered, in doubt, refused, not sent. */
  const onPage = (): number[] => {
    const figures = /<dl class="figures">(.*?)<\/dl>/s.exec(read('report.html'))?.[1] ?? ''
    return [...textOf(figures).matchAll(/ (\d+) [\d.]+ %/g)].map(([, count]) => Number(count))
  }

  /** The same of the first sheet. */
  const inWorkbook = (): unknown[] => {
    const cells = (sheetsOf(readFileSync(place.path('reconciliation.xlsx'))).get('Summary') ?? []).map(
      (row) => row.map(({ value }) => value),
    )
    const at = cells.findIndex(([name]) => name === 'Mandates')
    return cells.slice(at, at + 5).map(([, count]) => Number(count))
  }

  it.each([1, 2, 3, 4, 5, 6])('all places count the same mandates, each once (seed %d)', async (seed) => {
    const draw = seedChance(seed)
    const numbers = Array.from({ length: MANDATES }, (_, at) => at + 1)
    const first = numbers.slice(0, -2).map((n) => mandate(n, draw.pick(FATES)))
    save('export.csv', withStatus(...first, ...first.slice(0, draw.between(0, 3))))
    await program('run', 'export.csv', '--limit', String(draw.between(1, 5)))
    const last = numbers.map((n) => ({
      ...(first[n - 1] ?? mandate(n)),
      ...(draw.happens(0.2) ? ENDED : {}),
    }))
    save('final.csv', withStatus(...last))
    await program('compare', 'final.csv')
    const { stdout } = await program('run', 'final.csv')
    const { mandates } = await json<{ mandates: MandateTotals }>('status')
    const summary = JSON.parse(read('summary.json')) as { mandates: MandateTotals }
    expect(summary.mandates).toEqual(mandates)
    const { total, ...byState } = mandates
    const { ready, invalid, conflict, excluded, writtenOff, inDoubt, sending } = byState
    expect([total, byState.registered]).toEqual([MANDATES, registered().length])
    expect(inWorkbook()).toEqual(onPage())
    const unsent = ready + invalid + conflict + excluded + writtenOff
    expect(onPage()).toEqual([total, byState.registered, inDoubt + sending, byState.refused, unsent])
    expect(stdout).toContain(`  ${total} mandates: ${byState.registered} registered, `)
  })
})
