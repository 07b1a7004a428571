import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { fragment, Step } from '../../../database/fragment.js'
import { idRow, json, storedClaims } from '../../../database/row-shapes.js'
import type { ClaimsVault, ProtectedClaims } from '../../../keys/claims/vault.js'
import { protectedNames, type StoredNames } from '../../../names/names-store.js'
import type { NewPage } from '../../../pages/store.js'
import { insertedColumns, protectedSubject } from '../../offerings/insert.js'
import { OFFER_PROFILES } from '../../openid4vci/offer-profile.js'
import { protectedSealed, revealedSealed } from '../../openid4vci/sessions/confidential.js'
import { sessionView } from '../../openid4vci/sessions/session.js'
import type { NewSession, NewSessionOffering } from '../../openid4vci/sessions/store.js'
import type { TxCodeDescription } from '../../openid4vci/tx-code.js'
import { MAX_OFFERS } from './batch.contract.js'

const zKnownOffer = z.strictObject({
  storedKey: z.string(),
  requestHash: z.string(),
  id: z.string(),
  profile: z.enum(OFFER_PROFILES),
  walletUrl: z.string().nullable(),
  txCode: json<TxCodeDescription>().nullable(),
  pageId: z.string().nullable(),
  linkNumber: z.int(),
  batchId: z.string().nullable(),
  confidential: storedClaims,
  confidentialKey: z.string().nullable(),
})

const zBatchFacts = z.strictObject({ createdBy: z.string(), cancelled: z.boolean() })

const zClearKey = z.strictObject({ createdBy: z.string(), key: z.string() })

/** A key that a version before 0.2.0 stored in the clear. */
export type ClearKey = z.infer<typeof zClearKey>

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

/** The batch of new offers. */
export interface BatchOfOffers {
  readonly id: string
  readonly name: string | undefined
  readonly createdBy: string
  readonly createdAt: Date
}

/** An offer with its caller's key for it. */
export interface KeyedOffer extends WholeOffer {
  readonly key: string
  /** The keyed hash of the key. */
  readonly storedKey: string
  readonly requestHash: string
}

const rowOf = (
  { storedKey, requestHash, offering, session, page }: KeyedOffer,
  subject: ProtectedClaims,
  confidential: ProtectedClaims | undefined,
  names: StoredNames,
  row: number,
) => ({
  ...offering,
  row,
  key: storedKey,
  requestHash,
  credentialSubject: undefined,
  subject: subject.json,
  createdBy: session.createdBy,
  txCode: session.txCode,
  txCodeHash: session.txCodeHash,
  confidential: confidential?.json ?? null,
  names: names.json,
  referenceHash: names.referenceHash,
  labelHashes: names.labelHashes,
  firstView: sessionView(session),
  pageId: page?.id ?? null,
  pageExpiresAt: page?.expiresAt ?? null,
})

export type OfferBatchStore = ReturnType<typeof createOfferBatchStore>

export function createOfferBatchStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /** The offers of a caller's stored keys. Keys without an offer are left out. */
    async known(createdBy: string, storedKeys: readonly string[]): Promise<KnownOffer[]> {
      const rows = await sql(zKnownOffer)`
        SELECT k.key AS "storedKey", k.request_hash AS "requestHash", x.id, o.profile, x.wallet_url AS "walletUrl", x.tx_code AS "txCode", p.id AS "pageId",
          x.link_number AS "linkNumber", o.batch_id AS "batchId", x.confidential, ${claims.keyOf('credential_offer_sessions.confidential', fragment`x.id`)} AS "confidentialKey"
        FROM credential_offer_keys k
        JOIN credential_offer_sessions x ON x.id = k.session_id
        JOIN offerings o ON o.id = x.id
        LEFT JOIN pages p ON p.offering_id = x.id AND p.made_by = x.created_by
        WHERE k.created_by = ${createdBy} AND k.key = ANY(${[...storedKeys]}::text[])`
      return rows.map(({ confidential, confidentialKey, ...row }) => ({
        ...row,
        sealed: revealedSealed(claims, row.id, confidential, confidentialKey),
      }))
    },

    /**
     * Stores all offers with their batch, audit rows and pages in one statement. The first offers make the batch, and later offers
     * join it. Keys are inserted in sorted order, so two batches with the same keys cannot block each other.
     *
     * @returns false if the batch belongs to another caller, was cancelled, or has too many offers; then nothing was written
     * @throws if another request has stored an offer for one of the keys; then nothing was written
     */
    async insert(offers: readonly KeyedOffer[], batch: BatchOfOffers): Promise<boolean> {
      const whole = offers.map((offer) => ({
        offer,
        subject: protectedSubject(claims, offer.offering),
        confidential: protectedSealed(claims, offer.session.id, offer.session.sealed),
        names: protectedNames(claims, { column: 'offerings.names', id: offer.offering.id }, offer.offering.names, {
          key: offer.key,
        }),
      }))
      const rows = whole.map(({ offer, subject, confidential, names }, row) =>
        rowOf(offer, subject, confidential, names, row + 1),
      )
      const joined = new Step<'id' | 'before'>(
        'batch',
        fragment`
          INSERT INTO offer_batches AS b (id, created_by, name, size, created_at)
          VALUES (${batch.id}, ${batch.createdBy}, ${batch.name ?? null}, ${offers.length}::int, ${batch.createdAt})
          ON CONFLICT (id) DO UPDATE SET size = b.size + EXCLUDED.size
          WHERE b.created_by = EXCLUDED.created_by AND b.cancelled_at IS NULL AND b.size + EXCLUDED.size <= ${MAX_OFFERS}::int
          RETURNING b.id, b.size - ${offers.length}::int AS before`,
      )
      const given = new Step<'id' | 'createdBy'>(
        'given',
        fragment`
          SELECT g.*, ${joined.column('id')} AS "batchId", ${joined.column('before')} + g."row" AS "batchRow"
          FROM ${joined}, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS g(
            "row" int, "id" text, "schemaId" text, "issuerId" text, "subject" text, "recipient" text, "redemptionLimit" int, "expiresAt" timestamptz,
            "configurationIds" text[], "grant" text, "forSubject" text, "deferred" boolean, "profile" text, "createdAt" timestamptz,
            "key" text, "requestHash" text, "createdBy" text, "txCode" jsonb, "txCodeHash" text, "confidential" text, "walletUrl" text, "firstView" jsonb,
            "pageId" text, "pageExpiresAt" timestamptz, "claimsDueAt" timestamptz,
            "names" text, "referenceHash" text, "labelHashes" text[], "claimsAtIssuance" boolean,
            "expiresInDays" int, "validFrom" timestamptz)`,
      )
      const also = [
        ...claims.storeKeys(
          whole.flatMap(({ subject, confidential, names }) => [
            subject,
            ...names.sealed,
            ...(confidential === undefined ? [] : [confidential]),
          ]),
          given,
        ),
        new Step(
          'offering',
          fragment`
            INSERT INTO offerings (${insertedColumns}, batch_id, batch_row)
            SELECT "id", "schemaId", "issuerId", "subject"::json, "recipient", "redemptionLimit", "expiresAt", "createdAt",
              "configurationIds", true, "grant", "forSubject", "deferred", "profile", false, "claimsDueAt",
              "names"::json, "referenceHash", "labelHashes", "claimsAtIssuance", "expiresInDays", "validFrom", "batchId", "batchRow"
            FROM ${given}`,
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
      const stored = await sql(idRow, also)`SELECT ${joined.column('id')} FROM ${joined}`
      return stored.length > 0
    },

    /** Keys in the clear, at most `limit`. Versions before 0.2.0 stored them. */
    clearKeys: (limit: number): Promise<ClearKey[]> =>
      sql(zClearKey)`
        SELECT created_by AS "createdBy", key FROM credential_offer_keys WHERE NOT hashed ORDER BY created_by, key LIMIT ${limit}`,

    /**
     * Replaces keys in the clear by their hashes. A row that another process has locked stays as it is, and so does a row whose hash
     * another row has.
     *
     * @returns the number of replaced keys
     */
    async hashKeys(keys: readonly (ClearKey & { readonly hash: string })[]): Promise<number> {
      if (keys.length === 0) return 0
      const rows = await sql(idRow)`
        UPDATE credential_offer_keys k SET key = n.hash, hashed = true
        FROM (
          SELECT n.* FROM unnest(${keys.map((each) => each.createdBy)}::text[], ${keys.map((each) => each.key)}::text[],
            ${keys.map((each) => each.hash)}::text[]) AS n(created_by, key, hash)
          JOIN credential_offer_keys l ON l.created_by = n.created_by AND l.key = n.key AND NOT l.hashed
          WHERE NOT EXISTS (SELECT 1 FROM credential_offer_keys o WHERE o.created_by = n.created_by AND o.key = n.hash)
          FOR UPDATE OF l SKIP LOCKED) n
        WHERE k.created_by = n.created_by AND k.key = n.key RETURNING k.session_id AS id`
      return rows.length
    },

    /** Whether a batch belongs to a caller, and whether it was cancelled; undefined for an unknown batch. */
    async batchOf(id: string): Promise<z.infer<typeof zBatchFacts> | undefined> {
      const [row] = await sql(zBatchFacts)`
        SELECT created_by AS "createdBy", cancelled_at IS NOT NULL AS cancelled FROM offer_batches WHERE id = ${id}`
      return row
    },
  }
}
