import type { Database } from '../../database/connect.js'
import { Prisma } from '../../generated/prisma/client.js'
import { contextColumns, currentKey, type IssuanceContext, type NewInstance } from '../issuance/store.js'
import type { CredentialOfferSession } from './sessions/session.js'
import { movedSession, type StoredSession, sessionColumn, type WithRawSession, withDates } from './sessions/store.js'
import { TX_CODE_ATTEMPTS } from './tx-code.js'

/** An offering as a wallet meets it, with its session where it has one. */
export interface WalletOffering {
  readonly offeringId: string
  readonly schemaName: string
  /** Empty: every configuration of the schema. */
  readonly offered: readonly string[]
  readonly recipient: string | null
  readonly redemptionLimit: number | null
  readonly redemptionCount: number
  readonly expiresAt: Date | null
  readonly session: StoredSession | null
}

/** An access token with all that issuing under it needs. */
export interface TokenContext extends IssuanceContext, WalletOffering {
  readonly tokenHash: string
  readonly tokenExpiresAt: Date
  /** Configurations that authorization_details named; empty where none were. */
  readonly granted: readonly string[]
  readonly taken: readonly string[]
  readonly credentialId: string | null
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether what was taken under this token is on record and not revoked; null before anything was. */
  readonly credentialGood: boolean | null
}

export interface NewToken {
  readonly tokenHash: string
  readonly jti: string
  readonly offeringId: string
  readonly configurationIds: readonly string[]
  readonly expiresAt: Date
}

/** What became of a token request: `used`: its code was used before; `closed`: the offering admits nobody any more. */
export type TokenOutcome = 'stored' | 'used' | 'closed'

export interface NewIssuance {
  readonly tokenHash: string
  readonly offeringId: string
  readonly configurationId: string
  /** The credential that was taken under this token before, as far as is known; null for its first issuance. */
  readonly earlierId: string | null
  /** Ids that are used where this is the token's first issuance. */
  readonly credentialId: string
  readonly redemptionId: string
  readonly schemaId: string
  readonly issuerId: string
  readonly holderDid: string | null
  readonly vc: unknown
  /** Whether `vc` is that of a signed JWT VC, which an earlier one without a proof makes room for. */
  readonly vcIsSigned: boolean
  readonly nonceHashes: readonly string[]
  readonly nonceExpiresAt: Date
  readonly instances: readonly NewInstance[]
  readonly now: Date
  /** The offering's session, moved to CredentialIssued; null where it has none. */
  readonly session: CredentialOfferSession | null
}

/**
 * What became of an issuance. All but `issued` left nothing behind, nonces apart. `overtaken`: another request under the
 * same token was first, and `earlierId` is what it took.
 */
export type IssuanceOutcome =
  | { readonly kind: 'issued' | 'overtaken'; readonly credentialId: string }
  | { readonly kind: 'nonce-used' | 'already-taken' | 'refused' }

const offeringColumns = Prisma.sql`
  o.id AS "offeringId", s.name AS "schemaName", o.configuration_ids AS offered, o.recipient,
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt", ${sessionColumn}`

/**
 * A common table expression `session`: the session of an offering, locked, where it is not in Error. An offering without a
 * session has one row.
 */
function openSession(offeringId: string, session: CredentialOfferSession | null): Prisma.Sql {
  if (session === null) return Prisma.sql`session AS (SELECT ${offeringId}::text AS id)`
  return Prisma.sql`
    session AS (
      SELECT id FROM credential_offer_sessions
      WHERE id = ${offeringId} AND state <> 'Error' AND tx_code_attempts < ${TX_CODE_ATTEMPTS}::int FOR UPDATE)`
}

/**
 * `target`: the credential record that an issuance belongs to, where `fresh` has a row: a new one with its redemption, or
 * the token's earlier one.
 */
function targetRecord(issuance: NewIssuance): Prisma.Sql {
  const { now, offeringId } = issuance
  const vc = JSON.stringify(issuance.vc)
  if (issuance.earlierId !== null) {
    return Prisma.sql`
      target AS (
        UPDATE credentials c SET vc = CASE WHEN ${issuance.vcIsSigned} AND c.vc -> 'proof' IS NULL THEN ${vc}::json ELSE c.vc END
        WHERE c.id = ${issuance.earlierId} AND c.revoked_at IS NULL AND EXISTS (SELECT 1 FROM fresh) RETURNING c.id)`
  }
  return Prisma.sql`
    counted AS (
      UPDATE offerings SET redemption_count = redemption_count + 1
      WHERE id = ${offeringId} AND redemption_count < redemption_limit AND (expires_at IS NULL OR expires_at > ${now})
        AND EXISTS (SELECT 1 FROM fresh)
      RETURNING id),
    admitted AS (
      SELECT id FROM counted
      UNION ALL
      SELECT id FROM offerings
      WHERE id = ${offeringId} AND redemption_limit IS NULL AND (expires_at IS NULL OR expires_at > ${now})
        AND EXISTS (SELECT 1 FROM fresh)),
    target AS (
      INSERT INTO credentials (id, schema_id, issuer_id, owner, holder_did, vc, created_at)
      SELECT ${issuance.credentialId}, ${issuance.schemaId}, ${issuance.issuerId}, NULL, ${issuance.holderDid}, ${vc}::json, ${now}
      FROM admitted RETURNING id),
    redeemed AS (
      INSERT INTO redemptions (id, offering_id, credential_id, recipient_did, redeemed_by, redeemed_at)
      SELECT ${issuance.redemptionId}, ${offeringId}, target.id, ${issuance.holderDid}, NULL, ${now} FROM target)`
}

/** What a row of an issuance says: each condition, in the order in which they are looked at. */
interface IssuanceRow {
  readonly admitted: boolean
  readonly earlierId: string | null
  readonly open: boolean
  readonly nonces: number
  readonly issued: boolean
}

function outcomeOf(row: IssuanceRow | undefined, issuance: NewIssuance): IssuanceOutcome {
  if (row?.issued === true) return { kind: 'issued', credentialId: issuance.earlierId ?? issuance.credentialId }
  if (row?.admitted !== true) return { kind: 'already-taken' }
  if (row.earlierId !== null && row.earlierId !== issuance.earlierId)
    return { kind: 'overtaken', credentialId: row.earlierId }
  if (row.open && row.nonces < issuance.nonceHashes.length) return { kind: 'nonce-used' }
  return { kind: 'refused' }
}

export type Openid4vciStore = ReturnType<typeof createOpenid4vciStore>

export function createOpenid4vciStore({ sql }: Database) {
  return {
    async offering(id: string): Promise<WalletOffering | undefined> {
      const [row] = await sql<WithRawSession<WalletOffering>>`
        SELECT ${offeringColumns}
        FROM offerings o JOIN schemas s ON s.id = o.schema_id LEFT JOIN credential_offer_sessions x ON x.id = o.id
        WHERE o.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : withDates(row)
    },

    /**
     * Stores an access token and uses its code up: of two uses of one code the second meets the unique `jti`. The
     * offering's session moves with it.
     */
    async insertToken(token: NewToken, session: CredentialOfferSession | null, now: Date): Promise<TokenOutcome> {
      const [row] = await sql<{ stored: boolean; open: boolean }>`
        WITH ${openSession(token.offeringId, session)},
        open AS (
          SELECT o.id FROM offerings o JOIN session ON session.id = o.id
          WHERE (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit)
            AND (o.expires_at IS NULL OR o.expires_at > ${now})),
        token AS (
          INSERT INTO issuance_tokens (token_hash, jti, offering_id, configuration_ids, expires_at)
          SELECT ${token.tokenHash}, ${token.jti}, open.id, ${[...token.configurationIds]}::text[], ${token.expiresAt} FROM open
          ON CONFLICT (jti) DO NOTHING RETURNING offering_id),
        ${movedSession(session, now, Prisma.sql`SELECT 1 FROM token`)}
        SELECT EXISTS (SELECT 1 FROM token) AS stored, EXISTS (SELECT 1 FROM open) AS open`
      if (row?.stored === true) return 'stored'
      return row?.open === true ? 'used' : 'closed'
    },

    async token(tokenHash: string): Promise<TokenContext | undefined> {
      const [row] = await sql<WithRawSession<TokenContext>>`
        SELECT ${contextColumns}, ${offeringColumns}, o.credential_subject AS "credentialSubject", t.token_hash AS "tokenHash",
          t.expires_at AS "tokenExpiresAt", t.configuration_ids AS granted, t.taken, t.credential_id AS "credentialId",
          CASE WHEN t.credential_id IS NULL THEN NULL ELSE c.id IS NOT NULL AND c.revoked_at IS NULL END AS "credentialGood"
        FROM issuance_tokens t
        JOIN offerings o ON o.id = t.offering_id
        JOIN schemas s ON s.id = o.schema_id
        JOIN issuers i ON i.id = o.issuer_id
        ${currentKey}
        LEFT JOIN credential_offer_sessions x ON x.id = o.id
        LEFT JOIN credentials c ON c.id = t.credential_id
        WHERE t.token_hash = ${tokenHash}`
      return row === undefined ? undefined : withDates(row)
    },

    /**
     * Records what a wallet takes under its token: uses the nonces up, counts the redemption where it is the token's
     * first, records credential and instances, marks the configuration as taken, moves the session and writes the audit
     * row, all in one statement. The lock on the token's row puts requests under one token in a row; one that waited
     * for it cannot see what the other recorded, and comes back as `overtaken`.
     */
    async issue(issuance: NewIssuance): Promise<IssuanceOutcome> {
      const { now, nonceHashes, tokenHash, configurationId } = issuance
      const instances = JSON.stringify(
        issuance.instances.map(({ listId, index, format, ...of }) => [listId, index, of.configurationId, format]),
      )
      const [row] = await sql<IssuanceRow>`
        WITH token AS (
          SELECT credential_id FROM issuance_tokens
          WHERE token_hash = ${tokenHash} AND expires_at > ${now} AND NOT (${configurationId} = ANY(taken)) FOR UPDATE),
        ${openSession(issuance.offeringId, issuance.session)},
        current AS (
          SELECT session.id FROM token, session WHERE token.credential_id IS NOT DISTINCT FROM ${issuance.earlierId}::text),
        nonces AS (
          INSERT INTO used_nonces (hash, expires_at)
          SELECT hash, ${issuance.nonceExpiresAt} FROM current, unnest(${[...nonceHashes].sort()}::text[]) AS n(hash)
          ON CONFLICT DO NOTHING RETURNING hash),
        fresh AS (SELECT id FROM current WHERE (SELECT count(*) FROM nonces) = ${nonceHashes.length}),
        ${targetRecord(issuance)},
        spent AS (
          UPDATE issuance_tokens SET credential_id = target.id, taken = array_append(taken, ${configurationId})
          FROM target WHERE token_hash = ${tokenHash}),
        instances AS (
          INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
          SELECT n.value->>0, (n.value->>1)::int, target.id, n.value->>2, n.value->>3
          FROM target, jsonb_array_elements(${instances}::jsonb) AS n(value)),
        audited AS (
          INSERT INTO audit_events (actor, action, subject, subject_id)
          SELECT NULL, 'credential.issued', 'credential', target.id FROM target),
        ${movedSession(issuance.session, now, Prisma.sql`SELECT 1 FROM target`)}
        SELECT EXISTS (SELECT 1 FROM token) AS admitted, (SELECT credential_id FROM token) AS "earlierId",
          EXISTS (SELECT 1 FROM session) AS open, (SELECT count(*) FROM nonces)::int AS nonces,
          EXISTS (SELECT 1 FROM target) AS issued`
      return outcomeOf(row, issuance)
    },

    /** Removes tokens that expired before a moment, and the codes that they stand for, at most `limit`. @returns how many. */
    async removeTokens(before: Date, limit: number): Promise<number> {
      const removed = await sql`
        DELETE FROM issuance_tokens WHERE token_hash IN (
          SELECT token_hash FROM issuance_tokens WHERE expires_at <= ${before}
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING token_hash`
      return removed.length
    },

    /** Removes used nonces that expired before a moment, at most `limit`. @returns how many. */
    async removeNonces(before: Date, limit: number): Promise<number> {
      const removed = await sql`
        DELETE FROM used_nonces WHERE hash IN (
          SELECT hash FROM used_nonces WHERE expires_at <= ${before}
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING hash`
      return removed.length
    },
  }
}
