import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/main.js'
import { environmentName, SETTING_NAMES } from '../../src/cli/settings/declared.js'
import { emptyResult, jsonOf, resultOfError } from '../../src/cli/command.js'
import { totalsOf } from '../../src/domain/row/row-state.js'
import { UsageError } from '../../src/errors.js'
import { readSurface } from './surface.js'

describe('what a thrown error means for the caller', () => {
  it('anything else is a bug: status 1, accounts masked, and the ledger is said to be safe', () => {
    const result = resultOfError(new TypeError('Bad value DE89370400440532013000'))
    expect(result).toMatchObject({ exitCode: 1, errors: [{ kind: 'unexpected' }] })
    expect(result).not.toHaveProperty('totals')
    expect(result.errors[0]?.message).not.toContain('3704')
    expect(resultOfError('a word').errors[0]?.message).toContain('not an error')
  })

  it('what the system refuses of a path is no bug, wherever it was looked at', () => {
    const path = '/closed/DE89370400440532013000'
    const message = `EACCES: permission denied, lstat '${path}'`
    const refused = Object.assign(new Error(message), { code: 'EACCES', path })
    const { exitCode, errors } = resultOfError(refused)
    const told = 'The system refuses "/closed/DE…3000": EACCES: permission denied'
    expect([exitCode, errors[0]?.message]).toEqual([2, told])
    for (const code of ['ENOSPC', 'EMFILE', 'ENOENT'])
      expect(resultOfError(Object.assign(new Error(code), { code, path: '/x' })).exitCode).toBe(1)
    expect(resultOfError(new Error('EACCES: of nothing')).exitCode).toBe(1)
  })

  it('an interruption is the status of its signal, and only where a signal came', () => {
    const aborted = new DOMException('The operation was aborted', 'AbortError')
    expect(resultOfError(aborted, 143)).toMatchObject({ exitCode: 143, errors: [{ kind: 'interrupted' }] })
    expect(resultOfError(aborted)).toMatchObject({ exitCode: 1 })
    expect(resultOfError(new UsageError('No', 'Do'), 130)).toMatchObject({ exitCode: 2 })
  })
})

it('the JSON document is one line, ok with exit status 0 alone, and tells totals that do not add up', () => {
  expect(jsonOf('status', emptyResult)).toMatch(/^\{.*\}\n$/)
  const totals = totalsOf(2, new Map([['ready', 1]]))
  const details = { customer: { customerNo: 17 } }
  const document = JSON.parse(jsonOf('run', { ...emptyResult, exitCode: 3, totals, details })) as object
  expect(document).toMatchObject({ ok: false, exitCode: 3, balanced: false, ...details })
})

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const surface = await readSurface(commands)

/** Every text of the program, as it stands in its source. */
const texts = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const found: string[] = []
    const text = readFileSync(join(ROOT, 'src', file), 'utf8')
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
    const walk = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
        found.push(node.text)
      ts.forEachChild(node, walk)
    }
    walk(source)
    return found
  })

describe('a way on that is named in brackets', () => {
  const named = texts.flatMap((text) => text.match(/\((?:sepa-migrate |--|SEPA_)[^()]+\)/g) ?? [])
  const ways = [...new Set(named)]
  it.each(ways)('%s is a command, flag or variable that there is', (words) => {
    const named = [...words.matchAll(/sepa-migrate (ledger adopt|[a-z]+)/g)].map(([, name]) => name)
    const flags = words.match(/--[a-z-]+/g) ?? []
    const variables = words.match(/SEPA_MIGRATE_[A-Z_]+/g) ?? []
    const ofThem = surface.filter(({ name }) => named.length === 0 || named.includes(name))
    const known = ofThem.flatMap((command) => command.flags.map((flag) => flag.name))
    expect(surface.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
    expect([...known, ...SETTING_NAMES.map(environmentName)]).toEqual(
      expect.arrayContaining([...flags, ...variables]),
    )
  })

  it('is found for most of what is refused', () => expect(ways.length).toBeGreaterThan(20))
})
