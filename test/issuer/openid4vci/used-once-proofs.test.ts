import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { proofOnce } from '../../../server/issuer/openid4vci/used-once-store.js'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, movingClock, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from './actors.js'
import { knownWallet, newProvider, type Provider, popOf, trusting } from './attestation-actors.js'
import { newPkce, REDIRECT_URI } from './browser.js'

const HOUR = 3_600
const CLIENT = 'https://pocket.example'
const clock = movingClock()
let issuer: Issuer
let provider: Provider
let wallet: WalletActor

beforeAll(async () => {
  provider = await newProvider()
  const env = await trusting([knownWallet(CLIENT, [REDIRECT_URI], provider)], [])
  issuer = await startIssuer({ env, clock: clock.now, maintenance: false })
  wallet = await newWallet()
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const seconds = () => Math.floor(clock.now().getTime() / 1000)

/** Moves the clock to some seconds before the end of an hour. */
function beforeTheHour(left: number): void {
  clock.ahead += HOUR - (seconds() % HOUR) - left
}

type Proof = (path: string, jti: string, iat: number) => Promise<Readonly<Record<string, string>>>

const dpop: Proof = async (path, jti, iat) => ({
  dpop: await signCompact(
    wallet.signer,
    { typ: 'dpop+jwt', kid: undefined, jwk: wallet.publicJwk },
    { jti, htm: 'POST', htu: `${issuer.service.url}${path}`, iat },
  ),
})

const attestation: Proof = async (_path, jti, iat) => ({
  'oauth-client-attestation': await provider.attest(CLIENT, wallet, { payload: { exp: seconds() + HOUR } }),
  'oauth-client-attestation-pop': await popOf(wallet, issuer.service.url, { payload: { jti, iat } }),
})

async function push(headers: Readonly<Record<string, string>>): Promise<Answer> {
  const made = await issuer.makeOffer({ grant: 'authorization_code' })
  const parameters = {
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SD_JWT,
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
    issuer_state: made.credentialOffer.grants.authorization_code.issuer_state,
  }
  return issuer.service.request('POST', '/openid4vci/par', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(parameters).toString(),
  })
}

async function requestToken(headers: Readonly<Record<string, string>>): Promise<Answer> {
  const { credentialOfferSessionId } = await issuer.makeOffer()
  const code = await issuer.code(credentialOfferSessionId)
  return issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }, { headers })
}

const endpoints = {
  par: { path: '/openid4vci/par', send: push, good: 201 },
  token: { path: '/openid4vci/token', send: requestToken, good: 200 },
}

const cases = [
  { name: 'a DPoP proof at PAR', make: dpop, ...endpoints.par, error: 'invalid_dpop_proof' },
  { name: 'a DPoP proof at the token endpoint', make: dpop, ...endpoints.token, error: 'invalid_dpop_proof' },
  { name: 'an attestation proof at PAR', make: attestation, ...endpoints.par, error: 'invalid_client' },
  {
    name: 'an attestation proof at the token endpoint',
    make: attestation,
    ...endpoints.token,
    error: 'invalid_client',
  },
]

describe.each(cases)(
  'attack: the jti of $name (RFC 9449 §11.1) with another iat',
  ({ make, path, send, good, error }) => {
    it.each([
      ['one second later', 0, 1],
      ['55 seconds earlier', 0, -55],
      ['from one end of the window to the other', -55, 55],
      ['and from the late end to the early one', 55, -55],
    ])('is refused: %s', async (_name, first, second) => {
      const jti = crypto.randomUUID()
      expect((await send(await make(path, jti, seconds() + first))).status).toBe(good)
      expect((await send(await make(path, jti, seconds() + second))).json.error).toBe(error)
    })

    it.each([
      ['in the next hour', 61, 59, 2],
      ['in the previous hour, after a use in the next hour', 2, 59, -59],
      ['after the first proof expired', 90, 59, 118],
    ])('is refused %s', async (_name, left, first, later) => {
      beforeTheHour(left)
      const jti = crypto.randomUUID()
      const now = seconds()
      expect((await send(await make(path, jti, now + first))).status).toBe(good)
      clock.ahead += Math.max(0, later - 59)
      expect((await send(await make(path, jti, now + later))).json.error).toBe(error)
    })

    it('is accepted in only one of twelve simultaneous requests, around the end of an hour', async () => {
      beforeTheHour(61)
      const jti = crypto.randomUUID()
      const now = seconds()
      const headers = await Promise.all(Array.from({ length: 12 }, (_, n) => make(path, jti, now - 50 + 9 * n)))
      const answers = await Promise.all(headers.map(send))
      expect(answers.filter(({ status }) => status === good)).toHaveLength(1)
      expect(answers.filter(({ json }) => json.error === error)).toHaveLength(11)
    })

    it('does not block another jti', async () => {
      for (let time = 0; time < 2; time += 1)
        expect((await send(await make(path, crypto.randomUUID(), seconds()))).status).toBe(good)
    })
  },
)

describe('attack: the jti of a DPoP proof at a protected resource with another iat', () => {
  it('is refused with 401', async () => {
    const bound = await requestToken(await dpop('/openid4vci/token', crypto.randomUUID(), seconds()))
    const token: string = bound.json.access_token
    const ath = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))).toString(
      'base64url',
    )
    const jti = crypto.randomUUID()
    const notify = async (iat: number) =>
      issuer.service.request('POST', '/openid4vci/notification', {
        authorization: `DPoP ${token}`,
        headers: {
          dpop: await signCompact(
            wallet.signer,
            { typ: 'dpop+jwt', kid: undefined, jwk: wallet.publicJwk },
            { jti, htm: 'POST', htu: `${issuer.service.url}/openid4vci/notification`, iat, ath },
          ),
        },
        body: { notification_id: 'unknown', event: 'credential_accepted' },
      })
    expect((await notify(seconds())).json.error).toBe('invalid_notification_id')
    for (const iat of [-59, -1, 1, 59])
      expect(refusalOf(await notify(seconds() + iat)).slice(0, 2)).toEqual([401, 'invalid_dpop_proof'])
  })
})

describe('the rows of a proof', () => {
  const at = (time: string) => proofOnce('hash', new Date(time)).map(({ expiresAt }) => expiresAt.toISOString())

  it('are one in the middle of an hour and two near its end; no row expires before the proof', () => {
    expect(at('2026-11-25T10:20:00Z')).toEqual(['2026-11-25T10:59:59.999Z'])
    expect(at('2026-11-25T10:59:00Z')).toEqual(['2026-11-25T10:59:59.999Z', '2026-11-25T11:59:59.999Z'])
    expect(at('2026-11-25T11:00:00Z')).toEqual(['2026-11-25T11:59:59.999Z'])
  })

  it('of two proofs whose iat differ by up to seven minutes have a common row', () => {
    for (let first = 0; first < HOUR; first += 7) {
      for (const apart of [1, 60, 120, 420]) {
        const [one, two] = [first, first + apart].map((second) =>
          proofOnce('hash', new Date(second * 1_000)).map(({ expiresAt }) => expiresAt.getTime()),
        )
        expect(one?.some((end) => two?.includes(end))).toBe(true)
      }
    }
  })
})
