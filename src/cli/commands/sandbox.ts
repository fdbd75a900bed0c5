import { once } from 'node:events'
import { UsageError } from '../../errors.js'
import { parseFaults } from '../../sandbox/faults.js'
import { startSandbox } from '../../sandbox/sandbox.js'
import { MOST_BYTES, readGivenText, assertTrustedOutput } from '../../trust/trusted-file.js'
import { camelCase, type Command, type Context, namedFiles, emptyResult, jsonOf } from '../command.js'
import { readPasswordFile } from '../settings/settings.js'
import { EXITS, oneOf } from '../settings/declared.js'
import { parseJson, plural } from '../../domain/text/text.js'

const DEFAULT_PORT = '8080'

export const sandboxCommand: Command = {
  usage: 'sandbox',
  summary: 'a local simulator of the service, for rehearsals',
  examples: [
    'sepa-migrate sandbox',
    'sepa-migrate sandbox --port 8080 --chaos 0.05 --seed 7',
    'sepa-migrate sandbox --port 0 --data sandbox.db',
  ],
  options: ['json', 'quiet', 'verbose', 'noColor', 'passwordFile'],
  own: [
    ['--host <address>', 'address to listen on (default 127.0.0.1)'],
    ['--port <n>', `port to listen on, 0 for any free one (default ${DEFAULT_PORT})`],
    ['--username <name>', 'user name it accepts (default SEPA_MIGRATE_USERNAME, else sandbox)'],
    ['--data <file>', 'keep the state in a SQLite file (default: memory)'],
    ['--latency <ms>', 'let every answer wait'],
    ['--chaos <p>', 'probability of a fault per request, 0 to 1'],
    ['--read-back <on|off>', 'whether payment sources can be read back (default on)'],
    ['--read-back-lag <seconds>', 'let a new mandate show there only after so long (default 0)'],
    [
      '--duplicate <answer>',
      'what the same mandate gets a second time: refuse (400), conflict (409) or register (200, and there are two); default refuse',
    ],
    ['--seed <n>', 'repeat the same chaos and the same references'],
    ['--show-accounts', 'show account numbers whole under /_sandbox/ (default: masked)'],
    ['--customers <file>', 'whom it knows (JSON); everybody, with made-up names, where it is left out'],
    ['--faults <file>', 'scripted faults (JSON); see sepa-migrate help sandbox'],
  ],
  epilogue: [
    'The password comes from --password-file or SEPA_MIGRATE_PASSWORD; otherwise one is made up and printed at the start.',
    'Everything but GET /health needs user name and password.',
    'GET /_sandbox/mandates, /_sandbox/offers and /_sandbox/billograms show what it truly holds.',
  ],
  exits: { ...EXITS.plain, 0: 'stopped by Ctrl-C' },
  run: serve,
}

async function serve(context: Context) {
  const { world, settings } = context
  const passwordFile = settings.get('passwordFile')
  const username = context.text('username') ?? nonEmpty(world.env['SEPA_MIGRATE_USERNAME'])
  const password =
    passwordFile === null ? nonEmpty(world.env['SEPA_MIGRATE_PASSWORD']) : readPasswordFile(passwordFile)
  const faultFile = context.text('faults')
  const customerFile = context.text('customers')
  const dataFile = context.text('data')
  if (dataFile !== null)
    assertTrustedOutput(dataFile, { what: 'sandbox data file', forbidden: namedFiles(context, 'data') })
  const isVerbose = settings.get('verbose') ?? false
  const sandbox = await startSandbox({
    host: context.text('host') ?? undefined,
    port: numberOf(context, 'port', DEFAULT_PORT),
    username,
    password,
    showAccounts: context.flag('showAccounts'),
    dataFile: dataFile ?? undefined,
    latencyMs: numberOf(context, 'latency'),
    chaos: numberOf(context, 'chaos'),
    readBack: wordOf(context, 'read-back', ['on', 'off']),
    readBackLagMs: Math.round(1000 * (numberOf(context, 'readBackLag') ?? 0)),
    choices: { repeatedMandate: wordOf(context, 'duplicate', ['refuse', 'conflict', 'register']) },
    seed: numberOf(context, 'seed'),
    faults: faultFile === null ? undefined : parseFaults(readText(faultFile, 'fault script'), faultFile),
    customers:
      customerFile === null ? null : ((parseJson(readText(customerFile, 'list of customers')) ?? {}) as []),
    log: isVerbose ? (line) => world.stderr.write(`${line}\n`) : undefined,
  })
  // A password that the operator gave is never printed; one that was made up must be.
  const told = password === undefined ? { password: sandbox.password } : {}
  const details = { url: sandbox.url, username: sandbox.username, ...told, seed: sandbox.seed }
  // A server's result is its address, so it is told at the start and not at the end.
  if (settings.get('json') ?? false) world.stdout.write(jsonOf('sandbox', { ...emptyResult, details }))
  else
    for (const line of [
      `Sandbox of the invoicing service at ${sandbox.url}`,
      `User "${sandbox.username}", ${password === undefined ? `password "${sandbox.password}"` : 'password as you gave it'}, seed ${sandbox.seed}`,
      `What it holds: ${sandbox.url}/_sandbox/mandates (the same user and password)`,
      'Stop it with Ctrl-C.',
    ])
      world.stdout.write(`${line}\n`)
  if (!world.signals.drain.aborted) await once(world.signals.drain, 'abort')
  const held = sandbox.mandates().length
  await sandbox.close()
  world.stderr.write(`Sandbox stopped. It held ${plural(held, 'mandate', 'mandates')}.\n`)
  return { isPrinted: true }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

function numberOf(context: Context, name: string, usual?: string): number | undefined {
  const text = context.text(name) ?? usual
  if (text === undefined) return undefined
  if (/^\d{1,10}(\.\d{1,9})?$/.test(text)) return Number(text)
  throw new UsageError(`Cannot read --${name}: "${text}" is not a number`, 'Correct the value')
}

const wordOf = <const Word extends string>(
  context: Context,
  flag: string,
  words: readonly [Word, ...Word[]],
): Word => oneOf(words).read(context.text(camelCase(flag)) ?? words[0], `--${flag}`)

const readText = (file: string, what: string): string =>
  readGivenText(file, {
    what,
    nothing: 'the sandbox was not started',
    mostBytes: MOST_BYTES.decisions,
  })
