import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ServiceError } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { keyIdOf, signingDidOf } from '../dids/identity.js'
import type { DocumentSigners } from '../keys/document-signers/document-signers.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { issuerNameOf } from '../protocol/sd-jwt-vc/issuer-name.js'
import {
  BITSTRING_STATUS_LIST_MEDIA_TYPE,
  createBitstringStatusListCredential,
} from '../protocol/status-list/bitstring.js'
import {
  createTokenStatusList,
  STATUS_LIST_CWT_MEDIA_TYPE,
  TOKEN_STATUS_LIST_MEDIA_TYPE,
  type TokenStatusListInput,
} from '../protocol/status-list/token-status-list.js'
import type { SetIndex, StatusListRecord, StatusListStore } from './store.js'

/**
 * A Bitstring Status List with the purpose `revocation` or with the purpose `suspension`, or a Token Status List as a JWT or as a
 * CWT.
 */
export type StatusListForm = 'bitstring' | 'suspension' | 'token' | 'cwt'

const MAX_PUBLISHED = 500
const MAX_PUBLISHED_BYTES = 16 * 1024 * 1024

const compress = promisify<string | Uint8Array, Uint8Array>(gzip)

export interface PublishedList {
  readonly body: string | Uint8Array
  /** The body, compressed with gzip. */
  readonly gzipped: Uint8Array
  readonly mediaType: string
  readonly etag: string
  /** The header `Cache-Control` for the rest of the list's validity. */
  readonly cacheControl: string
}

interface Cached extends Omit<PublishedList, 'cacheControl'> {
  readonly version: number
  readonly expiresAt: number
}

const PATHS: Readonly<Record<StatusListForm, (id: string) => string>> = {
  bitstring: (id) => `status-lists/${id}`,
  suspension: (id) => `status-lists/${id}/suspension`,
  token: (id) => `token-status-lists/${id}`,
  cwt: (id) => `token-status-lists/${id}`,
}

export const statusListUri = (config: Pick<Config, 'issuerBaseUrl'>, form: StatusListForm, id: string): string =>
  `${config.issuerBaseUrl}/${PATHS[form](id)}`

/** The address of the Status List Aggregation (Token Status List §9). */
export const aggregationUri = (config: Pick<Config, 'issuerBaseUrl'>): string =>
  `${config.issuerBaseUrl}/token-status-lists`

type NamingConfig = Pick<Config, 'issuerBaseUrl' | 'sdJwtIssuer'>

/** The configuration of published lists. */
export type PublicationConfig = NamingConfig & Pick<Config, 'statusListExpirySeconds' | 'statusListTtlSeconds'>

/**
 * Lets caches use a list for its `ttl`. If the service cannot be reached, a cache may use the list until it expires (RFC 5861 §4),
 * and never longer. There is no `s-maxage`, which would forbid a shared cache to do so (RFC 9111 §5.2.2.10).
 *
 * @param left the seconds until the list expires
 */
function cacheControlOf({ statusListTtlSeconds: ttl }: PublicationConfig, left: number): string {
  const fresh = Math.max(0, Math.min(ttl, left))
  const stale = Math.max(0, left - fresh)
  return `public, max-age=${fresh}${stale === 0 ? '' : `, stale-if-error=${stale}`}`
}

interface SigningInput {
  readonly config: NamingConfig
  /** The DID of the list's signer. */
  readonly did: string
  readonly validUntil: Date
  readonly list: StatusListRecord
  /** The chain that the list carries. A Bitstring Status List carries none. */
  readonly x5c: readonly string[] | null
  readonly revokedIndices: readonly number[]
  readonly suspendedIndices: readonly number[]
  readonly common: Pick<TokenStatusListInput, 'signer' | 'size' | 'issuedAt' | 'ttlSeconds'>
}

const indicesOf = (set: readonly SetIndex[], status: 'revoked' | 'suspended'): number[] =>
  set.filter((each) => each[status]).map(({ index }) => index)

/** The input for both formats of a Token Status List. */
function tokenListOf(input: SigningInput): TokenStatusListInput {
  const { config, did, validUntil, list, x5c, common, revokedIndices, suspendedIndices } = input
  return {
    ...common,
    revokedIndices,
    ...(list.bits === 2 ? { suspendedIndices } : {}),
    // The issuer is the same as in the credentials of the list. One key signs the list and the credentials, or vouches for
    // the signers of both (Token Status List, "Key Resolution and Trust Management").
    issuer: issuerNameOf(config, did, x5c),
    ...(x5c === null ? {} : { x5c }),
    uri: statusListUri(config, 'token', list.id),
    aggregationUri: aggregationUri(config),
    expiresAt: validUntil,
  }
}

interface Signed {
  readonly body: string | Uint8Array
  readonly mediaType: string
}

const bitstringOf = async (
  form: 'bitstring' | 'suspension',
  { config, did, validUntil, list, common, revokedIndices, suspendedIndices }: SigningInput,
): Promise<Signed> => ({
  body: await createBitstringStatusListCredential({
    ...common,
    issuer: did,
    url: statusListUri(config, form, list.id),
    validUntil,
    statusPurpose: form === 'suspension' ? 'suspension' : 'revocation',
    setIndices: form === 'suspension' ? suspendedIndices : revokedIndices,
  }),
  mediaType: BITSTRING_STATUS_LIST_MEDIA_TYPE,
})

const SIGNING: Readonly<Record<StatusListForm, (input: SigningInput) => Promise<Signed>>> = {
  bitstring: (input) => bitstringOf('bitstring', input),
  suspension: (input) => bitstringOf('suspension', input),
  token: async (input) => ({
    body: await createTokenStatusList(tokenListOf(input)),
    mediaType: TOKEN_STATUS_LIST_MEDIA_TYPE,
  }),
  cwt: async (input) => {
    const { createStatusListCwt } = await import('../protocol/mdoc/mdoc.js')
    return { body: await createStatusListCwt(tokenListOf(input)), mediaType: STATUS_LIST_CWT_MEDIA_TYPE }
  },
}

/**
 * Returns the DID of a list's signer. After a key rotation, a list is still signed with its former key, and therefore
 * under the DID of the former key.
 */
function didOfList(list: StatusListRecord, config: NamingConfig): string {
  const web = list.issuerDid.startsWith('did:web:') ? list.issuerDid : undefined
  return signingDidOf(list.issuerMethod, web, config.issuerBaseUrl, list.publicJwk)
}

/**
 * Returns the current signed list; undefined for an unknown list, and for suspensions in a list of one bit. It needs only one
 * statement if no status changed since the last request.
 */
export type Publish = (form: StatusListForm, id: string) => Promise<PublishedList | undefined>

/** Dependencies of {@link createPublication}. */
export interface PublicationPorts {
  readonly store: Pick<StatusListStore, 'find' | 'setIndices'>
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly config: PublicationConfig
  readonly clock: () => Date
}

/** Signs lists, and caches a signed list until the status of one of its credentials changes. */
export function createPublication({ store, documentSigners, config, clock }: PublicationPorts): Publish {
  const published = new LruMap<string, Cached>(MAX_PUBLISHED, MAX_PUBLISHED_BYTES)
  const signing = new Map<string, Promise<Cached>>()
  const validityMs = config.statusListExpirySeconds * 1000

  /** A list is signed again when half of its validity has passed. */
  const isUsable = ({ expiresAt }: Cached): boolean => clock().getTime() < expiresAt - validityMs / 2

  const answered = ({ version: _version, expiresAt, ...list }: Cached): PublishedList => ({
    ...list,
    cacheControl: cacheControlOf(config, Math.floor((expiresAt - clock().getTime()) / 1000)),
  })

  const sign = async (form: StatusListForm, list: StatusListRecord): Promise<Cached> => {
    const did = didOfList(list, config)
    const key = { keyId: list.keyId, kid: keyIdOf(did, list.publicJwk), x5c: list.x5c }
    const hasChain = form === 'token' || form === 'cwt'
    const { signer, x5c } = await documentSigners.signerOf(key, hasChain ? 'token' : undefined)
    const set = await store.setIndices(list.id)
    const issuedAt = clock()
    const validUntil = new Date(issuedAt.getTime() + validityMs)
    const common = {
      signer,
      size: list.size,
      issuedAt,
      ttlSeconds: config.statusListTtlSeconds,
    }
    const [revokedIndices, suspendedIndices] = [indicesOf(set, 'revoked'), indicesOf(set, 'suspended')]
    const signing = { config, did, validUntil, list, x5c, common, revokedIndices, suspendedIndices }
    const { body, mediaType } = await SIGNING[form](signing)
    // RFC 9110 §8.8.3.3: the JWT and the CWT have the same URL, so their ETags must differ.
    const suffix = form === 'cwt' ? '-cwt' : ''
    return {
      body,
      gzipped: await compress(body),
      mediaType,
      etag: `"${list.version}-${Math.floor(issuedAt.getTime() / 1000)}${suffix}"`,
      version: list.version,
      // `exp` has whole seconds.
      expiresAt: Math.floor(validUntil.getTime() / 1000) * 1000,
    }
  }

  /** Concurrent requests for one version wait for the same signature. */
  const signOnce = (form: StatusListForm, list: StatusListRecord): Promise<Cached> => {
    const name = `${form} ${list.id} ${list.version}`
    const running = signing.get(name)
    if (running !== undefined) return running
    const started = sign(form, list).finally(() => signing.delete(name))
    signing.set(name, started)
    return started
  }

  return async (form, id) => {
    const list = await store.find(id)
    if (list === undefined || (form === 'suspension' && list.bits === 1)) return undefined
    const name = `${form} ${id}`
    const known = published.get(name)
    if (known !== undefined && known.version === list.version && isUsable(known)) return answered(known)
    const signed = await signOnce(form, list).catch((error: unknown) => {
      // The list is right until it expires, if no status changed. So a key provider that is away disturbs nobody until then.
      const isRight = known?.version === list.version && clock().getTime() < known.expiresAt
      if (isRight && error instanceof ServiceError && error.status === 503) return known
      throw error
    })
    published.set(name, signed, signed.body.length + signed.gzipped.length)
    return answered(signed)
  }
}
