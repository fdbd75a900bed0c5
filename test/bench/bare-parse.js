/** The reference of reading: node bare-parse.js FILE counts the records with csv-parse in array mode. */
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

let records = 0
const parser = createReadStream(process.argv[2]).pipe(parse())
parser.on('readable', () => {
  while (parser.read() !== null) records += 1
})
parser.on('end', () => process.stdout.write(`${records}\n`))
