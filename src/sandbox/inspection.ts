import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { failedDirectDebit, type Billogram } from '../contract/billogram.js'
import { isFromHere, refusalOfHeader } from './authentication.js'
import { toBillogram } from './billogram-record.js'
import { readBody, refuse, type Reply } from './refusal.js'
import { readJsonBody } from './request-body.js'
import { refusalAnswer, type ServiceParts } from './service.js'
import type { HeldMandate, Store } from './store.js'
import { withEvents } from './update-billogram.js'

type Env = { Bindings: HttpBindings }

const PAGE = 5_000
const LARGEST_ACTION_BYTES = 64 * 1024

/** Every mandate, page by page, so that a million of them never stand in memory as one text. */
export function* heldMandates(store: Store): Generator<HeldMandate> {
  for (let seen = 0; ;) {
    const page = store.mandatesAfter(seen, PAGE)
    yield* page
    seen += page.length
    if (page.length < PAGE) return
  }
}

export const heldBillograms = ({ store, choices }: Pick<ServiceParts, 'store' | 'choices'>): Billogram[] =>
  store.billograms().map((record) => toBillogram(record, choices))

/**
 * What the sandbox truly holds, and the actions that stand for the bank. Not part of the service's interface.
 * Reading needs credentials unless the request comes from this computer; acting always does.
 */
export function serveInspection(parts: ServiceParts): Hono<Env> {
  const { store, counter, credentials, now } = parts
  const app = new Hono<Env>()
  app.use('/_sandbox/*', async (c, next) => {
    const refusal = refusalOfHeader(c.req.header('authorization'), credentials)
    if (
      refusal === null ||
      (c.req.method === 'GET' &&
        refusal.code === 'MISSING_AUTH' &&
        isFromHere(c.env.incoming.socket.remoteAddress, c.req.header('host')))
    ) {
      return next()
    }
    return refusalAnswer(refusal, { 'www-authenticate': 'Basic realm="sandbox"' })
  })
  app.get('/_sandbox/mandates', () => listAnswer(heldMandates(store)))
  app.get('/_sandbox/offers', (c) => c.json(store.offers()))
  app.get('/_sandbox/billograms', (c) => c.json(heldBillograms(parts)))
  app.get('/_sandbox/requests', (c) => c.json(counter.counts()))
  app.post('/_sandbox/mandates/:reference/first-payment', (c) => {
    const reference = c.req.param('reference')
    store.finalise(reference, now().toISOString())
    const mandate = store.mandateByReference(reference)
    return mandate === null
      ? refusalAnswer(refuse(404, 'NOT_FOUND', 'There is no mandate with this reference'))
      : c.json({ status: 'OK', data: mandate })
  })
  app.post('/_sandbox/billograms/:id/failed-direct-debit', async (c) =>
    failDirectDebit(c.req.param('id'), await readJsonBody(c.env.incoming, LARGEST_ACTION_BYTES), parts),
  )
  return app
}

function failDirectDebit(id: string, body: Reply<unknown>, parts: ServiceParts): Response {
  const { store, choices, callbacks, seed, now } = parts
  const details = body.kind === 'refused' ? body : readBody(failedDirectDebit, body.content)
  if (details.kind === 'refused') return refusalAnswer(details)
  const current = store.billogramById(id)
  if (current === null) return refusalAnswer(refuse(404, 'NOT_FOUND', 'There is no billogram with this id'))
  const record = withEvents(current, { seed, now: now().toISOString() }, [
    { type: 'DirectDebitFailed', data: details.content },
  ])
  store.putBillogram(record)
  callbacks.post(record.fields.callbacks, record.events.slice(current.events.length))
  return Response.json({ status: 'OK', data: toBillogram(record, choices) })
}

/** Streams a JSON array, one value per line. */
function listAnswer(values: Iterable<unknown>): Response {
  const iterator = values[Symbol.iterator]()
  let separator = '['
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let text = ''
      for (let count = 0; count < PAGE; count += 1) {
        const next = iterator.next()
        if (next.done === true) {
          controller.enqueue(Buffer.from(`${text}${separator === '[' ? '[' : ''}\n]\n`))
          controller.close()
          return
        }
        text += `${separator}\n${JSON.stringify(next.value)}`
        separator = ','
      }
      controller.enqueue(Buffer.from(text))
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
