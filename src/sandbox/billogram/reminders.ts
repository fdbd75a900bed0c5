import type { Reminder } from '../../contract/billogram.js'
import type { Reminders } from './billogram-record.js'

interface SubmittedReminders {
  readonly automatic_reminders?: boolean | undefined
  readonly automatic_reminders_settings?: readonly Reminder[] | null | undefined
}

/** The reminders after an update: the three rules of sandbox/README.md#sections. */
export function remindersAfter(current: Reminders, submitted: SubmittedReminders): Reminders {
  const { automatic_reminders: automatic, automatic_reminders_settings: settings } = submitted
  if (settings === undefined) return withFlagAlone(current, automatic)
  // Rule 2: the empty list switches reminders off, whatever the flag says.
  if (settings?.length === 0) return { automatic: false, settings }
  // Rule 1: settings without the flag switch them on. Rule 3: null stands for the account's settings.
  return { automatic: automatic ?? true, settings }
}

/** A flag of true cannot mean the empty list, so the account's settings take its place (choice 13). */
function withFlagAlone(current: Reminders, automatic: boolean | undefined): Reminders {
  if (automatic === undefined) return current
  const settings = automatic && current.settings?.length === 0 ? null : current.settings
  return { automatic, settings }
}
