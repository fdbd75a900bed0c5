import { orNearest } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import type { Command, CommandLoaders, Context } from '../command.js'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { EXITS } from '../settings/declared.js'
import { type World, widthOf, wrapped } from '../terminal/world.js'

/** @param commands all of them, of which the help is printed by `main` */
export const helpCommand = (commands: CommandLoaders): Command => ({
  usage: 'help <topic>',
  summary: 'print a topic of the manual, or the help of a command',
  examples: ['sepa-migrate help doubts', 'sepa-migrate help mapping', 'sepa-migrate help run'],
  options: ['json', 'noColor'],
  usesNoLedger: true,
  epilogue: ['sepa-migrate --help lists the topics.'],
  exits: EXITS.plain,
  run: async (context) => Promise.resolve(print(context, commands)),
})

function print({ world, args, settings }: Context, commands: CommandLoaders) {
  const [name = ''] = args
  const topics = topicsIn(world.manual)
  const topic = topics.find((one) => one.name === name.toLowerCase())
  if (topic === undefined) {
    const known = [...topics.map((one) => one.name), ...Object.keys(commands)]
    throw new UsageError(
      `There is no topic "${name}"${orNearest(name, known)}`,
      'See all of them with "sepa-migrate --help"',
    )
  }
  const flags = Object.hasOwn(commands, topic.name) ? [`Flags: sepa-migrate ${topic.name} --help`] : []
  if (settings.get('json') !== true) {
    const text = `${[...linesOfPage(topic.text, Math.min(79, widthOf(world.stdout))), ...flags].join('\n')}\n`
    if (!world.stdout.isTerminal || !isPaged(text, world.env)) world.stdout.write(text)
  }
  return { details: { topic: topic.name, text: topic.text } }
}

/** Whether a pager has shown it: $PAGER, where it is not empty, or less, where that is installed. */
function isPaged(text: string, env: World['env']): boolean {
  const pager = env['PAGER'] ?? 'less -FRX'
  if (pager === '') return false
  return spawnSync(pager, { shell: true, input: text, stdio: ['pipe', 'inherit', 'inherit'] }).status !== 127
}

/** Topics of the manual: each a page of `src/help`, whose first line is `# name: what it is about`. */
export function topicsIn(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return names.toSorted().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return { name: file.slice(0, -3), about: /^# \w[\w-]*: (.+)$/m.exec(text)?.[1] ?? '', text }
  })
}

/** What stands below the help of all commands. */
export function topicLines(folder: string): readonly string[] {
  const topics = topicsIn(folder)
  const width = Math.max(...topics.map(({ name }) => name.length))
  return [
    '',
    'Topics of the manual, printed by sepa-migrate help TOPIC:',
    ...topics.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
  ]
}

/** A page as a terminal shows it: prose in lines of so many characters, code as it stands. */
export function linesOfPage(page: string, width: number): readonly string[] {
  return page
    .replace(/^<!--.*-->\n/gm, '')
    .split(/^(```[^]*?^```)$/m)
    .flatMap((part) =>
      part.startsWith('```')
        ? part
            .split('\n')
            .slice(1, -1)
            .map((line) => `    ${line}`)
        : part.split('\n').flatMap((line) => wrapped(line.replace(/^#+ /, '').replaceAll('**', ''), width)),
    )
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
}
