import { z } from 'zod'
import { type Jwk, publicJwkOf, readPublicJwk } from '../jose/jwk.js'
import { DidResolutionError } from './did-resolution-error.js'
import { decodeMultikey } from './multikey.js'

/**
 * Reduces a key to the members that verification reads. A key that is not accepted, for example a private key, becomes
 * an empty object.
 */
const zPublicKeyJwk = z.record(z.string(), z.unknown()).transform((value): Jwk => {
  const { key_ops, ...jwk } = readPublicJwk(value) ?? {}
  if (key_ops === undefined) return jwk
  return { ...jwk, key_ops: Array.isArray(key_ops) && key_ops.includes('verify') ? ['verify'] : [] }
})

const zVerificationMethod = z.object({
  id: z.string(),
  type: z.string(),
  controller: z.string(),
  publicKeyJwk: zPublicKeyJwk.exactOptional(),
  publicKeyMultibase: z.string().exactOptional(),
})

// A published document can have malformed or unknown entries. They are skipped, so that the other entries stay usable.
const wellFormed = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(z.unknown())
    .max(100)
    .transform((entries) => entries.flatMap((entry) => schema.safeParse(entry).data ?? []) as z.output<Schema>[])
    .exactOptional()

const zRelationship = wellFormed(z.union([z.string(), zVerificationMethod]))

/**
 * The parts of a DID document that this service reads: the DID and its keys (DID Core 1.0 §5). Other members, and
 * malformed entries, are dropped, so that a large document becomes small.
 */
export const zDidKeys = z.object({
  id: z.string(),
  verificationMethod: wellFormed(zVerificationMethod),
  authentication: zRelationship,
  assertionMethod: zRelationship,
})

export type DidKeys = z.output<typeof zDidKeys>
export type VerificationMethod = z.output<typeof zVerificationMethod>

/** A service of a DID document (DID Core 1.0 §5.4). */
export interface DidService {
  readonly id: string
  readonly type: string
  readonly serviceEndpoint: Readonly<Record<string, unknown>> | string
}

/** A DID document that this service publishes. */
export interface DidDocument extends DidKeys {
  readonly '@context': readonly string[]
  readonly alsoKnownAs?: readonly string[]
  readonly service?: readonly DidService[]
}

/** Purpose of a key (DID Core 1.0 §5.3): to issue credentials, or to prove control of the DID. */
export type VerificationPurpose = 'assertionMethod' | 'authentication'

const DID_CONTEXT = 'https://www.w3.org/ns/did/v1'
const JSON_WEB_KEY_2020_CONTEXT = 'https://w3id.org/security/suites/jws-2020/v1'
const LINKED_DOMAINS_CONTEXT = 'https://identity.foundation/.well-known/did-configuration/v1'

/**
 * Makes the document of a DID. Every key serves both purposes. A key's `id` is a DID URL, or its fragment with or
 * without `#`; only the public part of its `jwk` is written. If there is a `LinkedDomains` service, the context of this
 * service type is added (DIF Well Known DID Configuration).
 */
export function didDocument(input: {
  did: string
  keys: readonly { id: string; jwk: Jwk }[]
  alsoKnownAs?: readonly string[]
  services?: readonly DidService[]
}): DidDocument {
  const { did, keys, alsoKnownAs = [], services = [] } = input
  const verificationMethod = keys.map(({ id, jwk }) => ({
    id: id.startsWith('did:') ? id : absoluteId(did, id.startsWith('#') ? id : `#${id}`),
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk: publicJwkOf(jwk),
  }))
  const ids = verificationMethod.map(({ id }) => id)
  const linksDomains = services.some(({ type }) => type === 'LinkedDomains')
  return {
    '@context': [DID_CONTEXT, JSON_WEB_KEY_2020_CONTEXT, ...(linksDomains ? [LINKED_DOMAINS_CONTEXT] : [])],
    id: did,
    ...(alsoKnownAs.length === 0 ? {} : { alsoKnownAs: [...alsoKnownAs] }),
    verificationMethod,
    authentication: ids,
    assertionMethod: ids,
    ...(services.length === 0 ? {} : { service: [...services] }),
  }
}

/**
 * The key that `kid` names in a document, if the document lists it for the purpose. `kid` is a DID URL, a relative DID
 * URL (`#0`), or the DID without a fragment. The DID without a fragment names the only method of the document.
 * Undefined if the document lists no such key. The caller has checked that the document belongs to the requested DID.
 * Throws DidResolutionError for a method that is listed but unusable.
 */
export function findVerificationMethod(
  document: DidKeys,
  kid: string,
  purpose: VerificationPurpose,
): { id: string; jwk: Jwk } | undefined {
  if (kid === document.id) return onlyVerificationMethod(document, purpose)
  const wanted = absoluteId(document.id, kid)
  const method = methodsFor(document, purpose).find(({ id }) => absoluteId(document.id, id) === wanted)
  return method === undefined ? undefined : usableMethod(document, method)
}

/**
 * The key of a document that lists exactly one key for the purpose, else undefined. Throws DidResolutionError if that key
 * is unusable.
 */
export function onlyVerificationMethod(
  document: DidKeys,
  purpose: VerificationPurpose,
): { id: string; jwk: Jwk } | undefined {
  const [method, ...others] = methodsFor(document, purpose)
  return method === undefined || others.length > 0 ? undefined : usableMethod(document, method)
}

/** A relationship either embeds a method or refers to a method in `verificationMethod` (DID Core 1.0 §5.3). */
function methodsFor(document: DidKeys, purpose: VerificationPurpose): VerificationMethod[] {
  const methods = new Map(document.verificationMethod?.map((method) => [absoluteId(document.id, method.id), method]))
  return (document[purpose] ?? []).flatMap((entry) => {
    if (typeof entry !== 'string') return [entry]
    return methods.get(absoluteId(document.id, entry)) ?? []
  })
}

function usableMethod(document: DidKeys, method: VerificationMethod): { id: string; jwk: Jwk } {
  const id = absoluteId(document.id, method.id)
  // DID Core 1.0 §5.2: a method belongs to its controller. A method of a different DID proves nothing about this DID.
  if (method.controller !== document.id) {
    throw new DidResolutionError(`Verification method ${id} is controlled by another DID.`)
  }
  return { id, jwk: keyOf(method, id) }
}

function keyOf(method: VerificationMethod, id: string): Jwk {
  const { publicKeyJwk, publicKeyMultibase } = method
  // DID Core 1.0 §5.2.1: a method must not contain its key in two representations.
  if (publicKeyJwk !== undefined && publicKeyMultibase !== undefined) {
    throw new DidResolutionError(`Verification method ${id} has two public keys.`)
  }
  if (publicKeyMultibase !== undefined) return decodeMultikey(publicKeyMultibase)
  const jwk = readPublicJwk(publicKeyJwk)
  if (jwk === undefined) throw new DidResolutionError(`Verification method ${id} has no supported public key.`)
  return jwk
}

function absoluteId(did: string, id: string): string {
  return id.startsWith('#') ? `${did}${id}` : id
}
