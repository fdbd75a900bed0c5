import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { draftConfiguration, inspectSource } from '../../src/source/guess/inspect.js'
import { openList } from '../../src/source/list.js'
import { DEFAULT_SOURCE_OPTIONS, type SourceOptions } from '../../src/source/options.js'
import { openCollections } from '../../src/source/pain008.js'
import { collectionFile, spaceOf, type Debit } from '../support/collections.js'
import { AS_OF, fileOf, optionsOf, readAll, type WholeSource } from '../support/sources.js'
import { refused } from './reading.js'

const VERSIONS = [
  ...Array.from({ length: 11 }, (_, at) => `pain.008.001.${String(at + 1).padStart(2, '0')}`),
  'pain.008.002.02',
  'pain.008.003.02',
]
const FORMER_IBAN = 'DE02120300000000202051'

/** Customer 101 has the mandate M-1, and so on. */
const crosswalk = (): string =>
  fileOf(
    ['reference,customer_no', ...Array.from({ length: 30 }, (_, at) => `M-${at},${100 + at}`), ''].join('\n'),
    'customers.csv',
  )
const withCustomers = (more = ''): SourceOptions =>
  optionsOf(
    `crosswalk: { file: ${crosswalk()}, from: unique_mandate_reference, key: reference, customer_no: customer_no }\n${more}`,
  )
const read = (text: string | Uint8Array, more = ''): Promise<WholeSource> =>
  readAll(fileOf(text, 'collections.xml'), withCustomers(more))
const debits = async (...some: Debit[]): Promise<string[]> =>
  (await read(collectionFile(some))).records.map(({ line, verdict, values }) => {
    const kept = verdict.kind === 'excluded' || verdict.kind === 'conflict' ? verdict.rule : verdict.kind
    return `${line} ${String(values.mandateReference)} ${kept}`
  })

describe('a collection file', () => {
  it.each(VERSIONS)('of %s is an export: a record for each mandate', async (version) => {
    const debit = { reference: 'M-1', signed: '2019-02-03+01:00', name: 'A & B', isAmended: true }
    for (const more of [{}, { atTransaction: true }, { prefix: 'p' }]) {
      const text = collectionFile([debit, { reference: 'M-2', sequence: 'FRST' }], { version, ...more })
      for (const bytes of [text, `\ufeff${text}`, gzipSync(text)]) {
        const { records, summary } = await read(bytes)
        expect(records[0]?.cells).toEqual([
          ...['M-1', '2019-02-03', 'DE89370400440532013000', 'DE98ZZZ09999999999', '2026-01-05'],
          ...['RCUR', 'CORE', 'A & B'],
        ])
        expect(records.map(({ verdict }) => verdict)).toMatchObject([
          { kind: 'sendable', mandate: { customerNo: 101, signedDate: '2019-02-03' } },
          { kind: 'sendable', mandate: { customerNo: 102 } },
        ])
        expect(records[0]?.latestFirstDebit).toBe('2029-01-05')
        expect(summary.findings.filter(({ rule }) => rule !== 'CROSSWALK_UNUSED_LINE')).toEqual([])
        const told = `${version}, 2 transactions, 2 mandates; the latest day of each counts, and what`
        expect(summary.reading.collections).toContain(told)
      }
    }
  })

  it('keeps back what was final, once only or between companies, and what does not say', async () => {
    const told = await debits(
      { reference: 'M-1', sequence: 'FNAL' },
      { reference: 'M-2', sequence: 'OOFF' },
      { reference: 'M-3', scheme: 'B2B' },
      { reference: 'M-4', scheme: 'COR1' },
      { reference: 'M-5', sequence: '' },
      { reference: 'M-6', scheme: ' ' },
      { reference: '' },
    )
    expect(told.slice(0, 3)).toEqual(['1 M-1 SEQUENCE_FINAL', '2 M-2 SEQUENCE_ONE_OFF', '3 M-3 SCHEME_B2B'])
    expect(told.slice(3, 6)).toEqual(['4 M-4 sendable', '5 M-5 SEQUENCE_UNKNOWN', '6 M-6 SCHEME_UNKNOWN'])
    expect(told.slice(6)).toEqual(['7 null invalid'])
  })

  it('takes what the transaction says before what its payment says', async () => {
    const final = '</PmtId><PmtTpInf><SeqTp>FNAL</SeqTp></PmtTpInf>'
    const text = collectionFile([{ reference: 'M-1' }]).replace('</PmtId>', final)
    const creditor =
      '<CdtrSchmeId><Id><PrvtId><Othr><Id>DE17ZZZ01234567890</Id></Othr></PrvtId></Id></CdtrSchmeId>'
    const { records } = await read(text.replace('<MndtRltdInf>', `${creditor}<MndtRltdInf>`))
    expect(records[0]?.cells.slice(3, 7)).toEqual(['DE17ZZZ01234567890', '2026-01-05', 'FNAL', 'CORE'])
  })

  it('the latest day of a mandate counts, wherever it stands, and what ended it; of equal ones the first', async () => {
    const [early, late] = [{ day: '2026-01-05' }, { day: '2026-02-05' }]
    const told = await debits(
      { reference: 'M-1', ...early },
      { reference: 'M-2', ...late, sequence: 'FNAL' },
      { reference: 'M-1', ...late, sequence: 'FRST', name: 'one' },
      { reference: 'm-1', ...late, name: 'two' },
      { reference: 'M-2', ...early },
      { reference: 'M-3', ...late },
      { reference: 'M-3', ...early, sequence: 'FNAL', iban: FORMER_IBAN },
    )
    expect(told.slice(0, 2)).toEqual(['2 M-2 SEQUENCE_FINAL', '3 M-1 sendable'])
    expect(told.slice(2)).toEqual(['6 M-3 sendable', '7 M-3 SEQUENCE_FINAL'])
  })

  it('of a mandate with two dates of signature each comes in, and of one without a date the latest day', async () => {
    const told = await debits(
      ...['2026-01', '2026-02', '2026-03'].flatMap((month) => {
        const signed = {
          'M-1': `${month}-01`,
          'M-2': '2015-03-01',
          'M-3': month === '2026-02' ? '' : '2015-03-01',
        }
        return Object.entries(signed).map(([reference, on]) => ({
          reference,
          day: `${month}-05`,
          signed: on,
        }))
      }),
    )
    const sent = ['1 M-1', '4 M-1', '7 M-1', '8 M-2', '9 M-3']
    expect(told).toEqual(sent.map((one) => `${one} sendable`))
  })

  it('of one day both come in where they differ, and no choice is made', async () => {
    const [one, final] = [{ reference: 'M-1' }, { reference: 'M-1', sequence: 'FNAL' }]
    const both = [one, final, { reference: 'M-1', iban: FORMER_IBAN }]
    expect(await debits(...both, ...both)).toHaveLength(3)
  })

  it('without a crosswalk it says what to write, and init drafts that', async () => {
    const path = fileOf(collectionFile([{ reference: 'M-1' }]), 'collections.xml')
    const line =
      'crosswalk: { file: customers.csv, from: unique_mandate_reference, key: reference, customer_no: customer_no }'
    await refused(readAll(path), 'FILE_HEADER_MISSING', '', line)
    const inspection = await inspectSource(path, { today: AS_OF })
    expect(inspection).toMatchObject({ records: 1, missing: ['customer_no'], encoding: null })
    expect(inspection.delimiter).toBeNull()
    expect(draftConfiguration(inspection)).toContain(`\n# ${line}`)
    expect(draftConfiguration(inspection)).not.toContain('customer_no: { column')
  })

  it('takes two looks, so no stream; and it is no list', async () => {
    const stream = Readable.from([collectionFile([{ reference: 'M-1' }])])
    await expect(readAll({ name: 'standard input', stream }, withCustomers())).rejects.toThrow(UsageError)
    const list = await openList(fileOf(collectionFile([{ reference: 'M-1' }])), [])
    for await (const row of list.rows()) expect(row.cell('customer_no', 'migration_row')).toBeNull()
  })
})

describe('a collection file under another name', () => {
  const USUAL = spaceOf('pain.008.001.02')
  const whole = collectionFile([{ reference: 'M-1' }, { reference: 'M-2' }])
  const references = async (text: string): Promise<unknown[]> =>
    (await read(text)).records.map(({ verdict, values }) => [verdict.kind, values.mandateReference])
  const BOTH = [
    ['sendable', 'M-1'],
    ['sendable', 'M-2'],
  ]

  it.each([
    ['an Austrian schema', 'ISO:pain.008.001.02:APC:STUZZA:payments:003'],
    ['an older Austrian one', 'ISO:pain.008.001.01:APC:STUZZA:payments:002'],
    ['an Austrian file name', 'urn:iso:std:iso:20022:tech:xsd:pain.008.001.02.austrian.004'],
    ['a Swiss schema', 'http://www.six-interbank-clearing.com/de/pain.008.001.02.ch.03.xsd'],
    ['a SWIFT one', 'urn:swift:xsd:$pain.008.001.02'],
  ])('is read: %s', async (_, space) => expect(await references(whole.replace(USUAL, space))).toEqual(BOTH))

  it('is read where the message is called like its version, and identifiers stand as there', async () => {
    const text = whole
      .replace(USUAL, spaceOf('pain.008.001.01'))
      .replaceAll('CstmrDrctDbtInitn', 'pain.008.001.01')
      .replaceAll('<Othr>', '<OthrId>')
      .replaceAll('</Othr>', '</OthrId>')
    expect(await references(text)).toEqual(BOTH)
  })

  it('is read where the creditor is an organisation, at the payment and at the transaction', async () => {
    for (const atTransaction of [true, false]) {
      const both = [{ reference: 'M-1', isAmended: true }, { reference: 'M-2' }]
      const text = collectionFile(both, { atTransaction })
      expect(await references(text.replaceAll('PrvtId>', 'OrgId>'))).toEqual(BOTH)
    }
  })

  const without = (text: string): string => text.replace(/^<\?xml[^>]*\?>\s*/, '')
  const container = (...messages: string[]): string =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<conxml xmlns="urn:conxml:xsd:container.nnn.002.02"><ContainerId><SenderId>X</SenderId></ContainerId><CreDtTm>2026-01-05T08:00:00</CreDtTm>${messages.join('')}</conxml>\n`
  const message = (text: string): string =>
    `<MsgPain008><HashValue>00</HashValue>${without(text)}</MsgPain008>`
  const transfer = `<MsgPain001><Document xmlns="${spaceOf('pain.001.001.03')}"><CstmrCdtTrfInitn><GrpHdr><NbOfTxs>7</NbOfTxs></GrpHdr></CstmrCdtTrfInitn></Document></MsgPain001>`

  it('is read in a container, each message by its own count', async () => {
    const version = 'pain.008.003.02'
    const [one, two] = ['M-1', 'M-2'].map((reference) => collectionFile([{ reference }], { version }))
    const text = container(transfer, message(one ?? ''), message(two ?? ''))
    expect(await references(text)).toEqual(BOTH)
    expect(await references(text.replace(/^<\?xml.*\n/, ''))).toEqual(BOTH)
    await refused(read(text.replace(/<NbOfTxs>1<(?=[^]*M-2)/, '<NbOfTxs>2<')), 'FILE_FORMAT')
    await refused(read(container(transfer)), 'FILE_FORMAT', 'holds no collections')
  })

  it('of another version in a container is refused, and what is refused says what else can be done', async () => {
    const reading = read(container(message(whole.replace(USUAL, spaceOf('pain.008.001.12')))))
    const next = 'take reference, date of signature, account, creditor and last collection'
    await refused(reading, 'FILE_FORMAT', 'pain.008.001.12, which is not read', next)
  })

  it('is read in an envelope, and what no message is in is refused by the name of its root', async () => {
    const version = 'pain.008.001.08'
    const [, message = ''] = collectionFile([{ reference: 'M-1' }], { version }).split('?>\n')
    const around = (inside: string) =>
      `<?xml version="1.0"?>\n<BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:nvlp.001.001.01"><Hdr><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><MsgDefIdr>pain.008.001.08</MsgDefIdr></AppHdr></Hdr>${inside}</BizMsgEnvlp>`
    expect((await read(around(message))).records).toMatchObject([{ verdict: { kind: 'sendable' } }])
    await expect(read(around(''))).rejects.toThrow('it is BizMsgEnvlp urn:iso:std:iso:20022:tech:xsd:nvlp')
  })

  it('as evidence one between companies ends its mandate there', async () => {
    const path = fileOf(collectionFile([{ reference: 'M-1', scheme: 'B2B' }, { reference: 'M-2' }]), 'c.xml')
    const { signal } = new AbortController()
    const { read: readFile } = await openCollections(path, DEFAULT_SOURCE_OPTIONS.limits, signal)
    const ended: unknown[] = []
    for await (const batch of readFile()) ended.push(...batch.map(({ endedOn }) => endedOn))
    expect(ended).toEqual(['2026-01-05', null])
  })
})

describe('what is no such file, or not whole', () => {
  const whole = collectionFile([{ reference: 'M-1' }, { reference: 'M-2', sequence: 'FNAL' }])
  const USUAL = spaceOf('pain.008.001.02')

  it.each([
    ['another version', whole.replace(USUAL, spaceOf('pain.008.001.12')), 'pain.008.001.12, which is not'],
    ['another message', whole.replace(USUAL, spaceOf('camt.053.001.08')), 'camt.053.001.08, which is not'],
    [
      'a file of the CBI',
      '<?xml version="1.0"?><b:CBIBdySDDReq xmlns:b="urn:CBI:xsd:CBIBdySDDReq.00.01.00"></b:CBIBdySDDReq>',
      'a file of the Italian CBI, CBIBdySDDReq urn:CBI:xsd:CBIBdySDDReq.00.01.00, which is not read',
    ],
    ['Latin-1 without a word', Buffer.from(whole, 'latin1'), 'UTF-8'],
    ['a cut one', whole.slice(0, -90), 'not well-formed'],
    ['an entity', whole.replace('M-1', '&ref;'), 'not well-formed'],
    ['a DTD', whole.replace('<Document', '<!DOCTYPE d [<!ENTITY a "b">]><Document'), 'document type'],
    ['a deep one', whole.replace('<Cdtr>', '<Cdtr>'.repeat(80)), 'deep'],
    ['a huge text', whole.replace('Verein', 'V'.repeat(2_000_000)), 'too long'],
    ['a long value', whole.replace('>M-2<', `>${'M'.repeat(9_000)}<`), 'too long'],
    ['a transaction less', whole.replace(/<DrctDbtTxInf>[^]*?<\/DrctDbtTxInf>/, ''), 'not whole'],
    ['payments in one', whole.replace(/<\/PmtInf>\s*<PmtInf>[^]*?(?=<DrctDbtTxInf>)/, ''), 'not whole'],
    ['no count', whole.replace(/<NbOfTxs>2<\/NbOfTxs>/, ''), 'not whole'],
    ['a value twice', whole.replace(/<MndtId>.*?<\/MndtId>/, '$&$&'), 'twice'],
    ['no day', whole.replace(/<ReqdColltnDt>.*?<\/ReqdColltnDt>/, ''), 'ReqdColltnDt'],
    ['no such day', whole.replace('2026-01-05', '05.01.2026'), 'ReqdColltnDt'],
  ])('%s is refused', async (_, text, words) => {
    await refused(read(text), 'FILE_FORMAT', words, /CSV/)
  })

  it.each([
    ['ISO-8859-1', 'latin1', ''],
    ['windows-1252', 'latin1', ''],
    ['UTF-16', 'utf16le', '\ufeff'],
    ['utf-16le', 'utf16le', ''],
  ] as const)('in %s by its declaration or mark is read as in UTF-8', async (encoding, how, mark) => {
    const text = collectionFile([{ reference: 'M-1', name: 'Jörg Müßig' }], { atTransaction: true })
    const declared = `${mark}${text.replace('encoding="UTF-8"', `encoding='${encoding}'`)}`
    const { records } = await read(Buffer.from(declared, how))
    expect(records).toEqual((await read(text)).records)
    expect(records[0]?.cells[7]).toBe('Jörg Müßig')
  })

  it('in an encoding that is not read is refused by the name of that', async () => {
    const reading = read(whole.replace('UTF-8', 'EBCDIC-CP-DE'))
    await refused(reading, 'FILE_ENCODING', 'it is written in EBCDIC-CP-DE, which is not read', 'UTF-8')
  })

  it('more mandates than fit into the crosswalk are refused', async () => {
    const some = Array.from({ length: 40 }, (_, at) => ({ reference: `X-${at}` }))
    await refused(read(collectionFile(some), 'limits: { crosswalkLines: 31 }'), {}, 'more than 31')
  })
})
