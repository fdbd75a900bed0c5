/** Who plans or approves: the name that was given, and the user of the operating system where it is known. */
export interface Person {
  readonly by: string
  readonly as: string | null
}

const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\s.,_-]+/g, ' ')
    .trim()
    .toLowerCase()

/** Why two are taken for one person, in words that complete "…"; null for two. Letter case, blanks and dots do not count. */
export function samePersonIn(planner: Person, approver: Person): string | null {
  if (folded(planner.by) === folded(approver.by)) return `"${approver.by}" is who planned`
  if (planner.as !== null && planner.as === approver.as)
    return `the user "${approver.as}" of the operating system is the one who planned`
  return null
}
