import { timingSafeEqual } from 'node:crypto'
import * as client from 'openid-client'
import type { Config, SignInConfig } from '../config/config.js'

/** What the provider says of itself is asked for anew after this time. */
const CACHE_MS = 10 * 60 * 1000
/** A provider that could not be reached is asked again after this time at the earliest. */
const RETRY_MS = 5_000
/** For one request to the provider, in seconds. */
const TIMEOUT_SECONDS = 10

/** What ties the provider's answer to the request, kept until it comes. */
export interface Login {
  readonly state: string
  readonly nonce: string
  /** PKCE (RFC 7636). */
  readonly verifier: string
}

/** Unguessable values for a login; `prefix` stands before the state. */
export function newLogin(random: (length: number) => Uint8Array, prefix = ''): Login {
  const secret = () => Buffer.from(random(32)).toString('base64url')
  return { state: `${prefix}${secret()}`, nonce: secret(), verifier: secret() }
}

/** Whether a provider's answer has the `state` of a login; compares in constant time. */
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

/** The address that a provider's answer came to, with its parameters. */
export function answerAt(redirectUri: string, sent: LoginAnswer): URL {
  const answer = new URL(redirectUri)
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) answer.searchParams.set(name, value)
  return answer
}

/** What the provider says of a user: the claims of the ID token, and those of userinfo that it does not have. */
export type UserClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

/**
 * Why nobody signed in. `refused`: the user did not want to, or may not. `failed`: the answer is not one to this sign-in.
 * `unavailable`: the provider is away, or does not know this service.
 */
export type SignInFailure = 'refused' | 'failed' | 'unavailable'

/** `cause` is for the log alone. */
export class SignInError extends Error {
  override readonly name = 'SignInError'

  constructor(
    readonly failure: SignInFailure,
    cause: unknown,
  ) {
    super(`The user was not signed in: ${failure}.`, { cause })
  }
}

/** What the provider gives for a code, or for a refresh token. */
export interface Tokens {
  readonly accessToken: string
  /** Absent where the provider gives none. */
  readonly refreshToken: string | undefined
}

/** Users sign in by the authorization code flow of OpenID Connect Core 1.0 (§3.1), with PKCE, `state` and `nonce`. */
export interface SignIn {
  /**
   * The address at the provider where the user signs in.
   *
   * @throws SignInError `unavailable`
   */
  addressFor(login: Login, redirectUri: string): Promise<URL>
  /**
   * Exchanges the code of the provider's answer.
   *
   * @param answer the redirect URI with the parameters of the answer
   * @throws SignInError
   */
  complete(answer: URL, login: Login): Promise<UserClaims>
  /**
   * Exchanges the code of the provider's answer for tokens that are kept, and the claims of the ID token.
   *
   * @param answer the redirect URI with the parameters of the answer
   * @throws SignInError
   */
  tokens(answer: URL, login: Login): Promise<Tokens & { readonly claims: UserClaims }>
  /**
   * New tokens for a refresh token (RFC 6749 §6), which stays good where no other came.
   *
   * @throws SignInError `failed` where it is good no more
   */
  refresh(refreshToken: string): Promise<Tokens>
  /**
   * Revokes a token (RFC 7009), where the provider takes that.
   *
   * @throws SignInError
   */
  revoke(token: string, type: 'access_token' | 'refresh_token'): Promise<void>
  /**
   * Where a browser ends its session at the provider (OpenID Connect RP-Initiated Logout 1.0 §2), told by `client_id` alone; undefined
   * where it has no such address.
   *
   * @throws SignInError `unavailable`
   */
  endSession(): Promise<URL | undefined>
}

/** OpenID Connect Core 1.0 §3.1.2.6, RFC 6749 §4.1.2.1: errors that are the user's, or about the user. */
const USER_ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
])

/** Codes of checks that an answer failed, as the library names them: state, `iss`, `nonce`, times, signature. */
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

/** Basic is what every provider must know (RFC 6749 §2.3.1); the form is for one that says it takes that alone. */
function clientAuthentication(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const inForm = methods !== undefined && !methods.includes('client_secret_basic')
    return (inForm ? post : basic)(server, ...rest)
  }
}

/** Keeps what `fetch` gave for a while, and its failure for a shorter one; callers at the same time wait for one fetch. */
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
 * Sign-in at the configured identity provider, found by OpenID Connect Discovery 1.0. ID tokens count by their signature
 * too, not only by the connection that brought them: their claims may become those of credentials.
 *
 * @param fetch the guarded way out of this service
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
   * For new tokens alone, without the signature of an ID token that comes with them, which nobody reads: where its keys could not be
   * fetched the new refresh token would be lost, and the one before it is good no more.
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
    addressFor: (login, redirectUri) =>
      orSignInError(async () =>
        client.buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUri,
          scope,
          state: login.state,
          nonce: login.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(login.verifier),
          code_challenge_method: 'S256',
        }),
      ),

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

    endSession: () =>
      orSignInError(async () => {
        const configuration = await provider()
        const { end_session_endpoint: endpoint } = configuration.serverMetadata()
        return endpoint === undefined ? undefined : client.buildEndSessionUrl(configuration)
      }),
  }
}
