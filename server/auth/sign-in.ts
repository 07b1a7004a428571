import { timingSafeEqual } from 'node:crypto'
import * as client from 'openid-client'
import type { Config, SignInConfig } from '../config/config.js'

/** The provider's metadata is fetched again after this time. */
const CACHE_MS = 10 * 60 * 1000
/** Minimum time before an unreachable provider is asked again. */
const RETRY_MS = 5_000
/** Limit for one request to the provider, in seconds. */
const TIMEOUT_SECONDS = 10

/** Values that bind the provider's answer to the request. They are stored until the answer arrives. */
export interface Login {
  readonly state: string
  readonly nonce: string
  /** PKCE (RFC 7636). */
  readonly verifier: string
}

/** Makes the random values for a login. The `state` begins with `prefix`. */
export function newLogin(random: (length: number) => Uint8Array, prefix = ''): Login {
  const secret = () => Buffer.from(random(32)).toString('base64url')
  return { state: `${prefix}${secret()}`, nonce: secret(), verifier: secret() }
}

/** True if a provider's answer has the `state` of a login. Compares in constant time. */
export function isStateOf(login: Pick<Login, 'state'>, sent: string): boolean {
  const [one, other] = [Buffer.from(login.state), Buffer.from(sent)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Parameters of the provider's answer (RFC 6749 §4.1.2, RFC 9207). */
export interface LoginAnswer {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/** The redirect URI with the parameters of the provider's answer. */
export function answerAt(redirectUri: string, sent: LoginAnswer): URL {
  const answer = new URL(redirectUri)
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) answer.searchParams.set(name, value)
  return answer
}

/**
 * The provider's claims about a user: the claims of the ID token, and claims that only the userinfo endpoint returns.
 */
export type UserClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

/**
 * The reason why a sign-in did not succeed.
 *
 * - `refused`: the user declined, or has no permission.
 * - `failed`: the answer does not belong to this sign-in.
 * - `unavailable`: the provider is unreachable, or does not know this service.
 */
export type SignInFailure = 'refused' | 'failed' | 'unavailable'

/** A failed sign-in. `cause` is only for the log. */
export class SignInError extends Error {
  override readonly name = 'SignInError'

  constructor(
    readonly failure: SignInFailure,
    cause: unknown,
  ) {
    super(`The user was not signed in: ${failure}.`, { cause })
  }
}

/** The provider's tokens for a code or a refresh token. */
export interface Tokens {
  readonly accessToken: string
  /** Undefined if the provider has issued no refresh token. */
  readonly refreshToken: string | undefined
}

/**
 * The sign-in of users with the authorization code flow of OpenID Connect Core 1.0 (§3.1), PKCE, `state` and `nonce`.
 */
export interface SignIn {
  /**
   * Returns the address of the provider at which the user signs in.
   *
   * @param chooseAccount true if the provider must ask which account the user wants (`prompt`, OpenID Connect Core 1.0
   *   §3.1.2.1)
   * @throws SignInError `unavailable`
   */
  addressFor(login: Login, redirectUri: string, chooseAccount?: boolean): Promise<URL>
  /**
   * Exchanges the code of the provider's answer.
   *
   * @param answer the redirect URI with the parameters of the answer
   * @throws SignInError
   */
  complete(answer: URL, login: Login): Promise<UserClaims>
  /**
   * Exchanges the code of the provider's answer for tokens to store, and the claims of the ID token.
   *
   * @param answer the redirect URI with the parameters of the answer
   * @throws SignInError
   */
  tokens(answer: URL, login: Login): Promise<Tokens & { readonly claims: UserClaims }>
  /**
   * Requests new tokens for a refresh token (RFC 6749 §6). The refresh token stays valid if the provider issues no new
   * refresh token.
   *
   * @throws SignInError `failed` if the refresh token is no longer valid
   */
  refresh(refreshToken: string): Promise<Tokens>
  /**
   * Revokes a token (RFC 7009), if the provider supports revocation.
   *
   * @throws SignInError
   */
  revoke(token: string, type: 'access_token' | 'refresh_token'): Promise<void>
  /**
   * Returns the address of the provider at which a browser ends its session (OpenID Connect RP-Initiated Logout 1.0
   * §2). The parameters are `client_id` and `post_logout_redirect_uri`. Undefined if the provider has no such address.
   *
   * @param returnTo the address to which the provider sends the browser back
   * @throws SignInError `unavailable`
   */
  endSession(returnTo: string): Promise<URL | undefined>
}

/**
 * Error codes for two cases: the user declined, or the provider refused the user (OpenID Connect Core 1.0 §3.1.2.6, RFC
 * 6749 §4.1.2.1).
 */
const USER_ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
])

/** The library's error codes for failed checks of an answer: state, `iss`, `nonce`, times, signature. */
const CHECKS: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])

function failureOf(thrown: unknown): SignInFailure {
  if (thrown instanceof client.AuthorizationResponseError) {
    return USER_ERRORS.has(thrown.error) ? 'refused' : 'unavailable'
  }
  if (thrown instanceof client.ResponseBodyError) return thrown.error === 'invalid_grant' ? 'failed' : 'unavailable'
  return thrown instanceof client.ClientError && CHECKS.has(thrown.code ?? '') ? 'failed' : 'unavailable'
}

async function orSignInError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw thrown instanceof SignInError ? thrown : new SignInError(failureOf(thrown), thrown)
  }
}

/**
 * Sends the client secret by HTTP Basic, which each provider must support (RFC 6749 §2.3.1). If the provider's metadata
 * list authentication methods and Basic is not among them, the secret is sent in the form.
 */
function clientAuthentication(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const inForm = methods !== undefined && !methods.includes('client_secret_basic')
    return (inForm ? post : basic)(server, ...rest)
  }
}

/**
 * The `prompt` with which a provider lets the user choose an account. If the provider lists its prompts and
 * `select_account` is not among them, `login` asks for a new sign-in (Initiating User Registration via OpenID Connect
 * 1.0 §5).
 */
function promptForAccount({ prompt_values_supported: supported }: client.ServerMetadata): string {
  const isUnknown = Array.isArray(supported) && !supported.includes('select_account')
  return isUnknown ? 'login' : 'select_account'
}

/**
 * Caches the result of `fetch`. A failure is cached too, but for a shorter time. Concurrent callers wait for the same
 * fetch.
 */
function kept<T>(fetch: () => Promise<T>, clock: () => Date): () => Promise<T> {
  let current: { value: Promise<T>; until: number } | undefined
  return () => {
    if (current !== undefined && clock().getTime() < current.until) return current.value
    const made = { value: fetch(), until: clock().getTime() + CACHE_MS }
    current = made
    made.value.catch(() => {
      made.until = clock().getTime() + RETRY_MS
    })
    return made.value
  }
}

/**
 * Makes the sign-in at the configured identity provider, whose metadata is found by OpenID Connect Discovery 1.0. ID
 * tokens come directly from the provider. Their signatures are checked nevertheless, because the claims of ID tokens
 * may become claims of credentials.
 *
 * @param fetch sends guarded outbound requests
 */
export function createSignIn(
  { allowInsecureHttp }: Pick<Config, 'allowInsecureHttp'>,
  { issuer, clientId, clientSecret, scope }: SignInConfig,
  fetch: typeof globalThis.fetch,
  clock: () => Date,
): SignIn {
  const authentication = clientAuthentication(clientSecret)
  const guarded: client.CustomFetch = (url, init) => fetch(url, init as RequestInit)
  const provider = kept(
    () =>
      client.discovery(new URL(issuer), clientId, undefined, authentication, {
        [client.customFetch]: guarded,
        execute: [client.enableNonRepudiationChecks, ...(allowInsecureHttp ? [client.allowInsecureRequests] : [])],
        timeout: TIMEOUT_SECONDS,
      }),
    clock,
  )

  /**
   * The client configuration for token refreshes. It does not check the signature of a returned ID token, because the
   * ID token is not used. If the check was made and its keys could not be fetched, the new refresh token would be lost,
   * although the former refresh token is no longer valid.
   */
  const refreshing = async () => {
    const configuration = new client.Configuration(
      (await provider()).serverMetadata(),
      clientId,
      undefined,
      authentication,
    )
    configuration[client.customFetch] = guarded
    configuration.timeout = TIMEOUT_SECONDS
    if (allowInsecureHttp) client.allowInsecureRequests(configuration)
    return configuration
  }

  const granted = async (answer: URL, login: Login) => {
    const configuration = await provider()
    const tokens = await client.authorizationCodeGrant(configuration, answer, {
      expectedState: login.state,
      expectedNonce: login.nonce,
      pkceCodeVerifier: login.verifier,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new SignInError('failed', undefined)
    return { configuration, tokens, claims }
  }

  return {
    addressFor: (login, redirectUri, chooseAccount = false) =>
      orSignInError(async () => {
        const configuration = await provider()
        return client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope,
          state: login.state,
          nonce: login.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(login.verifier),
          code_challenge_method: 'S256',
          ...(chooseAccount && { prompt: promptForAccount(configuration.serverMetadata()) }),
        })
      }),

    complete: (answer, login) =>
      orSignInError(async () => {
        const { configuration, tokens, claims } = await granted(answer, login)
        const { userinfo_endpoint: userinfo } = configuration.serverMetadata()
        if (userinfo === undefined) return claims
        return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
      }),

    tokens: (answer, login) =>
      orSignInError(async () => {
        const { tokens, claims } = await granted(answer, login)
        return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token, claims }
      }),

    refresh: (refreshToken) =>
      orSignInError(async () => {
        const tokens = await client.refreshTokenGrant(await refreshing(), refreshToken)
        return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token ?? refreshToken }
      }),

    revoke: (token, type) =>
      orSignInError(async () => {
        const configuration = await provider()
        if (configuration.serverMetadata().revocation_endpoint === undefined) return
        await client.tokenRevocation(configuration, token, { token_type_hint: type })
      }),

    endSession: (returnTo) =>
      orSignInError(async () => {
        const configuration = await provider()
        const { end_session_endpoint: endpoint } = configuration.serverMetadata()
        return endpoint === undefined
          ? undefined
          : client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo })
      }),
  }
}
