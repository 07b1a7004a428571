import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { movingClock } from '../issuer/openid4vci/actors.js'
import { CERTIFICATE, PRIVATE_KEY } from '../outbound/wallet-example-certificate.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { ask, dcql, fetchRequest, makeSchema, postForm } from '../verifier/actors.js'
import { type Receiver, startReceiver, subjectOf, webhookFor } from './receiver.js'

const KEY = Buffer.alloc(32, 3).toString('base64url')
const PATH = '/api/v1/webhooks'
const clock = movingClock()
const addresses = new Map<string, string>()
let service: TestService
let receiver: Receiver
let authorization: string
/** A new caller for each test, so that no test receives the events of another. */
let sub: string
let callers = 0

beforeAll(async () => {
  receiver = await startReceiver(clock.now)
  service = await startService({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: KEY },
    clock: clock.now,
    outbound: {
      timeoutMs: 5_000,
      lookup: async (hostname) => [{ family: 4, address: addresses.get(hostname) ?? '127.0.0.1' }],
      isPublicAddress: (address) => address === '127.0.0.1',
    },
  })
  await makeSchema(service)
})
beforeEach(async () => {
  clock.ahead = 0
  callers += 1
  sub = `verifier-${callers}`
  authorization = await service.bearer(sub, { expiresIn: 100 * 86_400 })
  receiver.answers((_, response) => response.writeHead(204).end())
})
afterAll(async () => {
  await service.close()
  await receiver[Symbol.asyncDispose]()
})

/** A request that was fetched and declined: three events. */
async function declined(by = sub): Promise<string> {
  const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') }, by)
  const payload = await fetchRequest(asked)
  await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
  return asked.verificationSessionId
}

const requested = async (by = sub) =>
  (await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') }, by)).verificationSessionId
const TYPES = ['verification.created', 'verification.retrieved', 'verification.declined']
const read = async (id: string) => (await service.request('GET', `${PATH}/${id}`, { authorization })).json
const deliveries = async (id: string, filter = '') =>
  (await service.request('GET', `${PATH}/${id}/deliveries?limit=100${filter}`, { authorization })).json.items
const post = (path: string, body: unknown = {}) => service.request('POST', `${PATH}${path}`, { authorization, body })

/** A receiver that never answers. A try that was given up does not count as open, so that slow machines count the same. */
async function hangingReceiver() {
  const tries = { open: 0, most: 0 }
  const hanging = createServer((_, response) => {
    tries.open += 1
    tries.most = Math.max(tries.most, tries.open)
    response.once('close', () => {
      tries.open -= 1
    })
  })
  return { hanging, url: await listenLocally(hanging), tries }
}

describe('a delivery', () => {
  it('keeps the order of a session, and the next event waits for the one before', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    let fail = true
    receiver.answers((_, response) => response.writeHead(fail ? 503 : 204).end('busy'))
    const id = await declined()
    await until(() => receiver.typesOf(id).length === 1)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(receiver.typesOf(id)).toEqual(TYPES.slice(0, 1))
    expect(await deliveries(webhook.id)).toMatchObject([
      { type: TYPES[2], outcome: 'pending', tries: 0 },
      { type: TYPES[1], outcome: 'pending', tries: 0 },
      {
        type: TYPES[0],
        outcome: 'pending',
        tries: 1,
        status: 503,
        answer: 'busy',
        error: expect.stringContaining('503'),
      },
    ])
    fail = false
    clock.ahead = 7
    await until(() => receiver.typesOf(id).length === 4)
    expect(receiver.typesOf(id)).toEqual([TYPES[0], ...TYPES])
    const [first, second] = receiver.received.filter((each) => subjectOf(each) === id)
    expect(second?.id).toBe(first?.id)
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(Number(first?.headers['webhook-timestamp']))
    await until(async () => (await deliveries(webhook.id, '&outcome=delivered')).length === 3)
    expect(await deliveries(webhook.id, '&outcome=pending')).toEqual([])
  })

  it('is tried ten times over 75 hours, then given up, and the next event follows', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((received, response) => response.writeHead(received.json.type === TYPES[0] ? 500 : 204).end())
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') }, sub)
    await fetchRequest(asked)
    const { verificationSessionId: id } = asked
    const count = () => receiver.typesOf(id).filter((type) => type === TYPES[0]).length
    const hours = (number: number) => number * 3_600
    const delays = [5, 300, 1_800, hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)]
    for (const [index, delay] of delays.entries()) {
      await until(() => count() === index + 1)
      await until(async () => (await deliveries(webhook.id, '&outcome=pending')).at(-1)?.tries === index + 1)
      clock.ahead += Math.ceil(delay * 1.1) + 2
    }
    await until(() => receiver.typesOf(id).includes(TYPES[1] ?? ''))
    expect(count()).toBe(10)
    await until(async () => (await deliveries(webhook.id, '&outcome=failed')).length === 1)
    expect(await deliveries(webhook.id, '&outcome=failed')).toMatchObject([{ type: TYPES[0], tries: 10, status: 500 }])
  })

  it('to a receiver that hangs slows no other receiver, and no request waits for it', async () => {
    const { hanging, url, tries } = await hangingReceiver()
    const { json: dead } = await post('', { url: `${url}/hook`, events: ['*'] })
    await webhookFor(service, receiver, { authorization })
    const ids = await Promise.all(Array.from({ length: 12 }, () => declined()))
    await until(() => ids.every((id) => receiver.typesOf(id).length === 3))
    await until(() => tries.most === 4)
    // No connection to the database is held for the four tries.
    await until(() => service.platform.database.load().busy === 0)
    expect(tries.most).toBe(4)
    await service.request('DELETE', `${PATH}/${dead.id}`, { authorization })
    await closeServer(hanging)
  })

  it('is one of at most 32 tries of a process', async () => {
    const { hanging, url, tries } = await hangingReceiver()
    const made = await Promise.all(Array.from({ length: 9 }, () => post('', { url: `${url}/hook`, events: ['*'] })))
    await Promise.all(Array.from({ length: 6 }, () => requested()))
    await until(() => tries.most >= 32)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(tries.most).toBe(32)
    await Promise.all(made.map(({ json }) => service.request('DELETE', `${PATH}/${json.id}`, { authorization })))
    await closeServer(hanging)
  })

  it('to a receiver that failed five times in a row is one try a second', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    const times: number[] = []
    receiver.answers((_, response) => {
      times.push(performance.now())
      response.writeHead(500).end()
    })
    await Promise.all(Array.from({ length: 30 }, () => requested()))
    await until(() => times.length >= 5)
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    const seconds = (performance.now() - (times[4] ?? 0)) / 1_000
    // Before the fifth failure is stored, the four slots may each begin another try.
    expect(times.length).toBeLessThanOrEqual(10 + Math.ceil(seconds))
    await until(() => times.length >= 13)
    // Without the limit, the four slots try again at once. One try may arrive late, so the test looks at several.
    expect((times[12] ?? 0) - (times[9] ?? 0)).toBeGreaterThan(1_500)
    await service.request('DELETE', `${PATH}/${webhook.id}`, { authorization })
  })

  it('follows no redirect', async () => {
    let reached = 0
    const target = createServer((_, response) => {
      reached += 1
      response.end()
    })
    const address = await listenLocally(target)
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => response.writeHead(307, { location: address }).end())
    const id = await requested()
    await until(async () => (await deliveries(webhook.id))[0]?.tries === 1)
    expect((await deliveries(webhook.id))[0]).toMatchObject({
      outcome: 'pending',
      status: 307,
      error: expect.stringContaining('redirect'),
    })
    expect([receiver.typesOf(id).length, reached]).toEqual([1, 0])
    await closeServer(target)
  })

  it('reads only the beginning of an endless answer', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => {
      response.writeHead(200)
      const part = 'x'.repeat(65_536)
      const more = () => {
        while (!response.destroyed && response.write(part));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    await requested()
    await until(async () => (await deliveries(webhook.id))[0]?.outcome === 'delivered')
    expect((await deliveries(webhook.id))[0].answer).toBe('x'.repeat(1_000))
  })

  it('to a receiver that answers slowly ends after 15 seconds, although octets still arrive', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 100)
      response.once('close', () => clearInterval(timer))
    })
    await requested()
    await until(async () => (await deliveries(webhook.id))[0]?.tries === 1, 90)
    const [delivery] = await deliveries(webhook.id)
    expect(delivery).toMatchObject({ outcome: 'pending', error: expect.stringContaining('within 15000 ms') })
    expect(delivery.milliseconds).toBeGreaterThanOrEqual(15_000)
  })

  it('to a receiver whose certificate is not valid fails, and says so', async () => {
    let reached = 0
    const tls = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => {
      reached += 1
      response.end()
    })
    const { port } = new URL(await listenLocally(tls))
    const { json } = await post('', { url: `https://receiver.example:${port}/hook`, events: ['*'] })
    await requested()
    await until(async () => (await deliveries(json.id))[0]?.tries === 1)
    expect((await deliveries(json.id))[0]).toMatchObject({
      outcome: 'pending',
      error: expect.stringMatching(/^Request to receiver\.example:\d+ failed \([A-Z_]+\)\.$/),
    })
    expect(reached).toBe(0)
    await closeServer(tls)
  })

  it('to an address that became private is not sent', async () => {
    let reached = 0
    const moving = createServer((_, response) => {
      reached += 1
      response.writeHead(503, { connection: 'close' }).end()
    })
    const { port } = new URL(await listenLocally(moving))
    addresses.set('moving.example', '127.0.0.1')
    const { json } = await post('', { url: `http://moving.example:${port}/hook`, events: ['*'] })
    await requested()
    await until(async () => (await deliveries(json.id))[0]?.tries === 1)
    expect(reached).toBe(1)
    addresses.set('moving.example', '10.0.0.7')
    clock.ahead = 7
    await until(async () => (await deliveries(json.id))[0]?.tries === 2)
    expect((await deliveries(json.id))[0].error).toMatch(/has an address that is not public/)
    expect(reached).toBe(1)
    await closeServer(moving)
  })
})

describe('a webhook', () => {
  it('is switched off by an answer 410; its events are held, and sent by a replay', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => response.writeHead(410).end())
    const first = await requested()
    await until(async () => (await read(webhook.id)).active === false)
    expect(await read(webhook.id)).toMatchObject({
      disabledAt: expect.any(String),
      lastError: expect.stringContaining('410'),
    })
    const second = await requested()
    await until(async () => (await deliveries(webhook.id, '&outcome=held')).length === 1)
    const setup = await service.request('GET', '/api/v1/setup?ask=false', { client: true })
    expect(setup.json.items.find(({ id }: { id: string }) => id === 'webhooks')).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('was switched off'),
    })
    receiver.answers((_, response) => response.writeHead(204).end())
    const replayBefore = await post(`/${webhook.id}/replay`, { from: '2020-01-01T00:00:00Z' })
    expect([replayBefore.status, replayBefore.json.message]).toEqual([409, 'Webhook is not active.'])
    expect((await post(`/${webhook.id}`, { active: true })).json.active).toBe(true)
    await until(async () => (await deliveries(webhook.id, '&outcome=delivered')).length === 1)
    expect(receiver.typesOf(first)).toHaveLength(2)
    clock.ahead = 5
    expect((await post(`/${webhook.id}/replay`, { from: '2020-01-01T00:00:00Z' })).json).toEqual({ replayed: 2 })
    await until(() => receiver.typesOf(second).length === 1)
    const actions = await query<{ action: string }>(
      service.databaseUrl,
      "SELECT action FROM audit_events WHERE subject = 'webhook' AND subject_id = $1 ORDER BY id",
      [webhook.id],
    )
    expect(actions.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.disabled',
      'webhook.changed',
      'webhook.replayed',
    ])
  })

  it('is switched off after five days without success', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => response.writeHead(500).end())
    await requested()
    await until(async () => (await deliveries(webhook.id))[0]?.tries === 1)
    expect(await read(webhook.id)).toMatchObject({ active: true, failingSince: expect.any(String) })
    clock.ahead = 5 * 86_400 + 60
    await until(async () => (await read(webhook.id)).active === false)
  })

  it('that is not active records events and sends none', async () => {
    const webhook = await webhookFor(service, receiver, { authorization, active: false })
    const id = await declined()
    expect(await deliveries(webhook.id, '&outcome=held')).toHaveLength(3)
    expect(receiver.typesOf(id)).toEqual([])
  })

  it('gets only the events that it names', async () => {
    const webhook = await webhookFor(service, receiver, { authorization, events: ['verification.declined'] })
    const id = await declined()
    await until(() => receiver.typesOf(id).length === 1)
    expect(receiver.typesOf(id)).toEqual(['verification.declined'])
    expect(await deliveries(webhook.id)).toHaveLength(1)
  })

  it('of an admin does not get the events of another caller, and gets those of the client secret', async () => {
    const admin = await service.bearer('root', { roles: ['admin'] })
    const webhook = await webhookFor(service, receiver, { authorization: admin })
    await webhookFor(service, receiver, { authorization })
    const id = await requested()
    await until(() => receiver.typesOf(id).length === 1)
    const { json: offering } = await service.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: 'ProofOfPurchase', credential_subject: { product: 'Tea' } },
    })
    const claimed = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization, body: {} })
    expect(claimed.status, claimed.text).toBe(200)
    await until(() => receiver.received.some(({ json }) => json.data.credentialId === claimed.json.id))
    const rows = await query<{ data: unknown }>(
      service.databaseUrl,
      'SELECT data FROM webhook_deliveries WHERE webhook_id = $1',
      [webhook.id],
    )
    expect(rows).toEqual([{ data: { credentialId: claimed.json.id, offeringId: offering.id } }])
    await service.request('DELETE', `${PATH}/${webhook.id}`, { authorization: admin })
  })

  it('rotates its secret under load without a refused delivery', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    const before = receiver.refused.length
    const busy = Promise.all(Array.from({ length: 40 }, () => declined()))
    await until(() => receiver.received.length > 0)
    const { json } = await post(`/${webhook.id}/rotate-secret`)
    // The receiver still has only the former secret.
    const ids = await busy
    await until(() => ids.every((id) => receiver.typesOf(id).length === 3), 60)
    receiver.secrets.splice(0, receiver.secrets.length, json.secret)
    const id = await declined()
    await until(() => receiver.typesOf(id).length === 3)
    expect(receiver.refused.length).toBe(before)
  })

  it('sends a delivery again with the same id', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    const id = await requested()
    await until(async () => (await deliveries(webhook.id, '&outcome=delivered')).length === 1)
    const [delivery] = await deliveries(webhook.id)
    const answer = await post(`/${webhook.id}/deliveries/${delivery.id}/resend`)
    expect([answer.status, answer.json]).toEqual([202, { id: delivery.id, outcome: 'pending' }])
    await until(() => receiver.typesOf(id).length === 2)
    const sent = receiver.received.filter((each) => subjectOf(each) === id)
    expect(new Set(sent.map((each) => each.id))).toEqual(new Set([delivery.id]))
    const unknown = await post(`/${webhook.id}/deliveries/msg_unknown/resend`)
    expect([unknown.status, unknown.json.message]).toEqual([404, 'Delivery not found.'])
  })

  it('replays the events of a session in their order', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    const id = await declined()
    await until(async () => (await deliveries(webhook.id, '&outcome=delivered')).length === 3)
    clock.ahead = 5
    expect((await post(`/${webhook.id}/replay`, { from: '2020-01-01T00:00:00Z' })).json).toEqual({ replayed: 3 })
    await until(() => receiver.typesOf(id).length === 6)
    expect(receiver.typesOf(id)).toEqual([...TYPES, ...TYPES])
  })

  it('is deleted although the end of a try and the deletion wait for each other', async () => {
    const client = new pg.Client(service.databaseUrl)
    await client.connect()
    /** Whether the deletion was the victim of the deadlock. PostgreSQL ends either of the two. */
    const isVictim = async (): Promise<boolean> => {
      const { id } = await webhookFor(service, receiver, { authorization })
      // The end of a try locks a slot first, then the webhook.
      await client.query('BEGIN')
      await client.query('SELECT FROM webhook_slots WHERE webhook_id = $1 FOR UPDATE', [id])
      const deleted = service.request('DELETE', `${PATH}/${id}`, { authorization })
      await until(async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
        return (await query(service.databaseUrl, waiting)).length > 0
      })
      const ended = await client.query('UPDATE webhooks SET failures = failures + 1 WHERE id = $1', [id]).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: '40P01' })
          return false
        },
      )
      await client.query(ended ? 'COMMIT' : 'ROLLBACK')
      expect((await deleted).status).toBe(204)
      return ended
    }
    try {
      await until(isVictim)
    } finally {
      await client.end()
    }
  })

  it('that is deleted gets nothing more, and its waiting events are removed', async () => {
    const webhook = await webhookFor(service, receiver, { authorization })
    receiver.answers((_, response) => response.writeHead(500).end())
    const id = await declined()
    await until(() => receiver.typesOf(id).length === 1)
    expect((await service.request('DELETE', `${PATH}/${webhook.id}`, { authorization })).status).toBe(204)
    clock.ahead = 10
    for (const task of service.features.outbox.tasks) await task.run(clock.now(), 200)
    const rows = await query(service.databaseUrl, 'SELECT 1 FROM webhook_lines WHERE webhook_id = $1', [webhook.id])
    expect(rows).toEqual([])
    expect(receiver.typesOf(id)).toHaveLength(1)
  })
})
