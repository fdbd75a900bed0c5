import type { Findings } from '../../probe/findings.js'
import type { Proposal } from '../../probe/proposal.js'
import { findingLines } from './probe-lines.js'
import { wordsOf } from '../terminal/line.js'

interface Asked {
  /** Of the test environment. */
  readonly host: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The settings that follow, as a part of a configuration file, with what they follow from. */
export function proposalText({ host, now }: Asked, findings: Findings, proposal: Proposal): string {
  const { readBack, outcomes } = proposal
  const statuses = Object.keys(outcomes)
  const lines = [
    `# A proposal, found out by a probe of ${host} on ${new Date(now).toISOString().slice(0, 10)}.`,
    '# Take over what you agree to.',
    '#',
    ...findingLines(findings).map((line) => `# ${wordsOf(line)}`),
    '',
    ...(readBack === null
      ? ['# Whether the service can be asked what it holds is not known: service.readBack is left out.']
      : ['service:', `  # ${READ_BACK[`${readBack}`]}`, `  readBack: ${readBack}`]),
    ...(statuses.length === 0
      ? ['# No status has to be called anything but what it is called by default.']
      : [
          'outcomes:',
          '  # A mandate that the service had already was answered so. Called "refused", a live mandate would be',
          '  # corrected and sent again.',
          ...statuses.map((status) => `  '${status}': ${outcomes[status] ?? ''}`),
        ]),
  ]
  return `${lines.join('\n')}\n`
}

const READ_BACK = {
  true: 'A mandate that was registered was listed and could be proven.',
  false: 'What the service lists, if anything, proves no mandate.',
} as const
