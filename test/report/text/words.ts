import { readFileSync } from 'node:fs'
import { type Language, LANGUAGES } from '../../../src/report/text/language.js'

export const OTHERS = LANGUAGES.filter((language) => language !== 'en')

/** All that a language says, by key. */
export const wordsIn = (language: Language): Readonly<Record<string, string>> =>
  JSON.parse(
    readFileSync(new URL(`../../../src/report/text/${language}.json`, import.meta.url), 'utf8'),
  ) as Record<string, string>

/** English texts that stand whole on what another language shows. */
export const englishOn = (shown: string, language: Language): string[] => {
  const own = wordsIn(language)
  return Object.entries(wordsIn('en')).flatMap(([key, text]) =>
    text.length > 12 && own[key] !== text && shown.includes(text) ? [text] : [],
  )
}

const MONTHS = (wordsIn('en')['months'] ?? '').split(' ')
const ENGLISH_DATE = new RegExp(`(?<!\\d)(\\d{1,2}) (${MONTHS.join('|')})(?= \\d{4})`, 'g')
const two = (figure: number | string): string => String(figure).padStart(2, '0')

/** Every figure, as digits; a month that English names is one too. */
export const figuresOn = (text: string): string[] =>
  [
    ...text
      .replace(
        ENGLISH_DATE,
        (_, day: string, month: string) => `${two(day)} ${two(MONTHS.indexOf(month) + 1)}`,
      )
      .replace(/(?<=\d)[.,\u00A0\u202F](?=\d{3}(?!\d))/g, '')
      .matchAll(/(?<!\p{L})\d+(?!\p{L})/gu),
  ]
    .map(([digits]) => digits)
    .sort()
