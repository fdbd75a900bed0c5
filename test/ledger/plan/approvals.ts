import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { textOfStatement, type ApprovalStatement } from '../../../src/domain/plan/plan.js'
import type { ApprovalGiven } from '../../../src/ledger/ledger.js'
import { fingerprintOf, signText } from '../../../src/trust/signature.js'

export interface Pair {
  readonly privateKey: KeyObject
  readonly pem: string
  readonly key: string
}

/** A key of an approver, drawn anew. */
export function newKey(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { privateKey, pem, key: fingerprintOf(publicKey) }
}

const statementOf = (plan: string, more: Partial<ApprovalStatement> = {}): ApprovalStatement => ({
  plan,
  approvedBy: 'Grace',
  approvedAt: '2026-06-15T09:00:00.000Z',
  expiresAt: '2026-06-18T10:00:00.000Z',
  ...more,
})

/** Recorded, not proven. */
export const recorded = (plan: string, more: Partial<ApprovalGiven> = {}): ApprovalGiven => ({
  ...statementOf(plan),
  recordedAs: 'ada',
  reference: 'mail of 15 June',
  signature: null,
  ...more,
})

/** The same, signed. */
export function signed(plan: string, pair: Pair, more: Partial<ApprovalStatement> = {}): ApprovalGiven {
  const statement = statementOf(plan, more)
  const signature = signText(textOfStatement(statement), pair.privateKey)
  return { ...statement, recordedAs: 'ada', reference: null, signature }
}
