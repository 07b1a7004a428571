import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { signCompact, thumbprint } from '../../../../server/protocol/jose/jws.js'
import { atOnce } from '../../../support/at-once.js'
import { query } from '../../../support/postgres.js'
import { newWallet } from '../../../support/wallet-actor.js'
import { type Issuer, JWT_VC, movingClock, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { newPkce } from '../browser.js'
import { authorizationCodeFlow, type Parameters } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { newRequest, push, pushed, codeFor, redeem, tokensFor } = authorizationCodeFlow(() => issuer)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

describe('attacks on codes (RFC 6749 §4.1.3, RFC 7636 §4.6)', () => {
  it.each<[string, Parameters]>([
    ['another redirect_uri', { redirect_uri: 'https://wallet.example/other' }],
    ['no redirect_uri', { redirect_uri: '' }],
    ['another client_id', { client_id: 'thief' }],
    ['no code_verifier', { code_verifier: '' }],
    ['a wrong code_verifier', { code_verifier: newPkce().verifier }],
    ['the code_challenge as the verifier', { code_verifier: newPkce().challenge }],
  ])('%s: invalid_grant, and the code stays valid', async (_name, changes) => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    expect(refusalOf(await redeem(code, verifier, changes)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await redeem(code, verifier)).status).toBe(200)
  })

  it('without a client_id an unauthenticated client is unknown (RFC 6749 §4.1.3)', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    expect(refusalOf(await redeem(code, verifier, { client_id: '' })).slice(0, 2)).toEqual([400, 'invalid_request'])
    expect((await redeem(code, verifier)).status).toBe(200)
  })

  it('unknown, or 60 seconds old', async () => {
    const { parameters, verifier } = await newRequest()
    expect(refusalOf(await redeem('unknown', verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const code = await codeFor(await pushed(parameters))
    clock.ahead = 61
    expect(refusalOf(await redeem(code, verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('used a second time: every token of the code becomes invalid', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    const { access_token: access, refresh_token: refresh } = (await redeem(code, verifier)).json
    expect((await issuer.take(access, SD_JWT)).status).toBe(200)
    expect(refusalOf(await redeem(code, verifier))).toEqual([400, 'invalid_grant', 'The code has been used already.'])
    expect(refusalOf(await issuer.take(access, SD_JWT)).slice(0, 2)).toEqual([401, 'invalid_token'])
    const refreshed = await issuer.requestToken({ grant_type: 'refresh_token', refresh_token: refresh })
    expect(refusalOf(refreshed).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fifty at once give one token, which then becomes invalid too, also if all requests found the code unused', async () => {
    const { parameters, verifier } = await newRequest()
    const code = await codeFor(await pushed(parameters))
    const answers = await atOnce(issuer.service.platform.stores.authorizations, 'byCode', 50, () =>
      Promise.all(Array.from({ length: 50 }, () => redeem(code, verifier))),
    )
    const given = answers.filter(({ status }) => status === 200)
    expect(given).toHaveLength(1)
    expect(answers.filter(({ json }) => json.error === 'invalid_grant')).toHaveLength(49)
    expect(refusalOf(await issuer.take(given[0]?.json.access_token, SD_JWT)).slice(0, 2)).toEqual([
      401,
      'invalid_token',
    ])
  })

  it('whose offer closed after the decision: the answer has the reason', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const { parameters, verifier } = await newRequest({
      issuer_state: offering.grants.authorization_code.issuer_state,
    })
    const code = await codeFor(await pushed(parameters))
    expect((await issuer.take(await issuer.token(offering.id), SD_JWT)).status).toBe(200)
    const usedUp = [400, 'invalid_grant', 'The credential offer has been used up.']
    expect(refusalOf(await redeem(code, verifier))).toEqual(usedUp)
  })

  it('a token request may ask for less than was granted, never for more (OpenID4VCI 1.0 §6.1.1)', async () => {
    const { parameters, verifier } = await newRequest({ scope: `${SD_JWT} ${JWT_VC}` })
    const less = await redeem(await codeFor(await pushed(parameters)), verifier, { scope: JWT_VC })
    expect(less.json.scope).toBe(JWT_VC)
    const one = await newRequest()
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: JWT_VC }])
    const code = await codeFor(await pushed(one.parameters))
    const more = await redeem(code, one.verifier, { authorization_details: details })
    expect(refusalOf(more).slice(0, 2)).toEqual([400, 'invalid_authorization_details'])
    expect((await redeem(code, one.verifier)).status).toBe(200)
  })

  it('request, code and token are never stored in the clear', async () => {
    const tokens = await tokensFor()
    const rows = await query(
      issuer.service.databaseUrl,
      'SELECT a.id, a.code_hash, a.request_uri_hash, a.browser_hash, r.token_hash FROM authorizations a JOIN refresh_tokens r ON r.authorization_id = a.id',
    )
    const stored = JSON.stringify(rows)
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(stored).not.toContain(secret)
  })
})

describe('codes that are bound to a key (RFC 9449 §10)', () => {
  const proofFor = async (wallet: Awaited<ReturnType<typeof newWallet>>, path: string) =>
    signCompact(
      wallet.signer,
      { typ: 'dpop+jwt', kid: undefined, jwk: wallet.publicJwk },
      {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${issuer.service.url}${path}`,
        iat: Math.floor(clock.now().getTime() / 1000),
      },
    )

  it('by a proof at PAR or by dpop_jkt cannot be redeemed with another key or without a key', async () => {
    const [wallet, thief] = [await newWallet(), await newWallet()]
    for (const bind of ['proof', 'dpop_jkt'] as const) {
      const { parameters, verifier } = await newRequest(
        bind === 'dpop_jkt' ? { dpop_jkt: thumbprint(wallet.publicJwk) } : {},
      )
      const headers = bind === 'proof' ? { dpop: await proofFor(wallet, '/openid4vci/par') } : {}
      const code = await codeFor(await pushed(parameters, headers))
      expect(refusalOf(await redeem(code, verifier)).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const foreign = await redeem(code, verifier, {}, { dpop: await proofFor(thief, '/openid4vci/token') })
      expect(refusalOf(foreign).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const good = await redeem(code, verifier, {}, { dpop: await proofFor(wallet, '/openid4vci/token') })
      expect(good.json).toMatchObject({ token_type: 'DPoP', expires_in: 3600 })
      // FAPI 2.0 §5.3.2.1: a refresh token that is bound to a key is not replaced. It cannot be used with a different
      // key.
      const refresh = { grant_type: 'refresh_token', refresh_token: good.json.refresh_token }
      expect(refusalOf(await issuer.requestToken(refresh)).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const ofThief = { dpop: await proofFor(thief, '/openid4vci/token') }
      const stolen = await issuer.requestToken(refresh, { headers: ofThief })
      expect(refusalOf(stolen).slice(0, 2)).toEqual([400, 'invalid_grant'])
      for (let time = 0; time < 2; time += 1) {
        const dpop = await proofFor(wallet, '/openid4vci/token')
        const refreshed = await issuer.requestToken(refresh, { headers: { dpop } })
        expect(refreshed.json).toMatchObject({ token_type: 'DPoP' })
        expect(refreshed.json).not.toHaveProperty('refresh_token')
      }
    }
  })

  it('a refresh token without a key is replaced by a bound token if the request has a proof (RFC 9449 §5)', async () => {
    const [wallet, tokens] = [await newWallet(), await tokensFor()]
    const refresh = async (token: string, headers: Parameters = {}) =>
      issuer.requestToken({ grant_type: 'refresh_token', refresh_token: token }, { headers })
    const bound = await refresh(tokens.refresh_token, { dpop: await proofFor(wallet, '/openid4vci/token') })
    expect(bound.json.token_type).toBe('DPoP')
    expect(refusalOf(await refresh(bound.json.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const again = await refresh(bound.json.refresh_token, { dpop: await proofFor(wallet, '/openid4vci/token') })
    expect(again.json).toMatchObject({ token_type: 'DPoP' })
  })

  it('a proof of another key than dpop_jkt is refused, and a proof counts once', async () => {
    const wallet = await newWallet()
    const other = await newRequest({ dpop_jkt: 'A'.repeat(43) })
    const refused = await push(other.parameters, { dpop: await proofFor(wallet, '/openid4vci/par') })
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
    const { parameters } = await newRequest()
    const dpop = await proofFor(wallet, '/openid4vci/par')
    expect((await push(parameters, { dpop })).status).toBe(201)
    expect(refusalOf(await push(parameters, { dpop })).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
  })
})
