import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { fragment } from '../../../database/fragment.js'
import { newestOf, type TimedPart, timedPart, where } from '../../../database/list-position.js'
import { CREDENTIAL_OFFER_STATES, type CredentialOfferState } from './session.js'

const zListedSession = z.strictObject({
  id: z.string(),
  createdBy: z.string(),
  state: z.enum(CREDENTIAL_OFFER_STATES),
  errorMessage: z.string().nullable(),
  deferred: z.enum(['pending', 'approved', 'rejected']).nullable(),
  configurationIds: z.array(z.string()),
  issuerId: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
  claimsErasedAt: z.date().nullable(),
})

export type ListedOfferSession = z.infer<typeof zListedSession>

/** The filters of the list. Without filters, all sessions are listed. */
export interface OfferSessionFilters {
  readonly state?: CredentialOfferState | undefined
  readonly deferred?: NonNullable<ListedOfferSession['deferred']> | undefined
}

export type OfferSessionListStore = ReturnType<typeof createOfferSessionListStore>

export function createOfferSessionListStore({ bounded }: Database) {
  return {
    /** Reads one page of sessions, the newest first. */
    page({ state, deferred }: OfferSessionFilters, part: TimedPart): Promise<ListedOfferSession[]> {
      const states = state === undefined ? CREDENTIAL_OFFER_STATES : [state]
      const ofState = fragment`
        SELECT x.id, x.created_at FROM credential_offer_sessions x
        WHERE x.state = states.state ${timedPart(fragment`x.created_at`, fragment`x.id`, part)}`
      const ofAll = fragment`
        SELECT newest.* FROM unnest(${[...states]}::text[]) AS states(state) CROSS JOIN LATERAL (${ofState}) newest`
      const ofDeferred = fragment`
        SELECT x.id, x.created_at FROM credential_offer_sessions x
        WHERE x.deferred = ${deferred ?? null} ${where(state, (named) => fragment`x.state = ${named}`)}
          ${timedPart(fragment`x.created_at`, fragment`x.id`, part)}`
      return bounded(zListedSession)`
        SELECT x.id, x.created_by AS "createdBy", x.state, x.error_message AS "errorMessage", x.deferred,
          o.configuration_ids AS "configurationIds", o.issuer_id AS "issuerId", x.created_at AS "createdAt", x.expires_at AS "expiresAt",
          o.claims_erased_at AS "claimsErasedAt"
        FROM (${newestOf([deferred === undefined ? ofAll : ofDeferred], part)}) AS k
        JOIN credential_offer_sessions x ON x.id = k.id
        JOIN offerings o ON o.id = x.id
        ORDER BY k.created_at DESC, k.id DESC`
    },
  }
}
