import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'

/** Starts sandboxes on free ports and closes them after each test. The seed is fixed unless a test gives one. */
export function sandboxStarter(): (options?: SandboxOptions) => Promise<Sandbox> {
  const running: Sandbox[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((sandbox) => sandbox.close()))
  })
  return async (options = {}) => {
    const sandbox = await startSandbox({ seed: 1, ...options })
    running.push(sandbox)
    return sandbox
  }
}

/** Gives fresh folders that are removed after each test. */
export function folderMaker(): () => string {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'))
    folders.push(folder)
    return folder
  }
}
