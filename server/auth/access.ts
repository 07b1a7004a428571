import type { Config } from '../config.js'
import { errors } from '../errors.js'
import { createBearerCheck } from './bearer.js'
import { type Caller, LOCAL_ADMIN } from './caller.js'
import { createClientSecretCheck } from './client-secret.js'
import { createSigningKeys } from './signing-keys.js'

/** Credentials as a request sends them. */
export interface SentCredentials {
  readonly authorization?: string | undefined
  readonly 'x-client-secret'?: string | string[] | undefined
}

/** Authenticates callers by both schemes of the interface, or by neither where AUTH_DISABLED is set. */
export interface Access {
  /** @throws the 401 that fits. */
  user(sent: SentCredentials): Promise<Caller>
  /** @throws 401 `Unauthorized` where the secret is missing, wrong or not configured. */
  client(sent: SentCredentials): void
  /**
   * For routes that work without credentials and show more with them.
   *
   * @throws 401 where one is sent and wrong.
   */
  optional(sent: SentCredentials): Promise<{ caller: Caller | undefined; client: boolean }>
  /** Whether tokens can be checked; absent where nobody sends any. */
  readonly identityProvider?: () => Promise<'up' | 'degraded'>
}

export function createAccess(config: Config, clock: () => Date): Access {
  if (config.authDisabled) {
    return {
      user: async () => LOCAL_ADMIN,
      client: () => {},
      optional: async () => ({ caller: LOCAL_ADMIN, client: true }),
    }
  }
  const { jwksUrl, ...oidc } = config.oidc
  if (jwksUrl === undefined) throw new Error('OIDC_JWKS_URL is required unless AUTH_DISABLED is set.')
  const keys = createSigningKeys(jwksUrl, oidc.algorithms)
  const user = createBearerCheck({ ...oidc, keys, clock })
  const secretMatches = createClientSecretCheck(config.clientSecrets)
  const client = (sent: SentCredentials) => {
    const secret = sent['x-client-secret']
    if (!secretMatches(Array.isArray(secret) ? undefined : secret)) throw errors.unauthorized()
  }
  return {
    identityProvider: keys.check,
    user: (sent) => user(sent.authorization),
    client,
    optional: async (sent) => {
      const sentSecret = sent['x-client-secret'] !== undefined
      if (sentSecret) client(sent)
      const caller = sent.authorization === undefined ? undefined : await user(sent.authorization)
      return { caller, client: sentSecret }
    },
  }
}
