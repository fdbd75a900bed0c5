import { describe, expect, it } from 'vitest'
import { remindersAfter } from '../../../src/sandbox/billogram/reminders.js'

const own = [{ delay_days: 5, message: 'Please pay', type: 'Email' }]
const other = [{ delay_days: 9, message: 'Again', type: 'Letter' }]

describe('2.2.4: the reminder rules', () => {
  it.each([
    // [current automatic, current settings, submitted, automatic after, settings after]
    ['rule 1: settings without the flag switch reminders on', false, null, { s: own }, true, own],
    ['rule 1: settings with the flag keep the flag', true, null, { s: own, a: false }, false, own],
    ['rule 1: settings with the flag keep the flag', false, null, { s: own, a: true }, true, own],
    ['rule 2: the empty list switches them off', true, own, { s: [] }, false, []],
    ['rule 2: the empty list wins over the flag', true, own, { s: [], a: true }, false, []],
    ['rule 3: null stands for the account', true, own, { s: null, a: true }, true, null],
    ['rules 1 and 3: null without the flag switches them on', false, own, { s: null }, true, null],
    ['rule 3: null with the flag off stays off', true, own, { s: null, a: false }, false, null],
    ['nothing submitted changes nothing', false, own, {}, false, own],
    ['2.2: the flag alone uses the settings there are', false, other, { a: true }, true, other],
    ['2.2: false sends none and forgets no setting', true, other, { a: false }, false, other],
    ['choice 13: the flag alone cannot mean the empty list', false, [], { a: true }, true, null],
    ['choice 13: switching off again keeps the empty list', false, [], { a: false }, false, []],
  ])('%s', (_name, automatic, settings, submitted, automaticAfter, settingsAfter) => {
    const { s, a } = submitted as { s?: typeof own | null; a?: boolean }
    expect(
      remindersAfter(
        { automatic, settings },
        {
          ...(a === undefined ? {} : { automatic_reminders: a }),
          ...(s === undefined ? {} : { automatic_reminders_settings: s }),
        },
      ),
    ).toEqual({ automatic: automaticAfter, settings: settingsAfter })
  })
})
