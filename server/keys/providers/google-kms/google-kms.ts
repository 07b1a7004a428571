import { setTimeout } from 'node:timers/promises'
import type { SignatureAlgorithm } from '../../../protocol/jose/algorithms.js'
import {
  type KeyProvider,
  type ProviderKey,
  ProviderRefusal,
  type ProviderTools,
  ProviderUnavailable,
} from '../provider.js'
import { joseSignatureOf } from '../remote/ecdsa-signature.js'
import {
  base64In,
  codeOf,
  createExchange,
  described,
  membersOf,
  objectIn,
  type ProviderAnswer,
  textIn,
} from '../remote/exchange.js'
import { keepCredential } from '../remote/kept-credential.js'
import { COORDINATE_OCTETS, ecdsaDigest, publicKeyOf } from '../remote/public-key.js'
import { octetsOfWrapped } from '../remote/wrapped-text.js'
import { crc32c } from './crc32c.js'
import { type GoogleSource, googleCredentials } from './credentials.js'

export const PROTECTION_LEVELS = ['HSM', 'SOFTWARE'] as const

export interface GoogleKmsPlaces {
  readonly endpoint: string
  readonly keyRing: string
  readonly protectionLevel: (typeof PROTECTION_LEVELS)[number]
  readonly source: GoogleSource
}

interface Spec {
  readonly algorithm: string
  /** The member of `Digest` that holds the hash. */
  readonly digest: string
}

/**
 * Ed25519 is left out: Cloud KMS wants the whole message for it, so claims would leave the service.
 */
const SPECS: Readonly<Partial<Record<SignatureAlgorithm, Spec>>> = {
  ES256: { algorithm: 'EC_SIGN_P256_SHA256', digest: 'sha256' },
  ES384: { algorithm: 'EC_SIGN_P384_SHA384', digest: 'sha384' },
  ES256K: { algorithm: 'EC_SIGN_SECP256K1_SHA256', digest: 'sha256' },
}

const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'ES256K']

const VERSION =
  /^projects\/[a-z0-9.:-]{1,63}\/locations\/[a-z0-9-]{1,40}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}\/cryptoKeyVersions\/\d{1,10}$/
const CRYPTO_KEY =
  /^projects\/[a-z0-9.:-]{1,63}\/locations\/[a-z0-9-]{1,40}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}$/
const SHORT = /^[\w-]{1,63}(?:\/\d{1,10})?$/

/** Levels that are hardware modules. */
const IN_HARDWARE: ReadonlySet<unknown> = new Set(['HSM', 'HSM_SINGLE_TENANT'])

/** Milliseconds between two questions whether a new key is ready. A key in a hardware module takes seconds. */
const GENERATION_PAUSE_MS = 500

/** An adapter for Google Cloud KMS. A key's reference is the resource name of its version. */
export function createGoogleKms(
  { endpoint, keyRing, protectionLevel, source }: GoogleKmsPlaces,
  tools: ProviderTools,
): KeyProvider {
  const exchange = createExchange(`Google Cloud KMS of the key provider ${tools.name}`, tools.fetch)
  const { service } = exchange
  const credential = keepCredential(googleCredentials(source, exchange, tools.clock), tools.clock)
  const mangled = (what: string) =>
    new ProviderUnavailable(`${service} answered with a ${what} whose checksum is wrong.`)

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
    const answer = await exchange.send(`${endpoint}/v1/${path}`, { method, headers, signal, ...body })
    const text = `${service} refused ${method} ${path.replace(/\?.*/, '')}: ${described(answer, codeOf(errorIn(answer).status))}.`
    return {
      answer,
      failure: () => (answer.status === 401 ? credential.refused(token, text) : new ProviderRefusal(text)),
    }
  }

  const call = async (method: 'GET' | 'POST', path: string, signal: AbortSignal, input?: object) => {
    const { answer, failure } = await ask(method, path, signal, input)
    if (!answer.ok) throw failure()
    return objectIn(answer, service)
  }

  /** The resource name of a version, from its full or short form. Without a version it is the first. */
  const versionOf = (reference: string): string => {
    if (VERSION.test(reference)) return reference
    const [name, version = '1'] = reference.split('/')
    if (SHORT.test(reference)) return `${keyRing}/cryptoKeys/${name}/cryptoKeyVersions/${version}`
    throw new ProviderRefusal(`A key of the key provider ${tools.name} must be a key version, or the name of a key.`)
  }

  /** The resource name of a key that wraps. Cloud KMS encrypts with its primary version, and finds the version of a ciphertext. */
  const wrappingKeyOf = (reference: string): string => {
    if (CRYPTO_KEY.test(reference)) return reference
    if (/^[\w-]{1,63}$/.test(reference)) return `${keyRing}/cryptoKeys/${reference}`
    throw new ProviderRefusal(
      `A wrapping key of the key provider ${tools.name} must be the name of a key, without a version.`,
    )
  }

  const dataOf = (place: string) => {
    const octets = Buffer.from(place)
    return {
      additionalAuthenticatedData: octets.toString('base64'),
      additionalAuthenticatedDataCrc32c: String(crc32c(octets)),
    }
  }

  const checkSum = (members: Readonly<Record<string, unknown>>, name: string, octets: Uint8Array, what: string) => {
    if (String(members[name]) !== String(crc32c(octets))) throw mangled(what)
  }

  /** Checks what Cloud KMS says about a version, and reads the public key. */
  const keyOf = async (
    version: Readonly<Record<string, unknown>>,
    reference: string,
    signal: AbortSignal,
  ): Promise<ProviderKey> => {
    const name = `The key ${reference} of the key provider ${tools.name}`
    const refuse = (reason: string) => new ProviderRefusal(`${name} ${reason}.`)
    const { state, algorithm, protectionLevel: level } = version
    if (state !== 'ENABLED') throw refuse(`is not enabled: its state is ${codeOf(state) ?? 'unknown'}`)
    if (typeof algorithm !== 'string' || !/^(EC|RSA|PQ)_SIGN_/.test(algorithm))
      throw refuse(`may not sign: its algorithm is ${codeOf(algorithm) ?? 'unknown'}`)
    if (!Object.values(SPECS).some((spec) => spec.algorithm === algorithm))
      throw refuse(`has the algorithm ${codeOf(algorithm)}. The service signs with ${ALGORITHMS.join(', ')}`)
    if (protectionLevel === 'HSM' && !IN_HARDWARE.has(level))
      throw refuse(`lies in no hardware module: its protectionLevel is ${codeOf(level) ?? 'unknown'}`)
    const answer = await call('GET', `${reference}/publicKey`, signal)
    const pem = textIn(answer, 'pem', service)
    checkSum(answer, 'pemCrc32c', Buffer.from(pem), 'public key')
    if (answer.name !== reference) throw new ProviderUnavailable(`${service} answered with another key.`)
    return { reference, ...publicKeyOf(pem, name, service, ALGORITHMS) }
  }

  /** Waits until a new version has its key. The signal of the call ends the wait. */
  const generated = async (reference: string, signal: AbortSignal) => {
    for (;;) {
      const version = await call('GET', reference, signal)
      if (version.state !== 'PENDING_GENERATION') return version
      await setTimeout(GENERATION_PAUSE_MS, undefined, { signal })
    }
  }

  return {
    algorithms: protectionLevel === 'HSM' ? ALGORITHMS : ['ES256', 'ES384'],
    async generate(label, alg, signal) {
      // Cloud KMS keeps the name of a key for ever, and accepts at most 63 characters.
      const id = label.slice(-63)
      const reference = versionOf(id)
      await call('POST', `${keyRing}/cryptoKeys?cryptoKeyId=${id}`, signal, {
        purpose: 'ASYMMETRIC_SIGN',
        versionTemplate: { algorithm: specOf(alg).algorithm, protectionLevel },
      })
      return keyOf(await generated(reference, signal), reference, signal)
    },
    async find(reference, signal) {
      const version = versionOf(reference)
      return keyOf(await call('GET', version, signal), version, signal)
    },
    async sign({ reference, alg }, data, signal) {
      const { digest: member } = specOf(alg)
      const digest = ecdsaDigest(alg, data)
      const input = { digest: { [member]: digest.toString('base64') }, digestCrc32c: String(crc32c(digest)) }
      const version = versionOf(reference)
      const answer = await call('POST', `${version}:asymmetricSign`, signal, input)
      const der = base64In(answer, 'signature', service)
      if (answer.verifiedDigestCrc32c !== true) throw mangled('hash')
      checkSum(answer, 'signatureCrc32c', der, 'signature')
      if (answer.name !== version) throw new ProviderUnavailable(`${service} signed with another key.`)
      const signature = joseSignatureOf(der, COORDINATE_OCTETS[alg] ?? 0)
      if (signature === undefined) throw new ProviderUnavailable(`${service} answered with a malformed signature.`)
      return signature
    },
    async wrap(reference, key, place, signal) {
      const path = wrappingKeyOf(reference)
      const name = `The key ${path} of the key provider ${tools.name}`
      const refuse = (reason: string) => new ProviderRefusal(`${name} ${reason}.`)
      const found = await call('GET', path, signal)
      if (found.purpose !== 'ENCRYPT_DECRYPT') throw refuse('cannot wrap: its purpose is not ENCRYPT_DECRYPT')
      const { protectionLevel: level, state } = membersOf(found, 'primary')
      if (state !== 'ENABLED') throw refuse(`is not enabled: the state of its primary version is ${codeOf(state)}`)
      if (protectionLevel === 'HSM' && !IN_HARDWARE.has(level))
        throw refuse(`lies in no hardware module: its protectionLevel is ${codeOf(level) ?? 'unknown'}`)
      const octets = Buffer.from(key)
      const input = { plaintext: octets.toString('base64'), plaintextCrc32c: String(crc32c(octets)), ...dataOf(place) }
      const answer = await call('POST', `${path}:encrypt`, signal, input)
      const wrapped = Buffer.from(base64In(answer, 'ciphertext', service))
      if (answer.verifiedPlaintextCrc32c !== true) throw mangled('key')
      if (answer.verifiedAdditionalAuthenticatedDataCrc32c !== true) throw mangled('place')
      checkSum(answer, 'ciphertextCrc32c', wrapped, 'wrapped key')
      return wrapped.toString('base64')
    },
    async unwrap(reference, wrapped, place, signal) {
      const octets = octetsOfWrapped(wrapped)
      const input = { ciphertext: wrapped, ciphertextCrc32c: String(crc32c(octets)), ...dataOf(place) }
      const answer = await call('POST', `${wrappingKeyOf(reference)}:decrypt`, signal, input)
      const key = base64In(answer, 'plaintext', service)
      checkSum(answer, 'plaintextCrc32c', key, 'key')
      return key
    },
    async check(signal) {
      const { answer, failure } = await ask('GET', keyRing, signal)
      // A refusal for lack of a permission shows that Cloud KMS answers and knows the token.
      if (!answer.ok && answer.status !== 403) throw failure()
    },
    async close() {},
  }
}

function specOf(alg: SignatureAlgorithm): Spec {
  const spec = SPECS[alg]
  if (spec === undefined) throw new ProviderRefusal(`Google Cloud KMS does not sign with ${alg} here.`)
  return spec
}
