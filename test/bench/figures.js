/**
 * What the bench measures. A round of a figure gives `ours` and `bare` in its unit, the program's peak memory, and where
 * it means something the rows (for the cost of one).
 */
import { collectionsOf, discard, exportOf, fresh, here, PROGRAM, timed, withStub } from './processes.js'

const SIZES = [10_000, 100_000, 1_000_000]
const LARGE = [5_000_000]

const runArgs = (file, ledger, url) => ['run', file, '--ledger', ledger, '--base-url', url, '--no-report']

/** @param tools `size` scales a number of rows, `program` runs the program, `large` adds the largest sizes */
export function figuresOf({ size, program, large }) {
  const sizes = large ? [...SIZES, ...LARGE] : SIZES

  /** Rows per second at the service, the program against the bare loop. */
  const sending = (name, { rows, delayMs, concurrency }) => ({
    name,
    unit: 'rows/s',
    better: 'more',
    round: () =>
      withStub(delayMs, async (url, report) => {
        const file = exportOf(size(rows))
        const told = async () => {
          const { count, seconds } = await report()
          if (count !== size(rows)) throw new Error(`${count} requests came instead of ${size(rows)}`)
          return count / seconds
        }
        await timed([here('bare-post.js'), file, url, String(concurrency)])
        const bare = await told()
        const ledger = fresh('run.db')
        const args = [...runArgs(file, ledger, url), '--json', '--concurrency', String(concurrency)]
        const ran = await program(name, args)
        const ours = await told()
        discard(ledger)
        return { ours, bare, megabytes: ran.megabytes }
      }),
  })

  /** Questions per second at the service about registered rows, the program against the bare loop. */
  const asking = (name, { rows, delayMs, concurrency }) => ({
    name,
    unit: 'rows/s',
    better: 'more',
    round: () =>
      withStub(0, async (url, report) => {
        const file = exportOf(size(rows))
        const ledger = fresh('asked.db')
        await timed([PROGRAM, ...runArgs(file, ledger, url), '--quiet', '--concurrency', '64'])
        await report(delayMs)
        const told = async () => {
          const { count, seconds } = await report()
          if (count !== size(rows)) throw new Error(`${count} questions came instead of ${size(rows)}`)
          return count / seconds
        }
        await timed([here('bare-get.js'), file, url, String(concurrency)])
        const bare = await told()
        const args = ['resolve', '--ask', '--of', 'registered', '--ledger', ledger, '--base-url', url]
        const { megabytes } = await program(name, [...args, '--quiet', '--concurrency', String(concurrency)])
        const ours = await told()
        discard(ledger)
        return { ours, bare, megabytes }
      }),
  })

  /** Rows per second of a command over a file, against csv-parse over the same file. */
  const reading = (name, rows, argsOf, prepare = async () => undefined) => ({
    name,
    unit: 'rows/s',
    better: 'more',
    round: async () => {
      const file = exportOf(size(rows))
      const prepared = await prepare(file)
      const bare = await timed([here('bare-parse.js'), file])
      const ours = await program(name, argsOf(file, prepared), { ok: [0, 5] })
      return {
        ours: size(rows) / ours.seconds,
        bare: size(rows) / bare.seconds,
        megabytes: ours.megabytes,
        rows: size(rows),
        seconds: ours.seconds,
      }
    },
  })

  /** Admission and so many rows sent, against csv-parse. */
  const admitting = (name, rows, limit) => ({
    name,
    unit: 'rows/s',
    better: 'more',
    round: () =>
      withStub(0, async (url) => {
        const file = exportOf(size(rows))
        const bare = await timed([here('bare-parse.js'), file])
        const ledger = fresh('admit.db')
        const args = [...runArgs(file, ledger, url), '--quiet', '--limit', String(limit)]
        const { seconds, megabytes } = await program(name, args, { ok: [5] })
        discard(ledger)
        return {
          ours: size(rows) / seconds,
          bare: size(rows) / bare.seconds,
          megabytes,
          rows: size(rows),
          seconds,
        }
      }),
  })

  /** Seconds for a file in which every row repeats another, against a clean one of as many rows. */
  const repeating = (name, play) => ({
    name,
    unit: 's',
    better: 'less',
    round: async () => {
      const rows = size(200_000)
      const bare = await play(name, exportOf(rows))
      const ours = await play(name, exportOf(rows, { repeat: true }))
      return { ours: ours.seconds, bare: bare.seconds, megabytes: ours.megabytes }
    },
  })

  const admitOnly = (name, file) =>
    withStub(0, async (url) => {
      const ledger = fresh('repeat.db')
      const ran = await program(name, [...runArgs(file, ledger, url), '--quiet', '--limit', '1'], { ok: [5] })
      discard(ledger)
      return ran
    })

  /** A ledger whose rows are all registered, made once. */
  let finished = null
  const finishedLedger = (file) =>
    (finished ??= withStub(0, async (url) => {
      const ledger = fresh('finished.db')
      await timed([PROGRAM, ...runArgs(file, ledger, url), '--concurrency', '64'])
      return { ledger, url }
    }))

  return [
    sending('send-0ms-32', { rows: 20_000, delayMs: 0, concurrency: 32 }),
    sending('send-0ms-128', { rows: 20_000, delayMs: 0, concurrency: 128 }),
    sending('send-20ms-32', { rows: 20_000, delayMs: 20, concurrency: 32 }),
    asking('ask-20ms-32', { rows: 100_000, delayMs: 20, concurrency: 32 }),
    reading('check', 400_000, (file) => ['check', file, '--quiet']),
    ...sizes.map((rows) => reading(`size-check-${rows}`, rows, (file) => ['check', file, '--quiet'])),
    ...sizes.map((rows) => admitting(`size-run-${rows}`, rows, 20)),
    repeating('repeat-check', (name, file) => program(name, ['check', file, '--quiet'])),
    repeating('repeat-admit', admitOnly),
    admitting('admit', 200_000, 1),
    {
      // What collection files beside an export cost a check, against saxes that does nothing with them.
      name: 'evidence',
      unit: 's',
      better: 'less',
      round: async () => {
        const rows = size(200_000)
        const check = (...more) => program('evidence', ['check', exportOf(rows), ...more, '--quiet'])
        const bare = await timed([here('bare-saxes.js'), collectionsOf(rows)])
        const alone = await check()
        const { seconds, megabytes } = await check('--evidence', collectionsOf(rows))
        return { ours: seconds - alone.seconds, bare: bare.seconds, megabytes }
      },
    },
    {
      name: 'run-again',
      unit: 's',
      better: 'less',
      round: async () => {
        const file = exportOf(size(300_000))
        const { ledger, url } = await finishedLedger(file)
        const hashed = await timed([file], { command: 'sha256sum' })
        const bare = hashed.seconds + (await timed([PROGRAM, '--version'])).seconds
        const { seconds, megabytes } = await program('run-again', [...runArgs(file, ledger, url), '--quiet'])
        return { ours: seconds, bare, megabytes }
      },
    },
    reading(
      'report',
      300_000,
      (_, { ledger }) => ['report', '--ledger', ledger, '--out', fresh('pack'), '--quiet'],
      finishedLedger,
    ),
    {
      name: 'version',
      unit: 'ms',
      better: 'less',
      round: async () => {
        const bare = await timed(['-e', '0'])
        const { seconds, megabytes } = await program('version', ['--version'])
        return { ours: seconds * 1000, bare: bare.seconds * 1000, megabytes }
      },
    },
  ]
}
