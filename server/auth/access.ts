import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { createBearerCheck } from './bearer.js'
import { type Caller, LOCAL_ADMIN } from './caller.js'
import { createClientSecretCheck } from './client-secret.js'
import { keptTokenUser } from './kept-token.js'
import { createSigningKeys } from './signing-keys.js'

/** The headers of a request that contain credentials. The session is looked up only once for each of these objects. */
export interface SentCredentials {
  readonly authorization?: string | undefined
  readonly 'x-client-secret'?: string | string[] | undefined
}

/** Whether a route belongs to issuing or to verifying. */
export type Half = 'issuer' | 'verifier'

/** The console session that a request belongs to. */
export interface ProvenSession {
  readonly accessToken: string
  /** The time until which the session is valid without a new check. */
  readonly until: Date
}

/** The console sessions, which can authenticate a caller in place of a token or the client secret. */
export interface ProvenSessions {
  /**
   * Returns the console session of a request. Undefined if the request has no session, or must not use a session.
   *
   * @param isActivity whether the request extends the session
   * @throws 401 if the session is forged, unknown or has ended; 503 if it cannot be renewed now
   */
  proven(sent: SentCredentials, isActivity: boolean): Promise<ProvenSession | undefined>
}

/** Authenticates callers by Bearer token, client secret or console session. With AUTH_DISABLED no caller is checked. */
export interface Access {
  /** @throws the matching 401. */
  user(sent: SentCredentials, isActivity: boolean): Promise<Caller>
  /**
   * Requires the client secret, or a console session. The caller of this function checks the rights of the session's user.
   *
   * @returns the session's user, or the local admin with AUTH_DISABLED; undefined for the client secret
   * @throws 401 `Unauthorized` if the secret is missing, wrong or not configured
   */
  client(sent: SentCredentials, isActivity: boolean): Promise<Caller | undefined>
  /**
   * Authenticates a request to a route that works without credentials and shows more with credentials.
   *
   * @throws 401 if the request has wrong credentials.
   */
  optional(sent: SentCredentials, isActivity: boolean): Promise<{ caller: Caller | undefined; client: boolean }>
}

/** The check of access tokens of the identity provider. */
export interface TokenCheck {
  /** @throws the matching 401. */
  user(authorization: string | undefined): Promise<Caller>
  /** Reports whether tokens can be checked; absent if the configuration accepts no tokens. */
  readonly identityProvider?: () => Promise<'up' | 'degraded'>
}

export function createTokenCheck(config: Config, clock: () => Date): TokenCheck {
  if (config.authDisabled) return { user: async () => LOCAL_ADMIN }
  const { jwksUrl, ...oidc } = config.oidc
  if (jwksUrl === undefined) throw new Error('OIDC_JWKS_URL is required unless AUTH_DISABLED is set.')
  const keys = createSigningKeys(jwksUrl, oidc.algorithms)
  return {
    user: createBearerCheck({ ...oidc, adminRole: config.adminRole, keys, clock }),
    identityProvider: keys.check,
  }
}

/** Makes the authentication of callers. @param sessions console sessions; undefined if users cannot sign in. */
export function createAccess(config: Config, tokens: Pick<TokenCheck, 'user'>, sessions?: ProvenSessions): Access {
  if (config.authDisabled) {
    return {
      user: async () => LOCAL_ADMIN,
      client: async () => LOCAL_ADMIN,
      optional: async () => ({ caller: LOCAL_ADMIN, client: true }),
    }
  }
  const secretMatches = createClientSecretCheck(config.clientSecrets)
  const assertSecret = (secret: string | string[] | undefined) => {
    if (!secretMatches(Array.isArray(secret) ? undefined : secret)) throw errors.unauthorized()
  }

  /** The user of the request's console session. */
  const loggedIn = async (sent: SentCredentials, isActivity: boolean): Promise<Caller | undefined> => {
    if (sent.authorization !== undefined) return undefined
    const session = await sessions?.proven(sent, isActivity)
    if (session === undefined) return undefined
    const caller = await keptTokenUser(tokens, session.accessToken)
    const until = session.until.getTime()
    return { ...caller, expiresAt: Math.min(caller.expiresAt ?? until, until) }
  }

  return {
    user: async (sent, isActivity) => (await loggedIn(sent, isActivity)) ?? tokens.user(sent.authorization),
    client: async (sent, isActivity) => {
      const secret = sent['x-client-secret']
      const caller = secret === undefined ? await loggedIn(sent, isActivity) : undefined
      if (caller === undefined) assertSecret(secret)
      return caller
    },
    optional: async (sent, isActivity) => {
      const sentSecret = sent['x-client-secret'] !== undefined
      if (sentSecret) assertSecret(sent['x-client-secret'])
      const caller =
        sent.authorization === undefined ? await loggedIn(sent, isActivity) : await tokens.user(sent.authorization)
      return { caller, client: sentSecret }
    },
  }
}
