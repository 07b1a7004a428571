import { digest } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIPLOMA, DIPLOMA_JWT, DIPLOMA_SD_JWT, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { startRemoteServer } from '../../support/wallet-http.js'
import { BROKEN, BROKEN_OFFERS, NEITHER, UNKNOWN } from '../no-invitations.js'
import { compactOf, lastProofs, requestsTo, taking } from '../taking.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

describe('a hosted wallet takes an offer of an independent issuer (OpenID4VCI 1.0)', () => {
  it('takes every configuration of an offer by value and stores it (§4.1.2)', async () => {
    await using taken = await taking(service)
    const { issuer, wallet, answer } = taken
    expect(answer.status).toBe(200)
    expect(answer.json.type).toBe('credential_offer')
    expect(answer.json.credentials).toMatchObject([
      { format: 'jwt_vc_json', type: ['VerifiableCredential', 'Diploma'], issuer: issuer.key.did, status: 'valid' },
      { format: 'dc+sd-jwt', type: [`${issuer.url}/vct/diploma`], issuer: issuer.key.did, status: 'valid' },
    ])
    const listed = await wallet.get('/credentials')
    const ids = (credentials: { id: string }[]) => credentials.map(({ id }) => id).sort()
    expect(ids(listed.json)).toEqual(ids(answer.json.credentials))
    expect(listed.json[0]).toMatchObject({ credentialIssuer: issuer.url, status: 'valid' })
  })

  it('takes an offer by reference (§4.1.3)', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    const answer = await wallet.process(await issuer.offerByReference([DIPLOMA_SD_JWT]))
    expect(answer.json.credentials).toMatchObject([{ configurationId: DIPLOMA_SD_JWT, format: 'dc+sd-jwt' }])
  })

  it('has an SD-JWT VC that an independent library verifies, bound to the key of its DID', async () => {
    await using taken = await taking(service)
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[1])
    const key = await importJWK(taken.issuer.key.publicJwk, 'ES256')
    const library = new SDJwtVcInstance({
      hasher: digest,
      verifier: async (data, signature) => {
        await compactVerify(`${data}.${signature}`, key)
        return true
      },
    })
    const { payload } = await library.verify(compact)
    expect(payload).toMatchObject({ ...DIPLOMA, vct: `${taken.issuer.url}/vct/diploma` })
    const [proof = ''] = lastProofs(taken.issuer)
    expect(decodeProtectedHeader(proof)).toMatchObject({ typ: 'openid4vci-proof+jwt', alg: 'ES256' })
    expect(decodeProtectedHeader(proof).kid?.split('#')[0]).toBe(taken.wallet.did)
  })

  it('has a JWT VC that an independent library verifies, whose subject is its DID', async () => {
    await using taken = await taking(service)
    const compact = await compactOf(taken.wallet, taken.answer.json.credentials[0])
    await compactVerify(compact, await importJWK(taken.issuer.key.publicJwk, 'ES256'))
    expect(decodeJwt(compact)).toMatchObject({ sub: taken.wallet.did, vc: { credentialSubject: DIPLOMA } })
  })

  it('proves possession only to the issuer, with a fresh nonce for each request (Appendix F.1, §7)', async () => {
    await using taken = await taking(service)
    const proofs = requestsTo(taken.issuer, '/credential').map(({ text }) => decodeJwt(JSON.parse(text).proofs.jwt[0]))
    expect(proofs).toHaveLength(2)
    expect(proofs.map(({ aud }) => aud)).toEqual([taken.issuer.url, taken.issuer.url])
    expect(new Set(proofs.map(({ nonce }) => nonce)).size).toBe(2)
    // An anonymous client has no identifier to name.
    expect(proofs.map(({ iss }) => iss)).toEqual([undefined, undefined])
    expect(taken.issuer.seen.find(({ path }) => path === '/token')?.text).not.toContain('client_id')
  })

  it('names the installation, not the holder, if the server accepts no anonymous clients (§12.3)', async () => {
    await using taken = await taking(service, { anonymous: false })
    expect(taken.answer.status).toBe(200)
    const form = new URLSearchParams(requestsTo(taken.issuer, '/token')[0]?.text)
    expect(form.get('client_id')).toBe(service.url)
    expect(decodeJwt(lastProofs(taken.issuer)[0] ?? '').iss).toBe(service.url)
  })

  it('notifies the issuer that it accepted each credential (§11)', async () => {
    await using taken = await taking(service)
    expect([...taken.issuer.notifications]).toEqual([
      `${DIPLOMA_JWT} credential_accepted`,
      `${DIPLOMA_SD_JWT} credential_accepted`,
    ])
  })

  it('asks again with another nonce if the first nonce has expired (§8.3.1.2 invalid_nonce)', async () => {
    await using taken = await taking(service, { staleNonces: 1 })
    expect(taken.answer.json.credentials).toHaveLength(2)
    expect(requestsTo(taken.issuer, '/credential')).toHaveLength(3)
  })

  it('uses the credential identifiers of the token response (§6.2, §8.2)', async () => {
    await using taken = await taking(service, { identifiers: true })
    expect(taken.answer.json.credentials).toHaveLength(2)
    const asked = requestsTo(taken.issuer, '/credential').map(({ text }) => JSON.parse(text))
    expect(asked.map(({ credential_identifier: id }) => id)).toEqual(['Diploma/first', 'Diploma-sd-jwt/first'])
    expect(asked.every((body) => !('credential_configuration_id' in body))).toBe(true)
  })
})

describe('transaction code (OpenID4VCI 1.0 §6)', () => {
  it('is sent if the offer asks for one', async () => {
    await using taken = await taking(service, { txCode: '493536' }, { txCode: '493536' })
    expect(taken.answer.status).toBe(200)
    expect(new URLSearchParams(requestsTo(taken.issuer, '/token')[0]?.text).get('tx_code')).toBe('493536')
  })

  it('is not sent if the offer asks for none (§6.3)', async () => {
    await using taken = await taking(service, {}, { txCode: '493536' })
    expect(taken.answer.status).toBe(200)
    expect(requestsTo(taken.issuer, '/token')[0]?.text).not.toContain('493536')
  })

  it('a wrong PIN is a 500 with the reason, and nothing is stored', async () => {
    await using taken = await taking(service, { txCode: '493536' }, { txCode: '000000' })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe(
      "The authorization server refused the request: invalid_grant: Invalid 'tx_code' provided",
    )
    expect((await taken.wallet.get('/credentials')).json).toEqual([])
  })

  it('a missing code is a 400, before the code of the offer is used', async () => {
    await using taken = await taking(service, { txCode: '493536' })
    expect(taken.answer.status).toBe(400)
    expect(taken.answer.json.message).toEqual(['txCode must be defined: the offer asks for a transaction code'])
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })
})

describe('an offer that cannot be taken', () => {
  it('a consumed offer is a 500 with the reason', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    const offer = await issuer.offer()
    expect((await wallet.process(offer)).status).toBe(200)
    const again = await wallet.process(offer)
    expect(again.status).toBe(500)
    expect(again.json).toMatchObject({
      statusCode: 500,
      message: 'The authorization server refused the request: invalid_grant: The code is used or unknown.',
      path: `/holders/${wallet.id}/process`,
    })
    expect(again.json.error).toBeUndefined()
  })

  it('an issuer that supports no DID of the holder is refused before a code is used', async () => {
    await using taken = await taking(service, { bindingMethods: ['did:ebsi'] })
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toBe("The issuer binds the credential to none of the holder's DIDs.")
  })

  it('in production the reason is not shown', async () => {
    await using production = await startService({ env: { ...LOOPBACK, NODE_ENV: 'production' } })
    await using issuer = await startRemoteIssuer({ txCode: '1' })
    const wallet = await newWallet(production)
    const answer = await wallet.process(await issuer.offer(), { txCode: '2' })
    expect([answer.status, answer.json.message]).toEqual([500, 'Internal server error'])
  })

  it('a holder without a DID is a 400, and the issuer is not called', async () => {
    await using issuer = await startRemoteIssuer()
    const wallet = await newWallet(service)
    expect((await wallet.request('DELETE', `/dids/${encodeURIComponent(wallet.did)}`)).status).toBe(204)
    const answer = await wallet.process(await issuer.offerByReference())
    expect(answer.status).toBe(400)
    expect(answer.json.message).toBe('Holder has no DIDs created. Cannot accept credential offer.')
    expect(issuer.seen).toEqual([])
  })

  it.each([...NEITHER, ['openid4vci'], ['javascript://openid4vp://'], ['ftp://issuer.example/offer']])(
    '%s is neither an offer nor a request: 400',
    async (uri) => {
      const answer = await (await newWallet(service)).process(uri)
      expect(answer.status).toBe(400)
      expect(answer.json.message).toBe(UNKNOWN)
    },
  )

  it.each(BROKEN)('%s breaks a rule: 400 that names the rule', async (uri, rule) => {
    const answer = await (await newWallet(service)).process(uri)
    expect([answer.status, answer.json.message]).toEqual([400, [rule]])
  })

  it.each(BROKEN_OFFERS)('%j in an offer, by value, by reference and served: %s (§4.1.1)', async (members, rule) => {
    const wallet = await newWallet(service)
    const offer = { credential_issuer: 'https://issuer.example', credential_configuration_ids: ['A'], ...members }
    await using server = await startRemoteServer(() => ({ '/offer': () => ({ body: offer }) }))
    const value = encodeURIComponent(JSON.stringify(offer))
    for (const uri of [
      `openid-credential-offer://?credential_offer=${value}`,
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${server.url}/offer`)}`,
      `${server.url}/offer`,
    ]) {
      const answer = await wallet.process(uri)
      expect([answer.status, answer.json.message]).toEqual([400, [rule]])
    }
  })

  it('unknown members of an offer are ignored (§4.1.1)', async () => {
    await using issuer = await startRemoteIssuer()
    const uri = new URL(await issuer.offer())
    const offer = JSON.parse(uri.searchParams.get('credential_offer') ?? '{}')
    const more = { ...offer, color: 7, grants: { ...offer.grants, 'urn:other': 'x' } }
    const value = encodeURIComponent(JSON.stringify(more))
    const taken = await (await newWallet(service)).process(`openid-credential-offer://?credential_offer=${value}`)
    expect(taken.status, taken.text).toBe(200)
  })

  it('an optional member of an offer that is null counts as absent', async () => {
    await using issuer = await startRemoteIssuer()
    const uri = new URL(await issuer.offer())
    const offer = JSON.parse(uri.searchParams.get('credential_offer') ?? '{}')
    const [[grant = '', code] = []] = Object.entries<object>(offer.grants)
    const nulls = { tx_code: null, authorization_server: null }
    const more = { ...offer, grants: { [grant]: { ...code, ...nulls }, authorization_code: null } }
    const value = encodeURIComponent(JSON.stringify(more))
    const taken = await (await newWallet(service)).process(`openid-credential-offer://?credential_offer=${value}`)
    expect(taken.status, taken.text).toBe(200)
    await using another = await startRemoteIssuer()
    const other = JSON.parse(new URL(await another.offer()).searchParams.get('credential_offer') ?? '{}')
    await using served = await startRemoteServer(() => ({
      '/offer': () => ({ body: { ...other, grants: { ...other.grants, authorization_code: null } } }),
    }))
    const reference = `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${served.url}/offer`)}`
    expect((await (await newWallet(service)).process(reference)).status).toBe(200)
  })

  it.each([
    [
      'openid-credential-offer://?credential_offer=%7B%7D&credential_offer_uri=https%3A%2F%2Fa.example',
      'The offer must have exactly one of credential_offer and credential_offer_uri.',
    ],
    [
      'openid-credential-offer://?credential_offer=%7B%7D&credential_offer=%7B%7D',
      'The parameter credential_offer is given more than once.',
    ],
  ])('%s is malformed: 400', async (uri, message) => {
    const answer = await (await newWallet(service)).process(uri)
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('a body without uri, and a body with an unknown property, are a 400', async () => {
    const wallet = await newWallet(service)
    expect((await wallet.request('POST', '/process', {})).json.message).toEqual(['uri must be defined'])
    expect((await wallet.process('openid4vp://', { pin: '1' })).json.message).toEqual(['property pin should not exist'])
  })
})
