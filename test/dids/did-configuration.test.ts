import { importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newIssuer } from '../issuer/issuer-record.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

const CONTEXT = 'https://identity.foundation/.well-known/did-configuration/v1'
const ORIGINS = { issuer: 'https://credence.example', verifier: 'https://verifier.example' }

let service: TestService

beforeAll(async () => {
  service = await startService({
    // The origin does not contain the path of the base URL.
    env: { ISSUER_BASE_URL: `${ORIGINS.issuer}/tenant`, VERIFIER_BASE_URL: ORIGINS.verifier },
  })
})
afterAll(() => service.close())

const records = () =>
  query<{ did: string; kind: 'issuer' | 'verifier' }>(
    service.databaseUrl,
    "SELECT did, 'issuer' AS kind FROM issuers UNION ALL SELECT did, 'verifier' FROM verifiers",
  )

async function keyOf(did: string, kid: unknown) {
  const document = await service.platform.resolver.resolve(did)
  expect(document.assertionMethod).toContain(kid)
  const method = document.verificationMethod?.find(({ id }) => id === kid)
  return importJWK(method?.publicKeyJwk ?? {}, 'ES256')
}

/** Every rule of Well Known DID Configuration, "Domain Linkage Credential" and "JSON Web Token Proof Format". */
async function assertDomainLinkage(jwt: string, did: string, origin: string): Promise<void> {
  const { payload, protectedHeader } = await jwtVerify<{ vc: Record<string, string> }>(jwt, async ({ kid }) =>
    keyOf(did, kid),
  )
  // `typ` MUST NOT be present, `kid` and `alg` MUST be present, and no other member may be.
  expect(protectedHeader).toEqual({ alg: 'ES256', kid: expect.stringMatching(new RegExp(`^${did}#`)) })
  const { nbf = 0, exp = 0, vc } = payload
  expect(payload).toEqual({
    iss: did,
    sub: did,
    nbf,
    exp,
    vc: {
      '@context': ['https://www.w3.org/2018/credentials/v1', CONTEXT],
      type: ['VerifiableCredential', 'DomainLinkageCredential'],
      issuer: did,
      issuanceDate: vc.issuanceDate,
      expirationDate: vc.expirationDate,
      credentialSubject: { id: did, origin },
    },
  })
  expect([Date.parse(vc.issuanceDate ?? ''), Date.parse(vc.expirationDate ?? '')]).toEqual([nbf * 1000, exp * 1000])
  expect(nbf).toBeLessThanOrEqual(Date.now() / 1000)
  expect(exp).toBeGreaterThan(Date.now() / 1000 + 24 * 60 * 60)
}

describe('GET /.well-known/did-configuration', () => {
  it('has an entry for each DID that an issuer or verifier record signs with, and it verifies', async () => {
    await newIssuer(service, 'alice', { method: 'key' })
    await newIssuer(service, 'alice', { method: 'web' })
    const { status, json } = await service.request('GET', '/.well-known/did-configuration')
    expect([status, Object.keys(json)]).toEqual([200, ['entries']])
    const kinds = new Map((await records()).map(({ did, kind }) => [did, kind]))
    expect(kinds.size).toBe(4)
    expect(new Set(json.entries.map(({ did }: { did: string }) => did))).toEqual(new Set(kinds.keys()))
    for (const entry of json.entries) {
      expect(Object.keys(entry)).toEqual(['did', 'jwt'])
      await assertDomainLinkage(entry.jwt, entry.did, ORIGINS[kinds.get(entry.did) ?? 'issuer'])
    }
  })

  it('names the default issuer first: entries are read in their order', async () => {
    const { json } = await service.request('GET', '/.well-known/did-configuration')
    expect(json.entries[0].did).toBe((await service.platform.stores.agents.defaultIssuer())?.did)
  })

  it('never names a holder', async () => {
    const authorization = await service.bearer('holly', { roles: ['admin'] })
    const holder = await service.request('POST', '/agent/holder', { authorization, body: { method: 'web' } })
    const { text } = await service.request('GET', '/.well-known/did-configuration')
    expect(text).not.toContain(holder.json.did)
  })
})

describe('GET /.well-known/did-configuration.json', () => {
  it('has the same credentials in the standard’s document, which has only `@context` and `linked_dids`', async () => {
    const { json } = await service.request('GET', '/.well-known/did-configuration.json')
    const { entries } = (await service.request('GET', '/.well-known/did-configuration')).json
    expect(json).toEqual({ '@context': CONTEXT, linked_dids: entries.map(({ jwt }: { jwt: string }) => jwt) })
  })

  it('links in both directions: each did:web names the origin in a LinkedDomains service', async () => {
    for (const { did, kind } of (await records()).filter((record) => record.did.startsWith('did:web:'))) {
      const document = await service.request('GET', `/${did.split(':').at(-1)}/did.json`)
      expect(document.json.service).toEqual([
        { id: `${did}#linked-domain`, type: 'LinkedDomains', serviceEndpoint: { origins: [ORIGINS[kind]] } },
      ])
    }
  })
})

describe('GET /.well-known/jwt-vc-issuer', () => {
  it('publishes only the public keys of every issuer, under the `kid` of its credentials', async () => {
    const { status, json } = await service.request('GET', '/.well-known/jwt-vc-issuer')
    expect([status, json.issuer]).toEqual([200, `${ORIGINS.issuer}/tenant`])
    const issuers = (await records()).filter(({ kind }) => kind === 'issuer')
    for (const { did } of issuers) {
      const [kid] = (await service.platform.resolver.resolve(did)).assertionMethod ?? []
      const [key, ...others] = json.jwks.keys.filter((entry: { kid: unknown }) => entry.kid === kid)
      expect(others).toEqual([])
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig' })
    }
    expect(json.jwks.keys.filter((key: object) => 'd' in key)).toEqual([])
  })
})
