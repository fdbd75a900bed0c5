import type { CommandLoaders } from './command.js'

/** In the order of the help: the way a newcomer meets them. */
export const commands: CommandLoaders = {
  demo: async () => (await import('./commands/demo.js')).demoCommand,
  inspect: async () => (await import('./commands/inspect.js')).inspectCommand,
  init: async () => (await import('./commands/init.js')).initCommand,
  check: async () => (await import('./commands/check.js')).checkCommand,
  plan: async () => (await import('./plan/plan.js')).planCommand,
  approve: async () => (await import('./plan/approve.js')).approveCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  status: async () => (await import('./commands/status.js')).statusCommand,
  report: async () => (await import('./commands/report.js')).reportCommand,
  'read-back': async () => (await import('./prove/read-back.js')).readBackCommand,
  verify: async () => (await import('./prove/verify.js')).verifyCommand,
  resolve: async () => (await import('./decide/resolve.js')).resolveCommand,
  reconcile: async () => (await import('./decide/reconcile.js')).reconcileCommand,
  show: async () => (await import('./privacy/show.js')).showCommand,
  erase: async () => (await import('./privacy/erase.js')).eraseCommand,
  purge: async () => (await import('./privacy/purge.js')).purgeCommand,
  rules: async () => (await import('./commands/rules.js')).rulesCommand,
  explain: async () => (await import('./commands/rules.js')).explainCommand,
  help: async () => (await import('./commands/help.js')).helpCommand(commands),
  sandbox: async () => (await import('./commands/sandbox.js')).sandboxCommand,
}
