import type { Outcome } from '../../src/domain/row/row-state.js'
import * as samples from '../run/outcome-samples.js'

export { inDoubt, notSent, turnedAway } from '../run/outcome-samples.js'

export const registered = (mandateReference: string, creditorIdentifier = 'SE97ZZZ5560000001'): Outcome =>
  samples.registered({}, { creditorIdentifier, mandateReference })

export const refused = (message = 'Not a known customer'): Outcome =>
  samples.refused({ serviceCode: 'INVALID_PARAMETER', field: 'customer_no', message })
