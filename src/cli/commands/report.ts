import { countText, plural, said, timeText } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { provePack, type Proof } from '../../report/proof/prove-pack.js'
import { decideIn, lookInto, type Command, type Context } from '../command.js'
import { closingLines, lookedAt, writePack, noteOutputs } from '../closing.js'
import { readCheckingKey, readSigningKey } from '../settings/settings.js'
import { EXIT_STATUSES, EXITS, SHARED } from '../settings/declared.js'
import { toned, type Line } from '../terminal/world.js'

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
    'that was changed or signed stays as a whole, and a new one that says something else goes to report-2/. --sign-with',
    'writes manifest.sig. "openssl genpkey -algorithm ed25519 -out KEY.pem" makes a key; report verify --key checks it.',
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
  const run = reader.runs().find(({ id }) => text === String(id))
  if (run !== undefined) return run.id
  throw new UsageError(
    `There is no run "${text}" in this ledger; nothing was written`,
    'Name one of its runs by the number that status and the page give it',
  )
}

const NOT_ALL_HOLDS = 3

export const verifyReportCommand: Command = {
  usage: 'report verify <folder>',
  summary: 'prove that nothing of a report was changed',
  examples: [
    'sepa-migrate report verify sepa-migrate-report',
    'sepa-migrate report verify sepa-migrate-report --ledger sepa-migrate.db --key finance-public.pem',
  ],
  options: SHARED,
  own: [['--key <file>', 'public key (PEM) of whoever signed the report']],
  epilogue: [
    'It compares each file of the report with the manifest, and that with the signature where --key is given.',
    'It holds where every byte was compared with the ledger, or signed with the key of --key; what was not is named, and ends',
    'with 3. --ledger writes the report again and compares it, unless the ledger has moved on since. It changes nothing;',
    'what it writes is hidden beside the ledger, and removed.',
  ],
  exits: {
    ...EXITS.plain,
    0: 'all of the report holds',
    3: 'something of it does not hold, or is not proven',
    7: 'there is no report in the folder that can be read',
    8: EXIT_STATUSES[8],
  },
  run: verifyReport,
}

/**
 * Proves the pack in a folder by itself, and beside a ledger and a key where these are named.
 * @throws {SourceError} where there is no pack that can be read
 */
async function verifyReport(context: Context) {
  const { settings, args } = context
  const [folder = ''] = args
  const keyFile = context.text('key')
  const key = keyFile === null ? null : readCheckingKey(keyFile)
  const isBesideLedger = settings.isNamed('ledger')
  const verdict = async (ledger: LedgerReader | null) => {
    const proof = await provePack(folder, { key, ledger })
    return {
      exitCode: holds(proof) ? 0 : NOT_ALL_HOLDS,
      campaign: {
        ledger: isBesideLedger ? settings.ledger : null,
        baseUrl: ledger?.campaign().baseUrl ?? null,
      },
      lines: [
        verdictLine(folder, proof),
        ...proof.discrepancies.flatMap(({ message, next }): Line[] => [
          ['  ', toned('bad', message), '.'],
          `    ${next}.`,
        ]),
        ...provenLines(proof),
      ],
      details: { pack: { folder, holds: holds(proof), ...proof } },
    }
  }
  return isBesideLedger ? lookInto(settings, verdict) : verdict(null)
}

const holds = ({ count, notProven }: Proof): boolean => count + notProven.length === 0

/** One line that says whether all holds. */
function verdictLine(folder: string, { count, files, rows, decisions, changedAt, notProven }: Proof): Line {
  if (count > 0)
    return [
      toned('bad', 'Does NOT hold'),
      `: ${plural(count, 'difference', 'differences')} in "${folder}". Sign nothing and decide nothing by it.`,
    ]
  if (notProven.length > 0)
    return [
      toned('open', 'Not proven'),
      `: nobody signed, or compared with the ledger, every byte of ${notProven.join(', ')}. No difference was found.`,
    ]
  const what = [
    plural(files, 'file', 'files'),
    `${plural(rows, 'record', 'records')} read`,
    plural(decisions, 'decision', 'decisions'),
  ].join(', ')
  return [
    toned('good', 'Holds'),
    `: "${folder}" is as it was written (${what}; the ledger as of ${timeText(changedAt)}).`,
  ]
}

/** What was compared, so that nobody takes for proven what was not looked at. */
function provenLines({ signature, ledger, ledgerId, others }: Proof): string[] {
  const signed = {
    none: 'Signature: none; whoever can write files here could have made the whole pack anew.',
    whole: 'Signature: whole. Whose key it is shows only with --key.',
    proven: 'Signature: by the key that was given.',
    broken: 'Signature: does not hold.',
  }[signature]
  const compared = {
    unchanged:
      'Ledger: has not changed since; the report was written again from it and compared byte for byte.',
    moved_on: 'Ledger: has moved on since, so that it was not compared. A new report can be proven whole.',
    not_compared: 'Ledger: not compared, for the reason above.',
  }
  return said([
    ledgerId !== null && `Pack of the ledger ${ledgerId}.`,
    signed,
    ledger === null ? 'Ledger: not compared (--ledger FILE compares it).' : compared[ledger],
    others.length > 0 &&
      `Not of this pack, and left alone: ${others.slice(0, MOST_NAMED).join(', ')}${others.length > MOST_NAMED ? ` and ${countText(others.length - MOST_NAMED)} more` : ''}.`,
  ])
}

const MOST_NAMED = 10
