import { Openid4vciClient } from '@openid4vc/openid4vci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet.js'
import { libraryCallbacks } from '../openid4vci/library-wallet.js'
import { newTypeName, PURCHASE, postOffering } from '../purchase.js'

let service: TestService
let alice: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice', { roles: ['admin'] })
})
afterAll(() => service.close())

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const SVG = 'data:image/svg+xml;base64,PHN2Zy8+'
const GOOD = {
  name: 'Beleg',
  locale: 'de-CH-1996',
  description: 'Ein Beleg.',
  background_color: 'rgba(29, 79, 196, 0.5)',
  background_image: { uri: 'https://shop.example/card.png' },
  text_color: '#fff',
  logo: { uri: PNG, alt_text: 'Logo' },
}

const post = (entry: object, name = newTypeName()) =>
  service.request('POST', '/schemas', {
    authorization: alice,
    body: { name, version: 1, schema: PURCHASE, display: [{ name: 'Receipt', ...entry }] },
  })

const displayOf = async (name: string) => {
  const { json } = await service.request('GET', '/.well-known/openid-credential-issuer')
  return json.credential_configurations_supported[`${name}-sd-jwt`].credential_metadata.display
}

/** Reads the metadata with a wallet library. The library accepts the whole document or refuses it. */
const readByLibrary = async () =>
  new Openid4vciClient({ callbacks: libraryCallbacks([]) }).resolveIssuerMetadata(service.url)

describe('display of a type (OpenID4VCI 1.0 §12.2.4)', () => {
  it('is published with all members of the standard, background_image too, and a wallet library reads it', async () => {
    const name = newTypeName()
    const answer = await post(GOOD, name)
    expect([answer.status, answer.json.display], answer.text).toEqual([201, [GOOD]])
    expect(await displayOf(name)).toEqual([GOOD])
    await expect(readByLibrary()).resolves.toBeDefined()
    const type = (await service.request('GET', `/vct/${name}`)).json
    expect(type.display[0].rendering.simple.background_image).toEqual(GOOD.background_image)
  })

  it.each([
    'javascript:alert(1)',
    'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
    'http://shop.example/logo.png',
    'data:text/html;base64,PGI+',
    'data:application/pdf;base64,AA==',
    'data:image/,x',
    'file:///etc/passwd',
    'blob:https://shop.example/1',
    'ftp://shop.example/logo.png',
    'https:shop.example/logo.png',
    'https:///logo.png',
    'https://user@shop.example/logo.png',
    'https://shop.example/a b.png',
    'logo.png',
    '//shop.example/logo.png',
  ])('an image at %s is refused, and the error names its member', async (uri) => {
    for (const member of ['logo', 'background_image']) {
      const answer = await post({ [member]: { uri } })
      expect([answer.status, answer.json.message]).toEqual([
        400,
        [`display.0.${member}.uri must be an https: address or a data:image/ URI`],
      ])
    }
  })

  it.each([
    ['data:image/png,%89PNG%0d', 'data:image/png;base64,iVBORw0='],
    ['data:image/png;charset=utf-8;base64,AA==', 'data:image/png;base64,AA=='],
    ['data:IMAGE/PNG;base64,AA', 'data:image/png;base64,AA=='],
    ['data:image/png;base64,%41A%3D%3D', 'data:image/png;base64,AA=='],
    ['data:image/webp,ä%', 'data:image/webp;base64,w6Ql'],
  ])('a data URI %s that wallets’ libraries refuse is published as %s', async (uri, published) => {
    const name = newTypeName()
    const answer = await post({ ...GOOD, logo: { uri }, background_image: { uri } }, name)
    expect([answer.status, answer.json.display[0].logo]).toEqual([201, { uri }])
    expect(answer.json).not.toHaveProperty('unpublished')
    const images = { logo: { uri: published }, background_image: { uri: published } }
    expect(await displayOf(name)).toEqual([{ ...GOOD, ...images }])
    await expect(readByLibrary()).resolves.toBeDefined()
  })

  it.each([
    [SVG, '<svg/>'],
    ['data:image/svg+xml,%3Csvg/%3E', '<svg/>'],
    ['data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E', '<svg/>'],
    ['data:image/SVG+xml;base64,PHNjcmlwdC8+', '<script/>'],
  ])('an SVG %s is published at an address, where no script in it runs', async (uri, content) => {
    const name = newTypeName()
    const display = [
      { name: 'Beleg', locale: 'de' },
      { name: 'Receipt', logo: { uri, alt_text: 'Logo' } },
    ]
    const body = {
      name,
      version: 1,
      schema: PURCHASE,
      display: [...display, { name: 'Reçu', locale: 'fr', background_image: { uri } }],
    }
    const posted = await service.request('POST', '/schemas', { authorization: alice, body })
    expect([posted.status, posted.json.unpublished]).toEqual([201, undefined])
    const [, receipt, french] = await displayOf(name)
    const base = `${service.url}/api/v1/schemas/${posted.json.id}/images`
    expect(receipt.logo).toEqual({ uri: `${base}/1-logo`, alt_text: 'Logo' })
    expect(french.background_image).toEqual({ uri: `${base}/2-background_image` })
    const type = (await service.request('GET', `/vct/${name}`)).json
    expect(type.display[1].rendering.simple.logo).toEqual(receipt.logo)
    await expect(readByLibrary()).resolves.toBeDefined()
    for (const address of [receipt.logo.uri, french.background_image.uri]) {
      const image = await service.request('GET', new URL(address).pathname)
      expect([image.status, image.headers.get('content-type'), image.text]).toEqual([200, 'image/svg+xml', content])
      expect(image.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      )
      expect(image.headers.get('x-content-type-options')).toBe('nosniff')
      expect(image.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    }
  })

  it('a large image is published at an address, so that metadata stay small', async () => {
    const png = (length: number) => `data:image/png;base64,${'A'.repeat(length)}`
    const name = newTypeName()
    const { id } = (
      await post({ locale: 'en', logo: { uri: png(32_000) }, background_image: { uri: png(4_000) } }, name)
    ).json
    const [entry] = await displayOf(name)
    expect(entry.logo).toEqual({ uri: `${service.url}/api/v1/schemas/${id}/images/0-logo` })
    expect(entry.background_image).toEqual({ uri: png(4_000) })
    const image = await service.request('GET', new URL(entry.logo.uri).pathname)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Number(image.headers.get('content-length'))).toBe(24_000)
    await expect(readByLibrary()).resolves.toBeDefined()
  })

  it.each(['image/avif', 'image/x-odd+thing'])('a large image of type %s has no address', async (type) => {
    const uri = `data:${type};base64,${'A'.repeat(8_000)}`
    const name = newTypeName()
    const { id, unpublished } = (await post({ locale: 'en', logo: { uri } }, name)).json
    const isRead = !type.includes('+')
    expect(unpublished).toEqual(isRead ? undefined : ['display.0.logo'])
    expect((await displayOf(name))[0].logo).toEqual(isRead ? { uri } : undefined)
    expect((await service.request('GET', `/api/v1/schemas/${id}/images/0-logo`)).status).toBe(404)
  })

  it('no other address has an image', async () => {
    const { id } = (await post({ ...GOOD, logo: { uri: SVG } })).json
    for (const name of [
      '0-background_image',
      '1-logo',
      '0-name',
      '0-constructor',
      '00-logo-',
      '-1-logo',
      'logo',
      '%00',
    ]) {
      const { status, json } = await service.request('GET', `/api/v1/schemas/${id}/images/${name}`)
      expect([name, status, json.message]).toEqual([name, 404, 'Image not found.'])
    }
    const unknown = await service.request('GET', `/api/v1/schemas/${crypto.randomUUID()}/images/0-logo`)
    expect([unknown.status, unknown.json.message]).toEqual([404, 'Image not found.'])
  })

  it('a hosted wallet takes a credential whose type has an SVG', async () => {
    const name = newTypeName()
    expect((await post({ logo: { uri: SVG }, background_image: { uri: SVG } }, name)).status).toBe(201)
    const offered = await postOffering(service, { credential_type: name })
    const taken = await (await newWallet(service)).process(offered.offering_full_url)
    expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 2])
  })

  it('each omitted member is named in the answer and in each read of the version', async () => {
    const name = newTypeName()
    const { background_image: _, ...first } = { ...GOOD, logo: { uri: 'https://shop.example/logo.svg' } }
    const display = [
      { ...first, background_image: { uri: 'data:image/svg+xml;base64,####' } },
      { name: 'Receipt', logo: { uri: 'data:image/png,' } },
      { name: 'Again', locale: 'DE-ch-1996' },
    ]
    const body = { name, version: 1, schema: PURCHASE, display }
    const posted = await service.request('POST', '/schemas', { authorization: alice, body })
    const unpublished = ['display.0.background_image', 'display.1.logo', 'display.2']
    expect([posted.status, posted.json.display, posted.json.unpublished]).toEqual([201, display, unpublished])
    const read = await service.request('GET', `/schemas/${posted.json.id}`, { authorization: alice })
    expect(read.json.unpublished).toEqual(unpublished)
    expect(await displayOf(name)).toEqual([first, { name: 'Receipt', locale: 'en' }])
    await expect(readByLibrary()).resolves.toBeDefined()
    expect((await post(GOOD)).json).not.toHaveProperty('unpublished')
  })

  it.each([
    'red',
    'transparent',
    'url(https://evil.example)',
    '#12345',
    '#1234',
    '1d4fc4',
    'rgb(1,2)',
    'rgb(1,2,3',
    '#1d4fc4;',
  ])('a colour %s is not a numerical colour of CSS Color Module Level 3', async (colour) => {
    for (const member of ['background_color', 'text_color'])
      expect((await post({ [member]: colour })).json.message).toEqual([
        `display.0.${member} must be a numerical CSS colour such as #1d4fc4 or rgb(29, 79, 196)`,
      ])
  })

  it.each([
    '#ABC',
    '#1d4fc4',
    'rgb(29,79,196)',
    'rgb(10%, 20%, 30%)',
    'rgba(1, 2, 3, 0.5)',
    'hsl(120, 100%, 50%)',
    'hsla(120, 100%, 50%, .3)',
  ])('a colour %s is a numerical colour', async (colour) => {
    expect((await post({ background_color: colour, text_color: colour })).status).toBe(201)
  })

  it.each(['de_DE', 'Deutsch!', 'd', 'de-', 'de-a', 'de--DE', '', 'english-language-tags'])(
    'the invalid language tag %j (BCP 47) is refused for a type, a claim and an issuer record',
    async (locale) => {
      expect((await post({ locale })).json.message).toEqual([
        'display.0.locale must be a language tag such as de or pt-BR',
      ])
      const claims = [{ path: ['product'], display: [{ name: 'x', locale }] }]
      const named = await service.request('POST', '/schemas', {
        authorization: alice,
        body: { name: newTypeName(), version: 1, schema: PURCHASE, claims },
      })
      expect(String(named.json.message)).toContain('claims.0.display.0.locale must be a language tag')
      for (const kind of ['issuer', 'verifier']) {
        const record = await service.request('POST', `/agent/${kind}`, {
          authorization: alice,
          body: { method: 'key', display: [{ name: 'Shop', locale }] },
        })
        expect(record.json.message).toEqual(['display.0.locale must be a language tag such as de or pt-BR'])
      }
    },
  )

  it('a display from before the rules is shown unchanged, and does not break the metadata', async () => {
    const name = newTypeName()
    const { id } = (await post({}, name)).json
    const odd = [
      { name: 'Kein Tag', locale: 'de_DE' },
      { name: 'Odd', background_color: 'red', text_color: 'x', logo: { uri: 'javascript:alert(1)' } },
    ]
    await query(service.databaseUrl, 'UPDATE schemas SET display = $1 WHERE id = $2', [JSON.stringify(odd), id])
    const issuerDisplay = JSON.stringify([{ name: 'Laden', locale: 'de_DE' }])
    await query(service.databaseUrl, 'UPDATE issuers SET display = $1 WHERE is_default', [issuerDisplay])
    const shown = await service.request('GET', `/schemas/${id}`, { authorization: alice })
    expect([shown.status, shown.json.display]).toEqual([200, odd])
    expect((await service.request('GET', '/api/v1/schemas', { authorization: alice })).status).toBe(200)
    expect((await service.request('GET', '/agent/issuers', { authorization: alice })).status).toBe(200)
    expect(await displayOf(name)).toEqual([{ name: 'Odd', locale: 'en' }])
    expect((await service.request('GET', `/vct/${name}`)).json.display).toEqual([{ name: 'Odd', locale: 'en' }])
    const { credentialIssuer } = await readByLibrary()
    expect(credentialIssuer.display).toEqual([{ name: 'Laden', locale: 'en' }])
  })
})
