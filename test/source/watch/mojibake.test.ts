import { describe, expect, it } from 'vitest'
import { watchDamage } from '../../../src/source/watch/mojibake.js'

const watching = (...rows: string[][]) => {
  const watch = watchDamage()
  rows.forEach((cells, index) => watch.note(index + 2, cells))
  return watch
}

describe('a file that was decoded wrongly', () => {
  it.each(['MÃ¼ller', 'M\uFFFDller', 'Â\u00a0x'])('shows by %j, in whatever column', (cell) => {
    expect(watching(['17', cell]).findings(['customer', 'name'], {})).toMatchObject([
      { rule: 'FILE_MOJIBAKE', value: cell.replace('\u00a0', '<U+00A0>') },
    ])
  })

  it.each(['Müller', 'SÃO PAULO', 'Ângela', 'CHÂTEAU'])('does not show by %s', (cell) => {
    expect(watching(['17', cell]).findings(['customer', 'name'], {})).toEqual([])
  })

  it('is told once, with the number of cells and the place of the first', () => {
    const watch = watching(['17', 'fine'], ['18', 'Ã¼'], ['Ã¶', 'Ã¤'])
    const [finding, ...others] = watch.findings(['customer', 'name'], {})
    expect(others).toEqual([])
    expect(finding?.message).toContain('3 cells show it, the first in line 3, column "name".')
  })

  it('names no column for a cell behind the last one', () => {
    expect(watching(['17', 'x', 'Ã¼']).findings(['a', 'b'], {})[0]?.message).toContain('column ""')
  })
})

it('counts cells with control characters; tabs and line ends are none', () => {
  expect(watching(['a\u0000b', 'tab\there', 'two\r\nlines', 'bell\u0007']).controlCells()).toBe(2)
})
