import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { HOST } from './people-desk.js'
import { drawCampaign } from './people-draw.js'
import { exists, exportOf, runLedger, save, sheetOfRows, type Act, type Campaign } from './people-office.js'
import { drawResaving, resave, shuffled } from './people-spreadsheet.js'
import type { ExportRow, TrueMandate } from './people-truth.js'
import type { Chance } from './simulation-chance.js'

/** The same export as somebody else has it: saved again, or with small changes. */
export function anotherCopyOf({ rows }: Campaign, chance: Chance): { text: string; holding: TrueMandate[] } {
  const held = (kept: readonly ExportRow[]): TrueMandate[] => kept.map(({ mandate }) => mandate)
  const plain = exportOf(rows)
  switch (chance.weigh({ same: 2, line_end: 2, row_less: 2, sorted: 1, crlf: 1, saved: 2 })) {
    case 'line_end':
      return { text: `${plain}\n`, holding: held(rows) }
    case 'row_less': {
      const kept = rows.filter((_, at) => at !== rows.length - 1)
      return { text: exportOf(kept), holding: held(kept) }
    }
    case 'sorted':
      return { text: exportOf(shuffled(rows, chance)), holding: held(rows) }
    case 'crlf':
      return { text: plain.replaceAll('\n', '\r\n'), holding: held(rows) }
    case 'saved':
      return { text: resave(sheetOfRows(rows), drawResaving(chance)), holding: held(rows) }
    default:
      return { text: plain, holding: held(rows) }
  }
}

const SPELLINGS = [
  `https://${HOST}`,
  `https://${HOST}`,
  `https://${HOST}:443`,
  `https://${HOST}.`,
  'HTTPS://Service.Example/',
]

/** Somebody begins the same campaign with a ledger of their own, perhaps while the question is still open. */
export const useASecondLedger: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { text, holding } = anotherCopyOf(campaign, chance)
  const file = save(office, 'export', text)
  const ledger = `second-${chance.between(1, 2)}.db`
  const env = { SEPA_MIGRATE_BASE_URL: chance.pick(SPELLINGS) }
  const second = async (): Promise<void> => {
    const confirmed =
      chance.happens(0.5) && env.SEPA_MIGRATE_BASE_URL === SPELLINGS[0] ? 'host typed' : 'with --yes'
    await runLedger(office, { ledger, files: [file], holding, confirmed, circumstances: { env } })
  }
  if (chance.happens(0.5)) return second()
  office.say('  two terminals')
  await runLedger(office, {
    ledger: campaign.ledger,
    files: [campaign.file],
    holding: campaign.mandates,
    confirmed: 'host typed',
    beforeAnswer: second,
  })
}

/** The same ledger from two terminals. */
export const runTwice: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  await runLedger(office, {
    ledger,
    files: [file],
    holding: mandates,
    confirmed: chance.happens(0.7) ? 'host typed' : 'no typed',
    beforeAnswer: async () => {
      await runLedger(office, { ledger, files: [file] })
    },
  })
}

/** The list of runs is cut, or the folder for it cannot be written for a while; meanwhile somebody runs all the same. */
export const breakTheRegister: Act = async (office, chance) => {
  const { desk, say } = office
  const { ledger, file, mandates } = drawCampaign(office, chance)
  const register = desk.at('state', 'campaigns.jsonl')
  if (!existsSync(register)) return
  const kept = readFileSync(register)
  const runs = chance.pick([ledger, ledger, 'second-1.db'])
  const run = (): ReturnType<typeof runLedger> =>
    exists(office, runs)
      ? runLedger(office, { ledger: runs })
      : runLedger(office, { ledger: runs, files: [file], holding: mandates })
  if (chance.happens(0.5)) {
    say('  the last line of the register is cut')
    truncateSync(register, Math.max(0, kept.length - chance.between(2, 60)))
    await run()
    if (chance.happens(0.5)) return
    writeFileSync(register, Buffer.concat([kept, readFileSync(register).subarray(kept.length)]), {
      mode: 0o600,
    })
    return
  }
  say('  something is in the way of the register')
  rmSync(register)
  mkdirSync(register)
  await run()
  rmSync(register, { recursive: true, force: true })
  writeFileSync(register, kept, { mode: 0o600 })
}
