import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { fragment } from '../../../database/fragment.js'
import { newestOf, type TimedPart, timedPart, where } from '../../../database/list-position.js'
import { listMadeBy } from '../../../database/made-by.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { NameHashes, Names } from '../../../names/names.js'
import { hasNames, namesShape, revealedNames, selectedNames } from '../../../names/names-store.js'
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
  ...namesShape,
})

export type ListedOfferSession = Omit<z.infer<typeof zListedSession>, 'names' | 'namesKey'> & {
  readonly names: Names | null
}

/** The filters of the list. Without filters, all sessions are listed. */
export interface OfferSessionFilters extends NameHashes {
  readonly state?: CredentialOfferState | undefined
  readonly deferred?: NonNullable<ListedOfferSession['deferred']> | undefined
  /** The only creator whose sessions are listed; undefined for the sessions of all. */
  readonly creator?: string | null | undefined
}

export type OfferSessionListStore = ReturnType<typeof createOfferSessionListStore>

export function createOfferSessionListStore({ bounded }: Database, claims: ClaimsVault) {
  return {
    /** Reads one page of sessions, the newest first. */
    async page(
      { state, deferred, creator, ...names }: OfferSessionFilters,
      part: TimedPart,
    ): Promise<ListedOfferSession[]> {
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
      const ofCreator = fragment`
        SELECT x.id, x.created_at FROM credential_offer_sessions x
        WHERE true ${listMadeBy(fragment`x.created_by`, creator)} ${where(state, (named) => fragment`x.state = ${named}`)}
          ${where(deferred, (named) => fragment`x.deferred = ${named}`)} ${timedPart(fragment`x.created_at`, fragment`x.id`, part)}`
      // An offer and its session are stored with the same time.
      const ofName = fragment`
        SELECT x.id, o.created_at FROM offerings o JOIN credential_offer_sessions x ON x.id = o.id
        WHERE true ${listMadeBy(fragment`x.created_by`, creator)} ${hasNames(fragment`o`, names)} ${where(state, (is) => fragment`x.state = ${is}`)}
          ${where(deferred, (is) => fragment`x.deferred = ${is}`)} ${timedPart(fragment`o.created_at`, fragment`o.id`, part)}`
      const isNamed = names.referenceHash !== undefined || names.labelHash !== undefined
      const unnamed = newestOf([creator !== undefined ? ofCreator : deferred === undefined ? ofAll : ofDeferred], part)
      const rows = await bounded(zListedSession)`
        SELECT x.id, x.created_by AS "createdBy", x.state, x.error_message AS "errorMessage", x.deferred,
          o.configuration_ids AS "configurationIds", o.issuer_id AS "issuerId", x.created_at AS "createdAt", x.expires_at AS "expiresAt",
          o.claims_erased_at AS "claimsErasedAt", ${selectedNames(claims, 'offerings.names', fragment`o`)}
        FROM (${isNamed ? ofName : unnamed}) AS k
        JOIN credential_offer_sessions x ON x.id = k.id
        JOIN offerings o ON o.id = x.id
        ORDER BY k.created_at DESC, k.id DESC`
      return rows.map((row) => revealedNames(claims, { column: 'offerings.names', id: row.id }, row))
    },
  }
}
