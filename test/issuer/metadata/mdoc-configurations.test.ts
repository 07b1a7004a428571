import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { certificateFor, pemOf } from '../../agent/authority.js'
import { HTTPS, intermediate } from '../../agent/certified.js'
import { newWallet } from '../../support/wallet-actor.js'
import { newIssuer } from '../issuer-record.js'
import { credentialOf, type Issuer, refusalOf, startIssuer } from '../openid4vci/actors.js'
import { newPkce, REDIRECT_URI } from '../openid4vci/browser.js'
import {
  ALL,
  CLAIMS,
  LICENCE,
  leaf,
  licenceSchema,
  MDOC,
  offerOf,
  postSchema,
  startMdocIssuer,
} from '../openid4vci/mdoc-actors.js'

let issuer: Issuer
let close: () => Promise<void>
beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer())
})
afterAll(() => close())

const admin = () => issuer.service.bearer('issuer', { roles: ['admin'] })

/** A type with mobile documents, assigned to some issuers. */
async function assigned(
  name: string,
  ...issuers: readonly string[]
): Promise<(method: 'POST' | 'DELETE', issuer: string) => Promise<void>> {
  const { json: schema } = await postSchema(issuer, licenceSchema({ name }))
  const change = async (method: 'POST' | 'DELETE', issuerId: string) => {
    const path = `/schemas/${schema.id}/issuers/${issuerId}`
    const answer = await issuer.service.request(method, path, { authorization: await admin() })
    expect([200, 204], answer.text).toContain(answer.status)
  }
  for (const each of issuers) await change('POST', each)
  return change
}

/** Makes an issuer record without a certificate. */
const uncertified = async () => (await newIssuer(issuer.service, 'issuer')).id

/** Gives an issuer record a certificate by the API. @returns the certificate */
async function certify({ service }: Issuer, id: string) {
  const authorization = await service.bearer('issuer', { roles: ['admin'] })
  const path = `/agent/issuer/${id}/certificate`
  const { json } = await service.request('GET', `${path}-request`, { authorization })
  const own = certificateFor(json.certificateRequest, {
    subject: 'C=DE/Own',
    keyUsage: 0x80,
    uri: [service.config.issuerBaseUrl],
    notAfter: '2099-12-31T00:00:00Z',
  })
  const stored = await service.request('POST', path, { authorization, body: { chain: pemOf(own, intermediate) } })
  expect(stored.status, stored.text).toBe(200)
  return own
}

const defaultIssuer = async () => (await issuer.service.platform.stores.agents.defaultIssuer())?.id ?? ''

/**
 * Returns the configurations of a type that the issuer's metadata list. Checks that the server's metadata list their
 * scopes, and that signed metadata have the same content.
 */
async function listed(name: string, at = issuer): Promise<string[]> {
  const [metadata, server] = await Promise.all(
    ['openid-credential-issuer', 'oauth-authorization-server'].map((path) =>
      at.service.request('GET', `/.well-known/${path}`),
    ),
  )
  const ofType = (ids: readonly string[]) => ids.filter((id) => id.split('-')[0] === name)
  const configurations = ofType(Object.keys(metadata?.json.credential_configurations_supported))
  expect(ofType(server?.json.scopes_supported)).toEqual(configurations)
  return configurations
}

const offer = async (name: string, ...ids: readonly string[]) =>
  issuer.service.request('POST', '/credential-offers', {
    authorization: await issuer.authorization(),
    body: { credentialConfigurationIds: ids.map((suffix) => `${name}${suffix}`), credentialSubject: CLAIMS },
  })

describe('metadata list mobile documents if the signing issuer has a certificate for its key (OpenID4VCI 1.0 §12.2.4)', () => {
  it('not of a type that is assigned only to an issuer without a certificate; an offer that names them is a 400', async () => {
    const name = 'OfAnother'
    await assigned(name, await uncertified())
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`])
    const refused = await offer(name, '', '-mdoc')
    expect([refused.status, refused.json.message]).toEqual([
      400,
      [
        `credentialConfigurationIds names ${name}-mdoc, which needs an issuer with a certificate (for the default issuer: ISSUER_X509)`,
      ],
    ])
    expect((await offer(name, '', '-sd-jwt')).status).toBe(201)
  })

  it('of a type that is assigned to the default issuer among others, and an offer names them', async () => {
    const name = 'OfBoth'
    await assigned(name, await uncertified(), await defaultIssuer())
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`, `${name}-mdoc`])
    expect((await offer(name, '-mdoc')).status).toBe(201)
  })

  it('of a type that is assigned to an issuer record after the record has a certificate; this record signs them', async () => {
    const name = 'OfRecord'
    const id = await uncertified()
    await assigned(name, id)
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`])
    const own = await certify(issuer, id)
    expect(await listed(name)).toEqual([name, `${name}-sd-jwt`, `${name}-mdoc`])
    const made = (await offer(name, '-mdoc')).json
    const taken = credentialOf(await issuer.take(await issuer.token(made.credentialOfferSessionId), `${name}-mdoc`))
    expect(readMdoc(taken).x5c?.[0]).toBe(own.x5c)
  })

  it('an assignment and its end are in the next metadata', async () => {
    const name = 'Moved'
    const other = await uncertified()
    const change = await assigned(name)
    const all = [name, `${name}-sd-jwt`, `${name}-mdoc`]
    expect(await listed(name)).toEqual(all)
    await change('POST', other)
    expect(await listed(name)).toEqual(all.slice(0, 2))
    await change('DELETE', other)
    expect(await listed(name)).toEqual(all)
  })

  it('an offer that was made before its type was assigned elsewhere is still signed by the issuer that made it', async () => {
    const name = 'OfferedBefore'
    const change = await assigned(name)
    const made = (await offer(name, '-sd-jwt', '-mdoc')).json
    await change('POST', await uncertified())
    const taken = await issuer.take(await issuer.token(made.credentialOfferSessionId), `${name}-mdoc`)
    expect(taken.status, taken.text).toBe(200)
    expect(readMdoc(credentialOf(taken)).x5c).toEqual([leaf.x5c])
  })

  it('a wallet whose token is for another configuration gets the error for an unknown configuration (§8.3.1.2)', async () => {
    const name = 'NotByToken'
    await assigned(name, await uncertified())
    const made = (await offer(name, '-sd-jwt')).json
    const token = await issuer.token(made.credentialOfferSessionId)
    expect(refusalOf(await issuer.take(token, `${name}-mdoc`)).slice(0, 2)).toEqual([
      400,
      'unknown_credential_configuration',
    ])
  })

  it('a wallet that asks only by scope is refused like for an unknown credential', async () => {
    const name = 'NotByScope'
    await assigned(name, await uncertified())
    const push = (suffix: string) =>
      issuer.service.request('POST', '/openid4vci/par', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: 'wallet',
          response_type: 'code',
          redirect_uri: REDIRECT_URI,
          code_challenge: newPkce().challenge,
          code_challenge_method: 'S256',
          scope: `${name}${suffix}`,
        }).toString(),
      })
    const [mdoc, sdJwt] = [await push('-mdoc'), await push('-sd-jwt')]
    expect([refusalOf(mdoc).slice(0, 2), sdJwt.status]).toEqual([[400, 'invalid_scope'], 201])
  })
})

describe('without ISSUER_X509, an issuer record with its own certificate', () => {
  let plain: Issuer
  let id: string
  let own: Awaited<ReturnType<typeof certify>>
  beforeAll(async () => {
    plain = await startIssuer({ env: HTTPS })
    expect((await postSchema(plain, licenceSchema())).status).toBe(201)
    id = (await newIssuer(plain.service, 'issuer')).id
    expect(await listed(LICENCE, plain)).toEqual(ALL.slice(0, 2))
    own = await certify(plain, id)
  })
  afterAll(() => plain.service.close())

  it('adds mobile documents with its algorithm to the metadata', async () => {
    expect(await listed(LICENCE, plain)).toEqual(ALL)
    const { json } = await plain.service.request('GET', '/.well-known/openid-credential-issuer')
    expect(json.credential_configurations_supported[MDOC].credential_signing_alg_values_supported).toEqual([-7, -9])
  })

  it('adds the algorithm of a further record to the metadata after the record has a certificate', async () => {
    const algorithms = async () =>
      (await plain.service.request('GET', '/.well-known/openid-credential-issuer')).json
        .credential_configurations_supported[MDOC].credential_signing_alg_values_supported
    const further = await newIssuer(plain.service, 'issuer', { alg: 'EdDSA' })
    expect(await algorithms()).not.toContain(-8)
    await certify(plain, further.id)
    expect(await algorithms()).toContain(-8)
  })

  it('offers all formats to wallets, which take all of them', async () => {
    const { credentialOfferSessionId, credentialOffer } = await offerOf(plain, { issuerId: id })
    expect(credentialOffer.credential_configuration_ids).toEqual(ALL)
    const token = await plain.token(credentialOfferSessionId)
    for (const configuration of ALL) {
      const credential = credentialOf(await plain.take(token, configuration))
      if (configuration === MDOC) expect(readMdoc(credential).x5c?.[0]).toBe(own.x5c)
    }
  })

  it('shows the same formats in the offer that a wallet fetches, and in an offering', async () => {
    const { credentialOfferUri } = await offerOf(plain, { issuerId: id })
    const { pathname } = new URL(new URL(credentialOfferUri).searchParams.get('credential_offer_uri') ?? '')
    const fetched = await plain.service.request('GET', pathname)
    expect(fetched.json.credential_configuration_ids).toEqual(ALL)
    const made = await plain.makeOffering({ credential_type: LICENCE, credential_subject: CLAIMS, issuerId: id })
    expect(made.credential_configuration_ids).toEqual(ALL)
    const read = await plain.service.request('GET', `/api/v1/offerings/${made.id}`, { client: true })
    expect(read.json.credential_configuration_ids).toEqual(ALL)
  })

  it('signs a mobile document for a caller; the default issuer still signs and offers none', async () => {
    const authorization = await plain.authorization()
    const { did } = await newWallet()
    const sign = (members: object) =>
      plain.service.request('POST', '/credentials/sign', {
        authorization,
        body: { type: LICENCE, credential_subject: CLAIMS, format: 'mso_mdoc', holder: did, ...members },
      })
    const signed = await sign({ issuerId: id })
    expect(signed.status, signed.text).toBe(201)
    expect(readMdoc(signed.json.credential).x5c?.[0]).toBe(own.x5c)
    const offered = await plain.service.request('POST', '/credential-offers', {
      authorization,
      body: { credentialConfigurationIds: ALL, credentialSubject: CLAIMS },
    })
    expect([(await sign({})).status, offered.status]).toEqual([400, 400])
    const made = await plain.makeOffering({ credential_type: LICENCE, credential_subject: CLAIMS })
    const read = await plain.service.request('GET', `/api/v1/offerings/${made.id}`, { client: true })
    for (const ids of [made, read.json]) expect(ids.credential_configuration_ids).toEqual(ALL.slice(0, 2))
  })
})
