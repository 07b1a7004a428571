import { randomUUID } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { rotateKeySet } from '../../../server/key-rotation/rotate-keys.js'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import type { Fault } from '../../keys/providers/doubles/double.js'
import { environmentWith, SUBJECTS, type Subject } from '../../keys/providers/subjects.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { startAttester } from '../../verifier/attestations.js'
import { certificateFor, pemOf } from '../authority.js'
import { certificateFiles, HTTPS, intermediate, leafOf } from '../certified.js'

type Kind = 'issuer' | 'verifier'
interface Key {
  readonly kind: Kind
  readonly id: string
  readonly did: string
  readonly isDefault: boolean
  readonly [member: string]: unknown
}

const admin = (service: TestService, sub = 'ada') => service.bearer(sub, { roles: ['admin'] })

async function make(service: TestService, kind: Kind, body: object = {}, sub = 'ada'): Promise<Key> {
  const authorization = await admin(service, sub)
  const answer = await service.request('POST', `/agent/${kind}`, { authorization, body: { method: 'web', ...body } })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

async function keysOf(service: TestService, path = '', authorization?: string): Promise<Key[]> {
  const asked = authorization ?? (await admin(service))
  const { status, text, json } = await service.request('GET', `/api/v1/signing-keys${path}`, { authorization: asked })
  expect(status, text).toBe(200)
  return json.items
}

const keyOf = async (service: TestService, id: string): Promise<Key> => {
  const found = (await keysOf(service)).find((key) => key.id === id)
  if (found === undefined) throw new Error(`There is no key of ${id}.`)
  return found
}

const defaultOf = async (service: TestService, kind: Kind): Promise<Key> => {
  const found = (await keysOf(service)).find((key) => key.isDefault && key.kind === kind)
  if (found === undefined) throw new Error(`There is no default ${kind}.`)
  return found
}

const rotate = async (service: TestService, { kind, id }: Pick<Key, 'kind' | 'id'>, body: object = {}, sub = 'ada') =>
  service.request('POST', `/api/v1/${kind}s/${id}/rotate`, { authorization: await admin(service, sub), body })

/** All keys of the database, without the moment of the check. */
const stored = ({ databaseUrl }: TestService) =>
  query(databaseUrl, 'SELECT id, key_set_id, retired_at, provider FROM keys ORDER BY id')

/** A service with a double of a key provider, which ends with the test. */
async function withProvider(
  kind: keyof typeof SUBJECTS,
  env: Readonly<Record<string, string>> = {},
  members: Readonly<Record<string, unknown>> = {},
) {
  const subject = await SUBJECTS[kind]()
  onTestFinished(() => subject.double.close())
  const settings = { ...subject.settings, ...members }
  const service = await startService({
    env: { ...(await environmentWith({ ...subject, settings })), ...env },
    clock: subject.clock.now,
  })
  onTestFinished(() => service.close())
  return { subject, service }
}

const AWAY: Fault = () => ({ status: 503, body: {} })

/** Checks of some kinds ask the service that gives credentials. */
const setFault = ({ double }: Subject, fault: Fault | undefined) => {
  double.faults.api = fault
  double.faults.credentials = fault
}

describe('GET /api/v1/signing-keys', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ env: { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
  })
  afterAll(() => service.close())

  it('lists the key of each record: where it is, its names and its rules', async () => {
    const { id, did } = await make(service, 'issuer', { display: [{ name: 'Shop' }] })
    const [key] = await keysOf(service, '?limit=1')
    expect(key).toEqual({
      kind: 'issuer',
      id,
      did,
      display: [{ name: 'Shop' }],
      isDefault: false,
      changeable: true,
      signing: 'every',
      provider: 'database',
      providerKind: null,
      reference: null,
      algorithm: 'ES256',
      keyId: `${did}#0`,
      thumbprint: expect.stringMatching(/^[\w-]{43}$/),
      createdAt: expect.any(String),
      certifiedUntil: null,
      formerKeys: 0,
      didChanges: true,
      keptBecause: null,
      fixedProvider: null,
    })
  })

  it('has each record of both kinds once, page by page, and the records of a place', async () => {
    await make(service, 'verifier')
    await make(service, 'issuer', {}, 'bob')
    const all = await keysOf(service)
    expect(
      all
        .filter(({ isDefault }) => isDefault)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['issuer', 'verifier'])
    const paged: string[] = []
    let cursor = ''
    do {
      const path = `/api/v1/signing-keys?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const { json } = await service.request('GET', path, { authorization: await admin(service) })
      paged.push(...json.items.map(({ id }: Key) => id))
      cursor = json.nextCursor ?? ''
    } while (cursor !== '')
    expect(paged).toEqual(all.map(({ id }) => id))
    expect((await keysOf(service, '?provider=database')).map(({ id }) => id)).toEqual(paged)
    expect(await keysOf(service, '?provider=elsewhere')).toEqual([])
  })

  it('shows operators of a half the records of this half, and no other user anything', async () => {
    const kinds = async (roles: string[]) => {
      const authorization = await service.bearer('olga', { roles })
      return [...new Set((await keysOf(service, '', authorization)).map(({ kind }) => kind))].sort()
    }
    expect(await kinds(['issuing'])).toEqual(['issuer'])
    expect(await kinds(['verifying'])).toEqual(['verifier'])
    expect(await kinds(['admin'])).toEqual(['issuer', 'verifier'])
    const { json } = await service.request('GET', '/api/v1/signing-keys', { client: true })
    expect(new Set(json.items.map(({ kind }: Key) => kind)).size).toBe(2)
    expect(json.items.some(({ changeable }: Key) => changeable)).toBe(false)
    for (const path of ['/api/v1/signing-keys', '/api/v1/key-providers']) {
      const authorization = await service.bearer('visitor', { roles: ['shopping'] })
      expect([path, (await service.request('GET', path, { authorization })).status]).toEqual([path, 403])
      expect([path, (await service.request('GET', path)).status]).toEqual([path, 401])
    }
  })

  it('has no private key, whatever the sender may see', async () => {
    const { text } = await service.request('GET', '/api/v1/signing-keys', {
      authorization: await admin(service),
      client: true,
    })
    expect(text).not.toMatch(/"d":|private|jwk"/i)
  })

  it('counts former keys only if they still sign status lists', async () => {
    const authorization = await admin(service)
    const both = await service.bearer('ada', { roles: ['admin', 'issuing'] })
    const { name: type } = await postSchema(service, both)
    const issuer = await make(service, 'issuer')
    await rotate(service, { kind: 'issuer', id: issuer.id })
    expect((await keyOf(service, issuer.id)).formerKeys).toBe(0)
    const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt', issuerId: issuer.id }
    expect((await service.request('POST', '/credentials/sign', { authorization, body })).status).toBe(201)
    const { json } = await rotate(service, { kind: 'issuer', id: issuer.id })
    expect([json.formerKeys, (await keyOf(service, issuer.id)).formerKeys]).toEqual([1, 1])
    expect(json.next.map(({ step }: { step: string }) => step)).toEqual(['announce-did', 'keep-former-key'])
    expect(json.next[1].sentence).toContain('in the database')
  })
})

describe('GET /api/v1/key-providers', () => {
  it('names no provider if the database has all keys', async () => {
    await using service = await startService()
    const { json } = await service.request('GET', '/api/v1/key-providers', { client: true })
    expect(json).toEqual({ items: [] })
  })

  it('shows a provider that is away, since when and why; only admins see the message and the references', async () => {
    const { subject, service } = await withProvider('vault-transit', {
      ISSUER_KEY_PROVIDER: 'hsm',
      ISSUER_ROLE: 'issuing',
    })
    const providers = async (roles = ['admin']) => {
      const authorization = await service.bearer('olga', { roles })
      return (await service.request('GET', '/api/v1/key-providers', { authorization })).json.items
    }
    const up = {
      name: 'hsm',
      kind: 'vault-transit',
      algorithms: ['ES256', 'EdDSA'],
      status: 'up',
      checkedAt: expect.any(String),
    }
    expect(await providers()).toEqual([{ ...up, since: null, reason: null, message: null }])
    setFault(subject, AWAY)
    subject.clock.pass(10)
    const [away] = await providers()
    expect(away).toEqual({
      ...up,
      status: 'away',
      since: expect.any(String),
      reason: 'unavailable',
      message: expect.any(String),
    })
    for (const secret of subject.secrets()) expect(JSON.stringify(away)).not.toContain(secret)
    subject.clock.pass(10)
    const [later] = await providers(['issuing'])
    expect([later.since, later.message, later.reason]).toEqual([away.since, null, 'unavailable'])
    const { json: ready } = await service.request('GET', '/health/readiness')
    expect(ready.details.keyProviders).toEqual({ status: 'degraded', reason: 'hsm cannot be used' })
    const setup = await service.request('GET', '/api/v1/setup', { client: true })
    expect(setup.json.items.find(({ id }: { id: string }) => id === 'keyProviders')).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining(`The key provider hsm cannot be used since ${away.since}`),
    })
    // The records behind it: references are for admins.
    const references = async (roles: string[]) => {
      const keys = await keysOf(service, '?provider=hsm', await service.bearer('olga', { roles }))
      return keys.map(({ provider, providerKind, reference }) => [provider, providerKind, reference])
    }
    expect(await references(['admin'])).toEqual([['hsm', 'vault-transit', expect.stringContaining('credence-')]])
    expect(await references(['issuing'])).toEqual([['hsm', 'vault-transit', null]])
    setFault(subject, undefined)
    subject.clock.pass(10)
    expect(await providers()).toEqual([{ ...up, since: null, reason: null, message: null }])
  })

  it('cannot be used to drive calls to a provider: many callers at once cause one check in five seconds', async () => {
    const { subject, service } = await withProvider('vault-transit')
    subject.clock.stop()
    subject.clock.pass(60)
    const before = subject.double.got.length
    const ask = async () => {
      const paths = ['/api/v1/key-providers', '/health/readiness', '/api/v1/key-providers']
      await Promise.all(paths.map((path) => service.request('GET', path, { client: true })))
    }
    await ask()
    const first = subject.double.got.length - before
    expect(first).toBeGreaterThan(0)
    await Promise.all(Array.from({ length: 20 }, ask))
    expect(subject.double.got.length - before).toBe(first)
    subject.clock.pass(6)
    await ask()
    expect(subject.double.got.length - before).toBeGreaterThan(first)
  })

  it('answers within the time limit if a provider hangs, and begins no second check meanwhile', async () => {
    const { subject, service } = await withProvider('vault-transit', {}, { timeoutSeconds: 6 })
    setFault(subject, () => 'handled')
    subject.clock.pass(60)
    const before = subject.double.got.length
    for (let round = 0; round < 2; round += 1) {
      const { json } = await service.request('GET', '/api/v1/key-providers', { authorization: await admin(service) })
      expect(json.items[0]).toMatchObject({ status: 'away', reason: 'timeout' })
      subject.clock.pass(60)
    }
    expect(subject.double.got.length - before).toBe(1)
  })
})

describe.each(['issuer', 'verifier'] as const)('POST /api/v1/%ss/{id}/rotate', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ env: { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
  })
  afterAll(() => service.close())

  it('gives one record a new key, says what changed, and names the caller in the audit event', async () => {
    const record = await make(service, kind)
    const before = await keyOf(service, record.id)
    const others = (await keysOf(service)).filter(({ id }) => id !== record.id)
    const { status, json, text } = await rotate(service, { kind, id: record.id }, { algorithm: 'EdDSA' })
    expect(status, text).toBe(201)
    expect(json).toMatchObject({ kind, id: record.id, algorithm: 'EdDSA', provider: 'database', formerDid: record.did })
    expect(json.thumbprint).not.toBe(before.thumbprint)
    expect(json.next).toEqual([{ step: 'announce-did', sentence: expect.stringContaining(json.did) }])
    const { formerDid: _did, next: _next, ...key } = json
    expect(await keyOf(service, record.id)).toEqual(key)
    expect((await keysOf(service)).filter(({ id }) => id !== record.id)).toEqual(others)
    const [event] = await query(
      service.databaseUrl,
      `SELECT e.actor, k.retired_at FROM audit_events e JOIN keys k ON k.id = e.subject_id WHERE e.action = 'key.rotated' ORDER BY e.id DESC LIMIT 1`,
    )
    expect(event).toEqual({ actor: 'ada', retired_at: null })
  })

  it('rotates the default record for every admin', async () => {
    const { status, json } = await rotate(service, await defaultOf(service, kind), {}, 'bob')
    expect([status, json.isDefault]).toEqual([201, true])
  })

  it('is a 404 for a record of another caller and for an unknown record, and writes nothing', async () => {
    const { id } = await make(service, kind, {}, 'bob')
    const before = await stored(service)
    for (const unknown of [id, randomUUID(), "' OR true --"])
      expect((await rotate(service, { kind, id: encodeURIComponent(unknown) })).status).toBe(404)
    // A record of the other kind has the id, but not at this address.
    const { id: other } = await make(service, kind === 'issuer' ? 'verifier' : 'issuer')
    expect((await rotate(service, { kind, id: other })).status).toBe(404)
    expect((await stored(service)).filter((row) => before.some((each) => each.id === row.id))).toEqual(before)
  })

  it('is for admins: operators, the client secret and strangers are refused', async () => {
    const { id } = await make(service, kind)
    const before = await stored(service)
    const path = `/api/v1/${kind}s/${id}/rotate`
    const operator = await service.bearer('ada', { roles: ['issuing', 'verifying'] })
    const statuses = [
      await service.request('POST', path, { authorization: operator, body: {} }),
      await service.request('POST', path, { client: true, body: {} }),
      await service.request('POST', path, { body: {} }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 401, 401])
    expect(await stored(service)).toEqual(before)
  })

  it('makes one key for one Idempotency-Key, and repeats the answer', async () => {
    const { id } = await make(service, kind)
    const before = (await stored(service)).length
    const again = async () =>
      service.request('POST', `/api/v1/${kind}s/${id}/rotate`, {
        authorization: await admin(service),
        body: {},
        headers: { 'idempotency-key': `rotation-${id}` },
      })
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json).toEqual(first.json)
    expect((await stored(service)).length).toBe(before + 1)
  })

  it('lets one of two rotations at the same time win, or both one after the other: one key signs', async () => {
    const { id } = await make(service, kind)
    const answers = await Promise.all([1, 2, 3].map(() => rotate(service, { kind, id })))
    for (const { status, json } of answers)
      if (status !== 201) expect([status, json.message]).toEqual([409, expect.stringContaining('meanwhile')])
    expect(answers.some(({ status }) => status === 201)).toBe(true)
    const [row] = await query(
      service.databaseUrl,
      `SELECT count(*)::int AS signing FROM keys k JOIN ${kind}s r USING (key_set_id) WHERE r.id = $1 AND k.retired_at IS NULL`,
      [id],
    )
    expect(row).toEqual({ signing: 1 })
  })

  it('writes nothing if the key was replaced while the new key was made', async () => {
    const { keyRotation } = service.platform.stores
    const { id } = await make(service, kind)
    const [former] = await keyRotation.recordsBeside(kind, id)
    if (former === undefined) throw new Error(`There is no record ${id}.`)
    expect((await rotate(service, { kind, id })).status).toBe(201)
    const before = await stored(service)
    const { vault, newId, keyProviders: providers, config } = service.platform
    const late = await rotateKeySet([former], {
      vault,
      newId,
      providers,
      config,
      store: keyRotation,
      clock: () => new Date(),
      actor: 'ada',
    })
    expect(late).toEqual({ outcome: 'late' })
    expect(await stored(service)).toEqual(before)
  })

  it.each([
    [{ provider: 'hsm' }, 'provider must be database or the name of a provider of KEY_PROVIDERS'],
    [{ algorithm: 'RS256' }, 'algorithm'],
    [{ privateKey: 'x' }, 'privateKey'],
  ])('is a 400 for %o', async (body, sentence) => {
    const { id } = await make(service, kind)
    const before = await stored(service)
    const { status, text } = await rotate(service, { kind, id }, body)
    expect([status, text]).toEqual([400, expect.stringContaining(sentence)])
    expect(await stored(service)).toEqual(before)
  })
})

describe('the rotation of a record', () => {
  it('leaves the certificate of a verifier behind, and says that a new one is needed', async () => {
    await using service = await startService()
    const authorization = await admin(service)
    const { id } = await make(service, 'verifier')
    const path = `/agent/verifier/${id}/certificate`
    const asked = await service.request('GET', `${path}-request`, { authorization })
    const chain = pemOf(certificateFor(asked.json.certificateRequest, { dns: ['127.0.0.1'] }), intermediate)
    expect((await service.request('POST', path, { authorization, body: { chain } })).status).toBe(200)
    expect((await keyOf(service, id)).certifiedUntil).toEqual(expect.any(String))
    const { json } = await rotate(service, { kind: 'verifier', id })
    expect(json.certifiedUntil).toBeNull()
    expect(json.next[0]).toEqual({
      step: 'request-certificate',
      sentence: expect.stringContaining(`GET /agent/verifier/${id}/certificate-request`),
    })
  })

  it('keeps the DID of a did:web over https', async () => {
    await using service = await startService({ env: HTTPS })
    const record = await make(service, 'issuer')
    expect(await keyOf(service, record.id)).toMatchObject({
      did: expect.stringMatching(/^did:web:/),
      didChanges: false,
    })
    const { json } = await rotate(service, { kind: 'issuer', id: record.id })
    expect([json.did, json.next]).toEqual([record.did, []])
  })

  it('is refused for a key of ISSUER_X509 and VERIFIER_X509, and for the key of VERIFIER_ATTESTATION', async () => {
    const files = await certificateFiles()
    onTestFinished(() => files.remove())
    const certified = await files.fileOf([leafOf(), intermediate])
    await using service = await startService({ env: { ...HTTPS, ISSUER_X509: certified } })
    const issuer = await defaultOf(service, 'issuer')
    expect(issuer.keptBecause).toBe('certificate-file')
    const before = await stored(service)
    const refused = await rotate(service, issuer)
    expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining('ISSUER_X509')])
    expect(await stored(service)).toEqual(before)
    expect((await rotate(service, await defaultOf(service, 'verifier'))).status).toBe(201)

    const attester = await startAttester()
    onTestFinished(() => attester.remove())
    await using plain = await startService()
    const [row] = await query(
      plain.databaseUrl,
      'SELECT k.public_jwk FROM keys k JOIN verifiers v USING (key_set_id) WHERE v.is_default',
    )
    const env = { VERIFIER_ATTESTATION: await attester.fileFor(row?.public_jwk, {}) }
    await using attested = await startService({ databaseUrl: plain.databaseUrl, env })
    const verifier = await defaultOf(attested, 'verifier')
    expect(verifier.keptBecause).toBe('attestation')
    const { status, json } = await rotate(attested, verifier)
    expect([status, json.message]).toEqual([409, expect.stringContaining('VERIFIER_ATTESTATION')])
  })

  it('moves the key into a provider and back; the provider then signs', async () => {
    const { service } = await withProvider('vault-transit')
    const both = await service.bearer('ada', { roles: ['admin'] })
    const { name: type } = await postSchema(service, both)
    const issuer = await make(service, 'issuer')
    const sign = async () => {
      const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt', issuerId: issuer.id }
      const { status, json, text } = await service.request('POST', '/credentials/sign', { authorization: both, body })
      expect(status, text).toBe(201)
      return json.credential as string
    }
    const first = await sign()
    const moved = await rotate(service, { kind: 'issuer', id: issuer.id }, { provider: 'hsm', algorithm: 'EdDSA' })
    expect(moved.json).toMatchObject({ provider: 'hsm', providerKind: 'vault-transit', algorithm: 'EdDSA' })
    expect(moved.json.next.at(-1)).toMatchObject({ sentence: expect.stringContaining('in the database') })
    const second = await sign()
    expect(decodeProtectedHeader(second.split('~')[0] ?? '').alg).toBe('EdDSA')
    // By default the place and the algorithm stay.
    expect((await rotate(service, { kind: 'issuer', id: issuer.id })).json).toMatchObject({
      provider: 'hsm',
      algorithm: 'EdDSA',
    })
    const back = await rotate(service, { kind: 'issuer', id: issuer.id }, { provider: 'database' })
    expect(back.json).toMatchObject({ provider: 'database', providerKind: null, reference: null, algorithm: 'EdDSA' })
    expect(back.json.next.at(-1)).toMatchObject({ sentence: expect.stringContaining('in the key provider hsm') })
    for (const credential of [first, second, await sign()]) {
      const verified = await service.request('POST', '/credentials/verify', {
        authorization: both,
        body: { credential },
      })
      expect(verified.json.isValid).toBe(true)
    }
    const rows = await query(service.databaseUrl, `SELECT private_jwk IS NULL AS kept FROM keys WHERE provider = 'hsm'`)
    expect(rows).toEqual([{ kept: true }, { kept: true }])
  })

  it('is a 503 that writes nothing if the provider is away, and works when it is back', async () => {
    const { subject, service } = await withProvider('vault-transit')
    const { id } = await make(service, 'verifier', { keyProvider: 'hsm' })
    const [before, events] = [
      await stored(service),
      await query(service.databaseUrl, 'SELECT count(*)::int AS n FROM audit_events'),
    ]
    setFault(subject, AWAY)
    const refused = await rotate(service, { kind: 'verifier', id })
    expect([refused.status, refused.json.message, refused.headers.get('retry-after')]).toEqual([
      503,
      'Signing is not available at the moment.',
      '5',
    ])
    for (const secret of subject.secrets()) expect(refused.text).not.toContain(secret)
    expect(await stored(service)).toEqual(before)
    expect(await query(service.databaseUrl, 'SELECT count(*)::int AS n FROM audit_events')).toEqual(events)
    setFault(subject, undefined)
    expect((await rotate(service, { kind: 'verifier', id })).status).toBe(201)
  })

  it('is a 400 if the provider has no keys for the algorithm, also for the algorithm of the former key', async () => {
    const { subject, service } = await withProvider('aws-kms')
    const { id } = await make(service, 'issuer', { algorithm: 'EdDSA' })
    const made = subject.double.chest.keys.size
    for (const body of [{ provider: 'hsm' }, { provider: 'hsm', algorithm: 'EdDSA' }]) {
      const { status, text } = await rotate(service, { kind: 'issuer', id }, body)
      expect([status, text]).toEqual([400, expect.stringContaining('algorithm must be ES256')])
    }
    expect(subject.double.chest.keys.size).toBe(made)
    expect((await rotate(service, { kind: 'issuer', id }, { provider: 'hsm', algorithm: 'ES256' })).status).toBe(201)
  })

  it('cannot move the key of a default record out of ISSUER_KEY_PROVIDER, because the next start would end', async () => {
    const { service } = await withProvider('vault-transit', { ISSUER_KEY_PROVIDER: 'hsm' })
    const issuer = await defaultOf(service, 'issuer')
    expect(issuer).toMatchObject({ provider: 'hsm', fixedProvider: 'hsm' })
    const before = await stored(service)
    const { status, json } = await rotate(service, issuer, { provider: 'database' })
    expect([status, json.message]).toEqual([409, expect.stringContaining('ISSUER_KEY_PROVIDER')])
    expect(await stored(service)).toEqual(before)
    expect((await rotate(service, issuer)).json).toMatchObject({ provider: 'hsm' })
    expect((await rotate(service, await defaultOf(service, 'verifier'), { provider: 'hsm' })).status).toBe(201)
  })
})
