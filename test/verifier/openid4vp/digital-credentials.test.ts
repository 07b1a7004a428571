import { createHash } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, importJWK, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeDidJwk } from '../../../server/protocol/did/did-jwk.js'
import { certificateFiles, intermediate, leafOf, root } from '../../agent/certified.js'
import { startService, type TestService } from '../../support/service.js'
import { dcql, makeWorld, sessionOf } from '../actors.js'
import { answerInBrowser, askBrowser, credentialWith, parametersOf, postFrom, SHOP, signaturesOf } from '../browser.js'
import { FORMATS } from '../world.js'

const leaf = leafOf({ subject: 'Shop', dns: ['127.0.0.1'] })
const HASH = `x509_hash:${createHash('sha256').update(leaf.certificate.raw).digest('base64url')}`
const ANDROID = 'android:apk-key-hash:Z4OFzVVSZrzTRa3eg79hUuHy12MVW0vzPDf4q4zaPs0'
const UNSIGNED = { responseMode: 'dc_api', signed: false }
const MODES = ['dc_api', 'dc_api.jwt'] as const

let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  files = await certificateFiles()
  service = await startService({ env: { VERIFIER_X509: await files.fileOf([leaf, intermediate, root]) } })
  world = await makeWorld(service)
})
afterAll(async () => {
  await service.close()
  await files.remove()
})

const asked = (body: Record<string, unknown> = {}) =>
  askBrowser(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'dc_api', ...body })

const resultOf = async (verificationSessionId: string) =>
  (
    await service.request('GET', `/verification-sessions/${verificationSessionId}/result`, {
      authorization: await service.bearer('verifier'),
    })
  ).json

describe('a request over the Digital Credentials API (OpenID4VP 1.0 Appendix A)', () => {
  it('contains everything that a page needs, without a fetch or a scan', async () => {
    const request = await asked()
    expect(Object.keys(request).toSorted()).toEqual([
      'authorizationRequestUri',
      'digitalCredentialRequest',
      'nonce',
      'response_uri',
      'validity',
      'verificationSessionId',
    ])
    expect(request.response_uri).toMatch(new RegExp(`^${service.url}/openid4vp/dc-api/[\\w-]{36}$`))
    const session = await sessionOf(service, request)
    expect(session).toMatchObject({ state: 'RequestUriRetrieved', authorizationRequestUri: '' })
    expect(session).not.toHaveProperty('authorizationResponseRedirectUri')
    for (const [method, kind] of [
      ['GET', 'requests'],
      ['POST', 'requests'],
      ['POST', 'responses'],
    ] as const) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const path = new URL(request.response_uri).pathname.replace('dc-api', kind)
      const wallet_metadata = JSON.stringify({ client_id_prefixes_supported: ['x509_hash'] })
      const form = method === 'POST' ? { body: new URLSearchParams({ state: 'x', wallet_metadata }).toString() } : {}
      expect((await service.request(method, path, { headers, ...form })).status).toBe(404)
    }
    expect(await sessionOf(service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })

  it('unsigned: the parameters without client_id, state and expected_origins (A.3.1)', async () => {
    const { digitalCredentialRequest: request, nonce } = await asked({ ...UNSIGNED, responseMode: 'dc_api.jwt' })
    expect(request.protocol).toBe('openid4vp-v1-unsigned')
    expect(Object.keys(request.data).toSorted()).toEqual([
      'client_metadata',
      'dcql_query',
      'nonce',
      'response_mode',
      'response_type',
    ])
    expect(request.data).toMatchObject({
      response_type: 'vp_token',
      response_mode: 'dc_api.jwt',
      nonce,
      dcql_query: dcql(service, 'dc+sd-jwt'),
      client_metadata: {
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', alg: 'ECDH-ES', use: 'enc', kid: expect.any(String) }] },
        encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      },
    })
  })

  it('signed: a request object with its origins, without state and response_uri (A.3.2.1)', async () => {
    const { digitalCredentialRequest: request } = await asked({
      expectedOrigins: [SHOP, 'https://www.shop.example:8443'],
    })
    expect([request.protocol, Object.keys(request.data)]).toEqual(['openid4vp-v1-signed', ['request']])
    const compact = String(request.data.request)
    expect(decodeProtectedHeader(compact)).toEqual({
      typ: 'oauth-authz-req+jwt',
      alg: 'ES256',
      x5c: [leaf.x5c, intermediate.x5c],
    })
    await compactVerify(compact, await importX509(String(leaf.certificate), 'ES256'))
    const parameters = parametersOf(request)
    expect(Object.keys(parameters).toSorted()).toEqual([
      'aud',
      'client_id',
      'client_metadata',
      'dcql_query',
      'exp',
      'expected_origins',
      'iat',
      'nonce',
      'response_mode',
      'response_type',
    ])
    expect(parameters).toMatchObject({
      client_id: HASH,
      aud: 'https://self-issued.me/v2',
      expected_origins: [SHOP, 'https://www.shop.example:8443'],
      response_mode: 'dc_api',
    })
  })

  it('signed under several client identifiers: each in its own protected header, with its own members (A.3.2.2)', async () => {
    const verifierInfo = [{ format: 'jwt', data: 'eyJ.eyJ.c2ln', credential_ids: ['purchase'] }]
    const { digitalCredentialRequest: request } = await asked({
      clientIdPrefix: ['x509_hash', 'x509_san_dns', 'decentralized_identifier'],
      verifierInfo,
    })
    expect(request.protocol).toBe('openid4vp-v1-multisigned')
    const signatures = signaturesOf(request)
    expect(signatures.map(({ header }) => header.client_id)).toEqual([
      HASH,
      'x509_san_dns:127.0.0.1',
      expect.stringMatching(/^decentralized_identifier:did:jwk:/),
    ])
    const parameters = parametersOf(request)
    expect(parameters).toMatchObject({ expected_origins: [SHOP], aud: 'https://self-issued.me/v2' })
    for (const member of ['client_id', 'verifier_info', 'state', 'response_uri'])
      expect(parameters).not.toHaveProperty(member)
    const certificate = await importX509(String(leaf.certificate), 'ES256')
    for (const { compact, header } of signatures) {
      const { kid, x5c, client_id: clientId, ...rest } = header
      expect(rest).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', verifier_info: verifierInfo })
      if (String(clientId).startsWith('x509_')) expect([kid, x5c]).toEqual([undefined, [leaf.x5c, intermediate.x5c]])
      else expect([clientId, x5c]).toEqual([`decentralized_identifier:${String(kid).split('#')[0]}`, undefined])
      const did = String(kid ?? '').split('#')[0] ?? ''
      await compactVerify(compact, x5c === undefined ? await importJWK(decodeDidJwk(did), 'ES256') : certificate)
    }
  })

  it('is made again from the stored session, equal except for its signature', async () => {
    for (const body of [{}, { signed: false, responseMode: 'dc_api.jwt' }]) {
      const { digitalCredentialRequest: first, response_uri: uri } = await asked(body)
      const session = await service.platform.stores.verificationSessions.byRequest(uri.split('/').at(-1) ?? '')
      if (session === undefined) throw new Error('There is no session.')
      const again = (await service.features.openid4vp.digitalCredentialRequest(session)) as unknown as typeof first
      expect([again.protocol, parametersOf(again)]).toEqual([first.protocol, parametersOf(first)])
    }
  })

  it('is signed if the verifier has a certificate or the request names a client identifier, and otherwise not', async () => {
    const protocolOf = async (body: Record<string, unknown>, by = service) =>
      (await askBrowser(by, { dcqlQuery: dcql(by, 'dc+sd-jwt'), responseMode: 'dc_api', ...body }))
        .digitalCredentialRequest.protocol
    await using plain = await startService()
    expect(await protocolOf({})).toBe('openid4vp-v1-signed')
    expect(await protocolOf({ signed: false })).toBe('openid4vp-v1-unsigned')
    expect(await protocolOf({}, plain)).toBe('openid4vp-v1-unsigned')
    expect(await protocolOf({ signed: true }, plain)).toBe('openid4vp-v1-signed')
    expect(await protocolOf({ clientIdPrefix: 'decentralized_identifier' }, plain)).toBe('openid4vp-v1-signed')
  })
})

describe('the answer to such a request', () => {
  const NAMES = {
    unsigned: { signed: false },
    signed: {},
    multisigned: { clientIdPrefix: ['x509_hash', 'decentralized_identifier'] },
  }

  it.each(
    Object.entries(NAMES).flatMap(([name, body]) =>
      MODES.flatMap((responseMode) => FORMATS.map((format) => ({ name, responseMode, format, body }))),
    ),
  )(
    'is for the origin, with any signature of the request: $name, $responseMode, $format',
    async ({ body, responseMode, format }) => {
      const request = await asked({ ...body, responseMode, dcqlQuery: dcql(service, format) })
      const credential = await answerInBrowser(request.digitalCredentialRequest, world.wallet, world.held[format])
      const reply = await postFrom(SHOP, request, credential)
      expect([reply.status, reply.json]).toEqual([200, {}])
      expect(await sessionOf(service, request)).toMatchObject({ state: 'ResponseVerified' })
      expect(await resultOf(request.verificationSessionId)).toMatchObject({
        credentials: [{ credentialQueryId: 'purchase', format, claims: { product: 'Espresso machine' } }],
      })
    },
  )

  it.each([
    ['any of the origins', 'https://other.example', 'origin:https://other.example'],
    ['with the slash of the example in the standard (A.4)', SHOP, `origin:${SHOP}/`],
    ['the origin of an app, without the header Origin', undefined, `origin:${ANDROID}`],
    ['the origin of an app whose web view sends the header', ANDROID, `origin:${ANDROID}`],
  ])('has an audience: %s', async (_, origin, audience) => {
    const request = await asked({ expectedOrigins: [SHOP, 'https://other.example', ANDROID] })
    const held = world.held['dc+sd-jwt']
    const credential = await answerInBrowser(request.digitalCredentialRequest, world.wallet, held, { audience })
    expect((await postFrom(origin, request, credential)).status).toBe(200)
  })

  it('is refused with an unexpected audience, also with the origin of an app in another spelling', async () => {
    const request = await asked({ expectedOrigins: [SHOP, ANDROID] })
    for (const audience of [`origin:${ANDROID}/`, ANDROID, 'origin:ios:bundle-id:com.example.shop']) {
      const held = world.held['dc+sd-jwt']
      const credential = await answerInBrowser(request.digitalCredentialRequest, world.wallet, held, { audience })
      expect([audience, (await postFrom(undefined, request, credential)).status]).toEqual([audience, 400])
    }
    const { digitalCredentialRequest: asking } = await asked({ expectedOrigins: [SHOP, ANDROID] })
    const credential = await answerInBrowser(asking, world.wallet, world.held['dc+sd-jwt'])
    expect((await postFrom('ios:bundle-id:com.example.shop', request, credential)).status).toBe(403)
  })

  it('may have data as JSON, and be posted by a backend, which has no Origin', async () => {
    const request = await asked()
    const answer = await answerInBrowser(request.digitalCredentialRequest, world.wallet, world.held['dc+sd-jwt'])
    const credential = { ...answer, data: JSON.stringify(answer.data), type: 'digital', id: '' }
    expect((await postFrom(undefined, request, credential)).status).toBe(200)
  })

  it('can be posted by any expected page: the browser may send it and read the reply (CORS)', async () => {
    const { response_uri: uri } = await asked()
    const preflight = await fetch(uri, {
      method: 'OPTIONS',
      headers: {
        origin: SHOP,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
  })

  it.each([UNSIGNED, { responseMode: 'dc_api.jwt' }])('is an error of the wallet: %j', async (body) => {
    const request = await asked(body)
    const { protocol } = request.digitalCredentialRequest
    const reply = await postFrom(SHOP, request, { protocol, data: { error: 'access_denied' } })
    expect([reply.status, reply.json]).toEqual([200, {}])
    expect(await sessionOf(service, request)).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered access_denied.',
    })
  })

  it('can be an error of the wallet, also in an encrypted answer', async () => {
    const request = await asked({ responseMode: 'dc_api.jwt' })
    const credential = await credentialWith(request.digitalCredentialRequest, { error: 'invalid_request' })
    expect((await postFrom(SHOP, request, credential)).status).toBe(200)
    expect(await sessionOf(service, request)).toMatchObject({ errorMessage: 'Wallet answered invalid_request.' })
  })

  it('counts once', async () => {
    const request = await asked()
    const credential = await answerInBrowser(request.digitalCredentialRequest, world.wallet, world.held['dc+sd-jwt'])
    const replies = await Promise.all([1, 2, 3].map(() => postFrom(SHOP, request, credential)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    expect((await postFrom(SHOP, request, credential)).json.error_description).toBe(
      'Authorization request was answered already.',
    )
  })

  it('that never arrives lets the session expire', async () => {
    let now = new Date()
    await using other = await startService({ clock: () => now, maintenance: false })
    const request = await askBrowser(other, {
      dcqlQuery: dcql(other, 'dc+sd-jwt'),
      responseMode: 'dc_api',
      validity: 60,
    })
    now = new Date(now.getTime() + 120_000)
    const { protocol } = request.digitalCredentialRequest
    const late = await postFrom(SHOP, request, { protocol, data: { error: 'access_denied' } })
    expect([late.status, late.json.error_description]).toEqual([400, 'Authorization request expired.'])
    expect(await sessionOf(other, request)).toMatchObject({ state: 'Error' })
  })
})
