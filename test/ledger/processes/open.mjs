// Says whether FILE is a mount by itself, and what becomes of opening it to write and to read.
import { openLedger } from '../../../dist/ledger/file/open-ledger.js'
import { openLedgerReader } from '../../../dist/ledger/read/open-reader.js'
import { isMountPoint } from '../../../dist/trust/trusted-file.js'

const [file] = process.argv.slice(2)
const clock = { now: () => 0, monotonic: () => 0 }
process.stdout.write(`mounted: ${isMountPoint(file)}\n`)
for (const open of [() => openLedger({ file, clock }), () => openLedgerReader(file)])
  try {
    open()
    process.stdout.write('opened\n')
  } catch (error) {
    process.stdout.write(`${error.problem}: ${error.message}\n`)
  }
