import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { Command } from '../command.js'
import { canBeAsked, closingLines, writePack, OLDER_STATUS, olderOf, standingWith } from '../closing.js'
import { noteOutputs } from '../privacy/remains.js'
import { readSigningKey } from '../prove/keys.js'
import { emptyResult } from '../terminal/result.js'
import { SHARED, EXITS } from '../settings/declared.js'

export const reportCommand: Command = {
  usage: 'report',
  summary: 'write the report for finance, with the lists to work in',
  examples: [
    'sepa-migrate report',
    'sepa-migrate report --lang de --out signed',
    'sepa-migrate report --sign-with finance-key.pem',
  ],
  options: [...SHARED, 'lang', 'signWith', 'expectedRecords', 'expected'],
  epilogue: [
    '--lang is for the page and the workbook; the CSV and JSON files are the same in every language. Other commands that',
    'write a report take it from "lang" in the configuration, or from SEPA_MIGRATE_LANG.',
    'Two reports of the same ledger are identical byte for byte. The lists to work in lie in to-do/, outside the manifest;',
    'where somebody works in them they stay, and new ones go to to-do-2/. What a command took in is in to-do/done/. A report',
    'that was changed stays as a whole, and the new one goes to report-2/. --sign-with writes manifest.sig, which a later',
    'report without it takes away. "openssl genpkey -algorithm ed25519 -out KEY.pem" makes a key; verify --key checks the signature.',
  ],
  exits: EXITS.verified,
  json: [],
  run: async (context) => {
    const { settings } = context
    const keyFile = settings.get('signWith')
    const signWith = keyFile === null ? null : readSigningKey(keyFile)
    const reader = openLedgerReader(settings.ledger, settings)
    const totals = reader.totals()
    const older = olderOf(context.world, reader)
    const campaign = reader.campaign()
    const isUnasked = canBeAsked(context, reader)
    reader.close()
    noteOutputs(context, settings.out)
    const { files, warnings, proposed, verification } = await writePack(settings, signWith)
    return {
      ...emptyResult,
      exitCode: older.isOlder ? OLDER_STATUS : standingWith(verification, totals),
      campaign: { ledger: settings.ledger, baseUrl: campaign.baseUrl },
      totals,
      files,
      warnings: [...older.warnings, ...warnings],
      lines: [
        ...Object.values(files).map((path) => `Wrote ${path}`),
        ...closingLines(context, {
          totals,
          stop: null,
          campaign,
          files,
          notes: proposed,
          isOlder: older.isOlder,
          verification,
          canBeAsked: isUnasked,
        }),
      ],
    }
  },
}
