import { closeSync, writeSync } from 'node:fs'
import { maskAccounts } from '../../domain/text/masking.js'
import { plural } from '../../domain/text/wording.js'
import { UsageError } from '../../errors.js'
import type { Ended } from '../../probe/asker.js'
import { leftBehind } from '../../probe/left-behind.js'
import { MOST_CUSTOMERS, probe, UNKNOWN_CUSTOMER, type Probed, type ProbePlan } from '../../probe/probe.js'
import { contradicted } from '../../probe/proposal.js'
import { stopOfHalt } from '../../run/stop.js'
import { readBaseUrl } from '../../service/base-url.js'
import { assertTrustedOutput, openTrusted } from '../../trust/output.js'
import { entryAt } from '../../trust/entry.js'
import { ownText, ownTexts, type Command, type Context } from '../command.js'
import { refuseUnasked, typeHost } from '../confirm.js'
import { EXIT_STATUSES } from '../settings/exit-statuses.js'
import { seconds } from '../settings/kinds.js'
import { namedFiles } from '../settings/named-files.js'
import { readService, type Service } from '../settings/service.js'
import { trustedLines } from '../settings/trusted.js'
import { type Line, toned } from '../terminal/line.js'
import { askText } from '../terminal/prompt.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { eventLine, findingLines, leftBehindLines } from './probe-lines.js'
import { proposalText } from './probe-proposal.js'

const USUAL_WAIT_S = 60

export const probeCommand: Command = {
  usage: 'probe',
  summary:
    'send a handful of made-up mandates to the test environment and tell what its contract leaves open',
  examples: [
    'sepa-migrate probe --base-url https://test.example --customer 1001',
    'sepa-migrate probe --base-url https://test.example --customer 1001 --customer 1002 --to proposal.yaml',
  ],
  options: [
    'config',
    'baseUrl',
    'passwordFile',
    'timeout',
    'connectTimeout',
    'yes',
    'json',
    'quiet',
    'noColor',
  ],
  own: [
    [
      '--customer <n>',
      `an existing test customer; up to ${MOST_CUSTOMERS}, and more give more certainty`,
      'repeatable',
    ],
    [
      '--unknown-customer <n>',
      `a customer number that the test environment does not have (default ${UNKNOWN_CUSTOMER})`,
    ],
    ['--wait <seconds>', `how long a new mandate is waited for that does not show (default ${USUAL_WAIT_S})`],
    ['--to <file>', 'write the proposed settings into this file too; never overwrites'],
  ],
  epilogue: [
    'Elsewhere than on this machine --base-url has to be typed, and a host that one of your campaigns was sent to is refused.',
    'What it registers stays there until a person cancels it; the last lines name it.',
  ],
  exits: {
    0: 'every question was answered',
    2: EXIT_STATUSES[2],
    5: 'a question stays open',
    6: EXIT_STATUSES[6],
    8: 'the register of campaigns cannot be read; nothing was sent',
    130: 'interrupted; what was registered is named',
    143: 'interrupted; what was registered is named',
  },
  json: ['findings', 'open', 'proposal', 'mandates', 'ended'],
  usesNoLedger: true,
  run,
}

async function run(context: Context): Promise<CommandResult> {
  const { world, settings, progress } = context
  const target = ownText(context, 'to')
  const asked = {
    customers: customersOf(context),
    unknownCustomer: customerNoOf(ownText(context, 'unknownCustomer') ?? String(UNKNOWN_CUSTOMER)),
    waitMs: seconds.read(ownText(context, 'wait') ?? String(USUAL_WAIT_S), '--wait') * 1000,
  }
  if (target !== null) assertFree(context, target)
  refuseUntyped(context)
  const service = await readService(settings, world)
  refuseUnasked(context, service.baseUrl)
  announceSignals(context)
  const { outcomes: _asItIs, concurrency: _ownPace, ...options } = service.options
  const probed = await probe({
    ...asked,
    service: { ...options, ...service.credentials },
    confirm: (plan) => confirm(context, service, plan),
    watch: (event) => progress.note(eventLine(event)),
    signal: world.signals.drain,
    giveUp: world.signals.abort,
    machine: world,
  })
  if (probed === null)
    throw new UsageError(
      'The host name was not confirmed, so nothing was sent',
      'Run the same command again and type the host name, or say that no question is asked',
      { ways: ['without_question'] },
    )
  progress.end()
  return concluded(context, service, probed, target)
}

function customersOf(context: Context): readonly number[] {
  const texts = ownTexts(context, 'customer')
  if (texts.length > 0) return texts.map(customerNoOf)
  throw new UsageError(
    'A probe needs an existing customer of the test environment; nothing was sent',
    'Give --customer with its number; it may be given several times',
  )
}

function customerNoOf(text: string): number {
  const number = Number(text)
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number
  throw new UsageError(
    `"${maskAccounts(text)}" is not a customer number; nothing was sent`,
    'Give a whole number from 1 to 9007199254740991',
  )
}

/** The address that a configuration or a shell holds is that of a campaign; with --yes nobody would look at it. */
function refuseUntyped({ settings }: Context): void {
  const given = settings.get('baseUrl')
  if (given === null || settings.flags.baseUrl !== undefined || readBaseUrl(given).isLoopback) return
  throw new UsageError(
    'The address of the test environment has to be typed: the one that is set may be that of a campaign; nothing was sent',
    'Give --base-url with the address of the test environment',
  )
}

/** Looked at before anything is sent: what was found out must find its place. */
function assertFree(context: Context, target: string): void {
  if (entryAt(target) !== null)
    throw new UsageError(
      `"${target}" exists and is not overwritten; nothing was sent`,
      'Rename it, or name another file',
    )
  const { to: _target, ...own } = context.own
  assertTrustedOutput(target, { what: 'proposal', forbidden: namedFiles({ ...context, own }, null) })
}

function announceSignals({ world: { signals }, progress }: Context): void {
  const say = (text: string) => () => progress.note(text)
  const drain = say('Signal received: nothing further is asked; waiting for the answer that is under way')
  const abort = say('Second signal: giving up what is under way; that mandate may be registered')
  signals.drain.addEventListener('abort', drain, { once: true })
  signals.abort.addEventListener('abort', abort, { once: true })
}

function confirm(context: Context, service: Service, plan: ProbePlan): Promise<boolean> {
  const { progress, world } = context
  const { customers, unknownCustomer, usualPosts, mostPosts, burstReads } = plan
  const lines: Line[] = [
    [toned('strong', 'The plan')],
    ['Target: ', toned('strong', plan.service.href), ', which must be a test environment'],
    `User at the service: ${service.credentials.username}`,
    `Customers: ${customers.join(', ')}, and ${unknownCustomer} as an unknown one`,
    `To send: ${usualPosts} requests for made-up mandates, up to ${mostPosts} where answers are lost; nothing is cancelled afterwards`,
    `To read: what these customers have, again and again, and ${plural(burstReads, 'time', 'times')} in a row`,
    ...trustedLines(service.trusted),
  ]
  for (const line of lines) progress.note(line)
  return typeHost(context, plan.service.host, (question) => askText(world, question))
}

function concluded(
  context: Context,
  { baseUrl }: Service,
  { findings, open, proposal, observations }: Probed,
  target: string | null,
): CommandResult {
  const { world, settings } = context
  const { ended } = observations
  const mandates = leftBehind(observations)
  const text = proposalText({ host: baseUrl.host, now: world.clock.now() }, findings, proposal)
  const failure = target === null ? null : write(target, text)
  const contrary = contradicted(proposal, settings.configuration.values.outcomes)
  return {
    ...emptyResult,
    exitCode: exitOf(ended, open, world.signals.exitStatus()),
    campaign: { ledger: null, baseUrl: baseUrl.href },
    files: target === null || failure !== null ? {} : { proposal: target },
    warnings: [
      ...contrary.map(
        (status) =>
          `The configuration calls ${status} something else than the proposal; look at its outcomes`,
      ),
      ...(failure === null ? [] : [failure]),
    ],
    errors: ended === null ? [] : [endOf(ended)],
    lines: [
      ...findingLines(findings),
      ...(open.length === 0 ? [] : [`Open: ${open.map(nameOf).join(', ')}.`]),
      '',
      [toned('strong', 'Proposed settings'), ...(target === null ? [] : [` (${target})`])],
      ...text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
      '',
      ...leftBehindLines(mandates),
    ],
    details: { findings, open, proposal, mandates, ended },
  }
}

/** What was found out is on the screen as well, so a file that cannot be written costs nothing. */
function write(target: string, text: string): string | null {
  try {
    const descriptor = openTrusted(target, { mode: 'create', what: 'proposal' })
    try {
      writeSync(descriptor, text)
      return null
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    return `The proposal was not written: ${why.replace(/; nothing was sent$/, '')}`
  }
}

const nameOf = (finding: string): string => finding.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function exitOf(ended: Ended | null, open: readonly string[], signalStatus: number | null): number {
  if (ended === 'signal') return signalStatus ?? 130
  if (ended === 'credentials') return 6
  return ended === null && open.length === 0 ? 0 : 5
}

function endOf(ended: Ended): CommandResult['errors'][number] {
  const next = 'Look at the made-up mandates that are named, then run the same command again'
  switch (ended) {
    case 'signal':
      return { kind: 'interrupted', message: 'The probe was interrupted', next }
    case 'no_connection':
      return { kind: ended, message: 'The service cannot be reached', next: `Check the address. ${next}` }
    default:
      return { kind: ended, message: stopOfHalt(ended).why, next }
  }
}
