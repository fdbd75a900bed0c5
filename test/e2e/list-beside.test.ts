import { describe, expect, it } from 'vitest'
import { germanIban, type Row } from '../support/export.js'
import { listed, nextOf, placeForEach } from '../support/place.js'

const RESET = { kind: 'reset', applied: true } as const

describe('a list of the service that is laid beside the ledger', () => {
  const place = placeForEach({
    rows: 6,
    sandbox: { readBack: 'off', faults: [{ match: { customer_no: 6 }, times: 1, fault: RESET }] },
  })
  const { program, ends, save, read, rows } = place
  const shown = (): Row[] =>
    place
      .sandbox()
      .mandates()
      .map((held) => ({
        ...listed(held),
        original_mandate_reference: held.amendment.unique_mandate_reference,
      }))
  const words = () =>
    rows('verification.csv').map((row) => `${row['customer_no'] ?? ''} ${row['verification'] ?? ''}`)

  it('is kept: what it says against registered rows stays open until a later one says otherwise', async () => {
    await program('run', 'export.csv')
    const [first = {}, second = {}, third = {}, , ...others] = shown()
    const again = { ...first, unique_mandate_reference: 'REGISTERED-TWICE' }
    save(
      'list.csv',
      [first, again, { ...second, iban: germanIban(99) }, { ...third, status: 'CANCELLED' }, ...others].map(
        (row) => ({ status: '', ...row }),
      ),
    )
    const applied = await ends(4, 'resolve', '--against', 'list.csv', '--apply')
    expect(applied.stdout).toContain(
      '4 registered, and not so at the service: 1 missing, 1 twice, 2 different',
    )
    expect(applied.stdout).toMatch(/Differs: line 3 and row 1: .* this may be a second registration/)
    for (const args of [['run', '--no-report'], ['report'], ['status']]) {
      const ended = await ends(4, ...args)
      expect(ended.stdout).toContain('1 missing, 1 twice, 2 different')
      if (args[0] === 'status') expect(nextOf(ended)).toBe('sepa-migrate resolve --against list.csv')
    }
    expect(read('report.html')).toContain('missing, twice or different')
    const told = ['4 missing', '1 twice', '2 different', '3 different', '5 proven', '6 proven']
    expect(words()).toEqual(told)
    expect(rows('verification.csv').map((row) => row['may_be_cancelled'])).toContain('REGISTERED-TWICE')
    save('list.csv', shown())
    expect((await place.pasteNext(await program('status'))).status).toBe(0)
    expect((await ends(0, 'status')).stdout).toContain('6 of 6 registered mandates proven at the service')
  })

  it('proves what was written off in doubt, which is then registered and no more forgotten', async () => {
    await program('run', 'export.csv')
    await ends(0, 'resolve', '--row', '6', '--as', 'written-off', '--reason', 'nobody answers')
    const [own] = shown().slice(-1)
    const assigned = [
      ...['--assigned-creditor-identifier', own?.['sepa_creditor_identifier'] ?? ''],
      ...['--assigned-mandate-reference', own?.['unique_mandate_reference'] ?? ''],
    ]
    const typed = ['resolve', '--row', '6', '--as', 'registered', '--reason', 'listed', ...assigned]
    expect((await ends(2, ...typed)).stderr).toContain('Row 6 is written off, not in doubt')
    save('list.csv', shown())
    const looked = await program('resolve', '--against', 'list.csv')
    expect(looked.stdout).toContain('Row 6: written_off → registered (not recorded)')
    expect((await program('status')).stderr).toContain('1 row that was written off in doubt is shown')
    expect((await program(...typed, '--dry-run')).stdout).toContain('Row 6: written_off → registered')
    await ends(0, 'resolve', '--against', 'list.csv', '--apply')
    expect((await ends(0, 'status')).stdout).toContain('6 of 6 registered mandates proven')
  })

  it('is refused where it shows no registered row as it is here', async () => {
    await program('run', 'export.csv', '--limit', '3')
    save(
      'list.csv',
      shown().map((row) => ({ ...row, unique_mandate_reference: `ELSEWHERE-${row['customer_no'] ?? ''}` })),
    )
    const { stderr } = await ends(2, 'resolve', '--against', 'list.csv', '--apply')
    expect(stderr).toContain('may be of another environment')
    expect(place.totals()).toMatchObject({ registered: 3, ready: 3, inDoubt: 0 })
    expect((await program('status')).stdout).not.toContain('at the service')
  })
})
