import { describe, expect, it } from 'vitest'
import {
  findColumn,
  hasTwoRowNumbers,
  isOwnColumn,
  isResultHeader,
  readHeader,
} from '../../../src/source/columns/header.js'

describe('our own columns', () => {
  it('are no columns of the source, and those that matter are found wherever they were moved', () => {
    expect(readHeader(['iban', 'migration_message', 'Name', 'Migration Row', 'migration-decision'])).toEqual({
      names: ['iban', 'Name'],
      positions: [0, 2],
      width: 5,
      migrationRow: 3,
      migrationDecision: 4,
      migrationReason: null,
      migrationBy: null,
    })
  })

  it('are told from columns of the export that only begin alike', () => {
    expect(isOwnColumn('migration_anything')).toBe(true)
    expect(isOwnColumn('Migration date')).toBe(false)
    expect(isOwnColumn('emigration_row')).toBe(false)
  })

  it('show a result file only together: an export may have a column of either name', () => {
    expect(isResultHeader(['iban', 'migration_row'])).toBe(false)
    expect(isResultHeader(['iban', 'MIGRATION ROW', 'migration_state'])).toBe(true)
  })

  it('of two row numbers nobody can tell which counts', () => {
    expect(hasTwoRowNumbers(['migration_row', 'a', 'Migration Row'])).toBe(true)
    expect(hasTwoRowNumbers(['migration_row', 'a'])).toBe(false)
  })
})

describe('a column by reference', () => {
  const header = readHeader(['migration_row', 'IBAN', 'iban', 'Kunden-Nr.', ''])

  it('by position counts the columns of the file, ours included', () => {
    expect(findColumn(header, 2)).toBe(0)
    expect(findColumn(header, 1)).toBeNull()
    expect(findColumn(header, 6)).toBeNull()
  })

  it('by name prefers the exact one', () => {
    expect(findColumn(header, 'iban')).toBe(1)
    expect(findColumn(header, 'IBAN')).toBe(0)
    expect(findColumn(header, 'kundennr')).toBe(2)
  })

  it('by a name of signs alone finds no column without a name', () => {
    expect(findColumn(header, '--')).toBeNull()
  })
})
