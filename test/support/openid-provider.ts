import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { KEPT_ALIVE } from './kept-alive.js'
import { closeServer, listenLocally } from './local-server.js'

const LOGIN = '/login'
const DISCOVERY = '/.well-known/openid-configuration'
const RESOURCE = 'urn:credence'
const SECRET = 'secret-of-the-client'

/** Clients of the provider, by their authentication method at its token endpoint. The id of a client is its method. */
const METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
type Method = (typeof METHODS)[number]

/** An OpenID provider at which the service signs users in. */
export interface OpenidProvider extends AsyncDisposable {
  readonly issuer: string
  /** Variables that make a service a client of this provider. */
  env(method?: Method): Record<string, string>
  /** Registers the redirect addresses of a service. */
  register(serviceUrl: string): Promise<void>
  /** The next user who signs in, with the claims that the provider knows. Null if the user refuses. */
  user: Readonly<Record<string, unknown>> | null
  /** Whether access tokens are JWTs with the user's `roles`. By default they are opaque and serve only for userinfo. */
  jwt: boolean
  /** Lifetime of access tokens in seconds. */
  accessSeconds: number
  /** Whether there are refresh tokens, each for one use. */
  refreshTokens: boolean
  /** If true, all requests get a 503. If it is a list of paths, only requests for these paths get a 503. */
  away: boolean | readonly string[]
  /** Metadata that replace the metadata of the provider (OpenID Connect Discovery 1.0 §3); undefined for its own. */
  metadata: Readonly<Record<string, unknown>> | undefined
  /** The requested paths. */
  readonly requests: string[]
  close(): Promise<void>
}

const clientOf = (method: Method, redirectUris: readonly string[]) => ({
  client_id: method,
  ...(method === 'none' ? {} : { client_secret: SECRET }),
  token_endpoint_auth_method: method,
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: redirectUris,
  post_logout_redirect_uris: redirectUris,
  response_types: ['code'],
})

async function createProvider(
  issuer: string,
  redirectUris: readonly string[],
  account: () => Readonly<Record<string, unknown>>,
  actor: () => Pick<OpenidProvider, 'user' | 'jwt' | 'accessSeconds' | 'refreshTokens'>,
): Promise<Provider> {
  const { privateKey } = await signingKey
  return new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'signing', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['cookie-secret'] },
    clients: METHODS.map((method) => clientOf(method, redirectUris)),
    claims: {
      openid: ['sub', 'did'],
      profile: ['name', 'given_name', 'family_name', 'birthdate', 'address', 'secret'],
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...account(), sub: accountId }),
    }),
    interactions: { url: () => LOGIN },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => (actor().jwt ? RESOURCE : undefined),
        useGrantedResource: () => actor().jwt,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'credence',
          accessTokenTTL: actor().accessSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: () => ({ realm_access: { roles: actor().user?.roles ?? [] } }),
    issueRefreshToken: () => actor().refreshTokens,
    rotateRefreshToken: true,
    pkce: { required: () => true },
  })
}

const signingKey = generateKeyPair('RS256', { extractable: true })

/** oidc-provider over HTTP. The user of {@link OpenidProvider.user} signs in at once. */
export async function startOpenidProvider(): Promise<OpenidProvider> {
  let provider: Provider | undefined
  let handle: ReturnType<Provider['callback']> | undefined
  let known: Readonly<Record<string, unknown>> = {}

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (provider === undefined) return
    if (actor.user === null) {
      const refusal = { error: 'access_denied', error_description: 'The user refused.' }
      return provider.interactionFinished(request, response, refusal)
    }
    known = actor.user
    const accountId = String(actor.user.sub)
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope('openid profile')
    const result = { login: { accountId }, consent: { grantId: await grant.save() } }
    await provider.interactionFinished(request, response, result)
  }

  const server = createServer(KEPT_ALIVE, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    actor.requests.push(path)
    if (actor.away === true || (actor.away !== false && actor.away.includes(path))) response.writeHead(503).end()
    else if (path === DISCOVERY && actor.metadata !== undefined) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(actor.metadata))
    } else if (path === LOGIN) void signIn(request, response)
    else void handle?.(request, response)
  })
  const issuer = await listenLocally(server)
  const close = () => closeServer(server)
  const actor: OpenidProvider = {
    issuer,
    env: (method = 'client_secret_basic') => ({
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: method,
      OIDC_CLIENT_SECRET: method === 'none' ? '' : SECRET,
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    }),
    async register(serviceUrl) {
      const callbacks = ['/openid4vci/authorize/callback', '/console/callback'].map((path) => `${serviceUrl}${path}`)
      provider = await createProvider(
        issuer,
        callbacks,
        () => known,
        () => actor,
      )
      handle = provider.callback()
    },
    user: { sub: 'alice' },
    jwt: false,
    accessSeconds: 3600,
    refreshTokens: false,
    away: false,
    metadata: undefined,
    requests: [],
    close,
    [Symbol.asyncDispose]: close,
  }
  return actor
}
