import { type Config, ConfigurationError } from '../../config/config.js'
import type { AtRestStore } from '../at-rest/store.js'
import type { EnvelopeStore } from './store.js'
import { newEnvelopeKey, type Wrapping } from './wrapped.js'

/** Time until a new key encrypts, in seconds. Every running process learns the key in this time, and can then decrypt under it. */
export const ACTIVE_AFTER_SECONDS = 60

/**
 * Makes a new key-encryption key. The caller holds the start lock.
 *
 * @returns the name of the key
 * @throws {ConfigurationError} if no wrapping key is configured, or an earlier rotation is not done
 */
export async function rotateEnvelopeKey(
  { wrapping }: Pick<Config, 'wrapping'>,
  store: EnvelopeStore,
  atRest: Pick<AtRestStore, 'progress'>,
  providers: Wrapping,
): Promise<string> {
  if (wrapping.current === undefined)
    throw new ConfigurationError(
      'KEY_ENCRYPTION_PROVIDER must be defined. docs/operations/certificates-and-trust.md says how to replace KEY_ENCRYPTION_KEY.',
    )
  const isWaiting = (await store.all()).some(({ isActive }) => !isActive)
  const isWalking = (await atRest.progress()).some(({ position }) => position !== null)
  if (isWaiting || isWalking)
    throw new ConfigurationError(
      'An earlier change of the key-encryption key is not done. Wait until the log says "all stored values are encrypted".',
    )
  const made = await newEnvelopeKey(providers, wrapping.current)
  await store.add(made, ACTIVE_AFTER_SECONDS)
  return made.id
}
