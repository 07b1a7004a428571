import type { Work } from '../../protocol/work.js'
import type { HeldCredential } from '../credentials/held.js'
import { type HeldStatus, type HeldStatuses, hasExpired } from '../credentials/statuses.js'
import type { Match, Matching, Objection } from '../openid4vp/match-query.js'

/** Bounds on what a stranger's query makes this service read, and, of lists of other hosts, fetch before it answers. */
const MAX_READ = 8
const TOTAL_MS = 3_000

/** A credential of unknown status may be good. A bad one is presented where there is no other, and the verifier says so. */
const OBJECTIONS: Readonly<Record<HeldStatus, number>> = { valid: 0, unknown: 1, suspended: 2, revoked: 2, expired: 2 }

const distinct = (all: readonly HeldCredential[]): HeldCredential[] => [
  ...new Map(all.map((held) => [held.id, held])).values(),
]

/** What {@link createChooseUsable} is made of. */
export interface ChooseUsablePorts {
  readonly statusReader: HeldStatuses['reader']
  readonly clock: () => Date
}

/**
 * Chooses the credentials that answer a query, rather those that are not known to be revoked, suspended or expired. A status is read, live,
 * only of a credential that another one could replace. So most answers wait for nothing, and tell no issuer that a credential is about
 * to be used. Eight statuses are read at most, with three seconds for all fetches together.
 *
 * @param selectedId what a person selected, whatever its status
 * @param work pays for lists of other hosts
 * @returns undefined where the query cannot be answered.
 */
export type ChooseUsable = ReturnType<typeof createChooseUsable>

/** Binds {@link ChooseUsable} to its ports. */
export function createChooseUsable({ statusReader, clock }: ChooseUsablePorts) {
  return async (
    { choose }: Pick<Matching, 'choose'>,
    selectedId: string | undefined,
    work: Work,
  ): Promise<readonly Match[] | undefined> => {
    const now = clock()
    const statuses = new Map<string, HeldStatus>()
    const read = statusReader({ totalMs: TOTAL_MS, work })
    const objection: Objection = (held) =>
      OBJECTIONS[statuses.get(held.id) ?? (hasExpired(held, now) ? 'expired' : 'valid')]
    // The choice stays the same for a selected credential, and for one that has expired: no status could change it.
    const isReplaceable = ({ queryId, held }: Match): boolean => {
      const others = choose(selectedId, (one) => (one.id === held.id ? OBJECTIONS.revoked : objection(one)))
      return others?.find((match) => match.queryId === queryId)?.held.id !== held.id
    }
    const isOpen = (match: Match): boolean => !statuses.has(match.held.id) && isReplaceable(match)
    for (;;) {
      const chosen = choose(selectedId, objection)
      const open = (chosen ?? []).filter(isOpen).map(({ held }) => held)
      const next = distinct(open).slice(0, MAX_READ - statuses.size)
      if (next.length === 0) return chosen
      const found = await read(next)
      for (const [at, { id }] of next.entries()) statuses.set(id, found[at] ?? 'unknown')
    }
  }
}
