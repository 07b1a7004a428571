import { createHash } from 'node:crypto'
import { Openid4vciClient } from '@openid4vc/openid4vci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { libraryCallbacks } from '../issuer/openid4vci/library-wallet.js'
import { newTypeName, PURCHASE } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { png, svg } from './pictures.js'

let service: TestService
let admin: string
let logo: Stored
let template: Stored

interface Stored {
  readonly id: string
  readonly uri: string
  readonly integrity: string
}

const upload = async (bytes: Uint8Array): Promise<Stored> =>
  (
    await service.request('POST', '/api/v1/images', {
      authorization: admin,
      body: { data: Buffer.from(bytes).toString('base64') },
    })
  ).json

beforeAll(async () => {
  service = await startService()
  admin = await service.bearer('ada', { roles: ['admin'] })
  logo = await upload(png(10, 10))
  template = await upload(svg('<text>{{product}}</text>'))
})
afterAll(() => service.close())

const postType = (entry: object, name = newTypeName()) =>
  service.request('POST', '/schemas', {
    authorization: admin,
    body: { name, version: 1, schema: PURCHASE, display: [{ name: 'Receipt', ...entry }] },
  })

const OUTSIDE = { uri: 'https://shop.example/logo.png', 'uri#integrity': `sha384-${'A'.repeat(64)}` }

describe('the display of a type', () => {
  it('names stored images by id or address; metadata have the address, type metadata the integrity too', async () => {
    const name = newTypeName()
    const { status, json, text } = await postType(
      {
        locale: 'de',
        logo: { image: logo.id, alt_text: 'Laden' },
        background_image: { uri: logo.uri },
        svg_templates: [{ image: template.id }],
      },
      name,
    )
    const own = { uri: logo.uri, 'uri#integrity': logo.integrity }
    expect(status, text).toBe(201)
    expect(json.display).toEqual([
      {
        name: 'Receipt',
        locale: 'de',
        logo: { ...own, alt_text: 'Laden' },
        background_image: own,
        svg_templates: [{ uri: template.uri, 'uri#integrity': template.integrity }],
      },
    ])
    const issuer = (await service.request('GET', '/.well-known/openid-credential-issuer')).json
    expect(issuer.credential_configurations_supported[`${name}-sd-jwt`].credential_metadata.display).toEqual([
      {
        name: 'Receipt',
        locale: 'de',
        logo: { uri: logo.uri, alt_text: 'Laden' },
        background_image: { uri: logo.uri },
      },
    ])
    await expect(
      new Openid4vciClient({ callbacks: libraryCallbacks([]) }).resolveIssuerMetadata(service.url),
    ).resolves.toBeDefined()
    const type = (await service.request('GET', `/vct/${name}`)).json
    expect(type.display[0].rendering).toEqual({
      simple: { logo: { ...own, alt_text: 'Laden' }, background_image: own },
      svg_templates: [{ uri: template.uri, 'uri#integrity': template.integrity }],
    })
    // SD-JWT VC, "SVG Rendering": the template names its claims by these ids.
    expect(type.claims.map(({ svg_id: id }: { svg_id?: string }) => id)).toContain('product')
    // A wallet that follows the integrity metadata accepts the bytes.
    const bytes = Buffer.from(await (await fetch(logo.uri)).arrayBuffer())
    expect(`sha256-${createHash('sha256').update(bytes).digest('base64')}`).toBe(logo.integrity)
  })

  it('may name images on other hosts, with the integrity that the caller gives', async () => {
    const name = newTypeName()
    expect((await postType({ logo: OUTSIDE }, name)).json.display[0].logo).toEqual(OUTSIDE)
    expect((await service.request('GET', `/vct/${name}`)).json.display[0].rendering.simple.logo).toEqual(OUTSIDE)
  })

  it('is accepted again as an answer shows it: the console makes new versions in this way', async () => {
    const name = newTypeName()
    const { json } = await postType({ logo: { image: logo.id }, svg_templates: [{ image: template.id }] }, name)
    const again = await service.request('POST', '/schemas', {
      authorization: admin,
      body: { name, version: 2, schema: PURCHASE, display: json.display },
    })
    expect([again.status, again.json.display], again.text).toEqual([201, json.display])
  })

  it.each([
    ['an unknown image', { logo: { image: '0'.repeat(64) } }, 'display.0.logo names no image of this service'],
    [
      'an image and an address',
      { logo: { image: '0'.repeat(64), uri: 'https://a.example' } },
      'display.0.logo must have either uri or image',
    ],
    ['neither', { background_image: {} }, 'display.0.background_image must have either uri or image'],
    [
      'an image of another installation in plain HTTP',
      { logo: { uri: `http://other.example/images/${'0'.repeat(64)}` } },
      'display.0.logo.uri must be an https: address or a data:image/ URI',
    ],
    [
      'integrity that is none',
      { logo: { ...OUTSIDE, 'uri#integrity': 'sha256-x' } },
      'display.0.logo.uri#integrity must be integrity metadata such as sha256-…',
    ],
    [
      'several templates without properties',
      { svg_templates: [OUTSIDE, OUTSIDE] },
      'display.0.svg_templates must have properties in each of several templates',
    ],
  ])('%s is refused by name', async (_, entry, message) => {
    const { status, json } = await postType(entry)
    expect([status, [json.message].flat()]).toEqual([400, [message]])
  })

  it('a template that is a PNG, and integrity of other bytes, are refused', async () => {
    expect((await postType({ svg_templates: [{ image: logo.id }] })).json.message).toEqual([
      'display.0.svg_templates.0 must be an SVG',
    ])
    expect((await postType({ logo: { image: logo.id, 'uri#integrity': template.integrity } })).json.message).toEqual([
      'display.0.logo.uri#integrity does not fit the image',
    ])
  })

  it('warns of text with too little contrast', async () => {
    expect((await postType({ background_color: '#ffffff', text_color: '#777777' })).json.warnings).toEqual([
      'display.0.text_color has a contrast of 4.4 to background_color: it should be at least 4.5',
    ])
    expect((await postType({ background_color: '#000', text_color: '#fff' })).json.warnings).toBeUndefined()
  })
})

const BRANDING = {
  backgroundColor: '#1d4fc4',
  textColor: '#1d4fc5',
  contact: { email: 'shop@example.org', phone: '+49 30 1234567', url: 'https://shop.example/contact' },
  privacyUri: 'https://shop.example/privacy',
  imprintUri: 'https://shop.example/imprint',
  termsUri: 'https://shop.example/terms',
}

describe('the display of an issuer or verifier', () => {
  const make = (kind: 'issuer' | 'verifier', body: object) =>
    service.request('POST', `/agent/${kind}`, { authorization: admin, body: { method: 'key', ...body } })
  const change = (kind: 'issuer' | 'verifier', id: string, body: object) =>
    service.request('POST', `/api/v1/${kind}s/${id}/display`, { authorization: admin, body })
  const uses = (id: string) => query(service.databaseUrl, 'SELECT image_id FROM image_uses WHERE used_by_id = $1', [id])

  it.each(['issuer', 'verifier'] as const)(
    'of an %s has logos, colours, contact and links, and warns of low contrast',
    async (kind) => {
      const { status, json, text } = await make(kind, {
        display: [{ name: 'Shop', locale: 'en', logo: { image: logo.id } }],
        branding: BRANDING,
      })
      expect(status, text).toBe(201)
      expect(json).toMatchObject({
        display: [{ name: 'Shop', locale: 'en', logo: { uri: logo.uri, 'uri#integrity': logo.integrity } }],
        branding: BRANDING,
        warnings: ['branding.textColor has a contrast of 1.0 to backgroundColor: it should be at least 4.5'],
      })
      expect((await service.request('GET', `/agent/${kind}/${json.id}`, { authorization: admin })).json).toEqual(json)
      expect(await uses(json.id)).toEqual([{ image_id: logo.id }])
    },
  )

  it('is changed as a whole; a change that another caller does not know is refused, and a dropped image is no longer used', async () => {
    const { json } = await make('verifier', {
      display: [{ name: 'Shop', logo: { image: logo.id } }],
      branding: BRANDING,
    })
    const { imprintUri } = BRANDING
    const body = {
      display: [{ name: 'New' }],
      before: json.display,
      branding: { imprintUri },
      brandingBefore: json.branding,
    }
    const changed = await change('verifier', json.id, body)
    expect([changed.status, changed.json.display, changed.json.branding], changed.text).toEqual([
      200,
      [{ name: 'New' }],
      { imprintUri },
    ])
    expect(await uses(json.id)).toEqual([])
    expect((await change('verifier', json.id, body)).status).toBe(409)
    const renamed = await change('verifier', json.id, { display: [{ name: 'Newer' }], before: [{ name: 'New' }] })
    expect(renamed.json.branding).toEqual({ imprintUri })
  })

  it.each([
    [{ backgroundColor: 'blue' }, 'branding.backgroundColor must be a CSS colour in hexadecimal form such as #1d4fc4'],
    [{ backgroundColor: '#fff}*{x' }, 'branding.backgroundColor must'],
    [{ privacyUri: 'javascript:alert(1)' }, 'branding.privacyUri must be an https: address'],
    [{ contact: { email: 'a' } }, 'branding.contact.email'],
    [{ contact: { phone: 'call me' } }, 'branding.contact.phone must be a phone number'],
    [{ contact: {} }, 'branding.contact must not be empty'],
  ])('refuses %j', async (branding, message) => {
    const { status, json } = await make('issuer', { branding })
    expect(status).toBe(400)
    expect([json.message].flat().join()).toContain(message)
  })

  it('of the default issuer is in its metadata', async () => {
    const [record] = (await service.request('GET', '/api/v1/issuers', { authorization: admin })).json.items.filter(
      ({ isDefault }: { isDefault: boolean }) => isDefault,
    )
    const display = [{ name: 'Laden', locale: 'de', logo: { image: logo.id, alt_text: 'Laden' } }]
    expect((await change('issuer', record.id, { display, before: record.display })).status).toBe(200)
    const { json } = await service.request('GET', '/.well-known/openid-credential-issuer')
    expect(json.display).toEqual([{ name: 'Laden', locale: 'de', logo: { uri: logo.uri, alt_text: 'Laden' } }])
  })
})

describe('a share page', () => {
  it('shows the mark, the readable colours and the links of the verifier, and loads images only from this service', async () => {
    const verifier = (
      await service.request('POST', '/agent/verifier', {
        authorization: admin,
        body: {
          method: 'key',
          display: [
            { name: 'Shop', locale: 'en', logo: { image: logo.id, alt_text: 'The mark' } },
            { name: 'Laden', locale: 'de', logo: OUTSIDE },
          ],
          branding: BRANDING,
        },
      })
    ).json
    const dcqlQuery = {
      credentials: [
        { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [`${service.url}/vct/X`] }, claims: [{ path: ['a'] }] },
      ],
    }
    const asked = await service.request('POST', '/authorization-requests', {
      authorization: admin,
      body: { verifierId: verifier.id, dcqlQuery, page: true },
    })
    expect(asked.status, asked.text).toBe(201)
    const path = new URL(asked.json.pageUrl).pathname
    const page = await service.request('GET', path)
    // The wanted text colour cannot be read on its background, so the page uses white.
    const style = '.mark{background:#1d4fc4;color:#ffffff}'
    expect(page.text).toContain(`<style>${style}</style>`)
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page.headers.get('content-security-policy')).toContain(
      `style-src 'self' 'sha256-${hash}'; img-src 'self' data:`,
    )
    expect(page.text).toContain(
      `<header class="mark"><img src="${service.url}/images/${logo.id}" alt="The mark"><strong>Shop</strong></header>`,
    )
    for (const link of [
      BRANDING.privacyUri,
      BRANDING.imprintUri,
      BRANDING.termsUri,
      'mailto:shop@example.org',
      'tel:+49301234567',
    ])
      expect(page.text).toContain(`href="${link}"`)
    const german = await service.request('GET', path, { headers: { 'accept-language': 'de' } })
    expect(german.text).toContain('<header class="mark"><strong>Laden</strong></header>')
    expect(german.text).toContain('>Impressum</a>')
    expect(german.text).not.toContain(OUTSIDE.uri)
  })

  it('of a record without branding looks as before', async () => {
    const asked = await service.request('POST', '/authorization-requests', {
      authorization: admin,
      body: {
        dcqlQuery: { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['https://a.example/x'] } }] },
        page: true,
      },
    })
    const page = await service.request('GET', new URL(asked.json.pageUrl).pathname)
    expect(page.text).not.toMatch(/<style>|class="mark"|class="brand"/)
  })
})
