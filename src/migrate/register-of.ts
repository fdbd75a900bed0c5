import { resolve } from 'node:path'
import type { Ledger } from '../ledger/ledger.js'
import { openRunRegister, type RunRegister } from '../register/run-register.js'
import type { Asked } from './asked.js'

/** @throws {LedgerError} `register` for one that cannot be used, unless the service is on this machine */
export const registerOf = (
  { options, machine, service, takeOver }: Asked,
  { claims }: Pick<Ledger, 'claims'>,
): RunRegister =>
  openRunRegister(
    {
      folder: machine.stateFolder,
      baseUrl: service.baseUrl.href,
      ledger: resolve(options.ledger),
      claims,
      takeOver,
      sharedFolder: options.sharedFolder ?? false,
    },
    service.baseUrl,
  )
