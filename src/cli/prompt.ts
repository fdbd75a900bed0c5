import { isCancel, password, text } from '@clack/prompts'
import type { Readable, Writable } from 'node:stream'
import type { World } from './world.js'

/** Nothing is asked unless a person can see the question and answer it. */
export const canAsk = (world: World): boolean => world.stdin.isTTY === true && world.stderr.isTerminal

const streams = (world: World): { input: Readable; output: Writable } => ({
  input: world.stdin,
  output: world.stderr.stream,
})

export async function askPassword(world: World, username: string): Promise<string | null> {
  const answer = await password({ message: `Password of "${username}"`, ...streams(world) })
  return isCancel(answer) || answer === '' ? null : answer
}

/** What was typed, or null for a question that was left. */
export async function askText(world: World, question: string): Promise<string | null> {
  const answer = await text({ message: question, ...streams(world) })
  return isCancel(answer) ? null : answer.trim()
}
