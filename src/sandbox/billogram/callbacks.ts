import { createHmac } from 'node:crypto'
import { request, type ClientRequest } from 'node:http'
import type { BillogramEvent } from '../../contract/billogram.js'
import { isLoopback } from '../../domain/text/loopback.js'
import type { PlainFields } from './billogram-record.js'

/** The header that carries `sha256=` and the hex HMAC of the exact body, keyed with `sign_key` (choice 15). */
const SIGNATURE_HEADER = 'x-sandbox-signature'

const TIMEOUT_MS = 5_000

/** Posts events to `callbacks.url`, once each, without making anybody wait. */
export interface Callbacks {
  post(callbacks: PlainFields['callbacks'], events: readonly BillogramEvent[]): void
  /** Ends what is under way. */
  close(): void
}

const signatureOf = (body: string, signKey: string): string =>
  `sha256=${createHmac('sha256', signKey).update(body).digest('hex')}`

/** `log` gets one line per callback; it names the event, never the URL or a key. */
export function openCallbacks(log: (line: string) => void): Callbacks {
  const underWay = new Set<ClientRequest>()
  return {
    post(callbacks, events) {
      if (callbacks?.url === undefined) return
      const target = loopbackTarget(callbacks.url)
      for (const event of events) {
        const report = (end: string) =>
          log(`callback ${event.type} of billogram ${event.billogram_id}: ${end}`)
        if (target === null) {
          report('not sent, only loopback addresses over http are called')
          continue
        }
        const sent = send(target, bodyOf(event, callbacks.custom), callbacks.sign_key, report)
        underWay.add(sent)
        sent.once('close', () => underWay.delete(sent))
      }
    },
    close() {
      for (const sent of underWay) sent.destroy()
    },
  }
}

/** The body of a callback: the event as answers show it and the `custom` text of the billogram. */
const bodyOf = (event: BillogramEvent, custom: string | undefined): string =>
  JSON.stringify({ event, custom: custom ?? null })

/** A callback never leaves this computer. `localhost` is taken literally, so that no resolver is asked. */
function loopbackTarget(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  const isPlain = url.protocol === 'http:' && url.username === '' && url.password === ''
  return isPlain && isLoopback(url.hostname) ? url : null
}

function send(
  target: URL,
  body: string,
  signKey: string | undefined,
  report: (end: string) => void,
): ClientRequest {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(signKey === undefined ? {} : { [SIGNATURE_HEADER]: signatureOf(body, signKey) }),
  }
  const outgoing = request(target, { method: 'POST', headers, agent: false })
  outgoing
    .setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    .on('response', (answer) => {
      answer.on('error', () => undefined).resume()
      report(`answered ${answer.statusCode ?? 0}`)
    })
    .on('error', (error) => report(error.message))
    .end(body)
  return outgoing
}
