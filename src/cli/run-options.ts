import type { MigrateOptions } from '../migrate/options.js'
import { actorOf, ownTexts, type Context, type OwnFlag } from './command.js'
import type { OptionName } from './settings/options.js'
import type { Target } from './settings/service.js'
import { IGNORE_COLUMN, inputOf, sourceOptions } from './settings/sources.js'

/** Settings that decide what a run sends, and how: a plan is made with them, and a run under it is held to them. */
export const RUN_SETTINGS = [
  'baseUrl',
  'asOf',
  'concurrency',
  'rate',
  'timeout',
  'connectTimeout',
  'limit',
  'maxInDoubt',
  'maxRefused',
  'order',
  'retryRefused',
] as const satisfies readonly OptionName[]

export const RUN_FLAGS: readonly OwnFlag[] = [
  IGNORE_COLUMN,
  [
    '--wave <name>',
    'send the rows of this wave alone; may be given several times, or as names with commas',
    'repeatable',
  ],
  ['--another-ledger', 'send although another ledger began with the same mandates'],
  ['--read-back-first', 'ask about each row before it is sent, and hold back what the service already holds'],
]

/** The settings as `migrate` takes them, and as they are planned. */
export function runOptions(
  context: Context,
  { trusted }: Pick<Target, 'trusted'>,
): Omit<MigrateOptions, 'service'> {
  const { world, settings, args, own } = context
  return {
    files: args.map((file) => inputOf(context, file)),
    ledger: settings.ledger,
    limit: settings.get('limit'),
    maxInDoubt: settings.get('maxInDoubt'),
    maxRefused: settings.get('maxRefused'),
    waves: settings.configuration.values.waves,
    onlyWaves: namedWaves(context),
    order: settings.get('order'),
    retryRefusedBy: (settings.get('retryRefused') ?? false) ? actorOf(context) : null,
    reading: sourceOptions(context),
    rules: settings.severities,
    asOf: settings.asOf,
    zone: settings.zone,
    dormantSoonDays: settings.get('dormantSoonDays'),
    newCreditorIdentifier: settings.get('creditorIdentifier'),
    sharedFolder: settings.sharedFolder,
    anotherLedger: own['anotherLedger'] === true,
    readBackFirst: own['readBackFirst'] === true,
    testHost: settings.get('testHost'),
    approval: settings.get('approval'),
    configuration: trusted.configuration,
    machine: world,
  }
}

const namedWaves = (context: Context): string[] =>
  ownTexts(context, 'wave').flatMap((names) => names.split(',').map((name) => name.trim()))
