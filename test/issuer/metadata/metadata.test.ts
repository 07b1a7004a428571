import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import { PURCHASE, postSchema } from '../purchase.js'

let service: TestService
let alice: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
})
afterAll(() => service.close())

const metadata = async () => {
  const answer = await service.request('GET', '/.well-known/openid-credential-issuer')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
  return answer.json
}

describe('GET /.well-known/openid-credential-issuer', () => {
  it('has the members of the interface, none of them null', async () => {
    await postSchema(service, alice)
    const json = await metadata()
    expect(json).toMatchObject({
      credential_issuer: service.url,
      credential_endpoint: `${service.url}/openid4vci/credential`,
      token_endpoint: `${service.url}/openid4vci/token`,
      schema_endpoint: `${service.url}/schemas`,
      offering_endpoint: `${service.url}/api/v1/offerings`,
      authorization_servers: [service.url],
      display: [{ name: new URL(service.url).host, locale: 'en' }],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: expect.arrayContaining(['ES256']) } },
    })
    expect(JSON.stringify(json)).not.toContain('null')
  })

  it('has two configurations for each active schema, with the claims in the order of the author', async () => {
    const display = [{ name: 'Purchase' }, { name: 'Kaufbeleg', locale: 'de' }]
    const { name } = await postSchema(service, alice, { version: 1, schema: { type: 'object' } })
    await postSchema(service, alice, { name, version: 2, schema: PURCHASE, display })
    const { [name]: jwtVc, [`${name}-sd-jwt`]: sdJwtVc } = (await metadata()).credential_configurations_supported
    const shown = [
      { name: 'Purchase', locale: 'en' },
      { name: 'Kaufbeleg', locale: 'de' },
    ]
    expect(jwtVc).toMatchObject({
      format: 'jwt_vc_json',
      credential_definition: { type: ['VerifiableCredential', name] },
      display: shown,
      credential_metadata: {
        display: shown,
        claims: [
          { path: ['credentialSubject', 'product'], mandatory: true, display: [{ name: 'Product', locale: 'en' }] },
          { path: ['credentialSubject', 'price'], mandatory: false },
          { path: ['credentialSubject', 'shop'], mandatory: false },
          { path: ['credentialSubject', 'shop', 'city'], mandatory: false },
        ],
      },
    })
    expect(sdJwtVc).toMatchObject({ format: 'dc+sd-jwt', vct: `${service.url}/vct/${name}` })
    expect(sdJwtVc.credential_metadata.claims.map(({ path }: { path: string[] }) => path.join('.'))).toEqual([
      'product',
      'price',
      'shop',
      'shop.city',
    ])
    for (const configuration of [jwtVc, sdJwtVc]) {
      expect(configuration.cryptographic_binding_methods_supported).toEqual(expect.arrayContaining(['jwk', 'did:jwk']))
      expect(configuration.proof_types_supported.jwt.proof_signing_alg_values_supported).toContain('ES256')
    }
  })

  it('names each language once (OpenID4VCI 1.0 §12.2.4)', async () => {
    const display = [
      { name: 'Erste', locale: 'de' },
      { name: 'Zweite', locale: 'DE' },
      { name: 'Third' },
      { name: 'Fourth' },
    ]
    const { name } = await postSchema(service, alice, { display })
    const once = [
      { name: 'Erste', locale: 'de' },
      { name: 'Third', locale: 'en' },
    ]
    expect((await metadata()).credential_configurations_supported[name].display).toEqual(once)
    expect((await service.request('GET', `/vct/${name}`)).json.display).toEqual(once)
  })
})
