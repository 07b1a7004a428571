import { z } from 'zod'
import type { Environment } from './environment.js'

const TIMEOUT_MS = 10_000
/** Limit for a discovery document, in bytes. */
const MAX_BYTES = 256 * 1024

const zDiscovery = z.looseObject({ issuer: z.string(), jwks_uri: z.string() })

/** The result of the question to the provider: where it publishes its keys, or a sentence with the next step. */
export type FoundKeys = { readonly jwksUrl: string } | { readonly problem: string }

/** The address of a provider's discovery document (OpenID Connect Discovery 1.0 §4). */
export const discoveryAddress = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Reads the text of an answer. @throws {Error} if the text is longer than a discovery document may be */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Error('its document is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

async function documentAt(address: string): Promise<unknown> {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`it answers with status ${response.status}`)
  const text = await textOf(response)
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('its answer is no JSON')
  }
}

/** The reason why a request failed, for a sentence. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.name === 'TimeoutError') return `it does not answer within ${TIMEOUT_MS / 1000} seconds`
  // `fetch` reports every failure of the network as a TypeError, and names the reason in `cause`.
  if (!(thrown instanceof TypeError)) return thrown.message
  const { cause } = thrown
  return cause instanceof Error && cause.message !== '' ? cause.message : 'it cannot be reached'
}

/** True if the keys may be fetched from an address: https, or http if the provider itself is at an http address. */
function isUsable(jwksUrl: string, issuer: string): boolean {
  if (!URL.canParse(jwksUrl)) return false
  const { protocol } = new URL(jwksUrl)
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
}

/**
 * Asks an identity provider where it publishes its keys (OpenID Connect Discovery 1.0 §4). Never rejects: if the
 * provider cannot be used, the result is a sentence with the next step.
 *
 * @param issuer OIDC_ISSUER
 */
export async function findKeys(issuer: string): Promise<FoundKeys> {
  if (!/^https?:\/\//i.test(issuer) || !URL.canParse(issuer)) {
    return { problem: 'OIDC_ISSUER: set the http or https address of the identity provider.' }
  }
  const address = discoveryAddress(issuer)
  let document: unknown
  try {
    document = await documentAt(address)
  } catch (thrown) {
    return {
      problem: `OIDC_JWKS_URL: ${address} cannot be read, because ${reasonOf(thrown)}. Check OIDC_ISSUER, or set the address of the provider's keys.`,
    }
  }
  const read = zDiscovery.safeParse(document)
  if (!read.success) {
    return {
      problem: `OIDC_JWKS_URL: ${address} has no issuer or no jwks_uri. Set the address of the provider's keys.`,
    }
  }
  const { issuer: named, jwks_uri: jwksUrl } = read.data
  // OpenID Connect Discovery 1.0 §4.3: the issuer in the document must be exactly the issuer that was asked.
  if (named !== issuer) {
    return { problem: `OIDC_ISSUER: the provider calls itself ${named}. Set OIDC_ISSUER=${named}` }
  }
  if (!isUsable(jwksUrl, issuer)) {
    return {
      problem: `OIDC_JWKS_URL: the jwks_uri of ${address} is no https address. Set the address of the provider's keys.`,
    }
  }
  return { jwksUrl }
}

/**
 * Asks the provider of an environment, if OIDC_JWKS_URL is missing and needed.
 *
 * @returns undefined if there is nothing to ask
 */
export async function findMissingKeys(environment: Environment): Promise<FoundKeys | undefined> {
  const { NODE_ENV, AUTH_DISABLED, OIDC_ISSUER = '', OIDC_JWKS_URL = '' } = environment
  const isNeeded = NODE_ENV !== 'production' && AUTH_DISABLED !== 'true' && OIDC_JWKS_URL === '' && OIDC_ISSUER !== ''
  return isNeeded ? findKeys(OIDC_ISSUER) : undefined
}
