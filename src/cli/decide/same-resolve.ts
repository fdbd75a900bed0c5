import type { Context } from '../command.js'
import type { NextCommand } from '../terminal/shell.js'

const FLAGS = {
  row: '--row',
  as: '--as',
  from: '--from',
  fromReadBack: '--from-read-back',
  reason: '--reason',
  assignedCreditorIdentifier: '--assigned-creditor-identifier',
  assignedMandateReference: '--assigned-mandate-reference',
  by: '--by',
  adoptOlderCopy: '--adopt-older-copy',
  force: '--force',
  yesResend: '--yes-resend',
} as const

/** The `resolve` that was typed, without `--dry-run`. */
export function sameResolve({ own }: Pick<Context, 'own'>): NextCommand {
  const words = Object.entries(FLAGS).flatMap(([name, flag]) => {
    const value = own[name]
    if (value === true) return [flag]
    const values = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : []
    return values.flatMap((text) => [flag, text])
  })
  return { name: 'resolve', words }
}
