import { thisMachine, type Machine } from '../machine.js'
import { checkService, connectTo, type Credentials, type ServiceOptions } from '../service/checked-service.js'
import type { ServiceClient } from '../service/client.js'

/**
 * The typed client for the three operations of the service, with the same checks as a run. It keeps no ledger: whoever
 * registers mandates with it must remember each doubt, because that call may not be repeated.
 * @throws {UsageError} for an address, credentials, certificates or a proxy that cannot be used or trusted
 */
export const connectService = (
  options: ServiceOptions & Credentials,
  machine: Machine = thisMachine(),
): ServiceClient => connectTo(checkService(options, machine.env), options, machine)
