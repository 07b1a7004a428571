import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema } from '../../../issuer/purchase.js'
import { startService, type TestService } from '../../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../../support/wallet.js'
import { ask, sessionOf } from '../../../verifier/actors.js'

let service: TestService
let wallet: HostedWallet
let type: string

beforeAll(async () => {
  service = await startService({ env: { ...LOOPBACK, VERIFIER_LEGACY_PROFILES: 'draft21 draft24' } })
  wallet = await newWallet(service, 'alice')
  const schema = await postSchema(service, await service.bearer('issuer'))
  type = schema.name
  const taken = await wallet.process((await postOffering(service, { credential_type: type })).offering_full_url)
  if (taken.status !== 200) throw new Error(taken.text)
})
afterAll(() => service.close())

const sdJwt = (more: Record<string, unknown> = {}) => ({
  id: 'purchase',
  format: 'dc+sd-jwt',
  meta: { vct_values: [`${service.url}/vct/${type}`] },
  claims: [{ path: ['product'] }],
  ...more,
})

const jwt = (more: Record<string, unknown> = {}) => ({
  id: 'purchase',
  format: 'jwt_vc_json',
  meta: { type_values: [[type]] },
  claims: [{ path: ['credentialSubject', 'product'] }],
  ...more,
})

/** Sends the wallet's answer to this service's verifier. Returns the result. */
async function verified(profile: string, dcqlQuery: unknown, more: Record<string, unknown> = {}) {
  const asked = await ask(service, { profile, dcqlQuery, ...more })
  const answer = await wallet.process(asked.authorizationRequestUri)
  return { answer, session: await sessionOf(service, asked), asked }
}

describe.each(['draft24', 'draft21'])('the verifier of this service under %s', (profile) => {
  it.each([
    ['dc+sd-jwt', 'direct_post', sdJwt],
    ['dc+sd-jwt', 'direct_post.jwt', sdJwt],
    ['jwt_vc_json', 'direct_post', jwt],
    ['jwt_vc_json', 'direct_post.jwt', jwt],
  ] as const)('accepts a hosted wallet’s presentation: %s by %s', async (_format, responseMode, query) => {
    const { answer, session } = await verified(profile, { credentials: [query()] }, { responseMode })
    expect(answer.status, answer.text).toBe(200)
    expect(session.state).toBe('ResponseVerified')
  })

  it('several credentials at once', async () => {
    const credentials = [sdJwt({ id: 'one' }), jwt({ id: 'two' })]
    const { answer, session } = await verified(profile, { credentials })
    expect(answer.status, answer.text).toBe(200)
    expect(session.state).toBe('ResponseVerified')
  })

  it('of alternatives the credential in the wallet', async () => {
    const credentials = [sdJwt({ id: 'pid', meta: { vct_values: ['urn:eudi:pid:1'] } }), sdJwt()]
    const credential_sets = [{ options: [['pid'], ['purchase']] }]
    const { answer, session } = await verified(profile, { credentials, credential_sets })
    expect(answer.status, answer.text).toBe(200)
    expect(session.state).toBe('ResponseVerified')
  })

  it('of claim sets the set that the credential satisfies', async () => {
    const claims = [
      { id: 'a', path: ['color'] },
      { id: 'b', path: ['product'] },
    ]
    const { answer, session } = await verified(profile, {
      credentials: [sdJwt({ claims, claim_sets: [['a'], ['b']] })],
    })
    expect(answer.status, answer.text).toBe(200)
    expect(session.state).toBe('ResponseVerified')
  })

  it('receives access_denied if the person declines the flow', async () => {
    const asked = await ask(service, {
      profile,
      dcqlQuery: { credentials: [sdJwt()] },
      redirectUri: 'https://shop.example/done',
    })
    const { authorization, did } = wallet
    const body = { qrContent: asked.authorizationRequestUri, did }
    const { json } = await service.request('POST', '/flows', { authorization, body })
    expect(json.data.matchingCredentials).toHaveLength(1)
    const declined = await service.request('POST', `/flows/${json.data.processId}/decline`, { authorization })
    expect(declined.json.data.redirectUri).toContain('https://shop.example/done?response_code=')
    expect(await sessionOf(service, asked)).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered access_denied.',
    })
  })

  it('does not learn that a credential is missing', async () => {
    const { answer, session } = await verified(profile, {
      credentials: [sdJwt({ meta: { vct_values: ['urn:eudi:pid:1'] } })],
    })
    expect(answer.status).toBe(500)
    expect(session.state).toBe('RequestUriRetrieved')
  })
})
