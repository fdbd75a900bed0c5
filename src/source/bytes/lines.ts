const LF = 0x0a
const CR = 0x0d

/** The text after its first physical lines; CRLF, LF and CR all end a line. */
export async function* dropFirstLines(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count
  let afterCr = false
  for await (const piece of text) {
    let at = 0
    while (at < piece.length && (left > 0 || (afterCr && piece.charCodeAt(at) === LF))) {
      const code = piece.charCodeAt(at)
      if (code === CR || (code === LF && !afterCr)) left -= 1
      afterCr = code === CR
      at += 1
    }
    if (at === piece.length) continue
    afterCr = false
    yield at === 0 ? piece : piece.slice(at)
  }
}

/**
 * The text without its last physical lines, which are its end. Holds back no more than those lines, or `maxHeld`
 * characters: what is longer is left for the reader to refuse.
 */
export async function* dropLastLines(
  text: AsyncIterable<string>,
  { count, maxHeld }: { count: number; maxHeld: number },
): AsyncGenerator<string, string> {
  if (count === 0) {
    yield* text
    return ''
  }
  let held = ''
  for await (const piece of text) {
    held += piece
    const start = Math.max(startOfLastLines(held, count), held.length - maxHeld)
    if (start > 0) yield held.slice(0, start)
    held = held.slice(start)
  }
  const start = startOfLastLines(held, count)
  if (start > 0) yield held.slice(0, start)
  return held.slice(start)
}

/** The offset at which the last `count` lines begin; a line end at the very end begins no further line. */
function startOfLastLines(text: string, count: number): number {
  let left = count
  let at = text.length - lineEndLength(text, text.length)
  while (at > 0) {
    const length = lineEndLength(text, at)
    if (length === 0) at -= 1
    else {
      left -= 1
      if (left === 0) return at
      at -= length
    }
  }
  return 0
}

/** The length of the line end that stops at `end`, or 0. */
function lineEndLength(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  if (code === CR) return 1
  if (code !== LF) return 0
  return text.charCodeAt(end - 2) === CR ? 2 : 1
}
