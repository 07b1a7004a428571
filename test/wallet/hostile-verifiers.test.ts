import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../support/remote-issuer.js'
import { type RemoteRequestOptions, type RemoteVerifier, startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, newWallet } from '../support/wallet.js'
import { newRemoteKey } from '../support/wallet-callbacks.js'
import { type RemoteServer, startRemoteServer } from '../support/wallet-http.js'

let service: TestService
let issuer: RemoteIssuer
let verifier: RemoteVerifier
/** Where nothing must ever arrive. */
let elsewhere: RemoteServer
let wallet: HostedWallet

beforeAll(async () => {
  issuer = await startRemoteIssuer()
  verifier = await startRemoteVerifier()
  elsewhere = await startRemoteServer(() => ({
    '/response': () => ({ body: {} }),
    '/metadata': () => ({ body: {} }),
  }))
  const anchors = join(tmpdir(), `anchors-${process.pid}-hostile.pem`)
  await writeFile(anchors, verifier.anchorPem)
  service = await startService({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1 localhost', TRUST_ANCHORS: anchors } })
  wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
  if (taken.status !== 200) throw new Error(taken.text)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await verifier.close()
  await elsewhere.close()
})

const diploma = () => ({
  credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] } }],
})

/** What a wallet says of a request, and how many presentations left it. */
async function refusalOf(options: RemoteRequestOptions, query: unknown = diploma()) {
  const before = verifier.responses.length
  const answer = await wallet.process(await verifier.request(query, options))
  return {
    status: answer.status,
    message: answer.json.message as string,
    presented: verifier.responses.length - before + elsewhere.seen.length,
  }
}

describe('a response goes nowhere but where the client identifier allows (OpenID4VP 1.0 §5.9.3)', () => {
  it('redirect_uri: a response_uri elsewhere is refused', async () => {
    const payload = { response_uri: `${elsewhere.url}/response` }
    const refusal = await refusalOf({ prefix: 'redirect_uri', payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('the client id identifier MUST match the response_uri')
  })

  it('x509_san_dns: a response_uri on another host is refused', async () => {
    const payload = { response_uri: `${elsewhere.url.replace('127.0.0.1', 'localhost')}/response` }
    const refusal = await refusalOf({ prefix: 'x509_san_dns', payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('MUST match the Client Identifier')
  })

  it('x509_san_dns: a redirect_uri that matches does not cover for a response_uri elsewhere (§8.2)', async () => {
    const payload = {
      redirect_uri: `${verifier.url}/done`,
      response_uri: `${elsewhere.url.replace('127.0.0.1', 'localhost')}/response`,
    }
    const refusal = await refusalOf({ prefix: 'x509_san_dns', payload })
    expect(refusal).toEqual({
      status: 500,
      message: 'The authorization request must have a response_uri and no redirect_uri.',
      presented: 0,
    })
  })

  it.each([
    ['http://10.1.2.3/response', '10.1.2.3 has an address that is not public, so it may not be requested.'],
    ['http://169.254.169.254/', '169.254.169.254 has an address that is not public, so it may not be requested.'],
  ])('a private response_uri %s is never asked', async (responseUri, message) => {
    expect(await refusalOf({ payload: { response_uri: responseUri } })).toEqual({ status: 500, message, presented: 0 })
  })

  it('a response_uri among this service’s own management routes is never asked', async () => {
    const refusal = await refusalOf({ payload: { response_uri: `${service.url}/agent/holder` } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('this service itself')
  })

  it('a redirect of the response is not followed', async () => {
    await using redirecting = await startRemoteVerifier({
      answer: () => ({ status: 307, headers: { location: `${elsewhere.url}/response` } }),
    })
    const answer = await wallet.process(await redirecting.request(diploma()))
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('redirects a POST request, which is not followed')
    expect(elsewhere.seen).toEqual([])
  })
})

describe('a request must come from whom it names (OpenID4VP 1.0 §5.9, RFC 9101)', () => {
  const broken = "The authorization request's signature does not hold: "

  it('signed with another key than the DID’s', async () => {
    const refusal = await refusalOf({ signer: await newRemoteKey() })
    expect(refusal).toEqual({ status: 500, message: `${broken}The signature is not valid.`, presented: 0 })
  })

  it('signed with a key of another DID than the client identifier’s', async () => {
    const other = await newRemoteKey()
    const refusal = await refusalOf({ signer: other, header: { kid: other.kid } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('must be signed by the same DID as the client identifier')
  })

  it('signed with a key that it brings along', async () => {
    const other = await newRemoteKey()
    const refusal = await refusalOf({ signer: other, header: { kid: undefined, jwk: other.publicJwk } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('not allowed: SUCCEEDED: method jwk')
  })

  it('an address that names another client than the request object', async () => {
    const refusal = await refusalOf({ clientId: 'decentralized_identifier:did:web:bank.example' })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('client_id does not match the request object client_id')
  })

  it('a certificate that leads to no trust anchor', async () => {
    await using stranger = await startRemoteVerifier()
    const answer = await wallet.process(await stranger.request(diploma(), { prefix: 'x509_hash' }))
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('does not lead to a trust anchor')
    expect(stranger.responses).toEqual([])
  })

  it('the hash of another certificate', async () => {
    const clientId = `x509_hash:${'A'.repeat(43)}`
    const refusal = await refusalOf({ prefix: 'x509_hash', clientId, payload: { client_id: clientId } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('hash of the leaf')
  })

  it('a name that the certificate does not have', async () => {
    const clientId = 'x509_san_dns:bank.example'
    const payload = { client_id: clientId, response_uri: 'https://bank.example/response' }
    const refusal = await refusalOf({ prefix: 'x509_san_dns', clientId, payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('must match the client identifier')
  })

  it.each([
    ['bank.example', 'Verifiers of the kind pre-registered are not known to this wallet.'],
    ['verifier_attestation:bank.example', 'Verifiers of the kind verifier_attestation are not known to this wallet.'],
    [
      'openid_federation:https://bank.example',
      'The authorization request is signed with a key that says nothing about its verifier.',
    ],
    ['x509_san_uri:https://bank.example', 'not allowed: SUCCEEDED: method did'],
  ])('a client of the kind %s, which nobody here can check', async (clientId, message) => {
    const refusal = await refusalOf({ clientId, payload: { client_id: clientId } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain(message)
  })

  it('a DID in a request that is not signed', async () => {
    const params = {
      client_id: `decentralized_identifier:${verifier.key.did}`,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: `${elsewhere.url}/response`,
      nonce: 'n',
      dcql_query: JSON.stringify(diploma()),
    }
    const answer = await wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('requires a signed JAR request')
    expect(elsewhere.seen).toEqual([])
  })

  it('a redirect_uri client in a request that is signed', async () => {
    const clientId = `redirect_uri:${elsewhere.url}/response`
    const payload = { client_id: clientId, response_uri: `${elsewhere.url}/response` }
    const refusal = await refusalOf({ clientId, payload })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('not allowed: SUCCEEDED: method did')
  })

  it.each([
    ['of another type', { header: { typ: 'JWT' } }, 'Invalid Jar Request Object typ header'],
    [
      'meant for another audience',
      { payload: { aud: 'https://wallet.example' } },
      'The authorization request is meant for another wallet.',
    ],
    ['that has expired', { payload: { exp: 1_700_000_000 } }, "'exp' is in the past"],
    ['that is not valid yet', { payload: { nbf: 4_000_000_000 } }, "'nbf' is in the future"],
  ] satisfies [string, RemoteRequestOptions, string][])('a request object %s', async (_what, options, message) => {
    const refusal = await refusalOf(options)
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain(message)
  })

  it('a request object that does not repeat the wallet’s nonce (§5.10.1)', async () => {
    const refusal = await refusalOf({ method: 'post', forgetsNonce: true })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('wallet_nonce')
  })

  it('a request object with a nonce that the wallet never gave', async () => {
    const refusal = await refusalOf({ payload: { wallet_nonce: 'replayed' } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain('"wallet_nonce" parameter MUST match')
  })

  it('a parameter that stands twice in the address: 400', async () => {
    const uri = await verifier.request(diploma())
    const answer = await wallet.process(`${uri}&client_id=redirect_uri%3Ahttps%3A%2F%2Fattacker.example`)
    expect([answer.status, answer.json.message]).toEqual([400, ['The parameter client_id is given more than once.']])
  })
})

describe('what a request may not make the wallet do', () => {
  it('fetch metadata by reference, past the outbound guard', async () => {
    const payload = { client_metadata: undefined, client_metadata_uri: `${elsewhere.url}/metadata` }
    const signed = await refusalOf({ payload })
    expect(signed).toMatchObject({ status: 500, presented: 0 })
    expect(signed.message).toContain('client_metadata_uri')
    const unsigned = await refusalOf({
      prefix: 'redirect_uri',
      payload: { client_metadata_uri: `${elsewhere.url}/metadata` },
    })
    expect(unsigned).toMatchObject({ status: 500, presented: 0 })
    expect(unsigned.message).toContain('client_metadata_uri')
    expect(elsewhere.seen).toEqual([])
  })

  it('answer a query language that it does not know', async () => {
    const definition = { id: 'x', input_descriptors: [] }
    const payload = { dcql_query: undefined, presentation_definition: definition, client_metadata: {} }
    const clientId = verifier.key.did
    const refusal = await refusalOf({ clientId, payload: { ...payload, client_id: clientId } })
    expect(refusal).toEqual({
      status: 500,
      message: 'The authorization request has no dcql_query.',
      presented: 0,
    })
  })

  it('approve a transaction that nobody has seen (§5.1)', async () => {
    const entry = { type: 'payment', credential_ids: ['diploma'], amount: '1000000' }
    const transactionData = [Buffer.from(JSON.stringify(entry)).toString('base64url')]
    const refusal = await refusalOf({ payload: { transaction_data: transactionData } })
    expect(refusal).toEqual({ status: 500, message: 'Transaction data is not supported.', presented: 0 })
  })

  it.each([['fragment'], ['query'], ['dc_api'], ['dc_api.jwt'], [undefined]])(
    'answer in the response mode %s',
    async (mode) => {
      const refusal = await refusalOf({ payload: { response_mode: mode } })
      expect(refusal).toMatchObject({ status: 500, presented: 0 })
      expect(refusal.message).toMatch(/response_mode|response mode/)
    },
  )

  it('encrypt to a key that the request does not hold', async () => {
    const refusal = await refusalOf({ mode: 'direct_post.jwt', payload: { client_metadata: {} } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain("Missing 'jwks'")
  })

  it.each([
    ['is malformed', { credentials: [{ id: 'a b', format: 'dc+sd-jwt', meta: {} }] }, 'The DCQL query is not valid.'],
    ['has no credentials', { credentials: [] }, 'The DCQL query is not valid.'],
    [
      'names a query that it does not have',
      {
        ...JSON.parse('{"credentials":[{"id":"a","format":"dc+sd-jwt","meta":{"vct_values":["x"]}}]}'),
        credential_sets: [{ options: [['b']] }],
      },
      'The DCQL query is not valid.',
    ],
    [
      'asks for more than any honest one',
      {
        credentials: Array.from({ length: 21 }, (_, index) => ({
          id: `q${index}`,
          format: 'dc+sd-jwt',
          meta: { vct_values: ['x'] },
        })),
      },
      'The DCQL query asks for too much at once.',
    ],
    [
      'is larger than any honest one',
      { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'.repeat(40_000)] } }] },
      'The DCQL query is too large.',
    ],
  ])('work on a query that %s', async (_what, query, message) => {
    expect(await refusalOf({}, query)).toEqual({ status: 500, message, presented: 0 })
  })

  it('read a request object without end', async () => {
    await using flooding = await startRemoteServer(() => ({ '/request': () => ({ body: 'a'.repeat(300_000) }) }))
    const params = { client_id: 'decentralized_identifier:did:jwk:x', request_uri: `${flooding.url}/request` }
    const answer = await wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('answered with more than 262144 bytes')
  })

  it('fetch a request object from this service’s own management routes', async () => {
    const params = { client_id: 'decentralized_identifier:did:jwk:x', request_uri: `${service.url}/agent/holders` }
    const answer = await wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('this service itself')
  })
})
