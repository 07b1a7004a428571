import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { didWebToUrl } from '../../server/protocol/did/did-web.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let admin: string

beforeAll(async () => {
  service = await startService({
    env: {
      ISSUER_BASE_URL: 'https://credence.example:8443',
      VERIFIER_BASE_URL: 'https://verifier.example',
      RATE_LIMIT_MAX: '50',
    },
  })
  admin = await service.bearer('root', { roles: ['admin'] })
})
afterAll(() => service.close())

const hosted = async (purpose: string) => {
  const [row] = await query(service.databaseUrl, "SELECT did, uuid FROM dids WHERE method = 'web' AND purpose = $1", [
    purpose,
  ])
  return row as { did: string; uuid: string }
}

const newHolder = async (method: 'key' | 'web'): Promise<string> =>
  (await service.request('POST', '/agent/holder', { authorization: admin, body: { method } })).json.did

describe('GET /{uuid}/did.json and /{uuid}/.well-known/did.json', () => {
  it('give anyone the document of the did:web of the issuer, at the address that the DID names', async () => {
    const { did, uuid } = await hosted('issuer')
    expect(did).toBe(`did:web:credence.example%3A8443:${uuid}`)
    const { pathname, origin } = new URL(didWebToUrl(did, { allowHttp: false }))
    expect([origin, pathname]).toEqual(['https://credence.example:8443', `/${uuid}/did.json`])
    const answer = await service.request('GET', pathname)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const [method] = answer.json.verificationMethod
    const { kty, crv, x, y } = method.publicKeyJwk
    const didJwk = `did:jwk:${Buffer.from(JSON.stringify({ crv, kty, x, y })).toString('base64url')}`
    expect(answer.json).toEqual({
      '@context': [
        'https://www.w3.org/ns/did/v1',
        'https://w3id.org/security/suites/jws-2020/v1',
        'https://identity.foundation/.well-known/did-configuration/v1',
      ],
      id: did,
      alsoKnownAs: [expect.stringMatching(/^did:jwk:[\w-]+$/)],
      verificationMethod: [
        {
          id: expect.stringMatching(new RegExp(`^${did}#[\\w-]{43}$`)),
          type: 'JsonWebKey2020',
          controller: did,
          publicKeyJwk: { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) },
        },
      ],
      authentication: [method.id],
      assertionMethod: [method.id],
      service: [
        {
          id: `${did}#linked-domain`,
          type: 'LinkedDomains',
          serviceEndpoint: { origins: ['https://credence.example:8443'] },
        },
      ],
    })
    expect((await service.platform.resolver.resolve(didJwk)).verificationMethod).toHaveLength(1)
    expect((await service.request('GET', `/${uuid}/.well-known/did.json`)).json).toEqual(answer.json)
    expect((await service.request('GET', `/${uuid.toUpperCase()}/did.json`)).json).toEqual(answer.json)
  })

  it('give the document of the verifier, linked to its own origin', async () => {
    const { did, uuid } = await hosted('verifier')
    expect(did).toBe(`did:web:verifier.example:${uuid}`)
    const { json } = await service.request('GET', `/${uuid}/did.json`)
    expect(json.service[0].serviceEndpoint).toEqual({ origins: ['https://verifier.example'] })
  })

  it('give the document of a holder, which has no linked domain and no other name', async () => {
    const did = await newHolder('web')
    expect(did).toMatch(/^did:web:credence\.example%3A8443:[0-9a-f-]{36}$/)
    const { json } = await service.request('GET', new URL(didWebToUrl(did, { allowHttp: false })).pathname)
    expect(json.id).toBe(did)
    expect(json).not.toHaveProperty('service')
    expect(json).not.toHaveProperty('alsoKnownAs')
    expect(json['@context']).not.toContain('https://identity.foundation/.well-known/did-configuration/v1')
  })

  it.each(['did.json', '.well-known/did.json'])(
    'answer 404 `DID Document not found.` for an unknown uuid (%s)',
    async (name) => {
      const path = `/${randomUUID()}/${name}`
      const answer = await service.request('GET', path)
      expect(answer.status).toBe(404)
      expect(answer.json).toEqual({
        statusCode: 404,
        message: 'DID Document not found.',
        error: 'Not Found',
        path,
        timestamp: expect.any(String),
      })
    },
  )

  it('exist only for UUIDs', async () => {
    for (const path of ['/agent/did.json', '/unknown/did.json', `/${randomUUID()}x/did.json`, '//did.json']) {
      const answer = await service.request('GET', path)
      expect([path, answer.status, answer.json.message]).toEqual([path, 404, `Cannot GET ${path}`])
    }
  })

  it('are exempt from the rate limit', async () => {
    const { uuid } = await hosted('issuer')
    const paths = Array.from({ length: 60 }, (_, count) => `/${uuid}${count % 2 === 0 ? '' : '/.well-known'}/did.json`)
    const statuses = await Promise.all(paths.map(async (path) => (await service.request('GET', path)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})

describe('GET /agent/did/{did}', () => {
  const read = (path: string) => service.request('GET', `/agent/did/${path}`, { authorization: admin })

  it('finds a did:web with a port that is percent-encoded once or twice', async () => {
    const did = await newHolder('web')
    const spellings = [did, encodeURIComponent(did), did.replaceAll('%', '%25')]
    for (const spelling of spellings) {
      const answer = await read(spelling)
      expect([spelling, answer.status, answer.json?.did]).toEqual([spelling, 200, did])
      expect(answer.json.document.id).toBe(did)
    }
  })

  it('finds every DID that this service created: of a holder, of the default issuer and verifier', async () => {
    const did = await newHolder('key')
    expect((await read(did)).json).toEqual({
      did,
      method: 'key',
      createdAt: expect.any(String),
      document: expect.objectContaining({ id: did }),
    })
    for (const { did: known } of await query(service.databaseUrl, 'SELECT did FROM dids')) {
      expect((await read(encodeURIComponent(known))).json.document.id).toBe(known)
    }
  })

  it.each(['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', 'did:web:example.org', 'unknown'])(
    'answers 200 with null for %s, which this service did not create',
    async (did) => {
      const answer = await read(did)
      expect([answer.status, answer.text]).toEqual([200, 'null'])
    },
  )

  it('needs the admin role', async () => {
    expect((await service.request('GET', '/agent/did/unknown')).status).toBe(401)
    const answer = await service.request('GET', '/agent/did/unknown', { authorization: await service.bearer('alice') })
    expect([answer.status, answer.json.message]).toEqual([403, 'Insufficient role.'])
  })
})
