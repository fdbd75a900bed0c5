/**
 * A service that answers every registration, and every question for what it registered, after `delay` milliseconds, in a
 * process of its own: node stub-service.js DELAY. It says where it listens, and how many requests came from when to when.
 */
import { createServer } from 'node:http'

let delayMs = Number(process.argv[2] ?? 0)
/** By customer: what a list of payment sources needs. */
const held = new Map()
let count = 0
let firstMs = 0
let lastMs = 0

function register({ customer_no, iban, signed_date }) {
  const unique_mandate_reference = `N${count}`
  held.set(customer_no, { iban, signed_date, unique_mandate_reference })
  return {
    customer_no,
    iban,
    signed_date,
    sepa_creditor_identifier: 'DE84ZZZ09876543210',
    unique_mandate_reference,
  }
}

function listOf(url) {
  const customer = Number(url.slice(url.lastIndexOf('=') + 1))
  const { iban, signed_date, unique_mandate_reference: reference } = held.get(customer)
  const details = { reference, iban, signed_at: `${signed_date}T00:00:00` }
  return [{ id: `S${customer}`, status: 'PENDING', scheme: 'SEPA_DIRECT_DEBIT', details }]
}

const server = createServer((request, response) => {
  if (count === 0) firstMs = performance.now()
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    count += 1
    const data = request.method === 'GET' ? listOf(request.url) : register(JSON.parse(body))
    const answer = JSON.stringify({ status: 'OK', data })
    const send = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      response.end(answer)
      lastMs = performance.now()
    }
    if (delayMs === 0) send()
    else setTimeout(send, delayMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', (message) => {
  if (message.delayMs !== undefined) delayMs = message.delayMs
  process.send({ count, seconds: (lastMs - firstMs) / 1000 })
  count = 0
})
