import type { X509Certificate } from 'node:crypto'
import type { DidKeys } from '../did/did-document.js'
import { isDid } from '../did/did-url.js'
import type { Jwk } from '../jose/jwk.js'
import { keyInX5c } from './certificate-chain.js'
import { belongsTo, didIssuerKey } from './did-issuer.js'
import { IssuerKeyError } from './issuer-key-error.js'
import { jwtVcIssuerKey } from './jwt-vc-issuer.js'
import type { ListedEntity, ListedTrust } from './listed-trust.js'
import { isAnchored } from './trusted-chain.js'
import { x5cIssuerKey } from './x5c-issuer.js'

export { IssuerKeyError } from './issuer-key-error.js'

// Limit of characters, since errors and log lines repeat the identifiers.
const MAX_LENGTH = 4096

/** An issuer's key, the identifier of its proven owner, and the method of the proof. */
export interface IssuerKey {
  jwk: Jwk
  /**
   * The DID or https URL that the credential names. If the key is proven by `x5c` and the certificate does not contain
   * this DID or URL, the name in the certificate.
   */
  issuer: string
  method: 'did' | 'x5c' | 'jwt-vc-issuer'
  /** The signer's certificate, if `x5c` proves the key. */
  certificate?: X509Certificate
  /** The key that certified the signer's certificate. */
  authority?: Jwk
  /** The entity of a trusted list that vouches for the certificate. */
  listed?: ListedEntity
}

/** Access to the network and the configuration that finding an issuer's key needs. */
export interface IssuerKeyIo {
  resolveDid(did: string): Promise<DidKeys>
  /** Gets a JSON document by its address; rejects if the document is unavailable. */
  fetchJson(url: string): Promise<unknown>
  /** The roots that `x5c` chains may lead to. */
  trustAnchors: readonly X509Certificate[]
  /** The trusted lists that `x5c` chains may lead to. */
  lists?: ListedTrust | undefined
  /** The types of the credential, for lists that are limited to types. */
  types?: readonly string[] | undefined
  now: Date
  /** Whether issuers may be http URLs, as in development. */
  allowHttp: boolean
}

/**
 * Finds the key that must have signed a credential or token, from its header and payload, which are not verified yet.
 * The key is bound to the returned issuer: an `assertionMethod` of its DID, the key of its certificate, or a key of its
 * published metadata. If several methods are possible, a `kid` of the DID `iss` has priority, then `x5c`, then the
 * metadata of an https `iss`. A `jwk` or `jku` of the header is never trusted. Throws IssuerKeyError. The caller
 * decides whether the issuer is trusted.
 */
export async function resolveIssuerKey(
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
  io: IssuerKeyIo,
): Promise<IssuerKey> {
  const kid = stringOrAbsent(header.kid, 'The kid')
  const issuer = claimedIssuer(payload)
  const { x5c } = header
  const anchored = x5c !== undefined && isAnchored(io)
  if (isDid(issuer) && (kid === undefined ? !anchored : x5c === undefined || belongsTo(kid, issuer))) {
    return { jwk: await didIssuerKey(issuer, kid, io), issuer, method: 'did' }
  }
  // An https issuer may publish its keys and have certificates too. Without a configured root, only the published keys
  // can be used.
  if (anchored || (x5c !== undefined && (issuer === undefined || isDid(issuer)))) {
    return { ...x5cIssuerKey(x5c, issuer, io), method: 'x5c' }
  }
  if (issuer === undefined) throw new IssuerKeyError('The issuer is missing.')
  // If the header has certificates and no kid, the first certificate selects the published key.
  const named = { alg: header.alg, kid, certified: kid === undefined && x5c !== undefined ? keyInX5c(x5c) : undefined }
  return { jwk: await jwtVcIssuerKey(issuer, named, io), issuer, method: 'jwt-vc-issuer' }
}

/**
 * The issuer that a payload claims: `iss`. A VCDM 2.0 document without `iss` names it in `issuer` (VC-JOSE-COSE). If
 * `iss` and `issuer` are present, they must be equal. Throws IssuerKeyError.
 */
export function claimedIssuer(payload: Record<string, unknown>): string | undefined {
  const iss = stringOrAbsent(payload.iss, 'The issuer')
  if (!('@context' in payload)) return iss
  const issuer = issuerProperty(payload.issuer)
  if (iss !== undefined && issuer !== undefined && iss !== issuer) {
    throw new IssuerKeyError('iss and issuer name different issuers.')
  }
  return iss ?? issuer
}

function issuerProperty(issuer: unknown): string | undefined {
  const isObject = typeof issuer === 'object' && issuer !== null && 'id' in issuer
  return stringOrAbsent(isObject ? issuer.id : issuer, 'The issuer')
}

function stringOrAbsent(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw new IssuerKeyError(`${name} must be a string.`)
  if (value.length > MAX_LENGTH) throw new IssuerKeyError(`${name} is longer than ${MAX_LENGTH} characters.`)
  return value
}
