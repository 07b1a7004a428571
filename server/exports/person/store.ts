import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { emptyFragment, type Fragment, fragment } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'
import { json } from '../../database/row-shapes.js'
import { type StoredAttestation, watchedAttestations } from '../../issuer/credentials/history/store.js'
import { listedColumns, zListedRow } from '../../issuer/credentials/list/store.js'

/** Maximum number of a person's DIDs, and of the instances of one credential, in an export. */
export const MAX_DIDS = 1_000
const INSTANCES = 200

/** A person by their `sub`, if it is known, and their DIDs. */
export interface Person {
  readonly sub: string | null
  readonly dids: readonly string[]
}

const zDid = z.strictObject({ did: z.string() })

const zCredential = zListedRow.extend({
  redemptionId: z.string().nullable(),
  recipientDid: z.string().nullable(),
  redeemedBy: z.string().nullable(),
  redeemedAt: z.date().nullable(),
  claimsDueAt: z.date().nullable(),
  recordDueAt: z.date().nullable(),
  instances: json<Record<string, unknown>[]>(),
  attestations: json<StoredAttestation[]>().nullable(),
})

/** A credential of a person with its redemption, if any, and without its claims. */
export type PersonCredential = z.infer<typeof zCredential>

const zOffering = z.strictObject({
  id: z.string(),
  schemaName: z.string(),
  schemaVersion: z.number(),
  issuerId: z.string(),
  recipient: z.string().nullable(),
  forSubject: z.string().nullable(),
  redemptionLimit: z.int().nullable(),
  redemptionCount: z.int(),
  expiresAt: z.date().nullable(),
  claimsDueAt: z.date().nullable(),
  claimsErasedAt: z.date().nullable(),
  createdAt: z.date(),
  session: json().nullable(),
})

export type PersonOffering = z.infer<typeof zOffering>

const zAuthorization = z.strictObject({
  id: z.string(),
  clientId: z.string().nullable(),
  offeringId: z.string().nullable(),
  state: z.string(),
  userSub: z.string().nullable(),
  userDids: z.array(z.string()),
  /** As protected by the vault. */
  userClaims: z.string().nullable(),
  credentialId: z.string().nullable(),
  waitingFor: z.array(z.string()),
  createdAt: z.date(),
  expiresAt: z.date(),
})

const zResult = z.strictObject({ id: z.string(), verifierId: z.string(), createdAt: z.date(), endedAt: z.date() })

const zWallet = z.strictObject({ id: z.string(), method: z.string(), name: z.string().nullable(), createdAt: z.date() })

const zWalletDid = z.strictObject({
  id: z.string(),
  method: z.string(),
  purpose: z.string(),
  createdBy: z.string().nullable(),
  holderId: z.string().nullable(),
  createdAt: z.date(),
})

const zCopy = z.strictObject({
  id: z.string(),
  compact: z.string(),
  kid: z.string(),
  presentedAt: z.date().nullable(),
})

const zHeld = z.strictObject({
  id: z.string(),
  holderId: z.string(),
  format: z.string(),
  content: z.string(),
  createdAt: z.date(),
})

const zPresentation = zHeld.omit({ format: true })
const zPending = zPresentation.extend({ expiresAt: z.date() })

const zFlow = z.strictObject({
  id: z.string(),
  type: z.string(),
  state: z.string(),
  did: z.string(),
  holderId: z.string().nullable(),
  content: z.string(),
  errorMessage: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

const zConsoleSession = z.strictObject({
  id: z.string(),
  content: z.string(),
  /** The time of the last activity: the table has no time of the beginning. */
  createdAt: z.date(),
  endsAt: z.date(),
  expiresAt: z.date(),
})

const zOrder = z.strictObject({
  id: z.string(),
  kind: z.string(),
  subject: z.string().nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

const zMade = z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable(), createdAt: z.date() })

const same = (column: Fragment, value: string): Fragment =>
  fragment`hashtextextended(${column}, 0) = hashtextextended(${value}, 0) AND ${column} = ${value}`

const end = (alias: Fragment, part: ListPart) => listPart(fragment`${alias}.created_at`, fragment`${alias}.id`, part)

const offeringColumns = fragment`
  o.id, s.name AS "schemaName", s.version AS "schemaVersion", o.issuer_id AS "issuerId", o.recipient, o.for_subject AS "forSubject",
  o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt",
  o.created_at AS "createdAt", o.claims_due_at AS "claimsDueAt", o.claims_erased_at AS "claimsErasedAt",
  (SELECT json_build_object('state', x.state, 'deferred', x.deferred, 'errorMessage', x.error_message, 'endedAt', x.ended_at)
   FROM credential_offer_sessions x WHERE x.id = o.id) AS session`

export type PersonStore = ReturnType<typeof createPersonStore>

export function createPersonStore({ sql }: Database) {
  const credentials = (condition: Fragment, part: ListPart): Promise<PersonCredential[]> =>
    sql(zCredential)`
      SELECT ${listedColumns}, r.id AS "redemptionId", r.recipient_did AS "recipientDid", r.redeemed_by AS "redeemedBy",
        r.redeemed_at AS "redeemedAt",
        c.claims_due_at AS "claimsDueAt", c.record_due_at AS "recordDueAt",
        (SELECT coalesce(json_agg(json_build_object('configurationId', t.configuration_id, 'format', t.format,
            'statusListId', t.status_list_id, 'statusListIndex', t.status_index, 'revokedAt', t.revoked_at, 'suspendedAt', t.suspended_at)),
            '[]')
         FROM (SELECT * FROM credential_instances i WHERE i.credential_id = c.id LIMIT ${INSTANCES}) t) AS instances,
        ${watchedAttestations(INSTANCES)} AS attestations
      FROM credentials c
      JOIN schemas s ON s.id = c.schema_id
      LEFT JOIN redemptions r ON r.credential_id = c.id
      WHERE ${condition} ${end(fragment`c`, part)}`

  const offerings = (condition: Fragment, part: ListPart): Promise<PersonOffering[]> =>
    sql(zOffering)`
      SELECT ${offeringColumns} FROM offerings o JOIN schemas s ON s.id = o.schema_id
      WHERE ${condition} ${end(fragment`o`, part)}`

  /** A condition that excludes what was found by the `sub`. */
  const notRedeemedBy = (sub: string | null) =>
    sub === null ? emptyFragment : fragment`AND r.redeemed_by IS DISTINCT FROM ${sub}`

  return {
    /** The DIDs that records name together with a `sub`, at most {@link MAX_DIDS}. */
    async didsOf(sub: string): Promise<string[]> {
      const rows = await sql(zDid)`
        SELECT DISTINCT did FROM (
          SELECT d.did FROM dids d JOIN holders h ON h.id = d.holder_id WHERE h.created_by = ${sub}
          UNION ALL SELECT r.recipient_did FROM redemptions r WHERE r.redeemed_by = ${sub} AND r.recipient_did IS NOT NULL
          UNION ALL SELECT unnest(a.user_dids) FROM authorizations a WHERE ${same(fragment`a.user_sub`, sub)}) AS known(did)
        ORDER BY did LIMIT ${MAX_DIDS}`
      return rows.map(({ did }) => did)
    },

    /** Credentials that a user claimed. */
    claimed: (sub: string, part: ListPart) => credentials(fragment`r.redeemed_by = ${sub}`, part),

    /** Credentials for a DID, except those that {@link claimed} finds. */
    held: (did: string, { sub }: Person, part: ListPart) =>
      credentials(fragment`${same(fragment`c.holder_did`, did)} ${notRedeemedBy(sub)}`, part),

    /** Credentials that a user created or signed, except those that {@link claimed} and {@link held} find. */
    owned: (sub: string, { dids }: Person, part: ListPart) =>
      credentials(
        fragment`${same(fragment`c.owner`, sub)} ${notRedeemedBy(sub)}
          AND (c.holder_did IS NULL OR c.holder_did <> ALL(${[...dids]}::text[]))`,
        part,
      ),

    /** Offerings for a user. */
    offeredTo: (sub: string, part: ListPart) => offerings(fragment`o.for_subject = ${sub}`, part),

    /** Offerings for a DID, except those that {@link offeredTo} finds. */
    offeredToDid: (did: string, { sub }: Person, part: ListPart) =>
      offerings(
        fragment`${same(fragment`o.recipient`, did)}
          ${sub === null ? emptyFragment : fragment`AND o.for_subject IS DISTINCT FROM ${sub}`}`,
        part,
      ),

    /**
     * Offerings that were made for one redemption, by their ids, except those that {@link offeredTo} and {@link offeredToDid} find. An
     * offering with more redemptions has the same claims for everybody.
     */
    offeringsOfOne: (ids: readonly string[], { sub, dids }: Person): Promise<PersonOffering[]> =>
      sql(zOffering)`
        SELECT ${offeringColumns} FROM offerings o JOIN schemas s ON s.id = o.schema_id
        WHERE o.id = ANY(${[...ids]}::text[]) AND (o.is_session OR o.of_authorization OR o.redemption_limit = 1)
          AND o.for_subject IS DISTINCT FROM ${sub} AND (o.recipient IS NULL OR o.recipient <> ALL(${[...dids]}::text[]))`,

    /** Sign-ins of a user for a credential. */
    authorizations: (sub: string, part: ListPart) =>
      sql(zAuthorization)`
        SELECT a.id, a.client_id AS "clientId", a.offering_id AS "offeringId", a.state, a.user_sub AS "userSub",
          a.user_dids AS "userDids", a.user_claims AS "userClaims", a.credential_id AS "credentialId",
          ARRAY(SELECT d.configuration_id FROM deferred_issuances d WHERE d.authorization_id = a.id ORDER BY 1) AS "waitingFor",
          a.created_at AS "createdAt", a.expires_at AS "expiresAt"
        FROM authorizations a WHERE ${same(fragment`a.user_sub`, sub)} ${end(fragment`a`, part)}`,

    /** Sessions that still have a result. */
    results: async (part: ListPart) => {
      const rows = await sql(zResult)`
        SELECT v.id, v.verifier_id AS "verifierId", v.ended_at AS "createdAt", v.ended_at AS "endedAt"
        FROM verification_sessions v
        WHERE v.result IS NOT NULL AND v.ended_at IS NOT NULL ${listPart(fragment`v.ended_at`, fragment`v.id`, part)}`
      return rows
    },

    /** Hosted wallets of a user. */
    wallets: (sub: string, part: ListPart) =>
      sql(zWallet)`
        SELECT h.id, h.method, h.name, h.created_at AS "createdAt" FROM holders h
        WHERE h.created_by = ${sub} ${end(fragment`h`, part)}`,

    /** The hosted wallet of a DID. */
    walletOfDid: (did: string) =>
      sql(zWallet)`
        SELECT h.id, h.method, h.name, h.created_at AS "createdAt" FROM holders h JOIN dids d ON d.holder_id = h.id WHERE d.did = ${did}`,

    /** DIDs of a hosted wallet, or DIDs that a user created without a wallet. */
    dids: (of: { readonly holderId: string } | { readonly createdBy: string }, part: ListPart) =>
      sql(zWalletDid)`
        SELECT d.did AS id, d.method, d.purpose, d.created_by AS "createdBy", d.holder_id AS "holderId", d.created_at AS "createdAt"
        FROM dids d
        WHERE ${'holderId' in of ? fragment`d.holder_id = ${of.holderId}` : fragment`d.created_by = ${of.createdBy} AND d.holder_id IS NULL`}
          ${listPart(fragment`d.created_at`, fragment`d.did`, part)}`,

    /** Credentials of a hosted wallet. */
    heldCredentials: (holderId: string, part: ListPart) =>
      sql(zHeld)`
        SELECT w.id, w.holder_id AS "holderId", w.format, w.content, w.created_at AS "createdAt"
        FROM wallet_credentials w WHERE w.holder_id = ${holderId} ${end(fragment`w`, part)}`,

    /** The copies of a held credential. */
    copies: (credentialId: string) =>
      sql(zCopy)`
        SELECT p.id, p.compact, p.kid, p.presented_at AS "presentedAt" FROM wallet_credential_copies p
        WHERE p.credential_id = ${credentialId} ORDER BY p.id`,

    presentations: (holderId: string, part: ListPart) =>
      sql(zPresentation)`
        SELECT w.id, w.holder_id AS "holderId", w.content, w.created_at AS "createdAt"
        FROM wallet_presentations w WHERE w.holder_id = ${holderId} ${end(fragment`w`, part)}`,

    pending: (holderId: string, part: ListPart) =>
      sql(zPending)`
        SELECT w.id, w.holder_id AS "holderId", w.content, w.created_at AS "createdAt", w.expires_at AS "expiresAt"
        FROM wallet_pending_issuances w WHERE w.holder_id = ${holderId} ${end(fragment`w`, part)}`,

    /** Flows of a user. */
    flows: (sub: string, part: ListPart) =>
      sql(zFlow)`
        SELECT f.id, f.type, f.state, f.did, f.holder_id AS "holderId", f.content, f.error_message AS "errorMessage",
          f.created_at AS "createdAt", f.expires_at AS "expiresAt"
        FROM flows f WHERE f.created_by = ${sub} ${end(fragment`f`, part)}`,

    /** The console sessions of all users. Their users are only in the encrypted content. */
    consoleSessions: (now: Date, part: ListPart) =>
      sql(zConsoleSession)`
        SELECT c.id_hash AS id, c.content, c.last_seen_at AS "createdAt", c.ends_at AS "endsAt", c.expires_at AS "expiresAt"
        FROM console_sessions c
        WHERE c.expires_at > ${now} ${listPart(fragment`c.last_seen_at`, fragment`c.id_hash`, part)}`,

    /** All orders of exports. The person of an order is only in its encrypted subject. */
    orders: (part: ListPart) =>
      sql(zOrder)`
        SELECT e.id, e.kind, e.subject, e.created_by AS "createdBy", e.created_at AS "createdAt", e.expires_at AS "expiresAt"
        FROM exports e WHERE true ${end(fragment`e`, part)}`,

    /** Records of the installation that a user created: they hold no data of the user except the `sub`. */
    made: (sub: string, part: ListPart) =>
      sql(zMade)`
        SELECT m.kind, m.id, m.name, m.created_at AS "createdAt" FROM (
          SELECT 'credential_types' AS kind, name AS id, name, created_at FROM credential_types WHERE created_by = ${sub}
          UNION ALL SELECT 'schemas', id, name, created_at FROM schemas WHERE created_by = ${sub}
          UNION ALL SELECT 'issuers', id, did, created_at FROM issuers WHERE created_by = ${sub}
          UNION ALL SELECT 'verifiers', id, did, created_at FROM verifiers WHERE created_by = ${sub}
          UNION ALL SELECT 'trusted_issuers', id, issuer, created_at FROM trusted_issuers WHERE created_by = ${sub}
          UNION ALL SELECT 'trust_lists', id, url, created_at FROM trust_lists WHERE created_by = ${sub}
          UNION ALL SELECT 'registration_certificates', id, subject, created_at FROM registration_certificates WHERE created_by = ${sub}
          UNION ALL SELECT 'images', image_id, NULL, created_at FROM image_uploads WHERE uploader = ${sub}
          UNION ALL SELECT 'webhooks', id, url, created_at FROM webhooks WHERE created_by = ${sub}
          UNION ALL SELECT 'pages', id, NULL, created_at FROM pages WHERE made_by = ${sub}) m
        WHERE true ${end(fragment`m`, part)}`,
  }
}
