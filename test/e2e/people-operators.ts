import * as corrections from './people-corrections.js'
import { cutOver } from './people-cut-over.js'
import * as decisions from './people-decisions.js'
import * as exports from './people-exports.js'
import * as ledgers from './people-ledgers.js'
import * as secondLedger from './people-second-ledger.js'
import * as workbook from './people-workbook.js'

/** Everything that people do. */
export const ACTS = {
  ...corrections,
  ...decisions,
  ...exports,
  ...ledgers,
  ...secondLedger,
  ...workbook,
  cutOver,
}

/** How often. */
export const WEIGHTS = {
  runTheExport: 3,
  goOn: 4,
  retryRefused: 2,
  waitAWhile: 1,
  copyTheLedger: 2,
  copyDuringARun: 1,
  restoreACopy: 3,
  killARun: 2,
  useASecondLedger: 2,
  runTwice: 1,
  breakTheRegister: 0.5,
  loseTheLedger: 1,
  loseTheRegister: 0.5,
  stopARun: 1,
  handOver: 0.5,
  giveAChangedExport: 3,
  openTheDoubts: 1,
  resolveFromTheFile: 4,
  decideInHaste: 1,
  closeALiveOne: 0.5,
  resolveOne: 2,
  correctTheFile: 3,
  moveAColumn: 1,
  workInTheWorkbook: 3,
  returnAWorkbook: 2,
  giveTwoCopies: 1,
  reconcileWithTheList: 2,
  rewriteAnAccount: 0.3,
  cutOver: 3,
} as const satisfies Partial<Record<keyof typeof ACTS, number>>

/** Where two systems export the mandates, month by month. */
export const EXPORTS = {
  beginsWith: 'giveExports',
  scene: { hasHistory: true, status: null, shares: 'one' },
  acts: {
    giveExports: 8,
    sayNewer: 2,
    compareTheNewest: 2,
    settleLines: 4,
    giveTwoLists: 0.7,
    goOn: 2,
    retryRefused: 3,
    waitAWhile: 1,
    killARun: 1,
    copyTheLedger: 0.5,
    restoreACopy: 0.5,
    loseTheLedger: 0.7,
    resolveFromTheFile: 2,
    decideInHaste: 0.5,
    correctTheFile: 1,
    workInTheWorkbook: 1,
  },
} as const

export type ActName = keyof typeof WEIGHTS | keyof typeof EXPORTS.acts
