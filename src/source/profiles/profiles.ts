import { UsageError } from '../../errors.js'
import { orNearest } from '../../domain/text/text.js'
import type { Field } from '../../domain/mandate/mandate.js'
import type { WordField } from '../../domain/value/words.js'
import { findColumn, type Header } from '../columns/header.js'
import type { Ask } from '../columns/mapping.js'
import * as known from './known.js'
import type { ColumnsOptions, ExcludeOptions, SourceOptions } from '../options.js'

/** What is known of the exports of one system. Nothing in it is a guess: what is not documented is asked. */
export interface Profile {
  readonly id: string
  readonly name: string
  /** An export that has all of these columns is one of the system. */
  readonly headers: readonly string[]
  readonly columns: ColumnsOptions
  /** Where the system keeps its own number of a customer, which is none of the new service. */
  readonly customer?: string | readonly string[]
  readonly words?: SourceOptions['words']
  /** Fields of codes that nobody documented: an unknown one refuses the file. */
  readonly open?: readonly WordField[]
  readonly exclude?: ExcludeOptions
  /** Columns that are not what their name says. */
  readonly never?: readonly string[]
  /** Why a field has no column, and what a person may write for it; the usual words where nothing stands here. */
  readonly asks?: Readonly<Partial<Record<Field, Ask>>>
}

export const PROFILES = Object.values<object>(known) as readonly Profile[]

/** The profile whose headers a source has; of several the one that asks for the most. */
export const recognise = (header: Header): Profile | null =>
  PROFILES.filter(({ headers }) => headers.every((name) => findColumn(header, name) !== null)).toSorted(
    (a, b) => b.headers.length - a.headers.length,
  )[0] ?? null

/** @throws {UsageError} for a name that is none */
export function profileOf(id: string): Profile {
  const profile = PROFILES.find((known) => known.id === id)
  if (profile !== undefined) return profile
  const ids = PROFILES.map((known) => known.id)
  throw new UsageError(
    `There is no profile "${id}"${orNearest(id, ids)}`,
    `Take one of ${ids.join(', ')}; nothing was sent`,
  )
}
