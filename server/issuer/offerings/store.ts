import { z } from 'zod'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { emptyFragment, type Fragment, fragment } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'
import { idRow, json, storedClaims } from '../../database/row-shapes.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { NameHashes, Names } from '../../names/names.js'
import { hasNames, namesShape, revealedNames, selectedNames } from '../../names/names-store.js'
import { remainsColumn, remainsShape } from '../issuance/remains-store.js'
import { asMdoc, type SchemaDisplay } from '../schemas/store.js'
import { insertOffering, type NewOffering } from './insert.js'

/** The highest number of redemptions that an offering lists, the newest first. */
const LISTED_REDEMPTIONS = 100

/**
 * The highest number of redemptions on a page of offerings. One redemption takes about 5 KB, and the number of
 * redemptions grows with use.
 */
const PAGE_OF_REDEMPTIONS = 1_000

/** A page always has room for this number of offerings. */
export const SURE_OFFERINGS = PAGE_OF_REDEMPTIONS / LISTED_REDEMPTIONS

const zOffering = z.strictObject({
  id: z.string(),
  credentialSubject: storedClaims,
  subjectKey: z.string().nullable(),
  recipient: z.string().nullable(),
  redemptionLimit: z.int().nullable(),
  expiresAt: z.date().nullable(),
  createdAt: z.date(),
  claimsErasedAt: z.date().nullable(),
  schemaName: z.string(),
  /** Whether the offering's type has mobile documents and the current key of its issuer has a certificate. */
  asMdoc: z.boolean(),
  schemaTitle: z.string().nullable(),
  schemaDisplay: json<readonly SchemaDisplay[]>().nullable(),
  ...namesShape,
})

type StoredOffering = z.infer<typeof zOffering>

/** An offering. Its subject is empty if its claims were erased. */
export type OfferingRow = Omit<StoredOffering, 'credentialSubject' | 'subjectKey' | 'names' | 'namesKey'> & {
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly names: Names | null
}

const zRedemption = z.strictObject({
  id: z.string(),
  offeringId: z.string(),
  credentialId: z.string(),
  recipientDid: z.string().nullable(),
  redeemedAt: z.date(),
  vc: storedClaims,
  vcKey: z.string().nullable(),
  remains: remainsShape,
  revoked: z.boolean(),
  /**
   * The configuration of the redeemed credential. If the credential has several configurations, this is the
   * configuration with the schema's name, because `vc` belongs to that configuration.
   */
  configurationId: z.string(),
  schemaId: z.string(),
  schemaName: z.string(),
  schemaTitle: z.string().nullable(),
  schemaVersion: z.number(),
  /** Set only in the first row of each schema, so a page contains each schema body once. */
  schemaBody: json().nullable(),
})

type StoredRedemption = z.infer<typeof zRedemption>

/** A redemption with its credential, or its remains if its claims were erased. */
export type RedemptionRow = Omit<StoredRedemption, 'vc' | 'vcKey'> & {
  readonly vc: Readonly<Record<string, unknown>> | null
}

const zRoom = z.strictObject({ room: z.int() })

/** The redemptions that a reader may see. */
export type RedemptionScope = 'all' | { readonly redeemedBy: string }

const columnsWith = (claims: ClaimsVault) => fragment`
  o.id, o.credential_subject AS "credentialSubject", ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS "subjectKey", o.recipient, o.redemption_limit AS "redemptionLimit",
  o.expires_at AS "expiresAt", o.created_at AS "createdAt",
  o.claims_erased_at AS "claimsErasedAt", s.name AS "schemaName", ${asMdoc} AS "asMdoc", s.title AS "schemaTitle",
  s.display AS "schemaDisplay", ${selectedNames(claims, 'offerings.names', fragment`o`)}`

/** Condition: REST shows an offering `o`. Offerings of sessions and of single authorizations are only for their wallets. */
const isOpenToAll = fragment`NOT o.is_session AND NOT o.of_authorization`

export type OfferingStore = ReturnType<typeof createOfferingStore>

export function createOfferingStore({ sql }: Database, claims: ClaimsVault) {
  const columns = columnsWith(claims)

  const revealedOffering = (stored: StoredOffering): OfferingRow => {
    const { id } = stored
    const { credentialSubject, subjectKey, ...row } = revealedNames(claims, { column: 'offerings.names', id }, stored)
    const subject = claims.reveal<OfferingRow['credentialSubject']>(
      { column: 'offerings.credential_subject', id },
      credentialSubject,
      subjectKey,
    )
    return { ...row, credentialSubject: subject ?? {} }
  }

  const revealedRedemption = ({ vc, vcKey, ...row }: StoredRedemption): RedemptionRow => ({
    ...row,
    vc: claims.reveal({ column: 'credentials.vc', id: row.credentialId }, vc, vcKey),
  })

  return {
    /** Stores an offering with its audit row, in one statement. */
    async insert(offering: NewOffering, actor: string | null): Promise<void> {
      const inserted = insertOffering(claims, offering)
      const created = audited({ of: inserted, actor, action: 'offering.created', subject: 'offering' })
      await sql(idRow, [created])`SELECT id FROM ${inserted}`
    },

    async find(id: string): Promise<OfferingRow | undefined> {
      const [row] = await sql(zOffering)`
        SELECT ${columns} FROM offerings o JOIN schemas s ON s.id = o.schema_id WHERE o.id = ${id} AND ${isOpenToAll}`
      return row && revealedOffering(row)
    },

    /**
     * Reads offerings, the newest first.
     *
     * @param publicOnly only offerings with claims, and without recipient and limit
     * @param names only offerings with these names
     */
    async list(publicOnly: boolean, part: ListPart, names: NameHashes = {}): Promise<OfferingRow[]> {
      const open = publicOnly
        ? fragment`AND o.recipient IS NULL AND o.redemption_limit IS NULL AND o.claims_erased_at IS NULL`
        : emptyFragment
      const rows = await sql(zOffering)`
        SELECT ${columns} FROM offerings o JOIN schemas s ON s.id = o.schema_id
        WHERE ${isOpenToAll} ${open} ${hasNames(fragment`o`, names)} ${listPart(fragment`o.created_at`, fragment`o.id`, part)}`
      return rows.map(revealedOffering)
    },

    /** Counts how many of the offerings, from the first, fit on one page together with their listed redemptions. */
    async roomFor(offeringIds: readonly string[], scope: RedemptionScope): Promise<number> {
      const [row] = await sql(zRoom)`
        SELECT count(*)::int AS room FROM (
          SELECT sum(COALESCE(n, 0)) OVER (ORDER BY place) AS together FROM ${listedRedemptions([...offeringIds], scope)}) t
        WHERE together <= ${PAGE_OF_REDEMPTIONS}`
      return row?.room ?? 0
    },

    /** The newest redemptions of each of several offerings. */
    async redemptions(offeringIds: readonly string[], scope: RedemptionScope): Promise<RedemptionRow[]> {
      if (offeringIds.length === 0) return []
      const rows = await sql(zRedemption)`
        SELECT r.id, r.offering_id AS "offeringId", r.credential_id AS "credentialId", r.recipient_did AS "recipientDid",
          r.redeemed_at AS "redeemedAt", c.vc, ${claims.keyOf('credentials.vc', fragment`c.id`)} AS "vcKey", ${remainsColumn},
          c.revoked_at IS NOT NULL AS revoked, s.id AS "schemaId", s.name AS "schemaName",
          s.title AS "schemaTitle", s.version AS "schemaVersion",
          CASE WHEN row_number() OVER (PARTITION BY s.id ORDER BY r.redeemed_at DESC, r.id) = 1 THEN s.body END AS "schemaBody",
          (SELECT i.configuration_id FROM credential_instances i WHERE i.credential_id = c.id
           ORDER BY i.configuration_id = s.name DESC, i.configuration_id LIMIT 1) AS "configurationId"
        FROM ${newestRedemptions([...offeringIds], scope)}
        JOIN credentials c ON c.id = r.credential_id
        JOIN schemas s ON s.id = c.schema_id
        ORDER BY r.redeemed_at DESC, r.id`
      return rows.map(revealedRedemption)
    },
  }
}

/**
 * The number of redemptions (`n`) that each offering lists, with the offering's `place` in the list. For one caller, the index
 * on the redeemer is used.
 */
function listedRedemptions(offeringIds: string[], scope: RedemptionScope): Fragment {
  const offerings = fragment`unnest(${offeringIds}::text[]) WITH ORDINALITY AS o(id, place)`
  if (scope === 'all') {
    return fragment`
      ${offerings} CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
          SELECT 1 FROM redemptions r WHERE r.offering_id = o.id LIMIT ${LISTED_REDEMPTIONS}) listed) counted`
  }
  return fragment`
    ${offerings} LEFT JOIN (
      SELECT r.offering_id, LEAST(count(*), ${LISTED_REDEMPTIONS}) AS n FROM redemptions r
      WHERE r.redeemed_by = ${scope.redeemedBy} AND r.offering_id = ANY(${offeringIds}::text[])
      GROUP BY r.offering_id) counted ON counted.offering_id = o.id`
}

/**
 * The newest redemptions of each offering, under the alias `r`. For one caller, the index on the redeemer is used, so the other
 * redemptions of a popular offering are not read.
 */
function newestRedemptions(offeringIds: string[], scope: RedemptionScope): Fragment {
  if (scope === 'all') {
    return fragment`
      unnest(${offeringIds}::text[]) AS o(id)
      JOIN LATERAL (
        SELECT * FROM redemptions n WHERE n.offering_id = o.id
        ORDER BY n.redeemed_at DESC LIMIT ${LISTED_REDEMPTIONS}) r ON true`
  }
  return fragment`
    (SELECT * FROM (
      SELECT n.*, row_number() OVER (PARTITION BY n.offering_id ORDER BY n.redeemed_at DESC) AS place
      FROM redemptions n
      WHERE n.redeemed_by = ${scope.redeemedBy} AND n.offering_id = ANY(${offeringIds}::text[])) placed
     WHERE place <= ${LISTED_REDEMPTIONS}) r`
}
