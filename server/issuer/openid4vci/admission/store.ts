import { z } from 'zod'
import { Prisma } from '../../../generated/prisma/client.js'
import { countRedemption } from '../../redemptions/store.js'
import { TX_CODE_ATTEMPTS } from '../tx-code.js'

/** What a wallet wants to be admitted to: a configuration under its token, with the nonces of its proofs. */
export interface Admission {
  readonly tokenHash: string
  readonly offeringId: string
  /** Whether the offering has a session, which must not be in Error. */
  readonly hasSession: boolean
  readonly configurationId: string
  /** The credential that was taken under this token before, as far as is known; null before its first issuance. */
  readonly earlierId: string | null
  /** The authorization that the token was given for; null for a pre-authorized code. */
  readonly authorizationId: string | null
  /** How many instances are asked for. */
  readonly instances: number
  readonly nonceHashes: readonly string[]
  readonly nonceExpiresAt: Date
  readonly now: Date
}

/** Why a wallet was not admitted. `overtaken`: another request under the token was first and took `credentialId`. */
export type Refusal =
  | { readonly kind: 'overtaken'; readonly credentialId: string }
  | { readonly kind: 'nonce-used' | 'already-taken' | 'refused' }

/**
 * `session`: that of an offering, locked, where it is not in Error. An offering without a session has one row.
 */
export function openSession(offeringId: string, hasSession: boolean): Prisma.Sql {
  if (!hasSession) return Prisma.sql`session AS (SELECT ${offeringId}::text AS id)`
  return Prisma.sql`
    session AS (
      SELECT id FROM credential_offer_sessions
      WHERE id = ${offeringId} AND state <> 'Error' AND tx_code_attempts < ${TX_CODE_ATTEMPTS}::int FOR UPDATE)`
}

/** Instances that one authorization gives on a day, over all its tokens. */
export const INSTANCES_A_DAY = 100

/** The day of an authorization's count, in UTC. */
const dayOf = (now: Date): string => now.toISOString().slice(0, 10)

/** How many instances an authorization `a` has given today. */
const givenToday = (now: Date) => Prisma.sql`CASE WHEN a.issued_on = ${dayOf(now)}::date THEN a.issued_count ELSE 0 END`

/**
 * `token`: what the token took before, locked. Under a pre-authorized code each configuration is taken once; under an
 * authorization again and again (OpenID4VCI 1.0 §14.3), within its bound for a day and over all its tokens.
 */
function takeableUnder({ tokenHash, configurationId, authorizationId, instances, now }: Admission): Prisma.Sql {
  if (authorizationId === null) {
    return Prisma.sql`
      SELECT credential_id FROM issuance_tokens
      WHERE token_hash = ${tokenHash} AND expires_at > ${now} AND NOT (${configurationId} = ANY(taken)) FOR UPDATE`
  }
  return Prisma.sql`
    SELECT a.credential_id FROM authorizations a
    WHERE a.id = ${authorizationId} AND a.expires_at > ${now} AND ${givenToday(now)} + ${instances} <= ${INSTANCES_A_DAY}
      AND EXISTS (SELECT 1 FROM issuance_tokens WHERE token_hash = ${tokenHash} AND expires_at > ${now})
    FOR UPDATE`
}

/** `spent`: the credential in `target` as what the token, and its authorization, took. */
export function spent({ tokenHash, configurationId, authorizationId, instances, now }: Admission): Prisma.Sql {
  const token = Prisma.sql`
    spent AS (
      UPDATE issuance_tokens SET credential_id = target.id, taken = array_append(taken, ${configurationId})
      FROM target WHERE token_hash = ${tokenHash})`
  if (authorizationId === null) return token
  return Prisma.sql`
    ${token},
    counted_instances AS (
      UPDATE authorizations a SET credential_id = target.id, issued_on = ${dayOf(now)}::date,
        issued_count = ${givenToday(now)} + ${instances}
      FROM target WHERE a.id = ${authorizationId})`
}

/** The first issuance under a token is a redemption; a later one belongs to its credential, which must still be good. */
function admitted({ earlierId, offeringId, now }: Admission): Prisma.Sql {
  const fresh = Prisma.sql`SELECT 1 FROM fresh`
  if (earlierId === null) return countRedemption(offeringId, now, fresh)
  return Prisma.sql`
    admitted AS (
      SELECT id FROM credentials WHERE id = ${earlierId} AND revoked_at IS NULL AND EXISTS (${fresh}) FOR NO KEY UPDATE)`
}

/**
 * Admits a wallet to an issuance, as common table expressions: `admitted` has one row where it is. Then the nonces are used
 * up and the redemption is counted, where it is the token's first; nothing is put on record. Where it is not, nonces that
 * were fresh are used up all the same.
 *
 * The lock on the token's row serialises requests under one token. A request that waited for it cannot see the rows of
 * the other one, and is `overtaken`.
 */
export function admission(request: Admission): Prisma.Sql {
  const { nonceHashes } = request
  return Prisma.sql`
    token AS (${takeableUnder(request)}),
    ${openSession(request.offeringId, request.hasSession)},
    current AS (
      SELECT session.id FROM token, session WHERE token.credential_id IS NOT DISTINCT FROM ${request.earlierId}::text),
    nonces AS (
      INSERT INTO used_nonces (hash, expires_at)
      SELECT hash, ${request.nonceExpiresAt} FROM current, unnest(${[...nonceHashes].sort()}::text[]) AS n(hash)
      ON CONFLICT DO NOTHING RETURNING hash),
    fresh AS (SELECT id FROM current WHERE (SELECT count(*) FROM nonces) = ${nonceHashes.length}),
    ${admitted(request)}`
}

/** What a row says of an admission: each condition, in the order in which they are looked at. */
export const zAdmission = z.strictObject({
  takeable: z.boolean(),
  earlierId: z.string().nullable(),
  open: z.boolean(),
  nonces: z.int(),
  admitted: z.boolean(),
})

export type AdmissionRow = z.output<typeof zAdmission>

/** The columns of a statement that holds an `admission`. */
export const admissionColumns = Prisma.sql`
  EXISTS (SELECT 1 FROM token) AS takeable, (SELECT credential_id FROM token) AS "earlierId",
  EXISTS (SELECT 1 FROM session) AS open, (SELECT count(*) FROM nonces)::int AS nonces,
  EXISTS (SELECT 1 FROM admitted) AS admitted`

/** Why an admission was refused; undefined where it was not. */
export function refusalOf(row: AdmissionRow | undefined, request: Admission): Refusal | undefined {
  if (row?.admitted === true) return undefined
  if (row?.takeable !== true) return { kind: 'already-taken' }
  if (row.earlierId !== null && row.earlierId !== request.earlierId)
    return { kind: 'overtaken', credentialId: row.earlierId }
  if (row.open && row.nonces < request.nonceHashes.length) return { kind: 'nonce-used' }
  return { kind: 'refused' }
}
