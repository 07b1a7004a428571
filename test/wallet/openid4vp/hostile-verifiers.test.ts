import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RemoteRequestOptions, startRemoteVerifier } from '../../support/remote-verifier.js'
import { startService } from '../../support/service.js'
import { newWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

let world: HostileWorld

beforeAll(async () => {
  world = await makeHostileWorld()
})
afterAll(() => world.close())

describe('a response is sent only to an address that the client identifier allows (OpenID4VP 1.0 §5.9.3)', () => {
  it('redirect_uri: another response_uri is refused', async () => {
    const payload = { response_uri: `${world.elsewhere.url}/response` }
    const refusal = await world.refusalOf({ prefix: 'redirect_uri', payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('The response_uri does not match the client identifier.')
  })

  it('x509_san_dns: a response_uri on another host is refused', async () => {
    const payload = { response_uri: `${world.elsewhere.url.replace('127.0.0.1', 'localhost')}/response` }
    const refusal = await world.refusalOf({ prefix: 'x509_san_dns', payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('needs a certificate for localhost (dNSName)')
  })

  it('x509_san_dns: a matching redirect_uri does not make another response_uri acceptable (§8.2)', async () => {
    const payload = {
      redirect_uri: `${world.verifier.url}/done`,
      response_uri: `${world.elsewhere.url.replace('127.0.0.1', 'localhost')}/response`,
    }
    const refusal = await world.refusalOf({ prefix: 'x509_san_dns', payload })
    expect(refusal).toEqual({
      status: 500,
      message: 'The authorization request must have a response_uri and no redirect_uri.',
      presented: 0,
    })
  })

  it.each([
    ['http://10.1.2.3/response', '10.1.2.3 has an address that is not public, so it may not be requested.'],
    ['http://169.254.169.254/', '169.254.169.254 has an address that is not public, so it may not be requested.'],
  ])('a private response_uri %s is never called', async (responseUri, message) => {
    expect(await world.refusalOf({ payload: { response_uri: responseUri } })).toEqual({
      status: 500,
      message,
      presented: 0,
    })
  })

  it('a response_uri that is a management route of this service is never called', async () => {
    const refusal = await world.refusalOf({ payload: { response_uri: `${world.service.url}/agent/holder` } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('this service itself')
  })

  it('a redirect of the response is not followed', async () => {
    await using redirecting = await startRemoteVerifier({
      answer: () => ({ status: 307, headers: { location: `${world.elsewhere.url}/response` } }),
    })
    const answer = await world.wallet.process(await redirecting.request(world.diploma()))
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('redirects a POST request, which is not followed')
    expect(world.elsewhere.seen).toEqual([])
  })
})

describe('a request must come from the client that it names (OpenID4VP 1.0 §5.9, RFC 9101)', () => {
  const broken = "The authorization request's signature is refused: "

  it('signed with another key than the key of the DID', async () => {
    const refusal = await world.refusalOf({ signer: await newRemoteKey() })
    expect(refusal).toEqual({ status: 500, message: `${broken}The signature is not valid.`, presented: 0 })
  })

  it('signed with a key of another DID than the DID of the client identifier', async () => {
    const other = await newRemoteKey()
    const refusal = await world.refusalOf({ signer: other, header: { kid: other.kid } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('not signed with a key of the DID that is its client identifier')
  })

  it('signed with a key in its own header', async () => {
    const other = await newRemoteKey()
    const refusal = await world.refusalOf({ signer: other, header: { kid: undefined, jwk: other.publicJwk } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('not signed with a key of the DID that is its client identifier')
  })

  it('an address that names another client than the request object', async () => {
    const refusal = await world.refusalOf({ clientId: 'decentralized_identifier:did:web:bank.example' })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('The authorization request has another client_id than its address.')
  })

  it('a certificate that leads to no trust anchor', async () => {
    await using stranger = await startRemoteVerifier()
    const answer = await world.wallet.process(await stranger.request(world.diploma(), { prefix: 'x509_hash' }))
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('does not lead to a trust anchor')
    expect(stranger.responses).toEqual([])
  })

  it('a certificate under a root for credentials (TRUST_ANCHORS), which is not for verifiers', async () => {
    const { anchorFile } = world.verifier
    const env = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', TRUST_ANCHORS: anchorFile, STATUS_TRUST_ANCHORS: anchorFile }
    await using service = await startService({ env })
    const wallet = await newWallet(service)
    for (const prefix of ['x509_hash', 'x509_san_dns'] as const) {
      const answer = await wallet.process(await world.verifier.request(world.diploma(), { prefix }))
      expect(answer.status).toBe(500)
      expect(answer.json.message).toContain('does not lead to a trust anchor')
    }
  })

  it('the hash of another certificate', async () => {
    const clientId = `x509_hash:${'A'.repeat(43)}`
    const refusal = await world.refusalOf({ prefix: 'x509_hash', clientId, payload: { client_id: clientId } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('does not match the certificate')
  })

  it('a name that the certificate does not have', async () => {
    const clientId = 'x509_san_dns:bank.example'
    const payload = { client_id: clientId, response_uri: 'https://bank.example/response' }
    const refusal = await world.refusalOf({ prefix: 'x509_san_dns', clientId, payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('needs a certificate for bank.example (dNSName)')
  })

  it.each([
    ['bank.example', 'Verifiers of the kind pre-registered are not known to this wallet.'],
    ['verifier_attestation:bank.example', 'Verifiers of the kind verifier_attestation are not known to this wallet.'],
    ['openid_federation:https://bank.example', 'Verifiers of the kind openid_federation are not known to this wallet.'],
    ['x509_san_uri:https://bank.example', 'Verifiers of the kind x509_san_uri are not known to this wallet.'],
  ])('a client of the kind %s, which this wallet cannot check', async (clientId, message) => {
    const refusal = await world.refusalOf({ clientId, payload: { client_id: clientId } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain(message)
  })

  it('a DID in an unsigned request', async () => {
    const params = {
      client_id: `decentralized_identifier:${world.verifier.key.did}`,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: `${world.elsewhere.url}/response`,
      nonce: 'n',
      dcql_query: JSON.stringify(world.diploma()),
    }
    const answer = await world.wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('must sign its requests')
    expect(world.elsewhere.seen).toEqual([])
  })

  it('a redirect_uri client in a signed request', async () => {
    const clientId = `redirect_uri:${world.elsewhere.url}/response`
    const payload = { client_id: clientId, response_uri: `${world.elsewhere.url}/response` }
    const refusal = await world.refusalOf({ clientId, payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('does not sign its requests')
  })

  it.each([
    ['of another type', { header: { typ: 'JWT' } }, 'its typ does not name a request object'],
    [
      'meant for another audience',
      { payload: { aud: 'https://world.wallet.example' } },
      'The authorization request is meant for another wallet.',
    ],
    ['that has expired', { payload: { exp: 1_700_000_000 } }, 'The authorization request has expired.'],
    ['that is not valid yet', { payload: { nbf: 4_000_000_000 } }, 'nbf lies in the future'],
  ] satisfies [string, RemoteRequestOptions, string][])('a request object %s', async (_what, options, message) => {
    const refusal = await world.refusalOf(options)
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain(message)
  })

  it('a request object that does not repeat the wallet’s nonce (§5.10.1)', async () => {
    const refusal = await world.refusalOf({ method: 'post', forgetsNonce: true })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('wallet_nonce')
  })

  it('a request object with a nonce that the wallet never gave', async () => {
    const refusal = await world.refusalOf({ payload: { wallet_nonce: 'replayed' } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('does not contain the wallet_nonce that the wallet sent')
  })

  it('a repeated parameter in the address: 400', async () => {
    const uri = await world.verifier.request(world.diploma())
    const answer = await world.wallet.process(`${uri}&client_id=redirect_uri%3Ahttps%3A%2F%2Fattacker.example`)
    expect([answer.status, answer.json.message]).toEqual([400, ['The parameter client_id is given more than once.']])
  })
})

describe('a verifier’s description of itself is shown if it is text', () => {
  it.each([
    [
      { client_name: 'Shop', logo_uri: 'https://shop.example/logo.png' },
      { name: 'Shop', logoUri: 'https://shop.example/logo.png' },
    ],
    [{ client_name: { en: 'Shop' }, logo_uri: 7 }, {}],
    [{ client_name: null, logo_uri: ['https://shop.example/logo.png'] }, {}],
  ])('%j', async (said, shown) => {
    const { verifier, wallet, service } = world
    const payload = { client_metadata: { vp_formats_supported: { 'dc+sd-jwt': {} }, ...said } }
    const flow = await service.request('POST', '/flows', {
      authorization: wallet.authorization,
      body: { qrContent: await verifier.request(world.diploma(), { payload }), did: wallet.did },
    })
    expect(flow.status, flow.text).toBe(201)
    expect(flow.json.data.verifier).toEqual({ id: `decentralized_identifier:${verifier.key.did}`, ...shown })
  })
})
