import type { ServerResponse } from 'node:http'
import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { metadataFetch, type OwnMetadata } from '../../../server/wallet/openid4vci/metadata-documents.js'
import { usedIssuerMembers } from '../../../server/wallet/openid4vci/used-members.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK } from '../../support/wallet.js'
import { newRemoteKey, remoteCallbacks } from '../../support/wallet-callbacks.js'
import { remoteIssuerMetadata } from '../../support/wallet-remote-credentials.js'
import { requestsTo, taking } from '../taking.js'

const zMetadata = z.looseObject({ credential_configurations_supported: z.record(z.string(), z.unknown()) })

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

type Members = Record<string, unknown>

const configurationsAt = (url: string) => remoteIssuerMetadata(url, {}).credential_configurations_supported

/** Makes metadata with one more configuration, which is not offered. */
const beside = (other: unknown) => (url: string) => ({
  credential_configurations_supported: { ...configurationsAt(url), Other: other },
})

/** Makes metadata in which members of the offered configurations are changed. */
const within = (members: Members) => (url: string) => ({
  credential_configurations_supported: Object.fromEntries(
    Object.entries(configurationsAt(url)).map(([id, one]) => [id, { ...one, ...members }]),
  ),
})

const jwtVc = (members: Members) => ({
  format: 'jwt_vc_json',
  credential_definition: { type: ['VerifiableCredential', 'Other'] },
  ...members,
})

describe('a hosted wallet ignores metadata that it does not understand or use (OpenID4VCI 1.0 §12.2.4)', () => {
  it.each([
    ['no object', 7],
    ['no format', {}],
    ['an unknown format', { format: 'zk+cbor', parameters: [[1]] }],
    ['a format that is a number', { format: 5 }],
    ['an unknown type of proof', jwtVc({ proof_types_supported: { ldp_vp: { purposes: ['a'] }, di_vp: 5 } })],
    [
      'a logo in javascript:',
      jwtVc({ credential_metadata: { display: [{ name: 'a', logo: { uri: 'javascript:alert(1)' } }] } }),
    ],
    ['a display without a name', jwtVc({ credential_metadata: { display: [{ locale: 'de' }] } })],
    ['claims without a path', jwtVc({ credential_metadata: { claims: [{ mandatory: true }] } })],
    ['binding methods that are not a list', jwtVc({ cryptographic_binding_methods_supported: 'jwk' })],
    ['a doctype that is not a text', { format: 'mso_mdoc', doctype: ['org.iso.18013.5.1.mDL'] }],
    ['no definition', { format: 'jwt_vc_json' }],
  ])('a configuration that is not offered, with %s', async (_, other) => {
    await using taken = await taking(service, { metadata: beside(other) })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
  })

  it.each<[string, Members]>([
    [
      'logos in data:, javascript: and urn:',
      {
        credential_metadata: {
          display: ['data:image/svg+xml;base64,AA', 'javascript:1', 'urn:a:b'].map((uri) => ({
            name: 'a',
            logo: { uri },
          })),
        },
      },
    ],
    ['a display without a name', { credential_metadata: { display: [{ locale: 'de' }] } }],
    ['a display of a draft that is not a list', { display: { name: 'a' } }],
    ['claims that are none', { credential_metadata: { claims: 'all' }, claims: 5 }],
    [
      'an unknown type of proof',
      { proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] }, di_vp: 1 } },
    ],
    ['proofs without algorithms', { proof_types_supported: { jwt: {} } }],
    ['algorithms of its own', { credential_signing_alg_values_supported: [{ alg: 'ES256' }, null] }],
    ['binding methods with invalid entries', { cryptographic_binding_methods_supported: ['did:key', 5, 'jwk', null] }],
    ['a scope that is not a text', { scope: 5 }],
    [
      'key attestations that are not a list',
      { proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] }, attestation: 'any' } },
    ],
    ['members that are null', { proof_types_supported: null, credential_metadata: null, scope: null }],
  ])('an offered configuration with %s', async (_, members) => {
    await using taken = await taking(service, { metadata: within(members) })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
  })

  it.each<[string, Members]>([
    ['a display with a logo in data: and a display without a name', { display: [{ logo: { uri: 'urn:logo' } }, 5] }],
    [
      'encryption that is offered in another form',
      { credential_response_encryption: { alg_values_supported: 'RSA-OAEP' } },
    ],
    ['batches of no size', { batch_credential_issuance: { batch_size: 'many' } }],
    ['a notification endpoint that is not an address', { notification_endpoint: 'mailto:a@b.example' }],
    ['a deferred endpoint that is null', { deferred_credential_endpoint: null }],
    ['authorization servers with invalid entries', { authorization_servers: [5, null] }],
    [
      'encryption of requests in another form',
      { credential_request_encryption: { jwks: 'keys', enc_values_supported: 5 } },
    ],
    ['members of its own', { signed_metadata: 5, trust: { a: [null] } }],
  ])('an issuer with %s', async (_, metadata) => {
    await using taken = await taking(service, { metadata })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
  })

  it.each<[string, Members]>([
    [
      'an introspection endpoint with methods and no algorithms',
      { introspection_endpoint_auth_methods_supported: ['private_key_jwt'] },
    ],
    ['a jwks_uri that is not an address', { jwks_uri: 'keys' }],
    ['null instead of lists', { grant_types_supported: null, dpop_signing_alg_values_supported: null }],
    ['numbers among names', { token_endpoint_auth_methods_supported: ['none', 5] }],
    [
      'pushed requests that it does not describe',
      { pushed_authorization_request_endpoint: '', require_pushed_authorization_requests: 'no' },
    ],
    ['flags that are texts', { 'pre-authorized_grant_anonymous_access_supported': 'yes' }],
    ['an endpoint for authorization that is not an address', { authorization_endpoint: 7 }],
    ['an endpoint for challenges that is not an address', { authorization_challenge_endpoint: 'urn:challenge' }],
  ])('an authorization server with %s (RFC 8414 §2)', async (_, serverMetadata) => {
    await using taken = await taking(service, { serverMetadata })
    expect([taken.answer.status, taken.answer.json.credentials?.length]).toEqual([200, 2])
  })
})

describe('a required member of another type is refused, and the error names it', () => {
  it.each<[string, Parameters<typeof taking>[1]]>([
    ['credential_endpoint', { metadata: { credential_endpoint: 5 } }],
    ['nonce_endpoint', { metadata: { nonce_endpoint: 'nonce' } }],
    ['credential_configurations_supported', { metadata: { credential_configurations_supported: [] } }],
    ['authorization_servers', { metadata: { authorization_servers: 'all' } }],
    ['vct', { metadata: within({ vct: 5, credential_definition: 7 }) }],
    [
      'cryptographic_binding_methods_supported',
      { metadata: within({ cryptographic_binding_methods_supported: 'jwk' }) },
    ],
    ['token_endpoint', { serverMetadata: { token_endpoint: ['a'] } }],
  ])('%s', async (_, options) => {
    await using taken = await taking(service, options)
    expect(taken.answer.status).toBe(500)
    expect(taken.answer.json.message).toMatch(/metadata|format that this wallet knows/i)
    expect(requestsTo(taken.issuer, '/token')).toEqual([])
  })

  it('metadata with too many levels are refused, not read', async () => {
    const deep = () => ({
      raw: (response: ServerResponse) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"credential_request_encryption":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    })
    await using taken = await taking(service, { replace: { '/.well-known/openid-credential-issuer': deep } })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'Metadata of the issuer is nested deeper than 64 levels.',
    ])
  })
})

describe('the size of metadata', () => {
  it.each([
    ['300,000', 300_000, 200],
    ['1.9 million', 1_900_000, 200],
    ['2.2 million', 2_200_000, 500],
  ])('of %s bytes', async (_, size, status) => {
    await using taken = await taking(service, { metadata: { padding: 'x'.repeat(size) } })
    expect(taken.answer.status).toBe(status)
    if (status === 500) expect(taken.answer.json.message).toContain('answered with more than 2097152 bytes')
  })

  it('of an authorization server has the same limit', async () => {
    await using taken = await taking(service, { serverMetadata: { padding: 'x'.repeat(300_000) } })
    expect(taken.answer.status).toBe(200)
  })
})

describe('the metadata of this installation', () => {
  const own = 'https://own.example'
  const ports: OwnMetadata = {
    config: { issuerBaseUrl: own },
    ownMetadata: async (of) =>
      JSON.stringify(
        of === 'issuer'
          ? { ...remoteIssuerMetadata(own, {}), padding: 'x'.repeat(3_000_000) }
          : { issuer: own, jwks_uri: 5 },
      ),
  }
  const fetch = metadataFetch(ports, () => Promise.reject(new Error('Nothing may be fetched.')), own, [DIPLOMA_JWT])

  it('are read without HTTP, at any size', async () => {
    const issuer = zMetadata.parse(await (await fetch(`${own}/.well-known/openid-credential-issuer`)).json())
    expect(Object.keys(issuer.credential_configurations_supported)).toEqual([DIPLOMA_JWT])
    const server: unknown = await (await fetch(`${own}/.well-known/oauth-authorization-server`)).json()
    expect(server).toEqual({ issuer: own })
  })

  it('are not used for an issuer whose address only has the same beginning', async () => {
    const other = metadataFetch(ports, () => Promise.reject(new Error('asked')), `${own}.evil.example`, [])
    await expect(other(`${own}.evil.example/.well-known/openid-credential-issuer`)).rejects.toThrow('asked')
  })
})

describe('members that distinguish versions of the protocol are kept, also in a configuration that is not offered', () => {
  const url = 'https://issuer.example'
  const base = { credential_issuer: url, credential_endpoint: `${url}/credential`, authorization_servers: [url] }
  const W3C = jwtVc({ proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } } })
  const byId = (others: Members) => ({ ...base, credential_configurations_supported: { Diploma: W3C, ...others } })

  async function versionOf(document: unknown): Promise<string> {
    setGlobalConfig({ allowInsecureUrls: true })
    const answer = (body: unknown) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    const fetch = async (input: unknown) =>
      answer(String(input).includes('credential-issuer') ? document : { issuer: url, token_endpoint: `${url}/token` })
    const client = new Openid4vciClient({
      callbacks: { ...remoteCallbacks(await newRemoteKey()), fetch: fetch as typeof globalThis.fetch },
    })
    return (await client.resolveIssuerMetadata(url)).originalDraftVersion
  }

  it.each<[string, Members]>([
    ['nothing', byId({})],
    ['1.0', byId({ Other: { ...W3C, credential_metadata: {} } })],
    [
      '1.0 by a number',
      byId({ Other: { format: 'mso_mdoc', doctype: 'a', credential_signing_alg_values_supported: [-7] } }),
    ],
    ['draft 15', byId({ Other: { format: 'dc+sd-jwt', vct: 'a' } })],
    ['draft 15 by claims', byId({ Other: { format: 'vc+sd-jwt', vct: 'a', claims: [{ path: ['a'] }] } })],
    ['draft 14', byId({ Other: { format: 'vc+sd-jwt', vct: 'a' } })],
    [
      'draft 11',
      {
        ...base,
        credentials_supported: [{ id: 'Diploma', format: 'jwt_vc_json', types: ['VerifiableCredential', 'Diploma'] }],
      },
    ],
  ])('%s', async (_, document) => {
    expect(await versionOf(usedIssuerMembers(document, new Set(['Diploma'])))).toBe(await versionOf(document))
  })

  it('odd entries in metadata of draft 11 are ignored too', async () => {
    const [diploma] = [
      {
        id: 'Diploma',
        format: 'jwt_vc_json',
        types: ['VerifiableCredential', 'Diploma'],
        proof_types_supported: ['jwt'],
      },
    ]
    const odd = [7, { format: 5 }, { id: 'Other', format: 'jwt_vc_json', display: [{ logo: { url: 'urn:a' } }] }]
    const document = {
      ...base,
      credentials_supported: [...odd, { ...diploma, display: [{ logo: { url: 'javascript:1' } }] }],
    }
    expect(await versionOf(usedIssuerMembers(document, new Set(['Diploma'])))).toBe('Draft11')
  })

  it('an id with the name of a member of every object is an id like any other', () => {
    const document = JSON.parse(`{"credential_configurations_supported":{"__proto__":{"format":"jwt_vc_json"}}}`)
    const used = usedIssuerMembers(document, new Set(['__proto__', 'constructor'])) as {
      credential_configurations_supported: object
    }
    expect(Object.keys(used.credential_configurations_supported)).toEqual(['__proto__'])
  })

  it('names the requirements of an offer of two formats', () => {
    const used = usedIssuerMembers(remoteIssuerMetadata(url, {}), new Set([DIPLOMA_SD_JWT])) as Members
    expect(used.credential_configurations_supported).toEqual({
      [DIPLOMA_SD_JWT]: {
        format: 'dc+sd-jwt',
        scope: 'diploma',
        vct: `${url}/vct/diploma`,
        cryptographic_binding_methods_supported: ['did:key', 'did:web', 'did:jwk', 'jwk'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
        credential_metadata: {},
      },
    })
  })
})
