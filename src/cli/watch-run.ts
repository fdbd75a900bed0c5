import { type OutcomeKind, isHeldBack } from '../domain/row/outcome.js'
import { durationText, plural } from '../domain/text/wording.js'
import type { MigrationEvent } from '../migrate/options.js'
import type { DeliveryEvent } from '../run/deliver.js'
import type { Context } from './command.js'
import { tellNotNoted } from './privacy/remains.js'
import { toned, type Toned } from './terminal/line.js'
export type Closed = Extract<MigrationEvent, { kind: 'closed' }>

export function announceSignals({ world: { signals }, progress }: Context): void {
  const say = (text: string) => () => progress.note(text)
  signals.drain.addEventListener(
    'abort',
    say('Signal received: no new rows; waiting for what is under way (signal again to give it up)'),
  )
  signals.abort.addEventListener(
    'abort',
    say('Second signal: giving up what is under way; those rows become in doubt'),
  )
}

/** Shows and logs what happens in a run; how it ends is the result's to say. */
export function watchRun(context: Context): (event: Exclude<MigrationEvent, Closed>) => void {
  const { progress, log } = context
  const isVerbose = context.settings.get('verbose') ?? false
  return (event) => {
    switch (event.kind) {
      case 'opened':
        noteOpened(context, event)
        return
      case 'reading':
        progress.reading(event.source, event.records)
        return
      case 'sending':
        progress.sending(event.rows)
        return
      case 'warning':
        progress.note([toned('open', 'Warning'), `: ${event.text}`])
        return
      default:
        log.delivery(event)
        showDelivery(context, event, isVerbose)
    }
  }
}

function noteOpened(
  context: Context,
  { recovered, allowed, notNoted }: Extract<MigrationEvent, { kind: 'opened' }>,
): void {
  const { progress } = context
  tellNotNoted(context, notNoted)
  if (recovered > 0)
    progress.note(
      `${plural(recovered, 'row was', 'rows were')} under way when the last run ended, and ${recovered === 1 ? 'is' : 'are'} in doubt now`,
    )
  for (const text of allowed) progress.note(text)
}

function showDelivery({ progress }: Context, event: DeliveryEvent, isVerbose: boolean): void {
  switch (event.kind) {
    case 'intent':
      return
    case 'outcome':
      progress.outcome(event.outcome.kind)
      // Of a campaign that was begun by hand there may be thousands, and nothing of them is urgent.
      if (isVerbose || (event.outcome.kind === 'in_doubt' && !isHeldBack(event.outcome)))
        progress.note([`Row ${event.row.id}: `, outcomeWord(event.outcome.kind), `. ${event.outcome.reason}`])
      return
    case 'pause':
      progress.event(`Waiting ${durationText(event.delayMs)}: ${event.outcome.reason}`)
      return
    case 'stop':
      progress.note([toned('open', 'Stopping'), `: ${event.stop.why}`])
      return
  }
}

const TONES = {
  registered: 'good',
  refused: 'bad',
  in_doubt: 'open',
  turned_away: 'soft',
  not_sent: 'soft',
} as const

const outcomeWord = (kind: OutcomeKind): Toned => toned(TONES[kind], kind.replace('_', ' '))
