import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeDidJwk } from '../../../server/protocol/did/did-jwk.js'
import { recordStatements } from '../../support/statements.js'
import { TWO_READINGS } from '../../support/two-readings.js'
import { type Asked, ask, dcql, fetchRequest, ITEM, postForm, sessionOf, vct } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

async function storedQuery(query: unknown[] = [ITEM]): Promise<string> {
  const created = await world.service.request('POST', '/api/v1/verifier/vp-queries', { client: true, body: { query } })
  return created.json.id
}

const byQuery = (id: string, body: unknown) =>
  world.service.request('POST', `/api/v1/verifier/vp-queries/${id}/authorization-request`, { client: true, body })

const REDIRECT = { redirect_uri: 'https://shop.example/done' }

describe('POST /api/v1/verifier/vp-queries/{id}/authorization-request', () => {
  it('answers with the request, its QR code, its unique members, and its session', async () => {
    const created = await byQuery(await storedQuery(), REDIRECT)
    expect(created.status).toBe(201)
    const { url } = world.service
    expect(created.json).toEqual({
      request_uri: expect.stringMatching(new RegExp(`^${url}/openid4vp/requests/[\\w-]{36}$`)),
      qr_code_url: expect.stringMatching(new RegExp(`^${url}/api/v1/verifier/qr-codes/[\\w-]{36}$`)),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      validity: 300,
      verificationSessionId: expect.any(String),
      authorizationRequestUri: expect.stringMatching(/^openid4vp:\/\/\?/),
    })
    const session = await sessionOf(world.service, created.json)
    expect(session).toEqual({
      id: created.json.verificationSessionId,
      verifierId: expect.stringMatching(/^did:jwk:/),
      state: 'RequestCreated',
      authorizationRequestId: created.json.request_uri.split('/').at(-1),
      authorizationRequestUri: created.json.authorizationRequestUri,
      authorizationResponseRedirectUri: REDIRECT.redirect_uri,
      expiresAt: expect.stringMatching(/Z$/),
    })
    const ids = [session.id, session.authorizationRequestId, created.json.qr_code_url.split('/').at(-1)]
    expect(new Set(ids).size).toBe(3)
  })

  it('makes every request unique', async () => {
    const id = await storedQuery()
    const [first, second] = [await byQuery(id, REDIRECT), await byQuery(id, REDIRECT)].map(({ json }) => json)
    for (const name of ['request_uri', 'qr_code_url', 'state', 'nonce', 'verificationSessionId'] as const) {
      expect(first[name]).not.toBe(second[name])
    }
  })

  it.each([1, 90.5, 86_400])('is valid for %d seconds if the caller asks for it', async (validity) => {
    const before = Date.now()
    const created = await byQuery(await storedQuery(), { ...REDIRECT, validity })
    expect(created.json.validity).toBe(validity)
    const expires = Date.parse((await sessionOf(world.service, created.json)).expiresAt)
    expect(expires).toBeGreaterThanOrEqual(before + validity * 1000 - 1)
    expect(expires).toBeLessThanOrEqual(Date.now() + validity * 1000)
  })

  it.each([
    [{}, ['redirect_uri must be defined']],
    [{ ...REDIRECT, validity: 0 }, ['validity must be at least 1']],
    [{ ...REDIRECT, validity: 86_401 }, ['validity must be at most 86400']],
    [{ ...REDIRECT, validity: '300' }, ['validity must be a number']],
    [{ ...REDIRECT, state: 'mine' }, ['property state should not exist']],
  ])('refuses %j', async (body, message) => {
    const refused = await byQuery(await storedQuery(), body)
    expect([refused.status, refused.json.message]).toEqual([400, message])
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://shop.example/x',
    'app:/done',
    '/done',
    'https://',
    'java\tscript:alert(1)',
    ...TWO_READINGS,
  ])('refuses to send a user to %s', async (redirect_uri) => {
    const refused = await byQuery(await storedQuery(), { redirect_uri })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      ["redirect_uri must be an https URL or have an app's own scheme with a dot in it"],
    ])
  })

  it('refuses an address that already has a response_code, because it could be confused with the fresh code', async () => {
    const redirect_uri = 'https://shop.example/done?x=1&response_code=known'
    const refused = await byQuery(await storedQuery(), { redirect_uri })
    expect([refused.status, refused.json.message]).toEqual([400, ['redirect_uri must have no response_code']])
  })

  it.each(['com.example.shop:/done', 'com.example:done?x=1', 'http://127.0.0.1:8080/done'])(
    'may return to %s',
    async (uri) => {
      expect((await byQuery(await storedQuery(), { redirect_uri: uri })).status).toBe(201)
    },
  )

  it('keeps a copy of the query: its deletion does not affect open requests', async () => {
    const id = await storedQuery()
    const { json } = await byQuery(id, REDIRECT)
    await world.service.request('DELETE', `/api/v1/verifier/vp-queries/${id}`, { client: true })
    expect((await fetchRequest(json)).dcql_query.credentials).toHaveLength(2)
    expect((await byQuery(id, REDIRECT)).status).toBe(404)
  })

  it('asks for both formats, so that the wallet can have either', async () => {
    const { json } = await byQuery(await storedQuery(), REDIRECT)
    expect((await fetchRequest(json)).dcql_query).toEqual({
      credentials: [
        {
          id: 'item-0-sd-jwt',
          format: 'dc+sd-jwt',
          meta: { vct_values: [vct(world.service)] },
          claims: [{ path: ['product'] }],
        },
        {
          id: 'item-0-jwt-vc',
          format: 'jwt_vc_json',
          meta: { type_values: [['ProofOfPurchase']] },
          claims: [{ path: ['credentialSubject', 'product'] }],
        },
      ],
      credential_sets: [{ options: [['item-0-sd-jwt'], ['item-0-jwt-vc']] }],
    })
  })
})

describe('POST /authorization-requests', () => {
  const post = async (body: unknown) =>
    world.service.request('POST', '/authorization-requests', { authorization: await world.service.bearer('v'), body })

  it.each([
    [{}, ['Request body must hold either dcqlQuery or query']],
    [
      { query: [ITEM], dcqlQuery: { credentials: [] } },
      expect.arrayContaining([expect.stringContaining('dcqlQuery.credentials')]),
    ],
    [
      { dcqlQuery: { credentials: [{ id: 'x', format: 'ldp_vc', meta: {} }] } },
      [expect.stringContaining('must be dc+sd-jwt, jwt_vc_json or mso_mdoc')],
    ],
    [
      {
        dcqlQuery: { credentials: [{ id: 'x', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }] },
      },
      ['dcqlQuery.credentials.0.format mso_mdoc needs TRUST_ANCHORS'],
    ],
    [
      { query: [ITEM], profile: 'draft24' },
      ['profile draft24 is not open here: VERIFIER_LEGACY_PROFILES does not list it'],
    ],
    [{ query: [ITEM], clientProfile: 'haip' }, ['property clientProfile should not exist']],
    [{ query: [ITEM], clientIdPrefix: 'x509_hash' }, ['clientIdPrefix x509_hash needs a certificate of the verifier']],
    [{ query: [ITEM], presentationDefinition: {} }, ['property presentationDefinition should not exist']],
    [
      { query: [ITEM], requireResponseCode: true },
      ['requireResponseCode must be false or left out where redirectUri is left out'],
    ],
    [
      { query: [ITEM], responseMode: 'fragment' },
      ['responseMode must be one of direct_post, direct_post.jwt, dc_api, dc_api.jwt'],
    ],
    [
      { query: [ITEM], trustedIssuers: ['issuer.example'] },
      ['trustedIssuers.0 must be self, x5c, *, a DID or an https origin'],
    ],
    [{ query: [ITEM], trustedIssuers: ['self', 'x5c'] }, ['trustedIssuers x5c needs TRUST_ANCHORS or a trusted list']],
    [
      { query: [ITEM], redirectUri: 'javascript:x' },
      ["redirectUri must be an https URL or have an app's own scheme with a dot in it"],
    ],
    ...TWO_READINGS.map((redirectUri): [Record<string, unknown>, string[]] => [
      { query: [ITEM], redirectUri },
      ["redirectUri must be an https URL or have an app's own scheme with a dot in it"],
    ]),
  ])('refuses %j', async (body, message) => {
    const refused = await post(body)
    expect([refused.status, refused.json.message]).toEqual([400, message])
  })

  it('an unknown verifier is a 500', async () => {
    const refused = await post({ query: [ITEM], verifierId: 'nobody' })
    expect([refused.status, refused.json.message]).toEqual([500, 'Verifier not found.'])
  })

  it('needs a token', async () => {
    const refused = await world.service.request('POST', '/authorization-requests', { body: { query: [ITEM] } })
    expect([refused.status, refused.json.message]).toEqual([401, 'Unauthorized'])
  })

  it('signs as the verifier of the caller that is named by record or DID, and not as a verifier of another caller', async () => {
    const admin = { authorization: await world.service.bearer('boss', { roles: ['admin'] }) }
    const made = await world.service.request('POST', '/agent/verifier', { ...admin, body: { method: 'key' } })
    expect(made.status).toBe(201)
    for (const verifierId of [made.json.id, made.json.did]) {
      const created = await world.service.request('POST', '/authorization-requests', {
        ...admin,
        body: { query: [ITEM], verifierId },
      })
      expect((await sessionOf(world.service, created.json)).verifierId).toBe(made.json.did)
      expect((await fetchRequest(created.json)).client_id).toBe(`decentralized_identifier:${made.json.did}`)
    }
    const refused = await post({ query: [ITEM], verifierId: made.json.id })
    expect([refused.status, refused.json.message]).toEqual([500, 'Verifier not found.'])
  })
})

describe('the request object (OpenID4VP 1.0 §5)', () => {
  const fetchRaw = async (asked: Asked) => {
    const response = await fetch(asked.request_uri)
    return { response, compact: await response.text() }
  }

  it('is signed by the DID in client_id, has a typ, and has no member of a draft', async () => {
    const asked = await ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), responseMode: 'direct_post' })
    const { response, compact } = await fetchRaw(asked)
    expect(response.headers.get('content-type')).toBe('application/oauth-authz-req+jwt')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { kid = '', typ, alg } = decodeProtectedHeader(compact)
    expect([typ, alg]).toEqual(['oauth-authz-req+jwt', 'ES256'])
    const did = kid.split('#')[0] ?? ''
    const { payload } = await jwtVerify(compact, await importJWK(decodeDidJwk(did), 'ES256'), {
      audience: 'https://self-issued.me/v2',
    })
    expect(payload).toEqual({
      aud: 'https://self-issued.me/v2',
      client_id: `decentralized_identifier:${did}`,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: asked.request_uri.replace('/requests/', '/responses/'),
      nonce: asked.nonce,
      state: asked.state,
      dcql_query: dcql(world.service, 'dc+sd-jwt'),
      client_metadata: { vp_formats_supported: expect.objectContaining({ 'dc+sd-jwt': expect.anything() }) },
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(payload.iat).toBeLessThanOrEqual(Date.now() / 1000)
    const { searchParams } = new URL(asked.authorizationRequestUri)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: payload.client_id,
      request_uri: asked.request_uri,
      request_uri_method: 'post',
    })
  })

  it('asks for encrypted answers by default, with a separate key (§8.3)', async () => {
    const requests = await Promise.all([ask(world.service, { query: [ITEM] }), ask(world.service, { query: [ITEM] })])
    const payloads = await Promise.all(requests.map(fetchRequest))
    const keys = payloads.map(({ response_mode, client_metadata }) => {
      expect(response_mode).toBe('direct_post.jwt')
      expect(client_metadata.encrypted_response_enc_values_supported).toEqual(['A128GCM', 'A256GCM'])
      const key = client_metadata.jwks?.keys[0]
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        use: 'enc',
        alg: 'ECDH-ES',
      })
      return key?.kid
    })
    expect(keys[0]).not.toBe(keys[1])
  })

  it('can be fetched several times, by GET and by POST, and changes the session once', async () => {
    const asked = await ask(world.service, { query: [ITEM] })
    const first = await fetchRequest(asked)
    expect((await sessionOf(world.service, asked)).state).toBe('RequestUriRetrieved')
    const again = await Promise.all([fetchRequest(asked), fetchRequest(asked)])
    expect(again).toEqual([first, first])
    const posted = await postForm(asked.request_uri, {})
    expect([posted.status, posted.headers.get('content-type')]).toEqual([200, 'application/oauth-authz-req+jwt'])
    const events = await world.service.platform.stores.events.after([
      { sessionId: asked.verificationSessionId, after: 0 },
    ])
    expect(events.map(({ seq, data }) => [seq, data.state])).toEqual([
      [1, 'RequestCreated'],
      [2, 'RequestUriRetrieved'],
    ])
  })

  it('does not count as fetched after a HEAD, which link previews send (RFC 9110 §9.2.1)', async () => {
    const asked = await ask(world.service, { query: [ITEM] })
    const looked = await fetch(asked.request_uri, { method: 'HEAD' })
    expect([looked.status, looked.headers.get('content-type')]).toEqual([200, 'application/oauth-authz-req+jwt'])
    expect((await sessionOf(world.service, asked)).state).toBe('RequestCreated')
  })

  it("repeats the wallet's nonce (§5.10), ignores its metadata, and refuses an invalid nonce", async () => {
    const asked = await ask(world.service, { query: [ITEM] })
    const form = { wallet_nonce: 'qPmxiNFCR3QTm19POc8u', wallet_metadata: '{"vp_formats_supported":{}}', unknown: 'x' }
    const { text } = await postForm(asked.request_uri, form)
    expect(JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()).wallet_nonce).toBe(
      form.wallet_nonce,
    )
    expect(await fetchRequest(asked)).not.toHaveProperty('wallet_nonce')
    const refused = await postForm(asked.request_uri, { wallet_nonce: 'x'.repeat(1_025) })
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_request'])
  })

  it('may be fetched with a form content type on the GET', async () => {
    const asked = await ask(world.service, { query: [ITEM] })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await fetch(asked.request_uri, { headers })).status).toBe(200)
  })

  it('is a 404 for an unknown request', async () => {
    const missing = await world.service.request('GET', '/openid4vp/requests/nothing')
    expect([missing.status, missing.json.error_description]).toEqual([404, 'Authorization request not found.'])
  })

  it('has an encrypted state and nonce in the database, and a key that stays secret', async () => {
    const encryptionKey = Buffer.alloc(32, 1).toString('base64url')
    const { startService } = await import('../../support/service.js')
    await using service = await startService({ env: { KEY_ENCRYPTION_KEY: encryptionKey } })
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const { query } = await import('../../support/postgres.js')
    const [row] = await query<Record<string, unknown>>(service.databaseUrl, 'SELECT * FROM verification_sessions')
    const stored = JSON.stringify(row)
    expect(stored).not.toContain(asked.state)
    expect(stored).not.toContain(asked.nonce)
    expect(String(row?.secrets).split('.')).toHaveLength(5)
    expect((await fetchRequest(asked)).state).toBe(asked.state)
  })
})

describe('simultaneous requests', () => {
  it('share the statement that reads the caller, and each has its own answer', async () => {
    const { authorizationRequests } = world.service.platform.stores
    const record = recordStatements()
    try {
      const asked = Array.from({ length: 20 }, () => authorizationRequests.context(undefined, null))
      const contexts = await Promise.all(asked)
      // Only the context of a request reads this column. Tasks in the background read verifiers too.
      expect(record.sent().filter((text) => text.includes('"typeNames"'))).toHaveLength(1)
      expect(new Set(contexts.map((context) => context?.verifierDid)).size).toBe(1)
      const made = await Promise.all(
        Array.from({ length: 8 }, () => ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt') })),
      )
      expect(new Set(made.map(({ request_uri }) => request_uri)).size).toBe(8)
    } finally {
      record.stop()
    }
  })
})
