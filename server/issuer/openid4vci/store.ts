import type { Database } from '../../database/connect.js'
import { Prisma } from '../../generated/prisma/client.js'
import {
  auditTarget,
  contextColumns,
  currentKey,
  type IssuanceContext,
  insertCredential,
  insertInstances,
  type NewInstance,
} from '../issuance/store.js'
import { insertRedemption } from '../redemptions/store.js'
import {
  type Admission,
  type AdmissionRow,
  admission,
  admissionColumns,
  openSession,
  type Refusal,
  refusalOf,
} from './admission/store.js'
import type { CredentialOfferSession } from './sessions/session.js'
import { movedSession, type StoredSession, sessionColumn, type WithRawSession, withDates } from './sessions/store.js'
import { type UsedOnce, usedOnce } from './used-once/store.js'

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
  readonly detailed: readonly string[]
  /** Configurations that scope named; empty where none were. */
  readonly scoped: readonly string[]
  /** Thumbprint of the key that the token is bound to (RFC 9449 §6); null for a Bearer token. */
  readonly dpopJkt: string | null
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
  readonly detailed: readonly string[]
  readonly scoped: readonly string[]
  readonly dpopJkt: string | null
  readonly expiresAt: Date
}

/**
 * What became of a token request: `used`: its code was used before; `replayed`: its proof was; `closed`: the offering admits
 * nobody any more.
 */
export type TokenOutcome = 'stored' | 'used' | 'replayed' | 'closed'

/** What is put on record for an admission. */
export interface NewRecord {
  /** Ids that are used where this is the token's first issuance. */
  readonly credentialId: string
  readonly redemptionId: string
  readonly schemaId: string
  readonly issuerId: string
  readonly holderDid: string | null
  readonly vc: unknown
  /** Whether `vc` is that of a signed JWT VC, which an earlier one without a proof makes room for. */
  readonly vcIsSigned: boolean
  readonly instances: readonly NewInstance[]
  /** The offering's session, moved to CredentialIssued; null where it has none. */
  readonly session: CredentialOfferSession | null
}

/** What became of an issuance. All but `issued` left nothing behind, nonces apart. */
export type IssuanceOutcome = { readonly kind: 'issued'; readonly credentialId: string } | Refusal

const offeringColumns = Prisma.sql`
  o.id AS "offeringId", s.name AS "schemaName", o.configuration_ids AS offered, o.recipient,
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt", ${sessionColumn}`

/** `target`: the credential that what is taken belongs to, where `admitted` has a row: a new one, or the token's earlier one. */
function target(record: NewRecord, { earlierId, offeringId, now }: Admission): Prisma.Sql {
  const { credentialId: id, redemptionId, holderDid } = record
  if (earlierId === null) {
    const redemption = { id: redemptionId, offeringId, recipientDid: holderDid, redeemedBy: null }
    return Prisma.sql`
      ${insertCredential({ ...record, id, owner: null, createdAt: now })}, ${insertRedemption(redemption, now)}`
  }
  const vc = JSON.stringify(record.vc)
  return Prisma.sql`
    target AS (
      UPDATE credentials c SET vc = CASE WHEN ${record.vcIsSigned} AND c.vc -> 'proof' IS NULL THEN ${vc}::json ELSE c.vc END
      FROM admitted WHERE c.id = admitted.id RETURNING c.id)`
}

/**
 * Puts on record what was admitted, as common table expressions behind those of the admission: credential and instances,
 * the configuration as taken, the session's move and the audit row.
 */
function recording(record: NewRecord, admission: Admission): Prisma.Sql {
  const { tokenHash, configurationId, now } = admission
  return Prisma.sql`
    ${target(record, admission)},
    spent AS (
      UPDATE issuance_tokens SET credential_id = target.id, taken = array_append(taken, ${configurationId})
      FROM target WHERE token_hash = ${tokenHash}),
    ${insertInstances(record.instances)},
    ${auditTarget({ actor: null, action: 'credential.issued' })},
    ${movedSession(record.session, now, Prisma.sql`SELECT 1 FROM target`)}`
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
    async insertToken(
      token: NewToken,
      session: CredentialOfferSession | null,
      proofs: readonly UsedOnce[],
      now: Date,
    ): Promise<TokenOutcome> {
      const [row] = await sql<{ stored: boolean; open: boolean; fresh: boolean }>`
        WITH ${openSession(token.offeringId, session !== null)},
        open AS (
          SELECT o.id FROM offerings o JOIN session ON session.id = o.id
          WHERE (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit)
            AND (o.expires_at IS NULL OR o.expires_at > ${now})),
        ${usedOnce(proofs, Prisma.sql`SELECT 1 FROM open`)},
        token AS (
          INSERT INTO issuance_tokens (token_hash, jti, offering_id, configuration_ids, scope, dpop_jkt, expires_at)
          SELECT ${token.tokenHash}, ${token.jti}, open.id, ${[...token.detailed]}::text[], ${[...token.scoped]}::text[],
            ${token.dpopJkt}, ${token.expiresAt}
          FROM open WHERE (SELECT count(*) FROM once) = ${proofs.length}
          ON CONFLICT (jti) DO NOTHING RETURNING offering_id),
        ${movedSession(session, now, Prisma.sql`SELECT 1 FROM token`)}
        SELECT EXISTS (SELECT 1 FROM token) AS stored, EXISTS (SELECT 1 FROM open) AS open,
          (SELECT count(*) FROM once) = ${proofs.length} AS fresh`
      if (row?.stored === true) return 'stored'
      if (row?.open === true && !row.fresh) return 'replayed'
      return row?.open === true ? 'used' : 'closed'
    },

    /**
     * The token with what it is good for. A proof for it is used up in the same statement; `proven` says that it was made
     * with the token's key and was never used before.
     */
    async token(
      tokenHash: string,
      proof: (UsedOnce & { readonly jkt: string }) | undefined,
    ): Promise<(TokenContext & { readonly proven: boolean }) | undefined> {
      const bound = Prisma.sql`
        SELECT 1 FROM issuance_tokens WHERE token_hash = ${tokenHash} AND dpop_jkt = ${proof?.jkt ?? null}::text`
      const [row] = await sql<WithRawSession<TokenContext & { readonly proven: boolean }>>`
        ${proof === undefined ? Prisma.empty : Prisma.sql`WITH ${usedOnce([proof], bound)}`}
        SELECT ${proof === undefined ? Prisma.sql`false` : Prisma.sql`EXISTS (SELECT 1 FROM once)`} AS proven, ${contextColumns}, ${offeringColumns}, o.credential_subject AS "credentialSubject", t.token_hash AS "tokenHash",
          t.expires_at AS "tokenExpiresAt", t.configuration_ids AS detailed, t.scope AS scoped, t.dpop_jkt AS "dpopJkt", t.taken, t.credential_id AS "credentialId",
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

    /** Uses a nonce up before the issuance is admitted that it is for. @returns false where it was used already. */
    async useNonce(hash: string, expiresAt: Date): Promise<boolean> {
      const rows = await sql`
        INSERT INTO used_nonces (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING RETURNING hash`
      return rows.length > 0
    },

    /** Admits a wallet to an issuance and puts on record what it takes, in one statement: both happen, or neither. */
    async issue(request: Admission, record: NewRecord): Promise<IssuanceOutcome> {
      const [row] = await sql<AdmissionRow>`
        WITH ${admission(request)}, ${recording(record, request)}
        SELECT ${admissionColumns}`
      return refusalOf(row, request) ?? { kind: 'issued', credentialId: request.earlierId ?? record.credentialId }
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
