import { errors } from '../api/errors.js'
import type { SigningAlgorithm } from '../dids/identity.js'
import { DATABASE, type KeyProviders } from '../keys/providers/providers.js'

/** The key provider of a new key, or `database`, and the algorithm of the key. */
export interface KeyPlaceWish {
  readonly provider: string
  readonly algorithm: SigningAlgorithm
}

/**
 * Checks that a new key can be made in the place that a caller chose.
 *
 * @param member the name of the member of the request with the provider
 * @throws 400 for an unknown provider, and for an algorithm that the provider does not have; 503 if the provider is away
 */
export async function assertKeyPlace(
  keyProviders: Pick<KeyProviders, 'algorithms' | 'names'>,
  { provider, algorithm }: KeyPlaceWish,
  member: 'keyProvider' | 'provider',
): Promise<void> {
  if (provider === DATABASE) return
  if (!keyProviders.names.includes(provider))
    throw errors.badRequest(`${member} must be database or the name of a provider of KEY_PROVIDERS`)
  const algorithms = await keyProviders.algorithms(provider)
  if (!algorithms.includes(algorithm))
    throw errors.badRequest(`algorithm must be ${algorithms.join(' or ')} for the key provider ${provider}`)
}
