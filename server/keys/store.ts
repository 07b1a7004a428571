import { z } from 'zod'
import { audited } from '../database/audited.js'
import { type BatchDone, batchDone, batchRow } from '../database/batch.js'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment, Step } from '../database/fragment.js'
import { idRow, publicJwk, x5c } from '../database/row-shapes.js'

const zStoredKey = z.strictObject({
  id: z.string(),
  keySetId: z.string(),
  alg: z.string(),
  publicJwk,
  /** Its certificate chain, leaf first, each base64 DER; null without a certificate. */
  x5c,
  /** Null for a key in a key provider. */
  privateJwk: z.string().nullable(),
  /** The key provider that has the key, and the name of the key there; null for a key in the database. */
  provider: z.string().nullable(),
  reference: z.string().nullable(),
})

/** A stored signing key; the vault protects `privateJwk`. */
export type StoredKey = z.infer<typeof zStoredKey>

const zKeyInProvider = z.strictObject({ provider: z.string(), reference: z.string(), publicJwk })

/** A key in a key provider. */
export type KeyInProvider = z.infer<typeof zKeyInProvider>

const zPublishedKeys = z.strictObject({
  algorithms: z.array(z.string()),
  /** The algorithms of documents that carry a certificate chain, if their signer has one. */
  chainAlgorithms: z.array(z.string()),
  /** The algorithms of keys with a certificate. */
  certifiedAlgorithms: z.array(z.string()),
  encryptionKey: publicJwk.nullable(),
})

export type PublishedKeys = z.infer<typeof zPublishedKeys>

const zDecryptionKey = z.strictObject({
  /** Protected by the vault. */
  privateJwk: z.string(),
  /** When the key was replaced. */
  retiredAt: z.date().nullable(),
})

export type DecryptionKey = z.infer<typeof zDecryptionKey>

const zCertifiedRecord = z.strictObject({
  kind: z.enum(['issuer', 'verifier']),
  id: z.string(),
  x5c: z.array(z.string()),
})

/** An issuer or verifier record whose key has a certificate. */
export type CertifiedRecord = z.infer<typeof zCertifiedRecord>

const zRecordChain = z.strictObject({ id: z.string(), x5c: z.array(z.string()) })

/** An issuer or a verifier whose key has a certificate. */
export type RecordChain = z.infer<typeof zRecordChain>

/** A chain for the key of an issuer. */
export interface CertifiedIssuer {
  readonly keyId: string
  readonly x5c: readonly string[]
  readonly issuerId: string
  readonly signing: 'every' | 'delegated'
  readonly actor: string
}

const zChain = z.strictObject({ id: z.string(), x5c })

const zCertifiedIssuerKey = z.strictObject({ publicJwk, x5c: z.array(z.string()) })

/** A key of an issuer with its certificate chain. */
export type CertifiedIssuerKey = z.infer<typeof zCertifiedIssuerKey>

/**
 * The current signing key of a key set, joined as `k`: its newest key that is not retired.
 *
 * @param keySetId the column that names the key set.
 */
export const currentKey = (keySetId: Fragment): Fragment => fragment`
  JOIN LATERAL (
    SELECT * FROM keys WHERE keys.key_set_id = ${keySetId} AND keys.retired_at IS NULL
    ORDER BY keys.created_at DESC, keys.id DESC LIMIT 1) k ON true`

/** The keys to which credential requests are encrypted (OpenID4VCI 1.0 §10): a key set of the installation, without a record. */
export const ENCRYPTION_KEY_SET = 'credential-encryption'

/** The key sets of the installation: of issuers, of verifiers, of DIDs without a holder, and for encrypted requests. */
export const ownKeySets: Fragment = fragment`
  SELECT key_set_id FROM issuers UNION ALL SELECT key_set_id FROM verifiers
  UNION ALL SELECT key_set_id FROM dids WHERE holder_id IS NULL UNION ALL SELECT ${ENCRYPTION_KEY_SET}`

const columns = fragment`
  k.id, k.key_set_id AS "keySetId", k.alg, k.public_jwk AS "publicJwk", k.x5c, k.private_jwk AS "privateJwk", k.provider, k.reference`

/** Limit of keys in providers that a start checks. */
const MOST_CHECKED = 1_000

export type KeyStore = ReturnType<typeof createKeyStore>

export function createKeyStore({ prisma, sql }: Database) {
  return {
    async find(id: string): Promise<StoredKey | undefined> {
      const [row] = await sql(zStoredKey)`SELECT ${columns} FROM keys k WHERE k.id = ${id}`
      return row
    },

    /** The current signing key of a key set. */
    async current(keySetId: string): Promise<StoredKey | undefined> {
      const [row] = await sql(zStoredKey)`
        SELECT ${columns} FROM key_sets s ${currentKey(fragment`s.id`)} WHERE s.id = ${keySetId}`
      return row
    },

    /**
     * Sets the certificate chain of a current signing key, and replaces a former chain.
     *
     * @returns false if the key was rotated in the meantime; then nothing is written.
     */
    async certify(id: string, x5c: readonly string[], actor: string): Promise<boolean> {
      const certified = new Step<'id'>(
        'certified',
        fragment`UPDATE keys SET x5c = ${JSON.stringify(x5c)}::json WHERE id = ${id} AND retired_at IS NULL RETURNING id`,
      )
      const recorded = audited({ of: certified, actor, action: 'key.certified', subject: 'key' })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${certified}`
      return rows.length > 0
    },

    /**
     * Sets the certificate chain of an issuer's current signing key and what the key signs, in one statement.
     *
     * @returns false if the key was rotated in the meantime; then nothing is written.
     */
    async certifyIssuer({ keyId, x5c, issuerId, signing, actor }: CertifiedIssuer): Promise<boolean> {
      const certified = new Step<'id'>(
        'certified',
        fragment`UPDATE keys SET x5c = ${JSON.stringify(x5c)}::json WHERE id = ${keyId} AND retired_at IS NULL RETURNING id`,
      )
      const changed = new Step<'id'>(
        'changed',
        fragment`
          UPDATE issuers SET signing = ${signing}
          WHERE id = ${issuerId} AND signing <> ${signing} AND EXISTS (SELECT 1 FROM ${certified}) RETURNING id`,
      )
      const recorded = [
        audited({ of: certified, actor, action: 'key.certified', subject: 'key' }),
        audited({ of: changed, actor, action: 'issuer.signing_changed', subject: 'issuer', name: 'signing_audited' }),
      ]
      const rows = await sql(idRow, recorded)`SELECT id FROM ${certified}`
      return rows.length > 0
    },

    /**
     * Changes what the current signing key of an issuer signs, if the key has the certificate that the caller has seen.
     *
     * @returns false if the key or its certificate was changed in the meantime; then nothing is written.
     */
    async changeSigning({
      keyId,
      x5c,
      issuerId,
      signing,
      actor,
    }: Omit<CertifiedIssuer, 'x5c'> & Pick<StoredKey, 'x5c'>): Promise<boolean> {
      const chain = x5c === null ? null : JSON.stringify(x5c)
      // The lock makes a new certificate wait, or waits for it and then reads it.
      const held = new Step<'id'>(
        'held',
        fragment`
          SELECT id FROM keys WHERE id = ${keyId} AND retired_at IS NULL AND x5c::jsonb IS NOT DISTINCT FROM ${chain}::jsonb
          FOR UPDATE`,
      )
      const changed = new Step<'id'>(
        'changed',
        fragment`
          UPDATE issuers SET signing = ${signing}
          WHERE id = ${issuerId} AND signing <> ${signing} AND EXISTS (SELECT 1 FROM ${held}) RETURNING id`,
      )
      const recorded = audited({ of: changed, actor, action: 'issuer.signing_changed', subject: 'issuer' })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${held}`
      return rows.length > 0
    },

    /** The certificate chains of keys, by the ids of the keys. Unknown keys are left out. */
    async chains(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[] | null>> {
      const rows = await sql(zChain)`SELECT id, x5c FROM keys WHERE id = ANY(${[...ids]}::text[])`
      return new Map(rows.map(({ id, x5c: chain }) => [id, chain]))
    },

    /** The keys of issuers that have a certificate, the current and the former ones. */
    issuerChains: (limit: number): Promise<CertifiedIssuerKey[]> =>
      sql(zCertifiedIssuerKey)`
        SELECT k.public_jwk AS "publicJwk", k.x5c FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id
        WHERE k.x5c IS NOT NULL ORDER BY k.created_at DESC LIMIT ${limit}`,

    /** The chains of verifiers' keys, except the default verifier's, whose chain is in the configuration. */
    certifiedVerifiers: (limit: number): Promise<RecordChain[]> =>
      sql(zRecordChain)`
        SELECT v.id, k.x5c FROM verifiers v ${currentKey(fragment`v.key_set_id`)}
        WHERE NOT v.is_default AND k.x5c IS NOT NULL ORDER BY v.created_at DESC LIMIT ${limit}`,

    /** The chains of issuers' keys, except the default issuer's, whose chain is in the configuration. */
    certifiedIssuers: (limit: number): Promise<RecordChain[]> =>
      sql(zRecordChain)`
        SELECT i.id, k.x5c FROM issuers i ${currentKey(fragment`i.key_set_id`)}
        WHERE NOT i.is_default AND k.x5c IS NOT NULL ORDER BY i.created_at DESC LIMIT ${limit}`,

    /** Issuer and verifier records whose current key has a certificate. */
    certifiedRecords: (limit: number): Promise<CertifiedRecord[]> =>
      sql(zCertifiedRecord)`
        SELECT 'issuer' AS kind, i.id, k.x5c FROM issuers i ${currentKey(fragment`i.key_set_id`)} WHERE k.x5c IS NOT NULL
        UNION ALL
        SELECT 'verifier' AS kind, v.id, k.x5c FROM verifiers v ${currentKey(fragment`v.key_set_id`)} WHERE k.x5c IS NOT NULL
        LIMIT ${limit}`,

    /** The newest key of a key set that never had a certificate. */
    async newestUncertified(keySetId: string): Promise<StoredKey | undefined> {
      const [row] = await sql(zStoredKey)`
        SELECT ${columns} FROM keys k WHERE k.key_set_id = ${keySetId} AND k.x5c IS NULL
        ORDER BY k.created_at DESC, k.id DESC LIMIT 1`
      return row
    },

    /** Whether a key belongs to no issuer, verifier or other part of the installation itself. */
    async isOfHolder(id: string): Promise<boolean> {
      const rows = await sql(idRow)`
        SELECT k.id FROM keys k WHERE k.id = ${id} AND k.key_set_id NOT IN (${ownKeySets})`
      return rows.length > 0
    },

    /** Keys in providers with which issuer and verifier records sign now. */
    inProviders: (): Promise<KeyInProvider[]> =>
      sql(zKeyInProvider)`
        SELECT k.provider, k.reference, k.public_jwk AS "publicJwk"
        FROM (SELECT key_set_id FROM issuers UNION ALL SELECT key_set_id FROM verifiers) r
        ${currentKey(fragment`r.key_set_id`)}
        WHERE k.provider IS NOT NULL LIMIT ${MOST_CHECKED}`,

    /** All present and former keys of a key set. */
    ofKeySet: (keySetId: string): Promise<StoredKey[]> =>
      sql(zStoredKey)`SELECT ${columns} FROM keys k WHERE k.key_set_id = ${keySetId}`,

    /**
     * One key for each JWE header among the installation's own private keys, and so for each key-encryption key. Keys of hosted wallets
     * may be many: the progress of the encryption names the keys that they need.
     */
    sampleOfEachEncryption: (): Promise<{ readonly id: string; readonly privateJwk: string }[]> =>
      sql(z.strictObject({ id: z.string(), privateJwk: z.string() }))`
        SELECT DISTINCT ON (split_part(private_jwk, '.', 1)) id, private_jwk AS "privateJwk" FROM keys
        WHERE key_set_id IN (${ownKeySets}) AND private_jwk NOT LIKE '{%' ORDER BY split_part(private_jwk, '.', 1)`,

    /** Keys in metadata: the algorithms that issuers currently sign with, and the key to which requests are encrypted. */
    async published(): Promise<PublishedKeys> {
      // A document signer has a key on P-256, whatever the key of the record is.
      const withChain = fragment`CASE WHEN i.signing = 'delegated' AND k.x5c IS NOT NULL THEN 'ES256' ELSE k.alg END`
      const [row] = await sql(zPublishedKeys)`
        SELECT ARRAY(SELECT DISTINCT k.alg FROM issuers i ${currentKey(fragment`i.key_set_id`)} ORDER BY k.alg DESC) AS algorithms,
          ARRAY(SELECT DISTINCT ${withChain} AS alg FROM issuers i ${currentKey(fragment`i.key_set_id`)} ORDER BY alg DESC)
            AS "chainAlgorithms",
          ARRAY(SELECT DISTINCT ${withChain} FROM issuers i ${currentKey(fragment`i.key_set_id`)} WHERE k.x5c IS NOT NULL)
            AS "certifiedAlgorithms",
          (SELECT k.public_jwk FROM key_sets s ${currentKey(fragment`s.id`)} WHERE s.id = ${ENCRYPTION_KEY_SET})
            AS "encryptionKey"`
      if (row === undefined) throw new Error('A statement that always has a row had none.')
      return row
    },

    /** A key to which requests are encrypted now, or were encrypted after `since`. */
    async decryption(id: string, since: Date): Promise<DecryptionKey | undefined> {
      const [row] = await sql(zDecryptionKey)`
        SELECT private_jwk AS "privateJwk", retired_at AS "retiredAt" FROM keys
        WHERE id = ${id} AND key_set_id = ${ENCRYPTION_KEY_SET} AND (retired_at IS NULL OR retired_at > ${since})`
      return row
    },

    /** Removes keys to which requests are no longer encrypted. */
    async removeDecryption(retiredBefore: Date, limit: number): Promise<BatchDone> {
      const rows = await sql(batchRow)`
        DELETE FROM keys WHERE id IN (
          SELECT id FROM keys WHERE key_set_id = ${ENCRYPTION_KEY_SET} AND retired_at < ${retiredBefore} LIMIT ${limit})
        RETURNING retired_at AS at`
      return batchDone(rows, limit)
    },

    /**
     * The stored value of a secret of the installation, made on first use. If two calls make the secret at once, one
     * value is kept.
     */
    async secret(name: string, make: () => Promise<string>): Promise<string> {
      const found = await prisma.secret.findUnique({ where: { name } })
      if (found !== null) return found.value
      await prisma.secret.createMany({ data: [{ name, value: await make() }], skipDuplicates: true })
      return (await prisma.secret.findUniqueOrThrow({ where: { name } })).value
    },
  }
}
