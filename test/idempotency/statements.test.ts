import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../../server/api/errors.js'
import { type Issuer, JWT_VC, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { query } from '../support/postgres.js'
import { recordStatements, type StatementRecord } from '../support/statements.js'
import { until } from '../support/until.js'
import { newWallet } from '../support/wallet.js'

const PRESENTATION = {
  query: [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: 'Receipt' } } }] }],
  responseMode: 'direct_post',
}
const OFFER = { credentialConfigurationIds: [JWT_VC], credentialSubject: SUBJECT }

let issuer: Issuer
let authorization: string
let statements: StatementRecord
beforeAll(async () => {
  // There is no maintenance job, because its statements would be counted.
  issuer = await startIssuer({ maintenance: false, env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
  authorization = await issuer.authorization()
  statements = recordStatements()
})
afterAll(async () => {
  statements.stop()
  await issuer?.service.close()
})

const post = (path: string, body: object, key?: string, by = authorization) =>
  issuer.service.request('POST', path, {
    authorization: by,
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

async function sentFor(path: string, body: object, key?: string): Promise<readonly string[]> {
  statements.clear()
  const answer = await post(path, body, key)
  expect(answer.status, answer.text).toBe(201)
  return [...statements.sent()]
}

it.each([
  ['/credential-offers', OFFER],
  ['/authorization-requests', PRESENTATION],
  ['/api/v1/credentials', { type: JWT_VC, credential_subject: SUBJECT }],
])('POST %s without a key sends one read and one write; a key adds five statements', async (path, body) => {
  // The first requests also record the caller, and count the keys of the caller.
  await sentFor(path, body)
  await sentFor(path, body, `"first ${path}"`.replaceAll(' ', '-'))
  const plain = await sentFor(path, body)
  expect(plain).toHaveLength(2)
  expect(plain.filter((text) => /idempotency_keys|SAVEPOINT|BEGIN|COMMIT|pg_current_xact/.test(text))).toEqual([])
  const keyed = await sentFor(path, body, `"second${path}"`)
  expect(keyed.filter((text) => !plain.includes(text)).map((text) => text.trim().split(/\s+/, 2).join(' '))).toEqual([
    'WITH "claimed"',
    'BEGIN; SAVEPOINT',
    'RELEASE SAVEPOINT',
    'UPDATE idempotency_keys',
    'COMMIT',
  ])
  expect(keyed).toHaveLength(7)
})

describe('a failure of the database', () => {
  it.each([
    ['P0001', 500],
    // A migration changed the columns of a statement. The caller can send the request again.
    ['0A000', 503],
  ])('%s is a %d that frees the key', async (state, status) => {
    const { databaseUrl } = issuer.service
    await query(
      databaseUrl,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`,
    )
    await query(
      databaseUrl,
      'CREATE TRIGGER fail AFTER INSERT ON verification_sessions FOR EACH ROW EXECUTE FUNCTION fail()',
    )
    const key = `"failed-${state}"`
    expect((await post('/authorization-requests', PRESENTATION, key)).status).toBe(status)
    await query(databaseUrl, 'DROP FUNCTION fail CASCADE')
    const again = await post('/authorization-requests', PRESENTATION, key)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null])
  })
})

it('a refusal of an operation that has changed something is stored with the change', async () => {
  const { platform, databaseUrl } = issuer.service
  const { json } = await post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['*'], active: false })
  const call = () => ({
    headers: { 'idempotency-key': '"refused"' },
    callers: ['alice'],
    operation: 'test.refused',
    input: {},
    calls: 1,
    responseHeaders: new Map<string, string>(),
    otherForm: {},
  })
  const act = async () => {
    await platform.stores.webhooks.recordReplay(json.id, 'alice')
    return { ok: false as const, error: new ServiceError(409, 'Refused after a change.') }
  }
  const first = call()
  const again = call()
  expect(await platform.idempotency.once(first, act)).toMatchObject({ error: { status: 409 } })
  expect(await platform.idempotency.once(again, act)).toMatchObject({ error: { status: 409 } })
  expect([first.responseHeaders.size, again.responseHeaders.get('idempotency-replayed')]).toEqual([0, 'true'])
  const changes = await query(databaseUrl, "SELECT 1 FROM audit_events WHERE action = 'webhook.replayed'")
  expect(changes).toHaveLength(1)
})

it('a key of one operation is a 422 at another operation with an equal body', async () => {
  const admin = await issuer.service.bearer('root', { roles: ['admin'] })
  const body = { method: 'web' }
  expect((await post('/agent/issuer', body, '"equal"', admin)).status).toBe(201)
  expect((await post('/agent/verifier', body, '"equal"', admin)).status).toBe(422)
})

it('a request with a key holds no connection and no transaction while another service does not answer', async () => {
  const { service } = issuer
  const wallet = await newWallet(service, 'alice')
  const open = new Set<unknown>()
  const hanging = createServer((request) => open.add(request))
  const url = await listenLocally(hanging)
  const offer = `openid-credential-offer://?${new URLSearchParams({ credential_offer_uri: `${url}/offer` })}`
  const request = `openid4vp://?${new URLSearchParams({ client_id: 'decentralized_identifier:did:web:x', request_uri: `${url}/request` })}`
  const asked = [
    post('/flows', { qrContent: offer, did: wallet.did }, '"flow-1"', wallet.authorization),
    post('/flows', { qrContent: request, did: wallet.did }, '"flow-2"', wallet.authorization),
    post(`/holders/${wallet.id}/process`, { uri: offer }, '"process"', wallet.authorization),
  ]
  await until(() => open.size === asked.length)
  expect(service.platform.database.load().busy).toBe(0)
  const held = await query(
    service.databaseUrl,
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
  )
  expect(held).toEqual([])
  await closeServer(hanging)
  for (const { text } of await Promise.all(asked)) expect(text).toContain('failed (UND_ERR_SOCKET)')
})
