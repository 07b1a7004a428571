import { createPublicKey, verify } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../server/log/log.js'
import { EVENT_TYPES } from '../../server/webhooks/events.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { type Receiver, startReceiver, webhookFor } from './receiver.js'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const PATH = '/api/v1/webhooks'

const lines: string[] = []
const destination = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})

let service: TestService
let receiver: Receiver
let alice: string
let bob: string
let admin: string

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: KEY, ALLOW_INSECURE_HTTP: 'true' },
    outbound: {
      lookup: async (hostname) => [
        { family: 4, address: hostname === 'private.example' ? '10.0.0.7' : '93.184.216.34' },
      ],
    },
    log: createLog('trace', destination),
  })
  alice = await service.bearer('alice')
  bob = await service.bearer('bob')
  admin = await service.bearer('root', { roles: ['admin'] })
})
afterAll(async () => {
  await service.close()
  await receiver[Symbol.asyncDispose]()
})

const post = (path: string, body: unknown = {}, authorization = alice) =>
  service.request('POST', `${PATH}${path}`, { authorization, body })
const refusal = async (members: Record<string, unknown>) => {
  const { status, json } = await post('', { url: 'https://backend.example/hook', events: ['*'], ...members })
  return [status, json.message]
}

describe('a webhook', () => {
  it('is created with a secret that is shown once', async () => {
    const { json, status } = await post('', {
      url: 'https://backend.example/hook',
      events: ['verification.completed', 'verification.completed'],
      description: 'Shop',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.any(String),
      url: 'https://backend.example/hook',
      events: ['verification.completed'],
      description: 'Shop',
      payload: 'thin',
      signature: 'v1',
      active: true,
      createdBy: 'alice',
      createdAt: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { secret, ...shown } = json
    const read = await service.request('GET', `${PATH}/${json.id}`, { authorization: alice })
    expect(read.json).toEqual(shown)
    const listed = await service.request('GET', PATH, { authorization: alice })
    expect(listed.json.items).toContainEqual(shown)
    expect(listed.text).not.toContain(secret)
    const rows = await query<{ secret: string }>(service.databaseUrl, 'SELECT secret FROM webhooks WHERE id = $1', [
      json.id,
    ])
    expect(rows[0]?.secret).not.toContain(secret.slice(6))
    const audit = await query(service.databaseUrl, "SELECT * FROM audit_events WHERE subject = 'webhook'")
    expect(JSON.stringify(audit)).not.toContain(secret.slice(6))
    expect(audit).toMatchObject([{ actor: 'alice', action: 'webhook.created', subject_id: json.id }])
    expect(lines.join('')).not.toContain(secret.slice(6))
  })

  it('is changed member by member, and deleted', async () => {
    const { json } = await post('', { url: 'https://backend.example/hook', events: ['*'], description: 'Shop' })
    const changed = await post(`/${json.id}`, { events: ['credential.revoked'], active: false, payload: 'full' })
    expect(changed.json).toMatchObject({
      events: ['credential.revoked'],
      active: false,
      payload: 'full',
      url: 'https://backend.example/hook',
      description: 'Shop',
    })
    expect((await post(`/${json.id}`, { description: null })).json.description).toBeUndefined()
    expect((await post(`/${json.id}`, { active: true })).json.active).toBe(true)
    const removed = await service.request('DELETE', `${PATH}/${json.id}`, { authorization: alice })
    expect(removed.status).toBe(204)
    expect((await service.request('GET', `${PATH}/${json.id}`, { authorization: alice })).status).toBe(404)
  })

  it('belongs to its creator: another user finds nothing, an admin and the client secret find it', async () => {
    const { json } = await post('', { url: 'https://backend.example/hook', events: ['*'] })
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['POST', '/replay'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/msg_1/resend'],
    ] as const) {
      const body = path === '/replay' ? { from: '2026-01-01T00:00:00Z' } : method === 'POST' ? {} : undefined
      const answer = await service.request(method, `${PATH}/${json.id}${path}`, {
        authorization: bob,
        ...(body === undefined ? {} : { body }),
      })
      expect([method, path, answer.status, answer.json?.message]).toEqual([method, path, 404, 'Webhook not found.'])
    }
    const listed = await service.request('GET', PATH, { authorization: bob })
    expect(listed.json.items).toEqual([])
    for (const sender of [{ authorization: admin }, { client: true }])
      expect((await service.request('GET', `${PATH}/${json.id}`, sender)).status).toBe(200)
  })

  it('is refused without a caller', async () => {
    expect((await service.request('GET', PATH)).status).toBe(401)
    expect((await service.request('POST', PATH, { body: {} })).status).toBe(401)
  })
})

it('the API document describes each event under webhooks', async () => {
  const { json } = await service.request('GET', '/api-docs-json')
  expect(Object.keys(json.webhooks)).toEqual(EVENT_TYPES)
  const { requestBody, parameters } = json.webhooks['verification.failed'].post
  expect(Object.keys(requestBody.content['application/json'].schema.properties.data.properties)).toContain(
    'failedChecks',
  )
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ])
})

describe('bad input', () => {
  it('an address that is private, has a user name, or is this service is refused with its host', async () => {
    expect(await refusal({ url: 'https://private.example/hook' })).toEqual([
      400,
      ['url cannot be used: private.example has an address that is not public, so it may not be requested.'],
    ])
    expect(await refusal({ url: 'http://10.1.2.3/hook' })).toEqual([
      400,
      ['url cannot be used: 10.1.2.3 has an address that is not public, so it may not be requested.'],
    ])
    expect(await refusal({ url: 'https://user:secret@backend.example/' })).toEqual([
      400,
      ['url cannot be used: The address of backend.example must not hold a user name.'],
    ])
    const { host } = new URL(service.url)
    expect(await refusal({ url: `${service.url}/openid4vci/token` })).toEqual([
      400,
      [`url must not be an address of this service: ${host}`],
    ])
    expect(await refusal({ url: 'backend' })).toEqual([
      400,
      ['url cannot be used: The address is not an absolute URL.'],
    ])
    expect(await refusal({ url: 'ftp://backend.example/' })).toEqual([
      400,
      ['url cannot be used: backend.example must be requested over https.'],
    ])
  })

  it('an unknown event is refused with the list of events', async () => {
    const [status, message] = await refusal({ events: ['verification.done'] })
    expect(status).toBe(400)
    expect(message[0]).toMatch(/^events must name events that exist: .*verification\.completed.*credential\.revoked/)
    expect((await refusal({ events: ['*', 'credential.revoked'] }))[0]).toBe(400)
    expect((await refusal({ events: [] }))[0]).toBe(400)
    expect((await refusal({ events: ['webhook.test'] }))[0]).toBe(400)
  })

  it('a caller has at most 20 webhooks, also with requests at the same time', async () => {
    const authorization = await service.bearer('carol')
    const body = { url: 'https://backend.example/hook', events: ['*'] }
    const answers = await Promise.all(Array.from({ length: 25 }, () => post('', body, authorization)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(answers.find(({ status }) => status !== 201)?.json).toMatchObject({
      statusCode: 409,
      message: 'Caller has 20 webhooks. Delete one first.',
    })
  })
})

describe('a test', () => {
  it('says what was sent and what came back', async () => {
    const webhook = await webhookFor(service, receiver, { authorization: alice })
    receiver.answers((_, response) => response.writeHead(200).end('thank you'))
    const { json, status } = await post(`/${webhook.id}/test`)
    expect(status).toBe(200)
    const [received] = receiver.received.slice(-1)
    expect(json).toMatchObject({ delivered: true, status: 200, answer: 'thank you', sent: { body: received?.text } })
    expect(received?.json).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook.id } })
    const deliveries = await service.request('GET', `${PATH}/${webhook.id}/deliveries`, { authorization: alice })
    expect(deliveries.json.items).toMatchObject([
      { id: received?.id, type: 'webhook.test', outcome: 'delivered', tries: 1, status: 200, answer: 'thank you' },
    ])
  })

  it('shows a wrong secret as the answer of the receiver', async () => {
    const webhook = await webhookFor(service, receiver, { authorization: alice })
    receiver.secrets.pop()
    const { json } = await post(`/${webhook.id}/test`)
    expect(json).toMatchObject({
      delivered: false,
      status: 401,
      error: expect.stringContaining('answered with status 401.'),
    })
  })
})

describe('the secret', () => {
  it('is replaced: the old and the new secret both sign', async () => {
    const webhook = await webhookFor(service, receiver, { authorization: alice })
    receiver.answers((_, response) => response.writeHead(204).end())
    const { json } = await post(`/${webhook.id}/rotate-secret`)
    expect(json.secret).not.toBe(webhook.secret)
    for (const secret of [webhook.secret, json.secret]) {
      receiver.secrets.splice(0, receiver.secrets.length, secret)
      expect((await post(`/${webhook.id}/test`)).json.delivered).toBe(true)
    }
    expect(receiver.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('of v1a is a private key that never leaves: the receiver verifies with the public key', async () => {
    const webhook = await webhookFor(service, receiver, { authorization: alice, signature: 'v1a' })
    expect(webhook.secret).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    expect(webhook.publicKey).toBe(webhook.secret)
    const { json } = await post(`/${webhook.id}/test`)
    expect(json.delivered).toBe(true)
    const header = (name: string) => json.sent.headers.find((each: { name: string }) => each.name === name)?.value
    const [version, signature = ''] = header('webhook-signature').split(',')
    expect(version).toBe('v1a')
    const x = Buffer.from(webhook.secret.slice(5), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signed = Buffer.from(`${header('webhook-id')}.${header('webhook-timestamp')}.${json.sent.body}`)
    expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true)
  })
})
