import { describe, expect, it } from 'vitest'
import { contentOfQrCode } from '../../support/qr-code.js'
import { newWallet } from '../../support/wallet.js'
import { answer, ask, dcql, present, type RequestPayload, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const bodyOf = (body: Record<string, unknown>) => ({
  dcqlQuery: dcql(world.service, 'dc+sd-jwt'),
  responseMode: 'direct_post',
  clientIdPrefix: 'redirect_uri',
  ...body,
})

const asked = (body: Record<string, unknown> = {}) => ask(world.service, bodyOf(body))

async function refused(body: Record<string, unknown>) {
  const authorization = await world.service.bearer('verifier')
  const reply = await world.service.request('POST', '/authorization-requests', { authorization, body: bodyOf(body) })
  return [reply.status, reply.json.message]
}

/** The request that a wallet reads from the address. */
function payloadIn(address: string): RequestPayload {
  const parameters = Object.fromEntries(new URL(address).searchParams)
  const json = (name: string) => (parameters[name] === undefined ? {} : { [name]: JSON.parse(parameters[name]) })
  return { ...parameters, ...json('dcql_query'), ...json('client_metadata') } as unknown as RequestPayload
}

describe('a request of clientIdPrefix redirect_uri (OpenID4VP 1.0 §5.9.3)', () => {
  it('is not signed: the whole request is in the address, and nothing is fetched', async () => {
    const request = await asked()
    expect(request).not.toHaveProperty('request_uri')
    const { searchParams } = new URL(request.authorizationRequestUri)
    expect([...searchParams.keys()].toSorted()).toEqual([
      'client_id',
      'client_metadata',
      'dcql_query',
      'nonce',
      'response_mode',
      'response_type',
      'response_uri',
      'state',
    ])
    const payload = payloadIn(request.authorizationRequestUri)
    expect(payload).toMatchObject({
      client_id: `redirect_uri:${payload.response_uri}`,
      response_type: 'vp_token',
      nonce: request.nonce,
      state: request.state,
      dcql_query: dcql(world.service, 'dc+sd-jwt'),
    })
    expect(await contentOfQrCode(request.qr_code_url)).toBe(request.authorizationRequestUri)
    expect(await sessionOf(world.service, request)).toMatchObject({ state: 'RequestUriRetrieved' })
    const fetched = await fetch(payload.response_uri.replace('/responses/', '/requests/'))
    expect(fetched.status).toBe(404)
  })

  it.each(['direct_post', 'direct_post.jwt'])(
    'is answered like any other request, with its client_id as the audience (%s)',
    async (mode) => {
      const request = await asked({ responseMode: mode })
      const payload = payloadIn(request.authorizationRequestUri)
      const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
      expect((await answer(payload, { purchase })).status).toBe(200)
      expect(await sessionOf(world.service, request)).toMatchObject({ state: 'ResponseVerified' })
      const other = await asked({ responseMode: mode })
      const foreign = payloadIn(other.authorizationRequestUri)
      const replayed = [await present(world.held['dc+sd-jwt'], world.wallet, foreign, { audience: payload.client_id })]
      expect((await answer(foreign, { purchase: replayed })).status).toBe(400)
    },
  )

  it('is understood by a wallet: the hosted wallet looks for credentials', async () => {
    const wallet = await newWallet(world.service)
    const { authorizationRequestUri } = await asked()
    expect((await wallet.process(authorizationRequestUri)).json.message).toBe(
      'Could not find the required credentials for the presentation submission',
    )
  })

  it('may be for one specific wallet', async () => {
    const walletUrl = 'https://wallet.example/authorize'
    const { walletUri = '', authorizationRequestUri, qr_code_url: qrCode } = await asked({ walletUrl })
    expect(walletUri.startsWith(`${walletUrl}?client_id=redirect_uri`)).toBe(true)
    expect(payloadIn(walletUri)).toEqual(payloadIn(authorizationRequestUri))
    expect(await contentOfQrCode(qrCode)).toBe(walletUri)
  })

  it('is refused if it is too long for a QR code', async () => {
    const filled = (length: number) => ({ verifierInfo: [{ format: 'jwt', data: 'x'.repeat(length) }] })
    const { authorizationRequestUri } = await asked(filled(1))
    const room = 2_900 - authorizationRequestUri.length
    const fitting = await asked(filled(1 + room))
    expect(await contentOfQrCode(fitting.qr_code_url)).toBe(fitting.authorizationRequestUri)
    // With walletUrl, the QR code contains the address of this wallet.
    const walletUrl = 'https://wallet.example/authorize'
    const longer = walletUrl.length - 'openid4vp://'.length
    const forOne = await asked({ walletUrl, ...filled(1 + room - longer) })
    expect(await contentOfQrCode(forOne.qr_code_url)).toBe(forOne.walletUri)
    for (const body of [filled(2 + room), { walletUrl, ...filled(2 + room - longer) }]) {
      expect(await refused(body)).toEqual([
        400,
        ['clientIdPrefix redirect_uri needs a request of at most 2900 characters, which a QR code can hold'],
      ])
    }
  })
})
