import { type KeyMaking, type NewKey, newSigningKey } from '../keys/new-key.js'
import { didJwk } from '../protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../protocol/did/did-key.js'
import { didWebFromUrl } from '../protocol/did/did-web.js'
import { type Jwk, thumbprint } from '../protocol/jose/jws.js'
import type { DidPurpose, NewDid } from './store.js'

/** DID methods that a caller may request. This service hosts the documents of did:web. */
export type DidMethod = 'key' | 'web'

export type SigningAlgorithm = 'ES256' | 'EdDSA'

/** A key set with its DIDs, ready to be stored. */
export interface NewIdentity {
  readonly keySetId: string
  readonly key: NewKey
  readonly dids: readonly NewDid[]
  /** The DID with which the key set signs. */
  readonly did: string
}

export interface IdentityRequest {
  readonly method: DidMethod
  readonly purpose: DidPurpose
  readonly createdBy: string | null
  readonly holderId?: string
  /** The base URL that hosts a did:web. */
  readonly baseUrl: string
  readonly alg?: SigningAlgorithm | undefined
  /** The key provider that makes and keeps the key; undefined for the database. */
  readonly provider?: string | undefined
  /** A key that exists in a key provider. By default a new key is made. */
  readonly key?: NewKey | undefined
}

/**
 * Returns the DID with which a record signs: its did:web if other parties can resolve the did:web (https), otherwise a
 * DID that is made from the key.
 */
export function signingDidOf(method: string, didWeb: string | undefined, baseUrl: string, publicJwk: Jwk): string {
  if (method === 'key') return didKeyFromJwk(publicJwk)
  return didWeb !== undefined && baseUrl.startsWith('https:') ? didWeb : didJwk(publicJwk)
}

/**
 * The absolute id of a key in a DID document. For did:web it is the key's thumbprint (RFC 7638), so that keys can be
 * rotated. For did:jwk and did:key, the specifications of these methods define the id.
 */
export function keyIdOf(did: string, publicJwk: Jwk): string {
  if (did.startsWith('did:jwk:')) return `${did}#0`
  if (did.startsWith('did:key:')) return `${did}#${did.slice('did:key:'.length)}`
  return `${did}#${thumbprint(publicJwk)}`
}

/** The function {@link newIdentity} of a running service. */
export type Identify = (request: IdentityRequest) => Promise<NewIdentity>

/**
 * Makes a key pair, unless the request has a key, and its DIDs. Issuer and verifier records get a did:jwk in addition to their did:web.
 *
 * @throws 503 if the key provider cannot make the key now
 */
export async function newIdentity(making: KeyMaking, request: IdentityRequest): Promise<NewIdentity> {
  const { newId } = making
  const keySetId = newId()
  const key = request.key ?? (await newSigningKey(making, request.alg ?? 'ES256', request.provider))
  const { publicJwk } = key
  const common = {
    purpose: request.purpose,
    createdBy: request.createdBy,
    keySetId,
    holderId: request.holderId ?? null,
  }
  const ofKey = (did: string, method: string): NewDid => ({ ...common, did, method, uuid: null, keyId: key.id })
  if (request.method === 'key') {
    const did = didKeyFromJwk(publicJwk)
    return { keySetId, key, did, dids: [ofKey(did, 'key')] }
  }
  const uuid = newId()
  const didWeb = didWebFromUrl(request.baseUrl, uuid)
  const web: NewDid = { ...common, did: didWeb, method: 'web', uuid, keyId: null }
  const signs = request.purpose === 'issuer' || request.purpose === 'verifier'
  if (!signs) return { keySetId, key, did: didWeb, dids: [web] }
  const did = signingDidOf('web', didWeb, request.baseUrl, publicJwk)
  return { keySetId, key, did, dids: [web, ofKey(didJwk(publicJwk), 'jwk')] }
}
