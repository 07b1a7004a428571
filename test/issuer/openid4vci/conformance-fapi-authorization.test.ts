import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { refusalOf, SD_JWT } from './actors.js'
import { thumbprint } from './attestation-actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'
import { PAR, type Parameters, type Suite, startSuite, TOKEN } from './conformance-actors.js'

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
})
afterEach(() => {
  suite.clock.ahead = 0
})
afterAll(() => suite.close())

const AS_METADATA = '/.well-known/oauth-authorization-server'

/** Checks that the answer is an error page and not a redirect. */
async function expectErrorPage(address: string): Promise<void> {
  const answer = await newBrowser(suite.service).get(address)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('location')).toBeNull()
}

/** Pushes a request that is refused. Returns the status and the error. */
const refusedAtPar = async (changes: Parameters) =>
  refusalOf(await suite.push((await suite.newRequest(changes)).parameters)).slice(0, 2)

describe('modules about the authorization request', () => {
  it('fapi2-security-profile-final-discovery-end-point-verification', async () => {
    const { json } = await suite.service.request('GET', AS_METADATA)
    const { base } = suite
    expect(json).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/openid4vci/authorize`,
      token_endpoint: `${base}/openid4vci/token`,
      pushed_authorization_request_endpoint: `${base}/openid4vci/par`,
      require_pushed_authorization_requests: true,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
    })
    expect(json.grant_types_supported).toContain('authorization_code')
    expect(json.dpop_signing_alg_values_supported).toContain('ES256')
    expect(json.dpop_signing_alg_values_supported).not.toContain('RS256')
    expect(json.client_attestation_signing_alg_values_supported).toContain('ES256')
    expect(json.client_attestation_pop_signing_alg_values_supported).toContain('ES256')
  })

  it('fapi2-security-profile-final-user-rejects-authentication', async () => {
    const response = await suite.decided((await suite.pushed()).address, 'decline')
    expect(response).toMatchObject({ error: 'access_denied', state: 'state-of-the-wallet', iss: suite.base })
    expect(response).not.toHaveProperty('code')
  })

  it('fapi2-security-profile-final-ensure-authorization-request-without-state-success', async () => {
    const response = await suite.decided((await suite.pushed({ state: '' })).address)
    expect(Object.keys(response).sort()).toEqual(['code', 'iss'])
  })

  it('fapi2-security-profile-final-ensure-authorization-request-with-long-state', async () => {
    const state = 's'.repeat(1_000)
    expect(await suite.decided((await suite.pushed({ state })).address)).toMatchObject({ state })
  })

  it('fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object', async () => {
    const { address } = await suite.pushed({ state: 'inside' }, {}, { state: 'outside' })
    expect(await suite.decided(address)).toMatchObject({ state: 'inside' })
  })

  it('fapi2-security-profile-final-state-only-outside-request-object-not-used', async () => {
    const { address } = await suite.pushed({ state: '' }, {}, { state: 'outside' })
    expect(await suite.decided(address)).not.toHaveProperty('state')
  })

  it('fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails', async () => {
    expect(await refusedAtPar({ redirect_uri: '' })).toEqual([400, 'invalid_request'])
  })

  it('fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request', async () => {
    const { parameters } = await suite.newRequest({ redirect_uri: '' })
    expect(refusalOf(await suite.push(parameters))).toEqual([
      400,
      'invalid_request',
      expect.stringMatching('redirect_uri'),
    ])
  })

  it('fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri', async () => {
    const redirect_uri = `${REDIRECT_URI}/${crypto.randomUUID()}`
    const { verifier, address } = await suite.pushed({ redirect_uri })
    const { code = '' } = await suite.decided(address)
    expect((await suite.redeem({ code, verifier }, {}, { redirect_uri })).status).toBe(200)
    expect(await refusedAtPar({ redirect_uri: 'javascript:alert(1)' })).toEqual([400, 'invalid_request'])
  })

  it('fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails', async () => {
    const { parameters } = await suite.newRequest()
    const response = responseOf(await newBrowser(suite.service).get(suite.addressOf(parameters)))
    expect(response).toMatchObject({ error: 'invalid_request', state: 'state-of-the-wallet', iss: suite.base })
  })

  it('fapi2-security-profile-final-ensure-response-type-code-idtoken-fails', async () => {
    expect(await refusedAtPar({ response_type: 'code id_token' })).toEqual([400, 'unsupported_response_type'])
  })

  it('fapi2-security-profile-final-ensure-response-type-token-fails', async () => {
    expect(await refusedAtPar({ response_type: 'token' })).toEqual([400, 'unsupported_response_type'])
  })
})

describe('modules about pushed requests', () => {
  it('fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds', async () => {
    const { address, verifier } = await suite.pushed()
    await openPage(newBrowser(suite.service), address)
    const { code = '' } = await suite.decided(address)
    expect((await suite.redeem({ code, verifier })).status).toBe(200)
  })

  it('fapi2-security-profile-final-par-attempt-reuse-request_uri', async () => {
    const { address } = await suite.pushed()
    expect(await suite.decided(address)).toHaveProperty('code')
    await expectErrorPage(address)
  })

  it('fapi2-security-profile-final-par-attempt-to-use-expired-request_uri', async () => {
    const { address } = await suite.pushed()
    suite.clock.ahead += 91
    await expectErrorPage(address)
  })

  it('fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client', async () => {
    const { request_uri, address } = await suite.pushed()
    await expectErrorPage(suite.addressOf({ client_id: suite.second.id, request_uri }))
    expect(await suite.decided(address)).toHaveProperty('code')
  })

  it('fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param', async () => {
    const { request_uri } = await suite.pushed()
    expect(await refusedAtPar({ request_uri })).toEqual([400, 'invalid_request'])
  })

  it('fapi2-security-profile-final-par-attempt-invalid-http-method', async () => {
    const { parameters } = await suite.newRequest()
    const answer = await suite.service.request('GET', `${PAR}?${new URLSearchParams(parameters)}`)
    expect([answer.status, answer.json]).toEqual([404, expect.not.objectContaining({ request_uri: expect.anything() })])
  })

  it('fapi2-security-profile-final-par-without-duplicate-parameters', async () => {
    const { address, verifier } = await suite.pushed()
    const sent = new URL(address, suite.base).searchParams
    expect([...sent.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const { code = '' } = await suite.decided(address)
    expect((await suite.redeem({ code, verifier })).status).toBe(200)
  })
})

describe('modules about PKCE', () => {
  it('fapi2-security-profile-final-par-ensure-pkce-required', async () => {
    const without = { code_challenge: '', code_challenge_method: '' }
    expect(await refusedAtPar(without)).toEqual([400, 'invalid_request'])
  })

  it('fapi2-security-profile-final-par-plain-pkce-rejected', async () => {
    const { verifier } = newPkce()
    const plain = { code_challenge: verifier, code_challenge_method: 'plain' }
    expect(await refusedAtPar(plain)).toEqual([400, 'invalid_request'])
  })

  it('fapi2-security-profile-final-ensure-pkce-code-verifier-required', async () => {
    const granted = await suite.granted()
    const refused = await suite.redeem(granted, {}, { code_verifier: '' })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected', async () => {
    const granted = await suite.granted()
    const refused = await suite.redeem(granted, {}, { code_verifier: newPkce().verifier })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })
})

describe('modules about codes that are bound to a key', () => {
  const jkt = (key: WalletActor) => ({ dpop_jkt: thumbprint(key.publicJwk) })

  it('fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails', async () => {
    expect(await refusedAtPar(jkt(await newWallet()))).toEqual([400, 'invalid_dpop_proof'])
  })

  it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt', async () => {
    const granted = await suite.granted()
    const dpop = await suite.proofOf(await newWallet(), TOKEN)
    expect(refusalOf(await suite.redeem(granted, { dpop })).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt', async () => {
    const granted = await suite.granted(jkt(await newWallet()), { dpop: null })
    expect(refusalOf(await suite.redeem(granted)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success', async () => {
    const { access_token: token, scope } = await suite.tokens()
    expect(scope).toBe(SD_JWT)
    expect((await suite.take(token)).status).toBe(200)
  })

  it('fapi2-security-profile-final-ensure-dpop-auth-code-binding-success', async () => {
    const { access_token: token } = await suite.tokens(jkt(suite.first.key))
    expect((await suite.take(token)).status).toBe(200)
  })
})
