import type { Config } from '../config/config.js'
import { inTime } from '../outbound/in-time.js'
import { item, type SetupItem } from './item.js'

const ASK_MS = 3_000

/**
 * Checks that the identity provider's keys are known.
 *
 * @param check the check of the identity provider; undefined with AUTH_DISABLED
 */
export async function identityProviderItem(
  { oidc }: Pick<Config, 'oidc'>,
  check: (() => Promise<unknown>) | undefined,
): Promise<SetupItem> {
  if (check === undefined) {
    return item(
      'identityProvider',
      'warning',
      'AUTH_DISABLED is true: every caller is an admin.',
      'Set OIDC_JWKS_URL and OIDC_ISSUER, and remove AUTH_DISABLED, before others can reach this service.',
    )
  }
  const isUp = await inTime(check(), ASK_MS).then(
    (state) => state === 'up',
    () => false,
  )
  const name = oidc.issuer ?? 'the identity provider'
  return isUp
    ? item('identityProvider', 'ok', `The keys of ${name} are known: access tokens can be checked.`)
    : item(
        'identityProvider',
        'failed',
        `The keys of ${name} cannot be read now: access tokens that are signed with new keys are refused.`,
        'Check OIDC_JWKS_URL, and that this service can reach it.',
      )
}

/** Checks that users can sign in, at the console and in the authorization code flow. */
export function signInItem({ signIn, authDisabled }: Pick<Config, 'signIn' | 'authDisabled'>): SetupItem {
  if (signIn !== undefined) return item('signIn', 'ok', `Users sign in at ${signIn.issuer} as ${signIn.clientId}.`)
  if (authDisabled) return item('signIn', 'unused', 'No user signs in, because AUTH_DISABLED is true.')
  return item(
    'signIn',
    'missing',
    'No user can sign in, neither at the console nor for an offer to one user.',
    'Register a client at the identity provider, and set OIDC_ISSUER and OIDC_CLIENT_ID.',
  )
}

export function clientSecretItem({
  clientSecrets,
  authDisabled,
}: Pick<Config, 'clientSecrets' | 'authDisabled'>): SetupItem {
  if (clientSecrets.length > 0) return item('clientSecret', 'ok', 'Backends can call with x-client-secret.')
  if (authDisabled) return item('clientSecret', 'unused', 'No secret is needed, because AUTH_DISABLED is true.')
  return item(
    'clientSecret',
    'missing',
    'CLIENT_SECRET is not set: routes that need x-client-secret answer 401.',
    'Set CLIENT_SECRET to a long random text.',
  )
}

type Redis = Pick<Config, 'redisUrl' | 'rateLimit'>

/** Checks that all processes count calls for the rate limit together. */
export async function redisItem({ redisUrl, rateLimit }: Redis): Promise<SetupItem> {
  if (redisUrl === undefined) {
    return rateLimit.max === 0
      ? item('redis', 'unused', 'Redis is not configured, and calls are not counted.')
      : item(
          'redis',
          'unused',
          'Redis is not configured: each machine counts calls separately.',
          'Set REDIS_URL if several machines serve one installation.',
        )
  }
  // The module is imported on demand, because most installations have no Redis, and the Redis client is a third of all
  // files of the service.
  const { redisClient } = await import('../database/redis.js')
  const client = redisClient(redisUrl, () => {})
  try {
    await inTime(
      client.connect().then(() => client.ping()),
      ASK_MS,
    )
    return item('redis', 'ok', 'Redis answers: calls are counted for all processes together.')
  } catch {
    return item(
      'redis',
      'failed',
      'Redis does not answer: until it answers, each process counts calls separately.',
      'Check REDIS_URL, and that Redis runs.',
    )
  } finally {
    client.destroy()
  }
}
