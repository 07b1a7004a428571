import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let service: TestService

beforeAll(async () => {
  service = await startService()
  const schema = { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] }
  await service.request('POST', '/schemas', {
    authorization: await service.bearer('issuer'),
    body: { name: 'ProofOfPurchase', version: 1, schema },
  })
})
afterAll(() => service.close())

const form = (values: Record<string, string>) => ({
  body: new URLSearchParams(values).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

describe('OpenID4VCI 1.0: the pre-authorized code flow', () => {
  it('takes both formats under one token, one redemption in all', async () => {
    const authorization = await service.bearer('issuer')
    const made = await service.request('POST', '/credential-offers', {
      authorization,
      body: {
        credentialConfigurationIds: ['ProofOfPurchase', 'ProofOfPurchase-sd-jwt'],
        credentialSubject: { product: 'Espresso machine' },
        txCode: true,
      },
    })
    expect(made.status, made.text).toBe(201)
    const { credentialOfferSessionId: id, txCode } = made.json
    const offer = await service.request('GET', `/openid4vci/offers/${id}`)
    expect(offer.status, offer.text).toBe(200)
    const code = offer.json.grants[PRE_AUTHORIZED]['pre-authorized_code']
    const token = await service.request(
      'POST',
      '/openid4vci/token',
      form({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, tx_code: txCode }),
    )
    expect(token.status, token.text).toBe(200)
    expect(token.json.token_type).toBe('Bearer')
    const wallet = await newWallet()
    for (const configuration of ['ProofOfPurchase', 'ProofOfPurchase-sd-jwt']) {
      const nonce = await service.request('POST', '/openid4vci/nonce')
      const proof = await wallet.proof(service.url, nonce.json.c_nonce)
      const issued = await service.request('POST', '/openid4vci/credential', {
        authorization: `Bearer ${token.json.access_token}`,
        body: { credential_configuration_id: configuration, proofs: { jwt: [proof] } },
      })
      expect(issued.status, issued.text).toBe(200)
      const { credential } = issued.json.credentials[0]
      const verified = await service.request('POST', '/credentials/verify', { authorization, body: { credential } })
      expect(verified.json.isValid, verified.text).toBe(true)
    }
    const session = await service.request('GET', `/credential-offer-sessions/${id}`, { authorization })
    expect(session.json.state).toBe('CredentialIssued')
  })
})
