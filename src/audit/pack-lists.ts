import { mandateKey } from '../domain/mandate/mandate-key.js'
import { readWhole } from '../domain/row/resaved.js'
import { ROW_STATES, type RowState } from '../domain/row/row-state.js'
import { TOTAL_OF_STATE } from '../domain/row/totals.js'
import { cleanCell } from '../domain/text/text.js'
import { countText, plural } from '../domain/text/wording.js'
import { FILE_OF_PART, partOfState, type Part } from '../report/facts/facts.js'
import { addRow, hashTotalsOf, noSums, type HashTotals } from '../report/facts/hash-totals.js'
import {
  DECISION_COLUMN_NAMES,
  DECISIONS_FILE,
  chainLink,
  chainStart,
} from '../report/files/decision-lines.js'
import { MANIFEST_FILE } from '../report/files/manifest.js'
import { ledgerMark } from '../report/files/row-lines.js'
import { VERIFICATION_FILE } from '../report/files/verification-lines.js'
import type { Tell } from './discrepancies.js'
import { wholeFile, type NamedFile, type Pack } from './pack.js'
import { readPackTable } from './pack-table.js'

const NEXT = 'Write the report again from the ledger, and ask who had access to this folder'

/** Lists whose rows the summary counts and of which nothing else can be computed again. */
const COUNTED = ['problems.csv', VERIFICATION_FILE] as const

const OPEN_PARTS = ['refused', 'corrections', 'inDoubt', 'notSent'] as const satisfies readonly Part[]
type OpenPart = (typeof OPEN_PARTS)[number]

/** Each list has as many rows as it is said to have, in the states that belong there, and no row stands in two. */
export async function checkLists(pack: Pack, tell: Tell): Promise<void> {
  const { summary } = pack
  if (summary === null || pack.manifest === null) return
  const expectRows = (file: NamedFile, count: number | null): void => {
    const said = summary.files[file.kind]?.rows ?? 0
    if (count !== null && count !== said) tell(otherCount(file.name, count, said))
  }
  for (const kind of COUNTED) {
    const file = wholeFile(pack, kind)
    if (file !== null) expectRows(file, await readPackTable(reading(file, [], tell), () => undefined))
  }
  const seen = rowNumbers()
  for (const part of OPEN_PARTS) {
    const file = wholeFile(pack, FILE_OF_PART[part])
    if (file !== null) expectRows(file, await checkOpenRows(pack, { file, part, seen }, tell))
  }
}

const reading = (file: NamedFile, expected: readonly string[], tell: Tell) => ({
  file: file.name,
  path: file.path,
  expected,
  tell,
})

const otherCount = (file: string, count: number, said: number) =>
  ({
    kind: 'totals_differ',
    file,
    message: `${file} has ${plural(count, 'row', 'rows')}, and summary.json counts ${countText(said)}`,
    next: NEXT,
  }) as const

interface OpenList {
  readonly file: NamedFile
  readonly part: OpenPart
  readonly seen: RowNumbers
}

async function checkOpenRows(pack: Pack, { file, part, seen }: OpenList, tell: Tell): Promise<number | null> {
  const { name } = file
  const mark = ledgerMark({ ledgerId: pack.manifest?.ledgerId ?? '' })
  const counts = new Map<RowState, number>()
  let last = 0
  const expected = ['migration_row', 'migration_state', 'migration_ledger']
  const count = await readPackTable(reading(file, expected, tell), ([row = '', state = '', ledger = '']) => {
    const id = readWhole(row)
    if (ledger !== mark)
      tell({
        kind: 'other_ledger',
        file: name,
        message: `A line of ${name} is of another ledger than ${MANIFEST_FILE}: files of two packs were mixed`,
        next: NEXT,
      })
    if (isRowState(state)) counts.set(state, (counts.get(state) ?? 0) + 1)
    if (id === null || id <= last || !seen.add(id))
      tell({
        kind: 'row_twice',
        file: name,
        message: `${name} does not list each row once and in order: "${row}" behind "${last}", or it stands in another list too`,
        next: NEXT,
      })
    last = id ?? last
  })
  if (count !== null) checkStates(pack, { name, part, counts, count }, tell)
  return count
}

interface Counted {
  readonly name: string
  readonly part: OpenPart
  readonly counts: ReadonlyMap<RowState, number>
  readonly count: number
}

/** Corrections that were not taken may be in any state, and stand behind the others of that list. */
function checkStates({ manifest }: Pack, { name, part, counts, count }: Counted, tell: Tell): void {
  const totals = manifest?.totals ?? {}
  const states = statesOfPart(part)
  const notTaken = part === 'notSent' ? (manifest?.notTaken ?? 0) : 0
  const total = states.reduce((sum, state) => sum + (totals[TOTAL_OF_STATE[state]] ?? 0), notTaken)
  const isOff = (state: RowState): boolean => {
    const [found, said] = [counts.get(state) ?? 0, totals[TOTAL_OF_STATE[state]] ?? 0]
    return notTaken === 0 ? found !== said : found < said
  }
  const off = states.find(isOff)
  if (off === undefined && count === total) return
  tell({
    kind: 'totals_differ',
    file: name,
    message:
      off === undefined
        ? `${name} has ${plural(count, 'row', 'rows')}, and the totals make ${countText(total)}`
        : `${name} has ${plural(counts.get(off) ?? 0, 'row', 'rows')} that ${counts.get(off) === 1 ? 'is' : 'are'} ${off.replace('_', ' ')}, and the totals count ${countText(totals[TOTAL_OF_STATE[off]] ?? 0)}`,
    next: NEXT,
  })
}

const isRowState = (text: string): text is RowState => (ROW_STATES as readonly string[]).includes(text)

const statesOfPart = (part: OpenPart): readonly RowState[] =>
  ROW_STATES.filter((state) => partOfState(state) === part)

interface RowNumbers {
  /** False for a number that was there before. */
  readonly add: (id: number) => boolean
}

const CHUNK_BITS = 32_768

/** One bit a row, in pieces: ten million rows take little more than a megabyte. */
function rowNumbers(): RowNumbers {
  const chunks = new Map<number, Uint8Array>()
  return {
    add: (id) => {
      const at = Math.floor(id / CHUNK_BITS)
      const chunk = chunks.get(at) ?? new Uint8Array(CHUNK_BITS / 8)
      chunks.set(at, chunk)
      const [byte, bit] = [(id % CHUNK_BITS) >> 3, 1 << (id & 7)]
      const isNew = ((chunk[byte] ?? 0) & bit) === 0
      chunk[byte] = (chunk[byte] ?? 0) | bit
      return isNew
    },
  }
}

const OLD_AND_NEW = [
  'customer_no',
  'original_creditor_identifier',
  'original_mandate_reference',
  'assigned_creditor_identifier',
  'assigned_mandate_reference',
] as const

/** The hash totals of the registered rows, made again from the list of them. */
export async function checkRegistered(pack: Pack, tell: Tell): Promise<void> {
  const { summary } = pack
  const file = wholeFile(pack, FILE_OF_PART.registered)
  if (summary === null || file === null) return
  const sums = noSums()
  let marked = 0
  const count = await readPackTable(reading(file, OLD_AND_NEW, tell), (cells) => {
    const [customerNo = '', creditor = '', reference = '', newCreditor = '', newReference = ''] = cells
    if (isMarked(newCreditor) || isMarked(newReference)) marked += 1
    addRow(sums, {
      customerNo: readWhole(customerNo),
      mandateKey: mandateKey(cleanCell(creditor), cleanCell(reference)),
      assignedCreditorIdentifier: cleanCell(newCreditor),
      assignedMandateReference: cleanCell(newReference),
    })
  })
  if (count === null) return
  const [found, said] = [hashTotalsOf(sums), summary.hashTotals['registered']]
  const compared: readonly (keyof HashTotals)[] = marked === 0 ? ALL_TOTALS : WITHOUT_PAIRS
  if (said !== undefined && compared.every((name) => found[name] === said[name])) return
  tell({
    kind: 'hash_totals_differ',
    file: file.name,
    message: `The hash totals made again from ${file.name} are not those of summary.json: a registered row was lost, doubled or altered`,
    next: NEXT,
  })
}

/** An identifier that no service should give, with a mark that a spreadsheet needs and that may be no part of it. */
const isMarked = (cell: string): boolean => /(?:^|[;|,])'/.test(cell)

const WITHOUT_PAIRS = ['rows', 'customerNoRows', 'customerNoSum', 'oldKeyRows', 'oldKeyDigest'] as const
const ALL_TOTALS = [...WITHOUT_PAIRS, 'pairRows', 'pairDigest'] as const

/** Each decision with the hash of the one before it, up to the head that the manifest names. */
export async function checkChain(pack: Pack, tell: Tell): Promise<void> {
  const { manifest } = pack
  const file = wholeFile(pack, DECISIONS_FILE)
  if (manifest === null || file === null) return
  const broken = (message: string): void =>
    tell({
      kind: 'chain_broken',
      file: file.name,
      message: `${message}: a decision was changed, removed, added or moved, or is of another ledger`,
      next: NEXT,
    })
  let before = chainStart(manifest.ledgerId)
  const count = await readPackTable(reading(file, [...DECISION_COLUMN_NAMES, 'hash'], tell), (cells) => {
    const hash = cells.at(-1) ?? ''
    if (chainLink(before, cells.slice(0, -1)) !== hash)
      broken(`The chain of decisions breaks at decision ${cells[0] ?? ''}`)
    before = hash // so that a break is told where it is, and not from there to the end
  })
  if (count === null) return
  if (count === manifest.decisions.count && before === manifest.decisions.head) return
  broken(
    `The chain of decisions ends with another one than ${MANIFEST_FILE} names (${countText(count)} of ${countText(manifest.decisions.count)})`,
  )
}
