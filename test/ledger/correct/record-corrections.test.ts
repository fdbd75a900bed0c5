import { describe, expect, it } from 'vitest'
import type { Corrector } from '../../../src/domain/row/correction.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { openDatabase } from '../../../src/driver.js'
import {
  admit,
  COLUMNS,
  HEADER,
  IBAN,
  open,
  OTHER_IBAN,
  recordOf,
  summaryOf,
  type Values,
} from '../campaign-setup.js'

function giveBack(
  ledger: Ledger,
  values: Values,
  corrector: Corrector = { by: 'Berta', reason: null },
): void {
  const admission = ledger.admit({ severities: {}, corrector })
  const source = admission.open({ name: 'mended.csv', header: HEADER, columns: COLUMNS })
  source.add([recordOf({ corrects: 1, ...values })])
  source.close(summaryOf(1))
  admission.commit()
}

function heldBack(): Ledger {
  const ledger = open()
  admit(ledger, [{ verdict: 'invalid' }])
  return ledger
}

describe('26.2 a correction on record', () => {
  it('names who, why and each field before and after, and no whole account', () => {
    const ledger = heldBack()
    giveBack(ledger, { iban: OTHER_IBAN, signedDate: '2020-02-01', said: { by: null, reason: 'a letter' } })
    const [decision, ...others] = ledger.view.decisions(0, 9)
    expect(others).toEqual([])
    expect(decision).toMatchObject({
      rowId: 2,
      decision: 'corrected',
      by: 'Berta',
      from: 'invalid',
      to: 'ready',
      reason: 'a letter',
      evidence: 'iban "DE…3000" → "NL…4300", signed_date "2020-01-31" → "2020-02-01"',
    })
  })

  it('takes name and reason of the line before those of the command', () => {
    const ledger = heldBack()
    giveBack(
      ledger,
      { signedDate: '2020-02-01', said: { by: 'Carl', reason: null } },
      { by: 'Berta', reason: `list of ${IBAN}` },
    )
    expect(ledger.view.decisions(0, 9)).toMatchObject([{ by: 'Carl', reason: 'list of DE…3000' }])
  })

  it('shows the cell where nothing could be read before, masked as an account', () => {
    const ledger = open()
    const cells = ['1000', 'DE89 3704 0044 0532 0130 01', '30.02.2020', 'DE98ZZZ09999999999', 'M-1']
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'export.csv', header: HEADER, columns: COLUMNS })
    const values = { ...recordOf().values, iban: null, signedDate: null }
    source.add([{ ...recordOf({ verdict: 'invalid', mandateKey: null, cells }), values }])
    source.close(summaryOf(1))
    admission.commit()
    giveBack(ledger, {})
    expect(ledger.view.decisions(0, 9)[0]?.evidence).toBe(
      'iban "DE…3001" → "DE…3000", signed_date "30.02.2020" → "2020-01-31"',
    )
  })

  it('is none where the line says what the row said, or could not be taken', () => {
    const ledger = heldBack()
    giveBack(ledger, { verdict: 'invalid', isUnchanged: true })
    giveBack(ledger, { corrects: 99, signedDate: '2020-02-01' })
    expect(ledger.view.decisions(0, 9)).toEqual([])
  })

  it('says that a person had a row sent as it stands, and that an excluded one goes', () => {
    const ledger = heldBack()
    giveBack(ledger, { isDecided: true })
    expect(ledger.view.decisions(0, 9)).toMatchObject([
      { evidence: 'migration_decision "" → "send"', reason: 'no reason given' },
    ])
    const other = open()
    admit(other, [{ verdict: 'excluded' }])
    giveBack(other, {})
    expect(other.view.decisions(0, 9)).toMatchObject([{ from: 'excluded', to: 'ready', evidence: null }])
  })

  it('compares with what was agreed to, not with what was held back meanwhile', () => {
    const ledger = open()
    admit(ledger, [{ verdict: 'invalid' }, { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2' }])
    giveBack(ledger, { iban: OTHER_IBAN })
    giveBack(ledger, { iban: OTHER_IBAN, corrects: 3, isDecided: true })
    expect(ledger.view.decisions(0, 9).map(({ evidence }) => evidence)).toEqual([
      'iban "DE…3000" → "NL…4300"',
      'iban "DE…3000" → "NL…4300", migration_decision "" → "send"',
    ])
  })

  it('can be written off in the state that it came in', () => {
    const ledger = heldBack()
    giveBack(ledger, { verdict: 'invalid', signedDate: '2020-02-01' })
    const { isApplied } = ledger.resolve(
      [
        {
          rowId: 2,
          decision: 'written_off',
          reason: 'closed',
          by: 'Berta',
          assigned: null,
          evidence: null,
          attempt: null,
        },
      ],
      { dryRun: false },
    )
    expect(isApplied).toBe(true)
  })

  it('never changes, and goes only with the words of a purge', () => {
    const ledger = heldBack()
    giveBack(ledger, { signedDate: '2020-02-01' })
    const connection = openDatabase(ledger.file)
    try {
      for (const sql of [
        `update decision set evidence = 'x'`,
        `update decision set reason = 'x'`,
        `update decision set decided_by = 'x'`,
        'delete from decision',
      ])
        expect(() => connection.exec(sql)).toThrow(/never/)
    } finally {
      connection.close()
    }
  })
})
