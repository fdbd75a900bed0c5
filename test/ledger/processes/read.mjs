// Reads FILE as any SQLite tool does, says so, and keeps it open until it is killed.
import { openDatabase } from '../../../dist/driver.js'

const connection = openDatabase(process.argv[2], { readonly: true })
connection.prepare('select count(*) from row').get()
process.stdout.write('reads\n')
setInterval(() => connection.open, 60_000)
