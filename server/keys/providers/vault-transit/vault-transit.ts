import type { SignatureAlgorithm } from '../../../protocol/jose/algorithms.js'
import { decodeBase64url } from '../../../protocol/jose/base64url.js'
import {
  type KeyProvider,
  type ProviderKey,
  ProviderRefusal,
  type ProviderTools,
  ProviderUnavailable,
} from '../provider.js'
import {
  base64In,
  codeOf,
  createExchange,
  described,
  isObject,
  membersOf,
  objectIn,
  textIn,
} from '../remote/exchange.js'
import { keepCredential } from '../remote/kept-credential.js'
import { COORDINATE_OCTETS, ecdsaDigest, type PublicKeyInput, publicKeyOf } from '../remote/public-key.js'
import { type VaultAuthentication, type VaultRequest, vaultCredentials } from './credentials.js'

export interface VaultTransitPlaces {
  readonly address: string
  readonly mount: string
  readonly namespace: string | undefined
  readonly authentication: VaultAuthentication
}

interface Spec {
  readonly type: string
  /** The parameters of `sign` besides input and version. */
  readonly parameters: Readonly<Record<string, unknown>>
}

const prehashed = (hash: string) => ({ prehashed: true, hash_algorithm: hash, marshaling_algorithm: 'jws' })

const SPECS: Readonly<Partial<Record<SignatureAlgorithm, Spec>>> = {
  ES256: { type: 'ecdsa-p256', parameters: prehashed('sha2-256') },
  ES384: { type: 'ecdsa-p384', parameters: prehashed('sha2-384') },
  // Ed25519 signs the message itself (RFC 8032 §5.1.6).
  EdDSA: { type: 'ed25519', parameters: {} },
}

const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA']

const REFERENCE = /^([A-Za-z0-9_-][A-Za-z0-9_.-]{0,126})(?:\/(\d{1,9}))?$/

/** Types whose ciphertexts are authenticated, with additional data. */
const WRAPPING_TYPES: ReadonlySet<string> = new Set(['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'])

/** The version of the key is in the ciphertext. */
const WRAPPED = /^vault:v\d{1,9}:[A-Za-z0-9+/]{1,1000}={0,2}$/

/** Vault binds the ciphertext to these data since version 1.12. */
const associated = (place: string) => ({ associated_data: Buffer.from(place).toString('base64') })

/** Octets of a signature with Ed25519 (RFC 8032 §5.1.6). */
const ED25519_OCTETS = 64

/** An adapter for the transit engine. A key's reference is its name and version, such as `payments/1`. */
export function createVaultTransit(
  { address, mount, namespace, authentication }: VaultTransitPlaces,
  tools: ProviderTools,
): KeyProvider {
  const exchange = createExchange(`Vault of the key provider ${tools.name}`, tools.fetch)
  const { service } = exchange
  const request: VaultRequest = (method, path, token, signal, input) => {
    const headers = {
      'x-vault-request': 'true',
      ...(token === undefined ? {} : { 'x-vault-token': token }),
      ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      ...(input === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const body = input === undefined ? {} : { body: JSON.stringify(input) }
    return exchange.send(`${address}/v1/${path}`, { method, headers, signal, ...body })
  }
  const credential = keepCredential(vaultCredentials(authentication, request, exchange, tools), tools.clock)

  const call = async (method: 'GET' | 'POST', path: string, signal: AbortSignal, input?: object) => {
    const token = await credential.current(signal)
    const answer = await request(method, path, token, signal, input)
    const text = `${service} refused ${method} ${path}: ${described(answer)}.`
    // Vault answers 403 for an ended token and for a missing permission.
    if (answer.status === 403) throw credential.refused(token, text)
    if (answer.status === 412 || answer.status === 472) throw new ProviderUnavailable(text)
    if (!answer.ok) throw new ProviderRefusal(text)
    return answer
  }

  const read = async (path: string, signal: AbortSignal) =>
    membersOf(objectIn(await call('GET', path, signal), service), 'data')

  const partsOf = (reference: string): { readonly name: string; readonly version: number | undefined } => {
    const [, name, version] = REFERENCE.exec(reference) ?? []
    if (name !== undefined) return { name, version: version === undefined ? undefined : Number(version) }
    throw new ProviderRefusal(`A key of the key provider ${tools.name} must be a name, or a name and a version.`)
  }

  const wrappingKeyOf = (reference: string): string => {
    const { name, version } = partsOf(reference)
    if (version === undefined) return name
    throw new ProviderRefusal(
      `A wrapping key of the key provider ${tools.name} must be the name of a key, without a version.`,
    )
  }

  const found = async (reference: string, signal: AbortSignal): Promise<ProviderKey> => {
    const { name, version: wanted } = partsOf(reference)
    const data = await read(`${mount}/keys/${name}`, signal)
    const version = wanted ?? data.latest_version
    const full = `${name}/${version}`
    const title = `The key ${full} of the key provider ${tools.name}`
    const refuse = (reason: string) => new ProviderRefusal(`${title} ${reason}.`)
    // A missing member is no promise, so it counts as exportable.
    if (data.exportable !== false) throw refuse('can be exported: exportable is not false')
    if (data.allow_plaintext_backup !== false) throw refuse('can be exported: allow_plaintext_backup is not false')
    if (data.derived === true) throw refuse('is derived for each context, so it is no single key')
    if (data.supports_signing !== true) throw refuse(`may not sign: its type is ${codeOf(data.type) ?? 'unknown'}`)
    const spec = Object.values(SPECS).find(({ type }) => type === data.type)
    if (spec === undefined)
      throw refuse(`is of type ${codeOf(data.type) ?? 'unknown'}. The service signs with ${ALGORITHMS.join(', ')}`)
    const stored = membersOf(data, 'keys')[String(version)]
    if (!isObject(stored)) throw refuse('does not exist: Vault has no such version')
    const oldest = data.min_encryption_version
    if (typeof version === 'number' && typeof oldest === 'number' && oldest > version)
      throw refuse('may not sign: min_encryption_version is higher')
    const input = publicKeyInput(textIn(stored, 'public_key', service))
    return { reference: full, ...publicKeyOf(input, title, service, ALGORITHMS) }
  }

  return {
    algorithms: ALGORITHMS,
    async generate(label, alg, signal) {
      const { type } = specOf(alg)
      const input = { type, exportable: false, allow_plaintext_backup: false, derived: false }
      await call('POST', `${mount}/keys/${partsOf(label).name}`, signal, input)
      // Vault answers alike if a key of this name exists. The first version of such a key is no new key.
      const key = await found(label, signal)
      if (key.alg === alg && partsOf(key.reference).version === 1) return key
      throw new ProviderRefusal(`The key provider ${tools.name} already has a key ${label}.`)
    },
    find: found,
    async sign({ reference, alg }, data, signal) {
      const { parameters } = specOf(alg)
      const { name, version } = partsOf(reference)
      const signed = alg === 'EdDSA' ? Buffer.from(data) : ecdsaDigest(alg, data)
      const input = { input: signed.toString('base64'), key_version: version, ...parameters }
      const answer = await call('POST', `${mount}/sign/${name}`, signal, input)
      const text = textIn(membersOf(objectIn(answer, service), 'data'), 'signature', service)
      const signature = signatureIn(text, alg, version)
      if (signature === undefined) throw new ProviderUnavailable(`${service} answered with a malformed signature.`)
      return signature
    },
    async wrap(reference, key, place, signal) {
      const name = wrappingKeyOf(reference)
      const data = await read(`${mount}/keys/${name}`, signal)
      const refuse = (reason: string) =>
        new ProviderRefusal(`The key ${name} of the key provider ${tools.name} ${reason}.`)
      if (data.exportable !== false) throw refuse('can be exported: exportable is not false')
      if (data.allow_plaintext_backup !== false) throw refuse('can be exported: allow_plaintext_backup is not false')
      if (data.derived === true) throw refuse('is derived for each context, so it is no single key')
      if (typeof data.type !== 'string' || !WRAPPING_TYPES.has(data.type))
        throw refuse(`cannot wrap: its type is ${codeOf(data.type) ?? 'unknown'}, not aes256-gcm96`)
      const input = { plaintext: Buffer.from(key).toString('base64'), ...associated(place) }
      const answer = await call('POST', `${mount}/encrypt/${name}`, signal, input)
      const wrapped = textIn(membersOf(objectIn(answer, service), 'data'), 'ciphertext', service)
      if (!WRAPPED.test(wrapped)) throw new ProviderUnavailable(`${service} answered with a malformed ciphertext.`)
      return wrapped
    },
    async unwrap(reference, wrapped, place, signal) {
      if (!WRAPPED.test(wrapped)) throw new ProviderRefusal('the wrapped key is no ciphertext of Vault.')
      const input = { ciphertext: wrapped, ...associated(place) }
      const answer = await call('POST', `${mount}/decrypt/${wrappingKeyOf(reference)}`, signal, input)
      return base64In(membersOf(objectIn(answer, service), 'data'), 'plaintext', service)
    },
    async check(signal) {
      await call('GET', 'auth/token/lookup-self', signal)
    },
    async close() {},
  }
}

/** The octets of `vault:v1:…`. Signatures in the form `jws` are in base64url, all others in base64. */
function signatureIn(text: string, alg: SignatureAlgorithm, version: number | undefined): Uint8Array | undefined {
  const [, signedBy, encoded = ''] = /^vault:v(\d+):([A-Za-z0-9+/=_-]+)$/.exec(text) ?? []
  if (version === undefined || signedBy !== String(version)) return undefined
  const signature = alg === 'EdDSA' ? Buffer.from(encoded, 'base64') : decodeBase64url(encoded)
  const octets = alg === 'EdDSA' ? ED25519_OCTETS : 2 * (COORDINATE_OCTETS[alg] ?? 0)
  return signature?.length === octets ? signature : undefined
}

/** Vault writes keys on NIST curves in PEM form, and Ed25519 keys as 32 octets in base64. */
function publicKeyInput(text: string): PublicKeyInput {
  if (text.startsWith('-----BEGIN')) return text
  const x = Buffer.from(text, 'base64').toString('base64url')
  return { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }
}

function specOf(alg: SignatureAlgorithm): Spec {
  const spec = SPECS[alg]
  if (spec === undefined) throw new ProviderRefusal(`Vault does not sign with ${alg}.`)
  return spec
}
