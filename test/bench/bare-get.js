/** The reference of asking: node bare-get.js FILE URL CONCURRENCY asks for every customer of the export and reads the list. */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const [file, url, concurrency] = process.argv.slice(2)
const customers = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.slice(0, line.indexOf(',')))
const pool = new Pool(url, { connections: Number(concurrency) })
const headers = {
  authorization: `Basic ${Buffer.from('bench:bench').toString('base64')}`,
  accept: 'application/json',
}
let next = 0
async function askOnAndOn() {
  while (next < customers.length) {
    const path = `/api/v2/payment_source?customer_no=${customers[next]}`
    next += 1
    const answer = await pool.request({ path, method: 'GET', headers })
    const { data } = JSON.parse(await answer.body.text())
    if (answer.statusCode !== 200 || data.length !== 1) throw new Error('The stub answers otherwise')
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, askOnAndOn))
await pool.close()
