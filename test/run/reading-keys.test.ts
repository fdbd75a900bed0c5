import { expect, it } from 'vitest'
import { z } from 'zod'
import { configurationSchema } from '../../src/cli/settings/configuration.js'
import { READING_KEYS } from '../../src/run/read-again.js'

/** Keys that say nothing of how a file is read. */
const NOTHING = `ledger out lang logFile approval approvalValidFor approvers outcomes readBack campaign limits
    service.baseUrl service.username service.passwordFile service.concurrency service.customers service.rate service.timeout
    service.connectTimeout service.readBack service.testHost service.maxInDoubt service.maxRefused service.ca
    service.clientCertificate service.clientKey service.proxy service.freshConnections`.split(/\s+/)

/** Sections of which each key has an answer of its own. */
const SECTIONS = ['service', 'source']

it('every key of the configuration says once what it has to do with records that came in before', () => {
  const { properties = {} } = z.toJSONSchema(configurationSchema, { io: 'input' })
  const keysOf = (name: string): string[] => {
    const inner = properties[name]
    const keys = typeof inner === 'object' ? Object.keys(inner.properties ?? {}) : []
    return SECTIONS.includes(name) ? keys.map((key) => `${name}.${key}`) : [name]
  }
  const all = Object.keys(properties).flatMap(keysOf)
  expect([...Object.values(READING_KEYS).flat(), ...NOTHING].sort()).toEqual(all.sort())
})
