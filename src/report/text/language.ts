import type { Texts } from './en.js'

/** Languages in which people can read a report. The files that programs read are the same in all of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'sv'] as const
export type Language = (typeof LANGUAGES)[number]

/** A language is loaded when a report is written in it. */
const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
  fr: async () => (await import('./fr.js')).fr,
  sv: async () => (await import('./sv.js')).sv,
}

export const textsOf = (language: Language): Promise<Texts> => LOADERS[language]()
