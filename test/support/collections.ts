/** A debit of a collection file; what is left out is the same for all of them. */
export interface Debit {
  readonly reference: string
  readonly signed?: string
  readonly iban?: string
  readonly creditor?: string
  readonly day?: string
  readonly sequence?: string
  readonly scheme?: string
  readonly name?: string
  /** Of a mandate that was amended: other reference, creditor and account before. */
  readonly isAmended?: boolean
  /** What it was before it was amended. */
  readonly former?: { readonly reference?: string; readonly creditor?: string }
}

interface Written {
  readonly version?: string
  readonly prefix?: string
  /** Type and creditor stand at each transaction instead of at its payment. */
  readonly atTransaction?: boolean
}

export const spaceOf = (version: string): string => `urn:iso:std:iso:20022:tech:xsd:${version}`

const USUAL = {
  signed: '2015-03-01',
  iban: 'DE89370400440532013000',
  creditor: 'DE98ZZZ09999999999',
  day: '2026-01-05',
  sequence: 'RCUR',
  scheme: 'CORE',
  name: 'Erika Müller & Söhne',
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const creditorOf = (id: string, name = 'CdtrSchmeId'): string =>
  `<${name}><Id><PrvtId><Othr><Id>${id}</Id><SchmeNm><Prtry>SEPA</Prtry></SchmeNm></Othr></PrvtId></Id></${name}>`

const typeOf = ({ sequence, scheme }: { sequence: string; scheme: string }): string =>
  `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>${scheme}</Cd></LclInstrm><SeqTp>${sequence}</SeqTp></PmtTpInf>`

const FORMER = { reference: 'FORMER', creditor: 'DE17ZZZ01234567890' }
const amendment = ({ reference, creditor }: NonNullable<Debit['former']>): string =>
  `<AmdmntInd>true</AmdmntInd><AmdmntInfDtls>${reference === undefined ? '' : `<OrgnlMndtId>${reference}</OrgnlMndtId>`}${creditor === undefined ? '' : creditorOf(creditor, 'OrgnlCdtrSchmeId')}<OrgnlDbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></OrgnlDbtrAcct></AmdmntInfDtls>`

function transactionOf(debit: Debit, isOwn: boolean): string {
  const { reference, signed, iban, creditor, name, isAmended = false, ...type } = { ...USUAL, ...debit }
  const former = debit.former ?? (isAmended ? FORMER : null)
  return `<DrctDbtTxInf><PmtId><EndToEndId>E2E-${escaped(reference)}</EndToEndId></PmtId>${isOwn ? typeOf(type) : ''}
<InstdAmt Ccy="EUR">12.00</InstdAmt><DrctDbtTx><MndtRltdInf><MndtId>${escaped(reference)}</MndtId><DtOfSgntr>${signed}</DtOfSgntr>${
    former === null ? '' : amendment(former)
  }</MndtRltdInf>${isOwn ? creditorOf(creditor) : ''}</DrctDbtTx>
<DbtrAgt><FinInstnId><BIC>COBADEFFXXX</BIC></FinInstnId></DbtrAgt><Dbtr><Nm>${escaped(name)}</Nm></Dbtr><DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct></DrctDbtTxInf>
`
}

/** A collection file as software of creditors writes it: one payment for each run of equal day, type and creditor. */
export function collectionFile(
  debits: readonly Debit[],
  { version = 'pain.008.001.02', prefix = '', atTransaction = false }: Written = {},
): string {
  const payments: Debit[][] = []
  const headOf = (debit: Debit): string => {
    const { day, creditor, ...type } = { ...USUAL, ...debit }
    const own = atTransaction ? '' : `${typeOf(type)}|${creditorOf(creditor)}`
    return `${day}|${own}`
  }
  for (const debit of debits) {
    const last = payments.at(-1)
    if (last?.[0] !== undefined && headOf(last[0]) === headOf(debit)) last.push(debit)
    else payments.push([debit])
  }
  const written = payments.map((payment, index) => {
    const [day = '', type = '', creditor = ''] = headOf(payment[0] ?? { reference: '' }).split('|')
    return `<PmtInf><PmtInfId>P-${index}</PmtInfId><PmtMtd>DD</PmtMtd><NbOfTxs>${payment.length}</NbOfTxs>${type}<ReqdColltnDt>${day}</ReqdColltnDt>
<Cdtr><Nm>Verein</Nm></Cdtr><CdtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></CdtrAcct>${creditor}
${payment.map((debit) => transactionOf(debit, atTransaction)).join('')}</PmtInf>
`
  })
  const text = `<Document xmlns="${spaceOf(version)}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<CstmrDrctDbtInitn><GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-01-02T08:00:00</CreDtTm><NbOfTxs>${debits.length}</NbOfTxs><InitgPty><Nm>Verein</Nm></InitgPty></GrpHdr>
${written.join('')}</CstmrDrctDbtInitn></Document>
`
  const named =
    prefix === ''
      ? text
      : text.replaceAll(/<(\/?)(?=[A-Z])/g, `<$1${prefix}:`).replace('xmlns=', `xmlns:${prefix}=`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${named}`
}
