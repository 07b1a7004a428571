import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { MetadataClientV1_0_15, OpenID4VCIClientV1_0_15 } from '@sphereon/oid4vci-client'
import { DcqlQuery } from 'dcql'
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { MetadataClientV1_0_13 } from 'sphereon-oid4vci-client-draft13'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { certificateFiles, leafOf, root } from '../agent/certified.js'
import { DOCTYPE, SCHEMA as LICENCE, SUBJECT as LICENSED, MAPPING } from '../protocol/mdoc/actors.js'
import { readPublished } from '../support/published.js'
import { startService, type TestService } from '../support/service.js'
import { certified } from '../verifier/library-browser-wallet.js'
import { startWebServer } from '../verifier/web-server.js'
import { libraryCallbacks } from './openid4vci/library-wallet.js'

interface Shape {
  readonly members: Readonly<Record<string, unknown>>
  readonly subject: Readonly<Record<string, unknown>>
}

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

/** Credential types with every possible feature. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'no member but its schema': { members: { schema: object({ seat: text }) }, subject: { seat: '12A' } },
  'no declared claim': { members: { schema: { type: 'object' } }, subject: { anything: 'goes' } },
  'titles and texts': {
    members: {
      schema: object({ seat: { ...text, title: 'Seat', description: 'Where to sit' } }, { required: ['seat'] }),
      title: 'Ticket',
      description: 'Lets one person in.',
    },
    subject: { seat: '12A' },
  },
  'displays in languages, with logos and colours': {
    members: {
      schema: object({ seat: text }),
      display: [
        {
          name: 'Ticket',
          locale: 'en',
          description: 'Lets one in',
          background_color: '#12107c',
          text_color: '#ffffff',
          logo: { uri: 'https://issuer.example/logo.png', alt_text: 'A logo' },
        },
        { name: 'Eintrittskarte', locale: 'de-AT', logo: { uri: 'data:image/png;base64,iVBORw0KGgo=' } },
        { name: 'تذكرة', locale: 'ar' },
        { name: 'Ticket without a language' },
      ],
    },
    subject: { seat: '12A' },
  },
  'nested claims, and lists of them': {
    members: {
      schema: object({
        shop: object({ address: object({ city: text, geo: object({ lat: { type: 'number' } }) }) }),
        items: { type: 'array', items: object({ name: text, tags: { type: 'array', items: text } }) },
      }),
      selectivelyDisclosable: ['shop', 'shop.address.city', 'items'],
    },
    subject: {
      shop: { address: { city: 'Wien', geo: { lat: 48.2 } } },
      items: [{ name: 'Cup', tags: ['blue'] }, { name: 'Pot' }],
    },
  },
  'nothing that can be withheld': {
    members: { schema: object({ seat: text }), selectivelyDisclosable: [] },
    subject: { seat: '12A' },
  },
  'every kind of value': {
    members: {
      schema: object({
        date: { ...text, format: 'date' },
        moment: { ...text, format: 'date-time' },
        count: { type: 'integer' },
        ratio: { type: 'number' },
        valid: { type: 'boolean' },
        none: { type: ['string', 'null'] },
        colour: { enum: ['red', 'blue'] },
        fixed: { const: 1 },
        either: { anyOf: [text, { type: 'number' }] },
      }),
    },
    subject: {
      date: '2026-03-01',
      moment: '2026-03-01T12:00:00Z',
      count: 2,
      ratio: 0.5,
      valid: true,
      none: null,
      colour: 'red',
      fixed: 1,
      either: 3,
    },
  },
  'claims with names of other scripts and of JavaScript': {
    members: { schema: object({ 'straße nr': text, 名前: text, constructor: text, 'a/b~c': text }) },
    subject: { 'straße nr': '1', 名前: '花子', constructor: 'Atelier', 'a/b~c': 'x' },
  },
  'a draft-07 schema with references': {
    members: {
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { seat: text },
        ...object({ seat: { $ref: '#/definitions/seat' } }),
      },
    },
    subject: { seat: '12A' },
  },
  'an end of its credentials': {
    members: { schema: object({ seat: text }), expiresInDays: 36_500 },
    subject: { seat: '12A' },
  },
  'mobile documents': { members: { schema: LICENCE, mdoc: MAPPING }, subject: LICENSED },
}

const shapes = Object.entries(SHAPES).map(([what, shape], index) => ({ what, name: `Type${index}`, ...shape }))

let service: TestService
let removeFiles: () => Promise<void>

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  setGlobalConfig({ allowInsecureUrls: true })
  const files = await certificateFiles()
  removeFiles = files.remove
  const leaf = leafOf({ issuer: root, subject: 'C=DE/Issuer', purposes: ['1.0.18013.5.1.2'], dns: ['127.0.0.1'] })
  const anchors = join(files.directory, 'roots.pem')
  await writeFile(anchors, root.certificate.toString())
  service = await startService({
    env: {
      AUTH_DISABLED: 'true',
      ISSUER_X509: await files.fileOf([leaf, root]),
      TRUST_ANCHORS: anchors,
      ISSUER_LEGACY_PROFILES: 'draft15,draft13,draft11',
    },
  })
  for (const { name, members } of shapes) await post({ name, version: 1, ...members })
  // A type with different versions, and a type with only withdrawn versions.
  await post({ name: 'Versions', version: 1, schema: object({ seat: text }) })
  await post({ name: 'Versions', version: 2, schema: object({ row: text }), selectivelyDisclosable: [] })
  const { id } = await post({ name: 'Withdrawn', version: 1, schema: object({ seat: text }) })
  expect((await service.request('DELETE', `/schemas/${id}`)).status).toBe(204)
})
afterAll(async () => {
  await service.close()
  await removeFiles()
  vi.restoreAllMocks()
})

async function post(body: object) {
  const { status, text: said, json } = await service.request('POST', '/schemas', { body })
  expect(status, said).toBe(201)
  return json
}

/** A credential of a type in one format. */
async function sign(type: string, format: string): Promise<string> {
  const { name, subject } = shapes.find(({ what }) => what === type) ?? { name: type, subject: {} }
  const body = { type: name, credential_subject: subject, format }
  const { status, text: said, json } = await service.request('POST', '/credentials/sign', { body })
  expect(status, said).toBe(201)
  return json.credential
}

/** Finds the key that signed a JWT: in the certificate, or in the did:jwk. */
function keyOf(jwt: string): JWK {
  const { x5c: [leaf] = [], kid = '' } = decodeProtectedHeader(jwt)
  if (leaf !== undefined) return new X509Certificate(Buffer.from(leaf, 'base64')).publicKey.export({ format: 'jwk' })
  const [, encoded = ''] = /^did:jwk:([\w-]+)#0$/.exec(kid) ?? []
  return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
}

async function isSigned(data: string, signature: string): Promise<boolean> {
  const jwt = `${data}.${signature}`
  await compactVerify(jwt, await importJWK(keyOf(jwt), 'ES256'))
  return true
}

const configurationsOf = async (): Promise<Readonly<Record<string, object>>> =>
  (await service.request('GET', '/.well-known/openid-credential-issuer')).json.credential_configurations_supported

describe('issuer metadata with every form of a type can be read', () => {
  it('by @openid4vc/openid4vci, which knows every configuration', async () => {
    const client = new Openid4vciClient({ callbacks: libraryCallbacks([]) as never })
    const { credentialIssuer, knownCredentialConfigurations } = await client.resolveIssuerMetadata(service.url)
    const published = Object.keys(await configurationsOf())
    expect(published.length).toBeGreaterThan(2 * shapes.length)
    expect(Object.keys(credentialIssuer.credential_configurations_supported)).toEqual(published)
    expect(Object.keys(knownCredentialConfigurations)).toEqual(published)
  })

  it('by @sphereon/oid4vci-client (draft 15)', async () => {
    const { credentialIssuerMetadata } = await MetadataClientV1_0_15.retrieveAllMetadata(service.url, {
      errorOnNotFound: true,
    })
    expect(credentialIssuerMetadata?.credential_configurations_supported).toEqual(await configurationsOf())
  })

  it('by @sphereon/oid4vci-client 0.16 (draft 13)', async () => {
    const { credentialIssuerMetadata } = await MetadataClientV1_0_13.retrieveAllMetadata(service.url, {
      errorOnNotFound: true,
    })
    expect(credentialIssuerMetadata?.credential_configurations_supported).toEqual(await configurationsOf())
  })
})

describe('a test service whose documents others cannot read fails its test', () => {
  const type = (display: object) => ({
    format: 'dc+sd-jwt',
    scope: 'a',
    vct: 'http://issuer.example/vct/A',
    ...display,
  })
  const logo = (uri: string) => ({ credential_metadata: { display: [{ name: 'A', locale: 'en', logo: { uri } }] } })
  const CARD = { vct: 'http://issuer.example/vct/A', name: 'A', display: [{ locale: 'en', name: 'A' }] }

  async function reading(configuration: object, card: object) {
    await using web = await startWebServer()
    const base = 'http://issuer.example'
    const issuer = {
      credential_issuer: base,
      credential_endpoint: `${base}/credential`,
      credential_configurations_supported: { A: configuration },
    }
    const server = { issuer: base, token_endpoint: `${base}/token`, response_types_supported: ['code'] }
    web.documents.set('/.well-known/openid-credential-issuer', { body: issuer })
    web.documents.set('/.well-known/oauth-authorization-server', { body: server })
    web.documents.set('/vct/A', { body: card })
    await readPublished({ url: `http://127.0.0.1:${web.port}`, config: { issuerBaseUrl: base } })
  }

  it('and others pass', async () => {
    await reading(type(logo('data:image/png;base64,AA==')), CARD)
  })

  it.each([
    ['an SVG in metadata', type(logo('data:image/svg+xml;base64,AA==')), CARD],
    ['a display without a name', type({ credential_metadata: { display: [{ locale: 'en' }] } }), CARD],
    ['type metadata without a language', type({}), { ...CARD, display: [{ name: 'A' }] }],
  ])('by %s', async (_, configuration, card) => {
    await expect(reading(configuration, card)).rejects.toThrow()
  })
})

describe.each(shapes)('a type with $what', ({ what, name, subject }) => {
  it('is offered to wallets of two libraries', async () => {
    const ids = Object.keys(await configurationsOf()).filter((id) => id === name || id === `${name}-sd-jwt`)
    const body = { credentialConfigurationIds: ids, credentialSubject: subject }
    const { status, text: said, json } = await service.request('POST', '/credential-offers', { body })
    expect(status, said).toBe(201)
    const client = new Openid4vciClient({ callbacks: libraryCallbacks([]) as never })
    const offer = await client.resolveCredentialOffer(json.credentialOfferUri)
    expect(offer.credential_configuration_ids).toEqual(ids)
    const other = await OpenID4VCIClientV1_0_15.fromURI({ uri: json.credentialOfferUri, clientId: 'wallet' })
    expect(other.getCredentialOfferConfigurationIds()).toEqual(ids)
  })

  it('has type metadata and a status list that @sd-jwt/sd-jwt-vc reads', async () => {
    const library = new SDJwtVcInstance({
      hasher: digest,
      hashAlg: 'sha-256',
      saltGenerator: generateSalt,
      verifier: isSigned,
      statusVerifier: isSigned,
      loadTypeMetadataFormat: true,
    })
    const { payload, typeMetadata } = await library.verify(await sign(what, 'dc+sd-jwt'))
    expect(payload).toMatchObject(subject)
    expect(typeMetadata?.mergedTypeMetadata).toMatchObject({ vct: `${service.url}/vct/${name}` })
  })

  it('can be requested, and @openid4vc/openid4vp and dcql read the request', async () => {
    const sdJwt = { id: 'sd', format: 'dc+sd-jwt', meta: { vct_values: [`${service.url}/vct/${name}`] } }
    const jwtVc = { id: 'vc', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential', name]] } }
    const mdoc = { id: 'mdoc', format: 'mso_mdoc', meta: { doctype_value: DOCTYPE } }
    const dcqlQuery = { credentials: [sdJwt, jwtVc, mdoc] }
    const {
      status,
      text: said,
      json,
    } = await service.request('POST', '/authorization-requests', { body: { dcqlQuery } })
    expect(status, said).toBe(201)
    const client = new Openid4vpClient({ callbacks: certified as never })
    const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: json.authorizationRequestUri })
    const { dcql } = await client.resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: params,
      wallet: { metadata: { vp_formats_supported: {} } },
    } as never)
    const read = DcqlQuery.parse(dcql?.query as never)
    DcqlQuery.validate(read)
    expect(read).toMatchObject(dcqlQuery)
  })
})
