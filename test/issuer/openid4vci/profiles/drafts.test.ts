import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startService } from '../../../support/service.js'
import { newWallet, type WalletActor } from '../../../support/wallet-actor.js'
import { type Issuer, JWT_VC, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from '../actors.js'

const FORMER = `${SD_JWT}-legacy`
const NONCE = { c_nonce: expect.stringMatching(/^[\w-]{40,}$/), c_nonce_expires_in: 300 }

let issuer: Issuer
let closed: Issuer
let wallet: WalletActor

beforeAll(async () => {
  // The metadata of both services are compared without the encryption keys, which differ.
  const env = { CREDENTIAL_ENCRYPTION: 'off' }
  issuer = await startIssuer({ env: { ...env, ISSUER_LEGACY_PROFILES: 'draft15, draft13 draft11' } })
  closed = await startIssuer({ env })
  wallet = await newWallet()
})
afterAll(() => Promise.all([issuer.service.close(), closed.service.close()]))

const metadataOf = async ({ service }: Issuer) =>
  (await service.request('GET', '/.well-known/openid-credential-issuer')).json

const proofWith = async (nonce: string) => ({ proof_type: 'jwt', jwt: await wallet.proof(issuer.service.url, nonce) })
const freshProof = async () => proofWith(await issuer.nonce())

/** Gets the token response for an offer of a profile. */
async function tokenOf(profile: string, members: Readonly<Record<string, unknown>> = {}): Promise<Answer['json']> {
  const made = await issuer.makeOffer({ profile, ...members })
  return tokenFor(made.credentialOfferSessionId)
}

async function tokenFor(id: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answer['json']> {
  const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(id), ...parameters }
  const answer = await issuer.requestToken(form)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const vct = () => `${issuer.service.url}/vct/${JWT_VC}`
const asked = {
  vct: () => ({ format: 'vc+sd-jwt', vct: vct() }),
  definition: () => ({ format: 'jwt_vc_json', credential_definition: { type: [JWT_VC, 'VerifiableCredential'] } }),
  types: () => ({ format: 'jwt_vc_json', types: ['VerifiableCredential', JWT_VC] }),
}

describe('ISSUER_LEGACY_PROFILES', () => {
  const offerOf = async ({ service, authorization }: Issuer, members: Readonly<Record<string, unknown>>) =>
    service.request('POST', '/credential-offers', {
      authorization: await authorization(),
      body: { credentialConfigurationIds: [JWT_VC], credentialSubject: { product: 'x' }, ...members },
    })

  it.each(['draft15', 'draft13', 'draft11'])(
    'opens %s, which offers cannot have without this variable',
    async (profile) => {
      const refused = await offerOf(closed, { profile })
      const message = `profile ${profile} is not open here: ISSUER_LEGACY_PROFILES does not list it`
      expect([refused.status, refused.json.message]).toEqual([400, [message]])
      expect((await offerOf(issuer, { profile })).status).toBe(201)
    },
  )

  it('knows no other profile', async () => {
    for (const profile of ['draft14', 'constructor', '__proto__', '', null])
      expect((await offerOf(issuer, { profile })).status).toBe(400)
  })

  it('opens configurations with the former name, for offers of drafts only', async () => {
    const credentialConfigurationIds = [FORMER]
    const message = `credentialConfigurationIds names ${FORMER}, which is not a credential configuration`
    for (const refused of [
      await offerOf(closed, { credentialConfigurationIds }),
      await offerOf(issuer, { credentialConfigurationIds }),
      await offerOf(issuer, { credentialConfigurationIds, profile: 'final' }),
    ])
      expect([refused.status, refused.json.message]).toEqual([400, [message]])
    expect((await offerOf(issuer, { credentialConfigurationIds, profile: 'draft13' })).status).toBe(201)
  })

  it('adds no member of a draft to the metadata if it is not set', async () => {
    const metadata = await metadataOf(closed)
    expect(Object.keys(metadata.credential_configurations_supported)).toEqual([JWT_VC, SD_JWT])
    const { credential_definition: definition, claims } = metadata.credential_configurations_supported[JWT_VC]
    expect([definition, claims]).toEqual([{ type: ['VerifiableCredential', JWT_VC] }, undefined])
    expect(metadata).not.toHaveProperty('credentials_supported')
    expect(metadata).not.toHaveProperty('authorization_server')
  })

  it('opens no former name for draft 15, which has the name of 1.0', async () => {
    const only15 = await startIssuer({ env: { ISSUER_LEGACY_PROFILES: 'draft15' } })
    const metadata = await metadataOf(only15)
    expect(Object.keys(metadata.credential_configurations_supported)).toEqual([JWT_VC, SD_JWT])
    expect(metadata).not.toHaveProperty('credentials_supported')
    await only15.service.close()
  })

  it('has the scope of each configuration in the metadata of the authorization server', async () => {
    const scopesOf = async ({ service }: Issuer) =>
      (await service.request('GET', '/.well-known/oauth-authorization-server')).json.scopes_supported
    expect(await scopesOf(issuer)).toEqual([JWT_VC, SD_JWT, FORMER])
    expect(await scopesOf(closed)).toEqual([JWT_VC, SD_JWT])
  })

  it('does not change the members of 1.0', async () => {
    const [open, plain] = [await metadataOf(issuer), await metadataOf(closed)]
    // An issuer without a name is called by its host.
    const hostOf = ({ service }: typeof issuer) => new URL(service.url).host
    const text = JSON.stringify(plain).replaceAll(hostOf(closed), hostOf(issuer))
    expect(open).toMatchObject(JSON.parse(text))
    expect(JSON.stringify(open)).not.toMatch(/null|\[\]|\{\}/)
  })

  it('does not change an offer that was made while its draft was allowed', async () => {
    const made = await issuer.makeOffer({ profile: 'draft13', credentialConfigurationIds: [JWT_VC, FORMER] })
    const { databaseUrl, identityProvider } = issuer.service
    const later = await startService({ databaseUrl, identityProvider })
    const offer = await later.request('GET', `/openid4vci/offers/${made.credentialOfferSessionId}`)
    expect(offer.json.credential_configuration_ids).toEqual([JWT_VC, FORMER])
    const code = offer.json.grants[PRE_AUTHORIZED]['pre-authorized_code']
    const token = await later.request('POST', '/openid4vci/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }).toString(),
    })
    expect(token.json).toMatchObject(NONCE)
    const jwt = await wallet.proof(later.url, token.json.c_nonce)
    const taken = await later.request('POST', '/openid4vci/credential', {
      authorization: `Bearer ${token.json.access_token}`,
      body: { format: 'vc+sd-jwt', vct: `${later.url}/vct/${JWT_VC}`, proof: { proof_type: 'jwt', jwt } },
    })
    expect(taken.json).toMatchObject({ credential: expect.stringMatching(/~$/), ...NONCE })
    await later.close()
  })

  it('gives an offering of the interface no configuration of a draft', async () => {
    const offering = await issuer.makeOffering()
    expect(offering.credential_configuration_ids).toEqual([JWT_VC, SD_JWT])
    const offer = await issuer.service.request('GET', `/openid4vci/offers/${offering.id}`)
    expect(offer.json.credential_configuration_ids).toEqual([JWT_VC, SD_JWT])
  })
})

describe('an offer of final at an installation with drafts', () => {
  it('refuses a request by format like 1.0', async () => {
    const { access_token: token } = await tokenOf('final')
    for (const type of [asked.definition(), asked.types(), asked.vct()]) {
      const answer = await issuer.requestCredential(token, { ...type, proof: await freshProof() })
      expect(refusalOf(answer)).toEqual([
        400,
        'invalid_credential_request',
        'Request body needs exactly one of credential_identifier and credential_configuration_id',
      ])
    }
  })

  it('has no c_nonce in any answer', async () => {
    const { access_token: token, ...rest } = await tokenOf('final')
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 300 })
    const request = { credential_configuration_id: JWT_VC, proof: await proofWith('wrong') }
    const refused = await issuer.requestCredential(token, request)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_nonce'])
    expect(Object.keys(refused.json)).toEqual(['error', 'error_description'])
    const taken = await issuer.requestCredential(token, { ...request, proof: await freshProof() })
    expect(Object.keys(taken.json)).toEqual(['credential', 'credentials', 'notification_id'])
  })

  it('ignores user_pin', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const code = await issuer.code(made.credentialOfferSessionId)
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, user_pin: made.txCode }
    expect(refusalOf(await issuer.requestToken(form))).toEqual([400, 'invalid_request', 'tx_code is missing.'])
  })

  it('gives no credential under a former name, although metadata list the name', async () => {
    const { access_token: token } = await tokenOf('final')
    const request = { credential_configuration_id: FORMER, proof: await freshProof() }
    expect(refusalOf(await issuer.requestCredential(token, request)).slice(0, 2)).toEqual([403, 'insufficient_scope'])
    const elsewhere = await closed.token((await closed.makeOffer()).credentialOfferSessionId)
    expect(refusalOf(await closed.requestCredential(elsewhere, request)).slice(0, 2)).toEqual([
      400,
      'unknown_credential_configuration',
    ])
  })
})

describe('draft 15', () => {
  it('has display at the configuration (Appendix B.1), and each claim once in it', async () => {
    const { credential_configurations_supported: configurations } = await metadataOf(issuer)
    for (const id of [JWT_VC, SD_JWT]) {
      const { display, credential_metadata: described } = configurations[id]
      expect(display).toEqual(described.display)
      expect(described.claims).toHaveLength(2)
    }
    // The name of a claim occurs only once in a configuration: in the member that the draft defines.
    for (const configuration of Object.values(configurations))
      expect(JSON.stringify(configuration).split('"name":"Product"')).toHaveLength(2)
  })

  it('answers a single proof with a single credential beside the list, and has no c_nonce', async () => {
    const { access_token: token, ...rest } = await tokenOf('draft15')
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 300 })
    const request = { credential_configuration_id: SD_JWT, proof: await freshProof() }
    const { json } = await issuer.requestCredential(token, request)
    expect(json).toEqual({
      credential: expect.stringMatching(/~$/),
      credentials: [{ credential: json.credential }],
      notification_id: expect.any(String),
    })
  })

  it('calls an unknown configuration an unsupported type (§8.3.1.2)', async () => {
    const { access_token: token } = await tokenOf('draft15')
    for (const name of ['credential_configuration_id', 'credential_identifier']) {
      const answer = await issuer.requestCredential(token, { [name]: 'Unknown', proof: await freshProof() })
      expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'unsupported_credential_type'])
    }
    const answer = await issuer.requestCredential(token, { ...asked.definition(), proof: await freshProof() })
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_credential_request'])
  })
})

describe('draft 13', () => {
  const drafted = { profile: 'draft13', credentialConfigurationIds: [JWT_VC, FORMER] }

  it('has claims as a map, and the former name of the format (Appendix A.1.1.2, A.3.2)', async () => {
    const { credential_configurations_supported: configurations } = await metadataOf(issuer)
    const claims = {
      product: { mandatory: true, display: [{ name: 'Product', locale: 'en' }] },
      price: { mandatory: false },
    }
    expect(configurations[FORMER]).toMatchObject({ format: 'vc+sd-jwt', scope: FORMER, vct: vct(), claims })
    expect(configurations[FORMER]).not.toHaveProperty('credential_metadata')
    expect(configurations[JWT_VC].credential_definition).toEqual({ type: ['VerifiableCredential', JWT_VC] })
  })

  it('has a c_nonce with the token and with each credential, each valid once (§6.2, §7.3)', async () => {
    const { c_nonce: first, ...token } = await tokenOf('draft13', drafted)
    expect({ ...token, c_nonce: first }).toMatchObject(NONCE)
    const take = async (type: object, nonce: string) =>
      issuer.requestCredential(token.access_token, { ...type, proof: await proofWith(nonce) })
    const taken = await take(asked.definition(), first)
    expect(taken.json).toEqual({ credential: expect.any(String), notification_id: expect.any(String), ...NONCE })
    expect(taken.headers.get('cache-control')).toBe('no-store')
    const repeated = await take(asked.vct(), first)
    expect([repeated.status, repeated.json]).toEqual([
      400,
      { error: 'invalid_proof', error_description: expect.any(String), ...NONCE },
    ])
    const second = await take(asked.vct(), repeated.json.c_nonce)
    expect(second.status, second.text).toBe(200)
    expect(decodeProtectedHeader(second.json.credential.split('~')[0]).typ).toBe('vc+sd-jwt')
  })

  it('gives a nonce to a wallet that has sent no proof, or a proof without a nonce (§7.3.2)', async () => {
    const { access_token: token } = await tokenOf('draft13', drafted)
    for (const proof of [undefined, 'x', { proof_type: 'jwt', jwt: 'a.b.c' }]) {
      const { status, json } = await issuer.requestCredential(token, { ...asked.definition(), proof })
      expect([status, json]).toEqual([400, { error: 'invalid_proof', error_description: expect.any(String), ...NONCE }])
    }
    const taken = await issuer.requestCredential(token, { ...asked.definition(), proof: await freshProof() })
    expect(taken.status).toBe(200)
  })

  it('gives a nonce with no other refusal', async () => {
    const { access_token: token } = await tokenOf('draft13', drafted)
    const refused = await issuer.requestCredential(token, { proof: await freshProof() })
    expect(Object.keys(refused.json)).toEqual(['error', 'error_description'])
  })

  it.each([
    ['a format that is not offered', { format: 'mso_mdoc', doctype: 'x' }, 'unsupported_credential_format'],
    ['the name of today', { format: 'dc+sd-jwt', vct: 'x' }, 'unsupported_credential_format'],
    ['a format that is not a text', { format: { a: 1 } }, 'unsupported_credential_format'],
    ['another vct', { format: 'vc+sd-jwt', vct: 'https://other.example/vct' }, 'unsupported_credential_type'],
    ['no vct', { format: 'vc+sd-jwt' }, 'unsupported_credential_type'],
    [
      'other types',
      { format: 'jwt_vc_json', credential_definition: { type: ['VerifiableCredential'] } },
      'unsupported_credential_type',
    ],
    [
      'a type more',
      {
        format: 'jwt_vc_json',
        credential_definition: { type: ['VerifiableCredential', JWT_VC, 'Other'] },
      },
      'unsupported_credential_type',
    ],
    [
      'no list of types',
      { format: 'jwt_vc_json', credential_definition: { type: JWT_VC } },
      'unsupported_credential_type',
    ],
    ['neither format nor configuration', {}, 'invalid_credential_request'],
  ])('refuses a request for %s', async (_, type, error) => {
    const { access_token: token } = await tokenOf('draft13', drafted)
    const answer = await issuer.requestCredential(token, { ...type, proof: await freshProof() })
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, error])
  })

  it('gives by format only credentials that the token covers', async () => {
    const made = await issuer.makeOffer(drafted)
    const details = JSON.stringify([{ type: 'openid_credential', ...asked.vct() }])
    const token = await tokenFor(made.credentialOfferSessionId, { authorization_details: details })
    expect(token.authorization_details).toEqual([
      { type: 'openid_credential', credential_configuration_id: FORMER, credential_identifiers: [FORMER] },
    ])
    const take = async (type: object) =>
      issuer.requestCredential(token.access_token, { ...type, proof: await freshProof() })
    expect(refusalOf(await take(asked.definition())).slice(0, 2)).toEqual([400, 'unsupported_credential_format'])
    expect((await take({ credential_identifier: FORMER })).status).toBe(200)
  })

  it.each(['{', '7', '[null]', '[{"type":"openid_credential","format":"x"}]'])(
    'refuses authorization_details without a credential: %s',
    async (details) => {
      const made = await issuer.makeOffer(drafted)
      const code = await issuer.code(made.credentialOfferSessionId)
      const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, authorization_details: details }
      expect(refusalOf(await issuer.requestToken(form)).slice(0, 2)).toEqual([400, 'invalid_authorization_details'])
    },
  )

  it('accepts the requests of later versions too', async () => {
    const { access_token: token } = await tokenOf('draft13', drafted)
    const answer = await issuer.take(token, FORMER, wallet)
    expect(answer.json).toEqual({
      credentials: [{ credential: expect.stringMatching(/~$/) }],
      notification_id: expect.any(String),
      ...NONCE,
    })
  })

  it('is verified and revoked like any other credential', async () => {
    const { access_token: token } = await tokenOf('draft13', drafted)
    const taken = await issuer.requestCredential(token, { ...asked.vct(), proof: await freshProof() })
    const authorization = await issuer.authorization()
    const body = { credential: taken.json.credential }
    const verdict = await issuer.service.request('POST', '/credentials/verify', { authorization, body })
    expect(verdict.json).toMatchObject({ isValid: true, format: 'dc+sd-jwt', prettyClaims: { price: 249 } })
  })
})

describe('draft 11', () => {
  const drafted = { profile: 'draft11', credentialConfigurationIds: [JWT_VC, FORMER] }

  it('names credentials and the PIN in an offer as the draft does (§4.1.1)', async () => {
    const made = await issuer.makeOffer({ ...drafted, txCode: true })
    const { credential_issuer: _, ...offer } = made.credentialOffer
    expect(offer).toEqual({
      credentials: [JWT_VC, FORMER],
      grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': expect.any(String), user_pin_required: true } },
    })
    const without = (await issuer.makeOffer(drafted)).credentialOffer
    expect(without.grants[PRE_AUTHORIZED].user_pin_required).toBe(false)
  })

  it('requires the PIN as user_pin (§6.1)', async () => {
    const made = await issuer.makeOffer({ ...drafted, txCode: true })
    const id = made.credentialOfferSessionId
    const code = await issuer.code(id)
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }
    const wrong = made.txCode === '000000' ? '000001' : '000000'
    expect(refusalOf(await issuer.requestToken(form))).toEqual([400, 'invalid_request', 'user_pin is missing.'])
    expect(refusalOf(await issuer.requestToken({ ...form, user_pin: wrong })).slice(0, 2)).toEqual([
      400,
      'invalid_grant',
    ])
    expect(await tokenFor(id, { user_pin: made.txCode })).toMatchObject(NONCE)
  })

  it('cannot be deferred', async () => {
    const answer = await issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { ...drafted, credentialSubject: { product: 'x' }, deferred: true },
    })
    expect([answer.status, answer.json.message]).toEqual([400, ['deferred must not be given with profile draft11']])
  })

  it.each([{ input_mode: 'text' }, { length: 9 }])('cannot have a PIN of %j', async (txCode) => {
    const answer = await issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { ...drafted, credentialSubject: { product: 'x' }, txCode },
    })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['txCode must be numeric and no longer than 8 digits with profile draft11'],
    ])
  })

  it('has requests by types, and names the format in its answer (§7.3)', async () => {
    const { access_token: token } = await tokenOf('draft11', drafted)
    const taken = await issuer.requestCredential(token, { ...asked.types(), proof: await freshProof() })
    expect(taken.json).toEqual({
      format: 'jwt_vc_json',
      credential: expect.any(String),
      notification_id: expect.any(String),
      ...NONCE,
    })
  })

  it('calls an invalid proof invalid_or_missing_proof, with the nonce for the next proof (§7.3.1, §7.3.2)', async () => {
    const { access_token: token } = await tokenOf('draft11', drafted)
    for (const proof of [undefined, await proofWith('wrong')]) {
      const { status, json } = await issuer.requestCredential(token, { ...asked.types(), proof })
      expect([status, json]).toEqual([
        400,
        { error: 'invalid_or_missing_proof', error_description: expect.any(String), ...NONCE },
      ])
    }
    const refused = await issuer.requestCredential(token, { format: 'x', proof: await freshProof() })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'unsupported_credential_format'])
  })

  it('lists credentials in an array (§10.2.3)', async () => {
    const { credentials_supported: supported, authorization_server: server } = await metadataOf(issuer)
    expect(server).toBe(issuer.service.url)
    const common = {
      cryptographic_binding_methods_supported: expect.arrayContaining(['jwk', 'did:jwk']),
      cryptographic_suites_supported: ['ES256'],
      display: [{ name: JWT_VC, locale: 'en' }],
    }
    const claims = { product: expect.objectContaining({ mandatory: true }), price: { mandatory: false } }
    expect(supported).toEqual([
      {
        id: JWT_VC,
        format: 'jwt_vc_json',
        types: ['VerifiableCredential', JWT_VC],
        credentialSubject: claims,
        ...common,
      },
      { id: FORMER, format: 'vc+sd-jwt', vct: vct(), claims, ...common },
    ])
  })
})
