/** Effect of a rule: an error keeps the row from being sent, a warning is reported, off is silent. */
export type Severity = 'error' | 'warning' | 'off'

interface Rule {
  /** The heading of domain/rulebook.md that says what is checked and where the fact comes from, as an anchor. */
  readonly section: string
  readonly severity: Severity
  /** The state a row takes by this rule as an error; `invalid` when left out. */
  readonly state?: 'excluded' | 'conflict' | 'duplicate'
  /** Marked †: no usable value is left, so the row or file is not sent whatever the severity. */
  readonly unusable?: true
  readonly message: string
  readonly remedy: string
}

const TEACH =
  'Say what it means under "words" in the configuration and give the same file again. If this row is right as it stands, write "send" into migration_decision of its line in corrections.csv and give that file back.'

/** Every rule with its default severity and its text for the operator. */
export const RULES = {
  EXCEL_SCIENTIFIC: {
    section: 'normalisation',
    severity: 'error',
    message:
      'The spreadsheet replaced this value by a rounded number. The original cannot be recovered from it.',
    remedy: 'Export again with the column formatted as text, without opening the file in a spreadsheet.',
  },
  CUST_EMPTY: {
    section: 'customer-number',
    severity: 'error',
    unusable: true,
    message: 'There is no customer number.',
    remedy: 'Fill it in, or add the old key to the crosswalk file.',
  },
  CUST_FORMAT: {
    section: 'customer-number',
    severity: 'error',
    unusable: true,
    message: 'The customer number is not a plain whole number.',
    remedy:
      "Give the number of the customer in the invoicing service. If this is the old creditor's key, use a crosswalk file.",
  },
  CUST_RANGE: {
    section: 'customer-number',
    severity: 'error',
    unusable: true,
    message: 'The customer number is outside the allowed range.',
    remedy: 'Correct the number. Look for a spreadsheet that changed it.',
  },
  CUST_LEADING_ZERO: {
    section: 'customer-number',
    severity: 'warning',
    message:
      'Leading zeros are lost, because the service stores a number. It may be a key of another system.',
    remedy: 'Compare a few rows with the service before sending.',
  },
  CROSSWALK_NO_MATCH: {
    section: 'crosswalk',
    severity: 'error',
    unusable: true,
    message: 'No customer is known for this old key.',
    remedy: 'Add the key to the crosswalk, or remove the row from the export.',
  },
  CROSSWALK_AMBIGUOUS: {
    section: 'crosswalk',
    severity: 'error',
    unusable: true,
    message: 'This old key points to several customers.',
    remedy: 'Keep the one correct line in the crosswalk.',
  },
  CROSSWALK_MISMATCH: {
    section: 'crosswalk',
    severity: 'error',
    message: 'The crosswalk line belongs to another account or name.',
    remedy: 'Check the crosswalk for shifted or sorted columns.',
  },
  CROSSWALK_DUPLICATE_LINE: {
    section: 'crosswalk',
    severity: 'warning',
    message: 'The crosswalk repeats a line.',
    remedy: 'Remove the repeated line.',
  },
  CROSSWALK_UNUSED_LINE: {
    section: 'crosswalk',
    severity: 'warning',
    message: 'A customer in the crosswalk has no mandate in the export.',
    remedy: 'Check whether the export is complete.',
  },
  IBAN_EMPTY: {
    section: 'account-number',
    severity: 'error',
    unusable: true,
    message: 'There is no IBAN.',
    remedy: 'Get the IBAN from the previous creditor or the customer.',
  },
  IBAN_MASKED: {
    section: 'account-number',
    severity: 'error',
    message: 'The IBAN is masked. The hidden digits cannot be restored.',
    remedy: 'Ask the previous creditor for an export with full IBANs.',
  },
  IBAN_COUNTRY: {
    section: 'account-number',
    severity: 'error',
    message: 'This does not start with a country that issues IBANs.',
    remedy:
      "An old account number and bank code must be converted to an IBAN by the bank. Overseas territories use the parent's prefix.",
  },
  IBAN_NOT_SEPA: {
    section: 'account-number',
    severity: 'error',
    message: "This account's country does not take part in SEPA.",
    remedy: 'Do not migrate this row. Agree another means of payment.',
  },
  IBAN_CHARSET: {
    section: 'account-number',
    severity: 'error',
    message: 'The IBAN contains a character that is not allowed.',
    remedy: 'Correct the IBAN. The report names the character.',
  },
  IBAN_LENGTH: {
    section: 'account-number',
    severity: 'error',
    message: 'The IBAN is too short or too long for its country.',
    remedy: 'Look for a lost zero or a cut-off cell.',
  },
  IBAN_STRUCTURE: {
    section: 'account-number',
    severity: 'error',
    message: 'Letters and digits are in the wrong places for this country.',
    remedy: 'Check for O instead of 0 and I instead of 1.',
  },
  IBAN_CHECK_RANGE: {
    section: 'account-number',
    severity: 'error',
    message: 'The check digits can never occur.',
    remedy: 'The IBAN was made up or damaged. Get it from the customer.',
  },
  IBAN_CHECKSUM: {
    section: 'account-number',
    severity: 'error',
    message: 'The IBAN has a typing error.',
    remedy: 'Compare it with the source document.',
  },
  IBAN_QR: {
    section: 'account-number',
    severity: 'error',
    message: 'This is a QR-IBAN. It only receives payments and cannot be debited.',
    remedy: 'Ask the customer for the normal IBAN.',
  },
  IBAN_NON_EEA: {
    section: 'account-number',
    severity: 'warning',
    message: "Collections from this country also need the payer's address (and usually the BIC).",
    remedy:
      'Store the address on the customer with town and country in fields of their own: since 15 November 2026 banks refuse unstructured ones.',
  },
  IBAN_NEW_SEPA: {
    section: 'account-number',
    severity: 'warning',
    message:
      "The country joined SEPA recently. Its bank may not accept direct debits yet. The payer's address is needed.",
    remedy:
      'Ask the bank before the first collection. Store the address with town and country in fields of their own: since 15 November 2026 banks refuse unstructured ones.',
  },
  IBAN_NATIONAL_CHECK: {
    section: 'account-number',
    severity: 'warning',
    message: 'The national check digit of the account is unusual. Old or special accounts can have this.',
    remedy: 'Compare with the source document; otherwise send.',
  },
  IBAN_LIBRARY_DISAGREES: {
    section: 'account-number',
    severity: 'warning',
    message: 'Two checks of this IBAN disagree.',
    remedy: 'Report it to the developers; check the IBAN by hand.',
  },
  DATE_EMPTY: {
    section: 'signature-date',
    severity: 'error',
    unusable: true,
    message: 'There is no signature date.',
    remedy: 'Take it from the mandate. Never use the export or migration date.',
  },
  DATE_AMBIGUOUS: {
    section: 'signature-date',
    severity: 'error',
    unusable: true,
    message: 'The date can be read in two ways.',
    remedy: 'Declare the format of this column.',
  },
  DATE_INVALID: {
    section: 'signature-date',
    severity: 'error',
    unusable: true,
    message: 'This is not a date in the declared format.',
    remedy: 'Correct the date, or declare the right format.',
  },
  DATE_FUTURE: {
    section: 'signature-date',
    severity: 'error',
    message: 'The signature date is in the future.',
    remedy: 'Check day and month for a swap.',
  },
  DATE_PRE_SEPA: {
    section: 'signature-date',
    severity: 'warning',
    message: 'The mandate is older than SEPA direct debit, or the date is a filler such as 1970-01-01.',
    remedy: 'Confirm it is the date on the paper. Old German authorisations may keep it.',
  },
  DATE_LEGACY_DEFAULT: {
    section: 'signature-date',
    severity: 'warning',
    message: 'This is the usual filler for old Dutch mandates. It is legal.',
    remedy: 'Supply the last collection date, so dormancy can be judged.',
  },
  DATE_TWO_DIGIT_YEAR: {
    section: 'signature-date',
    severity: 'warning',
    message: 'The century was assumed.',
    remedy: 'Compare a few dates with the source.',
  },
  DATE_UTC_SHIFT: {
    section: 'signature-date',
    severity: 'warning',
    message: 'The date looks like local midnight stored in UTC. It may be one day early.',
    remedy: 'Ask for a plain date, without time.',
  },
  CI_EMPTY: {
    section: 'creditor-identifier',
    severity: 'error',
    unusable: true,
    message: 'There is no creditor identifier of the previous creditor.',
    remedy: 'Fill the column, or configure the constant.',
  },
  CI_FORMAT: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'This does not have the form of a creditor identifier.',
    remedy: 'Copy it from a bank statement or an old pre-notification.',
  },
  CI_LOOKS_LIKE_IBAN: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'This is an IBAN, not a creditor identifier.',
    remedy: 'Check whether two columns are swapped.',
  },
  CI_CHECKSUM: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'The check digits are wrong.',
    remedy: 'Look for a typing error. Do not recompute the digits.',
  },
  CI_COUNTRY: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'No SEPA creditor identifiers are issued under this country code.',
    remedy: 'Copy it again from the source.',
  },
  CI_LENGTH: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'The length is wrong for this country. Often a leading zero was lost.',
    remedy: 'Restore it from a document. Do not pad by guess.',
  },
  CI_LENGTH_UNCONFIRMED: {
    section: 'creditor-identifier',
    severity: 'warning',
    message: 'The length is unusual for this country.',
    remedy: 'Compare with a bank statement.',
  },
  CI_LENGTH_UNKNOWN: {
    section: 'creditor-identifier',
    severity: 'warning',
    message: 'The length cannot be checked for this country.',
    remedy: 'Compare with a bank statement.',
  },
  CI_NATIONAL_CHARS: {
    section: 'creditor-identifier',
    severity: 'warning',
    message: 'The identifier contains unusual characters.',
    remedy: 'Compare with a bank statement.',
  },
  CI_CONSTANT_MISMATCH: {
    section: 'creditor-identifier',
    severity: 'error',
    message: 'The row names another creditor than the configured one.',
    remedy: 'Remove the constant, or split the file.',
  },
  CI_SAME_AS_NEW: {
    section: 'creditor-identifier',
    severity: 'warning',
    message: 'Old and new creditor are the same. Banks refuse a change that changes nothing.',
    remedy: 'Check that the old identifier was entered, not the new one.',
  },
  UMR_EMPTY: {
    section: 'mandate-reference',
    severity: 'error',
    unusable: true,
    message: 'There is no mandate reference.',
    remedy: 'Get it from the previous creditor.',
  },
  UMR_CHARSET: {
    section: 'mandate-reference',
    severity: 'error',
    message: 'The reference contains a character banks do not accept.',
    remedy: 'Ask the previous creditor what was really sent to the bank. Or fix the encoding of the export.',
  },
  UMR_LENGTH: {
    section: 'mandate-reference',
    severity: 'error',
    message: 'The reference is longer than 35 characters.',
    remedy: 'Check for joined columns.',
  },
  UMR_SLASH: {
    section: 'mandate-reference',
    severity: 'error',
    message: 'Slashes are in a place banks do not accept.',
    remedy: 'Ask the previous creditor what was sent to the bank.',
  },
  UMR_SPACE: {
    section: 'mandate-reference',
    severity: 'warning',
    message: 'Some banks forbid or squeeze blanks.',
    remedy: 'Compare with an old bank statement.',
  },
  UMR_PLACEHOLDER: {
    section: 'mandate-reference',
    severity: 'warning',
    message: 'This looks like a filler, not a reference.',
    remedy: 'Get the real reference.',
  },
  UMR_PRECISION: {
    section: 'mandate-reference',
    severity: 'warning',
    message: 'The last digits may have been lost in a spreadsheet.',
    remedy: 'Compare with the source system.',
  },
  UMR_LOOKS_LIKE_DATE: {
    section: 'mandate-reference',
    severity: 'warning',
    message: 'A spreadsheet may have turned the reference into a date.',
    remedy: 'Compare with the source system.',
  },
  UMR_APOSTROPHE: {
    section: 'mandate-reference',
    severity: 'warning',
    message: "This may be a spreadsheet's text marker. It is also a legal character, so it is kept.",
    remedy: 'Compare with an old bank statement.',
  },
  LAST_COLLECTION_INVALID: {
    section: 'last-collection',
    severity: 'error',
    message: 'The last collection date cannot be read.',
    remedy: 'Correct it or clear the cell.',
  },
  LAST_COLLECTION_FUTURE: {
    section: 'last-collection',
    severity: 'warning',
    message: 'The last collection is in the future. It may be a planned one.',
    remedy: 'Use the last collection that was presented to the bank, also when it came back.',
  },
  LAST_COLLECTION_BEFORE_SIGNATURE: {
    section: 'last-collection',
    severity: 'error',
    message: 'The mandate was used before it was signed. One date is wrong.',
    remedy: 'Check both dates.',
  },
  MANDATE_DORMANT: {
    section: 'last-collection',
    severity: 'error',
    state: 'excluded',
    message: 'No collection was presented for more than 36 months: the mandate has lapsed.',
    remedy: 'Get a new mandate, unless a later collection was presented: it counts also when it came back.',
  },
  MANDATE_DORMANT_SOON: {
    section: 'last-collection',
    severity: 'warning',
    message: 'The mandate lapses soon.',
    remedy: 'Present the first collection by the date shown; it counts also when it comes back.',
  },
  DORMANCY_UNKNOWN: {
    section: 'last-collection',
    severity: 'warning',
    message: 'It cannot be told whether the mandate has lapsed (unconfirmed: warn, never reject).',
    remedy: 'Supply the date of the last collection that was presented, also when it came back.',
  },
  STATUS_NOT_ACTIVE: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'excluded',
    message: 'The mandate is not active.',
    remedy: 'Do not migrate. Get a new mandate if needed.',
  },
  STATUS_UNKNOWN: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'Nobody has said what this status word means.',
    remedy: TEACH,
  },
  SEQUENCE_ONE_OFF: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'excluded',
    message: 'One-off mandate: spent after one debit.',
    remedy: 'Do not migrate.',
  },
  SEQUENCE_FINAL: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'excluded',
    message: 'The final collection was already made.',
    remedy: 'Do not migrate.',
  },
  SEQUENCE_UNKNOWN: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'Nobody has said what this sequence word means.',
    remedy: TEACH,
  },
  SCHEME_B2B: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'excluded',
    message:
      "Business-to-business mandate: the debtor's bank must register it anew, and the service has no field for it.",
    remedy: 'Do not migrate. Agree a core mandate.',
  },
  SCHEME_UNKNOWN: {
    section: 'status-sequence-scheme',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'Nobody has said what this scheme word means.',
    remedy: TEACH,
  },
  EXCLUDED_BY_CONFIGURATION: {
    section: 'exclusions',
    severity: 'error',
    state: 'excluded',
    message: 'The configuration excludes this row.',
    remedy: 'Do not migrate, or change the exclude rule.',
  },
  CORRECTION_UNREADABLE: {
    section: 'rules-across-rows',
    severity: 'error',
    unusable: true,
    message: 'The line does not say which row it corrects.',
    remedy:
      'Take the line from corrections.csv or refused.csv again and leave its migration_row as it is; empty the cell for a new mandate.',
  },
  CORRECTION_TAKES_REFERENCE: {
    section: 'rules-across-rows',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'The correction gives this row the reference of another row.',
    remedy:
      'Look whether a column moved by a line, and correct it in corrections.csv. If it is right, write "send" into migration_decision of its line. Then give the file back.',
  },
  CORRECTION_TAKES_ACCOUNT: {
    section: 'rules-across-rows',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'The correction gives this row the account of another customer.',
    remedy:
      'Look whether a column moved by a line, and correct it in corrections.csv. If both share the account, write "send" into migration_decision of its line. Then give the file back.',
  },
  CONFLICT_MANDATE: {
    section: 'rules-across-rows',
    severity: 'error',
    state: 'conflict',
    message: 'The same mandate occurs with different data. None of the rows is sent.',
    remedy:
      'Correct the wrong row in corrections.csv, or write "send" into migration_decision of the one that is right, and give the file back.',
  },
  MANDATE_RESEMBLES_SENT: {
    section: 'rules-across-rows',
    severity: 'error',
    state: 'conflict',
    message:
      'Customer, account and date are those of a mandate that was or may be sent under another reference. It may be that mandate with a corrected reference.',
    remedy:
      'If it is the same mandate, do not send it: correct the reference at the service and write this row off. If it is a second mandate of this customer, write "send" into migration_decision of its line in corrections.csv and give the file back.',
  },
  DUPLICATE_MANDATE: {
    section: 'rules-across-rows',
    severity: 'error',
    state: 'duplicate',
    message: 'The mandate is already in the file. The first row is sent.',
    remedy: 'Nothing to do; remove the repeated row if you like.',
  },
  CUSTOMER_MULTIPLE_MANDATES: {
    section: 'rules-across-rows',
    severity: 'warning',
    message: 'This customer gets several mandates. The service may keep only one.',
    remedy: 'Decide which mandate counts. Check the crosswalk.',
  },
  MANDATE_NEAR_DUPLICATE: {
    section: 'rules-across-rows',
    severity: 'warning',
    message: 'Two references differ only by blanks; banks may see one mandate.',
    remedy: 'Check which spelling the bank knows.',
  },
  IBAN_SHARED: {
    section: 'rules-across-rows',
    severity: 'off',
    message: 'One account pays for several customers. Usual for families and several contracts.',
    remedy: 'Nothing to do.',
  },
  FILE_FORMAT: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The file is not in a format that is read.',
    remedy: 'Give the export as CSV.',
  },
  FILE_ENCODING: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The file cannot be read as text.',
    remedy: 'Declare the encoding, or export as UTF-8.',
  },
  FILE_DELIMITER: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The column separator is unclear.',
    remedy: 'Declare the delimiter.',
  },
  FILE_HEADER_MISSING: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'A required column was not found.',
    remedy: 'Map the column by name in the configuration.',
  },
  FILE_HEADER_DUPLICATE: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'A column name occurs twice.',
    remedy: 'Rename one, or map by position.',
  },
  FILE_HEADER_AMBIGUOUS: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'It is unclear which column to use.',
    remedy: 'Map the column by name in the configuration.',
  },
  FILE_RECORD_TOO_LONG: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'A quote is probably missing; the message gives the line where the record starts.',
    remedy: 'Fix the quote in that line.',
  },
  FILE_QUOTE_STRAY: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'A cell over several lines looks like records that a stray quote joined.',
    remedy: 'Correct the quotes, or declare the column under source.multilineColumns.',
  },
  FILE_ROW_LEFT_OUT: {
    section: 'file-rules',
    severity: 'error',
    message: 'A line that is left out before the header or at the end could be a mandate.',
    remedy:
      'Correct source.skipLines or source.skipFooterLines; they count physical lines, blank ones included. If the line is no mandate, take it out of the export, or set rules: { FILE_ROW_LEFT_OUT: warning }.',
  },
  FILE_COUNT_MISMATCH: {
    section: 'file-rules',
    severity: 'error',
    message: 'The file states another number of records than were read.',
    remedy:
      'Ask for a complete export. If the number counts something else, set rules: { FILE_COUNT_MISMATCH: warning }.',
  },
  FILE_COLUMN_UNDECIDED: {
    section: 'file-rules',
    severity: 'error',
    message: 'A column looks as if it said which mandates must stay behind, and nothing uses it.',
    remedy:
      'Use the column or decide that it does not count, as the message says; "sepa-migrate init" drafts a configuration.',
  },
  FILE_WORDS_UNKNOWN: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'Not one value of a column is understood.',
    remedy:
      'Say under "words" in the configuration what its values mean, or that the column is none of that kind, as the message says.',
  },
  FILE_CONFIGURATION_FORGOTTEN: {
    section: 'file-rules',
    severity: 'error',
    message: 'Rows of this file came in with a configuration that this command does not have.',
    remedy:
      'Give the configuration that the export was read with (--config), or decide in another one about what the message names.',
  },
  FILE_CHANGED: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The file changed while it was read. Nothing of it was admitted.',
    remedy: 'Make sure no other program writes it, and start again.',
  },
  ROW_MAY_BE_CUT: {
    section: 'file-rules',
    severity: 'error',
    state: 'conflict',
    unusable: true,
    message: 'The file ends within this row: its last value may be cut off.',
    remedy:
      'Export again. If the row is complete, write "send" into migration_decision of its line in corrections.csv and give that file back.',
  },
  ROW_FIELD_COUNT: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The row has the wrong number of columns.',
    remedy: 'Check for an unquoted delimiter or line break.',
  },
  FILE_MAY_BE_CUT: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The last row has no line end, so the file may be cut off. That row is not sent.',
    remedy: 'Compare the number of rows with the export, and look at the last one.',
  },
  FILE_EMPTY: {
    section: 'file-rules',
    severity: 'error',
    unusable: true,
    message: 'The file has no mandates.',
    remedy: 'Check the export.',
  },
  FILE_ENCODING_ASSUMED: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The encoding was assumed.',
    remedy: 'Look at names with umlauts or accents in the report.',
  },
  FILE_MOJIBAKE: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The text was decoded wrongly somewhere.',
    remedy: 'Export again with the right encoding.',
  },
  FILE_DATE_DOMINANT: {
    section: 'file-rules',
    severity: 'warning',
    message: 'One signature date dominates. It is probably a filler.',
    remedy: 'Ask for the real dates.',
  },
  FILE_UMR_EQUALS_CUSTOMER: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The references look like customer numbers.',
    remedy: 'Check that they are what the bank knows.',
  },
  FILE_DORMANCY_UNKNOWN: {
    section: 'file-rules',
    severity: 'warning',
    message: 'It cannot be told which of these mandates have lapsed.',
    remedy: 'Map a column with the last collection that was presented, also when it came back.',
  },
  FILE_CI_MIXED: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The file names several previous creditors. Usually it is one.',
    remedy: 'Check for damaged identifiers.',
  },
  FILE_CI_LENGTH: {
    section: 'file-rules',
    severity: 'warning',
    message: 'A creditor identifier of the United Kingdom has an unusual length.',
    remedy: 'Compare it with a bank statement.',
  },
  FILE_TOTALS_LINE: {
    section: 'file-rules',
    severity: 'warning',
    message: 'The last line holds totals and no mandate. It was left out and is not counted.',
    remedy: 'Nothing to do, unless it is a mandate.',
  },
  RESPONSE_ECHO_MISMATCH: {
    section: 'answers',
    severity: 'error',
    message: 'The answer names another customer, account or signature date than the request.',
    remedy: 'The row is in doubt and the run stopped. Ask the service what it registered.',
  },
  RESPONSE_CI_UNCHANGED: {
    section: 'answers',
    severity: 'warning',
    message: 'The assigned creditor identifier names the same creditor as the old one.',
    remedy: 'There is no creditor change; the bank may refuse the amendment. Ask the service.',
  },
  RESPONSE_UMR_UNCHANGED: {
    section: 'answers',
    severity: 'off',
    message: 'The assigned reference equals the old one.',
    remedy: 'Nothing to do.',
  },
  RESPONSE_CUSTOMER_TEXT: {
    section: 'answers',
    severity: 'warning',
    message: 'The answer gave the customer number as text.',
    remedy: 'Nothing to do; the digits are the same.',
  },
  RESPONSE_IDENTIFIER_FORMAT: {
    section: 'answers',
    severity: 'warning',
    message: 'An assigned identifier does not have the usual form. It is kept as it came.',
    remedy: 'Ask the service before telling the customer.',
  },
  RESPONSE_STATUS_WORD: {
    section: 'answers',
    severity: 'warning',
    message: 'The answer was complete, but its status word was not OK.',
    remedy: 'Compare this mandate with the service.',
  },
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof RULES

/** Severities the configuration changed. */
export type SeverityOverrides = Readonly<Partial<Record<RuleId, Severity>>>

export const ruleOf = (id: RuleId): Rule => RULES[id]

export const isRuleId = (text: string): text is RuleId => Object.hasOwn(RULES, text)

export const severityOf = (id: RuleId, overrides: SeverityOverrides): Severity =>
  overrides[id] ?? RULES[id].severity
