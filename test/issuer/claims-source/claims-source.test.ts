import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CERTIFICATE, PRIVATE_KEY } from '../../outbound/wallet-example-certificate.js'
import { ANOTHER_KEY, CLAIMS, type ClaimsWorld, PATIENT_MS, SCHEMA, startClaimsWorld } from './actors.js'
import { claims, SECRET } from './source.js'

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('claimsSource of a schema', () => {
  it('is shown without its secrets, which are stored as ciphertext', async () => {
    const auth = { hmac: SECRET, bearer: 'secret-token' }
    const posted = await world.postType('Kept', world.sourceOf({ auth }))
    const shown = { url: world.source.url, method: 'POST', timeoutMs: PATIENT_MS, auth: { bearer: true, hmac: true } }
    expect(posted.json.claimsSource).toEqual(shown)
    const read = await world.issuer.service.request('GET', `/schemas/${posted.json.id}`, {
      authorization: await world.issuer.authorization(),
    })
    expect(read.json.claimsSource).toEqual(shown)
    const [stored] = await world.rows('SELECT secret FROM claims_sources WHERE schema_id = $1', posted.json.id)
    expect(stored?.secret).toMatch(/^ey/)
    expect(posted.text + read.text + world.lines.join('')).not.toMatch(/whsec_|secret-token/)
  })

  it.each([
    ['an address without https', { url: 'ftp://x.example' }, 'claimsSource.url must be an https: address'],
    ['a fragment', { url: 'https://x.example/#a' }, 'claimsSource.url must not have a fragment'],
    ['a user name', { url: 'https://a:b@x.example' }, 'claimsSource.url must not hold a user name'],
    ['no authentication', { auth: {} }, 'claimsSource.auth must have bearer, hmac or mTLS'],
    [
      'a short secret',
      { auth: { hmac: 'whsec_YWJj' } },
      'claimsSource.auth.hmac must be whsec_ and 24 to 64 bytes in base64',
    ],
    ['a long time', { timeoutMs: 10_001 }, 'claimsSource.timeoutMs must be at most 10000'],
    ['an unknown member', { proxy: 'x' }, 'property proxy should not exist'],
    [
      'a broken client certificate',
      { url: 'https://x.example', auth: { mTLS: { certificate: 'x', key: 'y' } } },
      'claimsSource.auth.mTLS.certificate must be a certificate in PEM',
    ],
    [
      'a broken key',
      { url: 'https://x.example', auth: { mTLS: { certificate: CERTIFICATE, key: 'y' } } },
      'claimsSource.auth.mTLS.key must be a private key in PEM',
    ],
    [
      'the key of another certificate',
      { url: 'https://x.example', auth: { mTLS: { certificate: CERTIFICATE, key: ANOTHER_KEY } } },
      'claimsSource.auth.mTLS.key must be the key of the certificate',
    ],
    [
      'a client certificate without TLS',
      { auth: { mTLS: { certificate: CERTIFICATE, key: PRIVATE_KEY } } },
      'claimsSource.auth.mTLS needs an https: address',
    ],
  ])('is refused with %s', async (_, members, message) => {
    const { status, json: body } = await world.postType('Refused', world.sourceOf(members))
    expect([status, body.message]).toEqual([400, [message]])
  })

  it('excludes claimsFrom', async () => {
    const answer = await world.issuer.service.request('POST', '/schemas', {
      authorization: await world.issuer.authorization(),
      body: {
        name: 'Both',
        version: 1,
        schema: SCHEMA,
        claimsSource: world.sourceOf(),
        claimsFrom: { degree: '/degree' },
      },
    })
    expect([answer.status, answer.json.message]).toEqual([400, ['claimsFrom must not be given with claimsSource']])
  })
})

describe('the secret of a source', () => {
  const replace = async (id: string, auth: unknown) =>
    world.issuer.service.request('POST', `/api/v1/schemas/${id}/claims-source/secret`, {
      authorization: await world.issuer.authorization(),
      body: { auth },
    })

  it('is replaced without a new version', async () => {
    const wrong = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const { json: schema } = await world.postType('Rotated', world.sourceOf({ auth: { hmac: wrong, bearer: 'one' } }))
    world.source.answers(claims(CLAIMS))
    expect((await world.testSource(schema.id)).json).toMatchObject({
      outcome: 'failed',
      problems: [expect.stringContaining('401')],
    })
    expect((await replace(schema.id, { hmac: SECRET, bearer: 'two' })).status).toBe(204)
    expect((await world.testSource(schema.id)).json).toMatchObject({
      outcome: 'claims',
      credentialSubject: CLAIMS,
      problems: [],
    })
    expect(world.source.asked.at(-1)?.headers.authorization).toBe('Bearer two')
    const audit = await world.rows(
      'SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY id',
      schema.id,
    )
    expect(audit.slice(-2)).toEqual([
      { actor: 'issuer', action: 'schema.claims_source_secret_replaced' },
      { actor: 'issuer', action: 'schema.claims_source_claims_shown' },
    ])
  })

  it('stays in a further version with the same address, and never goes to another address', async () => {
    const next = async (version: number, url: string) =>
      world.issuer.service.request('POST', '/schemas', {
        authorization: await world.issuer.authorization(),
        body: { name: 'Versioned', version, schema: SCHEMA, claimsSource: { url } },
      })
    expect((await world.postType('Versioned', world.sourceOf())).status).toBe(201)
    const moved = await next(2, world.source.url.replace('/claims', '/elsewhere'))
    expect([moved.status, moved.json.message]).toEqual([
      400,
      ['claimsSource.auth must be given: the active version has no claimsSource with this url'],
    ])
    const kept = await next(2, world.source.url)
    expect(kept.json.claimsSource.auth).toEqual({ hmac: true })
    world.source.answers(claims(CLAIMS))
    expect((await world.testSource(kept.json.id)).json.outcome).toBe('claims')
    expect(world.source.asked[0]?.headers['webhook-signature']).toMatch(/^v1,/)
  })

  it('keeps its kind', async () => {
    const { status, json: body } = await replace(world.schemaId, { bearer: 'token' })
    expect([status, body.message]).toEqual([400, ['auth must have exactly: hmac']])
    const [plain] = await world.rows("SELECT id FROM schemas WHERE name = 'ProofOfPurchase'")
    expect((await replace(String(plain?.id), { hmac: SECRET })).status).toBe(409)
    expect((await replace(crypto.randomUUID(), { hmac: SECRET })).status).toBe(404)
  })

  it('attack: a replayed request has an old time, which the receiver refuses', async () => {
    world.source.answers(claims(CLAIMS))
    await world.taken()
    const [asked] = world.source.asked
    expect(asked).toBeDefined()
    const receiver = new Webhook(SECRET)
    expect(receiver.verify(asked?.text ?? '', asked?.headers ?? {})).toMatchObject({
      type: 'credential.claims_requested',
    })
    const now = Date.now
    Date.now = () => now() + 6 * 60_000
    try {
      expect(() => receiver.verify(asked?.text ?? '', asked?.headers ?? {})).toThrow('too old')
    } finally {
      Date.now = now
    }
    const later = { ...asked?.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 60) }
    expect(() => receiver.verify(asked?.text ?? '', later)).toThrow('No matching signature')
  })
})
