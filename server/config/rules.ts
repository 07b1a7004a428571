import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { z } from 'zod'
import { certificatesInPem } from '../protocol/issuer-keys/pem.js'
import { type Jwk, readPublicJwk } from '../protocol/jose/jws.js'
import { pointerKeys } from '../protocol/json/json-pointer.js'
import { isRegistrableRedirectUri } from '../protocol/oauth/redirect-uri.js'
import { DRAFTS as ISSUANCE_DRAFTS } from '../protocol/openid4vci/drafts.js'
import { DRAFTS as PRESENTATION_DRAFTS } from '../protocol/openid4vp/drafts.js'
import {
  readVerifierAttestation,
  type VerifierAttestation,
  VerifierAttestationError,
} from '../protocol/openid4vp/verifier-attestation.js'
import { jsonFile } from './json-file.js'

export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false.' })
  .default('false')
  .transform((value) => value === 'true')

export const integerWithin = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `must be an integer from ${minimum} to ${maximum}.` })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, {
      error: `must be an integer from ${minimum} to ${maximum}.`,
    })

export const integer = (minimum: number, maximum: number, fallback: number) =>
  integerWithin(minimum, maximum).default(fallback)

const entriesOf = (value: string) => value.split(/[\s,]+/).filter((entry) => entry !== '')

/** A list of entries that are separated by commas or spaces. Each entry must satisfy the rule. */
const listOf = (isEntry: (entry: string) => boolean, error: string) =>
  z
    .string()
    .default('')
    .transform(entriesOf)
    .refine((entries) => entries.every(isEntry), { error })

/** A list of origins, written as browsers send them in `Origin` (RFC 6454 §6.2). */
export const origins = listOf(
  (entry) => /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s\p{Lu}]+$/u.test(entry),
  'must list origins such as https://app.example.org, without a path.',
)

const TOKEN_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/**
 * Algorithms that may sign access tokens. HMAC is excluded, because the provider would have to publish the secret key.
 */
export const tokenAlgorithms = z
  .string()
  .default('RS256')
  .transform((value, context) => {
    const listed = new Set(entriesOf(value))
    const known = TOKEN_ALGORITHMS.filter((algorithm) => listed.has(algorithm))
    if (known.length > 0 && known.length === listed.size) return known
    context.addIssue({ code: 'custom', message: 'must list RS256, PS256, ES256, EdDSA.' })
    return z.NEVER
  })

/** A list of names. The result is in the order of `names`, and empty if the variable is not set. */
const namesOf = <Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .default('')
    .transform((value, context) => {
      const listed = new Set(entriesOf(value))
      const known = names.filter((name) => listed.has(name))
      if (known.length === listed.size) return known
      context.addIssue({ code: 'custom', message: `must list ${names.join(', ')}.` })
      return z.NEVER
    })

export const issuerLegacyProfiles = namesOf(ISSUANCE_DRAFTS)

export const verifierLegacyProfiles = namesOf(PRESENTATION_DRAFTS)

export const hosts = listOf(
  (entry) => isIP(entry) === 6 || /^(\[[^\]/?#@\\]+\]|[^:/?#@\\[\]]+)(:\d{1,5})?$/.test(entry),
  'must list hosts, each with or without a port.',
)

export const url = (protocols: readonly string[], reason: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error: reason })

export const required = (error: string) => (issue: { input: unknown }) =>
  issue.input === undefined ? error : undefined

export const postgresUrl = z
  .string({ error: required('must be defined.') })
  .refine((value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol), {
    error: 'must be a postgres:// URL.',
  })

export const baseUrl = z
  .string({ error: required('must be defined.') })
  .refine((value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol), {
    error: 'must be an https URL.',
    abort: true,
  })
  .refine((value) => !/[?#]/.test(value) && new URL(value).username === '', {
    error: 'must have no query, fragment or user name.',
    abort: true,
  })
  .transform((value) => new URL(value).href.replace(/\/+$/, ''))

export const encryptionKey = z
  .string()
  .refine((value) => /^[A-Za-z0-9_-]{43}=?$/.test(value), { error: 'must be 32 bytes in base64url.', abort: true })
  .transform((value) => new Uint8Array(Buffer.from(value, 'base64url')))
  .optional()

/** Names of address groups in Express. */
const PROXY_GROUPS = new Set(['loopback', 'linklocal', 'uniquelocal'])

function isProxyEntry(entry: string): boolean {
  if (PROXY_GROUPS.has(entry)) return true
  const [address = '', prefix, ...rest] = entry.split('/')
  const bits = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits)
}

/** A value for `trust proxy` of Express: true or false, a number of hops, or addresses. */
export const trustProxy = z
  .string()
  .transform((value) => {
    if (value === 'true' || value === 'false') return value === 'true'
    return /^\d{1,3}$/.test(value) ? Number(value) : value.split(/[\s,]+/).filter((entry) => entry !== '')
  })
  .refine((value) => !Array.isArray(value) || (value.length > 0 && value.every(isProxyEntry)), {
    error: 'must be true, false, a number of hops, or a list of addresses, networks, loopback, linklocal, uniquelocal.',
  })
  .optional()

export const certificates = z
  .string()
  .optional()
  .transform((path, context) => {
    if (path === undefined) return []
    try {
      return certificatesInPem(readFileSync(path, 'utf8'))
    } catch {
      context.addIssue({ code: 'custom', message: 'must name a readable PEM file of certificates.' })
      return z.NEVER
    }
  })

const jwkSet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })).min(1) })

/** Known wallets, and wallet providers that are known by configured keys. */
const zWalletClients = z
  .array(
    z.strictObject({
      client_id: z.string().min(1),
      redirect_uris: z.array(
        z.string().refine(isRegistrableRedirectUri, { error: 'must be an address that a browser does not execute' }),
      ),
      attestation: z.strictObject({ iss: z.string().min(1), jwks: jwkSet }).optional(),
    }),
  )
  // Two entries must not have the same client id, because the addresses of one entry would be ignored.
  .refine((clients) => new Set(clients.map((client) => client.client_id)).size === clients.length, {
    error: 'each client_id must stand there once',
  })

/** Reads the JSON file of wallets. The list is empty if no file is configured. */
export const walletClients = jsonFile('wallets', zWalletClients)

/** A key in a key provider, as a file names it. */
export interface NamedKey {
  readonly provider: string
  readonly reference: string
}

/** A key, and the certificates in the same file. The first certificate should belong to the key. */
export interface KeyAndChain {
  /** The private key; or the key provider with the key, and the name of the key there. */
  readonly key: KeyObject | NamedKey
  readonly chain: readonly X509Certificate[]
}

export const keyAndChain = z
  .string()
  .optional()
  .transform((path, context): KeyAndChain | undefined => {
    if (path === undefined) return undefined
    try {
      const pem = readFileSync(path, 'utf8')
      const [key = ''] = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^-]+-----END \1-----/.exec(pem) ?? []
      const [, provider, reference] = /^key: *([a-z0-9-]{1,32}):(.{1,1000})$/m.exec(pem) ?? []
      const chain = certificatesInPem(pem)
      if (key === '' && provider !== undefined && reference !== undefined)
        return { key: { provider, reference: reference.trim() }, chain }
      return { key: createPrivateKey(key), chain }
    } catch {
      const message = 'must name a readable PEM file of a private key, unencrypted, and its certificates.'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
  })

export const verifierAttestation = z
  .string()
  .optional()
  .transform((path, context): VerifierAttestation | undefined => {
    if (path === undefined) return undefined
    try {
      return readVerifierAttestation(readFileSync(path, 'utf8').trim())
    } catch (error) {
      const reason = error instanceof VerifierAttestationError ? error.message : 'it cannot be read'
      context.addIssue({ code: 'custom', message: `must name a file with one verifier attestation: ${reason}.` })
      return z.NEVER
    }
  })

/** A key that is trusted to attest verifiers (OpenID4VP 1.0 §12), and the only `iss` that the key may sign for. */
export interface AttestationIssuerKey {
  readonly iss: string
  readonly jwk: Jwk
}

const zAttestationIssuers = z.object({ keys: z.array(z.looseObject({ iss: z.string().min(1) })).min(1) })

/** Reads a JWK Set (RFC 7517 §5) in which each key has a member `iss`. The list is empty if no file is configured. */
export const verifierAttestationIssuers = z
  .string()
  .optional()
  .transform((path, context): readonly AttestationIssuerKey[] => {
    if (path === undefined) return []
    const message = 'must name a JWKS file of public keys, each with the issuer that it belongs to as iss.'
    try {
      const { keys } = zAttestationIssuers.parse(JSON.parse(readFileSync(path, 'utf8')))
      const read = keys.map((key) => ({ iss: key.iss, jwk: readPublicJwk(key) }))
      const usable = read.flatMap(({ iss, jwk }) => (jwk === undefined ? [] : [{ iss, jwk }]))
      if (usable.length === read.length) return usable
    } catch {
      // The message is the same for a file that cannot be read, for a file that is not JSON, and for JSON that is no
      // JWK Set.
    }
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** True for an entry of the trusted issuers: `self`, `x5c`, `*`, a DID or an origin. */
export const isTrustEntry = (entry: string): boolean =>
  ['self', 'x5c', '*'].includes(entry) || /^did:[a-z0-9]+:\S+$/.test(entry) || /^https?:\/\/[^/?#@\s]+$/.test(entry)

export const trustedIssuers = z
  .string()
  .transform(entriesOf)
  .refine((entries) => entries.every(isTrustEntry), { error: 'must list self, x5c, *, DIDs and https origins.' })
  .optional()

export const optionalText = z.string().optional()

/**
 * The member names that lead to a claim. The text is a JSON Pointer (RFC 6901), a path with dots such as
 * `realm_access.roles`, or one name that is a URI.
 */
export const claimPath = z
  .string()
  .transform((value, context): readonly string[] => {
    const keys = value.startsWith('/') ? pointerKeys(value) : value.includes('://') ? [value] : value.split('.')
    if (keys?.every((key) => key !== '')) return keys
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON pointer such as /realm_access/roles, or a path such as realm_access.roles.',
    })
    return z.NEVER
  })
  .optional()
