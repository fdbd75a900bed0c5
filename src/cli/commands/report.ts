import { lookInto, type Command } from '../command.js'
import { closingLines, lookedAt, writePack, OLDER_STATUS, standingWith } from '../closing.js'
import { noteOutputs } from '../privacy/remains.js'
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
  options: [...SHARED, 'lang', 'signWith', 'expectedRecords', 'expected'],
  epilogue: [
    '--lang is for the page and the workbook; the CSV and JSON files are the same in every language. Other commands that',
    'write a report take it from "lang" in the configuration, or from SEPA_MIGRATE_LANG.',
    'Two reports of the same ledger are identical byte for byte. The lists to work in lie in to-do/, outside the manifest;',
    'where somebody works in them they stay, and new ones go to to-do-2/. What a command took in is in to-do/done/. A report',
    'that was changed stays as a whole, and the new one goes to report-2/. --sign-with writes manifest.sig, which a later',
    'report without it takes away. "openssl genpkey -algorithm ed25519 -out KEY.pem" makes a key; report verify --key checks it.',
  ],
  exits: EXITS.verified,
  json: [],
  run: async (context) => {
    const { settings } = context
    const keyFile = settings.get('signWith')
    const signWith = keyFile === null ? null : readSigningKey(keyFile)
    const { result, standing } = await lookInto(settings, (reader) => lookedAt(context, reader))
    noteOutputs(context, settings.out)
    const { files, warnings, proposed, verification } = await writePack(settings, signWith)
    return {
      ...result,
      exitCode: standing.isOlder
        ? OLDER_STATUS
        : standingWith(verification, standing.totals, standing.cutOver),
      files,
      warnings: [...result.warnings, ...warnings],
      lines: [
        ...Object.values(files).map((path) => `Wrote ${path}`),
        ...closingLines(context, { ...standing, files, notes: proposed, verification }),
      ],
    }
  },
}
