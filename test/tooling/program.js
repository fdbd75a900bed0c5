/**
 * Puts the program into fewer files, the last step of `npm run build`: where a `run` finds nothing to do, half of its
 * time went into finding and opening 340 of them. What other programs import stays as tsc made it.
 *
 * Packages are loaded from where npm put them, all but zod: it is a third of those files, most of them languages that
 * nothing here speaks. Its licence stands in the file that holds it.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')
const zod = /[\\/]node_modules[\\/]zod[\\/]/
const licence = () => `/*!\n${readFileSync(join(root, 'node_modules/zod/LICENSE'), 'utf8')}*/`

const program = await rolldown({
  input: {
    cli: join(dist, 'cli.js'),
  },
  platform: 'node',
  external: (id) => /^[^./]/.test(id) && id !== 'zod',
  // Of commands that others use too, such as `run` in `demo`.
  checks: { ineffectiveDynamicImport: false },
})
for (const name of readdirSync(dist)) if (name.startsWith('program-')) rmSync(join(dist, name))
await program.write({
  dir: dist,
  entryFileNames: '[name].js',
  chunkFileNames: 'program-[name].js',
  // With all that they import, so that none of both imports what imports it. The rest is split by who needs it.
  codeSplitting: {
    groups: [
      { name: 'main', test: /cli.(?:main|commands|execute)\.js$|dist.machine\.js$/, priority: 2 },
      { name: 'run', test: /cli.commands.run\.js$/, priority: 1 },
    ],
  },
  banner: ({ moduleIds }) => (moduleIds.some((id) => zod.test(id)) ? licence() : ''),
})
await program.close()
