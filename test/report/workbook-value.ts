import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/absence.js'
import { walkLedger } from '../../src/report/facts/row-walk.js'
import { openPackFolder } from '../../src/report/pack/pack-folder.js'
import { ENGLISH, type Texts } from '../../src/report/text/texts.js'
import { openWorkbook, WORKBOOK_FILE, type WorkbookLimits } from '../../src/report/workbook/workbook.js'
import { freshFolder } from '../support/folder.js'
import { readerOf, type LedgerValue } from './ledger-value.js'

/** The workbook of these records, written to a folder and read again. */
export async function workbookOf(
  value: LedgerValue,
  limits?: WorkbookLimits,
  texts: Texts = ENGLISH,
): Promise<Buffer> {
  const folder = await openPackFolder(freshFolder(), [WORKBOOK_FILE])
  try {
    const workbook = openWorkbook(folder, texts, limits)
    const reader = readerOf(value)
    const terms = { absentAfterMs: USUAL_ABSENT_AFTER_MS }
    await workbook.finish(await walkLedger(reader, reader.sources(), workbook, terms))
    return readFileSync(join((await folder.publish()).folder, WORKBOOK_FILE))
  } finally {
    await folder.discard()
  }
}
