import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import {
  type Asked,
  ask,
  dcql,
  decodeJwt,
  type Format,
  type Held,
  ITEM,
  makeWorld,
  type ResponseMode,
  SUBJECT,
  sessionOf,
  TYPE,
} from '../verifier/actors.js'
import { answerWithLibrary } from '../verifier/library-wallet.js'

let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

beforeAll(async () => {
  service = await startService()
  world = await makeWorld(service)
})
afterAll(() => service.close())

const FORMATS: Format[] = ['dc+sd-jwt', 'jwt_vc_json']
const MODES: ResponseMode[] = ['direct_post', 'direct_post.jwt']
const CASES = FORMATS.flatMap((format) => MODES.map((responseMode) => ({ format, responseMode })))

async function resultOf(asked: Asked, query = '') {
  return service.request('GET', `/verification-sessions/${asked.verificationSessionId}/result${query}`, {
    authorization: await service.bearer('verifier'),
  })
}

/** Takes an SD-JWT VC with a proof that names the wallet's key by a DID. */
async function takenByDid(wallet: WalletActor): Promise<Held> {
  const offered = await service.request('POST', '/credential-offers', {
    authorization: await service.bearer('issuer'),
    body: { credentialConfigurationIds: [`${TYPE}-sd-jwt`], credentialSubject: SUBJECT },
  })
  const [[grantType, grant]] = Object.entries(offered.json.credentialOffer.grants) as [[string, object]]
  const token = await service.request('POST', '/openid4vci/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: grantType, ...grant }).toString(),
  })
  const { c_nonce: nonce } = (await service.request('POST', '/openid4vci/nonce')).json
  const taken = await service.request('POST', '/openid4vci/credential', {
    authorization: `Bearer ${token.json.access_token}`,
    body: {
      credential_configuration_id: `${TYPE}-sd-jwt`,
      proofs: { jwt: [await wallet.proofByDid(service.url, nonce)] },
    },
  })
  const [{ credential }] = taken.json.credentials
  return { id: offered.json.credentialOfferSessionId, credential, format: 'dc+sd-jwt' }
}

describe('an independent wallet answers', () => {
  it('with a credential that is bound to the DID URL of its key; no other wallet can use this credential', async () => {
    const held = await takenByDid(world.wallet)
    expect(decodeJwt(held.credential.split('~')[0] ?? '').cnf).toEqual({ kid: world.wallet.kid })
    const asked = () => ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const own = await asked()
    expect((await answerWithLibrary(world.wallet, own.authorizationRequestUri, [held])).status).toBe(200)
    expect((await sessionOf(service, own)).state).toBe('ResponseVerified')

    const stolen = await asked()
    await answerWithLibrary(await newWallet(), stolen.authorizationRequestUri, [held]).catch(() => undefined)
    expect(await sessionOf(service, stolen)).toMatchObject({
      state: 'Error',
      errorMessage: expect.stringContaining('Key Binding JWT signature is invalid.'),
    })
  })

  it.each(CASES)('a DCQL query with $format by $responseMode', async ({ format, responseMode }) => {
    const asked = await ask(service, { dcqlQuery: dcql(service, format), responseMode })
    expect((await sessionOf(service, asked)).state).toBe('RequestCreated')

    const answer = await answerWithLibrary(world.wallet, asked.authorizationRequestUri, [world.held[format]])
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(answer.payload.response_mode).toBe(responseMode)

    expect(await sessionOf(service, asked)).toMatchObject({ state: 'ResponseVerified' })
    const result = await resultOf(asked)
    expect(result.json.credentials).toMatchObject([
      { credentialQueryId: 'purchase', format, claims: { product: SUBJECT.product } },
    ])
  })

  it.each(CASES)('VP query items with $format by $responseMode', async ({ format, responseMode }) => {
    const asked = await ask(service, { query: [ITEM], responseMode })
    const answer = await answerWithLibrary(world.wallet, asked.authorizationRequestUri, [world.held[format]])
    expect(answer.status).toBe(200)
    expect((await sessionOf(service, asked)).state).toBe('ResponseVerified')
    const result = await resultOf(asked)
    expect(result.json.credentials).toMatchObject([{ queryItem: 0, format, claims: { product: SUBJECT.product } }])
  })

  it('several items at once, with one item in each format', async () => {
    const asked = await ask(service, {
      dcqlQuery: {
        credentials: [
          { ...dcql(service, 'dc+sd-jwt').credentials[0], id: 'first' },
          { ...dcql(service, 'jwt_vc_json').credentials[0], id: 'second' },
        ],
      },
    })
    const held = [world.held['dc+sd-jwt'], world.held.jwt_vc_json]
    const answer = await answerWithLibrary(world.wallet, asked.authorizationRequestUri, held)
    expect([answer.status, answer.answered]).toEqual([200, ['first', 'second']])
    expect((await resultOf(asked)).json.credentials).toHaveLength(2)
  })

  it('and is sent back with a response code for one use', async () => {
    const asked = await ask(service, { query: [ITEM], redirectUri: 'https://shop.example/done?order=7#paid' })
    const answer = await answerWithLibrary(world.wallet, asked.authorizationRequestUri, [world.held['dc+sd-jwt']])
    const redirect = new URL(String(answer.body.redirect_uri))
    expect([redirect.origin, redirect.searchParams.get('order'), redirect.hash]).toEqual([
      'https://shop.example',
      '7',
      '#paid',
    ])
    const code = redirect.searchParams.get('response_code') ?? ''
    expect(Buffer.from(code, 'base64url')).toHaveLength(32)

    expect((await resultOf(asked, '?response_code=guessed')).json.message).toBe('response_code does not match.')
    expect((await resultOf(asked, `?response_code=${'x'.repeat(1_000)}`)).status).toBe(403)
    const several = await Promise.all(Array.from({ length: 6 }, () => resultOf(asked, `?response_code=${code}`)))
    expect(several.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403])
    const again = await resultOf(asked, `?response_code=${code}`)
    expect([again.status, again.json.message]).toEqual([403, 'response_code does not match.'])
  })
})
