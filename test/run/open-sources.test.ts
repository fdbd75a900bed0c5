import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sourceOpeners } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { parseLocalDate } from '../../src/domain/mandate/date.js'

const HEADER = 'member,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const lineOf = (member: string): string =>
  `${member},DE89370400440532013000,2024-03-01,DE98ZZZ09999999999,M-${member}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-sources-'))
  writeFileSync(join(folder, 'a.csv'), `${HEADER}\n${lineOf('one')}\n`)
  writeFileSync(join(folder, 'b.csv'), `${HEADER}\n${lineOf('two')}\n`)
  writeFileSync(join(folder, 'customers.csv'), 'member,customer_no\none,1\ntwo,2\nthree,3\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The crosswalk findings that come with each file; a file left out of `read` is passed over as known. */
async function findingsOf(read: readonly string[]): Promise<Record<string, string[]>> {
  const names = ['a.csv', 'b.csv']
  const crosswalk = {
    file: join(folder, 'customers.csv'),
    from: 'member',
    key: 'member',
    customer_no: 'customer_no',
  }
  const openers = sourceOpeners(
    names.map((name) => join(folder, name)),
    {
      ...DEFAULT_SOURCE_OPTIONS,
      crosswalk: { ...crosswalk, skipLines: 0, skipFooterLines: 0, multilineColumns: [] },
    },
    {
      today: parseLocalDate('2026-06-15')!,
      severities: {},
      newCreditorIdentifier: null,
      dormantSoonDays: 60,
    },
    new AbortController().signal,
  )
  const found: Record<string, string[]> = {}
  for (const open of openers) {
    const source = await open()
    if (!read.includes(source.name)) continue
    for await (const batch of source.records()) expect(batch[0]?.verdict.kind).toBe('sendable')
    found[source.name] = source
      .summary()
      .findings.filter(({ rule }) => rule.startsWith('CROSSWALK'))
      .map(({ rule, value }) => `${rule} ${value}`)
  }
  return found
}

describe('the files of one command', () => {
  it('share a crosswalk, whose unused lines are told once, with the last file', async () => {
    expect(await findingsOf(['a.csv', 'b.csv'])).toEqual({
      'a.csv': [],
      'b.csv': ['CROSSWALK_UNUSED_LINE three'],
    })
  })

  it('tell no unused lines when one was passed over, whose lines would look unused', async () => {
    expect(await findingsOf(['b.csv'])).toEqual({ 'b.csv': [] })
  })
})
