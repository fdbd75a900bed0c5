import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { READING_KEYS } from '../../src/run/read-again.js'
import { folder, partsOf, range } from '../e2e/seeds.js'
import { drawOf, type Draw, FORMATS, type Key, KEYS } from './read-again-draws.js'
import { campaignIn, play } from './read-again-play.js'
import { mandateCells, sheetOf, workbookBytes } from '../support/workbook.js'

/** Draws of configurations; 2,000 in the long test. A failure names its seed, which READING_SEED repeats. */
const SEEDS = Number(process.env['READING_SEEDS'] ?? 25)
const FROM = Number(process.env['READING_SEED'] ?? 1)
const PART = 100

const about = (seed: number, { key, format, way }: Draw): string =>
  `READING_SEED=${seed}: ${key} of a ${format} file, then ${way}`

describe('a pilot as it was read at first and the rest as it reads now send what one campaign would', () => {
  it.each(partsOf(SEEDS, PART, FROM))('from seed %i', async (from) => {
    let compared = 0
    const seeds = range(from, Math.min(PART, FROM + SEEDS - from))
    for (const seed of seeds) {
      const draw = drawOf(seed)
      const played = await play(draw, folder)
      expect(played.wrong, about(seed, draw)).toEqual([])
      if ((played.compared ?? 0) > 0) compared += 1
    }
    if (seeds.length > 10) expect(compared).toBeGreaterThan(seeds.length / 3)
  })
})

/** Where the configuration says what a draw corrects. */
const PLACES: Readonly<Partial<Record<Key, string>>> = {
  ...Object.fromEntries(
    ['customer', 'iban', 'date', 'constant', 'reference', 'status', 'last'].map((key) => [key, 'columns']),
  ),
  ...{ words: 'words', furtherWords: 'words', exclude: 'exclude', rules: 'rules', crosswalk: 'crosswalk' },
  ...{ secondKey: 'crosswalk', join: 'join', profile: 'profile', dates: 'source.dates', zone: 'timezone' },
  ...{ creditorIdentifier: 'service.creditorIdentifier', ignored: 'source.ignoreColumns' },
}
/** The first seeds that miss them, where it is not one of the first five; where a change lets it not, the next ones do. */
const FIRST: Readonly<Partial<Record<Key, number>>> = {
  ...{ iban: 6, date: 12, last: 8, furtherWords: 7, secondKey: 27, dates: 81, ignored: 35 },
}
const MOST_SEEDS = 200

describe('a key of the configuration that is not looked at is missed', () => {
  it.each(KEYS.filter((key) => PLACES[key] !== undefined))('%s', async (key) => {
    const { cells } = READING_KEYS
    const at = cells.indexOf(PLACES[key] ?? '')
    const [name = ''] = cells.splice(at, 1)
    try {
      for (const n of range((FIRST[key] ?? 1) - 1, MOST_SEEDS))
        if ((await play(drawOf(1 + (n % MOST_SEEDS), key), folder)).wrong.length > 0) return
      expect.fail(`None of ${MOST_SEEDS} seeds missed "${name}"`)
    } finally {
      cells.splice(at, 0, name)
    }
  })
})

/** It keeps back nothing, so that the configuration is another one and reads the same. */
const IDLE = { column: 'scheme', equals: ['never'], reason: 'nothing' }

describe('what says the same when it is read again keeps its place', () => {
  it.each(FORMATS)('of a %s file', async (format) => {
    let read = 0
    for (let seed = 1, played = 0; played < 12; seed += 1) {
      const draw = drawOf(seed)
      if (draw.format !== format) continue
      played += 1
      const own = mkdtempSync(join(folder, 'same-'))
      const [{ name, bytes }] = draw.files
      writeFileSync(join(own, name), bytes)
      const campaign = campaignIn(own, 'campaign.db')
      if ((await campaign.run([name], draw.first, 1)) === null) {
        const before = campaign.rows().filter(({ state }) => state !== 'registered')
        const { reading } = draw.first
        const then = { ...draw.first, reading: { ...reading, exclude: [...(reading.exclude ?? []), IDLE] } }
        expect(await campaign.run([], then, 1), about(seed, draw)).toBeNull()
        for (const told of campaign.readAgain().filter((one) => one.includes('was read again'))) {
          const [, same = ''] =
            /has changed: (\d+) the same\.$/.exec(told) ?? expect.fail(`${about(seed, draw)}: ${told}`)
          read += Number(same)
        }
        const placed = campaign.rows().map(({ source, record }) => `${source} ${record}`)
        for (const row of before) expect(placed).toContain(`${row.source} ${row.record}`)
      }
      campaign.ledger.close()
    }
    expect(read).toBeGreaterThan(20)
  })
})

it('a formula that nobody computed, and that may keep a mandate back, does so when its record is read again', async () => {
  const own = mkdtempSync(join(folder, 'formula-'))
  const cells = [{}, { 5: '<c><f>1+1</f></c>' }, { 5: 'left' }, {}].map((changed, at) =>
    mandateCells(at + 1, changed),
  )
  writeFileSync(join(own, 'a.xlsx'), workbookBytes({ sheets: { A: sheetOf(...cells) } }))
  const exclude = [{ column: 'note', equals: ['left'], reason: 'left' }]
  const first = { reading: { exclude }, rules: {}, zone: 'UTC', newCreditorIdentifier: null, seconds: {} }
  const then = { ...first, reading: { exclude: [...exclude, { ...IDLE, column: 'note' }] } }
  const campaign = campaignIn(own, 'campaign.db')
  onTestFinished(() => campaign.ledger.close())
  expect(await campaign.run(['a.xlsx'], first, 1)).toBeNull()
  for (const given of [[], ['a.xlsx']]) {
    expect(await campaign.run(given, then)).toBeNull()
    expect(campaign.rows().map(({ customerNo, state }) => `${customerNo ?? 0} ${state}`)).toEqual([
      ...['1 registered', '2 invalid', '3 excluded', '4 registered'],
    ])
  }
})
