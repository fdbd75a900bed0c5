import { symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startThread } from '../src/second-thread.js'
import { makeFolder } from './support/program.js'

const place = makeFolder()
afterAll(() => place.remove())
const at = (name: string): string => join(place.folder, name)
writeFileSync(
  at('thread.mjs'),
  `import { parentPort, workerData } from 'node:worker_threads'
   parentPort.postMessage({ heard: workerData })`,
)
writeFileSync(at('file'), '123')
symlinkSync('loop', at('loop'))
const module_ = pathToFileURL(at('thread.mjs'))
const started = (job: unknown, file: string, smallestBytes = 3, module = module_) =>
  startThread(module, job, { file: at(file), smallestBytes })

it.skipIf(availableParallelism() < 2)('hands its job to the module', async () => {
  const worker = started({ path: 'a' }, 'file')
  if (worker === null) throw new Error('No thread was started')
  expect(await once(worker, 'message')).toEqual([{ heard: { path: 'a' } }])
  await worker.terminate()
})

it('is not started for a small file, none, one that cannot be looked at, or a folder', () => {
  expect(started({}, 'file', 4)).toBeNull()
  expect(started({}, 'none')).toBeNull()
  expect(started({}, 'loop')).toBeNull()
  expect(started({}, 'x'.repeat(300))).toBeNull()
  expect(started({}, '.', 0)).toBeNull()
})

it('is not started where its module is missing, or the job is more than data', () => {
  expect(started({}, 'file', 3, pathToFileURL(at('none.mjs')))).toBeNull()
  expect(started({ tell: () => undefined }, 'file')).toBeNull()
})
