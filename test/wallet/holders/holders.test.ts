import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema } from '../../issuer/purchase.js'
import { query } from '../../support/postgres.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'

let service: TestService
let issuer: RemoteIssuer

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
  issuer = await startRemoteIssuer()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const DENIED = { statusCode: 403, message: 'Access to holder denied.', error: 'Forbidden' }

const ROUTES = [
  ['POST', '/process', { uri: 'openid4vp://?x=1' }],
  ['POST', '/name', { name: 'Mine' }],
  ['GET', '/dids', undefined],
  ['POST', '/dids', { method: 'key' }],
  ['DELETE', '/dids/did:key:z', undefined],
  ['GET', '/credentials', undefined],
  ['GET', `/credentials/${crypto.randomUUID()}`, undefined],
  ['DELETE', `/credentials/${crypto.randomUUID()}`, undefined],
  ['GET', '/presentations', undefined],
] as const

describe('every route below /holders/{holderId}', () => {
  it.each(ROUTES)(
    '%s %s: a holder of another caller and a missing holder give the same 403',
    async (method, path, body) => {
      const wallet = await newWallet(service, 'alice')
      const authorization = await service.bearer('mallory', { roles: ['admin'] })
      for (const id of [wallet.id, crypto.randomUUID(), 'no-uuid']) {
        const answer = await service.request(method, `/holders/${id}${path}`, {
          authorization,
          ...(body === undefined ? {} : { body }),
        })
        expect([answer.status, answer.json]).toEqual([403, expect.objectContaining(DENIED)])
      }
    },
  )

  it.each(ROUTES)('%s %s: the creator without the admin role gets another 403', async (method, path, body) => {
    const wallet = await newWallet(service, 'alice')
    const answer = await service.request(method, `/holders/${wallet.id}${path}`, {
      authorization: await service.bearer('alice'),
      ...(body === undefined ? {} : { body }),
    })
    expect([answer.status, answer.json.message]).toEqual([403, 'Insufficient role.'])
  })
})

describe('the name of a holder', () => {
  it('changes on request, with an audit event; the DID stays', async () => {
    const wallet = await newWallet(service, 'ada')
    const renamed = await wallet.request('POST', '/name', { name: 'Counter 2' })
    expect([renamed.status, renamed.json]).toEqual([
      200,
      expect.objectContaining({ id: wallet.id, did: wallet.did, name: 'Counter 2' }),
    ])
    const authorization = await service.bearer('ada', { roles: ['admin'] })
    const listed = await service.request('GET', '/agent/holders', { authorization })
    expect(listed.json).toEqual([renamed.json])
    const events = await query(
      service.databaseUrl,
      `SELECT actor, subject FROM audit_events WHERE action = 'holder.renamed' AND subject_id = $1`,
      [wallet.id],
    )
    expect(events).toEqual([{ actor: 'ada', subject: 'holder' }])
  })

  it.each([
    [{}, /^name must be/],
    [{ name: '' }, /^name /],
    [{ name: 'x'.repeat(201) }, /^name /],
    [{ name: 'Counter', did: 'did:key:z' }, /^property did should not exist$/],
  ])('POST with %j: 400, and the name stays', async (body, message) => {
    const wallet = await newWallet(service, 'grace')
    await wallet.request('POST', '/name', { name: 'First' })
    const answer = await wallet.request('POST', '/name', body)
    expect([answer.status, answer.json.message]).toEqual([400, [expect.stringMatching(message)]])
    const rows = await query(service.databaseUrl, 'SELECT name FROM holders WHERE id = $1', [wallet.id])
    expect(rows).toEqual([{ name: 'First' }])
  })
})

describe('DIDs of a holder', () => {
  it('the first is made with the holder, further DIDs on request; lists begin with the newest', async () => {
    const wallet = await newWallet(service)
    const created = await wallet.request('POST', '/dids', { method: 'web' })
    expect([created.status, created.json.method]).toEqual([201, 'web'])
    const listed = await wallet.get('/dids')
    expect(listed.json.map(({ did }: { did: string }) => did)).toEqual([created.json.did, wallet.did])
  })

  it.each([
    [{}, ['method must be defined']],
    [{ method: 'jwk' }, ['method must be one of key, web']],
    [{ method: 'key', x: 1 }, ['property x should not exist']],
  ])('POST with %j: 400', async (body, message) => {
    const answer = await (await newWallet(service)).request('POST', '/dids', body)
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('DELETE removes a DID with its key; its document no longer exists', async () => {
    const wallet = await newWallet(service, 'alice', 'web')
    const keys = () => query(service.databaseUrl, 'SELECT 1 FROM dids WHERE did = $1', [wallet.did])
    expect(await keys()).toHaveLength(1)
    const [keySet] = await query<{ key_set_id: string }>(
      service.databaseUrl,
      'SELECT key_set_id FROM dids WHERE did = $1',
      [wallet.did],
    )
    const answer = await wallet.request('DELETE', `/dids/${encodeURIComponent(wallet.did)}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await keys()).toEqual([])
    expect(await query(service.databaseUrl, 'SELECT 1 FROM keys WHERE key_set_id = $1', [keySet?.key_set_id])).toEqual(
      [],
    )
    const uuid = wallet.did.split(':').at(-1)
    expect((await service.request('GET', `/${uuid}/did.json`)).status).toBe(404)
    const again = await wallet.request('DELETE', `/dids/${encodeURIComponent(wallet.did)}`)
    expect([again.status, again.json.message]).toEqual([404, 'DID not found.'])
  })

  it('DELETE of another holder’s DID: 404, and it stays', async () => {
    const [mine, yours] = [await newWallet(service, 'alice'), await newWallet(service, 'bob')]
    const answer = await mine.request('DELETE', `/dids/${encodeURIComponent(yours.did)}`)
    expect([answer.status, answer.json.message]).toEqual([404, 'DID not found.'])
    expect((await yours.get('/dids')).json).toHaveLength(1)
  })

  it('DELETE while a credential is bound to the DID: 409; afterwards it can be deleted', async () => {
    const wallet = await newWallet(service)
    const { json } = await wallet.process(await issuer.offer([DIPLOMA_JWT]))
    const path = `/dids/${encodeURIComponent(wallet.did)}`
    const refused = await wallet.request('DELETE', path)
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'Credentials are bound to this DID. Delete them first.',
    ])
    await wallet.request('DELETE', `/credentials/${json.credentials[0].id}`)
    expect((await wallet.request('DELETE', path)).status).toBe(204)
  })
})

describe('credentials of a holder', () => {
  it('are listed with type, issuer and status, the newest first, in pages', async () => {
    const wallet = await newWallet(service)
    await wallet.process(await issuer.offer())
    const listed = await wallet.get('/credentials')
    expect(listed.json).toHaveLength(2)
    expect(listed.json[0]).toEqual({
      id: expect.any(String),
      format: 'dc+sd-jwt',
      display: { name: 'Diploma', locale: 'en' },
      type: [`${issuer.url}/vct/diploma`],
      issuer: issuer.key.did,
      credentialIssuer: issuer.url,
      configurationId: DIPLOMA_SD_JWT,
      status: 'valid',
      issuedAt: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/Z$/),
    })
    const page = await wallet.get('/credentials?limit=1')
    expect(page.json).toEqual([listed.json[0]])
    const cursor = page.headers.get('x-next-cursor')
    expect(page.headers.get('link')).toContain(`cursor=${cursor}`)
    const next = await wallet.get(`/credentials?limit=1&cursor=${cursor}`)
    expect(next.json).toEqual([listed.json[1]])
  })

  it('an expired credential is shown as expired', async () => {
    let late = 0
    await using clocked = await startService({ env: LOOPBACK, clock: () => new Date(Date.now() + late) })
    await using short = await startRemoteIssuer({
      forge: (self, holder) => self.signJwtVc(holder.did, { exp: Math.floor(Date.now() / 1000) + 60 }),
    })
    const wallet = await newWallet(clocked)
    expect((await wallet.process(await short.offer([DIPLOMA_JWT]))).status).toBe(200)
    expect((await wallet.get('/credentials')).json[0].status).toBe('valid')
    late = 90_000
    const [credential] = (await wallet.get('/credentials')).json
    expect([credential.status, credential.expiresAt]).toEqual(['expired', expect.stringMatching(/Z$/)])
  })

  it('a credential whose status list cannot be fetched is unknown', async () => {
    const gone = await startService({ env: LOOPBACK })
    const { name } = await postSchema(gone, await gone.bearer('issuer'))
    const wallet = await newWallet(service)
    const offering = await postOffering(gone, { credential_type: name })
    expect((await wallet.process(offering.offering_full_url)).status).toBe(200)
    const statuses = async () => (await wallet.get('/credentials')).json.map(({ status }: { status: string }) => status)
    expect(await statuses()).toEqual(['valid', 'valid'])
    await gone.close()
    expect(await statuses()).toEqual(['unknown', 'unknown'])
  })

  it('are read with their claims and in compact form', async () => {
    const wallet = await newWallet(service)
    const { json } = await wallet.process(await issuer.offer())
    for (const { id, format } of json.credentials) {
      const read = await wallet.get(`/credentials/${id}`)
      expect(read.status).toBe(200)
      expect(read.json).toMatchObject({
        id,
        claims:
          format === 'dc+sd-jwt'
            ? { degree: 'Laurea', university: 'Torino' }
            : { credentialSubject: { degree: 'Laurea' } },
        credential: expect.stringMatching(/^ey/),
      })
    }
  })

  it('a deletion deletes a credential with all its copies', async () => {
    await using batch = await startRemoteIssuer({ batchSize: 3 })
    const wallet = await newWallet(service)
    const { json } = await wallet.process(await batch.offer([DIPLOMA_SD_JWT]), { copies: 3 })
    const [{ id }] = json.credentials
    const rows = () =>
      query(service.databaseUrl, 'SELECT 1 FROM wallet_credential_copies WHERE credential_id = $1', [id])
    expect(await rows()).toHaveLength(3)
    const answer = await wallet.request('DELETE', `/credentials/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await rows()).toEqual([])
    expect((await wallet.get('/credentials')).json).toEqual([])
    for (const method of ['GET', 'DELETE']) {
      const gone = await wallet.request(method, `/credentials/${id}`)
      expect([gone.status, gone.json.message]).toEqual([404, 'Credential not found.'])
    }
    const audit = await query(
      service.databaseUrl,
      'SELECT action FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [id],
    )
    expect(audit).toEqual([{ action: 'wallet.credential.received' }, { action: 'wallet.credential.deleted' }])
  })

  it('are not found through another holder of the same caller', async () => {
    const [first, second] = [await newWallet(service), await newWallet(service)]
    const { json } = await first.process(await issuer.offer([DIPLOMA_JWT]))
    const path = `/credentials/${json.credentials[0].id}`
    expect((await second.get(path)).status).toBe(404)
    expect((await second.request('DELETE', path)).status).toBe(404)
    expect((await first.get(path)).status).toBe(200)
  })
})

describe('a wallet’s content at rest', () => {
  it('is encrypted under KEY_ENCRYPTION_KEY: no claim, issuer, verifier or key is readable in the database', async () => {
    const key = Buffer.alloc(32, 7).toString('base64url')
    await using safe = await startService({ env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: key } })
    const wallet = await newWallet(safe)
    await using batch = await startRemoteIssuer({ batchSize: 2 })
    expect((await wallet.process(await batch.offer(), { copies: 2 })).status).toBe(200)
    const stored = await query<{ content: string; compact: string; private_jwk: string | null }>(
      safe.databaseUrl,
      'SELECT w.content, c.compact, c.private_jwk FROM wallet_credentials w JOIN wallet_credential_copies c ON c.credential_id = w.id',
    )
    expect(stored).toHaveLength(4)
    for (const { content, compact, private_jwk: own } of stored) {
      for (const value of [content, compact, ...(own === null ? [] : [own])])
        expect(value).toMatch(/^eyJ[\w-]+\.\.[\w-]+\./)
      expect(`${content}${compact}${own}`).not.toContain('Laurea')
      expect(content).not.toContain(batch.url)
    }
    expect(stored.filter(({ private_jwk: own }) => own !== null)).toHaveLength(2)
    expect((await wallet.get('/credentials')).json[0].issuer).toBe(batch.key.did)
  })
})
