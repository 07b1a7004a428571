import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeServer, listenLocally } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'

const RESOURCE = 'https://credence.example'
const DID = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169'

/** Claims of each client's access tokens in addition to the standard claims. */
const CLAIMS: Readonly<Record<string, object>> = {
  user: {},
  realmAdmin: { realm_access: { roles: ['offline_access', 'admin'] } },
  clientAdmin: { resource_access: { account: { roles: ['view'] }, credence: { roles: ['admin'] } } },
  recipient: { did: DID },
}

/** A client for the sign-in of users, and the page to which they return. */
const APP = 'app'
const CALLBACK = 'https://app.example/callback'
const LOGIN = '/login'

let server: Server
let issuer: string
let service: TestService

async function provider(): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'signing', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['cookie-secret'] },
    clients: [
      ...Object.keys(CLAIMS).map((id) => ({
        client_id: id,
        client_secret: `${id}-secret`,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      {
        client_id: APP,
        client_secret: `${APP}-secret`,
        grant_types: ['authorization_code'],
        redirect_uris: [CALLBACK],
        response_types: ['code'],
      },
    ],
    findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: () => LOGIN },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'credence',
          audience: 'credence',
          accessTokenTTL: 300,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_context: unknown, token: { clientId: string }) => CLAIMS[token.clientId],
  })
}

/** Gets a token by client credentials (RFC 6749 §4.4): a JWT for this service if a resource is named (RFC 8707), otherwise an opaque token. */
async function tokenOf(client: string, resource: string | undefined = RESOURCE): Promise<string> {
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(resource === '' ? {} : { resource }) }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return `Bearer ${token}`
}

/** Signs `alice` in at once, and agrees to every request for her. */
async function signIn(op: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const grant = new op.Grant({ accountId: 'alice', clientId: APP })
  grant.addOIDCScope('openid')
  grant.addResourceScope(RESOURCE, 'credence')
  const result = { login: { accountId: 'alice' }, consent: { grantId: await grant.save() } }
  await op.interactionFinished(request, response, result)
}

/**
 * Follows redirects within the provider, with the provider's cookies. Returns the first redirect that leaves the
 * provider.
 */
async function authorize(url: string): Promise<URL> {
  const cookies = new Map<string, string>()
  for (let next = new URL(url); ; ) {
    if (next.origin !== issuer) return next
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    next = new URL(answer.headers.get('location') ?? '', issuer)
  }
}

/** Gets the tokens for a client's user with the authorization code flow (OpenID Connect Core 1.0 §3.1). */
async function tokensOfUser(nonce: string | undefined): Promise<{ access_token: string; id_token: string }> {
  const verifier = 'v'.repeat(43)
  const sent = {
    client_id: APP,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid credence',
    resource: RESOURCE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(nonce === undefined ? {} : { nonce }),
  }
  const code = (await authorize(`${issuer}/auth?${new URLSearchParams(sent)}`)).searchParams.get('code') ?? ''
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${APP}:${APP}-secret`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      resource: RESOURCE,
    }),
  })
  return (await answer.json()) as { access_token: string; id_token: string }
}

beforeAll(async () => {
  let handle: ReturnType<Provider['callback']> | undefined
  let op: Provider | undefined
  server = createServer((request, response) => {
    if (request.url === LOGIN && op !== undefined) void signIn(op, request, response)
    else void handle?.(request, response)
  })
  issuer = await listenLocally(server)
  op = await provider()
  handle = op.callback()
  service = await startService({
    env: { OIDC_JWKS_URL: `${issuer}/jwks`, OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'credence' },
  })
})
afterAll(async () => {
  await service.close()
  await closeServer(server)
})

describe('access tokens of a real OpenID provider', () => {
  it('open the routes that need no role, and no other routes', async () => {
    const authorization = await tokenOf('user')
    const verified = await service.request('POST', '/credentials/verify', { authorization, body: { credential: 'x' } })
    expect(verified.status).toBe(200)
    const holders = await service.request('GET', '/agent/holders', { authorization })
    expect([holders.status, holders.json.message]).toEqual([403, 'Insufficient role.'])
  })

  it.each(['realmAdmin', 'clientAdmin'])('carry the admin role of %s', async (client) => {
    const holders = await service.request('GET', '/agent/holders', { authorization: await tokenOf(client) })
    expect([holders.status, holders.json]).toEqual([200, []])
  })

  it('carry the DID of a caller, who may claim offerings for this DID only', async () => {
    const schema = { name: 'Badge', version: 1, schema: { type: 'object' } }
    const user = await tokenOf('user')
    expect((await service.request('POST', '/schemas', { authorization: user, body: schema })).status).toBe(201)
    const { json: offering } = await service.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: 'Badge', credential_subject: {}, recipient: DID },
    })
    const claim = async (client: string) =>
      service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization: await tokenOf(client) })
    const refused = await claim('user')
    expect([refused.status, refused.json.message]).toEqual([403, 'Offering is for another recipient.'])
    const claimed = await claim('recipient')
    expect([claimed.status, claimed.json.vc.credentialSubject.id]).toEqual([200, DID])
  })

  it('that are opaque are refused', async () => {
    const answer = await service.request('GET', '/agent/holders', { authorization: await tokenOf('realmAdmin', '') })
    expect([answer.status, answer.json.message]).toEqual([401, 'Invalid access token.'])
  })

  it('for another audience are refused', async () => {
    const env = { OIDC_JWKS_URL: `${issuer}/jwks`, OIDC_AUDIENCE: 'another' }
    await using other = await startService({ env })
    const answer = await other.request('GET', '/agent/holders', { authorization: await tokenOf('realmAdmin') })
    expect([answer.status, answer.json.message]).toEqual([401, 'Invalid access token.'])
  })
})

describe('tokens that a client of the provider gets for its user', () => {
  const ask = async (at: TestService, token: string) =>
    at.request('POST', '/credentials/verify', { authorization: `Bearer ${token}`, body: { credential: 'x' } })

  it('is an access token that opens routes, and an ID token that opens none', async () => {
    const tokens = await tokensOfUser('a-nonce')
    expect([decodeJwt(tokens.access_token).aud, decodeJwt(tokens.id_token).aud]).toEqual(['credence', APP])
    expect((await ask(service, tokens.access_token)).status).toBe(200)
    const refused = await ask(service, tokens.id_token)
    expect([refused.status, refused.json.message]).toEqual([401, 'Invalid access token.'])
  })

  it('is refused by its nonce if no audience is configured, and by its audience if it has no nonce', async () => {
    await using lenient = await startService({ env: { OIDC_JWKS_URL: `${issuer}/jwks` } })
    const { access_token, id_token } = await tokensOfUser('a-nonce')
    expect((await ask(lenient, access_token)).status).toBe(200)
    expect((await ask(lenient, id_token)).status).toBe(401)
    expect((await ask(service, (await tokensOfUser(undefined)).id_token)).status).toBe(401)
  })
})
