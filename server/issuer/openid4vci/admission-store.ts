import { z } from 'zod'
import { emptyFragment, type Fragment, fragment, Step } from '../../database/fragment.js'
import { lockedBefore } from '../../database/lock-order.js'
import { countRedemption } from '../offerings/redemption-store.js'
import type { OfferLink } from './sealed.js'
import { goodToken } from './tokens/good-token.js'
import { TX_CODE_ATTEMPTS } from './tx-code.js'
import { type UsedOnce, usedRows } from './used-once-store.js'

/** The request of a wallet for instances under its token, with the nonces of its proofs. */
export interface Admission {
  readonly tokenHash: string
  readonly offeringId: string
  /** Whether the offering has a session, which must not be in Error. */
  readonly hasSession: boolean
  /** The number of the offer's link under which the token was issued. */
  readonly linkNumber: number
  readonly configurationId: string
  /**
   * The credential that was taken under this token before, when the token was last read; null before the first
   * issuance.
   */
  readonly earlierId: string | null
  /**
   * Whether the token's redemption was already counted when the token was last read. The redemption is counted at the
   * first issuance, or when the wallet begins to wait.
   */
  readonly counted: boolean
  /**
   * The authorization of the token; null if the token came from a pre-authorized code of an offer that is not deferred.
   */
  readonly authorizationId: string | null
  /**
   * The generation of the token, if only tokens of the current generation give instances, and their instances replace earlier
   * ones; otherwise null.
   */
  readonly generation: number | null
  /** The number of requested instances that were not counted before. */
  readonly instances: number
  /** Hash of the transaction under which the wallet waited; null if the wallet did not wait. */
  readonly transactionHash: string | null
  /** When the offering's claims are to be erased if no further redemption or credential follows; null if they stay. */
  readonly claimsDueAt: Date | null
  /** The nonces of the proofs, each once. */
  readonly nonces: readonly UsedOnce[]
  readonly now: Date
}

/**
 * The reason why a wallet was not admitted.
 *
 * - `overtaken`: another request under the token was first. `now` is the token's state after that request.
 * - `collected`: the deferred credential was taken before.
 * - `refreshed`: a refresh has replaced the token.
 */
export type Refusal =
  | { readonly kind: 'overtaken'; readonly now: Pick<Admission, 'earlierId' | 'counted'> }
  | { readonly kind: 'nonce-used' | 'too-many' | 'collected' | 'refreshed' | 'refused' }

/**
 * The locked session of an offering, if the session is not in Error and the link is the current link. For an offering without
 * a session, the step has one row.
 */
export const openSession = ({ offeringId, linkNumber }: OfferLink, hasSession: boolean): Step<'id'> =>
  new Step<'id'>(
    'session',
    hasSession
      ? fragment`
          SELECT id FROM credential_offer_sessions
          WHERE id = ${offeringId} AND state <> 'Error' AND tx_code_attempts < ${TX_CODE_ATTEMPTS}::int
            AND link_number = ${linkNumber}::int
          FOR UPDATE`
      : fragment`SELECT ${offeringId}::text AS id`,
  )

/**
 * The highest number of instances that one authorization gives per day, over all its tokens. A token without an
 * authorization expires in less than a day.
 */
export const INSTANCES_A_DAY = 100

/** The day of an authorization's count, in UTC. */
const dayOf = (now: Date): string => now.toISOString().slice(0, 10)

/**
 * The number of instances that an authorization `a` has given today. The stored day never changes to an earlier day.
 * Otherwise, around midnight, a process whose clock differs could reset the count of another process.
 */
const givenToday = (now: Date) => fragment`CASE WHEN a.issued_on >= ${dayOf(now)}::date THEN a.issued_count ELSE 0 END`

/**
 * The locked row of the token or of its authorization. The wallet may take each configuration again (OpenID4VCI 1.0
 * §14.3), within the daily limit. The session is locked before.
 */
function takeableUnder({ tokenHash, authorizationId, instances, hasSession, now }: Admission, session: Step): Fragment {
  const inOrder = hasSession ? lockedBefore(session) : fragment`true`
  if (authorizationId === null) {
    return fragment`
      SELECT credential_id, credential_id IS NOT NULL AS counted, generation FROM issuance_tokens
      WHERE ${goodToken(tokenHash, now)} AND issued_count + ${instances} <= ${INSTANCES_A_DAY} AND ${inOrder} FOR UPDATE`
  }
  return fragment`
    SELECT a.credential_id, a.redemption_counted AS counted, a.generation FROM authorizations a
    WHERE a.id = ${authorizationId} AND a.expires_at > ${now} AND ${givenToday(now)} + ${instances} <= ${INSTANCES_A_DAY}
      AND EXISTS (SELECT 1 FROM issuance_tokens WHERE ${goodToken(tokenHash, now)}) AND ${inOrder}
    FOR UPDATE`
}

/** Counts the redemption of an authorization `a`, and the instances that it gives today. */
export const countedUnder = ({ instances, now }: Admission): Fragment => fragment`
  redemption_counted = true, issued_on = GREATEST(a.issued_on, ${dayOf(now)}::date), issued_count = ${givenToday(now)} + ${instances}`

/**
 * The steps after an issuance. They store the credential's id with the token and its authorization, count the instances, and
 * end the wallet's transaction.
 */
export function spent(request: Admission, credential: Step<'id'>): Step[] {
  const { tokenHash, authorizationId, instances, now, transactionHash } = request
  const id = credential.column('id')
  const token = new Step(
    'spent',
    fragment`
      UPDATE issuance_tokens SET credential_id = ${id}, issued_count = issued_count + ${instances}
      FROM ${credential} WHERE ${goodToken(tokenHash, now)}`,
  )
  if (authorizationId === null) return [token]
  const authorization = new Step(
    'counted_instances',
    fragment`
      UPDATE authorizations a SET credential_id = ${id}, ${countedUnder(request)}
      FROM ${credential} WHERE a.id = ${authorizationId}`,
  )
  if (transactionHash === null) return [token, authorization]
  const released = new Step(
    'released',
    fragment`
      DELETE FROM deferred_issuances WHERE transaction_hash = ${transactionHash} AND EXISTS (SELECT 1 FROM ${credential})`,
  )
  return [token, authorization, released]
}

/** The offering of a wallet that waited, locked against an erasure of its claims. */
function waitedFor(fresh: Step<'id'>, { claimsDueAt }: Admission): Fragment {
  const open = fragment`o.id = ${fresh.column('id')} AND o.claims_erased_at IS NULL`
  return claimsDueAt === null
    ? fragment`SELECT o.id FROM offerings o JOIN ${fresh} ON ${open} FOR NO KEY UPDATE OF o`
    : fragment`UPDATE offerings o SET claims_due_at = ${claimsDueAt} FROM ${fresh} WHERE ${open} RETURNING o.id`
}

/**
 * The first issuance under a token counts as a redemption. A later issuance adds to the same credential, which must have its
 * claims and must be neither revoked nor suspended.
 */
function admittedAfter(fresh: Step<'id'>, request: Admission): Step<'id'> {
  const { earlierId, counted } = request
  if (!counted) return countRedemption(request, fresh)
  if (earlierId === null) return new Step<'id'>('admitted', waitedFor(fresh, request))
  return new Step<'id'>(
    'admitted',
    fragment`
      SELECT id FROM credentials
      WHERE id = ${earlierId} AND revoked_at IS NULL AND suspended_at IS NULL AND claims_erased_at IS NULL
        AND EXISTS (SELECT 1 FROM ${fresh}) FOR NO KEY UPDATE`,
  )
}

/** The locked transaction under which the wallet waited. If the wallet did not wait, the step has one row. */
function waitingUnder(current: Step<'id'>, { transactionHash, authorizationId }: Admission): Step {
  if (transactionHash === null) return new Step('waiting', fragment`SELECT 1 AS waits`)
  return new Step(
    'waiting',
    fragment`
      SELECT 1 AS waits FROM deferred_issuances d, ${current}
      WHERE d.transaction_hash = ${transactionHash} AND d.authorization_id = ${authorizationId} FOR UPDATE OF d`,
  )
}

/** The steps of an admission. */
export interface AdmissionSteps {
  /** The token or authorization that the credentials belong to. */
  readonly token: Step<'credential_id' | 'counted' | 'generation'>
  readonly session: Step<'id'>
  readonly waiting: Step
  /** The nonces that were not used before. */
  readonly nonces: Step<'hash'>
  /** One row if the wallet is admitted. */
  readonly admitted: Step<'id'>
}

/**
 * Admits a wallet to an issuance. If the wallet is admitted, the nonces are marked as used, and the token's first
 * redemption is counted. No credential is stored here. If the wallet is not admitted, its fresh nonces are still marked
 * as used.
 *
 * The lock on the token's row serialises requests under one token. A request that waited for the lock cannot see the rows of
 * the other request, and is `overtaken`.
 */
export function admission(request: Admission): AdmissionSteps {
  const session = openSession(request, request.hasSession)
  const token = new Step<'credential_id' | 'counted' | 'generation'>('token', takeableUnder(request, session))
  const isCurrent =
    request.generation === null
      ? emptyFragment
      : fragment`AND ${token.column('generation')} = ${request.generation}::int`
  const current = new Step<'id'>(
    'current',
    fragment`
      SELECT ${session.column('id')} FROM ${token}, ${session}
      WHERE ${token.column('credential_id')} IS NOT DISTINCT FROM ${request.earlierId}::text
        AND ${token.column('counted')} = ${request.counted} ${isCurrent}`,
  )
  const waiting = waitingUnder(current, request)
  const nonces = new Step<'hash'>(
    'nonces',
    fragment`
      INSERT INTO used_nonces (hash, expires_at)
      SELECT n.hash, n.expires_at FROM ${current}, ${usedRows(request.nonces)} AS n(hash, expires_at)
      ON CONFLICT DO NOTHING RETURNING hash`,
  )
  const fresh = new Step<'id'>(
    'fresh',
    fragment`
      SELECT id FROM ${current}
      WHERE (SELECT count(*) FROM ${nonces}) = ${request.nonces.length} AND EXISTS (SELECT 1 FROM ${waiting})`,
  )
  return { token, session, waiting, nonces, admitted: admittedAfter(fresh, request) }
}

/** The row of an admission: its conditions, in the order of the checks. */
export const zAdmission = z.strictObject({
  takeable: z.boolean(),
  earlierId: z.string().nullable(),
  counted: z.boolean().nullable(),
  generation: z.int().nullable(),
  open: z.boolean(),
  waiting: z.boolean(),
  nonces: z.int(),
  admitted: z.boolean(),
})

export type AdmissionRow = z.output<typeof zAdmission>

/** The columns of `zAdmission`. */
export const admissionColumns = ({ token, session, waiting, nonces, admitted }: AdmissionSteps): Fragment => fragment`
  EXISTS (SELECT 1 FROM ${token}) AS takeable, (SELECT credential_id FROM ${token}) AS "earlierId",
  (SELECT counted FROM ${token}) AS counted, (SELECT generation FROM ${token}) AS generation,
  EXISTS (SELECT 1 FROM ${session}) AS open, EXISTS (SELECT 1 FROM ${waiting}) AS waiting,
  (SELECT count(*) FROM ${nonces})::int AS nonces, EXISTS (SELECT 1 FROM ${admitted}) AS admitted`

/** The reason why an admission was refused; undefined if the wallet was admitted. */
export function refusalOf(row: AdmissionRow | undefined, request: Admission): Refusal | undefined {
  if (row?.admitted === true) return undefined
  if (row?.takeable !== true) return { kind: 'too-many' }
  if (request.generation !== null && row.generation !== request.generation) return { kind: 'refreshed' }
  const { earlierId, counted } = row
  if (counted === true && (earlierId !== request.earlierId || !request.counted))
    return { kind: 'overtaken', now: { earlierId, counted } }
  if (row.open && !row.waiting) return { kind: 'collected' }
  if (row.open && row.nonces < request.nonces.length) return { kind: 'nonce-used' }
  return { kind: 'refused' }
}
