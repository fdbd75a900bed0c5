import { resolve } from 'node:path'
import { distrustLedgerFolder } from '../../ledger/safety/side-files.js'
import type { Context } from '../command.js'
import { usualOut } from '../settings/settings.js'
import { flagName, flagsOf, type OptionName } from '../settings/options.js'

const PLAIN = /^[\w./:=@%+,-]+$/

/** A word as a POSIX shell reads it back; a file whose name looks like a flag gets its folder in front. */
function quoted(word: string): string {
  if (PLAIN.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

const fileWord = (path: string): string => (path.startsWith('-') && path !== '-' ? `./${path}` : path)

/** Where the campaign is: what every command on a ledger has to be told again. */
const PLACE: readonly OptionName[] = ['config', 'ledger', 'out', 'logFile', 'sharedFolder']

/** What a command that asks the service what it holds has to be told again. */
const ASKING: readonly OptionName[] = [
  ...PLACE,
  'baseUrl',
  'passwordFile',
  'concurrency',
  'rate',
  'timeout',
  'connectTimeout',
  'readBack',
]

/** Flags of the command that was typed which count for the next one too; limits of a single run do not. */
const CARRIED = {
  init: [],
  check: ['config', 'ledger', 'out', 'asOf'],
  run: [
    ...PLACE,
    'baseUrl',
    'asOf',
    'passwordFile',
    'concurrency',
    'rate',
    'timeout',
    'connectTimeout',
    'maxDuration',
    'maxInDoubt',
    'maxRefused',
    'readBack',
  ],
  plan: [
    ...PLACE,
    'baseUrl',
    'asOf',
    'concurrency',
    'rate',
    'timeout',
    'connectTimeout',
    'maxInDoubt',
    'maxRefused',
    'readBack',
  ],
  approve: PLACE,
  'read-back': ASKING,
  verify: ASKING,
  report: [...PLACE, 'signWith'],
  resolve: PLACE,
  reconcile: PLACE,
  purge: PLACE,
} as const satisfies Record<string, readonly OptionName[]>

export interface NextCommand {
  readonly name: keyof typeof CARRIED
  readonly files?: readonly string[]
  /** Further words, flags and their values, as they are. */
  readonly words?: readonly string[]
  /** Flags that are not to be carried over. */
  readonly without?: readonly OptionName[]
}

/** The command line to type next, which can be pasted into a shell in the same folder. */
export function commandLine(
  { settings, own }: Pick<Context, 'settings' | 'own'>,
  { name, files = [], words = [], without = [] }: NextCommand,
): string {
  const carried: readonly OptionName[] = CARRIED[name]
  const flags = carried
    .filter((option) => !without.includes(option))
    .flatMap((option) => {
      const value = settings.flags[option]
      if (value === undefined || isNotNeeded(option, value, settings.ledger)) return []
      return flagsOf(option).includes('<')
        ? [`--${flagName(option)}`, fileWord(value)]
        : [`--${flagName(option)}`]
    })
  return ['sepa-migrate', name, ...files.map(fileWord), ...ownFlags(name, own), ...flags, ...words]
    .map(quoted)
    .join(' ')
}

const isNotNeeded = (option: OptionName, value: string, ledger: string): boolean =>
  (option === 'out' && resolve(value) === resolve(usualOut(ledger))) ||
  (option === 'sharedFolder' && distrustLedgerFolder(ledger) === null)

/** Columns that were said not to count, and what was allowed for this campaign, hold for the next command as well. */
function ownFlags(name: string, own: Context['own']): string[] {
  if (name !== 'run' && name !== 'plan' && name !== 'check') return []
  const isRun = name === 'run' || name === 'plan'
  const columns = Array.isArray(own['ignoreColumn']) ? own['ignoreColumn'].map(String) : []
  return [
    ...columns.flatMap((column) => ['--ignore-column', column]),
    ...(name === 'plan' || own['plan'] !== undefined ? takeOverFlags(own) : []),
    ...(isRun && own['checkBeforeSend'] === true ? ['--check-before-send'] : []),
  ]
}

/** A run under a plan takes the same ledgers' place as the plan; any other next run goes on with what it took. */
function takeOverFlags(own: Context['own']): string[] {
  const flag = ['another-ledger', 'all-in-doubt'].find(
    (name) => own[name === 'another-ledger' ? 'anotherLedger' : 'allInDoubt'] === true,
  )
  if (flag === undefined) return []
  const words = (['reason', 'by'] as const).flatMap((name) => {
    const value = own[name]
    return typeof value === 'string' ? [`--${name}`, value] : []
  })
  return [`--${flag}`, ...words]
}
