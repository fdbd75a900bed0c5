/**
 * A service that answers every registration after `delay` milliseconds and keeps nothing, in a process of its own:
 * node stub-service.js DELAY. It says where it listens, and how many requests came from when to when.
 */
import { createServer } from 'node:http'

const delayMs = Number(process.argv[2] ?? 0)
let count = 0
let firstMs = 0
let lastMs = 0

const server = createServer((request, response) => {
  if (count === 0) firstMs = performance.now()
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => (body += piece))
  request.on('end', () => {
    const { customer_no, iban, signed_date } = JSON.parse(body)
    count += 1
    const data = {
      customer_no,
      iban,
      signed_date,
      sepa_creditor_identifier: 'DE84ZZZ09876543210',
      unique_mandate_reference: `N${count}`,
    }
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
process.on('message', () => {
  process.send({ count, seconds: (lastMs - firstMs) / 1000 })
  count = 0
})
