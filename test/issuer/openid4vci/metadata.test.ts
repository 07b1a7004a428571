import { createServer } from 'node:http'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeServer, portOf } from '../../support/local-server.js'
import type { Answer } from '../../support/service.js'
import { type Issuer, JWT_VC, PRE_AUTHORIZED, SD_JWT, startIssuer } from './actors.js'

const ISSUER = '/.well-known/openid-credential-issuer'
const SERVER = '/.well-known/oauth-authorization-server'

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer()
  const authorization = await issuer.authorization()
  const post = (body: Record<string, unknown>) => issuer.service.request('POST', '/schemas', { authorization, body })
  await post({ name: 'Plain', version: 1, schema: { type: 'object' }, display: [] })
  await post({
    name: 'Shown',
    version: 1,
    title: 'Shown as',
    display: [
      { name: 'Ticket', background_color: '#123456', logo: { uri: 'https://issuer.example/logo.png' } },
      { name: 'Second in English', locale: 'EN' },
      { name: 'Karte', locale: 'de' },
    ],
    schema: {
      type: 'object',
      required: ['seat'],
      properties: { seat: { type: 'object', title: 'Seat', properties: { row: { type: 'string', title: 'Row' } } } },
    },
  })
})
afterAll(() => issuer.service.close())

const get = (path: string, accept?: string) =>
  issuer.service.request('GET', path, accept === undefined ? {} : { headers: { accept } })

/**
 * Checks that no member is null and no array is empty, at any depth. Wallets refuse the whole document if one member is
 * wrong.
 */
function expectSound(value: unknown): void {
  expect(value).not.toBeNull()
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) expect(value.length).toBeGreaterThan(0)
  for (const member of Object.values(value)) expectSound(member)
}

describe('credential issuer metadata (OpenID4VCI 1.0 §12.2)', () => {
  it.each([
    undefined,
    '*/*',
    'application/json',
    'text/html',
    'application/jwt;q=0',
    'application/jwt-x',
    'application/jwt;q=0.5, */*',
  ])('is JSON for Accept: %s', async (accept) => {
    const answer = await get(ISSUER, accept)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept')
    expect(answer.json.credential_issuer).toBe(issuer.service.url)
  })

  it('names its endpoints, and no endpoint of a missing part', async () => {
    const { json } = await get(ISSUER)
    const { credential_configurations_supported: _, ...rest } = json
    const { url } = issuer.service
    expect(rest).toEqual({
      credential_issuer: url,
      authorization_servers: [url],
      credential_endpoint: `${url}/openid4vci/credential`,
      nonce_endpoint: `${url}/openid4vci/nonce`,
      deferred_credential_endpoint: `${url}/openid4vci/deferred-credential`,
      notification_endpoint: `${url}/openid4vci/notification`,
      token_endpoint: `${url}/openid4vci/token`,
      schema_endpoint: `${url}/schemas`,
      status_list_aggregation_endpoint: `${url}/token-status-lists`,
      offering_endpoint: `${url}/api/v1/offerings`,
      batch_credential_issuance: { batch_size: 20 },
      credential_request_encryption: expect.any(Object),
      credential_response_encryption: expect.any(Object),
      display: [{ name: expect.any(String), locale: 'en' }],
      proof_types_supported: {
        jwt: { proof_signing_alg_values_supported: expect.arrayContaining(['ES256']) },
      },
    })
    expectSound(json)
  })

  it('has two configurations for each active schema, each with all members that wallets need', async () => {
    const configurations = (await get(ISSUER)).json.credential_configurations_supported
    expect(Object.keys(configurations).sort()).toEqual(
      ['Plain', 'Shown', JWT_VC].flatMap((name) => [name, `${name}-sd-jwt`]).sort(),
    )
    const common = {
      scope: JWT_VC,
      cryptographic_binding_methods_supported: ['jwk', 'did:jwk', 'did:key', 'did:web'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: expect.not.arrayContaining(['none']) } },
      display: [{ name: JWT_VC, locale: 'en' }],
    }
    const claims = (prefix: string[]) => [
      { path: [...prefix, 'product'], mandatory: true, display: [{ name: 'Product', locale: 'en' }] },
      { path: [...prefix, 'price'], mandatory: false },
    ]
    expect(configurations[JWT_VC]).toEqual({
      ...common,
      format: 'jwt_vc_json',
      credential_definition: { type: ['VerifiableCredential', JWT_VC] },
      credential_metadata: { display: common.display, claims: claims(['credentialSubject']) },
    })
    expect(configurations[SD_JWT]).toEqual({
      ...common,
      scope: SD_JWT,
      format: 'dc+sd-jwt',
      vct: `${issuer.service.url}/vct/${JWT_VC}`,
      credential_metadata: { display: common.display, claims: claims([]) },
    })
  })

  it('shows the display of the schema once for each language, and always at least one display', async () => {
    const configurations = (await get(ISSUER)).json.credential_configurations_supported
    expect(configurations.Plain.display).toEqual([{ name: 'Plain', locale: 'en' }])
    expect(configurations.Plain.credential_metadata).toEqual({ display: [{ name: 'Plain', locale: 'en' }] })
    expect(configurations['Shown-sd-jwt'].credential_metadata).toEqual({
      display: [
        { name: 'Ticket', locale: 'en', background_color: '#123456', logo: { uri: 'https://issuer.example/logo.png' } },
        { name: 'Karte', locale: 'de' },
      ],
      claims: [
        { path: ['seat'], mandatory: true, display: [{ name: 'Seat', locale: 'en' }] },
        { path: ['seat', 'row'], mandatory: false, display: [{ name: 'Row', locale: 'en' }] },
      ],
    })
  })

  it('is a signed JWT for a wallet that names this media type in Accept (§12.2.3)', async () => {
    for (const accept of [
      'application/jwt',
      'application/jwt, application/json',
      'application/json;q=0.5, application/jwt;q=0.9',
    ]) {
      const answer = await get(ISSUER, accept)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt'])
      const { kid, jwk, ...header } = decodeProtectedHeader(answer.text)
      expect(header).toEqual({ typ: 'openidvci-issuer-metadata+jwt', alg: 'ES256' })
      const keys = (await get('/.well-known/jwks.json')).json.keys
      const key = keys.find((candidate: { kid: string }) => candidate.kid === kid)
      expect(jwk).toEqual({ kty: 'EC', crv: 'P-256', x: key.x, y: key.y })
      const { payload } = await compactVerify(answer.text, await importJWK(jwk ?? {}, 'ES256'))
      const { iss, sub, iat, ...metadata } = JSON.parse(Buffer.from(payload).toString())
      expect([iss, sub]).toEqual([kid?.split('#')[0], issuer.service.url])
      expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60)
      expect(metadata).toEqual((await get(ISSUER)).json)
    }
  })
})

describe('authorization server metadata (RFC 8414, OpenID4VCI 1.0 §12.3)', () => {
  it('names the available features, for anonymous clients', async () => {
    const { url } = issuer.service
    const { json } = await get(SERVER)
    expect(json).toEqual({
      issuer: url,
      authorization_endpoint: `${url}/openid4vci/authorize`,
      pushed_authorization_request_endpoint: `${url}/openid4vci/par`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      dpop_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'PS256'],
      token_endpoint: `${url}/openid4vci/token`,
      jwks_uri: `${url}/.well-known/jwks.json`,
      status_list_aggregation_endpoint: `${url}/token-status-lists`,
      grant_types_supported: ['authorization_code', PRE_AUTHORIZED, 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: Object.keys((await get(ISSUER)).json.credential_configurations_supported),
      authorization_details_types_supported: ['openid_credential'],
      'pre-authorized_grant_anonymous_access_supported': true,
    })
    expectSound(json)
  })

  it('has the same token endpoint as the issuer metadata', async () => {
    expect((await get(SERVER)).json.token_endpoint).toBe((await get(ISSUER)).json.token_endpoint)
  })
})

describe('the issuer’s keys (RFC 7517 §5)', () => {
  it('are public keys only', async () => {
    const { json } = await get('/.well-known/jwks.json')
    expect(json.keys.length).toBeGreaterThan(0)
    for (const key of json.keys) expect(key).not.toHaveProperty('d')
  })
})

const jsonAt = async (url: string): Promise<Answer['json']> => (await fetch(url)).json()

/**
 * Starts a proxy in front of the service. It removes a path, and forwards requests for documents at the root of the
 * host.
 */
async function startProxy(path: string) {
  let target = ''
  const server = createServer(async (request, response) => {
    const { url = '/' } = request
    if (!url.startsWith(`${path}/`) && !url.startsWith('/.well-known/')) return void response.writeHead(404).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const stripped = url.startsWith(`${path}/`) ? url.slice(path.length) : url
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${target}${stripped}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    serve: (url: string) => {
      target = url
    },
    async [Symbol.asyncDispose]() {
      await closeServer(server)
    },
  }
}

describe('an issuer identifier with a path', () => {
  it('has its metadata at both addresses, and the whole flow works', async () => {
    await using proxy = await startProxy('/tenant')
    const identifier = `${proxy.origin}/tenant`
    const tenant = await startIssuer({ env: { ISSUER_BASE_URL: identifier } })
    await using _ = tenant.service
    proxy.serve(tenant.service.url)
    for (const name of [ISSUER, SERVER]) {
      const [inserted, appended] = await Promise.all(
        [`${proxy.origin}${name}/tenant`, `${identifier}${name}`].map(jsonAt),
      )
      expect(inserted).toEqual(appended)
      expect(inserted.credential_issuer ?? inserted.issuer).toBe(identifier)
    }
    const signed = await fetch(`${proxy.origin}${ISSUER}/tenant`, { headers: { accept: 'application/jwt' } })
    expect(signed.headers.get('content-type')).toBe('application/jwt')
    expect((await fetch(`${proxy.origin}${ISSUER}/other`)).status).toBe(404)
    const offering = await tenant.makeOffering()
    expect(offering.offering_full_url).toBe(
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${identifier}/openid4vci/offers/${offering.id}`)}`,
    )
    const offer = await jsonAt(`${identifier}/openid4vci/offers/${offering.id}`)
    expect(offer.credential_issuer).toBe(identifier)
  })
})
