import { closeSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import { draftConfiguration, openTrusted } from '../index.js'
import { ownText, type Command, type Context } from './command.js'
import { inspect } from './inspect.js'
import { emptyResult, type CommandResult } from './result.js'

const FILE = 'sepa-migrate.yaml'

export const initCommand: Command = {
  usage: 'init <file>',
  summary: 'write a commented sepa-migrate.yaml from what the file shows; never overwrites',
  options: ['json', 'noColor', 'asOf'],
  own: [['--to <file>', `another file than ./${FILE} to write`]],
  epilogue: ['Exit status 2 when the file exists.'],
  usesNoLedger: true,
  run: init,
}

async function init(context: Context): Promise<CommandResult> {
  const target = ownText(context, 'to') ?? FILE
  const inspection = await inspect(context)
  const text = draftConfiguration(inspection)
  const schema = relative('.', context.world.schema)
  writeNew(target, `# yaml-language-server: $schema=${schema}\n${text}`)
  const edits = text.split('\n').filter((line) => line.includes('EDIT:')).length
  return {
    ...emptyResult,
    files: { [FILE]: target },
    lines: [
      `Wrote ${target}${edits === 0 ? '' : `; ${edits === 1 ? 'one line' : `${edits} lines`} marked EDIT ${edits === 1 ? 'needs' : 'need'} you`}.`,
      ...(inspection.staysBehind === '' ? [] : [`Understood: ${inspection.staysBehind}.`]),
      `Next: look through it, then: sepa-migrate check ${context.args[0] ?? ''}`,
    ],
  }
}

function writeNew(target: string, text: string): void {
  const descriptor = openTrusted(target, { mode: 'create', what: 'configuration' })
  try {
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}
