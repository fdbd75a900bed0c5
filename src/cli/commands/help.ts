import { UsageError } from '../../errors.js'
import type { Command, CommandLoaders, Context } from '../command.js'
import { EXITS } from '../settings/exit-statuses.js'
import { linesOfPage, topicsIn } from '../terminal/manual.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'

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
  run: (context) => print(context, commands),
})

async function print({ world, args }: Context, commands: CommandLoaders): Promise<CommandResult> {
  const [name = ''] = args
  const topics = topicsIn(world.manual)
  const topic = topics.find((one) => one.name === name.toLowerCase())
  if (topic === undefined) {
    const { closest } = await import('../settings/configuration-mistakes.js')
    const known = [...topics.map((one) => one.name), ...Object.keys(commands)]
    const nearest = closest(
      name,
      known.map((one) => [one]),
    )
    throw new UsageError(
      `There is no topic "${name}"${nearest === null ? '' : `; the nearest is "${nearest.join('')}"`}`,
      'See all of them with "sepa-migrate --help"',
    )
  }
  const flags = Object.hasOwn(commands, topic.name) ? [`Flags: sepa-migrate ${topic.name} --help`] : []
  return {
    ...emptyResult,
    lines: [...linesOfPage(topic.text), ...flags],
    details: { topic: topic.name, text: topic.text },
  }
}
