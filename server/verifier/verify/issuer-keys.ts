import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.js'
import type { CertifiedIssuerKey } from '../../keys/store.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError, type FoundIssuerKey, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { authorityIn } from '../../protocol/issuer-keys/authority.js'
import { readX5c, verifyCertificateChain } from '../../protocol/issuer-keys/certificate-chain.js'
import { claimedIssuer, IssuerKeyError, resolveIssuerKey } from '../../protocol/issuer-keys/resolve-issuer-key.js'
import { x5cIssuerKey } from '../../protocol/issuer-keys/x5c-issuer.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { verificationKey } from '../../protocol/jose/verification-key.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import type { VerificationFetches } from './fetches.js'
import type { Recorder } from './recorder.js'

/** The address of an issuer's published keys (SD-JWT VC §3: the well-known string is between host and path). */
function jwtVcIssuerUrl(issuerBaseUrl: string): string {
  const { origin, pathname } = new URL(issuerBaseUrl)
  return `${origin}/.well-known/jwt-vc-issuer${pathname === '/' ? '' : pathname}`
}

/** The name of a credential in error messages. Other signed documents have other names. */
export const CREDENTIAL = 'Credential'

/** The signer in error messages: "Issuer" for a credential, otherwise the name of the signed document and "issuer". */
const ofWhat = (what: string): string => (what === CREDENTIAL ? 'Issuer' : `${what} issuer`)

/**
 * Turns errors that a caller's input can cause into refusals that name the signed document. All other errors are faults of this
 * service and are returned unchanged.
 */
function refusal(thrown: unknown, what: string): unknown {
  const known =
    thrown instanceof IssuerKeyError || thrown instanceof DidResolutionError || thrown instanceof OutboundError
  if (!known) return thrown
  const message = `${ofWhat(what)} key cannot be resolved: ${thrown.message}`
  return new CredentialError(message, { check: 'issuer-key', cause: thrown })
}

interface OwnKeys {
  /**
   * The metadata of this issuer. If the issuer has many keys, the metadata contain only the key that the header names.
   */
  readonly metadata: IssuerKeySet
  /** The key in the first certificate of `x5c`, and the own key that vouches for it, if it is the key of a document signer. */
  readonly certified: { readonly jwk: Jwk; readonly authority?: Jwk } | undefined
}

function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey
  } catch {
    // The certificate has an unknown kind of key, so it is not a key of this installation.
    return undefined
  }
}

/** The key of this installation that `x5c` certifies. The chain need not be verified: the owner of the key is known. */
function certifiedOf(certificate: X509Certificate | undefined, keys: readonly Jwk[]): Jwk | undefined {
  const key = certificate === undefined ? undefined : publicKeyOf(certificate)
  return key === undefined ? undefined : keys.find((jwk) => verificationKey(jwk).equals(key))
}

/**
 * The key of a document signer of this installation, and the own key that signed its certificate. The chain is verified like the chain
 * of any other issuer. The trust anchors are the certificates of own keys, and the authority in the chain if it is a certificate of an
 * own key. So the documents of a signer stay valid after the own key gets another certificate.
 */
function documentSignerOf(
  [leaf, above]: readonly X509Certificate[],
  keys: readonly Jwk[],
  certified: readonly CertifiedIssuerKey[],
  now: Date,
): { readonly jwk: Jwk; readonly authority: Jwk } | undefined {
  if (leaf === undefined) return undefined
  const sent = certifiedOf(above, keys)
  const authorities = [
    ...(above === undefined || sent === undefined ? [] : [{ publicJwk: sent, authority: above }]),
    ...certified.map(({ publicJwk, x5c }) => ({ publicJwk, authority: authorityIn(x5c) })),
  ]
  for (const { publicJwk, authority } of authorities) {
    if (authority === undefined || !leaf.checkIssued(authority)) continue
    try {
      const { jwk } = verifyCertificateChain([leaf], { trustAnchors: [authority], now, purpose: 'credential' })
      return { jwk, authority: publicJwk }
    } catch (thrown) {
      // Another key may have the same name and key identifier.
      if (!(thrown instanceof IssuerKeyError)) throw thrown
    }
  }
  return undefined
}

const named = (
  { kid }: JsonObject,
  { jwk, issuer, certificate, authority, listed }: FoundIssuerKey,
): FoundIssuerKey => ({
  jwk,
  issuer,
  ...(typeof kid === 'string' ? { kid } : {}),
  ...(authority === undefined ? {} : { authority }),
  ...(certificate === undefined ? {} : { certificate }),
  ...(listed === undefined ? {} : { listed }),
})

/**
 * The types of a credential that is not verified yet: `vct`, the types of a W3C credential, and a doctype. A credential of one format
 * may have members of another, so all of them count. Otherwise an issuer could choose the type that a trusted list is asked for.
 */
export function typesOf({ vct, docType, vc, type }: JsonObject): readonly string[] {
  const types = [vct, docType, isObject(vc) ? vc.type : type].flat()
  return [...new Set(types)].filter((one): one is string => typeof one === 'string' && one !== 'VerifiableCredential')
}

/** The published keys of this service as an issuer (SD-JWT VC §3.2). */
export interface IssuerKeySet {
  readonly issuer: string
  readonly jwks: { readonly keys: readonly Jwk[] }
}

/** Dependencies of {@link createIssuerKeys}. */
export interface IssuerKeysPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'allowInsecureHttp' | 'trustAnchors' | 'listed'>
  /** Reads the keys of this service from the database. */
  readonly ownKeySet: () => Promise<IssuerKeySet>
  /** Reads the own keys that have a certificate. */
  readonly ownCertifiedKeys: () => Promise<readonly CertifiedIssuerKey[]>
}

/** Ways to find issuers' keys. */
export function createIssuerKeys({ config, ownKeySet, ownCertifiedKeys }: IssuerKeysPorts) {
  /**
   * Reads the key set of this service as an issuer, before the key search. Otherwise the search would report an
   * unavailable database as an unreachable issuer. Only the key that the header names is used.
   */
  const ownKeys = async (header: JsonObject, payload: JsonObject, now: Date): Promise<OwnKeys | undefined> => {
    if (payload.iss !== config.issuerBaseUrl) return undefined
    const { issuer, jwks } = await ownKeySet()
    const keys = jwks.keys.filter(({ kid }) => header.kid === undefined || header.kid === kid)
    const metadata = { issuer, jwks: { keys } }
    if (header.x5c === undefined) return { metadata, certified: undefined }
    const chain = readX5c(header.x5c)
    const own = certifiedOf(chain[0], jwks.keys)
    if (own !== undefined) return { metadata, certified: { jwk: own } }
    return { metadata, certified: documentSignerOf(chain, jwks.keys, await ownCertifiedKeys(), now) }
  }

  const ownKeysOrRefusal = (what: string, ...args: Parameters<typeof ownKeys>) =>
    ownKeys(...args).catch((thrown: unknown) => {
      throw refusal(thrown, what)
    })

  return {
    /**
     * Finds issuers' keys by `x5c` chains to TRUST_ANCHORS or to a trusted list, also for issuers of this installation. Nothing is fetched.
     *
     * @param withoutRoots whether a chain that holds its trust anchor is refused
     */
    certified:
      (now: Date, { withoutRoots }: { readonly withoutRoots: boolean }): ResolveIssuerKey =>
      async (header, payload, what = CREDENTIAL) => {
        try {
          if (header.x5c === undefined) throw new IssuerKeyError('The header has no x5c.')
          const { trustAnchors, listed } = config
          const io = { trustAnchors, lists: listed?.credentials, types: typesOf(payload), now, withoutRoots }
          return named(header, x5cIssuerKey(header.x5c, claimedIssuer({ ...payload }), io))
        } catch (thrown) {
          throw refusal(thrown, what)
        }
      },

    /**
     * Finds issuers' keys: by the DID resolver, by the metadata of https issuers, or by `x5c` chains. This service's
     * own metadata are read without HTTP.
     */
    any(fetches: VerificationFetches, now: Date, recorder?: Recorder): ResolveIssuerKey {
      const ownUrl = jwtVcIssuerUrl(config.issuerBaseUrl)
      const noted = new Map<string, Jwk>()
      const note = (keys: readonly Jwk[]) => {
        for (const jwk of keys) noted.set(JSON.stringify(jwk), jwk)
        const content = { issuer: config.issuerBaseUrl, jwks: { keys: [...noted.values()] } }
        recorder?.read({ kind: 'issuer-keys', address: ownUrl, own: true, content })
      }
      return async (header, payload, what = CREDENTIAL) => {
        const own = await ownKeysOrRefusal(what, header, payload, now)
        if (own?.certified !== undefined) {
          note([own.certified.jwk])
          return { ...own.certified, issuer: config.issuerBaseUrl }
        }
        if (own !== undefined) note(own.metadata.jwks.keys)
        const io = {
          resolveDid: fetches.resolveDid,
          fetchJson: async (url: string) =>
            url === ownUrl && own !== undefined ? own.metadata : fetches.fetchJson(url),
          trustAnchors: config.trustAnchors,
          lists: config.listed?.credentials,
          types: typesOf(payload),
          now,
          allowHttp: config.allowInsecureHttp,
        }
        try {
          return named(header, await resolveIssuerKey({ ...header }, { ...payload }, io))
        } catch (thrown) {
          throw refusal(thrown, what)
        }
      }
    },
  }
}
