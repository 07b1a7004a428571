import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
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
  codeOf,
  createExchange,
  described,
  isObject,
  membersOf,
  objectIn,
  type ProviderAnswer,
  textIn,
} from '../remote/exchange.js'
import { keepCredential } from '../remote/kept-credential.js'
import { COORDINATE_OCTETS, ecdsaDigest, publicKeyOf } from '../remote/public-key.js'
import { type AzureSource, azureCredentials } from './credentials.js'

export interface AzureKeyVaultPlaces {
  readonly vaultUrl: string
  readonly hsm: boolean
  readonly resource: string
  readonly source: AzureSource
}

const API = 'api-version=7.4'

/** Key Vault has a name of its own for the curve secp256k1. */
const CURVES: Readonly<Partial<Record<SignatureAlgorithm, string>>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES256K: 'P-256K',
}

const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'ES256K']

/** A key with or without its version. */
const REFERENCE = /^[A-Za-z0-9-]{1,127}(?:\/[A-Za-z0-9]{1,64})?$/

/** Version, wrapped key and, for RSA, the signature. */
const WRAPPED = /^[A-Za-z0-9]{1,64}\.[\w-]{1,1400}(?:\.[\w-]{1,1400})?$/

/** An adapter for Azure Key Vault. A key's reference is its name and version, such as `payments/78deebed173b48e4`. */
export function createAzureKeyVault(
  { vaultUrl, hsm, resource, source }: AzureKeyVaultPlaces,
  tools: ProviderTools,
): KeyProvider {
  const exchange = createExchange(`Azure Key Vault of the key provider ${tools.name}`, tools.fetch)
  const { service } = exchange
  const credential = keepCredential(azureCredentials(source, resource, exchange, tools.clock), tools.clock)

  const errorIn = (answer: ProviderAnswer): Readonly<Record<string, unknown>> => {
    try {
      return membersOf(objectIn(answer, service), 'error')
    } catch {
      return {}
    }
  }

  const ask = async (method: 'GET' | 'POST', path: string, signal: AbortSignal, input?: object) => {
    const token = await credential.current(signal)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(input === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const body = input === undefined ? {} : { body: JSON.stringify(input) }
    const answer = await exchange.send(`${vaultUrl}/${path}`, { method, headers, signal, ...body })
    const error = answer.ok ? {} : errorIn(answer)
    const code = codeOf(membersOf(error, 'innererror').code)
    const text = `${service} refused ${method} ${path.replace(/\?.*/, '')}: ${described(answer, codeOf(error.code), code)}.`
    return {
      answer,
      code,
      failure: () => (answer.status === 401 ? credential.refused(token, text) : new ProviderRefusal(text)),
    }
  }

  const call = async (method: 'GET' | 'POST', path: string, signal: AbortSignal, input?: object) => {
    const { answer, failure } = await ask(method, path, signal, input)
    if (!answer.ok) throw failure()
    return objectIn(answer, service)
  }

  /** Checks what Key Vault says about a key (`KeyBundle`). */
  const keyOf = (bundle: Readonly<Record<string, unknown>>): ProviderKey => {
    const jwk = membersOf(bundle, 'key')
    const attributes = membersOf(bundle, 'attributes')
    const reference = referenceOf(textIn(jwk, 'kid', service))
    const name = `The key ${reference} of the key provider ${tools.name}`
    const refuse = (reason: string) => new ProviderRefusal(`${name} ${reason}.`)
    const { kty, crv, x, y, key_ops: operations } = jwk
    if (kty !== 'EC' && kty !== 'EC-HSM') throw refuse(`is of type ${codeOf(kty) ?? 'unknown'}, and must be of type EC`)
    if (hsm && kty !== 'EC-HSM') throw refuse('lies in no hardware module: its type is EC, not EC-HSM')
    if (!Array.isArray(operations) || !operations.includes('sign')) throw refuse('may not sign: its key_ops lack sign')
    if (attributes.exportable === true || isObject(bundle.release_policy)) throw refuse('can be exported')
    if (attributes.enabled !== true) throw refuse('is not enabled')
    const now = tools.clock().getTime() / 1000
    if (typeof attributes.exp === 'number' && attributes.exp <= now) throw refuse('has expired')
    if (typeof attributes.nbf === 'number' && attributes.nbf > now) throw refuse('is not valid yet')
    const curve = crv === 'P-256K' ? 'secp256k1' : crv
    const key = { kty: 'EC', crv: curve, x, y } as Record<string, string>
    return { reference, ...publicKeyOf({ key, format: 'jwk' }, name, service, ALGORITHMS) }
  }

  /** Checks what Key Vault says about a key that wraps. `version` is its name and version. */
  const wrappingKeyOf = (bundle: Readonly<Record<string, unknown>>) => {
    const jwk = membersOf(bundle, 'key')
    const attributes = membersOf(bundle, 'attributes')
    const version = referenceOf(textIn(jwk, 'kid', service))
    const { kty, key_ops: operations, n, e } = jwk
    const refuse = (reason: string) =>
      new ProviderRefusal(`The key ${version} of the key provider ${tools.name} ${reason}.`)
    const isSymmetric = kty === 'oct-HSM'
    if (!isSymmetric && kty !== 'RSA' && kty !== 'RSA-HSM')
      throw refuse(`cannot wrap: its type is ${codeOf(kty) ?? 'unknown'}, not RSA, RSA-HSM or oct-HSM`)
    if (hsm && kty === 'RSA') throw refuse('lies in no hardware module: its type is RSA, not RSA-HSM')
    const needed = isSymmetric ? ['wrapKey', 'unwrapKey'] : ['wrapKey', 'unwrapKey', 'sign']
    for (const operation of needed)
      if (!Array.isArray(operations) || !operations.includes(operation))
        throw refuse(`cannot wrap: its key_ops lack ${operation}`)
    if (attributes.exportable === true || isObject(bundle.release_policy)) throw refuse('can be exported')
    if (attributes.enabled !== true) throw refuse('is not enabled')
    const now = tools.clock().getTime() / 1000
    if (typeof attributes.nbf === 'number' && attributes.nbf > now) throw refuse('is not valid yet')
    return { version, isSymmetric, publicKey: isSymmetric ? undefined : rsaKey(n, e) }
  }

  const rsaKey = (n: unknown, e: unknown): KeyObject => {
    try {
      const key = createPublicKey({ key: { kty: 'RSA', n: String(n), e: String(e) }, format: 'jwk' })
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key
    } catch {
      // The answer is malformed.
    }
    throw new ProviderUnavailable(`${service} answered with something that is no RSA key of at least 2048 bits.`)
  }

  const octetsIn = (answer: Readonly<Record<string, unknown>>): Uint8Array => {
    const octets = decodeBase64url(textIn(answer, 'value', service))
    if (octets === undefined) throw new ProviderUnavailable(`${service} answered with a value that is no base64url.`)
    return octets
  }

  /** The name and version of a key, from its address in this vault. */
  const referenceOf = (kid: string): string => {
    const prefix = `${vaultUrl}/keys/`
    const reference = kid.startsWith(prefix) ? kid.slice(prefix.length) : ''
    if (REFERENCE.test(reference) && reference.includes('/')) return reference
    throw new ProviderUnavailable(`${service} answered with a key that is not of this vault.`)
  }

  const pathOf = (reference: string): string => {
    const prefix = `${vaultUrl}/keys/`
    const short = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference
    if (REFERENCE.test(short)) return short
    throw new ProviderRefusal(`A key of the key provider ${tools.name} must be a name, or a name and a version.`)
  }

  return {
    algorithms: ALGORITHMS,
    async generate(label, alg, signal) {
      const input = {
        kty: hsm ? 'EC-HSM' : 'EC',
        crv: curveOf(alg),
        key_ops: ['sign', 'verify'],
        attributes: { enabled: true },
      }
      return keyOf(await call('POST', `keys/${pathOf(label)}/create?${API}`, signal, input))
    },
    find: async (reference, signal) => keyOf(await call('GET', `keys/${pathOf(reference)}?${API}`, signal)),
    async sign({ reference, alg }, data, signal) {
      curveOf(alg)
      const input = { alg, value: ecdsaDigest(alg, data).toString('base64url') }
      const answer = await call('POST', `keys/${pathOf(reference)}/sign?${API}`, signal, input)
      // Key Vault returns the JOSE form.
      const signature = decodeBase64url(textIn(answer, 'value', service))
      if (signature?.length !== 2 * (COORDINATE_OCTETS[alg] ?? 0))
        throw new ProviderUnavailable(`${service} answered with a malformed signature.`)
      return signature
    },
    async wrap(reference, key, place, signal) {
      const { version, isSymmetric } = wrappingKeyOf(await call('GET', `keys/${pathOf(reference)}?${API}`, signal))
      const input = { alg: isSymmetric ? 'A256KW' : 'RSA-OAEP-256', value: Buffer.from(key).toString('base64url') }
      const answer = await call('POST', `keys/${version}/wrapkey?${API}`, signal, input)
      const wrapped = octetsIn(answer)
      const parts = [versionIn(version), Buffer.from(wrapped).toString('base64url')]
      if (isSymmetric) return parts.join('.')
      const digest = createHash('sha256').update(signedText(place, parts)).digest('base64url')
      const signed = await call('POST', `keys/${version}/sign?${API}`, signal, { alg: 'PS256', value: digest })
      return [...parts, Buffer.from(octetsIn(signed)).toString('base64url')].join('.')
    },
    async unwrap(reference, wrapped, place, signal) {
      const [version = '', encrypted = '', signature] = wrapped.split('.')
      if (!WRAPPED.test(wrapped)) throw new ProviderRefusal('the wrapped key has a wrong form.')
      const [name, wanted] = pathOf(reference).split('/')
      if (wanted !== undefined && wanted !== version) throw new ProviderRefusal('another version wrapped the key.')
      const path = `${name}/${version}`
      const found = wrappingKeyOf(await call('GET', `keys/${path}?${API}`, signal))
      if (found.version !== path) throw new ProviderUnavailable(`${service} answered with another key.`)
      if (found.publicKey !== undefined) {
        const text = signedText(place, [version, encrypted])
        const isOurs = signature !== undefined && verifiedByRsa(found.publicKey, text, signature)
        if (!isOurs) throw new ProviderRefusal('the wrapped key was altered, or another key or place has it.')
      }
      const input = { alg: found.isSymmetric ? 'A256KW' : 'RSA-OAEP-256', value: encrypted }
      return octetsIn(await call('POST', `keys/${path}/unwrapkey?${API}`, signal, input))
    },
    async check(signal) {
      const { answer, code, failure } = await ask('GET', `keys?maxresults=1&${API}`, signal)
      // A refusal for lack of a permission shows that the vault answers and knows the token.
      if (!answer.ok && (answer.status !== 403 || code === 'ForbiddenByFirewall')) throw failure()
    },
    async close() {},
  }
}

const versionIn = (reference: string): string => reference.slice(reference.indexOf('/') + 1)

/**
 * Everybody can wrap with the public part of an RSA key. So the wrapped key has a signature of the same RSA key, which only the vault can
 * make. The signature also binds the wrapped key to its place. The text begins with a fixed word, because the key could sign other texts.
 */
const signedText = (place: string, parts: readonly string[]): string =>
  ['credence-wrapped-key', place, ...parts].join('\n')

/** PS256 (RFC 7518 §3.5). */
function verifiedByRsa(key: KeyObject, text: string, signature: string): boolean {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return verify('sha256', Buffer.from(text), { key, ...padding }, Buffer.from(signature, 'base64url'))
}

function curveOf(alg: SignatureAlgorithm): string {
  const curve = CURVES[alg]
  if (curve === undefined) throw new ProviderRefusal(`Azure Key Vault does not sign with ${alg}.`)
  return curve
}
