import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import Papa from 'papaparse'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import type { Machine } from '../../src/machine.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { look } from '../ledger/ledger-views.js'
import { germanIban, linesOf, type Row, validExport } from './export.js'
import { CREDENTIALS, type Ended, inReport, makeFolder, paste, runProgram, start } from './program.js'
import { startTruth, type TruthOptions } from './truth-server.js'

interface PlaceOptions {
  /** So many valid rows in export.csv. */
  readonly rows?: number
  readonly sandbox?: SandboxOptions
  /** `isReal`: the program takes it for a service of somebody else. */
  readonly truth?: Pick<TruthOptions, 'delayMs'> & { readonly isReal?: boolean }
  readonly env?: Readonly<Record<string, string>>
  /** The register lies in the folder, too. */
  readonly ownState?: boolean
  readonly time?: Partial<Pick<Machine, 'clock' | 'after'>>
}

/** The parts of JSON documents that tests look at. */
export interface Told {
  readonly exitCode: number
  readonly totals: Readonly<Record<string, number>>
  readonly balanced: boolean
  readonly errors: readonly {
    readonly kind: string
    readonly message: string
    readonly next: string
    readonly faults?: readonly string[]
  }[]
  readonly warnings: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

/** Somebody in a folder, with a service that the settings of the terminal name, where there is one. */
export type Place = Awaited<ReturnType<typeof openPlace>>

/** A second delivery must show as a second mandate: the usual refusal would hide it. */
export const countingTwice = (options: SandboxOptions): SandboxOptions => ({
  seed: 1,
  password: CREDENTIALS.SEPA_MIGRATE_PASSWORD,
  ...options,
  choices: { repeatedMandate: 'register', ...options.choices },
})

async function openPlace(options: PlaceOptions = {}) {
  const { folder, remove } = makeFolder()
  const sandbox = options.sandbox === undefined ? null : await startSandbox(countingTwice(options.sandbox))
  const { isReal = false, ...asked } = options.truth ?? {}
  const truth =
    options.truth === undefined
      ? null
      : await startTruth({ ...asked, ...(isReal ? { asRealService: folder } : {}) })
  const baseUrl = sandbox?.url ?? truth?.baseUrl
  const env = {
    ...CREDENTIALS,
    ...truth?.env,
    ...(baseUrl === undefined ? {} : { SEPA_MIGRATE_BASE_URL: baseUrl }),
    ...(options.ownState === true ? { XDG_STATE_HOME: join(folder, 'state') } : {}),
    ...options.env,
  }
  const path = (name: string): string => join(folder, inReport(name))
  const read = (name: string): string => readFileSync(path(name), 'utf8')
  const write = (name: string, text: string | Uint8Array): void =>
    writeFileSync(path(name), text, { mode: 0o600 })
  const parse = (name: string) =>
    Papa.parse<Row>(read(name).replace(/^\uFEFF/, ''), { header: true, skipEmptyLines: true })
  const save = (name: string, rows: readonly Row[], delimiter = ','): void =>
    write(name, stringify([...rows], { header: true, delimiter, quoted: true }))
  /** The same with more in the environment. */
  const programWith = (more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> =>
    runProgram(args, { cwd: folder, env: { ...env, ...more }, time: options.time })
  const ledger = <Value>(ask: (reader: LedgerReader) => Value, name = 'sepa-migrate.db'): Value =>
    look(path(name), ask)
  const program = (...args: string[]): Promise<Ended> => programWith({}, ...args)
  /** The same, and it ends with this status. */
  const ends = async (status: number, ...args: string[]): Promise<Ended> => {
    const ended = await program(...args)
    expect(ended.status, ended.stdout + ended.stderr).toBe(status)
    return ended
  }
  const rows = (name: string): Row[] => parse(name).data
  /** Changes lines as a spreadsheet does, and saves them with the separator that they had. */
  const edit = (name: string, change: Row | ((row: Row) => Row), saved = name): void => {
    const { data, meta } = parse(name)
    const changed = (row: Row): Row => (typeof change === 'function' ? change(row) : { ...row, ...change })
    save(saved, data.map(changed), meta.delimiter)
  }
  /** What the service registered, as often as it did, as the lines of mandates. */
  const registered = (): string[] =>
    linesOf(
      sandbox!.mandates().map(({ customer_no, iban, signed_date, amendment }) => ({
        ...{ customer_no: String(customer_no), iban, signed_date },
        unique_mandate_reference: amendment.unique_mandate_reference,
      })),
    )
  /** Runs what is given, and expects this status and exactly these mandates at the service afterwards. */
  const expectRun = async (args: readonly string[], status: number, mandates: readonly Row[]) => {
    const ended = await program('run', ...args)
    expect([ended.status, registered()], ended.stdout + ended.stderr).toEqual([status, linesOf(mandates)])
    return ended
  }
  if (options.rows !== undefined) write('export.csv', validExport(options.rows))
  return {
    folder: () => folder,
    /** Files of a report by their name alone. */
    path,
    read,
    write,
    /** The lines of a CSV file by column, and how to save such. */
    rows,
    save,
    edit,
    env: (): Readonly<Record<string, string>> => env,
    program,
    ends,
    programWith,
    /** With this at its standard input. */
    piping: (input: string, ...args: string[]): Promise<Ended> =>
      runProgram(args, { cwd: folder, env, input }),
    json: async <Document extends object = Told>(...args: string[]) =>
      JSON.parse((await programWith({}, ...args, '--json')).stdout) as Document,
    start: (...args: string[]) => start(args, { cwd: folder, env }),
    /** Runs what the last line of this output says to type, word for word. */
    pasteNext: (before: Ended) => paste(nextOf(before), { cwd: folder, env }),
    sandbox: () => sandbox!,
    /** Customers whose mandates the sandbox holds, in the order of their requests. */
    held: () => sandbox!.mandates().map(({ customer_no }) => customer_no),
    registered,
    /** What it holds of a customer. */
    mandateOf: (customer: number) => sandbox!.mandates().find(({ customer_no }) => customer_no === customer),
    truth: () => truth!,
    ledger,
    totals: (name?: string) => ledger((reader) => reader.totals(), name),
    /** The lines of a list in the report; of one that is not written where nothing is open, none. */
    listOf: (name: string): Row[] => (existsSync(path(name)) ? rows(name) : []),
    /** What waits for a word of a person. */
    waiting: (): string[] => linesOf(rows('corrections.csv')),
    /** The rule that holds each record, by its reference. */
    heldBy: (): Row =>
      Object.fromEntries(
        rows('corrections.csv').map((row) => [row['unique_mandate_reference'], row['migration_rule'] ?? '']),
      ) as Row,
    expectRun,
    /** The same of each, one after the other; the last one alone writes its report. */
    expectRuns: async (
      all: readonly (readonly string[])[],
      ...expected: readonly [number, readonly Row[]]
    ) => {
      for (const [at, args] of all.entries())
        await expectRun(at + 1 < all.length ? [...args, '--no-report'] : args, ...expected)
    },
    /** Somebody writes a word beside lines of the corrections, and gives them back. */
    decide: async (word: 'send' | 'written-off', which: readonly Row[]): Promise<Ended> => {
      const chosen = new Set(linesOf(which))
      const said = { migration_decision: word, migration_reason: 'the customer was asked' }
      edit('corrections.csv', (row) => (chosen.delete(linesOf([row]).join()) ? { ...row, ...said } : row))
      expect([...chosen], 'in no line of the list').toEqual([])
      return program(...(word === 'send' ? ['run'] : ['resolve', '--from']), inReport('corrections.csv'))
    },
    close: async () => {
      await sandbox?.close()
      await truth?.close()
      remove()
    },
  }
}

/** The command of the one `Next:` line, which is nothing but a command. */
export function nextOf({ stdout, stderr }: Ended): string {
  const lines = stdout.split('\n').filter((line) => line.startsWith('Next: '))
  expect(lines, stdout + stderr).toHaveLength(1)
  expect(lines[0]).toMatch(/^Next: sepa-migrate [a-z]+/)
  return lines[0]?.slice('Next: '.length) ?? ''
}

/** What the last line says where records wait for a word. */
export const GIVE_BACK = `sepa-migrate run ${inReport('to-do.xlsx')}`

/** As somebody else would ask the sandbox, past the program: a POST with this body, or a GET without. */
const atService = (place: Pick<Place, 'sandbox'>, path: string, body?: object): Promise<Response> => {
  const { url, username, password } = place.sandbox()
  return fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Basic ${btoa(`${username}:${password}`)}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(2_000),
  })
}

/** A mandate of a customer as `validExport` has it but for this, which somebody else gives to the service. */
export const postElsewhere = (place: Place, customerNo: number, change: object = {}): Promise<Response> =>
  atService(place, '/api/v2/sepa_dd_mandate/migrate', {
    customer_no: customerNo,
    iban: germanIban(customerNo),
    signed_date: `2024-03-${String((customerNo % 28) + 1).padStart(2, '0')}`,
    amendment: {
      sepa_creditor_identifier: 'DE98ZZZ09999999999',
      unique_mandate_reference: `ELSEWHERE-${customerNo}`,
    },
    ...change,
  })

/** What it lists of one customer. */
export async function sourceIds(place: Pick<Place, 'sandbox'>, customerNo: number): Promise<string[]> {
  const answer = await atService(place, `/api/v2/payment_source?customer_no=${customerNo}`)
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

export async function cancelSource(place: Pick<Place, 'sandbox'>, id = ''): Promise<void> {
  expect((await atService(place, `/api/v2/payment_source/${id}/cancel`, {})).status).toBe(200)
}

/** A mandate as a list of the service shows it. */
export const listed = (mandate: ReturnType<Sandbox['mandates']>[number]): Row => ({
  customer_no: String(mandate.customer_no),
  iban: mandate.iban,
  signed_date: mandate.signed_date,
  sepa_creditor_identifier: mandate.sepa_creditor_identifier,
  unique_mandate_reference: mandate.unique_mandate_reference,
})

/** A place that goes when the test ends. */
export async function placeOfTest(options?: PlaceOptions): Promise<Place> {
  const place = await openPlace(options)
  onTestFinished(place.close)
  return place
}

/** Its members, whatever place is there when one is called. */
const whichever = (current: () => Place): Place =>
  new Proxy({} as Place, {
    get:
      (_, name) =>
      (...args: never[]) =>
        (current()[name as keyof Place] as (...given: never[]) => unknown)(...args),
  })

/** A place for each test of the file, or of the group that asks. */
export function placeForEach(options?: PlaceOptions): Place {
  let place: Place
  beforeEach(async () => void (place = await placeOfTest(options)))
  return whichever(() => place)
}

/** One place for all. */
export function placeForAll(options?: PlaceOptions): Place {
  let place: Place
  beforeAll(async () => void (place = await openPlace(options)))
  afterAll(() => place.close())
  return whichever(() => place)
}
