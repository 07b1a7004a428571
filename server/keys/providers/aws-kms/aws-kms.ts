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
} from '../remote/exchange.js'
import { keepCredential } from '../remote/kept-credential.js'
import { COORDINATE_OCTETS, ecdsaDigest, publicKeyOf } from '../remote/public-key.js'
import { octetsOfWrapped } from '../remote/wrapped-text.js'
import { type AwsSource, awsCredentials } from './credentials.js'
import { signedHeaders } from './signature-v4.js'

export interface AwsKmsPlaces {
  readonly region: string
  readonly endpoint: string
  readonly source: AwsSource
  readonly message: 'digest' | 'raw'
}

interface Spec {
  readonly keySpec: string
  readonly signing: string
}

/**
 * Ed25519 is left out: KMS wants the whole message for it, and takes at most 4,096 bytes. Status lists are longer.
 */
const SPECS: Readonly<Partial<Record<SignatureAlgorithm, Spec>>> = {
  ES256: { keySpec: 'ECC_NIST_P256', signing: 'ECDSA_SHA_256' },
  ES384: { keySpec: 'ECC_NIST_P384', signing: 'ECDSA_SHA_384' },
  ES256K: { keySpec: 'ECC_SECG_P256K1', signing: 'ECDSA_SHA_256' },
}

const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'ES256K']

/** The limit of KMS for the message of `Sign`. */
const MAX_RAW_BYTES = 4_096

/** Errors with a status of 4xx that a repeated call may not have again. */
const PASSING: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'KeyUnavailableException',
  'DependencyTimeoutException',
  'KMSInternalException',
  'LimitExceededException',
])

/** Errors that new keys may cure. */
const OF_CREDENTIALS: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'RequestExpired',
])

const codeIn = (members: Readonly<Record<string, unknown>>): string | undefined => {
  const type = members.__type
  return codeOf(typeof type === 'string' ? type.replace(/^.*#/, '') : undefined)
}

/** An adapter for AWS KMS. A key's reference is its ARN. */
export function createAwsKms(places: AwsKmsPlaces, tools: ProviderTools): KeyProvider {
  const { endpoint, region, source, message } = places
  const exchange = createExchange(`AWS KMS of the key provider ${tools.name}`, tools.fetch)
  const { service } = exchange
  const credential = keepCredential(awsCredentials(source, exchange), tools.clock)
  const { host } = new URL(endpoint)

  const failureOf = (answer: ProviderAnswer, operation: string, refused: (text: string) => Error): Error => {
    const code = codeIn(membersIn(answer))
    const text = `${service} refused ${operation}: ${described(answer, code)}.`
    if (code !== undefined && OF_CREDENTIALS.has(code)) return refused(text)
    if (code === 'InvalidSignatureException')
      return new ProviderRefusal(`${text} Check the secret access key and the clock of this machine.`)
    return code !== undefined && PASSING.has(code) ? new ProviderUnavailable(text) : new ProviderRefusal(text)
  }

  const membersIn = (answer: ProviderAnswer) => {
    try {
      return objectIn(answer, service)
    } catch {
      return {}
    }
  }

  const ask = async (operation: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const keys = await credential.current(signal)
    const body = JSON.stringify(input)
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` }
    const signed = signedHeaders({ host, region, service: 'kms', headers, body }, keys, tools.clock())
    const answer = await exchange.send(`${endpoint}/`, { method: 'POST', headers: signed, body, signal })
    const refused = (text: string) => credential.refused(keys, text)
    return { answer, failure: () => failureOf(answer, operation, refused) }
  }

  const call = async (operation: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const { answer, failure } = await ask(operation, input, signal)
    if (!answer.ok) throw failure()
    return objectIn(answer, service)
  }

  /** Checks what KMS says about a key, and reads the public key. */
  const keyOf = async (metadata: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ProviderKey> => {
    const { Arn: reference, KeyUsage: usage, KeyState: state } = metadata
    if (typeof reference !== 'string') throw new ProviderUnavailable(`${service} answered without an ARN of the key.`)
    const name = `The key ${reference} of the key provider ${tools.name}`
    if (usage !== 'SIGN_VERIFY') throw new ProviderRefusal(`${name} may not sign: its KeyUsage is not SIGN_VERIFY.`)
    if (state !== 'Enabled' || metadata.Enabled !== true)
      throw new ProviderRefusal(`${name} is not enabled: its KeyState is ${codeOf(state) ?? 'unknown'}.`)
    const answer = await call('GetPublicKey', { KeyId: reference }, signal)
    const key = Buffer.from(base64In(answer, 'PublicKey', service))
    return { reference, ...publicKeyOf({ key, format: 'der', type: 'spki' }, name, service, ALGORITHMS) }
  }

  return {
    algorithms: ALGORITHMS,
    async generate(label, alg, signal) {
      const { keySpec } = specOf(alg)
      const input = { KeySpec: keySpec, KeyUsage: 'SIGN_VERIFY', Description: label }
      return keyOf(membersOf(await call('CreateKey', input, signal), 'KeyMetadata'), signal)
    },
    async find(reference, signal) {
      return keyOf(membersOf(await call('DescribeKey', { KeyId: reference }, signal), 'KeyMetadata'), signal)
    },
    async sign({ reference, alg }, data, signal) {
      const { signing } = specOf(alg)
      const isRaw = message === 'raw' && data.length <= MAX_RAW_BYTES
      const input = {
        KeyId: reference,
        Message: (isRaw ? Buffer.from(data) : ecdsaDigest(alg, data)).toString('base64'),
        MessageType: isRaw ? 'RAW' : 'DIGEST',
        SigningAlgorithm: signing,
      }
      const answer = await call('Sign', input, signal)
      const signature = joseSignatureOf(base64In(answer, 'Signature', service), COORDINATE_OCTETS[alg] ?? 0)
      if (signature === undefined) throw new ProviderUnavailable(`${service} answered with a malformed signature.`)
      return signature
    },
    async wrap(reference, key, place, signal) {
      const metadata = membersOf(await call('DescribeKey', { KeyId: reference }, signal), 'KeyMetadata')
      const name = `The key ${reference} of the key provider ${tools.name}`
      // The public part of an asymmetric key wraps too, so anybody could make a wrapped key.
      if (metadata.KeyUsage !== 'ENCRYPT_DECRYPT' || metadata.KeySpec !== 'SYMMETRIC_DEFAULT')
        throw new ProviderRefusal(`${name} cannot wrap: it is no symmetric key for encryption (SYMMETRIC_DEFAULT).`)
      if (metadata.KeyState !== 'Enabled' || metadata.Enabled !== true)
        throw new ProviderRefusal(`${name} is not enabled: its KeyState is ${codeOf(metadata.KeyState) ?? 'unknown'}.`)
      const input = { KeyId: reference, Plaintext: Buffer.from(key).toString('base64'), ...contextOf(place) }
      return Buffer.from(base64In(await call('Encrypt', input, signal), 'CiphertextBlob', service)).toString('base64')
    },
    async unwrap(reference, wrapped, place, signal) {
      const blob = octetsOfWrapped(wrapped).toString('base64')
      const input = { KeyId: reference, CiphertextBlob: blob, ...contextOf(place) }
      return base64In(await call('Decrypt', input, signal), 'Plaintext', service)
    },
    async check(signal) {
      const { answer, failure } = await ask('ListKeys', { Limit: 1 }, signal)
      // A refusal for lack of a permission shows that KMS answers and knows the credentials.
      if (!answer.ok && codeIn(membersIn(answer)) !== 'AccessDeniedException') throw failure()
    },
    async close() {},
  }
}

/** KMS binds the ciphertext to the encryption context, and shows the context in the log of CloudTrail. */
const contextOf = (place: string) => ({ EncryptionContext: { 'credence:place': place } })

function specOf(alg: SignatureAlgorithm): Spec {
  const spec = SPECS[alg]
  if (spec === undefined) throw new ProviderRefusal(`AWS KMS does not sign with ${alg} here.`)
  return spec
}
