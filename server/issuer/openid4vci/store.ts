import { recordAudit } from '../../audit/audit.js'
import { recordEvents } from '../../events/store.js'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.js'
import { contextColumns, currentKey, type IssuanceContext, type NewInstance } from '../issuance/store.js'
import type { NewOffering } from '../offerings/store.js'
import { type CredentialOfferSession, isFinal, sessionView, sourcesOf } from './session.js'
import { TX_CODE_ATTEMPTS, type TxCodeDescription } from './tx-code.js'

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

export interface StoredSession extends CredentialOfferSession {
  readonly txCode: TxCodeDescription | null
  readonly txCodeHash: string | null
  readonly txCodeAttempts: number
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

export interface NewIssuance {
  readonly tokenHash: string
  readonly offeringId: string
  readonly configurationId: string
  /** Ids that are used where this is the token's first issuance. */
  readonly credentialId: string
  readonly redemptionId: string
  readonly schemaId: string
  readonly issuerId: string
  readonly holderDid: string
  readonly vc: unknown
  /** Whether `vc` is that of a signed JWT VC, which an earlier one without a proof makes room for. */
  readonly vcIsSigned: boolean
  readonly nonceHashes: readonly string[]
  readonly nonceExpiresAt: Date
  readonly instances: readonly NewInstance[]
  readonly now: Date
  /** The offering's session, moved to CredentialIssued. */
  readonly session: CredentialOfferSession | null
}

/** Which condition of an issuance did not hold; nothing was issued then. */
export type IssuanceOutcome = 'issued' | 'nonce-used' | 'already-taken' | 'refused'

interface RawSession extends Omit<StoredSession, 'createdAt' | 'expiresAt'> {
  readonly createdAt: string
  readonly expiresAt: string
}

/** A session as JSON, so that one row can hold offering and session alike. */
const sessionColumn = Prisma.sql`
  CASE WHEN x.id IS NULL THEN NULL ELSE jsonb_build_object(
    'id', x.id, 'createdBy', x.created_by, 'state', x.state, 'seq', x.seq, 'errorMessage', x.error_message,
    'txCode', x.tx_code, 'txCodeHash', x.tx_code_hash, 'txCodeAttempts', x.tx_code_attempts,
    'configurationIds', o.configuration_ids, 'issuerId', o.issuer_id, 'expiresAt', x.expires_at, 'createdAt', x.created_at) END AS session`

const offeringColumns = Prisma.sql`
  o.id AS "offeringId", s.name AS "schemaName", o.configuration_ids AS offered, o.recipient,
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt", ${sessionColumn}`

function withDates<Row extends { readonly session: RawSession | null }>(
  row: Row,
): Omit<Row, 'session'> & { session: StoredSession | null } {
  const { session } = row
  if (session === null) return { ...row, session }
  return {
    ...row,
    session: { ...session, createdAt: new Date(session.createdAt), expiresAt: new Date(session.expiresAt) },
  }
}

/** A session's transition and its event, as common table expressions; `from` is one with the session's `id`. */
function movedSession(session: CredentialOfferSession | null, now: Date, from: Prisma.Sql): Prisma.Sql {
  if (session === null) return Prisma.sql`moved AS (SELECT NULL::text AS id, 0 AS seq WHERE false)`
  return Prisma.sql`
    moved AS (
      UPDATE credential_offer_sessions SET state = ${session.state}, seq = seq + 1, error_message = ${session.errorMessage},
        ended_at = ${isFinal(session.state) ? now : null}
      WHERE id = ${session.id} AND state = ANY(${[...sourcesOf(session.state)]}::text[]) AND EXISTS (${from})
      RETURNING id, seq),
    ${sessionEvent(session, Prisma.sql`moved`, now)}`
}

function sessionEvent(session: CredentialOfferSession, from: Prisma.Sql, now: Date): Prisma.Sql {
  const data = JSON.stringify(sessionView(session))
  return recordEvents('credential-offer-session', Prisma.sql`SELECT id, seq, ${data}::jsonb AS data FROM ${from}`, now)
}

export type IssuingStore = ReturnType<typeof createIssuingStore>

export function createIssuingStore(prisma: PrismaClient) {
  const offeringWhere = async (where: Prisma.Sql): Promise<WalletOffering | undefined> => {
    const [row] = await prisma.$queryRaw<(Omit<WalletOffering, 'session'> & { session: RawSession | null })[]>`
      SELECT ${offeringColumns}
      FROM offerings o JOIN schemas s ON s.id = o.schema_id LEFT JOIN credential_offer_sessions x ON x.id = o.id
      WHERE ${where} AND o.is_session = (x.id IS NOT NULL)`
    return row === undefined ? undefined : withDates(row)
  }

  return {
    offering: (id: string): Promise<WalletOffering | undefined> => offeringWhere(Prisma.sql`o.id = ${id}`),

    async session(id: string, createdBy: string): Promise<StoredSession | undefined> {
      const found = await offeringWhere(Prisma.sql`o.id = ${id} AND x.created_by = ${createdBy}`)
      return found?.session ?? undefined
    },

    /** A credential offer with its session and its first event. */
    async insertSession(
      offering: NewOffering & { readonly configurationIds: readonly string[]; readonly expiresAt: Date },
      session: StoredSession,
    ): Promise<void> {
      await prisma.$transaction(async (tx) => {
        await tx.offering.create({
          data: {
            ...offering,
            isSession: true,
            configurationIds: [...offering.configurationIds],
            credentialSubject: offering.credentialSubject as Prisma.InputJsonObject,
          },
        })
        const { id, createdBy, txCode, txCodeHash, createdAt, expiresAt } = session
        await tx.credentialOfferSession.create({
          data: {
            id,
            createdBy,
            txCode: txCode === null ? Prisma.DbNull : { ...txCode },
            txCodeHash,
            createdAt,
            expiresAt,
          },
        })
        await tx.$queryRaw`
          WITH made AS (SELECT ${id}::text AS id, ${session.seq}::int AS seq),
          ${sessionEvent(session, Prisma.sql`made`, createdAt)}
          SELECT 1 AS done`
        await recordAudit(tx, { actor: createdBy, action: 'offering.created', subject: 'offering', subjectId: id })
      })
    },

    /** Moves a session on, where it may still move there; one statement, its event with it. */
    async move(session: CredentialOfferSession, now: Date): Promise<boolean> {
      const rows = await prisma.$queryRaw<{ id: string }[]>`
        WITH ${movedSession(session, now, Prisma.sql`SELECT 1`)}
        SELECT id FROM moved`
      return rows.length > 0
    },

    /**
     * Takes one of a session's attempts at its transaction code, before the code is compared: so any number of guesses at
     * once are no more than five.
     *
     * @returns how many are left after this one; undefined where none was.
     */
    async takeTxCodeAttempt(id: string): Promise<number | undefined> {
      const [row] = await prisma.$queryRaw<{ left: number }[]>`
        UPDATE credential_offer_sessions SET tx_code_attempts = tx_code_attempts + 1
        WHERE id = ${id} AND tx_code_attempts < ${TX_CODE_ATTEMPTS}
        RETURNING ${TX_CODE_ATTEMPTS}::int - tx_code_attempts AS left`
      return row?.left
    },

    /**
     * Stores an access token and uses its code up: of two uses of one code the second meets the unique `jti`. The
     * offering's session moves with it.
     *
     * @returns false where the code was used, or the offering was used up or expired meanwhile.
     */
    async insertToken(token: NewToken, session: CredentialOfferSession | null, now: Date): Promise<boolean> {
      const rows = await prisma.$queryRaw<{ offering_id: string }[]>`
        WITH token AS (
          INSERT INTO issuance_tokens (token_hash, jti, offering_id, configuration_ids, expires_at)
          SELECT ${token.tokenHash}, ${token.jti}, o.id, ${[...token.configurationIds]}::text[], ${token.expiresAt}
          FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
          WHERE o.id = ${token.offeringId}
            AND (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit)
            AND (o.expires_at IS NULL OR o.expires_at > ${now}) AND (x.id IS NULL OR x.state <> 'Error')
          ON CONFLICT (jti) DO NOTHING RETURNING offering_id),
        ${movedSession(session, now, Prisma.sql`SELECT 1 FROM token`)}
        SELECT offering_id FROM token`
      return rows.length > 0
    },

    async token(tokenHash: string): Promise<TokenContext | undefined> {
      const [row] = await prisma.$queryRaw<(Omit<TokenContext, 'session'> & { session: RawSession | null })[]>`
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
     * Records what a wallet takes under its token: uses the nonces up, marks the configuration as taken, counts the
     * redemption where it is the token's first, records credential and instances, moves the session and writes the
     * audit row, all in one statement. The token's row lock puts requests under one token in a row.
     *
     * A token whose first issuance the offering refuses is spent: its offering can never admit it again.
     */
    async issue(issuance: NewIssuance): Promise<IssuanceOutcome> {
      const { now, nonceHashes } = issuance
      const instances = JSON.stringify(
        issuance.instances.map(({ listId, index, configurationId, format }) => [
          listId,
          index,
          configurationId,
          format,
        ]),
      )
      const vc = JSON.stringify(issuance.vc)
      const [row] = await prisma.$queryRaw<{ nonces: number; used: boolean; issued: boolean }[]>`
        WITH nonces AS (
          INSERT INTO used_nonces (hash, expires_at)
          SELECT hash, ${issuance.nonceExpiresAt} FROM unnest(${[...nonceHashes]}::text[]) AS n(hash)
          ON CONFLICT DO NOTHING RETURNING hash),
        token AS (
          UPDATE issuance_tokens
          SET credential_id = COALESCE(credential_id, ${issuance.credentialId}), taken = array_append(taken, ${issuance.configurationId})
          WHERE token_hash = ${issuance.tokenHash} AND expires_at > ${now} AND NOT (${issuance.configurationId} = ANY(taken))
            AND (SELECT count(*) FROM nonces) = ${nonceHashes.length}
          RETURNING credential_id, credential_id = ${issuance.credentialId} AS first),
        counted AS (
          UPDATE offerings SET redemption_count = redemption_count + 1
          WHERE id = ${issuance.offeringId} AND redemption_count < redemption_limit AND (expires_at IS NULL OR expires_at > ${now})
            AND EXISTS (SELECT 1 FROM token WHERE first)
          RETURNING id),
        admitted AS (
          SELECT id FROM counted
          UNION ALL
          SELECT id FROM offerings
          WHERE id = ${issuance.offeringId} AND redemption_limit IS NULL AND (expires_at IS NULL OR expires_at > ${now})
            AND EXISTS (SELECT 1 FROM token WHERE first)),
        recorded AS (
          INSERT INTO credentials (id, schema_id, issuer_id, owner, holder_did, vc, created_at)
          SELECT ${issuance.credentialId}, ${issuance.schemaId}, ${issuance.issuerId}, NULL, ${issuance.holderDid}, ${vc}::jsonb, ${now}
          FROM admitted RETURNING id),
        extended AS (
          UPDATE credentials c SET vc = CASE WHEN ${issuance.vcIsSigned} AND NOT c.vc ? 'proof' THEN ${vc}::jsonb ELSE c.vc END
          FROM token WHERE NOT token.first AND c.id = token.credential_id AND c.revoked_at IS NULL RETURNING c.id),
        target AS (SELECT id FROM recorded UNION ALL SELECT id FROM extended),
        instances AS (
          INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
          SELECT n.value->>0, (n.value->>1)::int, target.id, n.value->>2, n.value->>3
          FROM target, jsonb_array_elements(${instances}::jsonb) AS n(value)),
        redeemed AS (
          INSERT INTO redemptions (id, offering_id, credential_id, recipient_did, redeemed_by, redeemed_at)
          SELECT ${issuance.redemptionId}, ${issuance.offeringId}, recorded.id, ${issuance.holderDid}, NULL, ${now} FROM recorded),
        audited AS (
          INSERT INTO audit_events (actor, action, subject, subject_id)
          SELECT NULL, 'credential.issued', 'credential', target.id FROM target),
        ${movedSession(issuance.session, now, Prisma.sql`SELECT 1 FROM target`)}
        SELECT (SELECT count(*) FROM nonces)::int AS nonces, EXISTS (SELECT 1 FROM token) AS used, EXISTS (SELECT 1 FROM target) AS issued`
      if (row?.issued === true) return 'issued'
      if ((row?.nonces ?? 0) < nonceHashes.length) return 'nonce-used'
      return row?.used === true ? 'refused' : 'already-taken'
    },
  }
}
