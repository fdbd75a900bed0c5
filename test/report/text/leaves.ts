import { en } from '../../../src/report/text/en.js'
import type { Language } from '../../../src/report/text/language.js'

/** A text by its path in the file of a language, or a function that makes one. */
export interface Leaf {
  readonly path: string
  readonly value: unknown
}

/** Made of more than counts, names and links, or of a length of time: `figures.test.ts` and the page test look at them. */
const OF_ITS_OWN = ['share', 'duration', 'width', 'verification.summary', 'settings.name']

/** All texts of a language, in the order of their paths; of a rule the two that are put into languages. */
export function leavesOf(texts: object): Leaf[] {
  const leaves: Leaf[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) leaves.push({ path, value })
    else for (const [key, part] of Object.entries(value)) walk(part, path === '' ? key : `${path}.${key}`)
  }
  walk(texts, '')
  return leaves
    .filter(({ path }) => !/^rules\..*\.(?:section|severity|state|unusable)$|^states\..*\.short$/.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Long enough to be grouped, and none part of another. */
const VALUES = [1_234_567, 2_345_678, 3_456_789, 4_567_891, 5_678_912]

type Said = (...values: number[]) => { toString: () => string }

const isSaid = (value: unknown): value is Said => typeof value === 'function'

/** Without what stands between groups of digits. */
const ungrouped = (text: string): string => text.replace(/(?<=\d)[.,\u00A0\u202F](?=\d{3}(?!\d))/g, '')

/** The text, or what a function makes of these values, as one line. */
export function saidBy({ path, value }: Leaf, values: readonly number[] = VALUES): string {
  if (OF_ITS_OWN.includes(path)) return ''
  if (!isSaid(value)) return String(value)
  return ungrouped(
    value(...values.slice(0, value.length))
      .toString()
      .replace(/[ \t\r\n]+/g, ' '),
  )
}

/** What is wrong with a language, one line each. */
export function faultsOf(texts: object, english: object): string[] {
  const leaves = leavesOf(texts)
  const paths = new Map(leaves.map((leaf) => [leaf.path, leaf]))
  const expected = leavesOf(english)
  const known = new Set(expected.map(({ path }) => path))
  return [
    ...leaves.flatMap(({ path }) => (known.has(path) ? [] : [`${path} is too much`])),
    ...expected.flatMap((leaf) => {
      const found = paths.get(leaf.path)
      if (found === undefined) return [`${leaf.path} is missing`]
      if (typeof found.value !== typeof leaf.value) return [`${leaf.path} is of another kind`]
      if (isSaid(found.value) && isSaid(leaf.value)) return unsaid(found, leaf.value.length)
      return String(found.value).trim() === '' ? [`${leaf.path} is empty`] : []
    }),
  ]
}

/** Each value must be said, whatever the number is that grammar goes by. */
function unsaid(leaf: Leaf, count: number): string[] {
  if (OF_ITS_OWN.includes(leaf.path)) return []
  const given = [0, 1, 2, 21].map((number) => VALUES.map(() => number))
  return [VALUES, ...given].flatMap((values) => {
    const text = saidBy({ ...leaf }, values)
    const silent = values.slice(0, count).filter((value) => !text.includes(String(value)))
    return silent.length === 0 ? [] : [`${leaf.path} does not say ${silent.join(', ')}: ${text}`]
  })
}

/** Texts that a language may have in common with English. */
export const SAME: Readonly<Record<Exclude<Language, 'en'>, readonly string[]>> = {
  de: ['plans.plan', 'workbook.headers.bytes', 'workbook.headers.plan', 'workbook.headers.version'],
  fr: [
    'hashTotals.total',
    'inDoubt.source',
    'plans.plan',
    'sources.source',
    'sources.title',
    'workbook.headers.plan',
    'workbook.headers.source',
    'workbook.headers.version',
    'workbook.sheets.plans',
    'workbook.sheets.sources',
  ],
  sv: ['chart.countPer', 'plans.plan', 'workbook.headers.plan', 'workbook.headers.version'],
}

/** The parts of an English text that no value stands in. */
function fragmentsOf({ value }: Leaf): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'function') return []
  const say = value as (...values: string[]) => { toString: () => string }
  // As text each stands for itself; as a number it is none, and many.
  try {
    return say(...Array<string>(value.length).fill('\u0001'))
      .toString()
      .split('\u0001')
  } catch {
    return []
  }
}

const longFragments = (leaf: Leaf): string[] =>
  fragmentsOf(leaf)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text.length > 12)

/** Every English text, as far as it can be told from another. */
export const ENGLISH = leavesOf(en).map((leaf) => ({ path: leaf.path, fragments: longFragments(leaf) }))

/** As far as it stands on it. */
export const englishOn = (text: string): string[] =>
  ENGLISH.flatMap(({ fragments }) => fragments.filter((fragment) => text.includes(fragment)))

/** Every figure, as digits. */
export const figuresOn = (text: string): string[] =>
  [...text.replace(/(?<=\d)[.,\u00A0\u202F](?=\d{3}(?!\d))/g, '').matchAll(/(?<!\p{L})\d+(?!\p{L})/gu)]
    .map(([digits]) => digits)
    .sort()
