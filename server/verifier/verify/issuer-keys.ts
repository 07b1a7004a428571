import type { Deps } from '../../deps.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError, type ResolveIssuerKey } from '../../protocol/credential.js'
import { DidResolutionError } from '../../protocol/did/did-resolution-error.js'
import { IssuerKeyError, resolveIssuerKey } from '../../protocol/issuer-keys/resolve-issuer-key.js'

/** For all fetches of one verification together. */
const TOTAL_FETCH_MS = 8_000

/** Fetches of one verification: through the outbound guard, eight seconds for all of them. */
export interface VerificationFetches {
  fetchJson(url: string): Promise<unknown>
  fetchText(url: string, accept: string): Promise<string>
}

export function verificationFetches(deps: Deps): VerificationFetches {
  let deadline: number | undefined
  const within = async <T>(start: () => Promise<T>): Promise<T> => {
    deadline ??= performance.now() + TOTAL_FETCH_MS
    const left = deadline - performance.now()
    if (left <= 0) throw new CredentialError('Fetching what the verification needs took too long.')
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CredentialError('Fetching what the verification needs took too long.')), left)
    })
    try {
      return await Promise.race([start(), expired])
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    fetchJson: (url) => within(() => deps.outbound.fetchJson(url)),
    fetchText: (url, accept) => within(async () => (await deps.outbound.fetchText(url, { accept })).text),
  }
}

/** What a stranger's material may fail with is a refusal with a reason; every other failure is ours and passes through. */
function refusal(thrown: unknown): unknown {
  const known =
    thrown instanceof IssuerKeyError || thrown instanceof DidResolutionError || thrown instanceof OutboundError
  return known ? new CredentialError(`Issuer key cannot be resolved: ${thrown.message}`, { cause: thrown }) : thrown
}

/** Finds issuers' keys: DIDs through the resolver, metadata of https issuers (our own without HTTP), `x5c` chains. */
export function issuerKeyResolution(deps: Deps, fetches: VerificationFetches, now: Date): ResolveIssuerKey {
  const io = {
    resolveDid: (did: string) => deps.resolver.resolve(did),
    fetchJson: async (url: string) => (await deps.ownDocument(url)) ?? fetches.fetchJson(url),
    trustAnchors: deps.config.trustAnchors,
    now,
    allowHttp: deps.config.allowInsecureHttp,
  }
  return async (header, payload) => {
    try {
      const { jwk, issuer } = await resolveIssuerKey({ ...header }, { ...payload }, io)
      return { jwk, issuer, ...(typeof header.kid === 'string' ? { kid: header.kid } : {}) }
    } catch (thrown) {
      throw refusal(thrown)
    }
  }
}
