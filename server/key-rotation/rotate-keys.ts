import type { Config } from '../config/config.js'
import { type SigningAlgorithm, signingDidOf } from '../dids/identity.js'
import type { NewDid } from '../dids/store.js'
import { type KeyMaking, type NewKey, newSigningKey } from '../keys/new-key.js'
import { DATABASE } from '../keys/providers/providers.js'
import { didJwk } from '../protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../protocol/did/did-key.js'
import type { Jwk } from '../protocol/jose/jws.js'
import { attests } from '../protocol/openid4vp/verifier-attestation.js'
import type { KeyRotationStore, Rotation, SigningRecord } from './store.js'

export interface RotationOptions extends KeyMaking {
  readonly store: KeyRotationStore
  readonly config: BaseUrls & Pick<Config, 'verifierAttestation'>
  readonly clock: () => Date
  /** Algorithm of the new keys; the former key's algorithm unless given. */
  readonly algorithm?: SigningAlgorithm | undefined
  /** The key provider of the new keys, or `database`; by default each key stays where the former key is. */
  readonly provider?: string | undefined
}

/** A record with a new key, and the DID that it now uses to sign. */
export interface RotatedRecord {
  readonly kind: 'issuer' | 'verifier'
  readonly id: string
  readonly did: string
  /** Whether the former key had a certificate. The certificate is not valid for the new key. */
  readonly uncertified: boolean
}

/** The DID that is derived from a key: a did:key if the record's method is `key`, otherwise a did:jwk, also in addition to a did:web. */
function didOfKey(record: SigningRecord, publicJwk: Jwk, keyId: string): NewDid {
  const key = record.method === 'key'
  return {
    did: key ? didKeyFromJwk(publicJwk) : didJwk(publicJwk),
    method: key ? 'key' : 'jwk',
    uuid: null,
    purpose: record.kind,
    createdBy: record.createdBy,
    keySetId: record.keySetId,
    keyId,
    holderId: null,
  }
}

type BaseUrls = Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>

/** The records of a key set with the DIDs that they use to sign with a key. */
export function recordsUnder(records: readonly SigningRecord[], publicJwk: Jwk, config: BaseUrls): Rotation['records'] {
  return records.map(({ kind, id, method, didWeb }) => {
    const baseUrl = kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl
    return { kind, id, did: signingDidOf(method, didWeb ?? undefined, baseUrl, publicJwk) }
  })
}

/** The rotation of a key set to a new key. */
export function rotationTo(
  key: NewKey,
  first: SigningRecord,
  records: readonly SigningRecord[],
  { config, at }: { readonly config: BaseUrls; readonly at: Date },
): Rotation {
  return {
    keySetId: first.keySetId,
    formerKeyId: first.keyId,
    key,
    dids: [didOfKey(first, key.publicJwk, key.id)],
    records: recordsUnder(records, key.publicJwk, config),
    at,
  }
}

async function rotationOf(
  first: SigningRecord,
  records: readonly SigningRecord[],
  options: RotationOptions,
): Promise<Rotation> {
  const { config } = options
  const alg = options.algorithm ?? (first.alg === 'EdDSA' ? 'EdDSA' : 'ES256')
  const place = options.provider ?? first.provider
  const key = await newSigningKey(options, alg, place === null || place === DATABASE ? undefined : place)
  return rotationTo(key, first, records, { config, at: options.clock() })
}

/**
 * Gives every issuer and verifier record a new key, each key set in its own transaction.
 * Running processes use the new key from their next signature on. If the DID is derived from the key, the record
 * moves to the new DID. Former keys stay published, and lists that they signed stay signed by them.
 *
 * A key is left unchanged if its certificate or attestation is in the configuration, because a new key would have no
 * certificate or attestation. A certificate that was set for a single record stays with the former key. The record then
 * identifies itself by its DID until it gets a new certificate.
 *
 * @returns the records with new keys, and the records that kept their keys, in the order of their creation.
 */
export async function rotateKeys(
  options: RotationOptions,
): Promise<{ readonly rotated: readonly RotatedRecord[]; readonly kept: readonly SigningRecord[] }> {
  const { verifierAttestation: attestation } = options.config
  const byKeySet = new Map<string, SigningRecord[]>()
  for (const record of await options.store.signingRecords()) {
    byKeySet.set(record.keySetId, [...(byKeySet.get(record.keySetId) ?? []), record])
  }
  const rotated: RotatedRecord[] = []
  const kept: SigningRecord[] = []
  for (const records of byKeySet.values()) {
    const [first] = records
    if (first === undefined) continue
    if ((first.certified && first.isDefault) || (attestation !== undefined && attests(attestation, first.publicJwk))) {
      kept.push(...records)
      continue
    }
    const rotation = await rotationOf(first, records, options)
    if (!(await options.store.rotate(rotation))) continue
    rotated.push(...rotation.records.map((record) => ({ ...record, uncertified: first.certified })))
  }
  return { rotated, kept }
}
