import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { answer, ask, dcql, fetchRequest, present, type RequestPayload } from '../actors.js'
import { anchorFiles, makeRoot } from '../certified.js'
import { useWorld } from '../world.js'

const PATH = '/api/v1/trusted-issuers'

// With this setting, the installation's own issuer is not trusted until a test adds it.
const world = useWorld({ env: { TRUSTED_ISSUERS: 'did:web:nobody.example' } })

const add = (issuer: unknown, more: Record<string, unknown> = {}) =>
  world.service.request('POST', PATH, { client: true, body: { issuer, ...more } })
const remove = (id: string) => world.service.request('DELETE', `${PATH}/${id}`, { client: true })

/** Makes a request for a credential of this installation. Returns the request that the wallet reads. */
const requested = async (body: Record<string, unknown> = {}) =>
  fetchRequest(
    await ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), responseMode: 'direct_post', ...body }),
  )

/** Presents the credential. @returns undefined if it is accepted, otherwise the reason. */
async function answered(payload: RequestPayload): Promise<string | undefined> {
  const reply = await answer(payload, { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] })
  return reply.json.error_description
}

const refusalOf = async (body?: Record<string, unknown>) => answered(await requested(body))

const ownDid = async (): Promise<string> =>
  (await world.service.request('GET', '/api/v1/issuers', { client: true })).json.items[0].did

describe('issuers that were added', () => {
  it('are trusted at once in addition to TRUSTED_ISSUERS, and no longer after their removal', async () => {
    const did = await ownDid()
    expect(await refusalOf()).toContain(`Issuer ${did} is not trusted.`)
    const added = await add(did, { note: 'Ourselves' })
    expect([added.status, added.json]).toEqual([
      201,
      { id: expect.any(String), issuer: did, note: 'Ourselves', createdAt: expect.any(String) },
    ])
    expect(await refusalOf()).toBeUndefined()
    // For a request that was made earlier, the trust at the time of the answer counts.
    const underWay = await requested()
    expect((await remove(added.json.id)).status).toBe(204)
    expect(await answered(underWay)).toContain('is not trusted.')
    expect((await remove(added.json.id)).json.message).toBe('Trusted issuer not found.')
  })

  it('are not added to a request with its own trusted issuers', async () => {
    const { json } = await add(await ownDid())
    expect(await refusalOf({ trustedIssuers: ['did:web:nobody.example'] })).toContain('is not trusted.')
    await remove(json.id)
  })

  it('are exactly the added issuers, and no issuer with a similar name', async () => {
    const did = await ownDid()
    const others = await Promise.all(
      [`${did}a`, did.slice(0, -1), did.toUpperCase().replace(/^DID:\w+/, 'did:jwk')].map((each) => add(each)),
    )
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await refusalOf()).toContain(`Issuer ${did} is not trusted.`)
    await Promise.all(others.map(({ json }) => remove(json.id)))
  })

  it('are stored once, in one form, also if two are added at once', async () => {
    const both = await Promise.all([add('https://University.example'), add('https://university.example:443/')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const [first, second] = both.toSorted((a, b) => a.status - b.status)
    expect([first?.json.issuer, second?.json.message]).toEqual([
      'https://university.example',
      'issuer is trusted already.',
    ])
    await remove(first?.json.id)
  })

  it.each([
    '*',
    'self',
    'x5c',
    '',
    'https://good.example@evil.example',
    'https://good.example/tenant',
    'https://[nonsense',
    'did:web:good.example#key',
    'did:web:good.example evil',
    `did:web:${'a'.repeat(2_000)}`,
    undefined,
    ['did:web:good.example'],
  ])('%j is not accepted', async (issuer) => {
    const reply = await add(issuer)
    expect([reply.status, String(reply.json.message)]).toEqual([400, expect.stringMatching(/^issuer must /)])
    expect(await query(world.service.databaseUrl, 'SELECT id FROM trusted_issuers')).toEqual([])
  })

  it('need TLS, unless ALLOW_INSECURE_HTTP', async () => {
    await using strict = await startService({
      databaseUrl: world.service.databaseUrl,
      identityProvider: world.service.identityProvider,
      env: { ALLOW_INSECURE_HTTP: '', ISSUER_BASE_URL: 'https://a.example', VERIFIER_BASE_URL: 'https://a.example' },
    })
    const reply = await strict.request('POST', PATH, { client: true, body: { issuer: 'http://plain.example' } })
    expect([reply.status, reply.json.message]).toEqual([400, ['issuer must begin with https:']])
  })

  it('are listed page by page, the newest first, and audit events name the callers who added or removed them', async () => {
    const authorization = await world.service.bearer('root', { roles: ['admin'] })
    const issuers = ['https://a.example', 'https://b.example', 'https://c.example']
    for (const issuer of issuers) await world.service.request('POST', PATH, { authorization, body: { issuer } })
    const first = (await world.service.request('GET', `${PATH}?limit=2`, { authorization })).json
    expect(first.items.map(({ issuer }: { issuer: string }) => issuer)).toEqual([
      'https://c.example',
      'https://b.example',
    ])
    const next = (await world.service.request('GET', `${PATH}?limit=2&cursor=${first.nextCursor}`, { authorization }))
      .json
    expect(next).toEqual({ items: [expect.objectContaining({ issuer: 'https://a.example', createdBy: 'root' })] })
    for (const { id } of [...first.items, ...next.items])
      await world.service.request('DELETE', `${PATH}/${id}`, { authorization })
    const events = await query(
      world.service.databaseUrl,
      "SELECT actor, action FROM audit_events WHERE subject = 'trusted-issuer' AND subject_id = 'https://a.example' ORDER BY id",
    )
    expect(events).toEqual([
      { actor: 'root', action: 'trusted-issuer.added' },
      { actor: 'root', action: 'trusted-issuer.removed' },
    ])
  })

  it('are changed only by operators of the installation', async () => {
    const authorization = await world.service.bearer('vera')
    expect(
      (await world.service.request('POST', PATH, { authorization, body: { issuer: 'https://evil.example' } })).status,
    ).toBe(403)
    expect((await world.service.request('DELETE', `${PATH}/${crypto.randomUUID()}`, { authorization })).status).toBe(
      403,
    )
    expect((await world.service.request('POST', PATH, { body: { issuer: 'https://evil.example' } })).status).toBe(401)
    expect((await world.service.request('GET', PATH, { authorization })).status).toBe(403)
  })
})

describe('issuers that the configuration trusts', () => {
  let files: Awaited<ReturnType<typeof anchorFiles>>
  beforeAll(async () => {
    files = await anchorFiles()
  })
  afterAll(() => files[Symbol.asyncDispose]())

  it('are TRUSTED_ISSUERS, and the roots of each file with their expiry', async () => {
    const root = makeRoot('Universities')
    const wallets = makeRoot('Wallets')
    await using other = await startService({
      databaseUrl: world.service.databaseUrl,
      identityProvider: world.service.identityProvider,
      env: {
        TRUST_ANCHORS: await files.write('roots', root),
        WALLET_TRUST_ANCHORS: await files.write('wallets', wallets),
        TRUSTED_ISSUERS: 'self,x5c',
      },
    })
    const read = async (path: string) => (await other.request('GET', path, { client: true })).json
    expect(await read('/api/v1/trust/credentials')).toEqual({
      trustedIssuers: ['self', 'x5c'],
      byDefault: false,
      credentials: {
        variable: 'TRUST_ANCHORS',
        count: 1,
        certificates: [
          {
            subject: root.certificate.subject.replaceAll('\n', ', '),
            issuer: root.certificate.issuer.replaceAll('\n', ', '),
            serialNumber: root.certificate.serialNumber,
            validFrom: new Date(root.certificate.validFrom).toISOString(),
            validUntil: new Date(root.certificate.validTo).toISOString(),
            fingerprint: root.certificate.fingerprint256,
            names: [],
          },
        ],
      },
      statusLists: null,
      verifiers: { variable: 'VERIFIER_TRUST_ANCHORS', count: 0, certificates: [] },
    })
    const { providers, roots } = await read('/api/v1/trust/wallets')
    expect([providers, roots.count, roots.certificates[0].fingerprint]).toEqual([
      [],
      1,
      wallets.certificate.fingerprint256,
    ])
  })

  it('follow VERIFIER_PROFILE if TRUSTED_ISSUERS is not set', async () => {
    await using other = await startService({
      databaseUrl: world.service.databaseUrl,
      identityProvider: world.service.identityProvider,
    })
    const { json } = await other.request('GET', '/api/v1/trust/credentials', { client: true })
    expect(json).toMatchObject({ trustedIssuers: ['self'], byDefault: true, credentials: { count: 0 } })
  })
})
