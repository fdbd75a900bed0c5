import { closeSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import { plural } from '../../domain/text/wording.js'
import { openTrusted } from '../../trust/output.js'
import { ownText, type Command, type Context } from '../command.js'
import { noConfiguration } from '../settings/configuration.js'
import { EXIT_STATUSES, EXITS } from '../settings/exit-statuses.js'
import { inspect, isConfigurationNamed } from './inspect.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { draftConfiguration } from '../../source/guess/inspect.js'

const FILE = 'sepa-migrate.yaml'

export const initCommand: Command = {
  usage: 'init <file>',
  summary: 'write a commented sepa-migrate.yaml from what the file shows; never overwrites',
  examples: ['sepa-migrate init export.csv', 'sepa-migrate init export.csv --to second-export.yaml'],
  options: ['config', 'json', 'noColor', 'asOf'],
  own: [['--to <file>', `another file than ./${FILE} to write`]],
  epilogue: ['Only a configuration that --config names is applied.'],
  exits: { ...EXITS.plain, 2: 'usage or configuration error, or the file exists', 7: EXIT_STATUSES[7] },
  json: ['configuration'],
  usesNoLedger: true,
  run: init,
}

async function init(context: Context): Promise<CommandResult> {
  const target = ownText(context, 'to') ?? FILE
  const inspection = await inspect(onlyNamedConfiguration(context))
  const text = draftConfiguration(inspection)
  const schema = relative('.', context.world.schema)
  writeNew(target, `# yaml-language-server: $schema=${schema}\n${text}`)
  const edits = text.split('\n').filter((line) => line.includes('EDIT:')).length
  return {
    ...emptyResult,
    files: { [FILE]: target },
    details: { configuration: isConfigurationNamed(context) ? context.settings.configuration.file : null },
    lines: [
      ...configurationLines(context),
      `Wrote ${target}${edits === 0 ? '' : `; ${plural(edits, 'line marked EDIT needs', 'lines marked EDIT need')} you`}.`,
      ...(inspection.staysBehind === '' ? [] : [`Understood: ${inspection.staysBehind}.`]),
      `Look through ${target} before the next command.`,
      nextLine(context, {
        name: 'check',
        files: context.args,
        without: ['config'],
        words: target === FILE ? [] : ['--config', target],
      }),
    ],
  }
}

/** A draft says what this file shows; the configuration of another export that lies in the folder has no say. */
const onlyNamedConfiguration = (context: Context): Context =>
  isConfigurationNamed(context)
    ? context
    : { ...context, settings: { ...context.settings, configuration: noConfiguration } }

function configurationLines(context: Context): string[] {
  const { file } = context.settings.configuration
  if (file === null) return []
  return [
    isConfigurationNamed(context)
      ? `Read with the configuration "${file}".`
      : `Read without the configuration "${file}" of this folder; --config ${file} applies it.`,
  ]
}

function writeNew(target: string, text: string): void {
  const descriptor = openTrusted(target, { mode: 'create', what: 'configuration' })
  try {
    writeSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}
