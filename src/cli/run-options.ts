import type { ChosenColumn } from '../domain/row/choice.js'
import { maskAccounts } from '../domain/text/masking.js'
import { UsageError } from '../errors.js'
import type { MigrateOptions } from '../migrate/options.js'
import { actorOf, ownText, ownTexts, type Context, type OwnFlag } from './command.js'
import { readCheckingKey } from './prove/keys.js'
import type { LoadedConfiguration } from './settings/configuration.js'
import type { OptionName } from './settings/options.js'
import type { Target } from './settings/service.js'
import { assertOwnColumns } from './settings/trusted.js'
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
  'retryRefused',
] as const satisfies readonly OptionName[]

export const RUN_FLAGS: readonly OwnFlag[] = [
  IGNORE_COLUMN,
  [
    '--only <column=values>',
    "of the ready rows send those with one of these values, as 'Segment=A,B'; several have to hold together",
    'repeatable',
  ],
  ['--country <codes>', 'of the ready rows send those with an account of these countries, as AT,DE'],
  ['--another-ledger', 'take the place of a ledger that is lost: what it began to send is in doubt'],
  [
    '--all-in-doubt',
    'every row comes in as in doubt: the register of this machine does not know what was sent',
  ],
  [
    '--reason <text>',
    'why rows were corrected whose lines do not say it (migration_reason), or why the other ledger cannot be had; kept with them',
  ],
  [
    '--check-before-send',
    'ask about each row before it is sent, and hold back what the service already holds',
  ],
]

/** The settings as `migrate` takes them, and as they are planned. @throws {UsageError} */
export function runOptions(
  context: Context,
  { trusted }: Pick<Target, 'trusted'>,
): Omit<MigrateOptions, 'service'> {
  const { world, settings, args, own } = context
  assertOwnColumns(settings.configuration)
  return {
    files: args.map((file) => inputOf(context, file)),
    ledger: settings.ledger,
    limit: settings.get('limit'),
    maxInDoubt: settings.get('maxInDoubt'),
    maxRefused: settings.get('maxRefused'),
    only: ownTexts(context, 'only').map(chosenColumn),
    countries: ownText(context, 'country')?.split(','),
    retryRefusedBy: (settings.get('retryRefused') ?? false) ? actorOf(context) : null,
    corrected: whoAndWhy(context),
    reading: sourceOptions(context),
    rules: settings.severities,
    asOf: settings.asOf,
    zone: settings.zone,
    dormantSoonDays: settings.get('dormantSoonDays'),
    newCreditorIdentifier: settings.get('creditorIdentifier'),
    sharedFolder: settings.sharedFolder,
    anotherLedger: own['anotherLedger'] === true ? whoAndWhy(context) : null,
    allInDoubt: own['allInDoubt'] === true ? whoAndWhy(context) : null,
    checkBeforeSend: own['checkBeforeSend'] === true,
    testHost: settings.get('testHost'),
    approval: settings.get('approval'),
    approvers: approversIn(settings.configuration),
    configuration: trusted.configuration,
    machine: world,
  }
}

/** Each is a public key in PEM, or the path of a file with one. */
const approversIn = ({ values, locate }: LoadedConfiguration): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values.approvers ?? {}).map(([name, key]) => [
      name,
      key.startsWith('-----BEGIN')
        ? key
        : readCheckingKey(locate(key), 'nothing was sent').export({ type: 'spki', format: 'pem' }).toString(),
    ]),
  )

const whoAndWhy = (context: Context): { by: string; reason: string } => ({
  by: actorOf(context),
  reason: ownText(context, 'reason') ?? '',
})

/** @throws {UsageError} for what is not `column=value,value` */
function chosenColumn(text: string): ChosenColumn {
  const at = text.indexOf('=')
  if (at > 0) return { column: text.slice(0, at), values: text.slice(at + 1).split(',') }
  throw new UsageError(
    `--only "${maskAccounts(text)}" names no column and its values; nothing was sent`,
    "Give both, as --only 'Segment=A,B'",
  )
}
