import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../../../images/pictures.js'
import { startService, type TestService } from '../../../support/service.js'
import { ask, dcql, decodeJwt } from '../../actors.js'

let service: TestService
let admin: string
let logo: { readonly id: string; readonly uri: string }
let verifierId: string

beforeAll(async () => {
  service = await startService({ env: { VERIFIER_LEGACY_PROFILES: 'draft21 draft24' } })
  // `ask` sends requests as this user.
  admin = await service.bearer('verifier', { roles: ['admin'] })
  const post = async (path: string, body: unknown) =>
    (await service.request('POST', path, { authorization: admin, body })).json
  logo = await post('/api/v1/images', { data: png(8, 8).toString('base64') })
  const { id } = await post('/agent/verifier', {
    method: 'web',
    display: [
      { name: 'Corner Shop', locale: 'en', logo: { image: logo.id } },
      { name: 'Eckladen', locale: 'de', logo: { uri: 'https://shop.example/de.png' } },
      { name: 'Magasin', locale: 'fr', logo: { uri: `data:image/png;base64,${png(1, 1).toString('base64')}` } },
    ],
    branding: { privacyUri: 'https://shop.example/privacy', termsUri: 'https://shop.example/terms' },
  })
  verifierId = id
})
afterAll(() => service.close())

const asked = (profile: string) => ask(service, { profile, verifierId, dcqlQuery: dcql(service, 'dc+sd-jwt') })

/** The client metadata of a signed request, as a wallet fetches it. */
async function fetched(requestUri: string): Promise<Record<string, unknown>> {
  const { client_metadata: metadata } = decodeJwt(await (await fetch(requestUri)).text())
  expect(metadata).toBeTypeOf('object')
  return metadata as Record<string, unknown>
}

const clientMetadata = async (profile: string) => fetched((await asked(profile)).request_uri)

describe('the names of a verifier in requests', () => {
  it('draft21 (§9.1; RFC 7591 §2.2): names, stored and linked logos by language, and the links', async () => {
    expect(await clientMetadata('draft21')).toMatchObject({
      client_name: 'Corner Shop',
      'client_name#en': 'Corner Shop',
      'client_name#de': 'Eckladen',
      'client_name#fr': 'Magasin',
      logo_uri: logo.uri,
      'logo_uri#en': logo.uri,
      'logo_uri#de': 'https://shop.example/de.png',
      policy_uri: 'https://shop.example/privacy',
      tos_uri: 'https://shop.example/terms',
    })
    expect(await clientMetadata('draft21')).not.toHaveProperty('logo_uri#fr')
  })

  it('draft21 shows a changed name at the next fetch', async () => {
    const { request_uri: requestUri } = await asked('draft21')
    const { display: before } = (
      await service.request('GET', `/api/v1/verifiers/${verifierId}`, { authorization: admin })
    ).json
    const [first, ...others] = before
    const changed = await service.request('POST', `/api/v1/verifiers/${verifierId}/display`, {
      authorization: admin,
      body: { before, display: [{ ...first, name: 'New Shop' }, ...others] },
    })
    expect(changed.status, changed.text).toBe(200)
    expect((await fetched(requestUri)).client_name).toBe('New Shop')
  })

  it.each(['final', 'draft24'])('%s: none, because wallets must ignore them (OpenID4VP 1.0 §5.1)', async (profile) => {
    const metadata = await clientMetadata(profile)
    expect(Object.keys(metadata).filter((name) => /^(?:client_name|logo_uri|policy_uri|tos_uri)/.test(name))).toEqual(
      [],
    )
  })
})
