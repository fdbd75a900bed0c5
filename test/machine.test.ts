import { readFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { thisMachine } from '../src/machine.js'

afterEach(() => vi.unstubAllEnvs())

describe('the machine that a run is on', () => {
  it.each(['', 'relative/state'])(
    'has one register for all programs of a user, also with XDG_STATE_HOME=%j',
    (given) => {
      vi.stubEnv('XDG_STATE_HOME', given)
      expect(thisMachine().stateFolder).toBe(join(homedir(), '.local', 'state', 'sepa-migrate'))
    },
  )

  it('has it below XDG_STATE_HOME where that is a folder', () => {
    vi.stubEnv('XDG_STATE_HOME', '/campaign/state')
    expect(thisMachine().stateFolder).toBe('/campaign/state/sepa-migrate')
  })

  it.each(['', 'home'])('has no register in the folder that it happens to be in, with HOME=%j', (home) => {
    vi.stubEnv('XDG_STATE_HOME', '')
    vi.stubEnv('HOME', home)
    expect(thisMachine().stateFolder).toBe(null)
  })

  it('names itself, the version and the process', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(thisMachine()).toMatchObject({ version, host: hostname(), pid: process.pid })
    expect(thisMachine().zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
  })

  it('wakes after a delay, or not at all', async () => {
    const { after } = thisMachine()
    const woken: string[] = []
    const forget = after(1, () => void woken.push('forgotten'))
    forget()
    await new Promise<void>((resolve) => after(5, resolve))
    expect(woken).toEqual([])
  })
})
