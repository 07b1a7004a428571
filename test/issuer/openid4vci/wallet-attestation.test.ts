import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import type { WalletActor } from '../../support/wallet-actor.js'
import { startListServer } from '../../trust/list-server.js'
import { definition, listsFile, makeList, makeOperator, refreshed } from '../../trust/lists.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { type Issuer, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from './actors.js'
import {
  type Changes,
  knownWallet,
  newCertifiedProvider,
  newProvider,
  newProviderRoot,
  newWallet,
  type Provider,
  popOf,
  trusting,
} from './attestation-actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'

const CLIENT = 'https://pocket.example'
const RIVAL = 'https://purse.example'
const root = newProviderRoot()
let web: WebServer
let issuer: Issuer
let unattested: Issuer
let provider: Provider
/** The provider of a different known wallet. It has the same name as `provider`. */
let rival: Provider
let instance: WalletActor

beforeAll(async () => {
  provider = await newProvider()
  instance = await newWallet()
  web = await startWebServer()
  rival = await newProvider()
  const wallets = [
    knownWallet(CLIENT, [REDIRECT_URI, 'pocket:done'], provider),
    knownWallet(RIVAL, [REDIRECT_URI], rival),
  ]
  const env = await trusting(wallets, [root])
  issuer = await startIssuer({ env: { ...env, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` } })
  unattested = await startIssuer()
})
afterAll(async () => {
  await issuer.service.close()
  await unattested.service.close()
  await web[Symbol.asyncDispose]()
})

type Headers = Record<string, string>

async function attested(
  attestation: Changes = {},
  pop: Changes = {},
  by: WalletActor = instance,
  from: Provider = provider,
): Promise<Headers> {
  return {
    'oauth-client-attestation': await from.attest(CLIENT, by, attestation),
    'oauth-client-attestation-pop': await popOf(by, issuer.service.url, pop),
  }
}

async function newRequest(changes: Headers = {}) {
  const { verifier, challenge } = newPkce()
  const made = await issuer.makeOffer({ grant: 'authorization_code' })
  const parameters = {
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SD_JWT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    issuer_state: made.credentialOffer.grants.authorization_code.issuer_state,
    ...changes,
  }
  return { parameters, verifier }
}

const push = (parameters: Headers, headers: Headers, at: Issuer = issuer): Promise<Answer> =>
  at.service.request('POST', '/openid4vci/par', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(parameters).toString(),
  })

/** Gets a code for a request that an attested wallet has pushed. */
async function attestedCode(attestation: Changes = {}): Promise<{ code: string; verifier: string; page: Answer }> {
  const { parameters, verifier } = await newRequest()
  const answer = await push(parameters, await attested(attestation))
  expect(answer.status, answer.text).toBe(201)
  const browser = newBrowser(issuer.service)
  const address = new URLSearchParams({ client_id: CLIENT, request_uri: answer.json.request_uri })
  const { id, page } = await openPage(browser, `/openid4vci/authorize?${address}`)
  return { code: responseOf(await browser.decide(page, id, 'accept')).code ?? '', verifier, page }
}

const redeem = (code: string, verifier: string, headers: Headers): Promise<Answer> =>
  issuer.requestToken(
    { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI, client_id: CLIENT },
    { headers },
  )

const REFUSED = [401, 'invalid_client']

describe('wallet attestation at PAR and token endpoint (OpenID4VCI 1.0 Appendix E)', () => {
  it('a name of the wallet with direction controls (UAX #9 §2.2) is shown without these characters', async () => {
    const { page } = await attestedCode({ payload: { wallet_name: '\u202eknab\u202c \u2067Pocket\u2069' } })
    expect(page.text).toContain('<strong><bdi>knab Pocket</bdi></strong>')
    expect(page.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })

  it('names the wallet on the page, and the whole flow works with a new proof in each request', async () => {
    const { code, verifier, page } = await attestedCode()
    expect(page.text).toContain('Pocket')
    const token = await redeem(code, verifier, await attested())
    expect(token.status, token.text).toBe(200)
    expect((await issuer.take(token.json.access_token, SD_JWT)).status).toBe(200)
    const refresh = { grant_type: 'refresh_token', refresh_token: token.json.refresh_token }
    for (let time = 0; time < 2; time += 1) {
      const refreshed = await issuer.requestToken(refresh, { headers: await attested() })
      // FAPI 2.0 §5.3.2.1: a bound refresh token is not replaced.
      expect([refreshed.status, refreshed.json.refresh_token]).toEqual([200, undefined])
    }
  })

  it('is announced only if attestations are trusted', async () => {
    const path = '/.well-known/oauth-authorization-server'
    const { json } = await issuer.service.request('GET', path)
    expect(json.token_endpoint_auth_methods_supported).toEqual(['none', 'attest_jwt_client_auth'])
    expect(json.challenge_endpoint).toBe(`${issuer.service.url}/openid4vci/challenge`)
    expect(json.client_attestation_signing_alg_values_supported).toContain('ES256')
    expect(json.client_attestation_pop_signing_alg_values_supported).toContain('ES256')
    const other = (await unattested.service.request('GET', path)).json
    expect(other.token_endpoint_auth_methods_supported).toEqual(['none'])
    for (const name of ['challenge_endpoint', 'client_attestation_signing_alg_values_supported'])
      expect(other).not.toHaveProperty(name)
    expect((await unattested.service.request('POST', '/openid4vci/challenge')).status).toBe(404)
  })

  it('with a challenge of the service, which is optional for a wallet', async () => {
    const { json, headers } = await issuer.service.request('POST', '/openid4vci/challenge')
    expect(headers.get('cache-control')).toBe('no-store')
    const { parameters } = await newRequest()
    const good = await push(parameters, await attested({}, { payload: { challenge: json.attestation_challenge } }))
    expect(good.status, good.text).toBe(201)
    const wrong = await push(parameters, await attested({}, { payload: { challenge: 'made-up' } }))
    expect(refusalOf(wrong).slice(0, 2)).toEqual([401, 'use_attestation_challenge'])
    const asPage = { origin: 'https://wallet.example', ...(await attested({}, { payload: { challenge: 'made-up' } })) }
    const exposed = (await push(parameters, asPage)).headers.get('access-control-expose-headers')
    expect(exposed).toContain('oauth-client-attestation-challenge')
    const fresh = wrong.headers.get('oauth-client-attestation-challenge') ?? ''
    expect((await push(parameters, await attested({}, { payload: { challenge: fresh } }))).status).toBe(201)
  })
})

describe('attacks with attestations: invalid_client, and nothing is used up', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  it.each<[string, () => Promise<Headers>]>([
    ['a signature by another key', async () => attested({ by: (await newWallet()).signer })],
    ['an expired attestation', () => attested({ payload: { exp: seconds() - 1 } })],
    ['an attestation without exp', () => attested({ payload: { exp: undefined } })],
    ['an attestation of the future', () => attested({ payload: { iat: seconds() + 3_600 } })],
    ['an attestation without sub', () => attested({ payload: { sub: undefined } })],
    ['an attestation of another client', () => attested({ payload: { sub: 'https://other.example' } })],
    ['an attestation without a key', () => attested({ payload: { cnf: {} } })],
    ['an attestation with a private key', () => attested({ payload: { cnf: { jwk: instance.privateJwk } } })],
    ['an attestation of an unknown provider', () => attested({ payload: { iss: 'https://nobody.example' } })],
    ['an attestation with an unknown kid', () => attested({ header: { kid: 'other' } })],
    ['an attestation of another typ', () => attested({ header: { typ: 'JWT' } })],
    [
      'an attestation with its key in its own header',
      async () => {
        const thief = await newWallet()
        return attested({ by: thief.signer, header: { kid: undefined, jwk: thief.publicJwk } })
      },
    ],
    ['an attestation whose chain leads to no anchor', () => attested({ header: { kid: undefined, x5c: ['AAAA'] } })],
    ['a proof by another key', async () => attested({}, { by: (await newWallet()).signer })],
    ['a proof for another audience', () => attested({}, { payload: { aud: 'https://other.example' } })],
    ['a proof without jti', () => attested({}, { payload: { jti: undefined } })],
    ['a proof with a jti of 257 characters', () => attested({}, { payload: { jti: 'x'.repeat(257) } })],
    ['a proof without iat', () => attested({}, { payload: { iat: undefined } })],
    ['a proof of two minutes ago', () => attested({}, { payload: { iat: seconds() - 120 } })],
    ['a proof with the name of another wallet', () => attested({}, { payload: { iss: 'https://other.example' } })],
    ['a proof of another typ', () => attested({}, { header: { typ: 'JWT' } })],
    ['a status of an unknown kind', () => attested({ payload: { status: { other: 1 } } })],
    [
      'an attestation without a proof',
      async () => ({ 'oauth-client-attestation': (await attested())['oauth-client-attestation'] ?? '' }),
    ],
    [
      'a proof without an attestation',
      async () => ({ 'oauth-client-attestation-pop': (await attested())['oauth-client-attestation-pop'] ?? '' }),
    ],
    [
      'two attestations',
      async () => {
        const headers = await attested()
        return { ...headers, 'oauth-client-attestation': `${headers['oauth-client-attestation']}, x` }
      },
    ],
  ])('%s', async (_name, headersOf) => {
    const { parameters } = await newRequest()
    const answer = await push(parameters, await headersOf())
    expect(refusalOf(answer).slice(0, 2)).toEqual([401, 'invalid_client'])
    const { code, verifier } = await attestedCode()
    expect(refusalOf(await redeem(code, verifier, await headersOf())).slice(0, 2)).toEqual([401, 'invalid_client'])
    expect((await redeem(code, verifier, await attested())).status).toBe(200)
  })

  it('a proof that was used before', async () => {
    const { parameters } = await newRequest()
    const headers = await attested()
    expect((await push(parameters, headers)).status).toBe(201)
    expect(refusalOf(await push(parameters, headers)).slice(0, 2)).toEqual([401, 'invalid_client'])
  })

  it('a used proof, until its iat is too old: its use is stored for the whole time', async () => {
    const used = () =>
      query<{ hash: string; expires_at: Date }>(issuer.service.databaseUrl, 'SELECT hash, expires_at FROM used_nonces')
    const { parameters } = await newRequest()
    const before = new Set((await used()).map(({ hash }) => hash))
    const iat = seconds() + 50
    expect((await push(parameters, await attested({}, { payload: { iat } }))).status).toBe(201)
    const rows = (await used()).filter(({ hash }) => !before.has(hash))
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(1)
    // The proof is accepted until a minute after its iat. Near the end of an hour, the proof has two rows.
    for (const row of rows) expect(row.expires_at.getTime()).toBeGreaterThan((iat + 60) * 1000)
  })

  it('at the token endpoint, another instance than at PAR, or no instance', async () => {
    const { code, verifier } = await attestedCode()
    expect(refusalOf(await redeem(code, verifier, {})).slice(0, 2)).toEqual([401, 'invalid_client'])
    const other = await attested({}, {}, await newWallet())
    expect(refusalOf(await redeem(code, verifier, other)).slice(0, 2)).toEqual([401, 'invalid_client'])
    const token = await redeem(code, verifier, await attested())
    const refresh = { grant_type: 'refresh_token', refresh_token: token.json.refresh_token }
    expect(refusalOf(await issuer.requestToken(refresh)).slice(0, 2)).toEqual([401, 'invalid_client'])
  })

  it('another attested wallet redeems no code of this wallet, and the code stays valid (RFC 6749 §5.2)', async () => {
    const { code, verifier } = await attestedCode()
    const other = await newWallet()
    const headers = await attested({ payload: { sub: RIVAL } }, {}, other, rival)
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
    const refused = await issuer.requestToken(form, { headers })
    expect(refusalOf(refused)).toEqual([400, 'invalid_grant', 'The code was given to another client.'])
    expect((await redeem(code, verifier, await attested())).status).toBe(200)
  })

  it('an attested wallet redeems no code of another client whose request was not pushed', async () => {
    const { parameters, verifier } = await newRequest({ client_id: 'other' })
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, `/openid4vci/authorize?${new URLSearchParams(parameters)}`)
    const code = responseOf(await browser.decide(page, id, 'accept')).code ?? ''
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
    const refused = await issuer.requestToken(form, { headers: await attested() })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await issuer.requestToken({ ...form, client_id: 'other' })).status).toBe(200)
  })

  it('an attested wallet cannot ask in the name of another client (Attestation-Based Client Authentication §6.3)', async () => {
    const { parameters } = await newRequest({ client_id: RIVAL })
    const other = [401, 'invalid_client', 'The client_id is not the sub of the wallet attestation.']
    expect(refusalOf(await push(parameters, await attested()))).toEqual(other)
    const { code, verifier } = await attestedCode()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
    const sent = { ...form, client_id: RIVAL }
    expect(refusalOf(await issuer.requestToken(sent, { headers: await attested() }))).toEqual(other)
    expect((await redeem(code, verifier, await attested())).status).toBe(200)
  })

  it('an attested wallet cannot refresh a token of a wallet without attestation', async () => {
    const { credentialOfferSessionId } = await issuer.makeOffer({ deferred: true })
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(credentialOfferSessionId) }
    const { json } = await issuer.requestToken(form)
    const refresh = { grant_type: 'refresh_token', refresh_token: json.refresh_token }
    expect(refusalOf(await issuer.requestToken(refresh, { headers: await attested() }))).toEqual([
      401,
      'invalid_client',
      'The refresh token was given to another wallet instance.',
    ])
    expect((await issuer.requestToken(refresh)).status).toBe(200)
  })

  it('any attestation without trusted providers', async () => {
    const { parameters } = await newRequest()
    expect(refusalOf(await push(parameters, await attested(), unattested)).slice(0, 2)).toEqual([401, 'invalid_client'])
  })
})

describe('a wallet attestation with a certificate chain (HAIP 1.0 §4.4.1)', () => {
  const pushed = async (from: Provider, changes: Changes = {}) =>
    push((await newRequest()).parameters, await attested(changes, {}, instance, from))

  it('to a root of WALLET_TRUST_ANCHORS is trusted, also repeatedly', async () => {
    const certified = await newCertifiedProvider(root)
    for (let time = 0; time < 2; time += 1) expect((await pushed(certified)).status).toBe(201)
    const forged = await pushed(certified, { by: (await newWallet()).signer })
    expect(refusalOf(forged).slice(0, 2)).toEqual([401, 'invalid_client'])
  })

  it.each<[string, () => Promise<Provider>]>([
    ['to an anchor that is not trusted', () => newCertifiedProvider(newProviderRoot('Elsewhere'))],
    ['to an anchor of the same name that is not trusted', () => newCertifiedProvider(newProviderRoot())],
    ['of a self-signed certificate', () => newCertifiedProvider(undefined)],
    ['that contains the trust anchor', () => newCertifiedProvider(root, { x5c: ({ x5c }) => [x5c, root.x5c] })],
    ['of an expired certificate', () => newCertifiedProvider(root, { notAfter: '2026-01-31T00:00:00Z' })],
  ])('%s is not trusted: invalid_client', async (_name, providerOf) => {
    expect(refusalOf(await pushed(await providerOf())).slice(0, 2)).toEqual([401, 'invalid_client'])
  })
})

describe('a wallet attestation of a provider on a trusted list for wallets', () => {
  it('is trusted as long as the list has the provider', async () => {
    const lists = await startListServer()
    const operator = makeOperator()
    const [listed, other] = [newProviderRoot('Listed'), newProviderRoot('Other')]
    lists.publish('/wallets.jwt', { body: await makeList(operator, [{ name: 'Provider', issuance: [listed] }]) })
    const list = definition(`${lists.url}/wallets.jwt`, operator, { purpose: 'wallets' })
    const known = await trusting([knownWallet(CLIENT, [REDIRECT_URI], provider)])
    const env = { ...known, TRUST_LISTS: await listsFile(list), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }
    const relying = await startIssuer({ env, maintenance: false })
    const [good, bad] = [await newCertifiedProvider(listed), await newCertifiedProvider(other)]
    const statusOf = async (from: Provider) => {
      const { grants } = (await relying.makeOffer({ grant: 'authorization_code' })).credentialOffer
      const { parameters } = await newRequest({ issuer_state: grants.authorization_code.issuer_state })
      const headers = {
        'oauth-client-attestation': await from.attest(CLIENT, instance),
        'oauth-client-attestation-pop': await popOf(instance, relying.service.url),
      }
      return (await push(parameters, headers, relying)).status
    }
    expect(await statusOf(good)).toBe(401)
    expect(await refreshed(relying.service)).toBe('changed')
    expect(await statusOf(good)).toBe(201)
    expect(await statusOf(bad)).toBe(401)
    const without = await makeList(operator, [{ name: 'Other', issuance: [other] }], { sequence: 2 })
    lists.publish('/wallets.jwt', { body: without })
    expect(await refreshed(relying.service)).toBe('changed')
    expect(await statusOf(good)).toBe(401)
    expect(await statusOf(bad)).toBe(201)
    await relying.service.close()
    await lists.close()
  })
})

describe('the status of a wallet attestation (Token Status List §8.3)', () => {
  let made = 0
  async function statusBy(by: Provider, revoked: readonly number[]): Promise<Changes> {
    made += 1
    const uri = `http://127.0.0.1:${web.port}/list-${made}`
    const body = await by.statusList(uri, revoked)
    web.documents.set(`/list-${made}`, { body, type: 'application/statuslist+jwt' })
    return { payload: { status: { status_list: { uri, idx: 7 } } } }
  }
  const pushed = async (changes: Changes) => push((await newRequest()).parameters, await attested(changes))

  it('must be valid, and is fetched each time', async () => {
    const changes = await statusBy(provider, [8])
    expect((await pushed(changes)).status).toBe(201)
    expect((await pushed(changes)).status).toBe(201)
    expect(web.requests.filter((path) => path === `/list-${made}`)).toHaveLength(2)
    const { code, verifier } = await attestedCode()
    const revoked = await attested(await statusBy(provider, [7]))
    expect(refusalOf(await redeem(code, verifier, revoked))).toEqual([
      ...REFUSED,
      'The wallet attestation is no longer valid.',
    ])
    expect((await redeem(code, verifier, await attested(changes))).status).toBe(200)
  })

  it('that cannot be fetched, or comes from another provider, is not accepted', async () => {
    const nowhere = { status_list: { uri: `http://127.0.0.1:${web.port}/nowhere`, idx: 7 } }
    expect(refusalOf(await pushed({ payload: { status: nowhere } })).slice(0, 2)).toEqual(REFUSED)
    const foreign = await statusBy(await newProvider(), [])
    expect(refusalOf(await pushed(foreign)).slice(0, 2)).toEqual(REFUSED)
  })

  it('is refused with the name of the list, because the signer of the list is not trusted', async () => {
    const reasonOf = async (by: Provider) => refusalOf(await pushed(await statusBy(by, [])))[2]
    const stranger = await newCertifiedProvider(newProviderRoot('Stranger'))
    expect(await reasonOf(stranger)).toContain('of the status list of the wallet attestation are not trusted')
    const unknown = await newProvider('https://unknown.example')
    expect(await reasonOf(unknown)).toContain(
      'The status list of the wallet attestation is not from a trusted provider',
    )
  })
})

describe('wallets that are known (WALLET_CLIENTS)', () => {
  it('are answered only at one of their own addresses, of any scheme', async () => {
    const at = async (uri: string) => (await push((await newRequest({ redirect_uri: uri })).parameters, {})).status
    expect(await at('pocket:done')).toBe(201)
    expect(await at('https://wallet.example/other')).toBe(400)
    expect(await at(`${REDIRECT_URI}/more`)).toBe(400)
    expect(await at(`${REDIRECT_URI}?more=1`)).toBe(400)
    expect(await at('http://127.0.0.1:5000/cb')).toBe(400)
  })

  it('are attested by their own provider, not by another wallet’s provider', async () => {
    const by = async (clientId: string, from: Provider) => {
      const { parameters } = await newRequest({ client_id: clientId })
      const headers = {
        'oauth-client-attestation': await from.attest(clientId, instance),
        'oauth-client-attestation-pop': await popOf(instance, issuer.service.url),
      }
      return push(parameters, headers)
    }
    expect((await by(RIVAL, rival)).status).toBe(201)
    const refused = [await by(CLIENT, rival), await by(RIVAL, provider), await by('https://unknown.example', rival)]
    expect(refused.map((answer) => refusalOf(answer).slice(0, 2))).toEqual([REFUSED, REFUSED, REFUSED])
  })

  it('a client_id without a value counts as missing, as at PAR (RFC 6749 §3.2)', async () => {
    const { code, verifier } = await attestedCode()
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: '',
      client_secret: '',
    }
    const token = await issuer.requestToken(form, { headers: await attested() })
    expect(token.status, token.text).toBe(200)
  })
})
