import { STATE_WORDS } from '../domain/row/state-words.js'
import { ROW_STATES } from '../domain/row/row-state.js'
import { TOTAL_OF_STATE } from '../domain/row/totals.js'
import { maskAccounts } from '../domain/text/masking.js'
import { countText } from '../domain/text/wording.js'
import { areWavesBalanced, isFormer, type WaveRecord, type WaveRecords } from '../domain/wave/wave.js'
import { type Line, toned } from './terminal/line.js'

/** What the JSON document says of the waves; null where there never were any. */
export const wavesIn = (records: WaveRecords | null) =>
  records === null
    ? null
    : {
        balanced: areWavesBalanced(records),
        waves: records.waves.map(({ name, position, isHeld, totals }) => ({
          name,
          position,
          held: isHeld,
          totals,
        })),
      }

/** The waves in their order, a line each; none where there never were any. */
export function waveLines(records: WaveRecords | null): Line[] {
  if (records === null) return []
  const { waves } = records
  const width = Math.max(...waves.map(({ name }) => name.length))
  return [
    [toned('strong', 'Waves')],
    ...waves.map((wave): Line => {
      const counts = countsOf(wave)
      const standing = wave.isHeld ? toned('open', 'held') : counts
      const start = `  ${maskAccounts(wave.name).padEnd(width)}  `
      return wave.isHeld ? [start, standing, `: ${counts}`] : [start, counts]
    }),
    areWavesBalanced(records)
      ? '  balanced: each wave, and all of them with the control totals'
      : [
          '  ',
          toned('bad', 'NOT BALANCED'),
          ': the waves do not add up to the control totals. Do not continue; report this.',
        ],
  ]
}

/** `1,000 read: 20 ready, 980 registered`; states without a row are left out. */
function countsOf(wave: WaveRecord): string {
  const { totals } = wave
  const states = ROW_STATES.filter((state) => totals[TOTAL_OF_STATE[state]] > 0).map(
    (state) => `${countText(totals[TOTAL_OF_STATE[state]])} ${STATE_WORDS[state].name}`,
  )
  const former = isFormer(wave) ? ' (of an earlier run)' : ''
  return `${countText(totals.read)} read${states.length === 0 ? '' : `: ${states.join(', ')}`}${former}`
}

/** A wave that is held and takes no row may be a misspelt one, whose rows are sent with others. */
export const emptyHeldNotes = (records: WaveRecords | null): string[] =>
  (records?.waves ?? [])
    .filter(({ isHeld, totals }) => isHeld && totals.read === 0)
    .map(
      ({ name }) =>
        `The wave "${maskAccounts(name)}" is held and takes no row: where a value in it is misspelt, the rows that were meant are sent with another wave`,
    )
