import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { coalesced } from '../../database/coalesce.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { idRow, publicJwk, storedClaims, x5c } from '../../database/row-shapes.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import { currentKey } from '../../keys/store.js'
import type { HashedNames } from '../../names/names.js'
import {
  hashedNamesShape,
  namesColumns,
  namesValues,
  protectedNames,
  revealedHashedNames,
  selectedHashedNames,
} from '../../names/names-store.js'
import { countRedemption, insertRedemption, type NewRedemption } from '../offerings/redemption-store.js'
import { schemaColumns, zStoredSchema } from '../schemas/store.js'
import type { DueTimes } from './retention.js'
import { type RecordedValidity, rulesOfOffer } from './validity.js'

/** A signed instance with its index in a status list. */
export interface NewInstance {
  readonly listId: string
  readonly index: number
  readonly configurationId: string
  readonly format: string
}

export interface NewCredential extends DueTimes, RecordedValidity {
  readonly id: string
  readonly schemaId: string
  readonly issuerId: string
  readonly owner: string | null
  /** The creator of its credential offer; absent without one. */
  readonly offeredBy?: string | null
  readonly holderDid: string | null
  readonly vc: unknown
  /** The names that the issuer gave the credential or its offering; null without names. */
  readonly names: HashedNames | null
  readonly createdAt: Date
  /** The keyed hash of its subject, if it replaces earlier credentials of the subject; otherwise null. */
  readonly subjectHash: string | null
}

export interface CredentialAudit {
  readonly actor: string | null
  readonly action: 'credential.issued' | 'credential.claimed' | 'credential.signed'
}

/** A credential for a caller, with its instances and its audit row. */
export interface CallersCredential extends NewCredential {
  readonly instances: readonly NewInstance[]
  readonly audit: CredentialAudit
}

/** The key of an issuer `i`, joined as `k`. */
export const issuerKey = currentKey(fragment`i.key_set_id`)

/** The columns of a schema `s`, an issuer `i` and a key `k`. */
export const contextColumns = fragment`
  ${schemaColumns}, i.id AS "issuerId", i.did AS "issuerDid", k.id AS "keyId", k.public_jwk AS "publicJwk", k.x5c`

const zSigningIssuer = z.strictObject({
  issuerId: z.string(),
  issuerDid: z.string(),
  keyId: z.string(),
  publicJwk,
  /** The certificate chain of the key. */
  x5c,
})

/** The signer: an issuer record and its current key. */
export type SigningIssuer = z.infer<typeof zSigningIssuer>

/** The columns of `contextColumns`. */
export const zContext = zStoredSchema.extend(zSigningIssuer.shape)

/** All data for a credential except its subject. */
export type IssuanceContext = z.infer<typeof zContext>

/** The columns of {@link offerRules}. */
export const offerRulesShape = {
  offeredDays: z.int().nullable(),
  offeredValidFrom: z.date().nullable(),
}

/** The validity that an offering `o` gives its credentials; null for the validity of the schema. */
export const offerRules = fragment`o.expires_in_days AS "offeredDays", o.valid_from AS "offeredValidFrom"`

type WithOfferRules = Pick<IssuanceContext, 'expiresInDays' | 'validFrom'> & {
  readonly offeredDays: number | null
  readonly offeredValidFrom: Date | null
}

/** Puts the validity of the offer in the place of the validity of its schema. */
export function withOfferRules<Row extends WithOfferRules>({ offeredDays, offeredValidFrom, ...row }: Row) {
  return { ...row, ...rulesOfOffer({ expiresInDays: offeredDays, validFrom: offeredValidFrom }, row) }
}

const zOfferingIssuance = zContext.extend({
  offeringId: z.string(),
  credentialSubject: storedClaims,
  subjectKey: z.string().nullable(),
  recipient: z.string().nullable(),
  redemptionLimit: z.int().nullable(),
  redemptionCount: z.int(),
  expiresAt: z.date().nullable(),
  claimsErasedAt: z.date().nullable(),
  ...offerRulesShape,
  /** DIDs of the holders that the caller created. */
  callerDids: z.array(z.string()),
  ...hashedNamesShape,
})

/** An offering with all data for issuing from it. */
export type OfferingIssuance = Omit<
  z.infer<typeof zOfferingIssuance>,
  | 'credentialSubject'
  | 'subjectKey'
  | 'names'
  | 'namesKey'
  | 'referenceHash'
  | 'labelHashes'
  | keyof typeof offerRulesShape
> & {
  readonly credentialSubject: Readonly<Record<string, unknown>>
  readonly names: HashedNames | null
}

/** A table `q` with the names of schemas. */
function namesOf(names: readonly string[]): Fragment {
  const [name] = names
  return names.length === 1 && name !== undefined
    ? fragment`(SELECT ${name}::text AS name) q`
    : fragment`unnest(${[...names]}::text[]) AS q(name)`
}

/** Condition: `i` is the issuer that a caller names, and the caller may name it. Without a caller, any issuer may be named. */
const namedIssuer = (issuerId: string, sub: string | undefined): Fragment =>
  sub === undefined
    ? fragment`i.id = ${issuerId}`
    : fragment`i.id = ${issuerId} AND (i.is_default OR a.issuer_id IS NOT NULL OR i.created_by = ${sub})`

export type IssuanceStore = ReturnType<typeof createIssuanceStore>

export function createIssuanceStore({ sql }: Database, claims: ClaimsVault) {
  /**
   * Reads the contexts of several type names, with the issuer in `named`, or the issuer that signs by default. For a
   * single name, the statement contains no list of names, and no condition that tests a parameter for null. Otherwise
   * PostgreSQL would plan the statement again for each call. Planning takes longer than the statement itself.
   */
  const contexts = (
    names: readonly string[],
    named?: { readonly issuerId: string; readonly sub: string | undefined },
  ): Promise<IssuanceContext[]> =>
    sql(zContext)`
      SELECT ${contextColumns}
      FROM ${namesOf(names)}
      JOIN LATERAL (
        SELECT * FROM schemas WHERE schemas.name = q.name AND withdrawn_at IS NULL ORDER BY version DESC LIMIT 1) s ON true
      JOIN LATERAL (
        SELECT i.* FROM issuers i
        LEFT JOIN schema_issuers a ON a.schema_id = s.id AND a.issuer_id = i.id
        WHERE (a.issuer_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM schema_issuers x WHERE x.schema_id = s.id))
          AND ${named === undefined ? fragment`(i.is_default OR a.issuer_id IS NOT NULL)` : namedIssuer(named.issuerId, named.sub)}
        ORDER BY i.is_default DESC, a.created_at, i.id LIMIT 1) i ON true
      ${issuerKey}`

  const contextOf = coalesced(async (names) => {
    const rows = await contexts(names)
    return new Map(rows.map((row) => [row.name, row]))
  })

  return {
    /**
     * Reads the active schema of a name, and the issuer that signs. If the caller names an issuer, this issuer signs.
     * Otherwise the default issuer signs, if the schema is assigned to nobody or to the default issuer. Otherwise the
     * first assigned issuer signs.
     *
     * @param sub the caller. The caller may name the default issuer, their own issuers, and the issuers that the schema is
     *   assigned to. Without a caller, any issuer may be named.
     */
    async context(
      name: string,
      issuerId: string | undefined,
      sub: string | undefined,
    ): Promise<IssuanceContext | undefined> {
      return issuerId === undefined ? contextOf(name) : (await contexts([name], { issuerId, sub }))[0]
    },

    async offeringContext(offeringId: string, sub: string | null): Promise<OfferingIssuance | undefined> {
      const [row] = await sql(zOfferingIssuance)`
        SELECT ${contextColumns}, o.id AS "offeringId", o.credential_subject AS "credentialSubject",
          ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS "subjectKey", o.recipient,
          o.redemption_limit AS "redemptionLimit", o.redemption_count AS "redemptionCount", o.expires_at AS "expiresAt",
          o.claims_erased_at AS "claimsErasedAt", ${offerRules},
          ${selectedHashedNames(claims, 'offerings.names', fragment`o`)},
          ARRAY(SELECT d.did FROM dids d JOIN holders h ON h.id = d.holder_id WHERE h.created_by = ${sub}) AS "callerDids"
        FROM offerings o
        JOIN schemas s ON s.id = o.schema_id
        JOIN issuers i ON i.id = o.issuer_id
        ${issuerKey}
        WHERE o.id = ${offeringId} AND NOT o.is_session AND NOT o.of_authorization`
      if (row === undefined) return undefined
      const named = revealedHashedNames(claims, { column: 'offerings.names', id: offeringId }, row)
      const { credentialSubject, subjectKey, ...context } = withOfferRules(named)
      const place = { column: 'offerings.credential_subject', id: offeringId } as const
      return { ...context, credentialSubject: claims.reveal(place, credentialSubject, subjectKey) ?? {} }
    },

    /**
     * Stores a credential with its instances and its audit row, and counts the redemption if it is redeemed from an offering.
     * One statement does all of it. So concurrent requests never exceed the limit, and either all rows are written or
     * none.
     *
     * @returns false if the offering's limit was reached or the offering expired meanwhile; then nothing was written
     */
    async record(credential: CallersCredential, redemption: NewRedemption | undefined): Promise<boolean> {
      const { createdAt, instances, audit } = credential
      const admitted =
        redemption === undefined
          ? new Step<'id'>('admitted', fragment`SELECT 1 AS id`)
          : countRedemption({ ...redemption, now: createdAt, claimsDueAt: credential.claimsDueAt })
      const inserted = insertCredential(claims, credential, audit.actor, admitted)
      const redeemed = redemption === undefined ? [] : [insertRedemption(redemption, createdAt, inserted)]
      const also = [insertInstances(instances, inserted), ...redeemed, auditCredential(audit, inserted)]
      const rows = await sql(idRow, also)`SELECT id FROM ${inserted}`
      return rows.length > 0
    },
  }
}

/** The credential object of a record in its stored form. */
export const protectedVc = (claims: Pick<ClaimsVault, 'protect'>, id: string, vc: unknown) =>
  claims.protect({ column: 'credentials.vc', id }, vc)

/**
 * The step after which a credential may be inserted. For a credential with a subject, it revokes the earlier credential of the
 * subject, with the database function `retire_active_sets`, if the step `admitted` has a row.
 */
function retired({ id, subjectHash, createdAt }: NewCredential, actor: string | null, admitted: Step): Step {
  if (subjectHash === null) return admitted
  return new Step(
    'retired',
    fragment`SELECT retire_active_sets(${subjectHash}, ${id}, ${createdAt}, ${actor}) AS count FROM ${admitted}`,
  )
}

/**
 * The step that inserts a new credential, with the content key of its claims, if the step `admitted` has a row. It replaces an
 * earlier credential of its subject.
 *
 * @param actor the `sub` of the caller; null for a wallet
 */
export function insertCredential(
  claims: ClaimsVault,
  credential: NewCredential,
  actor: string | null,
  admitted: Step,
): Step<'id'> {
  const vc = protectedVc(claims, credential.id, credential.vc)
  const names = protectedNames(claims, { column: 'credentials.names', id: credential.id }, credential.names)
  const inserted = new Step<'id'>(
    'target',
    fragment`
      INSERT INTO credentials (id, schema_id, issuer_id, owner, offered_by, holder_did, vc, signed, created_at, claims_due_at, record_due_at,
        subject_hash, valid_from, expires_at, ${namesColumns})
      SELECT ${credential.id}, ${credential.schemaId}, ${credential.issuerId}, ${credential.owner}, ${credential.offeredBy ?? null}::text, ${credential.holderDid},
        ${vc.json}::json, ${hasProof(credential.vc)}::boolean, ${credential.createdAt}, ${credential.claimsDueAt}::timestamptz,
        ${credential.recordDueAt}::timestamptz, ${credential.subjectHash}, ${credential.validFrom}::timestamptz, ${credential.expiresAt}::timestamptz,
        ${namesValues(names)}
      FROM ${retired(credential, actor, admitted)} RETURNING id`,
  )
  return inserted.along(...claims.storeKeys([vc, ...names.sealed], inserted))
}

const hasProof = (vc: unknown): boolean => typeof vc === 'object' && vc !== null && 'proof' in vc

/** Whether the credential object of a credential `c` has a proof. Rows of earlier versions have it in the clear. */
export const isSigned = fragment`COALESCE(c.signed, c.vc -> 'proof' IS NOT NULL)`

/**
 * The step that inserts the instances of a credential.
 *
 * @param generation the generation of the access token
 */
export function insertInstances(instances: readonly NewInstance[], credential: Step<'id'>, generation = 0): Step {
  const values = JSON.stringify(
    instances.map(({ listId, index, configurationId, format }) => [listId, index, configurationId, format]),
  )
  return new Step(
    'instances',
    fragment`
      INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format, generation)
      SELECT n.value->>0, (n.value->>1)::int, ${credential.column('id')}, n.value->>2, n.value->>3, ${generation}::int
      FROM ${credential}, jsonb_array_elements(${values}::jsonb) AS n(value)`,
  )
}

/** The step that writes the audit row of an issuance. */
export const auditCredential = (audit: CredentialAudit, credential: Step<'id'>): Step =>
  audited({ ...audit, of: credential, subject: 'credential' })
