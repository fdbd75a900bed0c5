import { type SourceReader } from '../../src/service/client.js'
import { classifySources, type SourcesSeen } from '../../src/service/classify.js'
import type { Exchange } from '../../src/service/exchange.js'
import { LIES, type Lie, type Source } from '../support/lies.js'
import { mandateOf } from '../run/mandate-samples.js'
import type { Chance } from '../support/chance.js'
import type { SimulatedService, Life, Schedule } from './simulation-service.js'

/** What becomes of one question. Only `lies` is a list that is wrong; each may be old. */
export type ReadFate =
  | 'lists'
  | 'lies'
  | 'unreachable'
  | 'reset'
  | 'silent'
  | 'throttles'
  | 'fails'
  | 'cut'
  | 'no_list'
  | 'refuses'

export type Sight = Readonly<Partial<Record<ReadFate, number>>>

export const CLEAR: Sight = { lists: 1 }
export const SIGHTS: readonly Sight[] = [
  CLEAR,
  {
    ...{ lists: 60, unreachable: 5, reset: 5, silent: 3, throttles: 6 },
    ...{ fails: 8, cut: 6, no_list: 4, refuses: 3 },
  },
  { lists: 30, fails: 40, cut: 30 },
  { lists: 20, unreachable: 70, reset: 10 },
  { lies: 90, fails: 10 },
]

/** How much later than it was applied a mandate is listed at the latest. Below a day, or absence would say nothing. */
const LAGS_MS = [0, 0, 5_000, 3_600_000, 20 * 3_600_000]
const DEADLINE_MS = 150_000

const HONEST: Lie = (answer) => answer

/** An account of nobody in the campaign; it passes its checksum. */
const FOREIGN_ACCOUNT = 'DE89370400440532013000'

/** The read-back over what the service holds: each answer as old as chance will have it, up to the lag of the seed. */
export function startReadBack(
  service: Pick<SimulatedService, 'applications'>,
  schedule: Schedule,
  chance: Chance,
) {
  const lagMs = chance.pick(LAGS_MS)
  const world: Life = { isOver: false }
  const fates: ReadFate[] = []
  const lies = new Map<number, Lie>()
  const others = new Map<number, readonly Source[]>()

  function listOf(customerNo: number): readonly Source[] {
    const untilMs = schedule.nowMs() - chance.between(0, lagMs)
    const held = service.applications
      .filter((each) => each.customerNo === customerNo && each.atMs <= untilMs)
      .map(({ reference, iban, signedDate }) => source(reference, iban, signedDate))
    if (!others.has(customerNo)) others.set(customerNo, drawOthers(customerNo))
    return [...held, ...(others.get(customerNo) ?? [])]
  }

  /** About half of the customers it lies, and always in the same way. */
  function lieOf(customerNo: number): Lie {
    const lie = lies.get(customerNo) ?? (chance.happens(0.5) ? chance.pick(Object.values(LIES)) : HONEST)
    lies.set(customerNo, lie)
    return lie
  }

  /** What the customer has at the service besides, and never had from this campaign. */
  function drawOthers(customerNo: number): readonly Source[] {
    const reference = `HELD-${customerNo}`
    const { iban, signedDate } = mandateOf(customerNo)
    switch (chance.weigh({ nothing: 9, other_account: 1, other_day: 1, card: 1 })) {
      case 'nothing':
        return []
      case 'other_account':
        return [source(reference, FOREIGN_ACCOUNT, signedDate)]
      case 'other_day':
        return [source(reference, iban, '2020-03-01')]
      case 'card':
        return [{ ...source(reference, iban, signedDate), scheme: 'CARD' }]
    }
  }

  function arrive(fate: ReadFate, customerNo: number): Pick<Exchange, 'response' | 'error'> {
    const answer = (
      status: number,
      bodyText = '',
      complete = true,
      headers: Readonly<Record<string, string>> = {},
    ) => ({
      response: { status, headers, bodyText, complete },
      error: complete ? null : errorOf('UND_ERR_SOCKET'),
    })
    switch (fate) {
      case 'lists': {
        const data = listOf(customerNo)
        return data.length === 0 && chance.happens(0.5)
          ? answer(204)
          : answer(200, JSON.stringify({ status: 'OK', data }))
      }
      case 'lies': {
        const told = lieOf(customerNo)({ headers: {}, body: { status: 'OK', data: listOf(customerNo) } })
        return answer(200, JSON.stringify(told.body), true, told.headers)
      }
      case 'cut': {
        const body = JSON.stringify({ status: 'OK', data: listOf(customerNo) })
        return answer(200, body.slice(0, body.length >> 1), chance.happens(0.5))
      }
      case 'no_list':
        return answer(200, chance.pick(['', '<html>OK</html>', '{"status":"OK","data":{}}']))
      case 'fails':
        return answer(chance.pick([500, 502, 503, 504]))
      case 'throttles':
        return answer(429)
      case 'refuses':
        return answer(400, '{"status":"INVALID_PARAMETER","data":{}}')
      case 'reset':
        return { response: null, error: errorOf('ECONNRESET') }
      case 'unreachable':
        return { response: null, error: errorOf('ECONNREFUSED') }
      case 'silent':
        return { response: null, error: errorOf('DEADLINE') }
    }
  }

  return {
    fates: fates as readonly ReadFate[],
    /** Questions about a customer as a process asks them; nothing comes back to a dead one. */
    readerOf: (life: Life, sight: Sight): Pick<SourceReader, 'listPaymentSources'> => ({
      listPaymentSources: (customerNo, { signal }) =>
        new Promise<SourcesSeen>((resolve) => {
          const begunMs = schedule.nowMs()
          const fate = chance.weigh(sight)
          fates.push(fate)
          const end = (seen: Pick<Exchange, 'response' | 'error'>): void => {
            signal?.removeEventListener('abort', onAbort)
            const exchange = {
              ...seen,
              started: fate !== 'unreachable',
              durationMs: schedule.nowMs() - begunMs,
              receivedAtMs: schedule.clock.now(),
            }
            resolve(classifySources(exchange, (text) => text))
          }
          const onAbort = (): void => end({ response: null, error: errorOf('ABORTED') })
          signal?.addEventListener('abort', onAbort)
          const takesMs = fate === 'silent' ? DEADLINE_MS : chance.between(0, 120)
          schedule.at(takesMs, world, () => {
            const seen = arrive(fate, customerNo)
            schedule.at(chance.between(0, 120), life, () => end(seen))
          })
        }),
    }),
  }
}

const source = (reference: string, iban: string, signedDate: string): Source => ({
  id: `ps-${reference}`,
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  details: { reference, iban, signed_at: `${signedDate}T00:00:00` },
})

const errorOf = (code: string) => ({ code, name: 'Error', message: 'simulated' })
