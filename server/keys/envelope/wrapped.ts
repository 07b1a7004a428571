import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Config, ConfigurationError } from '../../config/config.js'
import type { WrappingKey } from '../../config/key-providers.js'
import { kekId } from '../../protocol/jose/sealed.js'
import type { KeyProviders } from '../providers/providers.js'
import type { EnvelopeKey } from './store.js'

const KEY_OCTETS = 32
/** Longest wrapped key. */
const MOST_CHARACTERS = 4_000

/** The parts of key providers that wrap. */
export type Wrapping = Pick<KeyProviders, 'wrap' | 'unwrap'>

/**
 * The name to which a wrapped key is bound. It names the key only. A name of the installation in the database would protect nothing: a
 * person who copies a row from another installation copies this name too. So each installation needs its own wrapping key.
 */
export const placeOf = (id: string): string => `envelope-key:${id}`

/** The configured wrapping key of a row, and its variable. */
export function wrappingOf(
  { current, previous }: Config['wrapping'],
  { wrapping }: Pick<EnvelopeKey, 'wrapping'>,
): { readonly key: WrappingKey; readonly variable: string } | undefined {
  if (current?.name === wrapping) return { key: current, variable: 'KEY_ENCRYPTION_PROVIDER' }
  if (previous?.name === wrapping) return { key: previous, variable: 'KEY_ENCRYPTION_PROVIDER_PREVIOUS' }
  return undefined
}

const refused = (variable: string, { name }: WrappingKey, reason: string, cause?: unknown) =>
  new ConfigurationError(`${variable} (${name}): ${reason}`, { cause })

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Unwraps a key, and checks that it is the key of its row: the row's id is a hash of the key.
 *
 * @throws {ConfigurationError} that names the variable of the wrapping key
 */
export async function unwrap(
  providers: Pick<Wrapping, 'unwrap'>,
  { key: wrapping, variable }: { readonly key: WrappingKey; readonly variable: string },
  { id, wrapped }: Pick<EnvelopeKey, 'id' | 'wrapped'>,
): Promise<Uint8Array> {
  const altered = () =>
    refused(variable, wrapping, `the wrapped key-encryption key ${id} was altered, or belongs to another row.`)
  if (wrapped.length > MOST_CHARACTERS) throw altered()
  const key = await providers.unwrap(wrapping, wrapped, placeOf(id)).catch((error: unknown) => {
    throw refused(variable, wrapping, `the key-encryption key ${id} cannot be unwrapped: ${reasonOf(error)}`, error)
  })
  const octets = new Uint8Array(key)
  if (octets.length !== KEY_OCTETS || kekId(octets) !== id) throw altered()
  return octets
}

/**
 * Wraps a key, and unwraps it once for a check: a wrapped key that cannot be unwrapped would lose all values.
 *
 * @throws {ConfigurationError} if the wrapping key cannot wrap, or does not unwrap what it wrapped
 */
export async function wrap(providers: Wrapping, wrapping: WrappingKey, key: Uint8Array): Promise<string> {
  const variable = 'KEY_ENCRYPTION_PROVIDER'
  const id = kekId(key)
  const wrapped = await providers.wrap(wrapping, key, placeOf(id)).catch((error: unknown) => {
    throw refused(variable, wrapping, `a key-encryption key cannot be wrapped: ${reasonOf(error)}`, error)
  })
  if (wrapped.length > MOST_CHARACTERS) throw refused(variable, wrapping, 'a wrapped key-encryption key is too long.')
  const again = await unwrap(providers, { key: wrapping, variable }, { id, wrapped })
  if (!timingSafeEqual(again, key)) throw refused(variable, wrapping, 'unwraps another key than it wrapped.')
  return wrapped
}

/** A new key-encryption key, with its wrapped form. */
export async function newEnvelopeKey(providers: Wrapping, wrapping: WrappingKey) {
  const key = new Uint8Array(randomBytes(KEY_OCTETS))
  return { key, id: kekId(key), wrapping: wrapping.name, wrapped: await wrap(providers, wrapping, key) }
}
