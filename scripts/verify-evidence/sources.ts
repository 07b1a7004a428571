import { X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  CredentialError,
  type ResolveIssuerKey,
  type StatusReference,
} from '../../server/protocol/credential/verification.js'
import { type DidKeys, zDidKeys } from '../../server/protocol/did/did-document.js'
import { DidResolutionError, resolveDid } from '../../server/protocol/did/resolve-did.js'
import {
  claimedIssuer,
  IssuerKeyError,
  resolveIssuerKey,
} from '../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { trustedChain } from '../../server/protocol/issuer-keys/trusted-chain.js'
import { x5cIssuerKey } from '../../server/protocol/issuer-keys/x5c-issuer.js'
import { isSameKey, type Jwk } from '../../server/protocol/jose/jws.js'
import type { JsonObject } from '../../server/protocol/json/json-object.js'
import type { StatusSource } from '../../server/protocol/status-list/foreign-status.js'
import type { Work } from '../../server/protocol/work.js'
import type { SourceRecord, StoredEvidence } from '../../server/verifier/evidence/package.js'

const certificateOf = (der: string): X509Certificate => new X509Certificate(Buffer.from(der, 'base64'))

/** Roots that cannot be parsed are left out, so they prove nothing. */
function certificatesOf(ders: readonly string[]): X509Certificate[] {
  return ders.flatMap((der) => {
    try {
      return [certificateOf(der)]
    } catch {
      return []
    }
  })
}

/** A key that was found again. `chain` is set if a certificate chain proves the key. */
interface Found {
  readonly jwk: Jwk
  readonly issuer: string
  readonly certificate?: X509Certificate
  readonly chain?: readonly string[]
}

const notThere = (address: string): string => `${address} is not in the evidence.`

/**
 * Returns functions that read documents, keys and roots from a package. They replace the network and the configuration
 * of a service.
 */
export function sourcesOf({ sources, keys, trustAnchors, rules, answeredAt }: StoredEvidence) {
  const now = new Date(answeredAt)
  const anchors = certificatesOf(trustAnchors.credentials)
  const statusAnchors = certificatesOf(trustAnchors.statusLists)

  const contentOf = (kind: SourceRecord['kind'], address: string): SourceRecord['content'] =>
    sources.find((source) => source.kind === kind && source.address === address)?.content

  const didKeys = async (did: string): Promise<DidKeys> => {
    const recorded = contentOf('did-document', did)
    if (recorded === undefined) throw new DidResolutionError(notThere(did))
    const document = zDidKeys.parse(recorded)
    if (did.startsWith('did:web:')) return document
    // For all other methods, the keys can be computed from the DID itself.
    const computed = await resolveDid(did, {
      allowHttp: false,
      fetchJson: () => Promise.reject(new Error(notThere(did))),
    })
    if (!isDeepStrictEqual(zDidKeys.parse(computed), document))
      throw new DidResolutionError(`The keys of ${did} differ from the keys in the DID.`)
    return computed
  }

  const fetchJson = async (address: string): Promise<unknown> => {
    const content = contentOf('issuer-keys', address)
    if (content === undefined) throw new Error(notThere(address))
    return content
  }

  /** Returns the key that a certificate chain to a root of the package certifies. */
  const certifiedKey = (header: JsonObject, payload: JsonObject): Found => {
    const io = { trustAnchors: anchors, now, withoutRoots: rules.certifiedOnly }
    const { path } = trustedChain(header.x5c, { ...io, purpose: 'credential' })
    const chain = path.map(({ raw }) => raw.toString('base64'))
    return { ...x5cIssuerKey(header.x5c, claimedIssuer({ ...payload }), io), chain }
  }

  /** Returns the key from a document of the package, or from the DID itself. */
  const publishedKey = (header: JsonObject, payload: JsonObject): Promise<Found> =>
    resolveIssuerKey(
      { ...header },
      { ...payload },
      { resolveDid: didKeys, fetchJson, trustAnchors: [], now, allowHttp: true },
    )

  /** Checks that the package contains the key. @throws IssuerKeyError if it does not */
  const compared = (of: string, found: Found): Found => {
    const { issuer, jwk, chain } = found
    const isRecorded = keys.some(
      (key) =>
        key.of === of && key.issuer === issuer && isSameKey(key.jwk, jwk) && isDeepStrictEqual(key.certificates, chain),
    )
    if (!isRecorded) throw new IssuerKeyError(`The key of ${issuer} is not the key in the evidence.`)
    return found
  }

  const find = async (of: string, header: JsonObject, payload: JsonObject): Promise<Found> => {
    const [leaf] = Array.isArray(header.x5c) ? (header.x5c as unknown[]) : []
    const isCertified = keys.some(({ certificates }) => certificates !== undefined && certificates[0] === leaf)
    if (!isCertified) return compared(of, await publishedKey(header, payload))
    try {
      return compared(of, certifiedKey(header, payload))
    } catch (thrown) {
      if (!(thrown instanceof IssuerKeyError)) throw thrown
      // The same certificate may prove one credential by its chain. In a different credential it may only select the
      // published key.
      return publishedKey(header, payload).then(
        (found) => compared(of, found),
        () => Promise.reject(thrown),
      )
    }
  }

  /** Finds a key again, and compares it with the key in the package. */
  const resolve: ResolveIssuerKey = async (header, payload, what = 'Credential') => {
    try {
      const { jwk, issuer, certificate } = await find(what, header, payload)
      const { kid } = header
      return {
        jwk,
        issuer,
        ...(typeof kid === 'string' ? { kid } : {}),
        ...(certificate === undefined ? {} : { certificate }),
      }
    } catch (thrown) {
      if (!(thrown instanceof IssuerKeyError || thrown instanceof DidResolutionError)) throw thrown
      throw new CredentialError(`${what} key cannot be found: ${thrown.message}`, {
        check: 'issuer-key',
        cause: thrown,
      })
    }
  }

  const list = (address: string, mediaType: string): SourceRecord => {
    const source = sources.find(
      (one) => one.kind === 'status-list' && one.address === address && one.mediaType === mediaType,
    )
    if (source?.content === undefined) throw new Error(notThere(address))
    return source
  }

  return {
    anchors,
    resolveDid: didKeys,
    resolveIssuerKey: resolve,

    fetchTypeMetadata: async (vct: string): Promise<string | undefined> => {
      const text = contentOf('type-metadata', vct)
      return typeof text === 'string' ? text : undefined
    },

    /** Reads the lists of the package. A list of this installation is signed with the credential's own key. */
    statusSource(reference: StatusReference, work: Work): StatusSource {
      const address = 'uri' in reference ? reference.uri : reference.statusListCredential
      const isOwn = sources.some(
        (source) => source.kind === 'status-list' && source.address === address && source.own === true,
      )
      return {
        fetchText: async (url, accept) => String(list(url, accept).content),
        fetchBytes: async (url, accept) => {
          const { content, encoding = 'utf8' } = list(url, accept)
          return Buffer.from(String(content), encoding)
        },
        resolveIssuerKey: resolve,
        trustAnchors: statusAnchors,
        certifiedOnly: rules.certifiedOnly && !isOwn,
        now,
        leewaySeconds: rules.leewaySeconds,
        work,
      }
    },
  }
}
