/** Languages in which people can read a report. The files that programs read are the same in all of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'sv'] as const
export type Language = (typeof LANGUAGES)[number]
