const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
/** 1 January 1980, 00:00: the first moment a zip file can name. */
const EPOCH_TIME = 0
const EPOCH_DATE = 0x21

/**
 * Sets the time of every entry of a zip archive to a constant, in place: the workbook's writer puts the current
 * time there and has no option against it, and two reports of one ledger must be the same bytes.
 */
export function freezeZipTimes(zip: Buffer): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end === -1 || zip.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('The workbook is not a zip archive')
  const entries = zip.readUInt16LE(end + 10)
  let entry = zip.readUInt32LE(end + 16)
  for (let n = 0; n < entries; n += 1) {
    if (zip.readUInt32LE(entry) !== DIRECTORY_ENTRY)
      throw new Error('The directory of the workbook is damaged')
    zip.writeUInt16LE(EPOCH_TIME, entry + 12)
    zip.writeUInt16LE(EPOCH_DATE, entry + 14)
    const local = zip.readUInt32LE(entry + 42)
    if (zip.readUInt32LE(local) !== LOCAL_HEADER) throw new Error('An entry of the workbook is damaged')
    zip.writeUInt16LE(EPOCH_TIME, local + 10)
    zip.writeUInt16LE(EPOCH_DATE, local + 12)
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32)
  }
  return zip
}
