import type { Readable, Writable } from 'node:stream'
import { UsageError } from '../../errors.js'
import type { World } from './world.js'
import { oneLine } from '../../domain/text/text.js'

/** Loaded when somebody is asked: most commands ask nobody. */
const questions = () => import('@clack/prompts')

/** Nothing is asked unless a person can see the question and answer it. */
export const canAsk = (world: World): boolean => world.stdin.isTTY === true && world.stderr.isTerminal

const streams = (world: World): { input: Readable; output: Writable } => ({
  input: world.stdin,
  output: world.stderr.stream,
})

/** A line between questions. */
export const say = (world: World, line: string): void => world.stderr.write(`${oneLine(line)}\n`)

export async function askPassword(world: World, username: string): Promise<string | null> {
  const { isCancel, password } = await questions()
  const answer = await password({ message: oneLine(`Password of "${username}"`), ...streams(world) })
  return isCancel(answer) || answer === '' ? null : answer
}

/** What was typed, or null for a question that was left. */
export async function askText(world: World, question: string): Promise<string | null> {
  const { isCancel, text } = await questions()
  const answer = await text({ message: oneLine(question), ...streams(world) })
  return isCancel(answer) ? null : answer.trim()
}

/** Has a word typed before what cannot be undone. @throws {UsageError} */
export async function assertTyped(
  world: World,
  { what, typed, question, again }: Record<'what' | 'typed' | 'question' | 'again', string>,
): Promise<void> {
  if (!canAsk(world))
    throw new UsageError(`${what} needs a confirmation, and there is no terminal to ask on`, 'Pass --yes')
  if ((await askText(world, question)) !== typed)
    throw new UsageError('Not confirmed; nothing was removed', again)
}

/** The value that was chosen, or null for a question that was left. Starts at `later` where that is a choice. */
export async function askChoice<Value extends string>(
  world: World,
  question: string,
  choices: readonly { readonly value: Value; readonly label: string }[],
): Promise<Value | null> {
  const { select } = await questions()
  const options = choices.map(({ value, label }): { value: string; label: string } => ({ value, label }))
  const initialValue = options.find(({ value }) => value === 'later')?.value
  const answer = await select({
    message: oneLine(question),
    options,
    ...(initialValue === undefined ? {} : { initialValue }),
    ...streams(world),
  })
  return choices.find(({ value }) => value === answer)?.value ?? null
}
