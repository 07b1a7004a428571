import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { dcql } from '../verifier/actors.js'
import { type Receiver, startReceiver, webhookFor } from './receiver.js'

const KEY = Buffer.alloc(32, 7).toString('base64url')
const PATH = '/api/v1/webhooks'
let service: TestService
let receiver: Receiver
let type: string

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({
    env: {
      ISSUER_ROLE: 'issuing',
      VERIFIER_ROLE: 'verifying',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      KEY_ENCRYPTION_KEY: KEY,
    },
    outbound: { lookup: async () => [{ family: 4, address: '93.184.216.34' }] },
  })
  type = (await postSchema(service, await both('maker'))).name
})
afterAll(async () => {
  await service.close()
  await receiver[Symbol.asyncDispose]()
})

const bearer = (sub: string, ...roles: string[]) => service.bearer(sub, { roles })
const both = (sub: string) => bearer(sub, 'issuing', 'verifying')
const post = (authorization: string, path: string, body: unknown = {}) =>
  service.request('POST', `${PATH}${path}`, { authorization, body })
const typesOf = async (webhookId: string) =>
  (
    await query<{ type: string }>(
      service.databaseUrl,
      'SELECT type FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY seq',
      [webhookId],
    )
  ).map(({ type }) => type)
const requested = (authorization: string) =>
  service.request('POST', '/authorization-requests', {
    authorization,
    body: { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post' },
  })
const signed = (authorization: string) =>
  service.request('POST', '/api/v1/credentials', {
    authorization,
    body: { type, credential_subject: { product: 'Tea' } },
  })

describe('a caller with the role of one half', () => {
  it('names only events of this half, and gets only these with `*`', async () => {
    for (const [role, mine, other] of [
      ['issuing', 'credential.issued', 'verification.created'],
      ['verifying', 'verification.created', 'credential.issued'],
    ] as const) {
      const sub = `only-${role}`
      const authorization = await bearer(sub, role)
      const refused = await post(authorization, '', { url: `${receiver.url}/hook`, events: [mine, other] })
      expect([refused.status, refused.json.message]).toEqual([
        400,
        [`events names events that your role may not receive: ${other}`],
      ])
      const webhook = await webhookFor(service, receiver, { authorization, active: false })
      const changed = await post(authorization, `/${webhook.id}`, { events: [other] })
      expect(changed.status).toBe(400)
      // The same person had both roles when the records were made.
      const before = await both(sub)
      expect([(await requested(before)).status, (await signed(before)).status]).toEqual([201, 201])
      expect(await typesOf(webhook.id)).toEqual([mine])
    }
  })

  it('is refused without any role', async () => {
    const answer = await post(await bearer('nobody'), '', { url: `${receiver.url}/hook`, events: ['*'] })
    expect(answer.status).toBe(403)
  })
})

it('the address of this service is refused, also with a dot at the end of its host', async () => {
  await using named = await startService({
    env: { ISSUER_BASE_URL: 'https://credence.example', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    outbound: { lookup: async () => [{ family: 4, address: '93.184.216.34' }] },
  })
  const authorization = await named.bearer('maker')
  for (const url of ['https://credence.example/hook', 'https://CREDENCE.example./hook']) {
    const { status, json } = await named.request('POST', PATH, { authorization, body: { url, events: ['*'] } })
    expect([url, status, String(json.message)]).toEqual([
      url,
      400,
      expect.stringMatching(/address of this service: cred/),
    ])
  }
})

it('an event whose secret cannot be decrypted is not sent, and its delivery says so', async () => {
  const authorization = await both('damaged')
  const webhook = await webhookFor(service, receiver, { authorization, active: false })
  await query(
    service.databaseUrl,
    "UPDATE webhooks SET secret = overlay(secret placing 'AAAA' from 40) WHERE id = $1",
    [webhook.id],
  )
  await post(authorization, `/${webhook.id}`, { active: true })
  const before = receiver.received.length + receiver.refused.length
  expect((await requested(authorization)).status).toBe(201)
  const read = async () => (await service.request('GET', `${PATH}/${webhook.id}/deliveries`, { authorization })).json
  await until(async () => (await read()).items[0]?.tries === 1)
  expect((await read()).items[0]).toMatchObject({
    outcome: 'pending',
    error: 'The delivery could not be signed or sent.',
  })
  expect(receiver.received.length + receiver.refused.length).toBe(before)
})

describe('a delivery', () => {
  it('is not sent again while it waits, or while the webhook is not active', async () => {
    const authorization = await both('waiting')
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => response.writeHead(503).end())
    await requested(authorization)
    const list = async () =>
      (await service.request('GET', `${PATH}/${webhook.id}/deliveries`, { authorization })).json.items
    await until(async () => (await list())[0]?.tries === 1)
    const [{ id }] = await list()
    const again = () => post(authorization, `/${webhook.id}/deliveries/${id}/resend`)
    expect([(await again()).status, (await again()).json.message]).toEqual([409, expect.stringContaining('waits')])
    await post(authorization, `/${webhook.id}`, { active: false })
    expect([(await again()).status, (await again()).json.message]).toEqual([409, 'Webhook is not active.'])
    receiver.answers((_, response) => response.writeHead(204).end())
    // Without the activation, the second try would come in an hour.
    await query(
      service.databaseUrl,
      `UPDATE webhook_lines SET next_at = now() + interval '1 hour' WHERE webhook_id = $1`,
      [webhook.id],
    )
    await post(authorization, `/${webhook.id}`, { active: true })
    await until(async () => (await list())[0]?.outcome === 'delivered')
    await post(authorization, `/${webhook.id}/rotate-secret`)
    await service.request('DELETE', `${PATH}/${webhook.id}`, { authorization })
    const audited = await query<{ action: string; actor: string }>(
      service.databaseUrl,
      "SELECT action, actor FROM audit_events WHERE subject = 'webhook' AND subject_id = $1 ORDER BY id DESC LIMIT 2",
      [webhook.id],
    )
    expect(audited).toEqual([
      { action: 'webhook.deleted', actor: 'waiting' },
      { action: 'webhook.secret_replaced', actor: 'waiting' },
    ])
  })

  it('of more than 10,000 is not replayed, and nothing is sent', async () => {
    const authorization = await both('replaying')
    const webhook = await webhookFor(service, receiver, { authorization })
    await query(
      service.databaseUrl,
      `INSERT INTO webhook_deliveries (id, webhook_id, at, type, subject, data, outcome)
       SELECT 'msg_many' || n, $1, now(), 'verification.created', 'session' || n, '{}', 'delivered' FROM generate_series(1, 10001) n`,
      [webhook.id],
    )
    const refused = await post(authorization, `/${webhook.id}/replay`, { from: '2020-01-01T00:00:00Z' })
    expect([refused.status, String(refused.json.message)]).toEqual([400, expect.stringContaining('10000 events')])
    const rows = await query(service.databaseUrl, 'SELECT 1 FROM webhook_lines WHERE webhook_id = $1', [webhook.id])
    expect(rows).toEqual([])
  })
})

it('two tests of a webhook at the same time: the second is a 409', async () => {
  const authorization = await both('testing')
  const webhook = await webhookFor(service, receiver, { authorization })
  // The receiver answers the first test after the second test has its answer.
  let answer = () => {}
  const refused = new Promise<void>((resolve) => {
    answer = resolve
  })
  receiver.answers(async (_, response) => {
    await refused
    response.writeHead(204).end()
  })
  const tests = [0, 1].map(() => post(authorization, `/${webhook.id}/test`))
  expect((await Promise.race(tests)).status).toBe(409)
  answer()
  expect((await Promise.all(tests)).map(({ status }) => status).sort()).toEqual([200, 409])
  receiver.answers((_, response) => response.writeHead(204).end())
})
