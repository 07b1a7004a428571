import { randomUUID } from 'node:crypto'
import {
  type AuthorizationServerMetadata,
  type CallbackContext,
  Oauth2AuthorizationServer,
  Oauth2ServerErrorResponseError,
  preAuthorizedCodeGrantIdentifier,
} from '@openid4vc/oauth2'
import type { RemoteAnswer, RemoteHandler, SeenRequest } from './wallet-http.js'

export interface RemoteAuthorizationOptions {
  /** The path in the identifiers of the issuer and the authorization server; by default there is no path. */
  readonly path?: string
  readonly txCode?: string
  /** Access tokens are bound to a key, and every request needs a proof of possession with a server's nonce. */
  readonly dpop?: boolean
  /** Whether these proofs need a nonce of the server; true by default. */
  readonly dpopNonce?: boolean | 'with access tokens'
  /** How the server spells the scheme of bound tokens, in `token_type` and in challenges; `DPoP` by default. */
  readonly dpopScheme?: string
  /** `WWW-Authenticate` for a proof without a valid nonce, if it differs from the scheme's normal challenge. */
  readonly challenge?: string
  /** Whether clients need no client identifier at the token endpoint; true by default. */
  readonly anonymous?: boolean
  /** Whether the authorization endpoint accepts every user at once or shows a login page. */
  readonly authorization?: 'immediate' | 'login'
  /** The final authorization response. This function may change its parameters: an attack. */
  readonly redirected?: (parameters: URLSearchParams) => void
  /** Lifetime of an access token in seconds, as the server reports it. */
  readonly expiresIn?: number
  /** Whether the server issues refresh tokens, each for one use. */
  readonly refresh?: boolean
  /** Configurations for which the token response names identifiers. */
  readonly identifiedConfigurations?: readonly string[]
}

/** The authorization server of an independent issuer, made with `@openid4vc/oauth2`. */
export interface RemoteAuthorization {
  readonly metadata: AuthorizationServerMetadata
  readonly routes: Readonly<Record<string, RemoteHandler>>
  /** Makes a pre-authorized code for one use. */
  newCode(): string
  /** Makes all issued access tokens invalid, and on demand refresh tokens too. */
  endAccessTokens(andRefreshTokens?: boolean): void
  /** Checks the access token of a request. Returns the refusal, or undefined if the token is valid. */
  authenticate(request: SeenRequest): Promise<RemoteAnswer | undefined>
}

/** An OAuth error body (RFC 6749 §5.2). */
export const oauthRefusal = (
  error: string,
  description: string,
  headers: Record<string, string> = {},
): RemoteAnswer => ({
  status: error === 'invalid_token' ? 401 : 400,
  headers,
  body: { error, error_description: description },
})

/** Answers with the error of the library. */
export async function orRefusal(answer: () => Promise<RemoteAnswer>): Promise<RemoteAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof Oauth2ServerErrorResponseError) return { status: 400, body: error.errorResponse }
    throw error
  }
}

const DPOP_NONCE = 'a-nonce-of-the-server'

interface Code {
  used: boolean
  readonly challenge?: string
  readonly redirectUri?: string
}

const metadataOf = (url: string, { path = '', anonymous = true, dpop = false }: RemoteAuthorizationOptions) => ({
  issuer: `${url}${path}`,
  token_endpoint: `${url}/token`,
  authorization_endpoint: `${url}/authorize`,
  pushed_authorization_request_endpoint: `${url}/par`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  'pre-authorized_grant_anonymous_access_supported': anonymous,
  ...(dpop ? { dpop_signing_alg_values_supported: ['ES256'] } : {}),
})

export function createRemoteAuthorization(
  url: string,
  callbacks: CallbackContext,
  options: RemoteAuthorizationOptions,
): RemoteAuthorization {
  const { dpopScheme: scheme = 'DPoP' } = options
  const library = new Oauth2AuthorizationServer({ callbacks })
  const metadata = library.createAuthorizationServerMetadata(metadataOf(url, options))
  const codes = new Map<string, Code>()
  /** The thumbprint of each access token's key. */
  const tokens = new Map<string, string | undefined>()
  /** Unused refresh tokens, each with its key. */
  const refreshTokens = new Map<string, string | undefined>()
  const pushed = new Map<string, Record<string, string>>()

  /**
   * Returns the thumbprint of the key in a proof of possession, or a refusal if the proof is missing or has no valid
   * nonce.
   */
  const provenKey = async (request: SeenRequest, accessToken?: string): Promise<string | RemoteAnswer | undefined> => {
    if (options.dpop !== true) return undefined
    const jwt = request.headers.get('dpop')
    const { dpopNonce = true } = options
    const isNonceNeeded = dpopNonce === true || (dpopNonce !== false && accessToken !== undefined)
    if (jwt === null) return oauthRefusal('invalid_dpop_proof', 'A DPoP proof is needed.')
    try {
      const { jwkThumbprint } = await library.verifyDpopJwt({
        dpopJwt: jwt,
        request: { method: 'POST', url: `${url}${request.path}`, headers: request.headers },
        ...(isNonceNeeded ? { expectedNonce: DPOP_NONCE } : {}),
        allowedSigningAlgs: ['ES256'],
        ...(accessToken === undefined ? {} : { accessToken }),
      })
      return jwkThumbprint
    } catch {
      const challenges = options.challenge ?? `${scheme} error="use_dpop_nonce"`
      const challenge = { 'dpop-nonce': DPOP_NONCE, 'www-authenticate': challenges }
      const refusal = oauthRefusal('use_dpop_nonce', 'A DPoP nonce is needed.', challenge)
      return accessToken === undefined ? refusal : { ...refusal, status: 401 }
    }
  }

  const verifyGrant = async (form: Record<string, string>, request: SeenRequest): Promise<Code | RemoteAnswer> => {
    const http = { method: 'POST' as const, url: `${url}/token`, headers: request.headers }
    const { grant, accessTokenRequest, pkceCodeVerifier } = library.parseAccessTokenRequest({
      accessTokenRequest: form,
      request: http,
    })
    const sent = 'code' in grant ? grant.code : 'preAuthorizedCode' in grant ? grant.preAuthorizedCode : ''
    const code = codes.get(sent)
    if (code === undefined || code.used) return oauthRefusal('invalid_grant', 'The code is used or unknown.')
    const common = { request: http, accessTokenRequest, authorizationServerMetadata: metadata }
    if (grant.grantType === preAuthorizedCodeGrantIdentifier) {
      await library.verifyPreAuthorizedCodeAccessTokenRequest({
        ...common,
        grant,
        expectedPreAuthorizedCode: sent,
        ...(options.txCode === undefined ? {} : { expectedTxCode: options.txCode }),
      })
    } else if (grant.grantType === 'authorization_code') {
      if (form.redirect_uri !== code.redirectUri) return oauthRefusal('invalid_grant', 'Another redirect_uri.')
      const pkce = {
        codeChallenge: code.challenge ?? '',
        codeChallengeMethod: 'S256' as never,
        codeVerifier: pkceCodeVerifier ?? '',
      }
      await library.verifyAuthorizationCodeAccessTokenRequest({ ...common, grant, expectedCode: sent, pkce })
    }
    return code
  }

  const identifiers = (options.identifiedConfigurations ?? []).map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    credential_identifiers: [`${id}/first`],
  }))

  /** Uses up a code or a refresh token. Returns a refusal if it is invalid. */
  const redeem = async (form: Record<string, string>, request: SeenRequest, key: string | undefined) => {
    if (form.grant_type !== 'refresh_token') {
      const code = await verifyGrant(form, request)
      if (!('used' in code)) return code
      code.used = true
      return undefined
    }
    const bound = refreshTokens.get(form.refresh_token ?? '')
    const known = refreshTokens.delete(form.refresh_token ?? '')
    return known && bound === key ? undefined : oauthRefusal('invalid_grant', 'The refresh token is used or unknown.')
  }

  const token: RemoteHandler = (request) =>
    orRefusal(async () => {
      const form = Object.fromEntries(new URLSearchParams(request.text))
      const key = await provenKey(request)
      if (typeof key === 'object') return key
      if (options.anonymous === false && form.client_id === undefined) {
        return oauthRefusal('invalid_client', 'A client_id is needed.')
      }
      const refused = await redeem(form, request, key)
      if (refused !== undefined) return refused
      const [accessToken, refreshToken] = [randomUUID(), randomUUID()]
      tokens.set(accessToken, key)
      if (options.refresh === true) refreshTokens.set(refreshToken, key)
      return {
        body: {
          access_token: accessToken,
          token_type: key === undefined ? 'Bearer' : scheme,
          ...(options.expiresIn === undefined ? {} : { expires_in: options.expiresIn }),
          ...(options.refresh === true ? { refresh_token: refreshToken } : {}),
          ...(identifiers.length === 0 ? {} : { authorization_details: identifiers }),
        },
      }
    })

  const par: RemoteHandler = (request) => {
    const requestUri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`
    pushed.set(requestUri, Object.fromEntries(new URLSearchParams(request.text)))
    return { status: 201, body: { request_uri: requestUri, expires_in: 60 } }
  }

  const authorize: RemoteHandler = (request) => {
    const query = new URL(request.url, url).searchParams
    const requestUri = query.get('request_uri')
    const asked = requestUri === null ? Object.fromEntries(query) : pushed.get(requestUri)
    if (asked === undefined) return oauthRefusal('invalid_request', 'Unknown request_uri.')
    if (options.authorization === 'login') {
      return { headers: { 'content-type': 'text/html' }, body: '<form>User name, password</form>' }
    }
    const code = randomUUID()
    codes.set(code, {
      used: false,
      challenge: asked.code_challenge ?? '',
      redirectUri: asked.redirect_uri ?? '',
    })
    const parameters = new URLSearchParams({ code, iss: metadata.issuer })
    // RFC 6749 §4.1.2
    if (asked.state !== undefined) parameters.set('state', asked.state)
    options.redirected?.(parameters)
    return { status: 302, headers: { location: `${asked.redirect_uri}?${parameters}` } }
  }

  return {
    metadata,
    routes: { '/token': token, '/par': par, '/authorize': authorize },
    newCode: () => {
      const code = randomUUID()
      codes.set(code, { used: false })
      return code
    },
    endAccessTokens: (andRefreshTokens = false) => {
      tokens.clear()
      if (andRefreshTokens) refreshTokens.clear()
    },
    authenticate: async (request) => {
      const [scheme, accessToken = ''] = (request.headers.get('authorization') ?? '').split(' ')
      if (!tokens.has(accessToken)) return oauthRefusal('invalid_token', 'The access token is unknown.')
      const bound = tokens.get(accessToken)
      if ((bound === undefined) !== (scheme === 'Bearer')) return oauthRefusal('invalid_token', 'The wrong scheme.')
      const proven = await provenKey(request, accessToken)
      if (typeof proven === 'object') return proven
      return proven === bound ? undefined : oauthRefusal('invalid_token', 'The token is bound to another key.')
    },
  }
}
