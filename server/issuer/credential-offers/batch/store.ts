import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { fragment, Step } from '../../../database/fragment.js'
import { json, noRow, storedClaims } from '../../../database/row-shapes.js'
import type { ClaimsVault, ProtectedClaims } from '../../../keys/claims/vault.js'
import type { NewPage } from '../../../pages/store.js'
import { insertedColumns, protectedSubject } from '../../offerings/insert.js'
import { OFFER_PROFILES } from '../../openid4vci/offer-profile.js'
import { protectedSealed, revealedSealed } from '../../openid4vci/sessions/confidential.js'
import { sessionView } from '../../openid4vci/sessions/session.js'
import type { NewSession, NewSessionOffering } from '../../openid4vci/sessions/store.js'
import type { TxCodeDescription } from '../../openid4vci/tx-code.js'

const zKnownOffer = z.strictObject({
  key: z.string(),
  requestHash: z.string(),
  id: z.string(),
  profile: z.enum(OFFER_PROFILES),
  walletUrl: z.string().nullable(),
  txCode: json<TxCodeDescription>().nullable(),
  pageId: z.string().nullable(),
  linkNumber: z.int(),
  confidential: storedClaims,
  confidentialKey: z.string().nullable(),
})

/** An offer that a caller made before, with the hash of its request. */
export type KnownOffer = Omit<z.infer<typeof zKnownOffer>, 'confidential' | 'confidentialKey'> & {
  /** The sealed transaction code; undefined for an offer of an earlier version. */
  readonly sealed: string | undefined
}

/** All stored parts of a credential offer. */
export interface WholeOffer {
  readonly offering: NewSessionOffering
  readonly session: NewSession
  readonly page: NewPage | undefined
}

/** An offer with its caller's key for it. */
export interface KeyedOffer extends WholeOffer {
  readonly key: string
  readonly requestHash: string
}

const rowOf = (
  { key, requestHash, offering, session, page }: KeyedOffer,
  subject: ProtectedClaims,
  confidential: ProtectedClaims | undefined,
) => ({
  ...offering,
  key,
  requestHash,
  credentialSubject: undefined,
  subject: subject.json,
  createdBy: session.createdBy,
  txCode: session.txCode,
  txCodeHash: session.txCodeHash,
  confidential: confidential?.json ?? null,
  firstView: sessionView(session),
  pageId: page?.id ?? null,
  pageExpiresAt: page?.expiresAt ?? null,
})

export type OfferBatchStore = ReturnType<typeof createOfferBatchStore>

export function createOfferBatchStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /** The offers of a caller's keys. Keys without an offer are left out. */
    async known(createdBy: string, keys: readonly string[]): Promise<KnownOffer[]> {
      const rows = await sql(zKnownOffer)`
        SELECT k.key, k.request_hash AS "requestHash", x.id, o.profile, x.wallet_url AS "walletUrl", x.tx_code AS "txCode", p.id AS "pageId",
          x.link_number AS "linkNumber", x.confidential, ${claims.keyOf('credential_offer_sessions.confidential', fragment`x.id`)} AS "confidentialKey"
        FROM credential_offer_keys k
        JOIN credential_offer_sessions x ON x.id = k.session_id
        JOIN offerings o ON o.id = x.id
        LEFT JOIN pages p ON p.offering_id = x.id AND p.made_by = x.created_by
        WHERE k.created_by = ${createdBy} AND k.key = ANY(${[...keys]}::text[])`
      return rows.map(({ confidential, confidentialKey, ...row }) => ({
        ...row,
        sealed: revealedSealed(claims, row.id, confidential, confidentialKey),
      }))
    },

    /**
     * Stores all offers with their audit rows and pages in one statement. Keys are inserted in sorted order, so two batches
     * with the same keys cannot block each other.
     *
     * @throws if another request has stored an offer for one of the keys; then nothing was written
     */
    async insert(offers: readonly KeyedOffer[]): Promise<void> {
      const whole = offers.map((offer) => ({
        offer,
        subject: protectedSubject(claims, offer.offering),
        confidential: protectedSealed(claims, offer.session.id, offer.session.sealed),
      }))
      const rows = whole.map(({ offer, subject, confidential }) => rowOf(offer, subject, confidential))
      const given = new Step<'id' | 'createdBy'>(
        'given',
        fragment`
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS g(
            "id" text, "schemaId" text, "issuerId" text, "subject" text, "recipient" text, "redemptionLimit" int, "expiresAt" timestamptz,
            "configurationIds" text[], "grant" text, "forSubject" text, "deferred" boolean, "profile" text, "createdAt" timestamptz,
            "key" text, "requestHash" text, "createdBy" text, "txCode" jsonb, "txCodeHash" text, "confidential" text, "walletUrl" text, "firstView" jsonb,
            "pageId" text, "pageExpiresAt" timestamptz, "claimsDueAt" timestamptz)`,
      )
      const also = [
        ...claims.storeKeys(
          whole.flatMap(({ subject, confidential }) =>
            confidential === undefined ? [subject] : [subject, confidential],
          ),
          given,
        ),
        new Step(
          'offering',
          fragment`
            INSERT INTO offerings (${insertedColumns})
            SELECT "id", "schemaId", "issuerId", "subject"::json, "recipient", "redemptionLimit", "expiresAt", "createdAt",
              "configurationIds", true, "grant", "forSubject", "deferred", "profile", false, "claimsDueAt" FROM ${given}`,
        ),
        new Step(
          'session',
          fragment`
            INSERT INTO credential_offer_sessions (id, created_by, tx_code, tx_code_hash, confidential, wallet_url, created_at, expires_at, first_view)
            SELECT "id", "createdBy", NULLIF("txCode", 'null'::jsonb), "txCodeHash", "confidential"::json, "walletUrl", "createdAt", "expiresAt", "firstView"
            FROM ${given}`,
        ),
        new Step(
          'keyed',
          fragment`
            INSERT INTO credential_offer_keys (created_by, key, request_hash, session_id)
            SELECT "createdBy", "key", "requestHash", "id" FROM ${given} ORDER BY "key"`,
        ),
        new Step(
          'paged',
          fragment`
            INSERT INTO pages (id, kind, offering_id, made_by, type_names, in_qr_code, created_at, expires_at)
            SELECT "pageId", 'receive', "id", "createdBy", '{}', true, "createdAt", "pageExpiresAt" FROM ${given}
            WHERE "pageId" IS NOT NULL`,
        ),
        audited({ of: given, actor: given.column('createdBy'), action: 'offering.created', subject: 'offering' }),
      ]
      await sql(noRow, also)`SELECT FROM ${given} WHERE false`
    },
  }
}
