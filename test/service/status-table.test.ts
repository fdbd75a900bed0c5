import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { createStatusTable } from '../../src/service/checked-service.js'
const REFUSED = [400, 404, 405, 406, 410, 411, 413, 414, 415, 422]
const TURNED_AWAY = [421, 425, 429]
const CREDENTIALS = [401, 403, 407]

/** The table of service/README.md#outcomes, written down a second time. */
function expectedLine(status: number): { kind: string; halt: string | null } {
  if (status >= 200 && status < 300) return { kind: 'read_answer', halt: null }
  if (status >= 300 && status < 400) return { kind: 'in_doubt', halt: 'redirect' }
  if (CREDENTIALS.includes(status)) return { kind: 'turned_away', halt: 'credentials' }
  if (TURNED_AWAY.includes(status)) return { kind: 'turned_away', halt: null }
  if (REFUSED.includes(status)) return { kind: 'refused', halt: null }
  return { kind: 'in_doubt', halt: null }
}

describe('the table without overrides', () => {
  it('says for each of 1000 statuses what the contract says', () => {
    const table = createStatusTable()
    for (let status = 0; status < 1000; status += 1) {
      expect(table.lineOf(status), String(status)).toEqual(expectedLine(status))
      expect(table.isOverridden(status)).toBe(false)
    }
    expect(table.overrides).toEqual({})
  })
})

describe('overrides', () => {
  it('change single lines and are kept for the record', () => {
    const table = createStatusTable({ '503': 'turned_away', '409': 'refused', '422': 'in_doubt' })
    expect(table.lineOf(503)).toEqual({ kind: 'turned_away', halt: null })
    expect(table.lineOf(409)).toEqual({ kind: 'refused', halt: null })
    expect(table.lineOf(422)).toEqual({ kind: 'in_doubt', halt: null })
    expect(table.lineOf(502)).toEqual({ kind: 'in_doubt', halt: null })
    expect(table.isOverridden(503)).toBe(true)
    expect(table.isOverridden(502)).toBe(false)
    expect(table.overrides).toEqual({ '503': 'turned_away', '409': 'refused', '422': 'in_doubt' })
  })

  it.each(['400', '499', '500', '599'])('are allowed for %s', (status) => {
    expect(createStatusTable({ [status]: 'in_doubt' }).isOverridden(Number(status))).toBe(true)
  })

  it.each(['200', '204', '301', '307', '100', '399', '600', '5xx', '503 ', ' 503', '5030', '1503', 'x', ''])(
    'are refused for "%s", which is no status of 400 to 599',
    (status) => {
      const attempt = () => createStatusTable({ [status]: 'in_doubt' })
      expect(attempt).toThrow(UsageError)
      expect(attempt).toThrow(
        `Cannot use the setting "outcomes": the status "${status}" is not one of 400 to 599`,
      )
    },
  )

  it.each(['401', '403', '407'])('are refused for %s, which always stops the run', (status) => {
    const attempt = () => createStatusTable({ [status]: 'in_doubt' })
    expect(attempt).toThrow(UsageError)
    expect(attempt).toThrow(`the meaning of the status "${status}" is fixed`)
  })

  it.each(['registered', 'ready', 'not_sent', 'Refused', ''])('are refused for the outcome "%s"', (kind) => {
    const attempt = () => createStatusTable({ '503': kind })
    expect(attempt).toThrow(UsageError)
    expect(attempt).toThrow(`"${kind}" is not an outcome for the status "503"`)
  })

  it('say what could be written instead', () => {
    const nextOf = (overrides: Record<string, string>): string => {
      try {
        createStatusTable(overrides)
      } catch (error) {
        if (error instanceof UsageError) return error.next
      }
      throw new Error('accepted')
    }
    expect(nextOf({ '503': 'x' })).toBe('Nothing was sent. Use refused, turned_away, in_doubt.')
    expect(nextOf({ '200': 'refused' })).toBe('Nothing was sent. The meaning of 2xx and 3xx is fixed.')
    expect(nextOf({ '401': 'refused' })).toBe('Nothing was sent. 401, 403 and 407 always stop the run.')
  })
})
