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
  readonly store: Pick<KeyRotationStore, 'rotate'>
  readonly config: BaseUrls & Pick<Config, 'verifierAttestation'>
  readonly clock: () => Date
  /** Algorithm of the new keys; the former key's algorithm unless given. */
  readonly algorithm?: SigningAlgorithm | undefined
  /** The key provider of the new keys, or `database`; by default each key stays where the former key is. */
  readonly provider?: string | undefined
  /** The `sub` of the caller, for the audit event; null for the command. */
  readonly actor: string | null
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
  { config, at, actor }: { readonly config: BaseUrls; readonly at: Date; readonly actor: string | null },
): Rotation {
  return {
    keySetId: first.keySetId,
    formerKeyId: first.keyId,
    key,
    dids: [didOfKey(first, key.publicJwk, key.id)],
    records: recordsUnder(records, key.publicJwk, config),
    at,
    actor,
  }
}

/** Why a rotation leaves a key unchanged: its certificate or its attestation is in the configuration. */
export const KEPT_REASONS = ['certificate-file', 'attestation'] as const

export type KeptReason = (typeof KEPT_REASONS)[number]

/**
 * Whether a rotation leaves a key unchanged, because a new key would have no certificate or attestation. Undefined if the key
 * can be replaced.
 */
export function reasonToKeep(
  { certified, isDefault, publicJwk }: Pick<SigningRecord, 'certified' | 'isDefault' | 'publicJwk'>,
  { verifierAttestation: attestation }: Pick<Config, 'verifierAttestation'>,
): KeptReason | undefined {
  if (certified && isDefault) return 'certificate-file'
  return attestation !== undefined && attests(attestation, publicJwk) ? 'attestation' : undefined
}

/** The algorithm and the place of a new key. By default it has both from the former key. ES384 only comes from files, so ES256 follows. */
export function newKeyOf(
  former: Pick<SigningRecord, 'alg' | 'provider'>,
  { algorithm, provider }: Pick<RotationOptions, 'algorithm' | 'provider'>,
): { readonly algorithm: SigningAlgorithm; readonly provider: string } {
  return {
    algorithm: algorithm ?? (former.alg === 'EdDSA' ? 'EdDSA' : 'ES256'),
    provider: provider ?? former.provider ?? DATABASE,
  }
}

/** The outcome for one key set. Unless it is `rotated`, nothing is written. `late`: another rotation was faster. */
export type KeySetOutcome =
  | { readonly outcome: 'rotated'; readonly records: readonly RotatedRecord[] }
  | { readonly outcome: 'kept'; readonly reason: KeptReason }
  | { readonly outcome: 'late' }

/**
 * Gives one key set a new key, in one transaction.
 *
 * @param records all records of the key set: at least one
 * @throws 503 if the key provider cannot make the key now; then nothing is written
 */
export async function rotateKeySet(
  [first, ...others]: readonly [SigningRecord, ...SigningRecord[]],
  options: RotationOptions,
): Promise<KeySetOutcome> {
  const { config, actor } = options
  const reason = reasonToKeep(first, config)
  if (reason !== undefined) return { outcome: 'kept', reason }
  const { algorithm, provider } = newKeyOf(first, options)
  const key = await newSigningKey(options, algorithm, provider === DATABASE ? undefined : provider)
  const rotation = rotationTo(key, first, [first, ...others], { config, at: options.clock(), actor })
  if (!(await options.store.rotate(rotation))) return { outcome: 'late' }
  return {
    outcome: 'rotated',
    records: rotation.records.map((record) => ({ ...record, uncertified: first.certified })),
  }
}

/**
 * Gives every issuer and verifier record a new key, each key set in its own transaction.
 * Running processes use the new key from their next signature on. If the DID is derived from the key, the record
 * moves to the new DID. Former keys stay published, and lists that they signed stay signed by them.
 *
 * A key is left unchanged if its certificate or attestation is in the configuration ({@link reasonToKeep}). A certificate that
 * was set for a single record stays with the former key. The record then identifies itself by its DID until it gets a new
 * certificate.
 *
 * @returns the records with new keys, and the records that kept their keys, in the order of their creation.
 */
export async function rotateKeys(
  options: RotationOptions & { readonly store: Pick<KeyRotationStore, 'signingRecords'> },
): Promise<{ readonly rotated: readonly RotatedRecord[]; readonly kept: readonly SigningRecord[] }> {
  const byKeySet = new Map<string, [SigningRecord, ...SigningRecord[]]>()
  for (const record of await options.store.signingRecords()) {
    const known = byKeySet.get(record.keySetId)
    if (known === undefined) byKeySet.set(record.keySetId, [record])
    else known.push(record)
  }
  const rotated: RotatedRecord[] = []
  const kept: SigningRecord[] = []
  for (const records of byKeySet.values()) {
    const done = await rotateKeySet(records, options)
    if (done.outcome === 'kept') kept.push(...records)
    if (done.outcome === 'rotated') rotated.push(...done.records)
  }
  return { rotated, kept }
}
