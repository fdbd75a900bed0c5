/** Imports point down one set of layers; the picture is in src/README.md. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: [`^src/${from}`, ...allowed.map((layer) => `^src/${layer}`)] },
})

/** A package that one layer alone may import. */
const owned = (pattern, owner) => ({
  name: `only-${owner.replace(/[^a-z]/g, '-')}-imports-${pattern.replace(/[^a-z0-9]/g, '-')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/(${owner})` },
  to: { path: `node_modules/${pattern}/` },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    only('domain-is-the-bottom', 'domain/', []),
    only('contract-knows-domain', 'contract/', ['domain/']),
    only('trust-knows-nobody', 'trust/', ['errors\\.ts']),
    only('source-knows-domain', 'source/', ['domain/', 'trust/', 'errors\\.ts']),
    only('service-knows-contract', 'service/', ['domain/', 'contract/', 'trust/', 'errors\\.ts']),
    only('ledger-knows-domain', 'ledger/', [
      'domain/',
      'database\\.ts',
      'driver\\.ts',
      'trust/',
      'errors\\.ts',
    ]),
    only('sandbox-knows-contract', 'sandbox/', [
      'domain/',
      'contract/',
      'database\\.ts',
      'driver\\.ts',
      'trust/',
      'errors\\.ts',
    ]),
    only('report-reads-the-ledger', 'report/', ['domain/', 'ledger/', 'trust/', 'errors\\.ts']),
    only('register-knows-the-ledger', 'register/', [
      'domain/',
      'service/',
      'ledger/',
      'trust/',
      'errors\\.ts',
    ]),
    only('decisions-read-files', 'decisions/', ['domain/', 'source/', 'ledger/', 'report/', 'errors\\.ts']),
    only('run-orchestrates', 'run/', [
      'domain/',
      'contract/',
      'source/',
      'service/',
      'ledger/',
      'report/',
      'trust/',
      'errors\\.ts',
    ]),
    only('migrate-puts-the-rooms-together', 'migrate/', [
      'domain/',
      'source/',
      'service/',
      'ledger/',
      'register/',
      'run/',
      'driver\\.ts',
      'machine\\.ts',
      'errors\\.ts',
    ]),
    // Types alone: it is loaded before it is known which command runs.
    only('machine-knows-types', 'machine\\.ts', ['domain/', 'run/']),
    {
      name: 'cli-is-above-everything-but-the-public-index',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/(index|cli)\\.ts$' },
    },
    {
      name: 'nobody-imports-the-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli(/|\\.ts$)' },
      to: { path: '^src/cli(/|\\.ts$)' },
    },
    {
      name: 'only-migrate-sends',
      comment: 'One way to the service: ledger first, register second, then the request.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(migrate|run)/' },
      to: { path: '^src/run/(campaign|deliver)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-migrate-makes-a-client',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(migrate|service)/' },
      to: { path: '^src/service/client\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    only('entry-wires-the-cli', 'cli\\.ts', ['cli/', 'machine\\.ts']),
    {
      name: 'pure-layers-touch-nothing',
      severity: 'error',
      from: { path: '^src/(domain|contract)/' },
      to: {
        path: ['^node:', '^(fs|net|http|https|os|child_process|process|tls)(/|$)'],
        dependencyTypes: ['core'],
      },
    },
    {
      name: 'pure-layers-know-few-packages',
      severity: 'error',
      from: { path: '^src/(domain|contract)/' },
      to: { path: 'node_modules/', pathNot: 'node_modules/(zod|ibantools)/' },
    },
    owned('better-sqlite3(-node20|)', 'driver\\.ts'),
    only('driver-knows-errors', 'driver\\.ts', ['database\\.ts', 'errors\\.ts']),
    owned('undici', 'service/'),
    owned('csv-parse', 'source/'),
    owned('p-limit', 'run/'),
    owned('(commander|log-update|@clack/prompts|pino)', 'cli/'),
    owned('(hono|@hono)', 'sandbox/|report/|contract/'),
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
}
