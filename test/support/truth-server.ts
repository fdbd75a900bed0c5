import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tls from 'node:tls'
import { startFaultServer } from './fault-server.js'
import { makeAuthority } from './tls-certificates.js'

export interface TruthOptions {
  readonly delayMs?: number
  /**
   * A folder for its certificate authority: then it speaks https under an address that is not a loopback address by
   * its name, so that the program takes it for a real service. Linux brings it back to this machine.
   */
  readonly asRealService?: string
}

const connect = tls.connect

/** Command lines that run in this process trust it too (support/program.ts). */
function trustHere(ca: string): void {
  tls.connect = ((options: tls.ConnectionOptions, ...rest: never[]) =>
    connect({ ...options, ca }, ...rest)) as typeof connect
}

export type TruthServer = Awaited<ReturnType<typeof startTruth>>

/** A service that registers everything and counts every request, per customer: what really happened. */
export async function startTruth({ delayMs = 0, asRealService }: TruthOptions = {}) {
  /** What the program needs to trust it. */
  const env: Record<string, string> = {}
  const authority = asRealService === undefined ? null : await makeAuthority()
  if (authority !== null && asRealService !== undefined) {
    env['NODE_EXTRA_CA_CERTS'] = join(asRealService, 'authority.pem')
    writeFileSync(env['NODE_EXTRA_CA_CERTS'], authority.cert)
    trustHere(authority.cert)
  }
  const { truth, port, until, close } = await startFaultServer({
    script: { otherwise: { kind: 'late', byMs: delayMs } },
    ...(authority === null ? {} : { tls: await authority.issue(['0.0.0.0']) }),
  })
  let from = 0
  /** Requests by customer. */
  const received = (): Map<number, number> => {
    const counts = new Map<number, number>()
    for (const { customerNo } of truth.applications.slice(from))
      counts.set(customerNo, (counts.get(customerNo) ?? 0) + 1)
    return counts
  }
  return {
    baseUrl: authority === null ? `http://127.0.0.1:${port}` : `https://0.0.0.0:${port}`,
    env,
    posts: () => truth.requests.length,
    received,
    /** Customers that were registered more than once. */
    twice: () => [...received()].filter(([, count]) => count > 1).map(([customerNo]) => customerNo),
    /** What was received until now counts for no customer any more. */
    forget: () => void (from = truth.applications.length),
    whenReceived: (count: number) => until(({ requests }) => requests.length >= count),
    close,
  }
}
