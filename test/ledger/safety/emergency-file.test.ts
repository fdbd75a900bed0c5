import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  attemptsInEmergencyFile,
  openEmergencyFile,
  roomWarning,
  emergencyPathOf,
} from '../../../src/ledger/safety/side-files.js'
import { closedFile, freshFile } from '../campaign-setup.js'
import { mandates } from '../records.js'
import { startProcess } from '../second-process.js'

it('says how many bytes the disk of a ledger lacks, and nothing where it tells of none', () => {
  const free = (bytes: number, blocks = 9) =>
    roomWarning('/a.db', 1_000, () => ({ bavail: bytes / 4096, bsize: 4096, blocks }))
  expect(free(9_940_000)).toBeNull()
  expect(free(9_939_999)).toContain('9,939,999 bytes free, and this run may take 9,940,000')
  expect(free(0, 0)).toBeNull()
})

/** Why a full disk of one's own cannot be made here, or false. */
const NO_MOUNT = spawnSync('unshare', ['-m', 'true']).status !== 0 && 'a mount needs root on Linux'

describe('the emergency file', () => {
  it('holds a line before anything went wrong, private to its owner', () => {
    const file = freshFile()
    const emergency = openEmergencyFile(file, 2)
    expect(readFileSync(emergency.path, 'utf8')).toMatch(
      /^\{"kind":"header","note":"Outcomes that .*\}\n *\n$/,
    )
    expect(statSync(emergency.path).mode & 0o777).toBe(0o600)
    emergency.close()
  })

  it('goes when nothing was written to it, and stays when something was', () => {
    const file = freshFile()
    openEmergencyFile(file, 2).close()
    expect(existsSync(emergencyPathOf(file))).toBe(false)
    const used = openEmergencyFile(file, 2)
    expect(used.append({ requestId: 'r-1' })).toBe(true)
    used.close()
    used.close()
    const later = openEmergencyFile(file, 2)
    later.append({ requestId: 'r-2' })
    later.close()
    const untouched = openEmergencyFile(file, 2)
    untouched.close()
    expect(attemptsInEmergencyFile(file)).toEqual(new Set(['r-1', 'r-2']))
    expect(readFileSync(emergencyPathOf(file), 'utf8').trim().split('\n').length).toBe(3)
  })

  it('goes on behind the lines of a program that was killed, also where the last one was cut', () => {
    const file = freshFile()
    const killed = openEmergencyFile(file, 2)
    killed.append({ requestId: 'r-1' })
    const left = readFileSync(killed.path, 'utf8')
    const end = left.trimEnd().length
    writeFileSync(killed.path, `${left.slice(0, end)}\n{"requestId":"r-2","ans${left.slice(end + 23)}`)
    expect(attemptsInEmergencyFile(file)).toEqual(new Set(['r-1']))

    const next = openEmergencyFile(file, 2)
    next.append({ requestId: 'r-3' })
    expect(attemptsInEmergencyFile(file)).toEqual(new Set(['r-1', 'r-3']))
    next.close()
    expect(attemptsInEmergencyFile(file)).toEqual(new Set(['r-1', 'r-3']))
    expect(readFileSync(next.path, 'utf8')).toMatch(
      /"r-1"\}\n\{"requestId":"r-2","ans *\n\{"requestId":"r-3"\}\n$/,
    )
  })

  it('keeps every line within its share of the room', () => {
    const emergency = openEmergencyFile(freshFile(), 1)
    const room = statSync(emergency.path).size
    emergency.append({ requestId: 'r-1', reason: 'r'.repeat(20_000), answer: '"'.repeat(30_000) })
    expect(statSync(emergency.path).size).toBe(room)
    const line = readFileSync(emergency.path, 'utf8').split('\n')[1] ?? ''
    expect(JSON.parse(line)).toEqual({
      requestId: 'r-1',
      reason: 'left out: too long',
      answer: 'left out: too long',
    })
    emergency.close()
  })

  it('says when a line did not reach the disk, and does not throw', () => {
    const file = freshFile()
    const emergency = openEmergencyFile(file, 2)
    emergency.close()
    expect(emergency.append({ requestId: 'r-1' })).toBe(false)
    expect(attemptsInEmergencyFile(file)).toEqual(new Set())
  })

  it('is refused where it is a link or others can read it', () => {
    const file = freshFile()
    writeFileSync(`${file}.elsewhere`, '')
    symlinkSync(`${file}.elsewhere`, emergencyPathOf(file))
    expect(() => openEmergencyFile(file, 2)).toThrow('it is a symbolic link')
    const open = freshFile()
    writeFileSync(emergencyPathOf(open), '{}\n')
    chmodSync(emergencyPathOf(open), 0o644)
    expect(() => openEmergencyFile(open, 2)).toThrow('other users may open it')
  })
})

/** A line of shell that puts the ledger on a disk of that size, which the process alone sees. */
function inSmallMount(file: string, size: string): string {
  const small = `${file}.small`
  mkdirSync(small)
  const mount = `mount -t tmpfs -o size=${size},mode=0700 none '${small}' && cp '${file}' '${small}/'`
  return String.raw`exec unshare -m --propagation private sh -c "${mount} && exec \"\$0\" \"\$@\"" "$0" "$@"`
}

describe('a full disk', () => {
  it.skipIf(NO_MOUNT !== false)(
    'without room for the answers: no run begins, and nothing is left behind',
    async () => {
      const file = closedFile()
      const shell = inSmallMount(file, '1m')
      const { lines, exitCode } = startProcess('full-disk.mjs', [`${file}.small/campaign.db`], shell)
      expect(await exitCode).toBe(0)
      expect(lines).toEqual([expect.stringContaining('the disk is full'), 'emergency file: false'])
    },
  )

  it.skipIf(NO_MOUNT !== false)('with 64 at a time: every answer is kept', async () => {
    const file = closedFile(mandates(64))
    const shell = inSmallMount(file, '4m')
    const { lines, exitCode } = startProcess('full-disk.mjs', [`${file}.small/campaign.db`], shell)
    expect(await exitCode).toBe(0)
    expect(lines).toEqual(['begun 64, not committed 64', 'kept while open: 64', 'kept: 64'])
  })
})
