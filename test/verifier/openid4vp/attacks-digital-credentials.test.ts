import { beforeAll, describe, expect, it } from 'vitest'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { dcql, encrypt, present, sessionOf } from '../actors.js'
import {
  type AskedOverBrowser,
  answerInBrowser,
  askBrowser,
  type BrowserRequest,
  credentialWith,
  parametersOf,
  postFrom,
  SHOP,
} from '../browser.js'
import { FOR_PURCHASE, FORMATS, useWorld } from '../world.js'

const world = useWorld()
let stranger: WalletActor
beforeAll(async () => {
  stranger = await newWallet()
})

const asked = (body: Record<string, unknown> = {}) =>
  askBrowser(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), responseMode: 'dc_api', ...body })

const answered = (request: AskedOverBrowser, options = {}) =>
  answerInBrowser(request.digitalCredentialRequest, world.wallet, world.held['dc+sd-jwt'], options)

/** Checks a refusal that does not change the session: the wallet may still answer. */
async function expectStillOpen(request: AskedOverBrowser, credential: unknown, sentence: string, status = 400) {
  const reply = await postFrom(status === 403 ? 'https://evil.example' : SHOP, request, credential)
  expect([reply.status, reply.json.error_description]).toEqual([status, sentence])
  expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  expect((await postFrom(SHOP, request, await answered(request))).status).toBe(200)
}

/** Checks a refusal because of the content, which ends the session. */
async function expectRefused(request: AskedOverBrowser, credential: BrowserRequest, sentence: string) {
  const reply = await postFrom(SHOP, request, credential)
  expect([reply.status, reply.json]).toEqual([400, { error: 'invalid_request', error_description: sentence }])
  expect(await sessionOf(world.service, request)).toMatchObject({ state: 'Error', errorMessage: sentence })
}

describe('attacks on origins (OpenID4VP 1.0 Appendix A.2, A.4)', () => {
  it.each([
    'https://evil.example',
    'https://shop.example.evil.example',
    'https://shop.exampl',
    'https://shop.example:8443',
    'http://shop.example',
    'https://shop.example/',
    'https://SHOP.example',
    'null',
  ])('an unexpected page posts: %s', async (origin) => {
    const request = await asked()
    const reply = await postFrom(origin, request, await answered(request))
    expect([reply.status, reply.json]).toEqual([
      403,
      { error: 'access_denied', error_description: 'Origin is not an expected origin of the request.' },
    ])
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
    expect((await postFrom(SHOP, request, await answered(request))).status).toBe(200)
  })

  it.each(FORMATS)(
    'if the browser named another page to the wallet, only the audience counts, with any Origin (%s)',
    async (format) => {
      const word = { 'dc+sd-jwt': 'Key Binding JWT', jwt_vc_json: 'Presentation' }[format]
      for (const audience of [
        'origin:https://evil.example',
        'origin:https://shop.example.evil.example',
        'origin:https://shop.example@evil.example',
        'origin:https://shop.example//',
        'origin:https://shop.example/pay',
        'origin:http://shop.example',
        SHOP,
        `web-origin:${SHOP}`,
        `ORIGIN:${SHOP}`,
      ]) {
        const request = await asked({ dcqlQuery: dcql(world.service, format) })
        const credential = await answerInBrowser(request.digitalCredentialRequest, world.wallet, world.held[format], {
          audience,
        })
        await expectRefused(request, credential, `${FOR_PURCHASE} ${word} aud is not this verifier.`)
      }
    },
  )

  it('the client_id is not an audience, although it signed the request', async () => {
    const request = await asked({ signed: true })
    const { client_id: audience } = parametersOf(request.digitalCredentialRequest)
    expect(audience).toMatch(/^decentralized_identifier:/)
    const credential = await answered(request, { audience })
    await expectRefused(request, credential, `${FOR_PURCHASE} Key Binding JWT aud is not this verifier.`)
  })

  it('an origin is not an audience of a request that was sent in another way', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const shown = await present(world.held['dc+sd-jwt'], world.wallet, payload, { audience: `origin:${SHOP}` })
    await world.expectRefused(
      request,
      payload,
      { purchase: [shown] },
      `${FOR_PURCHASE} Key Binding JWT aud is not this verifier.`,
    )
  })
})

describe('attacks with answers to another request', () => {
  it.each([
    [{ signed: true }, 'openid4vp-v1-unsigned'],
    [{ signed: true }, 'openid4vp-v1-multisigned'],
    [{ signed: true }, 'openid4vp'],
    [{ signed: false }, 'openid4vp-v1-signed'],
  ])('a request %j is answered as %s', async (body, protocol) => {
    const request = await asked(body)
    const { protocol: own } = request.digitalCredentialRequest
    const credential = { ...(await answered(request)), protocol }
    await expectStillOpen(request, credential, `Member protocol is not ${own}, as in the request.`)
  })

  it('an unencrypted answer to a request with encryption, or an encrypted answer to a request without', async () => {
    const secret = await asked({ responseMode: 'dc_api.jwt' })
    const { protocol } = secret.digitalCredentialRequest
    const shown = await present(world.held['dc+sd-jwt'], world.wallet, parametersOf(secret.digitalCredentialRequest), {
      audience: `origin:${SHOP}`,
    })
    const missing = 'Parameter response is missing: the request asks for an encrypted answer.'
    await expectStillOpen(secret, { protocol, data: { vp_token: { purchase: [shown] } } }, missing)
    const open = await asked()
    const { data } = await answered(await asked({ responseMode: 'dc_api.jwt' }))
    await expectStillOpen(open, { protocol, data }, 'Response is encrypted, which the request does not ask for.')
  })

  it('a JWE is for the key of another request', async () => {
    const [request, other] = await Promise.all([1, 2].map(() => asked({ responseMode: 'dc_api.jwt' })))
    if (request === undefined || other === undefined) throw new Error('There are no requests.')
    await expectStillOpen(request, await answered(other), 'Response is encrypted for another key.')
  })

  it('an answer to another request is encrypted again for this one', async () => {
    const [request, other] = await Promise.all([1, 2].map(() => asked({ responseMode: 'dc_api.jwt' })))
    if (request === undefined || other === undefined) throw new Error('There are no requests.')
    const shown = await present(world.held['dc+sd-jwt'], world.wallet, parametersOf(other.digitalCredentialRequest), {
      audience: `origin:${SHOP}`,
    })
    const credential = await credentialWith(request.digitalCredentialRequest, { vp_token: { purchase: [shown] } })
    await expectRefused(request, credential, `${FOR_PURCHASE} Key Binding JWT nonce is not that of the request.`)
  })

  it('apu or apv of a JWE was changed', async () => {
    const request = await asked({ responseMode: 'dc_api.jwt' })
    const { protocol } = request.digitalCredentialRequest
    const parties = { apu: Buffer.from('wallet'), apv: Buffer.from('verifier') }
    const jwe = await encrypt(parametersOf(request.digitalCredentialRequest), { error: 'access_denied' }, { parties })
    const [header = '', ...rest] = jwe.split('.')
    for (const member of ['apu', 'apv']) {
      const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), [member]: 'b3RoZXI' }
      const response = [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.')
      const reply = await postFrom(SHOP, request, { protocol, data: { response } })
      expect([reply.status, reply.json.error_description]).toEqual([400, 'Response cannot be decrypted.'])
    }
    await expectStillOpen(request, { protocol, data: { response: 'x' } }, 'Response is not a compact JWE.')
  })

  it('the credential of another holder', async () => {
    const request = await asked()
    const held = world.held['dc+sd-jwt']
    const credential = await answerInBrowser(request.digitalCredentialRequest, stranger, held)
    await expectRefused(request, credential, `${FOR_PURCHASE} Key Binding JWT signature is invalid.`)
  })
})

describe('garbage', () => {
  const missing = 'Parameter vp_token is missing.'
  const shape = 'Parameter vp_token is not a JSON object of arrays.'

  it.each([
    [{}, missing],
    ['{}', missing],
    ['[]', 'Member data is not a JSON object.'],
    ['{"vp_token":', 'Member data is not a JSON object.'],
    ['"{}"', 'Member data is not a JSON object.'],
    [{ vp_token: '{"purchase":["x"]}' }, shape],
    [{ vp_token: ['x'] }, shape],
    [{ vp_token: { purchase: 'x' } }, 'Parameter vp_token holds a single presentation where an array of them is due.'],
    [{ error: 7 }, 'Parameter error is not a string.'],
    [{ response: 7 }, 'Response is encrypted, which the request does not ask for.'],
  ])('as data is refused, and the session stays open: %j', async (data, sentence) => {
    const request = await asked()
    const { protocol } = request.digitalCredentialRequest
    await expectStillOpen(request, { protocol, data }, sentence)
  })

  it.each([
    [undefined],
    [null],
    [7],
    [[]],
    [{ protocol: 'openid4vp-v1-unsigned' }],
    [{ data: {} }],
    [{ protocol: 7, data: {} }],
  ])('as the whole is an OAuth error: %j', async (credential) => {
    const request = await asked()
    const reply = await postFrom(SHOP, request, credential)
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_request'])
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })

  it('of more than 1 MiB is not read', async () => {
    const request = await asked()
    const { protocol } = request.digitalCredentialRequest
    const reply = await postFrom(SHOP, request, { protocol, data: { vp_token: 'x'.repeat(1_100_000) } })
    expect(reply.status).toBe(413)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })

  it('for an unknown id, or for a request that was sent in another way, is 404', async () => {
    const credential = { protocol: 'openid4vp-v1-signed', data: { error: 'access_denied' } }
    const { asked: request } = await world.asked('dc+sd-jwt')
    const id = request.request_uri.split('/').at(-1)
    for (const one of [crypto.randomUUID(), id]) {
      const uri = `${world.service.url}/openid4vp/dc-api/${one}`
      expect((await postFrom(SHOP, { response_uri: uri }, credential)).status).toBe(404)
    }
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
  })
})
