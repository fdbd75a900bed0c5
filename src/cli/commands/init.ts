import { relative } from 'node:path'
import { createTrusted } from '../../trust/trusted-file.js'
import { SHEET, type Command, type Context, inputOf, sourceOptions } from '../command.js'
import { noConfiguration } from '../settings/settings.js'
import { commandLine, nextLine } from '../terminal/next.js'
import { EXIT_STATUSES, EXITS } from '../settings/declared.js'
import { UsageError } from '../../errors.js'
import { inspectSource, type Inspection, draftConfiguration } from '../../source/guess/inspect.js'
import { loadProfiles, whyText } from '../../source/columns/mapping.js'
import type { Line } from '../terminal/world.js'
import { plural, said } from '../../domain/text/text.js'
import { REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { separatorText } from '../before-sending.js'

const FILE = 'sepa-migrate.yaml'

export const initCommand: Command = {
  usage: 'init <file>',
  summary: 'draft a commented sepa-migrate.yaml; never overwrites',
  examples: ['sepa-migrate init export.csv', 'sepa-migrate init export.csv --to second-export.yaml'],
  options: ['config', 'json', 'noColor', 'asOf'],
  own: [
    SHEET,
    ['--to <file>', `another file than ./${FILE} to write`],
    ['--profile <name>', 'draft for this known system, whatever the file looks like'],
  ],
  epilogue: ['Only a configuration that --config names is applied.'],
  exits: { ...EXITS.plain, 2: 'usage or configuration error, or the file exists', 7: EXIT_STATUSES[7] },
  usesNoLedger: true,
  run: init,
}

async function init(context: Context) {
  const target = context.text('to') ?? FILE
  const { settings } = context
  const { file } = settings.configuration
  // A draft says what this file shows; the configuration of another export that lies in the folder has no say.
  const isRead = settings.isNamed('config')
  const configuration = isRead ? settings.configuration : noConfiguration
  const inspection = await inspect({ ...context, settings: { ...settings, configuration } })
  const text = draftConfiguration(inspection)
  const schema = relative('.', context.world.schema)
  createTrusted(target, 'configuration', `# yaml-language-server: $schema=${schema}\n${text}`)
  // The first line names the schema.
  const edits = text.split('\n').flatMap((line, index) => (line.includes('EDIT:') ? [index + 2] : []))
  const toCheck = {
    name: 'check',
    files: context.args,
    without: ['config'],
    words: target === FILE ? [] : ['--config', target],
  } as const
  return {
    files: { [FILE]: target },
    details: { configuration: configuration.file },
    lines: said([
      file !== null &&
        (isRead
          ? `Read with the configuration "${file}".`
          : `Read without the configuration "${file}" of this folder; --config ${file} applies it.`),
      `Wrote ${target}.`,
      inspection.system !== null && `It looks like ${inspection.system.name}.`,
      inspection.staysBehind !== '' && `Understood: ${inspection.staysBehind}.`,
      edits.length === 0
        ? `Look through ${target} before the next command.`
        : `Look through ${target}, and decide what is marked EDIT in ${edits.length === 1 ? 'line' : 'lines'} ${edits.join(', ')}.`,
      // Without a column for it no record can be checked.
      ...(inspection.missing.some((field) => !text.includes(`\n  ${field}: `))
        ? [`Then: ${commandLine(context, toCheck)}`]
        : [nextLine(context, toCheck)]),
    ]),
  }
}

export const inspectCommand: Command = {
  usage: 'inspect [file]',
  summary: 'how a file is written, what its columns seem to be, and which known system it looks like',
  examples: ['sepa-migrate inspect export.csv', 'sepa-migrate inspect --profiles'],
  options: ['config', 'json', 'noColor', 'asOf'],
  own: [SHEET, ['--profiles', 'list the known systems instead']],
  usesNoLedger: true,
  epilogue: [
    'Sends nothing and writes nothing. sepa-migrate init makes a configuration from the same guess.',
  ],
  exits: { ...EXITS.plain, 7: EXIT_STATUSES[7] },
  run: async (context) => {
    if (context.flag('profiles')) return listProfiles()
    if (context.args.length === 0)
      throw new UsageError('No file was named to inspect', 'Name the export, or give --profiles')
    const { configuration, isNamed } = context.settings
    const { file } = configuration
    const inspection = await inspect(context)
    const lines = linesOf(inspection)
    return {
      lines: said([
        file !== null &&
          `Read with the configuration "${file}"${isNamed('config') ? '' : ', which is in this folder'}`,
        ...lines,
        '',
        nextStep(context, inspection),
      ]),
      details: { inspection, configuration: file, profile: inspection.profile, profiles: null },
    }
  },
}

async function listProfiles() {
  const all = await loadProfiles()
  const profiles = all.map(({ id, name }) => ({ id, name }))
  return {
    lines: all.map(({ id, name, headers }) => `${id.padEnd(17)} ${name}: ${headers.join(', ')}`),
    details: { inspection: null, configuration: null, profile: null, profiles },
  }
}

/** What the configuration declares wins over what would be guessed. */
const inspect = (context: Context): Promise<Inspection> =>
  inspectSource(inputOf(context, context.args[0] ?? ''), {
    today: context.settings.asOf,
    options: sourceOptions(context),
    signal: context.world.signals.drain,
  })

/** A file with the service's own names, or one that a configuration describes, can be checked as it is. */
function nextStep(context: Context, inspection: Inspection): Line {
  const isNamed = REQUIRED_FIELDS.every((field) =>
    inspection.columns.some(({ name }) => name.trim().toLowerCase() === field),
  )
  const isKnown = inspection.profile !== null && inspection.missing.length === 0
  const name = isNamed || isKnown || context.settings.configuration.file !== null ? 'check' : 'init'
  return nextLine(context, { name, files: context.args })
}

function linesOf(inspection: Inspection): Line[] {
  const { name, encoding, delimiter, preamble, footer, headerLine, records, blankLines, system } = inspection
  return said([
    `${name}: ${plural(records, 'record', 'records')}${blankLines === 0 ? '' : `, ${plural(blankLines, 'blank line', 'blank lines')}`}`,
    system !== null && `  looks like ${system.name}`,
    encoding !== null && `  encoding   ${encoding.value} (${encoding.evidence})`,
    delimiter !== null && `  delimiter  ${separatorText(delimiter.value)} (${delimiter.evidence})`,
    inspection.sheet !== null && `  sheet      ${inspection.sheet.value} (${inspection.sheet.evidence})`,
    inspection.hidden !== null &&
      `  hidden     ${inspection.hidden.evidence}: source.hidden says whether that counts (read or skip)`,
    inspection.collections !== null && `  format     ${inspection.collections}`,
    `  header     line ${headerLine} (${preamble.evidence})`,
    ...preamble.shown.map((line) => `               ${line}`),
    footer.lines > 0 && `  footer     ${plural(footer.lines, 'line', 'lines')}`,
    ...footer.shown.map((line) => `               ${line}`),
    '',
    'Columns',
    ...inspection.columns.map(
      ({ position, name: column, field, fate, role, evidence, dateFormat, values }) =>
        `  ${String(position).padStart(2)}  ${column} → ${field ?? role?.replace('_', ' ') ?? (fate?.kind === 'undecided' ? 'to be decided' : 'not used')}` +
        `${dateFormat === null ? '' : `, ${dateFormat}`}${evidence === '' ? '' : ` (${evidence})`}` +
        (field === null && role === null ? '' : `: ${values.join(' | ')}`),
    ),
    inspection.missing.length > 0 &&
      `Not found: ${inspection.missing.join(', ')}. ${inspection.withoutCustomers === null ? 'Map it in sepa-migrate.yaml.' : inspection.withoutCustomers.replace('\n', ' ')}`,
    ...(system?.asks ?? []).map((ask) => `  ${ask.field}: ${whyText(ask)}.`),
    inspection.staysBehind !== '' && `Understood: ${inspection.staysBehind}.`,
    '',
    'First rows (masked)',
    ...inspection.rows.map((cells) => `  ${cells.join(' | ')}`),
  ])
}
