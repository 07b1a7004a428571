import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { certificateFor, pemOf } from '../authority.js'
import { certificateFiles, HTTPS, intermediate, leafOf } from '../certified.js'

let service: TestService
let ada: string
let bob: string
beforeAll(async () => {
  service = await startService({ env: { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
  ada = await service.bearer('ada', { roles: ['admin'] })
  bob = await service.bearer('bob', { roles: ['admin'] })
})
afterAll(() => service.close())

const make = async (
  kind: 'issuer' | 'verifier',
  body: Record<string, unknown> = {},
): Promise<{ id: string; did: string }> =>
  (await service.request('POST', `/agent/${kind}`, { authorization: ada, body: { method: 'web', ...body } })).json

const read = async (path: string, authorization = ada) => service.request('GET', path, { authorization })

describe('GET /api/v1/issuers, GET /api/v1/verifiers', () => {
  it('list the records of all callers, the newest first, with their keys or certificates and the callers who may change them', async () => {
    const issuer = await make('issuer', { display: [{ name: 'Shop', locale: 'en' }] })
    const { items } = (await read('/api/v1/issuers?limit=1', bob)).json
    expect(items).toEqual([
      {
        id: issuer.id,
        did: issuer.did,
        method: 'web',
        display: [{ name: 'Shop', locale: 'en' }],
        isDefault: false,
        createdAt: expect.any(String),
        changeable: false,
        signing: 'every',
        algorithm: 'ES256',
        keyId: `${issuer.did}#0`,
        certificate: null,
        certifiedUntil: null,
      },
    ])
    const all = (await read('/api/v1/issuers')).json.items
    expect(all.map(({ isDefault, changeable }: Record<string, boolean>) => [isDefault, changeable])).toEqual([
      [false, true],
      [true, true],
    ])
    // A caller with only the client secret is no user, so this caller cannot change records.
    const { json } = await service.request('GET', '/api/v1/issuers', { client: true })
    expect(json.items.map(({ changeable }: { changeable: boolean }) => changeable)).toEqual([false, false])
  })

  it('continue after the end of the previous page', async () => {
    const made = [await make('verifier'), await make('verifier')]
    const first = (await read('/api/v1/verifiers?limit=1')).json
    const second = (await read(`/api/v1/verifiers?limit=1&cursor=${first.nextCursor}`)).json
    expect([first.items[0].id, second.items[0].id]).toEqual(made.map(({ id }) => id).reverse())
  })

  it('are for operators with the right role: an issuer cannot read verifiers, and a verifier cannot read issuers', async () => {
    const [issuer, verifier] = [
      await service.bearer('ida', { roles: ['issuing'] }),
      await service.bearer('vera', { roles: ['verifying'] }),
    ]
    const statuses = async (authorization: string) =>
      Promise.all(
        ['/api/v1/issuers', '/api/v1/verifiers', '/api/v1/trust/wallets', '/api/v1/trust/credentials'].map(
          async (path) => (await read(path, authorization)).status,
        ),
      )
    expect(await statuses(issuer)).toEqual([200, 403, 200, 403])
    expect(await statuses(verifier)).toEqual([403, 200, 403, 200])
  })
})

describe('GET /api/v1/issuers/{id}', () => {
  it('shows DID document, keys, formats and assigned types, and no part of a private key', async () => {
    const { id, did } = await make('issuer')
    const schema = {
      name: 'Ticket',
      version: 1,
      title: 'Ticket',
      schema: { type: 'object', properties: { seat: { type: 'string' } } },
    }
    const { json: type } = await service.request('POST', '/schemas', {
      authorization: await service.bearer('ada', { roles: ['admin', 'issuing'] }),
      body: schema,
    })
    const at = `/schemas/${type.id}/issuers/${id}`
    await service.request('POST', at, { authorization: await service.bearer('ada', { roles: ['admin', 'issuing'] }) })
    const { json, text } = await read(`/api/v1/issuers/${id}`)
    expect(json).toMatchObject({
      didDocument: { id: did },
      didDocumentUrl: expect.stringMatching(/\/did\.json$/),
      chain: [],
      keys: [{ algorithm: 'ES256', retiredAt: null }],
      types: ['Ticket'],
    })
    expect(
      Object.fromEntries(json.formats.map(({ format, lacks }: Record<string, string>) => [format, lacks])),
    ).toEqual({
      'dc+sd-jwt': null,
      jwt_vc_json: null,
      mso_mdoc: 'an issuer with a certificate (for the default issuer: ISSUER_X509)',
    })
    const published = await fetch(json.didDocumentUrl)
    expect(((await published.json()) as { alsoKnownAs: string[] }).alsoKnownAs).toContain(did)
    expect(text).not.toMatch(/"d":|private/i)
  })

  it('shows former keys beside the signing key', async () => {
    const { id } = await make('issuer')
    await keysCommand(['--alg', 'EdDSA'], {
      ISSUER_BASE_URL: service.url,
      VERIFIER_BASE_URL: service.url,
      ALLOW_INSECURE_HTTP: 'true',
      AUTH_DISABLED: 'true',
      DATABASE_URL: service.databaseUrl,
    })
    const { algorithm, keys } = (await read(`/api/v1/issuers/${id}`)).json
    expect(algorithm).toBe('EdDSA')
    expect(keys.map((key: Record<string, unknown>) => [key.algorithm, key.retiredAt === null])).toEqual([
      ['EdDSA', true],
      ['ES256', false],
    ])
  })

  it('shows the certificates of ISSUER_X509 and VERIFIER_X509, leaf first and without the root', async () => {
    const files = await certificateFiles()
    const [issuers, verifiers] = [leafOf(), leafOf({ subject: 'Verifier' })]
    await using certified = await startService({
      env: {
        ...HTTPS,
        ISSUER_X509: await files.fileOf([issuers, intermediate]),
        VERIFIER_X509: await files.fileOf([verifiers, intermediate]),
      },
    })
    for (const [kind, leaf] of Object.entries({ issuers, verifiers })) {
      const [record] = (await certified.request('GET', `/api/v1/${kind}`, { client: true })).json.items
      expect(record).toMatchObject({
        certificate: { fingerprint: leaf.certificate.fingerprint256, names: ['credence.example'] },
        certifiedUntil: '2099-12-31T00:00:00.000Z',
      })
      const { json } = await certified.request('GET', `/api/v1/${kind}/${record.id}`, { client: true })
      expect(json.chain.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).toEqual(
        [leaf, intermediate].map(({ certificate }) => certificate.fingerprint256),
      )
      if (kind === 'issuers')
        expect(json.formats.map(({ lacks }: { lacks: unknown }) => lacks)).toEqual([null, null, null])
    }
    await files.remove()
  })

  it.each(['issuers', 'verifiers'])('an unknown record is a 404 (%s)', async (kind) => {
    expect((await read(`/api/v1/${kind}/${crypto.randomUUID()}`)).status).toBe(404)
    expect((await read(`/api/v1/${kind}/${encodeURIComponent("' OR true --")}`)).status).toBe(404)
  })
})

describe('GET /api/v1/verifiers/{id}', () => {
  it('shows its possible client identifiers (OpenID4VP 1.0 §5.9.3), and the missing parts for the others', async () => {
    const { id } = await make('verifier')
    const { did, names: before } = (await read(`/api/v1/verifiers/${id}`)).json
    expect(before).toEqual([
      { prefix: 'decentralized_identifier', clientId: `decentralized_identifier:${did}`, lacks: null, isDefault: true },
      { prefix: 'x509_san_dns', clientId: null, lacks: 'a certificate of the verifier', isDefault: false },
      { prefix: 'x509_hash', clientId: null, lacks: 'a certificate of the verifier', isDefault: false },
      { prefix: 'redirect_uri', clientId: null, lacks: null, isDefault: false },
      {
        prefix: 'verifier_attestation',
        clientId: null,
        lacks: "an attestation of the verifier's key",
        isDefault: false,
      },
    ])
    const asked = await service.request('GET', `/agent/verifier/${id}/certificate-request`, { authorization: ada })
    const leaf = certificateFor(asked.json.certificateRequest, { dns: ['127.0.0.1'] })
    const certified = await service.request('POST', `/agent/verifier/${id}/certificate`, {
      authorization: ada,
      body: { chain: pemOf(leaf, intermediate) },
    })
    const { names, certificate, chain } = (await read(`/api/v1/verifiers/${id}`)).json
    expect(names.slice(1, 3)).toEqual([
      { prefix: 'x509_san_dns', clientId: 'x509_san_dns:127.0.0.1', lacks: null, isDefault: false },
      { prefix: 'x509_hash', clientId: certified.json.clientId, lacks: null, isDefault: true },
    ])
    expect([certificate.fingerprint, chain.length]).toEqual([leaf.certificate.fingerprint256, 2])
  })
})

describe.each(['issuer', 'verifier'] as const)('POST /api/v1/%ss/{id}/display', (kind) => {
  const rename = (id: string, body: Record<string, unknown>, authorization = ada) =>
    service.request('POST', `/api/v1/${kind}s/${id}/display`, { authorization, body })
  const displayOf = async (id: string) => (await read(`/api/v1/${kind}s/${id}`)).json.display

  it('changes its display, and the audit event names the caller', async () => {
    const { id } = await make(kind)
    const { status, json } = await rename(id, { before: [], display: [{ name: 'Shop', locale: 'en' }] })
    expect([status, json.display]).toEqual([200, [{ name: 'Shop', locale: 'en' }]])
    expect(await displayOf(id)).toEqual([{ name: 'Shop', locale: 'en' }])
    expect(
      await query(service.databaseUrl, 'SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY id', [
        id,
      ]),
    ).toEqual([
      { actor: 'ada', action: `${kind}.created` },
      { actor: 'ada', action: `${kind}.renamed` },
    ])
  })

  it('refuses the second of two simultaneous changes, which changes nothing', async () => {
    const { id } = await make(kind, { display: [{ name: 'Shop' }] })
    const before = [{ name: 'Shop' }]
    const both = await Promise.all(['One', 'Two'].map((name) => rename(id, { before, display: [{ name }] })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const [won, lost] = both.toSorted((a, b) => a.status - b.status)
    expect(lost?.json.message).toBe('display was changed by somebody else meanwhile.')
    expect(await displayOf(id)).toEqual(won?.json.display)
  })

  it('is for the owner of the record; a record of another admin is unknown', async () => {
    const { id } = await make(kind)
    const change = { before: [], display: [{ name: 'Evil' }] }
    expect((await rename(id, change, bob)).status).toBe(404)
    expect((await rename(id, change, await service.bearer('ida', { roles: ['issuing', 'verifying'] }))).status).toBe(
      403,
    )
    expect((await rename(crypto.randomUUID(), change)).status).toBe(404)
    expect(await displayOf(id)).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['an empty name', [{ name: '' }], 'display.0.name'],
    ['a long name', [{ name: 'x'.repeat(201) }], 'display.0.name'],
    ['51 languages', Array.from({ length: 51 }, () => ({ name: 'x' })), 'display'],
    ['another member', [{ name: 'x', logo: 'https://evil.example/x.png' }], 'logo'],
    ['no list', 'Shop', 'display'],
  ])('%s is a 400 that names it', async (_, display, named) => {
    const { id } = await make(kind)
    const reply = await rename(id, { before: [], display })
    expect([reply.status, String(reply.json.message)]).toEqual([400, expect.stringContaining(named)])
    expect(await displayOf(id)).toEqual([])
  })
})
