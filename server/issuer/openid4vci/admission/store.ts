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
  readonly nonceHashes: readonly string[]
  readonly nonceExpiresAt: Date
  readonly now: Date
}

/** Why nobody was admitted. `overtaken`: another request under the token was first, and `credentialId` is what it took. */
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
 * The lock on the token's row puts requests under one token in a row. One that waited for it cannot see what the other put
 * on record, and is `overtaken`.
 */
export function admission(request: Admission): Prisma.Sql {
  const { tokenHash, configurationId, nonceHashes, now } = request
  return Prisma.sql`
    token AS (
      SELECT credential_id FROM issuance_tokens
      WHERE token_hash = ${tokenHash} AND expires_at > ${now} AND NOT (${configurationId} = ANY(taken)) FOR UPDATE),
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
export interface AdmissionRow {
  readonly takeable: boolean
  readonly earlierId: string | null
  readonly open: boolean
  readonly nonces: number
  readonly admitted: boolean
}

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
