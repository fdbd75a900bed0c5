import { vi } from 'vitest'
import type { PackFolder } from '../../src/report/pack/pack-folder.js'
import type { openWorkbook } from '../../src/report/workbook/workbook.js'
import type { Connections } from '../../src/service/exchange.js'

/** What the next program gets that opens its connections. Programs may start while another one waits. */
let waiting: Connections[] = []

export const offerConnections = (connections: Connections): void => void waiting.push(connections)

/** Takes back what a program that ended early did not ask for. */
export const withdrawConnections = (connections: Connections): void => {
  waiting = waiting.filter((one) => one !== connections)
}

function takeConnections(): Connections {
  const connections = waiting.pop()
  if (connections === undefined) throw new Error('A program opened connections, and nobody started it')
  return connections
}

/** For `vi.mock`: everything of `service/exchange.ts` but the sockets. This file must not import the program. */
const withoutSockets = async (original: () => Promise<object>): Promise<object> => ({
  ...(await original()),
  openConnections: takeConnections,
})

/** For `vi.mock`: the pages of the pack take most of its time, and people work with its lists. */
const emptyPage = { renderPage: () => Promise.resolve('') }
const emptyWorkbook = {
  WORKBOOK_FILE: 'reconciliation.xlsx',
  openWorkbook: (folder: PackFolder): ReturnType<typeof openWorkbook> => ({
    lists: {},
    finish: () => folder.write('reconciliation.xlsx', ''),
  }),
}

/** The program with the people who use it: no sockets, pages and workbooks. Call it once everything else is mocked. */
export function loadPeople() {
  vi.doMock('../../src/service/exchange.js', withoutSockets)
  vi.doMock('../../src/report/page/page.js', () => emptyPage)
  vi.doMock('../../src/report/workbook/workbook.js', async (original: () => Promise<object>) => ({
    ...(await original()),
    ...emptyWorkbook,
  }))
  return import('./people.js')
}
