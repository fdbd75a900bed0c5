import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  attemptsInEmergencyFile,
  emergencyPathOf,
  openEmergencyFile,
} from '../../src/ledger/emergency-file.js'
import { freshFile } from './campaign-setup.js'

describe('the emergency file', () => {
  it('holds a line before anything went wrong, private to its owner', () => {
    const file = freshFile()
    const emergency = openEmergencyFile(file)
    expect(readFileSync(emergency.path, 'utf8')).toMatch(/^\{"kind":"header","note":"Outcomes that .*\}\n$/)
    expect(statSync(emergency.path).mode & 0o777).toBe(0o600)
    emergency.close()
  })

  it('goes when nothing was written to it, and stays when something was', () => {
    const file = freshFile()
    openEmergencyFile(file).close()
    expect(existsSync(emergencyPathOf(file))).toBe(false)
    const used = openEmergencyFile(file)
    expect(used.append({ requestId: 'r-1' })).toBe(true)
    used.close()
    used.close()
    const later = openEmergencyFile(file)
    later.append({ requestId: 'r-2' })
    later.close()
    const untouched = openEmergencyFile(file)
    untouched.close()
    expect(attemptsInEmergencyFile(file)).toEqual(new Set(['r-1', 'r-2']))
    expect(readFileSync(emergencyPathOf(file), 'utf8').trim().split('\n').length).toBe(3)
  })

  it('says when a line did not reach the disk, and does not throw', () => {
    const emergency = openEmergencyFile(freshFile())
    emergency.close()
    expect(emergency.append({ requestId: 'r-1' })).toBe(false)
  })

  it('is refused where it is a link or others can read it', () => {
    const file = freshFile()
    writeFileSync(`${file}.elsewhere`, '')
    symlinkSync(`${file}.elsewhere`, emergencyPathOf(file))
    expect(() => openEmergencyFile(file)).toThrow('it is a symbolic link')
    const open = freshFile()
    writeFileSync(emergencyPathOf(open), '{}\n')
    chmodSync(emergencyPathOf(open), 0o644)
    expect(() => openEmergencyFile(open)).toThrow('other users may open it')
  })

  it('has nothing to say where it is not there', () => {
    expect(attemptsInEmergencyFile(freshFile())).toEqual(new Set())
  })
})
