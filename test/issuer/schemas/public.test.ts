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

describe('GET /api/v1/schemas/{id}', () => {
  it('gives anyone the JSON Schema at the address in credentialSchema.id, also of superseded versions', async () => {
    const first = await postSchema(service, alice)
    await postSchema(service, alice, { name: first.name, version: 2 })
    const answer = await service.request('GET', new URL(first.schemaUri).pathname)
    expect([answer.status, answer.json]).toEqual([200, PURCHASE])
  })

  it('answers 404 for an unknown one', async () => {
    const answer = await service.request('GET', '/api/v1/schemas/unknown')
    expect([answer.status, answer.json.message]).toEqual([404, 'Schema not found.'])
  })
})

describe('GET /vct/{name}', () => {
  it('gives anyone the type metadata of the active version (SD-JWT VC §6.2), whose `vct` is its address', async () => {
    const { name } = await postSchema(service, alice, {
      version: 1,
      title: 'Proof of purchase',
      description: 'That something was bought.',
      selectivelyDisclosable: ['price', 'shop.city'],
    })
    const answer = await service.request('GET', `/vct/${name}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.json).toEqual({
      vct: `${service.url}/vct/${name}`,
      name: 'Proof of purchase',
      description: 'That something was bought.',
      display: [{ locale: 'en', name: 'Proof of purchase' }],
      claims: [
        { path: ['product'], sd: 'never', mandatory: true, display: [{ locale: 'en', label: 'Product' }] },
        { path: ['price'], sd: 'always' },
        { path: ['shop'], sd: 'never' },
        { path: ['shop', 'city'], sd: 'always' },
      ],
    })
  })

  describe('describes every version, and contradicts none', () => {
    const claimsOf = async (name: string) => {
      const { claims } = (await service.request('GET', `/vct/${name}`)).json
      return Object.fromEntries(
        claims.map(({ path, ...rules }: { path: string[]; display?: unknown }) => [
          path.join('.'),
          { ...rules, display: undefined },
        ]),
      )
    }
    const address = {
      type: 'object',
      properties: { city: { type: 'string' }, zip: { type: 'string' } },
      required: ['city'],
    }
    const schema = (...required: string[]) => ({
      type: 'object',
      properties: { product: { type: 'string' }, price: { type: 'number' }, address },
      required,
    })

    it('if versions differ in withholding, the metadata say `allowed`; if they differ in mandatory claims, the metadata say nothing', async () => {
      const { name } = await postSchema(service, alice, {
        schema: schema('product', 'price'),
        selectivelyDisclosable: ['product'],
      })
      await postSchema(service, alice, {
        name,
        version: 2,
        schema: schema('product', 'address'),
        selectivelyDisclosable: ['product', 'address', 'address.city'],
      })
      expect(await claimsOf(name)).toEqual({
        product: { sd: 'always', mandatory: true },
        price: { sd: 'never' },
        address: { sd: 'allowed' },
        'address.city': { sd: 'allowed' },
        'address.zip': { sd: 'never' },
      })
    })

    it('a claim is mandatory if it and all its parents are mandatory', async () => {
      const optional = await postSchema(service, alice, { schema: schema('product') })
      const required = await postSchema(service, alice, { schema: schema('product', 'address') })
      expect((await claimsOf(optional.name))['address.city']).toEqual({ sd: 'never' })
      expect((await claimsOf(required.name))['address.city']).toEqual({ sd: 'never', mandatory: true })
    })

    it('a withdrawn version counts, because it has issued credentials', async () => {
      const { name, id } = await postSchema(service, alice, { selectivelyDisclosable: [], schema: schema() })
      await postSchema(service, alice, { name, version: 2, schema: schema('product') })
      await service.request('DELETE', `/schemas/${id}`, { authorization: alice })
      expect((await claimsOf(name)).product).toEqual({ sd: 'allowed' })
    })

    it('with too many or too large versions, the metadata contain only statements that no version can contradict', async () => {
      const { name } = await postSchema(service, alice, { schema: schema('product') })
      const large = { ...schema('product'), description: 'x'.repeat(60_000) }
      for (const version of [2, 3, 4]) await postSchema(service, alice, { name, version, schema: large })
      expect((await claimsOf(name)).product).toEqual({ sd: 'always', mandatory: true })
      for (const version of [5, 6]) await postSchema(service, alice, { name, version, schema: large })
      expect((await claimsOf(name)).product).toEqual({ sd: 'allowed' })
    })
  })

  it('has the display of the credential for wallets, in each language', async () => {
    const logo = { uri: 'https://shop.example/logo.png', alt_text: 'A mill' }
    const { name } = await postSchema(service, alice, {
      display: [{ name: 'Purchase' }, { name: 'Kaufbeleg', locale: 'de', logo, background_color: '#123456' }],
    })
    expect((await service.request('GET', `/vct/${name}`)).json.display).toEqual([
      { locale: 'en', name: 'Purchase' },
      { locale: 'de', name: 'Kaufbeleg', rendering: { simple: { logo, background_color: '#123456' } } },
    ])
  })

  it('answers 404 for an unknown name, never HTML with 200', async () => {
    const answer = await service.request('GET', '/vct/Nobody')
    expect([answer.status, answer.json.message]).toEqual([404, 'Schema not found.'])
  })
})
