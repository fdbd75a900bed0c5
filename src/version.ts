import { readFileSync } from 'node:fs'

const packageFile = new URL('../package.json', import.meta.url)

/** Of this package, as its package.json has it. */
export const readVersion = (): string =>
  (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version
