import type { X509Certificate } from 'node:crypto'
import type { FoundIssuerKey } from '../../protocol/credential/verification.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import type { ListedTrust } from '../../protocol/issuer-keys/listed-trust.js'
import { isAnchored, trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { type Jwk, publicJwkOf } from '../../protocol/jose/jws.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { VerificationFetches } from './fetches.js'

/** A document that a verification read. */
export interface ReadSource {
  readonly kind: 'did-document' | 'issuer-keys' | 'status-list' | 'type-metadata'
  /** Its address, or the DID. */
  readonly address: string
  /** The media type that was asked for. */
  readonly mediaType?: string
  readonly fetchedAt: Date
  /** Whether it belongs to this installation. */
  readonly own?: true
  readonly content: string | Uint8Array | Readonly<Record<string, unknown>>
}

/** A key that was found for a signer. */
export interface FoundKey {
  /** The signed object: `Credential` or `Status list`. */
  readonly of: string
  readonly issuer: string
  readonly kid?: string
  readonly jwk: Jwk
  /** The verified chain from the signer to the trust anchor, base64 DER. */
  readonly certificates?: readonly string[]
  readonly foundAt: Date
}

/** The roots for one purpose, and how a chain to them is verified. */
export interface Anchors {
  readonly trustAnchors: readonly X509Certificate[]
  readonly lists?: ListedTrust | undefined
  readonly types?: readonly string[]
  readonly now: Date
  readonly withoutRoots: boolean
}

const base64 = ({ raw }: X509Certificate): string => raw.toString('base64')

/** The verified chain of an `x5c`, base64 DER; undefined if it leads to none of the anchors. */
function chainOf(x5c: unknown, anchors: Anchors): readonly string[] | undefined {
  if (x5c === undefined || !isAnchored(anchors)) return undefined
  try {
    return trustedChain(x5c, { ...anchors, purpose: 'credential' }).path.map(base64)
  } catch (thrown) {
    if (thrown instanceof IssuerKeyError) return undefined
    throw thrown
  }
}

/** Notes what a verification reads and finds, for evidence. It changes no outcome. */
export class Recorder {
  readonly #sources = new Map<string, ReadSource>()
  readonly #keys = new Map<string, FoundKey>()
  readonly #anchors = { credentials: new Set<string>(), statusLists: new Set<string>() }
  readonly #clock: () => Date

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  /** In the order in which they were read. */
  get sources(): readonly ReadSource[] {
    return [...this.#sources.values()]
  }

  get keys(): readonly FoundKey[] {
    return [...this.#keys.values()]
  }

  /** The roots that chains led to, base64 DER. */
  anchors(purpose: 'credentials' | 'statusLists'): readonly string[] {
    return [...this.#anchors[purpose]]
  }

  /** Notes a document. Its newest content counts. @param fetchedAt by default now */
  read(source: Omit<ReadSource, 'fetchedAt'>, fetchedAt: Date = this.#clock()): void {
    this.#sources.set(`${source.kind} ${source.mediaType} ${source.address}`, { ...source, fetchedAt })
  }

  /** Notes the key that was found for a signed object. */
  found(of: string, { jwk, issuer, kid, certificate }: FoundIssuerKey, x5c: unknown, anchors: Anchors): void {
    const certificates = certificate === undefined ? undefined : chainOf(x5c, anchors)
    const key = {
      of,
      issuer,
      ...(kid === undefined ? {} : { kid }),
      jwk: publicJwkOf(jwk),
      ...(certificates === undefined ? {} : { certificates }),
    }
    this.#keys.set(JSON.stringify(key), { ...key, foundAt: this.#clock() })
    if (certificates !== undefined) this.chained('credentials', x5c, anchors)
  }

  /** Notes the root that a chain leads to, if it leads to one. */
  chained(purpose: 'credentials' | 'statusLists', x5c: unknown, anchors: Anchors): void {
    const root = chainOf(x5c, anchors)?.at(-1)
    if (root !== undefined) this.#anchors[purpose].add(root)
  }
}

/** Fetches whose results are noted. Each document is fetched once, so that all checks read the noted content. */
export function recordedFetches(fetches: VerificationFetches, recorder: Recorder): VerificationFetches {
  const known = new Map<string, Promise<unknown>>()
  const once = <Value>(name: string, start: () => Promise<Value>): Promise<Value> => {
    const before = known.get(name) as Promise<Value> | undefined
    if (before !== undefined) return before
    const started = start()
    known.set(name, started)
    return started
  }
  return {
    fetchedAt: fetches.fetchedAt,
    fetchJson: (address) =>
      once(`json ${address}`, async () => {
        const content = await fetches.fetchJson(address)
        // Any other JSON is refused as metadata and as a key set.
        if (isObject(content)) recorder.read({ kind: 'issuer-keys', address, content })
        return content
      }),
    fetchStatusList: (address, mediaType) =>
      once(`${mediaType} ${address}`, async () => {
        const content = await fetches.fetchStatusList(address, mediaType)
        recorder.read({ kind: 'status-list', address, mediaType, content })
        return content
      }),
    fetchStatusListBytes: (address, mediaType) =>
      once(`${mediaType} ${address}`, async () => {
        const content = await fetches.fetchStatusListBytes(address, mediaType)
        recorder.read({ kind: 'status-list', address, mediaType, content })
        return content
      }),
    fetchTypeMetadata: (address) =>
      once(`type ${address}`, async () => {
        const content = await fetches.fetchTypeMetadata(address)
        recorder.read({ kind: 'type-metadata', address, content })
        return content
      }),
    resolveDid: (did) =>
      once(did, async () => {
        const content = await fetches.resolveDid(did)
        recorder.read({ kind: 'did-document', address: did, content: { ...content } }, fetches.fetchedAt(did))
        return content
      }),
  }
}
