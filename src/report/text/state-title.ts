import type { RowState } from '../../domain/row/row-state.js'
import type { Texts } from './en.js'

/** The name of a state as a heading: `In doubt`. */
export function stateTitle(state: RowState, { states }: Texts): string {
  const { name } = states[state]
  return name.charAt(0).toUpperCase() + name.slice(1)
}
