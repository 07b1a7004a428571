import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { contentOfQrCode } from '../../support/qr-code.js'
import { TWO_READINGS } from '../../support/two-readings.js'
import { type Asked, ask, dcql, ITEM, postForm, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()

const asked = (body: Record<string, unknown> = {}) =>
  ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), ...body }) as Promise<
    Asked & { readonly walletUri?: string }
  >

async function refused(body: Record<string, unknown>) {
  const reply = await world.service.request('POST', '/authorization-requests', {
    authorization: await world.service.bearer('verifier'),
    body: { query: [ITEM], ...body },
  })
  return [reply.status, reply.json.message]
}

describe('walletUrl', () => {
  it.each([
    ['https://wallet.example/authorize', 'https://wallet.example/authorize?'],
    ['https://wallet.example/authorize?tenant=7', 'https://wallet.example/authorize?tenant=7&'],
    ['eudi-wallet://', 'eudi-wallet://?'],
  ])('is the beginning of an additional address, and of the QR code: %s', async (walletUrl, start) => {
    const { walletUri = '', authorizationRequestUri, qr_code_url: qrCode, ...request } = await asked({ walletUrl })
    expect(walletUri.startsWith(start)).toBe(true)
    const parameters = Object.fromEntries(new URL(authorizationRequestUri).searchParams)
    expect(Object.fromEntries(new URL(walletUri).searchParams)).toMatchObject(parameters)
    expect(await contentOfQrCode(qrCode)).toBe(walletUri)
    // The interface's address does not change.
    expect(authorizationRequestUri.startsWith('openid4vp://?')).toBe(true)
    expect((await sessionOf(world.service, request)).authorizationRequestUri).toBe(authorizationRequestUri)
  })

  it('is missing in the answer if the request has none', async () => {
    const { authorizationRequestUri, qr_code_url: qrCode, ...request } = await asked()
    expect(request).not.toHaveProperty('walletUri')
    expect(await contentOfQrCode(qrCode)).toBe(authorizationRequestUri)
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://wallet.example/',
    'wallet',
    'https://wallet.example/#x',
    ...TWO_READINGS,
  ])('is refused as %s', async (walletUrl) => {
    const message = ['walletUrl must be an https address or begin with the scheme of an app']
    expect(await refused({ walletUrl })).toEqual([400, message])
  })

  it('is refused if it is longer than 1,024 characters, because a QR code could not contain it', async () => {
    const long = (length: number) => 'https://wallet.example/'.padEnd(length, 'x')
    expect((await asked({ walletUrl: long(1_024) })).walletUri?.startsWith(`${long(1_024)}?`)).toBe(true)
    const [status, message] = await refused({ walletUrl: long(1_025) })
    expect([status, message]).toEqual([400, [expect.stringMatching(/^walletUrl /)]])
  })
})

describe('verifierInfo (OpenID4VP 1.0 §5.1, verifier_info)', () => {
  const INFO = [
    { format: 'jwt', data: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln' },
    { format: 'https://trust.example/registration', data: { purpose: 'age' }, credential_ids: ['purchase'] },
  ]
  const infoOf = async ({ request_uri: uri }: Asked) => decodeJwt(await (await fetch(uri)).text()).verifier_info

  it('is sent unchanged with the request', async () => {
    expect(await infoOf(await asked({ verifierInfo: INFO }))).toEqual(INFO)
    expect(await infoOf(await asked())).toBeUndefined()
  })

  it('may name only requested credentials', async () => {
    const verifierInfo = [...INFO, { format: 'jwt', data: 'x', credential_ids: ['purchase', 'other'] }]
    expect(await refused({ query: undefined, dcqlQuery: dcql(world.service, 'dc+sd-jwt'), verifierInfo })).toEqual([
      400,
      ['verifierInfo.2.credential_ids.1 must be the id of a credential query'],
    ])
  })

  it('does not name a credential that is not in the copy of the query for this wallet', async () => {
    const verifierInfo = [
      { format: 'jwt', data: 'a', credential_ids: ['item-0-sd-jwt'] },
      { format: 'jwt', data: 'b', credential_ids: ['item-0-sd-jwt', 'item-0-jwt-vc'] },
      { format: 'jwt', data: 'c' },
    ]
    const request = await asked({ dcqlQuery: undefined, query: [ITEM], verifierInfo })
    const wallet_metadata = JSON.stringify({ vp_formats_supported: { jwt_vc_json: {} } })
    const { text } = await postForm(request.request_uri, { wallet_metadata })
    expect(decodeJwt(text).verifier_info).toEqual([
      { format: 'jwt', data: 'b', credential_ids: ['item-0-jwt-vc'] },
      { format: 'jwt', data: 'c' },
    ])
  })

  it.each([
    [[], 'verifierInfo must hold at least 1 element'],
    [[{ format: 'jwt', data: 7 }], 'verifierInfo.0.data'],
    [[{ format: 'jwt', data: 'x', credential_ids: [] }], 'verifierInfo.0.credential_ids'],
    [[{ format: 'jwt', data: 'x'.repeat(65_536) }], 'verifierInfo must not hold more than 65536 characters'],
    [Array(17).fill({ format: 'jwt', data: 'x' }), 'verifierInfo'],
  ])('is refused if it is malformed or too large (%#)', async (verifierInfo, start) => {
    const [status, [message]] = (await refused({ verifierInfo })) as [number, [string]]
    expect(status).toBe(400)
    expect(message.startsWith(start.split(' must')[0] ?? '')).toBe(true)
  })
})
