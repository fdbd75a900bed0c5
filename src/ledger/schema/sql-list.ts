/** Words of a closed set as an SQL list. Only for words of our own, never for values. */
export const sqlList = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')
