import { correctTheFile, giveAChangedExport } from './people-corrections.js'
import { giveTwoCopies, moveAColumn } from './people-copies.js'
import {
  closeALiveOne,
  decideInHaste,
  openTheDoubts,
  reconcileWithTheList,
  resolveFromTheFile,
  resolveOne,
} from './people-decisions.js'
import {
  copyDuringARun,
  copyTheLedger,
  goOn,
  killARun,
  restoreACopy,
  retryRefused,
  runTheExport,
  waitAWhile,
} from './people-ledgers.js'
import { rewriteAnAccount } from './people-intruder.js'
import type { Act } from './people-office.js'
import {
  breakTheRegister,
  handOver,
  loseTheLedger,
  loseTheRegister,
  runTwice,
  stopARun,
  useASecondLedger,
} from './people-second-ledger.js'

/** Everything that people do, and how often. */
export const ACTS = {
  runTheExport: { weight: 3, act: runTheExport },
  goOn: { weight: 4, act: goOn },
  retryRefused: { weight: 2, act: retryRefused },
  waitAWhile: { weight: 1, act: waitAWhile },
  copyTheLedger: { weight: 2, act: copyTheLedger },
  copyDuringARun: { weight: 1, act: copyDuringARun },
  restoreACopy: { weight: 3, act: restoreACopy },
  killARun: { weight: 2, act: killARun },
  useASecondLedger: { weight: 2, act: useASecondLedger },
  runTwice: { weight: 1, act: runTwice },
  breakTheRegister: { weight: 0.5, act: breakTheRegister },
  loseTheLedger: { weight: 1, act: loseTheLedger },
  loseTheRegister: { weight: 0.5, act: loseTheRegister },
  stopARun: { weight: 1, act: stopARun },
  handOver: { weight: 0.5, act: handOver },
  giveAChangedExport: { weight: 3, act: giveAChangedExport },
  openTheDoubts: { weight: 1, act: openTheDoubts },
  resolveFromTheFile: { weight: 4, act: resolveFromTheFile },
  decideInHaste: { weight: 1, act: decideInHaste },
  closeALiveOne: { weight: 0.5, act: closeALiveOne },
  resolveOne: { weight: 2, act: resolveOne },
  correctTheFile: { weight: 3, act: correctTheFile },
  moveAColumn: { weight: 1, act: moveAColumn },
  giveTwoCopies: { weight: 1, act: giveTwoCopies },
  reconcileWithTheList: { weight: 2, act: reconcileWithTheList },
  rewriteAnAccount: { weight: 0.3, act: rewriteAnAccount },
} as const satisfies Record<string, { weight: number; act: Act }>

export type ActName = keyof typeof ACTS
