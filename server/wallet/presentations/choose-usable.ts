import type { Work } from '../../protocol/work.js'
import type { HeldCredential } from '../credentials/held.js'
import { type HeldStatus, type HeldStatuses, hasExpired } from '../credentials/statuses.js'
import type { Match, Matching, Objection } from '../openid4vp/match-query.js'

/** Limits on how many statuses a stranger's query can cause to be read, and on the time for fetches from other hosts. */
const MAX_READ = 8
const TOTAL_MS = 3_000

/**
 * A credential of unknown status may be valid. An invalid credential is presented only if no other credential exists.
 * The verifier then reports that it is invalid.
 */
const OBJECTIONS: Readonly<Record<HeldStatus, number>> = { valid: 0, unknown: 1, suspended: 2, revoked: 2, expired: 2 }

const distinct = (all: readonly HeldCredential[]): HeldCredential[] => [
  ...new Map(all.map((held) => [held.id, held])).values(),
]

/** Dependencies of {@link createChooseUsable}. */
export interface ChooseUsablePorts {
  readonly statusReader: HeldStatuses['reader']
  readonly clock: () => Date
}

/**
 * Chooses the credentials that answer a query, and avoids credentials that are known to be revoked, suspended or
 * expired. A current status is read only for a credential that another credential could replace. So most answers wait
 * for no fetch, and no issuer learns that a credential is about to be used. At most eight statuses are read, with three
 * seconds for all fetches together.
 *
 * @param selectedId the credential that a person selected; its status does not matter
 * @param work the budget for status lists of other hosts
 * @returns undefined if the query cannot be answered.
 */
export type ChooseUsable = ReturnType<typeof createChooseUsable>

/** Creates {@link ChooseUsable} from its dependencies. */
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
    // No status can change the choice of a selected or an expired credential.
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
