import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

const blocksOf = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  )

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A folder like a fresh checkout after `npm ci`. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sepa readme '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['dist', 'node_modules', 'package.json'])
    symlinkSync(join(ROOT, name), join(folder, name))
  cpSync(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true })
  return folder
}

describe('the README', () => {
  // The first block installs the checkout and runs these tests; `npm run nodes` does what it says.
  it('10.2.2 has blocks that can be pasted as they stand, from the top, in one folder', async () => {
    const [first, ...blocks] = blocksOf('sh')
    expect(first).toBe('npm ci && npm run demo\nnpm test\n')
    expect(blocks).toHaveLength(3)
    // Pasted lines go on after one that fails; the trap tells which did. 3: rows to correct. 4: rows in doubt.
    const port = await freePort()
    const script = [
      'set -m', // as in a person's shell: kill %1 reaches the program, not only the function around it
      'trap \'echo "status $?: $BASH_COMMAND" >> statuses\' ERR',
      ...blocks.map((block) => block.replaceAll('8080', String(port))),
      'kill %1 && wait',
    ]
    const folder = checkout()
    const { stdout, stderr, error } = spawnSync('bash', ['-c', script.join('\n')], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, TZ: 'Europe/Berlin' },
      input: '',
    })
    expect(error).toBeUndefined()
    await expect(fetch(`http://127.0.0.1:${port}/`), 'the sandbox has ended').rejects.toThrow()
    const failed = readFileSync(join(folder, 'statuses'), 'utf8').trim().split('\n')
    expect(
      failed.filter((line) => !/^status [34]: node /.test(line)),
      stderr,
    ).toEqual([])
    expect(stdout).toMatch(/60 records/)
    expect(stdout.match(/balanced: 60 read/g), 'the German check').toHaveLength(1)
    expect(stdout.match(/balanced: 41 read/g), 'the French check').toHaveLength(1)
    const held = JSON.parse(readFileSync(join(folder, 'held.json'), 'utf8')) as unknown[]
    expect(held.length).toBeGreaterThan(0)
  })
})
