import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

const RESOURCE = 'https://credence.example'
const DID = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169'

/** What each client's access tokens say beyond the standard claims. */
const CLAIMS: Readonly<Record<string, object>> = {
  user: {},
  realmAdmin: { realm_access: { roles: ['offline_access', 'admin'] } },
  clientAdmin: { resource_access: { account: { roles: ['view'] }, credence: { roles: ['admin'] } } },
  recipient: { did: DID },
}

let server: Server
let issuer: string
let service: TestService

async function provider(): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'signing', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['cookie-secret'] },
    clients: Object.keys(CLAIMS).map((id) => ({
      client_id: id,
      client_secret: `${id}-secret`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: '',
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

/** RFC 6749 §4.4, RFC 8707: a JWT for this service where a resource is named, an opaque token else. */
async function tokenOf(client: string, resource: string | undefined = RESOURCE): Promise<string> {
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(resource === '' ? {} : { resource }) }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return `Bearer ${token}`
}

beforeAll(async () => {
  let handle: ReturnType<Provider['callback']> | undefined
  server = createServer((request, response) => void handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  handle = (await provider()).callback()
  service = await startService({
    env: { OIDC_JWKS_URL: `${issuer}/jwks`, OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'credence' },
  })
})
afterAll(async () => {
  await service.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('access tokens of a real OpenID provider', () => {
  it('open the routes that need no role, and no others', async () => {
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

  it('carry the DID of a caller, who may claim what is for it alone', async () => {
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
