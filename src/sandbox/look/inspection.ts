import { Hono } from 'hono'
import { maskIban } from '../../domain/text/masking.js'
import { failedDirectDebit, type Billogram } from '../../contract/billogram.js'
import { toBillogram } from '../billogram/billogram-record.js'
import { readBody, refuse, type Reply, readJsonBody, refusalAnswer } from '../refusal.js'
import type { Env, ServiceParts } from '../service.js'
import type { HeldMandate, Store } from '../store.js'
import { keepBillogram } from '../billogram/update-billogram.js'

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

/** As the inspection shows it; `Sandbox.mandates` gives the account number, because it stays in the process. */
const shown = (mandate: HeldMandate, { showAccounts }: Pick<ServiceParts, 'showAccounts'>): HeldMandate =>
  showAccounts ? mandate : { ...mandate, iban: maskIban(mandate.iban) }

/** A JSON array, one mandate per line. */
function* mandatesText(parts: ServiceParts): Generator<Uint8Array> {
  let text = '['
  let count = 0
  for (const mandate of heldMandates(parts.store)) {
    text += `${count === 0 ? '' : ','}\n${JSON.stringify(shown(mandate, parts))}`
    count += 1
    if (count % PAGE > 0) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}\n]\n`)
}

export const heldBillograms = ({ store, choices }: Pick<ServiceParts, 'store' | 'choices'>): Billogram[] =>
  store.billograms().map((record) => toBillogram(record, choices))

/**
 * What the sandbox truly holds, and the actions that stand for the bank. Not part of the service's interface.
 * Account numbers are masked unless the sandbox was told to show them.
 */
export function serveInspection(parts: ServiceParts): Hono<Env> {
  const { store, counter, now } = parts
  const app = new Hono<Env>()
  app.get('/_sandbox/mandates', () => {
    const headers = { 'content-type': 'application/json' }
    return new Response(ReadableStream.from(mandatesText(parts)), { headers })
  })
  app.get('/_sandbox/offers', (c) => c.json(store.offers()))
  app.get('/_sandbox/billograms', (c) => c.json(heldBillograms(parts)))
  app.get('/_sandbox/requests', (c) => c.json(counter.counts()))
  app.post('/_sandbox/mandates/:reference/first-payment', async (c) => {
    const body = await readJsonBody(c.env.incoming, LARGEST_ACTION_BYTES)
    if (body.kind === 'refused') return refusalAnswer(body)
    const reference = c.req.param('reference')
    store.finalise(reference, now().toISOString())
    const mandate = store.mandateByReference(reference)
    return mandate === null
      ? refusalAnswer(refuse(404, 'NOT_FOUND', 'There is no mandate with this reference'))
      : c.json({ status: 'OK', data: shown(mandate, parts) })
  })
  app.post('/_sandbox/billograms/:id/failed-direct-debit', async (c) =>
    failDirectDebit(c.req.param('id'), await readJsonBody(c.env.incoming, LARGEST_ACTION_BYTES), parts),
  )
  return app
}

function failDirectDebit(id: string, body: Reply<unknown>, parts: ServiceParts): Response {
  const details = body.kind === 'refused' ? body : readBody(failedDirectDebit, body.content)
  if (details.kind === 'refused') return refusalAnswer(details)
  const current = parts.store.billogramById(id)
  if (current === null) return refusalAnswer(refuse(404, 'NOT_FOUND', 'There is no billogram with this id'))
  const happened = [{ type: 'DirectDebitFailed', data: details.content }]
  const data = keepBillogram(current, happened, parts.now().toISOString(), parts)
  return Response.json({ status: 'OK', data })
}
