import { checkCommand } from './check.js'
import type { Command } from './command.js'
import { demoCommand } from './demo.js'
import { eraseCommand } from './erase.js'
import { initCommand } from './init.js'
import { inspectCommand } from './inspect.js'
import { purgeCommand } from './purge.js'
import { reconcileCommand } from './reconcile.js'
import { reportCommand } from './report.js'
import { resolveCommand } from './resolve.js'
import { explainCommand, rulesCommand } from './rules.js'
import { runCommand } from './run.js'
import { sandboxCommand } from './sandbox.js'
import { showCommand } from './show.js'
import { statusCommand } from './status.js'

/** In the order of the help: the way a newcomer meets them. */
export const commands: readonly Command[] = [
  demoCommand,
  inspectCommand,
  initCommand,
  checkCommand,
  runCommand,
  statusCommand,
  reportCommand,
  resolveCommand,
  reconcileCommand,
  showCommand,
  eraseCommand,
  purgeCommand,
  rulesCommand,
  explainCommand,
  sandboxCommand,
]
