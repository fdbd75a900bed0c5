import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { validExport, validLine } from '../support/export.js'
import { CREDENTIALS, makeFolder, runProgram, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>
let server: Server
let baseUrl: string
let requests: number

beforeEach(async () => {
  place = makeFolder()
  requests = 0
  server = createServer((_request, response) => {
    requests += 1
    response.writeHead(500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.close()
  await once(server, 'close')
  place.remove()
})

const path = (name: string): string => join(place.folder, name)
const write = (name: string, content: string | Buffer): void => writeFileSync(path(name), content)
const run = (args: readonly string[], env: Readonly<Record<string, string>> = CREDENTIALS): Promise<Ended> =>
  runProgram(['run', '--json', ...args], { cwd: place.folder, env })

interface Refusal {
  readonly status: number
  readonly message: RegExp
}

/** Refused with that exit status and text, in JSON too; nothing was sent, and the next step is named. */
async function expectRefusal(ended: Promise<Ended>, { status, message }: Refusal): Promise<void> {
  const { status: actual, stdout, stderr } = await ended
  expect(stderr).toBe('')
  const document = JSON.parse(stdout) as {
    exitCode: number
    ok: boolean
    errors: { message: string; next: string }[]
  }
  expect(document.errors.map((error) => error.message).join('\n')).toMatch(message)
  expect(document.errors.every((error) => error.next.length > 0)).toBe(true)
  expect(document).toMatchObject({ exitCode: status, ok: false })
  expect(actual).toBe(status)
  expect(requests).toBe(0)
}

const [HEADER = ''] = validExport(0).split('\n')

describe('a source that cannot be trusted is refused whole, with exit status 7', () => {
  const cases: readonly (readonly [name: string, make: () => string, message: RegExp])[] = [
    ['a file that does not exist', () => 'missing.csv', /missing\.csv/],
    [
      'a directory',
      () => {
        mkdirSync(path('folder.csv'))
        return 'folder.csv'
      },
      /folder/,
    ],
    [
      'a link to itself, which cannot be looked at either',
      () => {
        symlinkSync('export.csv', path('export.csv'))
        return 'export.csv'
      },
      /ELOOP/,
    ],
    ['a name that no file can have', () => `${'x'.repeat(300)}.csv`, /ENAMETOOLONG/],
    ['an empty file', () => put(''), /no mandates|no header|empty/i],
    ['a header without rows', () => put(`${HEADER}\n`), /no mandates|no records/i],
    ['a missing column', () => put('customer_no,iban\n1,DE89370400440532013000\n'), /signed_date/],
    ['a column that occurs twice', () => put(`${HEADER},iban\n${validLine(1)},x\n`), /twice|iban/i],
    [
      'a quote that is never closed',
      () => put(`${HEADER}\n${validLine(1)}\n"2,unclosed\n${validLine(3)}\n${validLine(4)}\n`),
      /quote/i,
    ],
    [
      'binary content',
      () => put(Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7) % 256))),
      /text|read/i,
    ],
  ]

  function put(content: string | Buffer): string {
    write('export.csv', content)
    return 'export.csv'
  }

  for (const [name, make, message] of cases)
    it(name, async () => {
      await expectRefusal(run([make(), '--base-url', baseUrl]), { status: 7, message })
    })

  it('takes a good file of the same command with it, and both are admitted once the bad one is mended', async () => {
    write('good.csv', validExport(3))
    write('bad.csv', `${HEADER}\n"1,unclosed\n`)
    await expectRefusal(run(['good.csv', 'bad.csv', '--base-url', baseUrl]), { status: 7, message: /quote/i })
    const status = await runProgram(['status', '--json'], { cwd: place.folder })
    expect(JSON.parse(status.stdout)).toMatchObject({ totals: { read: 0 } })
  })

  it('names the line on which the unclosed quote was opened', async () => {
    write('export.csv', `${HEADER}\n${validLine(1)}\n${validLine(2)}\n"3,open\n${validLine(4)}\n`)
    const { stdout } = await run(['export.csv', '--base-url', baseUrl])
    expect(stdout).toMatch(/line 4/)
  })
})

describe('a setting that cannot be right is refused with exit status 2', () => {
  beforeEach(() => write('export.csv', validExport(2)))

  it('http to another host', async () => {
    await expectRefusal(run(['export.csv', '--base-url', 'http://service.example']), {
      status: 2,
      message: /service\.example.*unencrypted/,
    })
  })

  it('credentials in the base URL, which are not repeated in the message', async () => {
    const ended = await run(['export.csv', '--base-url', 'https://me:hunter2secret@service.example'])
    expect(ended.stdout + ended.stderr).not.toContain('hunter2secret')
    await expectRefusal(Promise.resolve(ended), { status: 2, message: /user name or a password/ })
  })

  it('no base URL', async () => {
    await expectRefusal(run(['export.csv']), { status: 2, message: /base URL/ })
  })

  it('no user name, and no password', async () => {
    await expectRefusal(run(['export.csv', '--base-url', baseUrl], {}), { status: 2, message: /user name/ })
    await expectRefusal(run(['export.csv', '--base-url', baseUrl], { SEPA_MIGRATE_USERNAME: 'me' }), {
      status: 2,
      message: /password/,
    })
  })

  it('a password file that others can read', async () => {
    writeFileSync(path('password'), 'x\n', { mode: 0o644 })
    const args = ['export.csv', '--base-url', baseUrl, '--password-file', 'password']
    await expectRefusal(run(args, { SEPA_MIGRATE_USERNAME: 'me' }), {
      status: 2,
      message: /other users may open it/,
    })
  })

  it('certificate checks turned off by the environment', async () => {
    await expectRefusal(
      run(['export.csv', '--base-url', baseUrl], { ...CREDENTIALS, NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      { status: 2, message: /NODE_TLS_REJECT_UNAUTHORIZED/ },
    )
  })

  it('another host without a terminal and without --yes', async () => {
    await expectRefusal(run(['export.csv', '--base-url', 'https://service.example']), {
      status: 2,
      message: /confirmation/,
    })
  })

  it('a flag, a value or a configuration key that does not exist', async () => {
    await expectRefusal(run(['--no-such-flag']), { status: 2, message: /no-such-flag/ })
    await expectRefusal(run(['export.csv', '--base-url', baseUrl, '--concurrency', 'many']), {
      status: 2,
      message: /--concurrency: "many"/,
    })
    write('sepa-migrate.yaml', 'servce: {}\n')
    await expectRefusal(run(['export.csv', '--base-url', baseUrl]), { status: 2, message: /servce/ })
  })

  it('no file and no ledger', async () => {
    await expectRefusal(run(['--base-url', baseUrl]), { status: 2, message: /no such file|no ledger/i })
  })
})

describe('a ledger that must not be written is refused with exit status 8', () => {
  beforeEach(() => write('export.csv', validExport(2)))
  const own = (): ReturnType<typeof openLedger> =>
    openLedger({ file: path('sepa-migrate.db'), clock: { now: () => 0, monotonic: () => 0 } })

  it('of another base URL or user name', async () => {
    const ledger = own()
    ledger.bind({ baseUrl: 'https://other.example', username: 'sandbox' })
    ledger.close()
    await expectRefusal(run(['export.csv', '--base-url', baseUrl]), { status: 8, message: /other\.example/ })
  })

  it("that is another program's SQLite file or no database at all, and it stays as it was", async () => {
    const content = 'this is not a database, but somebody needs it'
    writeFileSync(path('sepa-migrate.db'), content, { mode: 0o600 })
    await expectRefusal(run(['export.csv', '--base-url', baseUrl]), { status: 8, message: /ledger/ })
    expect(readFileSync(path('sepa-migrate.db'), 'utf8')).toBe(content)
    expect(readdirSync(place.folder).sort()).toEqual(['export.csv', 'sepa-migrate.db'])
  })

  it('that another run holds', async () => {
    const ledger = own()
    try {
      await expectRefusal(run(['export.csv', '--base-url', baseUrl]), { status: 8, message: /held it since/ })
    } finally {
      ledger.close()
    }
  })
})

describe('an installation in which the HTTP client cannot be loaded', () => {
  it('12 is told before an intent is written', async () => {
    write('export.csv', validExport(3))
    write(
      'broken.cjs',
      `const module_ = require('node:module')
       const load = module_._load
       module_._load = (name, ...rest) => {
         if (name === 'undici') throw new Error('undici is not there')
         return load(name, ...rest)
       }`,
    )
    const { status, stdout, stderr } = await run(['export.csv', '--base-url', baseUrl, '--ledger', 'a.db'], {
      ...CREDENTIALS,
      NODE_OPTIONS: '--require ./broken.cjs',
    })
    expect(stdout + stderr).toContain('undici is not there')
    expect(status).toBe(1)
    expect(requests).toBe(0)
    const ledger = openDatabase(path('a.db'), { readonly: true })
    const counts = ledger.prepare(
      'select (select count(*) from attempt) as sent, (select count(*) from row) as rows',
    )
    expect(counts.get()).toEqual({ sent: 0, rows: 0 })
    ledger.close()
  })
})
