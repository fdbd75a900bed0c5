/** Each mandate of these classes has a line that a person closes. */
export const LISTED_CLASSES = [
  'changed_after_registration',
  'ended_after_registration',
  'gone_unsent',
  'dormant',
  'in_doubt_changed',
  'contradictory',
] as const
/** These have none: the next run of that export does what there is to do. */
export const HELD_CLASSES = ['changed_before_sending'] as const
export type ListedClass = (typeof LISTED_CLASSES)[number]

/**
 * What the last export says of a mandate beside what the ledger holds; every mandate of either side is in exactly one. What
 * a mandate is known by is its reference: where that changed before the row was sent, the old one is gone and the other new.
 */
export const CUT_OVER_CLASSES = ['unchanged', 'erased', 'new', ...HELD_CLASSES, ...LISTED_CLASSES] as const
export type ClassCounts = Readonly<Record<(typeof CUT_OVER_CLASSES)[number], number>>

/** What the last export has of the others: a run that takes it in does the rest. */
export const untakenOf = (classes: ClassCounts): number => classes.new + classes.changed_before_sending

/** What differs: gone from the export, ended or lapsed there, another value, or a record that no one can be sure of. */
const CHANGE_TEXT = {
  gone: 'it is not in the last export',
  ended: 'it has ended there',
  lapsed: 'it has lapsed',
  lapses_soon: 'it lapses soon',
  unclear: 'its record there is wrong or unclear',
  other: 'its record there says something else',
  contradictory: 'its records there contradict each other',
  reference: 'it has another reference there',
  customer: 'it has another customer number there',
  account: 'it has another account there',
  date: 'it has another date of signature there',
  collected_ended: 'its last collection was made as the last one',
  collected_reference_differs: 'it was last collected under another reference',
  collected_creditor_differs: 'it was last collected for another creditor',
  collected_date_differs: 'it was last collected with another date of signature',
  collected_account_differs: 'it was last collected from another account',
  begun: 'a ledger that is lost began to send it, and this one does not send it as it stands',
  back: 'it is as before again, though somebody had it changed or cancelled at the service: look what the service holds',
} as const

/** `why` is changes with blanks between them. */
export const changeText = (why: string): string =>
  why
    .split(' ')
    .map((change) => CHANGE_TEXT[change as keyof typeof CHANGE_TEXT])
    .join(', ')

const ENDS: ReadonlySet<string> = new Set(['gone', 'ended', 'lapsed', 'collected_ended'])

/** What the last export that was compared says of a record that waits, for whoever decides about it. */
export function waitingText({ why, isSame }: { why: string; isSame: 0 | 1 }): {
  message: string
  remedy?: string
} {
  const said = isSame === 1 ? 'it is as in this record there' : changeText(why)
  const isOver = why.split(' ').some((change) => ENDS.has(change))
  return {
    message: `The last export was compared: ${said}.`,
    ...(isOver && {
      remedy: 'Write "written-off" into migration_decision; "send" only if it lives all the same.',
    }),
  }
}

/** What a person does about one mandate: by what the export says of it, and where its row stands now. */
export function actionOf({ listed, why }: { listed: ListedClass; why: string }, state: string): string {
  if (listed === 'contradictory')
    return state === 'registered' || state === 'in_doubt' || state === 'written_off'
      ? 'Find out which record is right. If the service holds something else, have it changed or cancelled there; then write done.'
      : 'Give the compared exports to a run, and decide between its records in the list of corrections. If both are of one system, you may compare the newer one alone instead. Until then it is not sent.'
  if (state === 'in_doubt')
    return listed === 'dormant'
      ? 'Settle the doubt; if the service holds it, collect before the last day or get a new mandate.'
      : 'Settle the doubt first (in-doubt.csv); it is not sent meanwhile. If the service holds it, have it changed or cancelled there, then write done.'
  if (listed === 'dormant')
    return state === 'registered' || state === 'written_off'
      ? 'Make the first collection before the last day, or get a new mandate; then write done.'
      : 'Send it and collect before the last day, or get a new mandate and write this one off; then write done.'
  if (why === 'begun')
    return 'Look whether the service holds it. If so, have it changed or cancelled there; then write done.'
  const changes = why.split(' ')
  if (state === 'written_off')
    return 'It was written off, and its request may have arrived. If the service holds it, have it changed or cancelled there; then write done.'
  if (state !== 'registered')
    return changes.includes('reference')
      ? 'It was not registered and is not sent under this reference. Write written-off; what the export has is sent under the other one.'
      : 'It was not registered and is not sent. Write written-off.'
  return changes.some((change) => ENDS.has(change))
    ? 'The customer would be debited without authority: have it cancelled at the service, then write done.'
    : changes.includes('back')
      ? 'Look what the service holds, and have it changed there if that is something else; then write done.'
      : 'The service holds the old one: have it changed there, or cancelled and registered anew there, since it is not sent again; then write done.'
}

/** So many days after an export customers may have left that it still has. */
export const EXPORT_OLD_AFTER_DAYS = 3

export const NO_CUT_OVER = {
  /** Lines that nobody has closed. */
  open: 0,
  /** Ready rows that it holds back. */
  held: 0,
  /** Mandates that are new or were changed, as long as its export did not come in. */
  untaken: 0,
  /** Rows of other exports that came in since, and rows that were sent days later. */
  uncompared: 0,
  /** Mandates that were sent as an export was read then, of which others say something else since. */
  asReadBefore: 0,
  /** Totals of the former provider that are not those of its export. */
  unexpected: 0,
}
/** What is open of the latest comparison. */
export type OpenCutOver = Readonly<typeof NO_CUT_OVER>

/** Why rows are ready and do not leave. */
export const HELD_TEXT =
  'the last comparison or another record says something else of their mandates, or they came in after it with an export that nobody called newer: act on to-do/cut-over.csv and to-do/corrections.csv, run the compared export, compare a newer one, or say that theirs is newer (run FILE --newer)'
