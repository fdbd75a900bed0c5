import { timeText } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { decideIn, lookInto, type Command } from '../command.js'
import { closingLines, lookedAt, writePack, noteOutputs } from '../closing.js'
import { readSigningKey } from '../prove/keys.js'
import { SHARED, EXITS } from '../settings/declared.js'

export const reportCommand: Command = {
  usage: 'report',
  summary: 'write the report for finance, with the lists to work in',
  examples: [
    'sepa-migrate report',
    'sepa-migrate report --lang de --out signed',
    'sepa-migrate report --sign-with finance-key.pem',
  ],
  options: [...SHARED, 'lang', 'signWith', 'expectedRecords'],
  own: [
    [
      '--to-cancel <run>',
      'also to-do/to-cancel.csv: what that run registered, for the service to cancel; it cancels nothing',
    ],
  ],
  epilogue: [
    '--lang is for the page and the workbook; the CSV and JSON files are the same in every language. Other commands that',
    'write a report take it from "lang" in the configuration, or from SEPA_MIGRATE_LANG.',
    'Two reports of the same ledger are identical byte for byte. The lists to work in lie in to-do/, outside the manifest;',
    'where somebody works in them they stay, and new ones go to to-do-2/. What a command took in is in to-do/done/. A report',
    'that was changed stays as a whole, and the new one goes to report-2/. --sign-with writes manifest.sig, which a later',
    'report without it takes away. "openssl genpkey -algorithm ed25519 -out KEY.pem" makes a key; report verify --key checks it.',
  ],
  exits: EXITS.standing,
  run: async (context) => {
    const { settings } = context
    const keyFile = settings.get('signWith')
    const signWith = keyFile === null ? undefined : readSigningKey(keyFile)
    const asked = context.text('toCancel')
    const { expected } = settings
    if (expected !== null) await decideIn(context, (ledger) => ledger.expect(expected))
    const { result, status, toCancel } = await lookInto(settings, async (reader) => ({
      ...(await lookedAt(context, reader)),
      toCancel: asked === null ? undefined : runOf(reader, asked),
    }))
    noteOutputs(context, settings.out)
    const { files, warnings, proposed } = await writePack(settings, { signWith, toCancel })
    return {
      ...result,
      files,
      warnings: [...result.warnings, ...warnings],
      lines: [
        ...Object.values(files).map((path) => `Wrote ${path}`),
        ...closingLines(context, { ...status, files, notes: proposed }),
      ],
    }
  },
}

/** Runs are counted from 1, as `status` and the page number them. @throws {UsageError} for any other */
function runOf(reader: LedgerReader, text: string): number {
  const runs = reader.runs()
  const run = runs.find(({ id }) => text === String(id))
  if (run !== undefined) return run.id
  throw new UsageError(
    `There is no run "${text}" in this ledger; nothing was written`,
    runs.length === 0
      ? 'No run has sent anything yet'
      : `Name one of its runs: ${runs.map(({ id, startedAt }) => `${id} (${timeText(startedAt)})`).join(', ')}`,
  )
}
