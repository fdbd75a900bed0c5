import { ledgerFiles } from '../../ledger/safety/written-files.js'
import type { Context } from '../command.js'

/**
 * Every path that a command line and its configuration name, and what belongs to the ledger: what is read, what is kept,
 * what is written elsewhere. No output may be written over one of them.
 * @param output the option that names the output itself
 */
export function namedFiles(
  { settings, args, own }: Pick<Context, 'settings' | 'args' | 'own'>,
  output: 'logFile' | 'data' | null,
): readonly string[] {
  const { configuration } = settings
  const { crosswalk, service } = configuration.values
  const configured = [crosswalk?.file, service?.ca, service?.clientCertificate, service?.clientKey].map(
    (path) => (path === undefined ? undefined : configuration.locate(path)),
  )
  const given = Object.entries(own).flatMap(([name, value]) => (name === output ? [] : [value]))
  const named = [
    configuration.file,
    settings.get('passwordFile'),
    output === 'logFile' ? null : settings.get('logFile'),
    ...configured,
    ...args,
    ...given,
  ]
  return [
    ...named.filter((path): path is string => typeof path === 'string' && path !== '' && path !== '-'),
    ...ledgerFiles(settings.ledger),
  ]
}
