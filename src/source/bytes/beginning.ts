/** How a file begins, by which its format is told. */

export const bufferOver = (bytes: Uint8Array, length = bytes.length): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.length))

export const latin1 = (bytes: Uint8Array, length?: number): string =>
  bufferOver(bytes, length).toString('latin1')

export const beginsWith = (start: Uint8Array, mark: string): boolean => latin1(start, mark.length) === mark

/** Some first letters of a text, whether or not two bytes stand for each. */
export const opening = (start: Uint8Array): string =>
  latin1(start, 4096)
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\u0000', '')
    .trimStart()

export const isZip = (start: Uint8Array): boolean => beginsWith(start, 'PK\u0003\u0004')

export const isXml = (start: Uint8Array): boolean =>
  /^<(?:\?xml|(?:\w+:)?(?:Document|conxml)\b)/.test(opening(start))

/** A collection file of a bank (pain.008), also of a kind that is refused by its name. */
export const isCollections = (start: Uint8Array): boolean =>
  isXml(start) && /pain\.008|urn:iso:std:iso:20022|urn:CBI|urn:conxml/.test(opening(start))
