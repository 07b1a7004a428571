import type { z } from 'zod'
import type { OutboundFetch } from '../../outbound/guard.js'
import type { SignatureAlgorithm } from '../../protocol/jose/algorithms.js'
import type { Jwk } from '../../protocol/jose/jwk.js'

/** A signing key that lies in a key provider. Its private part never leaves the provider. */
export interface ProviderKey {
  /**
   * Names the key inside its provider, for as long as the key exists: an ARN, a key version, a `CKA_ID`. It is stored in
   * the database, so it must hold no secret. At most 1,000 characters.
   */
  readonly reference: string
  /** The public key: `kty`, `crv`, `x` and `y` only. */
  readonly publicJwk: Jwk
  readonly alg: SignatureAlgorithm
}

/**
 * The adapter of one key provider. An adapter speaks the provider's protocol, and does nothing else.
 *
 * `guarded.ts` wraps every adapter. The wrapper bounds concurrency and queue, sets the time limit, repeats calls, counts
 * them, verifies each signature with the public key, and turns errors into answers. An adapter must not do any of these.
 *
 * Errors of every method:
 * - {@link ProviderRefusal} if the provider said no, and would say no again;
 * - {@link ProviderUnavailable} if the provider cannot be reached, is busy, or failed by itself.
 * - Any other error counts as {@link ProviderUnavailable}, and is not repeated.
 */
export interface KeyProvider {
  /** The algorithms of new keys, the default first. */
  readonly algorithms: readonly SignatureAlgorithm[]

  /**
   * Makes a key pair inside the provider. The private key must be neither readable nor exportable. The wrapper never
   * repeats this call, because a repeated call could make a second key.
   *
   * @param label a name for people: letters, digits and hyphens, at most 64 characters. It is unique.
   */
  generate(label: string, alg: SignatureAlgorithm, signal: AbortSignal): Promise<ProviderKey>

  /**
   * Finds a key that exists.
   *
   * @param reference the reference of a {@link ProviderKey}, or any other name of a key that an operator may configure.
   * @throws {ProviderRefusal} if there is no such key, or if the key is not on a supported curve, can be read or
   *   exported, or must not sign. The message says which of these.
   */
  find(reference: string, signal: AbortSignal): Promise<ProviderKey>

  /**
   * Signs the data. For ECDSA the adapter hashes the data itself (`digestOf` in `digest.ts`). It never passes on a hash that a
   * caller chose. The call may be repeated, because a signature changes nothing.
   *
   * @param key as it was stored. The adapter must be able to sign without an earlier `find` in this process.
   * @returns the signature in its JOSE form (for ECDSA the octets of r and s, RFC 7518 §3.4).
   */
  sign(key: ProviderKey, data: Uint8Array, signal: AbortSignal): Promise<Uint8Array>

  /**
   * Wraps a key-encryption key of 32 octets. Absent if the kind cannot wrap. The call may be repeated, because it changes nothing.
   *
   * Only the provider must be able to make a wrapped key that {@link KeyProvider.unwrap} accepts. Otherwise a person who can write to the
   * database could insert a key. A public key alone is therefore not enough.
   *
   * @param reference the name of the wrapping key, as an operator configures it
   * @param place names the wrapped key. If the provider has additional authenticated data, it is bound to this name.
   * @returns printable ASCII without spaces, at most 4,000 characters. It holds what `unwrap` needs, such as the version of the wrapping key
   * @throws {ProviderRefusal} if there is no such key, or if the key must not wrap, can be read or can be exported
   */
  wrap?(reference: string, key: Uint8Array, place: string, signal: AbortSignal): Promise<string>

  /**
   * Unwraps a key. The text is from the database, so it may be hostile. It must not choose the wrapping key, only a version of this key.
   *
   * @throws {ProviderRefusal} if the text is malformed, was altered, or was wrapped by another key or, where the provider can tell, for
   *   another place
   */
  unwrap?(reference: string, wrapped: string, place: string, signal: AbortSignal): Promise<Uint8Array>

  /** Checks that the provider answers and accepts this service's credentials. It signs nothing. */
  check(signal: AbortSignal): Promise<void>

  /** Ends sessions and connections. The wrapper calls it once, after the last other call. */
  close(): Promise<void>
}

/** The means that an adapter gets besides its settings. */
export interface ProviderTools {
  /** The name of the provider in KEY_PROVIDERS, for messages. */
  readonly name: string
  /** Reaches only the origins that the kind's `network` names. It follows no redirects, and it never keeps an answer. */
  readonly fetch: OutboundFetch
  /** The environment variables of the process, for the credentials that the provider's own tools read there. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: () => Date
}

/** The network that a provider needs. */
export interface ProviderNetwork {
  /**
   * The origins that the adapter may request, such as `https://kms.eu-central-1.amazonaws.com`. Their addresses may be
   * private, because the operator has configured them. Plain http is allowed for the origins that begin with `http:`.
   */
  readonly origins: readonly string[]
  /** A PEM file with further certificate authorities. */
  readonly caFile?: string | undefined
}

/**
 * A kind of key provider: one folder `server/keys/providers/<kind>/` whose `kind.ts` exports it, and one line in
 * `registry.ts`. A kind is loaded only if KEY_PROVIDERS has an entry of this kind.
 */
export interface ProviderKind<Settings extends z.ZodType = z.ZodType> {
  /**
   * The members of an entry of KEY_PROVIDERS that are special to this kind, as a strict object. The members `name`,
   * `kind`, `concurrency`, `queue` and `timeoutSeconds` are the same for all kinds, and are not passed on.
   */
  readonly settings: Settings
  /**
   * The origins that the adapter requests. Absent for a kind that needs no network.
   *
   * @throws {ProviderRefusal} if the environment lacks something that decides on the origins, such as a region.
   */
  network?(settings: z.output<Settings>, environment: ProviderTools['environment']): ProviderNetwork
  /**
   * Makes the adapter. It may read files and log in. It is called once at the start of each process.
   *
   * @throws {ProviderRefusal} if settings or credentials are wrong. Credentials that could be locked, such as a PIN, are
   *   tried once.
   */
  open(settings: z.output<Settings>, tools: ProviderTools): Promise<KeyProvider>
}

/** Keeps the type of the settings of a kind. */
export const providerKind = <Settings extends z.ZodType>(kind: ProviderKind<Settings>): ProviderKind<Settings> => kind

/**
 * The provider said no: wrong credentials, an unknown key, an unusable key. A repeated call would fail again. At the
 * start the message goes to the operator; later it goes to the log. It must hold no secret.
 */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
}

/** The provider cannot answer now. A repeated call may succeed. The message goes to the log, and must hold no secret. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}
