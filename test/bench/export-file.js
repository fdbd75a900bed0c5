/** A clean export of so many invented mandates with the service's own column names, about 90 bytes a row. */
import { closeSync, openSync, writeSync } from 'node:fs'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference\n'

/** A German account number with the right check digits (ISO 13616): 98 minus the remainder, DE = 13 14. */
function iban(n) {
  const account = `37040044${String(n).padStart(10, '0')}`
  const digits = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${String(digits).padStart(2, '0')}${account}`
}

const dateOf = (n) => `20${10 + (n % 15)}-0${1 + (n % 9)}-1${n % 10}`
const row = (n) => `${100_000 + n},${iban(n)},${dateOf(n)},DE98ZZZ09999999999,MND-${n}\n`

/** `repeat`: every row stands twice, the copies behind all first ones. */
export function writeExport(file, rows, { repeat = false } = {}) {
  write(file, HEADER, rows, (n) => row(repeat ? ((n - 1) % Math.ceil(rows / 2)) + 1 : n), '')
}

/** The last collection of the same mandates (pain.008), about 420 bytes each. */
export function writeCollections(file, rows) {
  const head = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.001.02"><CstmrDrctDbtInitn><GrpHdr><NbOfTxs>${rows}</NbOfTxs></GrpHdr>
<PmtInf><PmtInfId>P-1</PmtInfId><PmtTpInf><LclInstrm><Cd>CORE</Cd></LclInstrm><SeqTp>RCUR</SeqTp></PmtTpInf><ReqdColltnDt>2026-06-05</ReqdColltnDt>
<CdtrSchmeId><Id><PrvtId><Othr><Id>DE98ZZZ09999999999</Id></Othr></PrvtId></Id></CdtrSchmeId>`
  const transaction = (
    n,
  ) => `<DrctDbtTxInf><PmtId><EndToEndId>E2E-${n}</EndToEndId></PmtId><InstdAmt Ccy="EUR">12.00</InstdAmt>
<DrctDbtTx><MndtRltdInf><MndtId>MND-${n}</MndtId><DtOfSgntr>${dateOf(n)}</DtOfSgntr></MndtRltdInf></DrctDbtTx>
<DbtrAgt><FinInstnId><BIC>COBADEFFXXX</BIC></FinInstnId></DbtrAgt><Dbtr><Nm>Customer ${n}</Nm></Dbtr>
<DbtrAcct><Id><IBAN>${iban(n)}</IBAN></Id></DbtrAcct></DrctDbtTxInf>\n`
  write(file, head, rows, transaction, '</PmtInf></CstmrDrctDbtInitn></Document>\n')
}

function write(file, head, count, line, end) {
  const handle = openSync(file, 'wx', 0o600)
  writeSync(handle, head)
  let text = ''
  for (let n = 1; n <= count; n += 1) {
    text += line(n)
    if (n % 2_000 !== 0 && n !== count) continue
    writeSync(handle, text)
    text = ''
  }
  writeSync(handle, end)
  closeSync(handle)
}
