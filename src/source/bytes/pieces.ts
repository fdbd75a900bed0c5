/** Pieces that are read one by one; what is known only behind the last of them is the end. */
export interface Pieces<Piece, End> extends AsyncIterable<Piece> {
  /** @throws {Error} before the last piece was read */
  readonly end: () => End
}

/** Keeps what a generator returns, which `for await` drops. It is read once, as the generator is. */
export function piecesOf<Piece, End>(pieces: AsyncGenerator<Piece, End>): Pieces<Piece, End> {
  let reached: { readonly end: End } | null = null
  async function* passing(): AsyncGenerator<Piece> {
    reached = { end: yield* pieces }
  }
  return {
    [Symbol.asyncIterator]: passing,
    end: () => {
      if (reached === null) throw new Error('The end is not known before everything was read')
      return reached.end
    },
  }
}
