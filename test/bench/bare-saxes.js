/** The reference of collection files: node bare-saxes.js FILE counts the elements with saxes. */
import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'

let elements = 0
const parser = new SaxesParser({ position: false })
parser.on('opentag', () => (elements += 1))
parser.on('closetag', () => undefined)
parser.on('text', () => undefined)
for await (const chunk of createReadStream(process.argv[2], 'utf8')) parser.write(chunk)
parser.close()
process.stdout.write(`${elements}\n`)
