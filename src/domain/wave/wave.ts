import { ROW_STATES } from '../row/row-state.js'
import { TOTAL_OF_STATE, type Totals } from '../row/totals.js'

/** Rows with one of these values in this column of the export. */
export interface WaveColumn {
  /** Its name in the header, or the field that it feeds. */
  readonly column: string
  readonly equals: readonly (string | number | boolean)[]
}

/** Rows drawn by their mandates: the same seed draws the same ones whatever the order of the files. */
type WaveSample = { readonly seed: string | number } & (
  { readonly rows: number; readonly percent?: never } | { readonly percent: number; readonly rows?: never }
)

/** Which rows a wave takes: those that meet all that is named here. One that names nothing takes what is left. */
export interface WaveFilter {
  readonly columns?: readonly WaveColumn[]
  /** Countries of the account, two letters each. */
  readonly country?: readonly string[]
  /** Names of files, without their folders. */
  readonly source?: readonly string[]
  /** Identifiers of previous creditors; check digits and business codes play no part. */
  readonly creditor?: readonly string[]
  readonly sample?: WaveSample
  /** So many rows at most, the first that can be sent. */
  readonly number?: number
}

/** A part of a campaign that is sent together. A row belongs to the first wave that takes it. */
export interface Wave extends WaveFilter {
  readonly name: string
  /** A person said no for now: none of its rows is sent. */
  readonly held?: boolean
}

/** What rows that no wave takes are called together. They go last. */
export const REST = 'rest'

/** Within a wave: as the rows came in, or first what must be debited first. */
export const SENDING_ORDERS = ['row', 'first-debit-by'] as const
export type SendingOrder = (typeof SENDING_ORDERS)[number]

/** Which ready rows a run sends, and in which order: by waves, and within a wave as it says. */
export interface Selection {
  /** Names of waves; null for all. None sends a row of a wave that is held. */
  readonly only: readonly string[] | null
  readonly order: SendingOrder
}

/** Control totals of one wave; `read` is counted on its own. Corrections are told for the campaign alone. */
export type WaveTotals = Omit<Totals, 'resubmitted'>

/** One wave as it stands. */
export interface WaveRecord {
  readonly name: string
  /** Its place in the order, from 1; null for the rest, and for a wave that the latest run did not have any more. */
  readonly position: number | null
  readonly isHeld: boolean
  /** Null for the rest. */
  readonly filter: WaveFilter | null
  readonly totals: WaveTotals
}

/** The waves of a campaign, the rest last, and its totals at the same moment. */
export interface WaveRecords {
  readonly totals: Totals
  readonly waves: readonly WaveRecord[]
}

export const isWaveBalanced = (totals: WaveTotals): boolean =>
  totals.read === ROW_STATES.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)

/** Each wave adds up, and all of them together are the campaign, in every state. */
export function areWavesBalanced({ totals, waves }: WaveRecords): boolean {
  const sumOf = (key: keyof WaveTotals): number => waves.reduce((sum, wave) => sum + wave.totals[key], 0)
  return (
    waves.every((wave) => isWaveBalanced(wave.totals)) &&
    sumOf('read') === totals.read &&
    ROW_STATES.every((state) => sumOf(TOTAL_OF_STATE[state]) === totals[TOTAL_OF_STATE[state]])
  )
}

/** One that the latest run did not have any more. */
export const isFormer = ({ name, position }: WaveRecord): boolean => position === null && name !== REST

/** Rows that are ready and that no run sends while their wave is held. */
export const heldReady = (records: WaveRecords | null): number =>
  (records?.waves ?? []).reduce((sum, { isHeld, totals }) => sum + (isHeld ? totals.ready : 0), 0)
