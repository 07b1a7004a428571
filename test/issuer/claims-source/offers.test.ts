import { createServer as createTlsServer } from 'node:https'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CERTIFICATE, PRIVATE_KEY } from '../../outbound/wallet-example-certificate.js'
import { closeServer, listenLocally } from '../../support/local-server.js'
import { newWallet as newHostedWallet } from '../../support/wallet.js'
import { credentialOf, refusalOf, startIssuer } from '../openid4vci/actors.js'
import {
  ANOTHER_KEY,
  CLAIMS,
  type ClaimsWorld,
  CONFIGURATION,
  disclosedIn,
  KEY,
  REFERENCE,
  SCHEMA,
  startClaimsWorld,
  TYPE,
  UNAVAILABLE,
} from './actors.js'
import { claims, json, SECRET } from './source.js'

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('an offer with claims at issuance', () => {
  it('has no claims; the source is asked with a signed request when the wallet comes', async () => {
    world.source.answers(claims(CLAIMS))
    const offerId = await world.made({ label: 'Ada Lovelace', page: true })
    const fetched = await world.issuer.service.request('GET', `/openid4vci/offers/${offerId}`)
    expect(fetched.text).not.toMatch(/Physics|Membership-1|Lovelace/)
    expect(world.source.asked).toEqual([])
    const { access_token: token } = await world.tokensFor(offerId)
    const answer = await world.issuer.take(token, CONFIGURATION)
    expect(disclosedIn(credentialOf(answer))).toEqual(CLAIMS)
    const [asked] = world.source.asked
    expect(asked?.json).toEqual({
      type: 'credential.claims_requested',
      timestamp: expect.any(String),
      data: {
        reference: REFERENCE,
        label: 'Ada Lovelace',
        credentialConfigurationIds: [CONFIGURATION],
        credentialOfferSessionId: offerId,
        schema: { id: world.schemaId, name: TYPE, version: 1 },
      },
    })
    expect(asked?.headers['webhook-id']).toMatch(/^msg_/)
    expect((await world.issuer.session(offerId)).state).toBe('CredentialIssued')
    expect(await world.onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
    const [stored] = await world.rows(
      'SELECT credential_subject::text AS subject FROM offerings WHERE id = $1',
      offerId,
    )
    expect(stored?.subject).not.toContain('Physics')
    expect(world.lines.join('')).not.toContain('Physics')
  })

  it('shows no claims on its share page', async () => {
    world.source.answers(claims(CLAIMS))
    const { json: paged } = await world.offer({ page: true })
    const { access_token: token } = await world.tokensFor(paged.credentialOfferSessionId)
    const shown = async () => (await fetch(paged.pageUrl, { headers: { accept: 'text/html' } })).text()
    const before = await shown()
    credentialOf(await world.issuer.take(token, CONFIGURATION))
    for (const page of [before, await shown()]) {
      expect(page).toContain('<h1')
      expect(page).not.toMatch(/Physics|Membership-1/)
    }
  })

  it('is made in a batch too', async () => {
    const row = { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance' }
    const batch = await world.issuer.service.request('POST', '/api/v1/credential-offers/batch', {
      authorization: await world.issuer.authorization(),
      body: { rows: [{ ...row, key: 'a', reference: 'M-8' }] },
    })
    expect(batch.status, batch.text).toBe(200)
    world.source.answers(claims(CLAIMS))
    const { access_token: token } = await world.tokensFor(batch.json.offers[0].credentialOfferSessionId)
    credentialOf(await world.issuer.take(token, CONFIGURATION))
    expect(world.source.asked[0]?.json.data.reference).toBe('M-8')
  })

  it('can be taken by a hosted wallet', async () => {
    world.source.answers(claims(CLAIMS))
    const wallet = await newHostedWallet(world.issuer.service, 'holder')
    const taken = await wallet.process((await world.offer()).json.credentialOfferUri)
    expect(taken.status, taken.text).toBe(200)
    expect(taken.json.credentials).toHaveLength(1)
  })

  it('asks for each configuration; a further copy cannot wait, and gets 503', async () => {
    world.source.answers(claims(CLAIMS))
    const offerId = await world.made({ credentialConfigurationIds: [CONFIGURATION, TYPE] })
    const { access_token: token } = await world.tokensFor(offerId)
    credentialOf(await world.issuer.take(token, CONFIGURATION))
    world.source.answers((_, response) => json(response, 202, {}))
    expect(refusalOf(await world.issuer.take(token, TYPE))).toEqual(UNAVAILABLE)
    world.source.answers(claims(CLAIMS))
    credentialOf(await world.issuer.take(token, TYPE))
    expect(await world.onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
  })

  it('keeps one connection to the source', async () => {
    world.source.answers(claims(CLAIMS))
    await world.taken()
    const before = world.source.connections()
    for (let times = 0; times < 3; times += 1) credentialOf((await world.taken()).answer)
    expect(world.source.connections()).toBe(before)
  })

  it('comes from a source that knows the service by its client certificate (RFC 8705 §2)', async () => {
    const server = createTlsServer(
      { cert: CERTIFICATE, key: PRIVATE_KEY, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        request.resume()
        json(response, 200, { credentialSubject: CLAIMS })
      },
    )
    const { port } = new URL(await listenLocally(server))
    const other = await startIssuer({
      env: { KEY_ENCRYPTION_KEY: KEY },
      maintenance: false,
      outbound: {
        ca: CERTIFICATE,
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
        isPublicAddress: (address) => address === '127.0.0.1',
      },
    })
    try {
      const url = `https://wallet.example:${port}/claims`
      const authorization = await other.authorization()
      const auth = { mTLS: { certificate: CERTIFICATE, key: PRIVATE_KEY } }
      const posted = await other.service.request('POST', '/schemas', {
        authorization,
        body: { name: TYPE, version: 1, schema: SCHEMA, claimsSource: { url, auth } },
      })
      expect(posted.json.claimsSource?.auth, posted.text).toEqual({ mTLS: true })
      expect(posted.text).not.toContain('PRIVATE KEY')
      const offered = {
        credentialConfigurationIds: [CONFIGURATION],
        credentialSubject: undefined,
        reference: REFERENCE,
      }
      const { credentialOfferSessionId: id } = await other.makeOffer({ ...offered, claims: 'atIssuance' })
      expect(disclosedIn(credentialOf(await other.take(await other.token(id), CONFIGURATION)))).toEqual(CLAIMS)
      // A new certificate must fit its key too.
      const replaced = await other.service.request('POST', `/api/v1/schemas/${posted.json.id}/claims-source/secret`, {
        authorization,
        body: { auth: { mTLS: { certificate: CERTIFICATE, key: ANOTHER_KEY } } },
      })
      expect([replaced.status, replaced.json.message]).toEqual([
        400,
        ['auth.mTLS.key must be the key of the certificate'],
      ])
    } finally {
      await other.service.close()
      await closeServer(server)
    }
  })

  it.each([
    ['with claims', { credentialSubject: CLAIMS }, 'credentialSubject must not be given with claims atIssuance'],
    ['deferred', { deferred: true }, 'deferred must not be given with claims atIssuance'],
    ['about nobody', { reference: undefined }, 'claims atIssuance needs reference or forSubject'],
    [
      'of a type without a source',
      { credentialConfigurationIds: ['ProofOfPurchase'] },
      'claims must not be atIssuance: ProofOfPurchase has no claimsSource',
    ],
    ['nor claims', { claims: undefined }, 'credentialSubject must be given, or claims must be atIssuance'],
  ])('cannot be %s', async (_, members, message) => {
    const { status, json: body } = await world.offer(members)
    expect([status, body.message]).toEqual([400, [message]])
  })

  it('attack: another issuer cannot have the source asked about a person', async () => {
    world.source.answers(claims(CLAIMS))
    const mallory = await world.issuer.service.bearer('mallory')
    const body = { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance', reference: REFERENCE }
    const attempts = [
      await world.issuer.service.request('POST', '/credential-offers', { authorization: mallory, body }),
      await world.issuer.service.request('POST', `/api/v1/schemas/${world.schemaId}/claims-source/test`, {
        authorization: mallory,
        body: { reference: REFERENCE },
      }),
      await world.issuer.service.request('POST', `/api/v1/schemas/${world.schemaId}/claims-source/secret`, {
        authorization: mallory,
        body: { auth: { hmac: SECRET } },
      }),
    ]
    for (const { status, json: answer } of attempts)
      expect([status, answer.message]).toEqual([403, 'Schema belongs to another caller.'])
    expect(world.source.asked).toEqual([])
  })
})
