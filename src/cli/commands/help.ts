import { orNearest } from '../../domain/text/nearest.js'
import { UsageError } from '../../errors.js'
import type { Command, CommandLoaders, Context } from '../command.js'
import { type CommandResult } from '../terminal/result.js'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXITS } from '../settings/declared.js'

/** @param commands all of them, of which the help is printed by `main` */
export const helpCommand = (commands: CommandLoaders): Command => ({
  usage: 'help <topic>',
  summary: 'print a topic of the manual, or the help of a command',
  examples: ['sepa-migrate help doubts', 'sepa-migrate help mapping | less', 'sepa-migrate help run'],
  options: ['json', 'noColor'],
  usesNoLedger: true,
  epilogue: ['sepa-migrate --help lists the topics.'],
  exits: EXITS.plain,
  json: ['topic', 'text'],
  run: async (context) => Promise.resolve(print(context, commands)),
})

function print({ world, args }: Context, commands: CommandLoaders): CommandResult {
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
  return {
    lines: [...linesOfPage(topic.text), ...flags],
    details: { topic: topic.name, text: topic.text },
  }
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

const WIDTH = 79

/** A page as a terminal shows it: prose in lines of 79 characters, code as it stands. */
export function linesOfPage(page: string): readonly string[] {
  return page
    .replace(/^<!--.*-->\n/gm, '')
    .split(/^(```[^]*?^```)$/m)
    .flatMap((part) =>
      part.startsWith('```')
        ? part
            .split('\n')
            .slice(1, -1)
            .map((line) => `    ${line}`)
        : part.split('\n').flatMap(wrapped),
    )
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
}

function wrapped(line: string): readonly string[] {
  const [indent = ''] = /^\s*(?:- |\d+\. )?/.exec(line) ?? []
  const words = line.slice(indent.length).replace(/^#+ /, '').replaceAll('**', '').split(' ')
  const lines: string[] = []
  let text = indent
  for (const word of words) {
    if (text.trim() !== indent.trim() && text.length + word.length > WIDTH) {
      lines.push(text.trimEnd())
      text = ' '.repeat(indent.length)
    }
    text += `${word} `
  }
  return [...lines, text.trimEnd()]
}
