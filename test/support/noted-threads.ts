import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NOTING = `
const threads = require('node:worker_threads')
const { appendFileSync, existsSync } = require('node:fs')
const { Worker } = threads
threads.Worker = class extends Worker {
  constructor(url, options) {
    super(url, options)
    const note = (text) => appendFileSync(process.env.NOTED, text + '\\n')
    note('began ' + String(url).split('/').at(-1) + (existsSync('a.db') ? ' beside a ledger' : ' before the ledger'))
    this.on('message', ({ kind }) => note(kind ?? 'told'))
    this.on('error', () => note('error'))
  }
}
require('node:module').syncBuiltinESMExports()
`

/**
 * Notes each thread that a program starts in this folder, whether the ledger `a.db` was there, and what it tells.
 * @returns the environment of that program, and a list of what was noted
 */
export function noteThreads(folder: string): { env: Record<string, string>; noted: () => string[] } {
  const notes = join(folder, 'noted')
  writeFileSync(notes, '')
  writeFileSync(join(folder, 'noting.cjs'), NOTING)
  return {
    env: { NODE_OPTIONS: '--require ./noting.cjs', NOTED: notes },
    noted: () => readFileSync(notes, 'utf8').trim().split('\n').filter(Boolean),
  }
}
