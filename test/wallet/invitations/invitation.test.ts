import { describe, expect, it } from 'vitest'
import { readInvitation, resolveInvitation } from '../../../server/wallet/invitations/invitation.js'

const OFFER = encodeURIComponent('{"credential_issuer":"https://issuer.example"}')

/** Reads the invitation from the content of a QR code. The address in it answers with the given body. */
const resolved = (content: string, body: string, { status = 200, allowHttp = false } = {}) =>
  resolveInvitation(async () => new Response(body, { status }), content, allowHttp)

const jwt = (payload: unknown) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`

describe('the content of an address itself', () => {
  it.each([
    [`openid-credential-offer://?credential_offer=${OFFER}`],
    [`haip-vci://?credential_offer=${OFFER}`],
    [`openid-credential-offer:?credential_offer=${OFFER}`],
    [`HTTPS://wallet.example/take?credential_offer=${OFFER}`],
  ])('an offer: %s', (content) => {
    expect(readInvitation(content, false)).toEqual({ kind: 'offer', value: decodeURIComponent(OFFER) })
  })

  it.each(['openid4vp://', 'openid4vp:', 'haip-vp://', 'https://wallet.example/present'])('a request: %s', (start) => {
    const params = { client_id: 'x', response_type: 'vp_token', state: 'a b' }
    expect(readInvitation(`${start}?${new URLSearchParams(params)}`, false)).toEqual({ kind: 'request', params })
  })

  it.each([
    'mailto:a@b.example',
    'openid://?client_id=x',
    'hello',
    'http://wallet.example/',
    'https://',
    'https:wallet.example',
  ])('nothing: %s', (content) => {
    expect(readInvitation(content, false)).toBeUndefined()
  })

  it('an http address is accepted if http is allowed', () => {
    expect(readInvitation('http://wallet.example/a', true)).toEqual({
      kind: 'reference',
      url: 'http://wallet.example/a',
    })
  })

  it.each([
    ['openid4vp://?client_id=a&client_id=b&request_uri=https://a.example', 'client_id is given more than once'],
    [
      `openid-credential-offer://?credential_offer=${OFFER}&credential_offer_uri=https://a.example`,
      'must have exactly one',
    ],
    ['openid-credential-offer://?credential_offer_uri=file:///etc/passwd', 'credential_offer_uri must be an https'],
    ['openid4vp://?client_id=x&response_type=id_token', 'response_type must have vp_token'],
  ])('a broken rule is named: %s', (content, rule) => {
    expect(() => readInvitation(content, false)).toThrow(rule)
  })
})

describe('the content behind an address without parameters', () => {
  const at = 'https://other.example/x'

  it('an offer', async () => {
    expect(await resolved(at, ' {"a":1} ')).toEqual({ kind: 'offer', value: '{"a":1}', servedBy: 'other.example' })
  })

  it('a request object, which names its own client', async () => {
    const request = jwt({ client_id: 'did:web:verifier.example' })
    expect(await resolved(at, request)).toEqual({
      kind: 'request',
      params: { client_id: 'did:web:verifier.example', request },
    })
  })

  it.each([
    ['a page', '<!doctype html>', 200, 'serves neither'],
    ['a JWT of no client', jwt({ client_id: 7 }), 200, 'serves neither'],
    ['three words with dots', 'a.b.c', 200, 'serves neither'],
    ['nothing', '', 404, 'answered with status 404'],
  ])('%s is refused', async (_, body, status, reason) => {
    await expect(resolved(at, body, { status })).rejects.toThrow(reason)
  })

  it('nothing is fetched if the content is not an invitation: 400', async () => {
    const fetch = () => Promise.reject(new Error('fetched'))
    await expect(resolveInvitation(fetch, 'hello', false)).rejects.toMatchObject({ status: 400 })
  })
})
