import { inspectSource, type Inspection } from '../index.js'
import type { Command, Context } from './command.js'
import { emptyResult, type CommandResult } from './result.js'
import { inputOf, sourceOptions } from './sources.js'

export const inspectCommand: Command = {
  usage: 'inspect <file>',
  summary: 'show how a file is written: encoding, delimiter, header, first rows (masked), guessed columns',
  options: ['config', 'json', 'noColor', 'asOf'],
  usesNoLedger: true,
  epilogue: [
    'Sends nothing and writes nothing. sepa-migrate init makes a configuration from the same guess.',
  ],
  run: async (context) => {
    const inspection = await inspect(context)
    return { ...emptyResult, lines: linesOf(inspection, context.args[0] ?? ''), details: { inspection } }
  },
}

/** What the configuration declares wins over what would be guessed. */
export const inspect = (context: Context): Promise<Inspection> =>
  inspectSource(inputOf(context, context.args[0] ?? ''), {
    today: context.settings.asOf,
    options: sourceOptions(context),
    signal: context.world.signals.drain,
  })

function linesOf(inspection: Inspection, file: string): CommandResult['lines'] {
  const { name, encoding, delimiter, preamble, footer, headerLine, records, blankLines } = inspection
  const shownDelimiter = delimiter.value === '\t' ? 'tab' : `"${delimiter.value}"`
  return [
    `${name}: ${records} records, ${blankLines} blank lines`,
    `  encoding   ${encoding.value} (${encoding.evidence})`,
    `  delimiter  ${shownDelimiter} (${delimiter.evidence})`,
    `  header     line ${headerLine} (${preamble.evidence})`,
    ...preamble.shown.map((line) => `               ${line}`),
    ...(footer.lines === 0
      ? []
      : [`  footer     ${footer.lines} lines`, ...footer.shown.map((line) => `               ${line}`)]),
    '',
    'Columns',
    ...inspection.columns.map(
      ({ position, name: column, field, role, evidence, dateFormat }) =>
        `  ${String(position).padStart(2)}  ${column} → ${field ?? (role === null ? 'not used' : role.replace('_', ' '))}` +
        `${dateFormat === null ? '' : `, ${dateFormat}`}${evidence === '' ? '' : ` (${evidence})`}`,
    ),
    ...(inspection.staysBehind === '' ? [] : [`Understood: ${inspection.staysBehind}.`]),
    '',
    'First rows (masked)',
    ...inspection.rows.map((cells) => `  ${cells.join(' | ')}`),
    '',
    `Next: sepa-migrate init ${file}   (writes a commented sepa-migrate.yaml), or sepa-migrate check ${file}`,
  ]
}
