/** The reference of sending: node bare-post.js FILE URL CONCURRENCY posts every row of the export and reads the answer. */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const [file, url, concurrency] = process.argv.slice(2)
const bodies = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [customer, iban, signed_date, sepa_creditor_identifier, unique_mandate_reference] = line.split(',')
    const amendment = { sepa_creditor_identifier, unique_mandate_reference }
    return JSON.stringify({ customer_no: Number(customer), iban, signed_date, amendment })
  })
const pool = new Pool(url, { connections: Number(concurrency) })
const headers = {
  authorization: `Basic ${Buffer.from('bench:bench').toString('base64')}`,
  'content-type': 'application/json',
  accept: 'application/json',
}
let next = 0
async function postOnAndOn() {
  while (next < bodies.length) {
    const body = bodies[next]
    next += 1
    const answer = await pool.request({
      path: '/api/v2/sepa_dd_mandate/migrate',
      method: 'POST',
      headers,
      body,
    })
    const { data } = JSON.parse(await answer.body.text())
    if (answer.statusCode !== 200 || data.iban === '') throw new Error('The stub answers otherwise')
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, postOnAndOn))
await pool.close()
