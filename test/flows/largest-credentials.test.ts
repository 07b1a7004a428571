import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PURCHASE, postSchema } from '../issuer/purchase.js'
import { startService, type TestService } from '../support/service.js'
import { LOOPBACK, newWallet } from '../support/wallet.js'
import { askDue } from '../wallet/deferred-actors.js'

/** A subject of the maximum size, such as a subject with a photograph. */
const SUBJECT = { product: 'x'.repeat(160 * 1024 - '{"product":""}'.length) }

/** The service that hosts the wallets. */
let service: TestService
/** The service that issues the credentials. It has a separate database, so it is a different installation. */
let other: TestService

beforeAll(async () => {
  const options = { env: { ...LOOPBACK, ISSUER_LEGACY_PROFILES: 'draft13,draft11' }, maintenance: false }
  service = await startService(options)
  other = await startService(options)
})
afterAll(async () => {
  await service.close()
  await other.close()
})

/** Makes an offer with the largest subject, and lets a wallet take it. */
async function taking(issuer: TestService, members: Readonly<Record<string, unknown>> = {}, copies?: number) {
  const authorization = await issuer.bearer('issuer')
  const { name } = await postSchema(issuer, authorization, { schema: PURCHASE })
  const body = { credentialConfigurationIds: [name, `${name}-sd-jwt`], credentialSubject: SUBJECT, ...members }
  const offered = await issuer.request('POST', '/credential-offers', { authorization, body })
  expect(offered.status, offered.text.slice(0, 300)).toBe(201)
  const wallet = await newWallet(service)
  const taken = await wallet.process(offered.json.credentialOfferUri, copies === undefined ? {} : { copies })
  const approve = () =>
    issuer.request('POST', `/credential-offer-sessions/${offered.json.credentialOfferSessionId}/approve`, {
      authorization,
      body: {},
    })
  return { wallet, name: String(name), taken, approve }
}

describe.each([
  ['this installation', () => service],
  ['another installation', () => other],
])('the largest credentials that %s issues', (_, issuer) => {
  it.each([1, 3, 20])('are taken in %s copies, although encryption makes an answer longer', async (copies) => {
    const { taken } = await taking(issuer(), {}, copies)
    expect([taken.status, taken.json.credentials?.length], taken.text.slice(0, 300)).toEqual([200, 2])
  })

  it('are taken later if the issuer defers them', async () => {
    const { wallet, taken, approve } = await taking(issuer(), { deferred: true }, 3)
    expect([taken.status, taken.json.deferred], taken.text.slice(0, 300)).toEqual([200, 2])
    expect((await approve()).status).toBe(200)
    await askDue(service)
    expect((await wallet.get('/credentials')).json).toHaveLength(2)
  })

  it.each(['draft13', 'draft11'])('are taken by %s, which has no encryption', async (profile) => {
    const { taken } = await taking(issuer(), { profile })
    expect([taken.status, taken.json.credentials?.length], taken.text.slice(0, 300)).toEqual([200, 2])
  })
})

describe.each(['dc+sd-jwt', 'jwt_vc_json'])('the largest credentials in the format %s', (format) => {
  const asked = (name: string) => ({
    id: 'purchase',
    format,
    meta:
      format === 'dc+sd-jwt'
        ? { vct_values: [`${other.url}/vct/${name}`] }
        : { type_values: [['VerifiableCredential', name]] },
  })

  it.each(['direct_post', 'direct_post.jwt'])('are presented by %s, and verified by their issuer', async (mode) => {
    const { wallet, name } = await taking(other)
    const request = await other.request('POST', '/authorization-requests', {
      authorization: await other.bearer('verifier'),
      body: { responseMode: mode, dcqlQuery: { credentials: [asked(name)] }, trustedIssuers: ['self'] },
    })
    const shown = await wallet.process(request.json.authorizationRequestUri)
    expect([shown.status, shown.json.type], shown.text.slice(0, 300)).toEqual([200, 'authorization_request'])
  })
})
