import { readFileSync } from 'node:fs'

/** Files of this package, from beside its built code as from its source. */
const textOf = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Of this package, as its package.json has it. */
export const readVersion = (): string => (JSON.parse(textOf('package.json')) as { version: string }).version

/** How a page looks. */
export const readStyle = (): string => textOf('src/report/page/look.css')
