/**
 * How fast the program is beside what bounds it: `npm run bench`. Each figure is the median of interleaved rounds, and its
 * ratio is to a bare reference in the same rounds: a loop of undici for sending, csv-parse for reading, `node -e 0` for
 * starting. Everything runs in processes of its own, the service too; times of sending are taken at the service, commits
 * are those that the run counts.
 *
 *   npm run bench -- --rounds 5               rounds of each figure (at least 5 for a figure that is quoted)
 *   npm run bench -- --only send,check        figures whose name begins so
 *   npm run bench -- --scale 0.1              a tenth of the usual sizes
 *   npm run bench -- --json bench.json        the figures for programs
 *   npm run bench -- --profile DIR            CPU profiles of the program, one per figure and round
 *   npm run bench -- --only size --large      cost and memory of check and run against size, up to 5 million rows
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { figuresOf } from './figures.js'
import { programWith } from './processes.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    json: { type: 'string' },
    profile: { type: 'string' },
    large: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const size = (rows) => Math.max(100, Math.round(rows * Number(values.scale)))

const rounded = (value) => Number(value.toPrecision(4))
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN

const wanted = figuresOf({ size, program: programWith(values.profile), large: values.large }).filter(
  ({ name }) => (values.only === '' ? true : values.only.split(',').some((start) => name.startsWith(start))),
)
const seen = new Map(wanted.map(({ name }) => [name, []]))
for (let round = 1; round <= rounds; round += 1)
  for (const { name, round: play } of wanted) {
    seen.get(name).push(await play())
    process.stderr.write(`round ${round} of ${rounds}: ${name}\n`)
  }

const table = wanted.map(({ name, unit, better }) => {
  const all = seen.get(name)
  const ratios = all.map(({ ours, bare }) => ours / bare)
  return {
    figure: name,
    unit,
    better,
    median: rounded(median(all.map(({ ours }) => ours))),
    bare: rounded(median(all.map(({ bare }) => bare))),
    ratio: rounded(median(ratios)),
    lowest: rounded(Math.min(...ratios)),
    highest: rounded(Math.max(...ratios)),
    megabytes: Math.round(median(all.map(({ megabytes }) => megabytes))),
    ...(all[0].rows === undefined
      ? {}
      : { microsecondsPerRow: rounded(median(all.map(({ seconds, rows }) => (seconds / rows) * 1e6))) }),
  }
})

/**
 * How cost and memory grow with the size, from the smallest file to each other one: the cost of a row without starting
 * the program, taken from what two sizes differ by, and the whole cost of a row.
 */
function growth(family) {
  const sizes = wanted
    .filter(({ name }) => name.startsWith(family))
    .map(({ name }) => {
      const all = seen.get(name)
      const seconds = median(all.map((each) => each.seconds))
      return { rows: all[0].rows, seconds, megabytes: median(all.map((each) => each.megabytes)) }
    })
  const [smallest, second] = sizes
  if (second === undefined) return []
  const perRow = ({ rows, seconds }) => seconds / rows
  const marginal = (less, more) => (more.seconds - less.seconds) / (more.rows - less.rows)
  return sizes.slice(1).map((each, index) => ({
    figure: `${family}${smallest.rows} to ${each.rows}`,
    wholeCostOfARow: rounded(perRow(each) / perRow(smallest)),
    costOfAFurtherRow: rounded(marginal(sizes[index], each) / marginal(smallest, second)),
    megabytes: rounded(each.megabytes / smallest.megabytes),
  }))
}
const grown = ['size-check-', 'size-run-'].flatMap(growth)

const machine = `${availableParallelism()} of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`
console.log(`${machine}, ${rounds} rounds, scale ${values.scale}`)
console.table(table)
if (grown.length > 0) console.table(grown)
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine, rounds, scale: Number(values.scale), table, grown }, null, 2)}\n`,
  )
