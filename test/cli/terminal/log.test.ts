import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../../src/cli/terminal/log.js'
import { UsageError } from '../../../src/errors.js'
import { admit, IBAN, open, readyRow, registered } from '../../ledger/campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'

const ATTEMPT = { id: 1, rowId: 1, n: 1, requestId: 'request-1' }

function logged(write: (log: ReturnType<typeof openLog>) => void, file = join(freshFolder(), 'run.log')) {
  const told: string[] = []
  const log = openLog(file, worldOf({ now: 0 }), (text) => void told.push(text))
  write(log)
  log.close()
  return { told, missing: log.missing(), text: readFileSync(file, 'utf8'), file }
}

function row() {
  const ledger = open()
  admit(ledger, [{}])
  return readyRow(ledger)
}

describe('the log of a run', () => {
  it('holds each intent with its row and request, and no account number', () => {
    const { text, file } = logged((log) => log.delivery({ kind: 'intent', row: row(), attempt: ATTEMPT }))
    expect(JSON.parse(text)).toMatchObject({ row: 1, attempt: 1, request: 'request-1', iban: 'DE…3000' })
    expect(text).not.toContain(IBAN)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('holds the identifiers that the service gave: it is their only copy if the process dies now', () => {
    const outcome = registered('NEW-1')
    const { text } = logged((log) => log.delivery({ kind: 'outcome', row: row(), attempt: ATTEMPT, outcome }))
    expect(JSON.parse(text)).toMatchObject({ outcome: 'registered', assigned: { mandateReference: 'NEW-1' } })
  })

  it('goes on behind what an earlier run wrote', () => {
    const stop = { kind: 'stop', stop: { kind: 'limit', why: 'x', next: '' } } as const
    const first = logged((log) => log.delivery(stop))
    const { text } = logged((log) => log.delivery(stop), first.file)
    expect(text.trim().split('\n')).toHaveLength(2)
  })

  it('gives no text of the service to the terminal of whoever looks at it', () => {
    const stop = { kind: 'limit', why: 'red \u001b[31m \u202e', next: '' } as const
    const { text } = logged((log) => log.delivery({ kind: 'stop', stop }))
    expect(text).not.toMatch(/[\u001b\u202e]/)
    expect(JSON.parse(text)).toMatchObject({ why: stop.why })
  })
})

it('a log that cannot be written is refused before anything is sent where it cannot be opened, or is a link', () => {
  const folder = freshFolder()
  mkdirSync(join(folder, 'folder.log'))
  symlinkSync('/etc/hostname', join(folder, 'link.log'))
  for (const name of ['folder.log', 'link.log', 'no/such.log'])
    expect(() => openLog(join(folder, name), worldOf(), () => undefined), name).toThrow(UsageError)
})
