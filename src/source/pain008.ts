import { hash } from 'node:crypto'
import { UsageError, refuse } from '../errors.js'
import { parseLocalDate } from '../domain/mandate/date.js'
import type { Amendment, CollectedMandate, LocalDate } from '../domain/mandate/mandate.js'
import { showValue } from '../domain/rule/verdict.js'
import { cleanCell, cleanCreditorIdentifier, isFiller, plural, upperCase } from '../domain/text/text.js'
import {
  checkIban,
  checkCreditorIdentifier,
  checkMandateReference,
  mandateKey,
} from '../domain/value/identifiers.js'
import {
  type ByteSource,
  openBytes,
  piecesOf,
  type ReadEnd,
  ENCODINGS,
  isCollections,
  opening,
  type Encoding,
} from './bytes/input.js'
import { readXml } from './bytes/xml.js'
import type { LimitOptions } from './options.js'
import type { InputFormat, RawRecord, TableEnd } from './table.js'

/** What is read stands at the same places in all of them; Austrian and Swiss schemas have more behind the version. */
const VERSION = /(?:^|[:/$])(pain\.008\.(?:001\.(?:0[1-9]|1[01])|00[23]\.02))(?=$|[:.][a-z])/i
const NEXT =
  'Read are pain.008.001.01 to .11 and the German 002.02 and 003.02, also within a container. Where no other file can be had, take reference, date of signature, account, creditor and last collection out of this one into a table (CSV or .xlsx) and give that; as evidence, go on without it.'

/** Where a transaction, its payment and the whole message begin; what a transaction says counts before its payment. */
const TRANSACTION = '/Document/CstmrDrctDbtInitn/PmtInf/DrctDbtTxInf/'
const PAYMENT = '/Document/CstmrDrctDbtInitn/PmtInf/'
const MESSAGE = '/Document/CstmrDrctDbtInitn/GrpHdr/'
const LEVELS = [TRANSACTION, PAYMENT, MESSAGE] as const

/** The column that each place feeds, as the reader knows it. What a mandate was before it was amended has other places. */
const COLUMNS = {
  'DrctDbtTx/MndtRltdInf/MndtId': 'unique_mandate_reference',
  'DrctDbtTx/MndtRltdInf/DtOfSgntr': 'signed_date',
  'DbtrAcct/Id/IBAN': 'iban',
  'CdtrSchmeId/Id': 'sepa_creditor_identifier',
  ReqdColltnDt: 'last_collection_date',
  'PmtTpInf/SeqTp': 'sequence',
  'PmtTpInf/LclInstrm/Cd': 'scheme',
  'Dbtr/Nm': 'debtor_name',
} as const
type Place = keyof typeof COLUMNS
const PLACES = Object.keys(COLUMNS) as readonly Place[]
const HEADER = Object.values(COLUMNS)
const [, SIGNED, , CREDITOR, COLLECTED, SEQUENCE, SCHEME] = [...HEADER.keys()] as [0, 1, 2, 3, 4, 5, 6, 7]
const COUNT = 'NbOfTxs'
/** Reference and creditor of the mandate before it was amended. */
const FORMER = ['OrgnlMndtId', 'OrgnlCdtrSchmeId/Id'].map(
  (place) => `DrctDbtTx/MndtRltdInf/AmdmntInfDtls/${place}`,
)

/** Where an identifier stands below its `Id`: of a person, as the scheme asks for, or of an organisation; and in version 01. */
const OWN_IDS = ['/PrvtId/Othr/Id', '/OrgId/Othr/Id', '/PrvtId/OthrId/Id', '/OrgId/PrtryId/Id']

/** Paths of what is noted; null for those on the way, beside which every element costs a look at nothing. */
const NOTED = new Map<string, { readonly level: (typeof LEVELS)[number]; readonly place: string } | null>()
for (const level of LEVELS)
  for (const place of [...PLACES, ...FORMER, COUNT])
    for (const own of place.endsWith('CdtrSchmeId/Id') ? OWN_IDS : [''])
      // A transaction has its creditor a step further down.
      for (const below of ['', ...(place.startsWith('Cdtr') ? ['DrctDbtTx/'] : [])]) {
        const path = `${level}${below}${place}${own}/`
        for (const { index } of path.slice(1, -1).matchAll(/\//g)) NOTED.set(path.slice(0, index + 2), null)
        NOTED.set(path, { level, place })
      }

const CROSSWALK = `It names no customers: make a table customers.csv with the columns reference and customer_no, and write into sepa-migrate.yaml:
crosswalk: { file: customers.csv, from: unique_mandate_reference, key: reference, customer_no: customer_no }`

/** An empty word would say nothing, and no mandate is sent because a word is missing. */
const NOT_GIVEN = 'not given'
const DAY = /^(20[0-9]{2}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?$/

/**
 * Collections that the old creditor sent to a bank (ISO 20022, pain.008). Of the transactions of a mandate those of its
 * latest day count, under its last key, and those that end it; where these differ each is a record, and the rules across
 * rows hold them.
 */
export const openExport: InputFormat['open'] = async (bytes, { limits }, signal) => {
  const { name, label, sha256 } = bytes
  if (sha256 === null)
    throw new UsageError(
      'The latest day of each mandate in a collection file takes two looks at it, which a stream cannot give',
      'Give the file instead of standard input.',
    )
  const survey = await surveyMandates(bytes, limits, signal)
  const { version, transactions, latest, amendments } = survey

  async function* readTable(signal?: AbortSignal): AsyncGenerator<RawRecord[], TableEnd> {
    const seen = new Set<string>()
    const isNew = (content: string): boolean => seen.size < seen.add(content).size
    const batches = piecesOf(readCollections(bytes, limits, signal).read())
    for await (const batch of batches)
      yield batch.filter((collection) => {
        const key = keyOf(collection.cells)
        if (key === null) return true
        const isLast = latest.get(key)?.day === collection.day || survey.contradicted.has(key)
        const counts = isLast && (survey.amendedOn.get(key) ?? 0) <= collection.day
        return (counts || isEnd(collection.cells)) && isNew(contentOf(collection))
      })
    return { ...batches.end(), blankLines: 0, lines: transactions, footer: '' }
  }

  return {
    name,
    label,
    sha256,
    headerCells: HEADER,
    written: {
      collections: `${version}, ${plural(transactions, 'transaction', 'transactions')}, ${plural(latest.size, 'mandate', 'mandates')}; the latest day of each counts, and what ended it`,
    },
    evidence: { preamble: { lines: 0, evidence: 'the same for every collection file' } },
    amendments: [...amendments.values()],
    withoutCustomers: CROSSWALK,
    cellName: (line, position) => `${HEADER[position] ?? ''} of transaction ${line}`,
    read: readTable,
  }
}

/** A transaction as a record, and the day on which it was collected. */
interface Collection extends RawRecord {
  readonly day: number
  readonly amendment: Amendment | null
}

/**
 * The latest day of each mandate, and which of them name different dates of signature; some 150 bytes for each. The crosswalk
 * that tells their customers has the same bound.
 */
async function surveyMandates(bytes: ByteSource, limits: LimitOptions, signal: AbortSignal | undefined) {
  const latest = new Map<string, { day: number; signed: string }>()
  const contradicted = new Set<string>()
  const amendedOn = new Map<string, number>()
  const amendments = new Map<string, Amendment>()
  const { read, version } = readCollections(bytes, limits, signal)
  let transactions = 0
  for await (const batch of read())
    for (const collection of batch) {
      const { day, amendment } = collection
      const key = keyOf(collection.cells)
      transactions += 1
      if (key !== null) {
        const known = latest.get(key)
        const signed = collection.cells[SIGNED] || (known?.signed ?? '')
        if (known !== undefined && known.signed !== '' && known.signed !== signed) contradicted.add(key)
        latest.set(key, { day: Math.max(day, known?.day ?? 0), signed })
      }
      if (amendment !== null) {
        const { former, successor } = amendment
        if (day > (amendedOn.get(former) ?? 0)) amendedOn.set(former, day)
        const both = `${former}\n${successor}`
        if (amendment.day > (amendments.get(both)?.day ?? '')) amendments.set(both, amendment)
      }
      if (latest.size + amendments.size > limits.crosswalkLines)
        throw refuse(bytes.label, 'FILE_FORMAT', `it holds more than ${limits.crosswalkLines} mandates`, {
          next: 'Raise limits.crosswalkLines if there is enough memory, or give files of fewer mandates.',
        })
    }
  return { version: version(), transactions, latest, contradicted, amendedOn, amendments }
}

/** @throws {SourceError} FILE_FORMAT for another message, and for one that is not whole */
function readCollections(bytes: ByteSource, limits: LimitOptions, signal: AbortSignal | undefined) {
  /** Of the open elements of a message; empty for one that is not on the way. */
  const paths: string[] = []
  const noted = new Map(LEVELS.map((level) => [level, new Map<string, string>()]))
  let version = ''
  let root: readonly [string, Readonly<Record<string, string>>] = ['', {}]
  const batch: Collection[] = []
  let transactions = 0
  let before = 0
  let beforeMessage = 0
  /** Elements around a message: of a container, and of messages in it that collect nothing. */
  let around = 0
  const damaged = (what: string): Error =>
    refuse(bytes.label, 'FILE_FORMAT', `it ${what}, near transaction ${transactions}`, {
      next: 'Get the file again from where it came, or give the export as CSV.',
    })

  function open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (paths.length === 0) {
      const isMessage =
        name === 'Document' && (around === 0 || /pain\.008/.test(spacesOf(attributes).join(' ')))
      if (around === 0) root = [name, attributes]
      if (!isMessage) return void (around += 1)
      version = versionOf(bytes.label, name, attributes)
      noted.get(MESSAGE)?.clear()
      beforeMessage = transactions
    }
    // In version 01 the message is called like its version.
    const known = /^pain\.008\./.test(name) ? 'CstmrDrctDbtInitn' : name
    const parent = paths.length === 0 ? '/' : (paths.at(-1) ?? '')
    const path = parent === '' ? '' : `${parent}${known}/`
    if (path === PAYMENT) before = transactions
    if (path === PAYMENT || path === TRANSACTION) noted.get(path)?.clear()
    paths.push(NOTED.has(path) ? path : '')
  }

  function close(_name: string, text: string): void {
    if (paths.length === 0) return void (around -= 1)
    const path = paths.pop() ?? ''
    if (path === TRANSACTION) batch.push(collection())
    if (path === PAYMENT) assertCount(PAYMENT, transactions - before)
    if (paths.length === 0) assertCount(MESSAGE, transactions - beforeMessage)
    const seen = NOTED.get(path) ?? null
    if (seen === null) return
    const { level, place } = seen
    const values = noted.get(level)
    if (values?.has(place) === true) throw damaged(`has ${place} twice`)
    values?.set(place, text.trim())
  }

  function assertCount(level: typeof PAYMENT | typeof MESSAGE, counted: number): void {
    const said = noted.get(level)?.get(COUNT) ?? (level === PAYMENT ? `${counted}` : 'nothing')
    if (/^[0-9]{1,15}$/.test(said) && Number(said) === counted) return
    throw damaged(`is not whole: of its ${counted} transactions it says "${showValue(said)}" (${COUNT})`)
  }

  function collection(): Collection {
    const line = (transactions += 1)
    const cells = PLACES.map(
      (place) => noted.get(TRANSACTION)?.get(place) ?? noted.get(PAYMENT)?.get(place) ?? '',
    )
    const named = (value = ''): string => (isFiller(value) ? '' : value)
    const [reference = '', creditor = ''] = FORMER.map((place) => named(noted.get(TRANSACTION)?.get(place)))
    cells[CREDITOR] = named(cells[CREDITOR])
    if ([...cells, reference, creditor].some((value) => value.length > limits.fieldLength))
      throw damaged('holds a text that is too long')
    const [, signed = '', , , collected = ''] = cells
    const [, day] = DAY.exec(collected) ?? []
    if (day === undefined) throw damaged('has no day of collection (ReqdColltnDt)')
    cells[SIGNED] = signed.replace(DAY, '$1')
    cells[COLLECTED] = day
    cells[SEQUENCE] ||= NOT_GIVEN
    cells[SCHEME] ||= NOT_GIVEN
    const former = reference === '' && creditor === '' ? null : keyIn(cells, reference, creditor)
    const successor = keyIn(cells)
    // One that names its own key changed something else.
    const amendment =
      former === null || former === successor ? null : { former, successor, day: day as LocalDate }
    return { line, cells, day: Number(day.replaceAll('-', '')), amendment }
  }

  async function* read(): AsyncGenerator<Collection[], ReadEnd> {
    const pieces = piecesOf(bytes.read(signal))
    for await (const _ of readXml(bytes.label, 'it', pieces, { open, close }, encodingOf(bytes)))
      yield batch.splice(0)
    if (version === '' && root[0] !== 'conxml') versionOf(bytes.label, ...root)
    if (version === '') throw damaged('holds no collections')
    yield batch.splice(0)
    return pieces.end()
  }
  return { read, version: () => version }
}

/** What tells the mandate, or tells it under a former reference or creditor; null where its row cannot be sent. */
const keyOf = (
  [reference = '', , , creditor = '']: readonly string[],
  formerReference = '',
  formerCreditor = '',
): string | null => {
  const identifier = checkCreditorIdentifier(formerCreditor || creditor).value
  const own = checkMandateReference(formerReference || reference).value
  return identifier === null || own === null ? null : mandateKey(identifier, own)
}

/** One that names no mandate stands for itself. */
const keyIn = (cells: readonly string[], formerReference = '', formerCreditor = ''): string =>
  keyOf(cells, formerReference, formerCreditor) ??
  `?|${formerCreditor || (cells[CREDITOR] ?? '')}|${upperCase(cleanCell(formerReference || (cells[0] ?? '')))}`

/** What tells the mandate and what would become of it. The first and the next collections say the same of it. */
function contentOf({ cells }: Collection): string {
  const [, signed, iban, , , ...words] = cells.slice(0, -1)
  const fate = [keyOf(cells), signed, iban, ...words].join('\n')
  return hash('sha256', fate.replace(/\n(?:FRST|RCUR|RPRE)\n/, '\n'), 'binary')
}

const isEnd = (cells: readonly string[]): boolean =>
  /^(?:FNAL|OOFF)$/i.test(cells[SEQUENCE] ?? '') || /^B2B$/i.test(cells[SCHEME] ?? '')

/** What was collected, as evidence beside an export. */
export type CollectionFile = Awaited<ReturnType<typeof openCollections>>

/** @throws {SourceError} for a file that cannot be read, or is no collection file */
export async function openCollections(path: string, limits: LimitOptions, signal: AbortSignal) {
  const bytes = await openBytes(path, { maxUnpackedBytes: limits.unpackedBytes, signal })
  const { name, label, sha256 } = bytes
  const what = 'it is not a collection file of a bank (pain.008), and only such a file is evidence'
  if (sha256 === null || !isCollections(bytes.evidence.head))
    throw refuse(label, 'FILE_FORMAT', what, { next: 'Name the export in front of the collection files.' })
  async function* read(): AsyncGenerator<readonly CollectedMandate[]> {
    for await (const batch of readCollections(bytes, limits, signal).read()) yield batch.map(collectedIn)
  }
  return { name, label, sha256, read }
}

/** One that names no mandate is compared by account and date. */
function collectedIn(collection: Collection): CollectedMandate {
  const { cells } = collection
  const [reference = '', signed = '', iban = '', creditor = '', day = ''] = cells
  const isWrong = checkCreditorIdentifier(creditor).value === null
  return {
    // An end under a creditor that nobody has is one of whatever mandate has the reference.
    mandateKey: keyIn(isEnd(cells) && isWrong ? cells.with(CREDITOR, '') : cells),
    creditorIdentifier: cleanCreditorIdentifier(creditor),
    mandateReference: cleanCell(reference),
    iban: checkIban(iban).value,
    signedDate: parseLocalDate(signed),
    day: day as LocalDate,
    endedOn: isEnd(cells) ? (day as LocalDate) : null,
    amendment: collection.amendment,
  }
}

/** By its mark, else as it declares itself. @throws {SourceError} FILE_ENCODING */
function encodingOf({ label, evidence: { mark, head } }: ByteSource): Encoding {
  const [, declared = 'utf-8'] = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(opening(head)) ?? []
  const encoding = mark ?? ENCODINGS.find((known) => known === declared.toLowerCase())
  if (encoding !== undefined) return encoding
  const next = 'Save it in UTF-8, and let its first line say so; or give the export as CSV.'
  throw refuse(label, 'FILE_ENCODING', `it is written in ${declared}, which is not read`, { next })
}

const spacesOf = (attributes: Readonly<Record<string, string>>): string[] =>
  Object.keys(attributes).flatMap((name) =>
    /^xmlns(?::(?!xsi$)|$)/.test(name) ? (attributes[name] ?? []) : [],
  )

/** @throws {SourceError} FILE_FORMAT, with the name of what it is instead */
function versionOf(label: string, root: string, attributes: Readonly<Record<string, string>>): string {
  const spaces = spacesOf(attributes)
  const messages = spaces.filter((space) => /[a-z]{4}(?:\.[0-9]{2,3}){3}/.test(space))
  const [version, ...others] = new Set(messages.map((space) => VERSION.exec(space)?.[1]))
  if (root === 'Document' && others.length === 0 && version !== undefined) return version
  const cbi = spaces.some((space) => space.startsWith('urn:CBI')) ? 'a file of the Italian CBI, ' : ''
  const what = `it is ${cbi}${root} ${showValue(spaces.join(' '))}, which is not read`
  throw refuse(label, 'FILE_FORMAT', what, { next: NEXT })
}
