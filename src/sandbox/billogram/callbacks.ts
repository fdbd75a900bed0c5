import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BillogramEvent } from '../../contract/billogram.js'
import { EVENT_CALLBACK, SIGNATURE_HEADER, signedBefore, TIMESTAMP_HEADER } from '../../contract/callback.js'
import type { Opened } from '../settings.js'
import type { PlainFields } from './billogram-record.js'
import { isLoopback } from '../../domain/text/text.js'

const TIMEOUT_MS = 5_000

/** A callback that was not answered with success is repeated after so long (choice 15). */
const REPEATED_AFTER_MS = [1_000, 10_000]

/**
 * Posts events to `callbacks.url` without making anybody wait. The log gets one line per try; it names the event, never
 * the URL or a key.
 */
export function postCallbacks(
  callbacks: PlainFields['callbacks'],
  events: readonly BillogramEvent[],
  { log, now, closing }: Opened,
): void {
  if (callbacks?.url === undefined) return
  const target = loopbackTarget(callbacks.url)
  for (const event of events) {
    const report = (end: string) => log(`callback ${event.type} of billogram ${event.billogram_id}: ${end}`)
    if (target === null) report('not sent, only loopback addresses over http are called')
    else void deliver(signed(callbacks, event, now()), target, report, closing)
  }
}

/** As published (contract/README.md#callbacks); without a key it goes unsigned. */
function signed(
  { custom, sign_key }: NonNullable<PlainFields['callbacks']>,
  event: BillogramEvent,
  now: Date,
) {
  const timestamp = now.toISOString()
  const body = JSON.stringify({
    callback_id: randomUUID(),
    callback_timestamp: timestamp,
    callback_type: EVENT_CALLBACK,
    custom: custom ?? null,
    event,
  })
  const signature = (key: string) =>
    createHmac('sha256', key)
      .update(signedBefore(timestamp) + body)
      .digest('hex')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    [TIMESTAMP_HEADER]: timestamp,
    ...(sign_key === undefined ? {} : { [SIGNATURE_HEADER]: signature(sign_key) }),
  }
  return { headers, body }
}

/** A callback never leaves this computer. `localhost` is taken literally, so that no resolver is asked. */
function loopbackTarget(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  const isPlain = url.protocol === 'http:' && url.username === '' && url.password === ''
  return isPlain && isLoopback(url.hostname) ? url : null
}

async function deliver(
  callback: ReturnType<typeof signed>,
  target: URL,
  report: (end: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const waitMs of [0, ...REPEATED_AFTER_MS]) {
    try {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      const status = await send(callback, target, signal)
      report(`answered ${status}`)
      if (status >= 200 && status < 300) return
    } catch (error) {
      if (signal.aborted) return
      report(error instanceof Error ? error.message : 'unknown error')
    }
  }
}

const send = (
  { headers, body }: ReturnType<typeof signed>,
  target: URL,
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(target, { method: 'POST', headers, agent: false, signal })
    outgoing
      .setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
      .on('response', (answer) => {
        answer.on('error', () => undefined).resume()
        resolve(answer.statusCode ?? 0)
      })
      .on('error', reject)
      .end(body)
  })
