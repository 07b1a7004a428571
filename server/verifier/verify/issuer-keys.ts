import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Deps } from '../../deps.js'
import { issuerKeySet, jwtVcIssuerUrl } from '../../dids/issuer-key-set.js'
import type { Admit } from '../../dids/resolver.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError, type FoundIssuerKey, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { readX5c } from '../../protocol/issuer-keys/certificate-chain.js'
import { claimedIssuer, IssuerKeyError, resolveIssuerKey } from '../../protocol/issuer-keys/resolve-issuer-key.js'
import { x5cIssuerKey } from '../../protocol/issuer-keys/x5c-issuer.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { verificationKey } from '../../protocol/jose/verification-key.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'

/** For all fetches of one verification together. */
const TOTAL_FETCH_MS = 8_000

/** Fetches of one verification: through the outbound guard, eight seconds for all of them unless said otherwise. */
export interface VerificationFetches {
  fetchJson(url: string): Promise<unknown>
  /** The text of a status list, which may be larger than anything else that is fetched. */
  fetchStatusList(url: string, accept: string): Promise<string>
  /** The same, for one that is no text. */
  fetchStatusListBytes(url: string, accept: string): Promise<Uint8Array>
  /** The type metadata of an SD-JWT VC; ten types at most, each once. */
  fetchTypeMetadata(vct: string): Promise<string>
  resolveDid(did: string): Promise<DidKeys>
}

/** As many as two credentials need that are five levels away from what was asked for. */
const MAX_TYPES = 10

const tooManyTypes = () =>
  new CredentialError(`More than ${MAX_TYPES} types would have to be looked up.`, { check: 'query' })

const tooLong = () =>
  new CredentialError('Fetching what the verification needs took too long.', { check: 'issuer-key' })

/**
 * @param admit may refuse to have the DID of another host resolved.
 * @param totalMs for all fetches together, from the first one on.
 */
export function verificationFetches(
  deps: Pick<Deps, 'outbound' | 'resolver'>,
  admit?: Admit,
  totalMs = TOTAL_FETCH_MS,
): VerificationFetches {
  let deadline: number | undefined
  const within = async <T>(start: () => Promise<T>): Promise<T> => {
    deadline ??= performance.now() + totalMs
    const left = deadline - performance.now()
    if (left <= 0) throw tooLong()
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooLong()), left)
    })
    try {
      return await Promise.race([start(), expired])
    } finally {
      clearTimeout(timer)
    }
  }
  const types = new Map<string, Promise<string>>()
  const fetchTypeMetadata = (vct: string): Promise<string> => {
    const known = types.get(vct)
    if (known !== undefined) return known
    if (types.size === MAX_TYPES) throw tooManyTypes()
    const fetched = within(async () => (await deps.outbound.fetchText(vct, { accept: 'application/json' })).text)
    types.set(vct, fetched)
    return fetched
  }
  return {
    fetchTypeMetadata,
    fetchJson: (url) => within(() => deps.outbound.fetchJson(url)),
    fetchStatusList: (url, accept) =>
      within(async () => (await deps.outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })).text),
    fetchStatusListBytes: (url, accept) =>
      within(() => deps.outbound.fetchBytes(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })),
    // Every other method is computed.
    resolveDid: (did) =>
      did.startsWith('did:web:') ? within(() => deps.resolver.resolve(did, admit)) : deps.resolver.resolve(did),
  }
}

const CREDENTIAL = 'Credential'

/** Who has signed: the issuer of a credential is simply the issuer, any other is named by what it signed. */
const ofWhat = (what: string): string => (what === CREDENTIAL ? 'Issuer' : `${what} issuer`)

/**
 * Turns errors that a caller's input can cause into refusals that name what was signed; all others are faults of this service and
 * are rethrown.
 */
function refusal(thrown: unknown, what: string): unknown {
  const known =
    thrown instanceof IssuerKeyError || thrown instanceof DidResolutionError || thrown instanceof OutboundError
  if (!known) return thrown
  const message = `${ofWhat(what)} key cannot be resolved: ${thrown.message}`
  return new CredentialError(message, { check: 'issuer-key', cause: thrown })
}

interface OwnKeys {
  /** The metadata of this issuer, of many keys with the named one alone. */
  readonly metadata: unknown
  /** The key that the first certificate of `x5c` is for. */
  readonly certified: Jwk | undefined
}

function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey
  } catch {
    // Of a kind that is unknown here, and so none of ours.
    return undefined
  }
}

/** The key that `x5c` certifies, where it is one of ours. The chain proves nothing here: whose key it is, is known. */
function certifiedOf(x5c: unknown, keys: readonly Jwk[]): Jwk | undefined {
  if (x5c === undefined) return undefined
  const [leaf] = readX5c(x5c)
  const key = leaf === undefined ? undefined : publicKeyOf(leaf)
  return key === undefined ? undefined : keys.find((jwk) => verificationKey(jwk).equals(key))
}

/**
 * The key set of this service as an issuer, read from the database. It is read before the search for a key, which would
 * report an unavailable database as an unreachable issuer. Only the key that the header names is used.
 */
async function ownKeys(deps: Deps, header: JsonObject, payload: JsonObject): Promise<OwnKeys | undefined> {
  if (payload.iss !== deps.config.issuerBaseUrl) return undefined
  const { issuer, jwks } = await issuerKeySet(deps)
  const named = jwks.keys.filter(({ kid }) => header.kid === undefined || header.kid === kid)
  return { metadata: { issuer, jwks: { keys: named } }, certified: certifiedOf(header.x5c, jwks.keys) }
}

const ownKeysOrRefusal = (what: string, ...args: Parameters<typeof ownKeys>) =>
  ownKeys(...args).catch((thrown: unknown) => {
    throw refusal(thrown, what)
  })

const named = ({ kid }: JsonObject, { jwk, issuer, certificate }: FoundIssuerKey): FoundIssuerKey => ({
  jwk,
  issuer,
  ...(typeof kid === 'string' ? { kid } : {}),
  ...(certificate === undefined ? {} : { certificate }),
})

/**
 * Finds issuers' keys by `x5c` chains to TRUST_ANCHORS, those of this installation too. Nothing is fetched.
 *
 * @param withoutRoots whether a chain that holds its trust anchor is refused
 */
export function certifiedKeyResolution(
  { config }: Pick<Deps, 'config'>,
  now: Date,
  { withoutRoots }: { readonly withoutRoots: boolean },
): ResolveIssuerKey {
  return async (header, payload, what = CREDENTIAL) => {
    try {
      if (header.x5c === undefined) throw new IssuerKeyError('The header has no x5c.')
      const io = { trustAnchors: config.trustAnchors, now, withoutRoots }
      return named(header, x5cIssuerKey(header.x5c, claimedIssuer({ ...payload }), io))
    } catch (thrown) {
      throw refusal(thrown, what)
    }
  }
}

/** Finds issuers' keys: DIDs through the resolver, metadata of https issuers (our own without HTTP), `x5c` chains. */
export function issuerKeyResolution(deps: Deps, fetches: VerificationFetches, now: Date): ResolveIssuerKey {
  const ownUrl = jwtVcIssuerUrl(deps.config.issuerBaseUrl)
  return async (header, payload, what = CREDENTIAL) => {
    const own = await ownKeysOrRefusal(what, deps, header, payload)
    if (own?.certified !== undefined) return { jwk: own.certified, issuer: deps.config.issuerBaseUrl }
    const io = {
      resolveDid: fetches.resolveDid,
      fetchJson: async (url: string) => (url === ownUrl && own !== undefined ? own.metadata : fetches.fetchJson(url)),
      trustAnchors: deps.config.trustAnchors,
      now,
      allowHttp: deps.config.allowInsecureHttp,
    }
    try {
      return named(header, await resolveIssuerKey({ ...header }, { ...payload }, io))
    } catch (thrown) {
      throw refusal(thrown, what)
    }
  }
}
