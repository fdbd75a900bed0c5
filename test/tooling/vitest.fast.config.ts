import { configDefaults, mergeConfig } from 'vitest/config'
import whole from './vitest.config.js'

/**
 * `npm run test:fast`: what can be proven without starting a process, in the time in which one waits. `npm test` runs
 * the rest too.
 */
export default mergeConfig(whole, {
  test: {
    // Loading the modules anew for every file takes longer than the tests.
    isolate: false,
    exclude: [
      ...configDefaults.exclude,
      // They start the built program, or the tools of the gate.
      'test/e2e/**',
      'test/tooling/**',
      'test/driver.test.ts',
      'test/cli/**/{commands,shell}.test.ts',
      'test/ledger/**/{emergency-file,holder,lock,recovery}.test.ts',
      'test/trust/output.test.ts',
      // Whole runs on real ledgers.
      'test/{run,decisions,register}/{loop,deliver,campaign,campaign-register,reconcile,read-decisions}.test.ts',
      'test/report/**/{pack,real-ledger}.test.ts',
      'test/migrate/migrate.test.ts',
      'test/audit/**',
      'test/cli/**/{confirm,configuration,declared}.test.ts',
      // Properties and floods.
      'test/ledger/**/{model,groups,corrections,delivery,resolution,guards,side-files}.test.ts',
      'test/service/**/{connections,exchange,truth}.test.ts',
      'test/sandbox/**/{openapi,wire-mutations}.test.ts',
      'test/source/**/{bombs,framing,records,round-trip}.test.ts',
      'test/run/rows-alone.test.ts',
      'test/domain/text/masking.test.ts',
      'test/report/page/plain-text.test.ts',
    ],
  },
})
