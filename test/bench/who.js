// Asking who the customers are beside asking what the service holds: node test/bench/who.js [customers] [latency ms] [at a time]
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [customers = '100000', latency = '20', atATime = '32'] = process.argv.slice(2)
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'who-'))
const env = {
  PATH: process.env.PATH,
  SEPA_MIGRATE_USERNAME: 'sandbox',
  SEPA_MIGRATE_PASSWORD: 'sandbox',
  XDG_STATE_HOME: join(folder, 'state'),
}

const iban = (n) => {
  const bban = `37040044${String(n).padStart(10, '0')}`
  return `DE${String(98n - (BigInt(`${bban}131400`) % 97n)).padStart(2, '0')}${bban}`
}
const numbers = Array.from({ length: Number(customers) }, (_, n) => n + 1)
const lines = numbers.map(
  (n) => `${n},${iban(n)},2024-03-0${(n % 9) + 1},DE98ZZZ09999999999,M-${n},Payer ${n} Name`,
)
const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,payer_name'
writeFileSync(join(folder, 'export.csv'), [header, ...lines, ''].join('\n'), { mode: 0o600 })
const known = numbers.map((n) => ({ customer_no: n, name: `Payer ${n} Name` }))
writeFileSync(join(folder, 'customers.json'), JSON.stringify(known), { mode: 0o600 })

const server = spawn(
  process.execPath,
  [cli, 'sandbox', '--port', '0', '--latency', latency, '--customers', 'customers.json'],
  { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
)
const url = await new Promise((resolve) =>
  server.stdout.on('data', (text) => resolve(/http:\/\/\S+/.exec(String(text))?.[0])),
)

function timed(...argv) {
  const began = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [cli, ...argv, '--concurrency', atATime], {
    cwd: folder,
    env: { ...env, SEPA_MIGRATE_BASE_URL: url },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`)
  return (performance.now() - began) / 1_000
}

const alone = timed('check', 'export.csv')
const who = timed('check', 'export.csv', '--who') - alone
timed('run', 'export.csv', '--no-report')
const readBack = timed('verify', '--no-report')
console.log(
  `${customers} customers, ${latency} ms, ${atATime} at a time: who ${who.toFixed(1)} s (${Math.round(customers / who)} a second), read-back ${readBack.toFixed(1)} s (${Math.round(customers / readBack)} a second)`,
)
server.kill()
rmSync(folder, { recursive: true })
