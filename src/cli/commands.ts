import type { CommandLoaders } from './command.js'

/** In the order of the help: the way a newcomer meets them. */
export const commands: CommandLoaders = {
  demo: async () => (await import('./demo.js')).demoCommand,
  inspect: async () => (await import('./inspect.js')).inspectCommand,
  init: async () => (await import('./init.js')).initCommand,
  check: async () => (await import('./check.js')).checkCommand,
  run: async () => (await import('./run.js')).runCommand,
  status: async () => (await import('./status.js')).statusCommand,
  report: async () => (await import('./report.js')).reportCommand,
  resolve: async () => (await import('./resolve.js')).resolveCommand,
  reconcile: async () => (await import('./reconcile.js')).reconcileCommand,
  show: async () => (await import('./show.js')).showCommand,
  erase: async () => (await import('./erase.js')).eraseCommand,
  purge: async () => (await import('./purge.js')).purgeCommand,
  rules: async () => (await import('./rules.js')).rulesCommand,
  explain: async () => (await import('./rules.js')).explainCommand,
  sandbox: async () => (await import('./sandbox.js')).sandboxCommand,
  completion: async () => (await import('./completion.js')).completionOf(commands),
}
