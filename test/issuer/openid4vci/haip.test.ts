import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config/config.js'
import { environmentOf } from '../../keys/environment.js'
import { query } from '../../support/postgres.js'
import { credentialOf, type Issuer, JWT_VC, PRE_AUTHORIZED, refusalOf, SD_JWT, SUBJECT } from './actors.js'
import { knownWallet, newProvider, newWallet, trusting } from './attestation-actors.js'
import { newBrowser, openPage, REDIRECT_URI, responseOf } from './browser.js'
import { CLIENT, haipFiles, keyAttestationOf, type Sent, startHaip } from './haip-actors.js'

type Haip = Awaited<ReturnType<typeof startHaip>>

let whole: Haip
let single: Haip

beforeAll(async () => {
  whole = await startHaip()
  single = await startHaip({})
})
afterAll(async () => {
  await whole.close()
  await single.close()
})

const AS_METADATA = '/.well-known/oauth-authorization-server'
const ISSUER_METADATA = '/.well-known/openid-credential-issuer'

/** Makes an offer under HAIP. HAIP applies to all offers of the installation, or only to this offer. */
const offerOf = ({ makeOffer }: Issuer, members: Record<string, unknown> = {}) =>
  makeOffer({ profile: 'haip', credentialConfigurationIds: [SD_JWT], ...members })

const stateOf = (made: Awaited<ReturnType<typeof offerOf>>) => ({
  issuer_state: made.credentialOffer.grants.authorization_code.issuer_state as string,
})

const post = async ({ service, authorization }: Issuer, members: Record<string, unknown>) =>
  service.request('POST', '/credential-offers', {
    authorization: await authorization(),
    body: { credentialConfigurationIds: [SD_JWT], credentialSubject: SUBJECT, ...members },
  })

describe.each([
  ['ISSUER_PROFILE=haip', () => whole],
  ['an offer with profile haip', () => single],
])('%s', (_name, at) => {
  it('from the offer to a credential with cnf.jwk and x5c, and again under a refreshed token (HAIP 1.0 §4, §6.1)', async () => {
    const { issuer, wallet } = at()
    const made = await offerOf(issuer)
    expect(made.credentialOfferUri.startsWith('haip-vci://?credential_offer_uri=')).toBe(true)
    expect(Object.keys(made.credentialOffer.grants)).toEqual(['authorization_code'])
    const token = await wallet.redeem(await wallet.code(stateOf(made)))
    expect(token.json).toMatchObject({ token_type: 'DPoP', scope: SD_JWT })
    for (const by of ['jwk', 'did'] as const) {
      const [jwt = ''] = credentialOf(await wallet.take(token.json.access_token, by)).split('~')
      const { cnf, iss, status } = decodeJwt(jwt) as { cnf: { jwk: { crv: string } }; iss: string; status: object }
      expect(Object.keys(cnf)).toEqual(['jwk'])
      expect(cnf.jwk.crv).toBe('P-256')
      expect(Object.keys(status)).toEqual(['status_list'])
      expect(iss).toBe(issuer.service.config.issuerBaseUrl)
      const { x5c, kid, alg } = decodeProtectedHeader(jwt)
      expect([x5c?.length, kid, alg]).toEqual([2, undefined, 'ES256'])
    }
    const refreshed = await wallet.refresh(token.json.refresh_token)
    expect([refreshed.status, refreshed.json.token_type]).toEqual([200, 'DPoP'])
    expect((await wallet.take(refreshed.json.access_token)).status).toBe(200)
  })

  const refused: [string, Sent, unknown[]][] = [
    ['without an attestation', { attestation: null }, [401, 'invalid_client']],
    ['without a challenge', { pop: { payload: { challenge: undefined } } }, [401, 'use_attestation_challenge']],
    [
      'with a challenge of another server',
      { pop: { payload: { challenge: 'x' } } },
      [401, 'use_attestation_challenge'],
    ],
  ]
  it.each(refused)('PAR and token endpoint refuse %s, and the code is still valid', async (_what, sent, expected) => {
    const { issuer, wallet } = at()
    const state = stateOf(await offerOf(issuer))
    const pushed = await wallet.push(wallet.parametersOf(state).parameters, sent)
    expect(refusalOf(pushed).slice(0, 2)).toEqual(expected)
    const code = await wallet.code(state)
    const redeemed = await wallet.redeem(code, sent)
    expect(refusalOf(redeemed).slice(0, 2)).toEqual(expected)
    if (expected[1] === 'use_attestation_challenge') {
      for (const { headers } of [pushed, redeemed]) {
        const challenge = headers.get('oauth-client-attestation-challenge')
        const again = { pop: { payload: { challenge } } }
        expect((await wallet.push(wallet.parametersOf(state).parameters, again)).status).toBe(201)
      }
    }
    const token = await wallet.redeem(code)
    expect(token.status, token.text).toBe(200)
    expect(refusalOf(await wallet.refresh(token.json.refresh_token, sent)).slice(0, 2)).toEqual(expected)
  })

  it('the token endpoint refuses a request without DPoP proof, and the code is still valid', async () => {
    const { issuer, wallet } = at()
    const code = await wallet.code(stateOf(await offerOf(issuer)))
    expect(refusalOf(await wallet.redeem(code, { dpop: false })).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
    expect((await wallet.redeem(code)).status).toBe(200)
  })

  it('a request that was not pushed is answered with invalid_request (FAPI 2.0 Security Profile §5.3.2.2)', async () => {
    const { issuer, wallet } = at()
    const { parameters } = wallet.parametersOf({ ...stateOf(await offerOf(issuer)), state: 'mine' })
    const path = `/openid4vci/authorize?${new URLSearchParams(parameters)}`
    const answer = await issuer.service.request('GET', path)
    expect(answer.headers.get('location')?.startsWith(REDIRECT_URI)).toBe(true)
    expect(responseOf(answer)).toMatchObject({ error: 'invalid_request', state: 'mine' })
  })

  it('credentials are requested by scope (HAIP 1.0 §4.3)', async () => {
    const { issuer, wallet } = at()
    const state = stateOf(await offerOf(issuer))
    const { scope: _, ...rest } = wallet.parametersOf(state).parameters
    expect(refusalOf(await wallet.push(rest)).slice(0, 2)).toEqual([400, 'invalid_scope'])
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: SD_JWT }])
    const named = await wallet.push({ ...rest, authorization_details: details })
    expect(refusalOf(named).slice(0, 2)).toEqual([400, 'invalid_authorization_details'])
  })

  it.each([
    [{ grant: 'pre-authorized_code' }, 'grant must be authorization_code with profile haip'],
    [{ txCode: true }, 'txCode must not be given with grant authorization_code'],
    [
      { credentialConfigurationIds: [JWT_VC] },
      `credentialConfigurationIds names ${JWT_VC}, whose format HAIP does not have`,
    ],
  ])('an offer with %j is refused', async (members, message) => {
    const answer = await post(at().issuer, { profile: 'haip', ...members })
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('a pushed request that the offer does not allow leaves no row', async () => {
    const { issuer, wallet } = at()
    const state = stateOf(await offerOf(issuer))
    const count = () => query(issuer.service.databaseUrl, 'SELECT count(*) FROM authorizations')
    const before = await count()
    const { parameters } = wallet.parametersOf({ ...state, scope: 'Nothing' })
    expect(refusalOf(await wallet.push(parameters)).slice(0, 2)).toEqual([400, 'invalid_scope'])
    const unsigned = wallet.parametersOf({ issuer_state: `${state.issuer_state}x` })
    expect(refusalOf(await wallet.push(unsigned.parameters)).slice(0, 2)).toEqual([400, 'invalid_request'])
    expect(await count()).toEqual(before)
  })

  it('an attestation by kid is refused even if its provider is known (HAIP 1.0 §4.4.1)', async () => {
    const { issuer, wallet } = at()
    const provider = await newProvider()
    const { platform } = issuer.service
    const known = {
      ...platform.config.attestationTrust,
      providers: [{ clientId: 'https://pocket.example', iss: provider.iss, keys: [provider.jwk] }],
    }
    Object.assign(platform.config, { attestationTrust: known })
    const headers = {
      ...(await wallet.headersFor('/openid4vci/par')),
      'oauth-client-attestation': await provider.attest('https://pocket.example', wallet.instance),
      'content-type': 'application/x-www-form-urlencoded',
    }
    const { parameters } = wallet.parametersOf(stateOf(await offerOf(issuer)))
    const body = new URLSearchParams(parameters).toString()
    const answer = await issuer.service.request('POST', '/openid4vci/par', { headers, body })
    expect(refusalOf(answer)).toEqual([
      401,
      'invalid_client',
      'The wallet attestation must have its certificates in x5c (HAIP).',
    ])
  })
})

describe('an installation with ISSUER_PROFILE=haip', () => {
  it('names only allowed features in its metadata (HAIP 1.0 §4.1)', async () => {
    const { service } = whole.issuer
    const server = (await service.request('GET', AS_METADATA)).json
    expect(server).toMatchObject({
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: [SD_JWT],
      challenge_endpoint: `${service.config.issuerBaseUrl}/openid4vci/challenge`,
    })
    for (const name of ['authorization_details_types_supported', 'pre-authorized_grant_anonymous_access_supported'])
      expect(server).not.toHaveProperty([name])
    const { credential_configurations_supported: configurations, nonce_endpoint: nonce } = (
      await service.request('GET', ISSUER_METADATA)
    ).json
    expect(nonce).toBe(`${service.config.issuerBaseUrl}/openid4vci/nonce`)
    expect(Object.keys(configurations)).toEqual([SD_JWT])
    expect(configurations[SD_JWT]).toMatchObject({
      format: 'dc+sd-jwt',
      scope: SD_JWT,
      cryptographic_binding_methods_supported: ['jwk'],
      credential_signing_alg_values_supported: ['ES256'],
    })
  })

  it('makes every offer and every offering under HAIP', async () => {
    const { issuer, wallet } = whole
    const made = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
    expect(made.credentialOfferUri.startsWith('haip-vci://?')).toBe(true)
    expect((await post(issuer, { profile: 'final' })).json.message).toEqual(['profile must be haip here'])
    const offering = await issuer.makeOffering()
    expect(offering.credential_configuration_ids).toEqual([SD_JWT])
    expect(offering.offering_full_url.startsWith('haip-vci://?')).toBe(true)
    const { json } = await issuer.service.request('GET', `/openid4vci/offers/${offering.id}`)
    expect(json.credential_configuration_ids).toEqual([SD_JWT])
    const token = await wallet.redeem(await wallet.code({ issuer_state: json.grants.authorization_code.issuer_state }))
    expect((await wallet.take(token.json.access_token)).status).toBe(200)
  })

  it('has no pre-authorized codes', async () => {
    const { issuer, wallet } = whole
    const { id } = await issuer.makeOffering()
    const form = {
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': issuer.service.platform.seals.preAuthorizedCode({ offeringId: id, linkNumber: 0 }),
    }
    const headers = await wallet.headersFor('/openid4vci/token')
    expect(refusalOf(await issuer.requestToken(form, { headers })).slice(0, 2)).toEqual([400, 'unsupported_grant_type'])
  })

  it('names only DPoP in the challenge if a token is missing', async () => {
    const { headers } = await whole.issuer.requestCredential(undefined, {})
    expect(headers.get('www-authenticate')).toMatch(/^DPoP algs="/)
  })

  it('ends earlier offers with a pre-authorized code', async () => {
    const { issuer } = single
    const made = await issuer.makeOffer({ txCode: true })
    Object.assign(issuer.service.platform.config, { issuerProfile: 'haip' })
    const answer = await issuer.service.request('GET', `/openid4vci/offers/${made.credentialOfferSessionId}`)
    Object.assign(issuer.service.platform.config, { issuerProfile: 'final' })
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'Pre-authorized codes are no longer given here.'])
    expect((await issuer.session(made.credentialOfferSessionId)).state).toBe('Created')
    expect((await issuer.session(made.credentialOfferSessionId)).state).toBe('Created')
  })
})

describe('flows that began without HAIP', () => {
  const underHaip = async <T>({ issuer }: Haip, act: () => Promise<T>): Promise<T> => {
    const { config } = issuer.service.platform
    Object.assign(config, { issuerProfile: 'haip' })
    return act().finally(() => Object.assign(config, { issuerProfile: 'final' }))
  }

  it('of a wallet without an attestation get no offer under HAIP; an attested wallet gets the offer', async () => {
    const local = await startHaip({ AUTH_DISABLED: 'true' })
    try {
      const { issuer, wallet } = local
      await offerOf(issuer, { forSubject: 'local-admin' })
      const { parameters } = wallet.parametersOf()
      const { page } = await openPage(
        newBrowser(issuer.service),
        `/openid4vci/authorize?${new URLSearchParams(parameters)}`,
      )
      expect(responseOf(page)).toMatchObject({
        error: 'access_denied',
        error_description: 'The offer is for attested wallets.',
      })
      expect((await wallet.redeem(await wallet.code())).status).toBe(200)
    } finally {
      await local.close()
    }
  })

  it('a page that was shown to the user of a wallet without attestation gives no code', async () => {
    const { issuer, wallet } = single
    const state = stateOf(await offerOf(issuer, { profile: 'final', grant: 'authorization_code' }))
    const address = new URLSearchParams(wallet.parametersOf(state).parameters)
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, `/openid4vci/authorize?${address}`)
    expect(page.status, page.text).toBe(200)
    const decided = await underHaip(single, () => browser.decide(page, id, 'accept'))
    expect(responseOf(decided)).toMatchObject({ error: 'access_denied' })
  })

  it('a Bearer token gives no credential', async () => {
    const { issuer } = single
    const made = await issuer.makeOffer({ credentialConfigurationIds: [SD_JWT] })
    const token = await issuer.token(made.credentialOfferSessionId)
    expect(refusalOf(await underHaip(single, () => issuer.take(token, SD_JWT)))).toEqual([
      401,
      'invalid_token',
      'The access token must be bound to a key (HAIP).',
    ])
  })
})

describe('requirements of HAIP for an installation', () => {
  it('are named at the start if they are not met', async () => {
    const { ISSUER_X509: _, WALLET_TRUST_ANCHORS: __, ...env } = (await haipFiles()).env
    const start = () => readConfig(environmentOf(single.issuer.service, { ...env, ISSUER_PROFILE: 'haip' }))
    expect(start).toThrow('- ISSUER_X509 must be defined where ISSUER_PROFILE is haip.')
    expect(start).toThrow('- WALLET_TRUST_ANCHORS must be defined where ISSUER_PROFILE is haip.')
  })

  it.each([
    ['ISSUER_X509', { issuerX509: undefined }],
    ['WALLET_TRUST_ANCHORS', { attestationTrust: { trustAnchors: [], providers: [] } }],
  ])('are named if an offer lacks %s', async (name, without) => {
    const { config } = single.issuer.service.platform
    const before = { ...config }
    Object.assign(config, without)
    const answer = await post(single.issuer, { profile: 'haip' })
    Object.assign(config, before)
    expect([answer.status, answer.json.message]).toEqual([400, [`profile haip needs ${name}`]])
  })

  it('do not change offers of OpenID4VCI 1.0 beside offers under HAIP', async () => {
    const { issuer } = single
    const made = await issuer.makeOffer()
    const token = await issuer.token(made.credentialOfferSessionId)
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
    const { json } = await issuer.service.request('GET', AS_METADATA)
    expect(json).not.toHaveProperty('require_pushed_authorization_requests')
    expect(json.token_endpoint_auth_methods_supported).toEqual(['none', 'attest_jwt_client_auth'])
  })
})

describe('a key attestation (HAIP 1.0 §4.5.1)', () => {
  it.each(['attestation', 'jwt'])(
    'under %s must contain its certificates: an attestation by iss and kid is refused',
    async (type) => {
      const provider = await newProvider()
      const { WALLET_CLIENTS = '' } = await trusting([knownWallet(CLIENT, [REDIRECT_URI], provider)])
      const { issuer, wallet, close } = await startHaip({ WALLET_CLIENTS })
      const [first, second] = [await newWallet(), await newWallet()]
      const proofsOf = async (attest: (nonce: string) => Promise<string>) => {
        const nonce = await issuer.nonce()
        const attestation = await attest(nonce)
        if (type === 'attestation') return { attestation: [attestation] }
        const header = { key_attestation: attestation }
        return { jwt: [await first.proof(issuer.service.config.issuerBaseUrl, nonce, { header })] }
      }
      const attested = [first, second]
      const named = (nonce: string) =>
        provider.attestKeys(
          attested.map(({ publicJwk }) => publicJwk),
          nonce,
        )
      const { access_token: token } = (await wallet.redeem(await wallet.code(stateOf(await offerOf(issuer))))).json
      expect(refusalOf(await wallet.request(token, await proofsOf(named)))).toEqual([
        400,
        'invalid_proof',
        'The key attestation must have its certificates in x5c (HAIP).',
      ])
      const taken = await wallet.request(token, await proofsOf((nonce) => keyAttestationOf(attested, nonce)))
      expect(taken.json.credentials).toHaveLength(2)
      // For an offer without HAIP, the same kind of proof is accepted.
      const plain = await issuer.token((await issuer.makeOffer()).credentialOfferSessionId)
      const request = { credential_configuration_id: SD_JWT, proofs: await proofsOf(named) }
      expect((await issuer.requestCredential(plain, request)).status).toBe(200)
      await close()
    },
  )
})
