import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Change } from '../../server/console/changes/change.js'
import { png } from '../images/pictures.js'
import { type EventReader, readEvents } from '../issuer/openid4vci/event-reader.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { CLIENT_SECRET, type ServiceOptions, startService, type TestService } from '../support/service.js'
import { dcql } from '../verifier/actors.js'
import { ask as askConsole, logIn, OF_CONSOLE, startConsole } from './actors.js'

const PATH = '/api/v1/console/events'
const RPC = `/trpc/console.events?input=${encodeURIComponent(JSON.stringify({ json: {} }))}`
const STREAM = { accept: 'text/event-stream' }
const EVERYTHING: Change = { kind: 'everything', id: null, state: null }
const ENV = { ISSUER_ROLE: 'credence-issuer', VERIFIER_ROLE: 'credence-verifier' }
const OPTIONS: ServiceOptions = { env: ENV, maintenance: false, changesEveryMs: 100 }

let service: TestService
let issuer: string
let type: string

const opened: EventReader[] = []

beforeAll(async () => {
  service = await startService(OPTIONS)
  issuer = await service.bearer('ida', { roles: ['credence-issuer'] })
  type = (await postSchema(service, issuer)).name
})
afterEach(async () => {
  for (const stream of opened.splice(0)) await stream[Symbol.asyncDispose]()
})
afterAll(() => service.close())

/** A stream of changes whose first event was read. */
async function watch(roles: readonly string[], at = service) {
  const authorization = await at.bearer('watcher', { roles })
  const stream = await readEvents(at, PATH, { ...STREAM, authorization })
  opened.push(stream)
  const next = async (): Promise<Change> => {
    for (;;) {
      const { event, data = '' } = await stream.next()
      if (event === 'change') return JSON.parse(data)
    }
  }
  expect(await next()).toEqual(EVERYTHING)
  return {
    next,
    /** Reads changes until a change has this kind and state. The result includes this change. */
    async until(kind: string, state: string | null): Promise<Change[]> {
      const seen: Change[] = []
      for (;;) {
        const change = await next()
        seen.push(change)
        if (change.kind === kind && change.state === state) return seen
      }
    },
  }
}

/** An offer: the id of its session, and the path at which a wallet reads it. */
async function offer(at = service): Promise<{ id: string; path: string }> {
  const { json, status, text } = await at.request('POST', '/credential-offers', {
    authorization: await at.bearer('ida', { roles: ['credence-issuer'] }),
    body: { credentialConfigurationIds: [type], credentialSubject: SUBJECT },
  })
  expect(status, text).toBe(201)
  const uri = decodeURIComponent(json.credentialOfferUri)
  return { id: json.credentialOfferSessionId, path: `/openid4vci/offers/${uri.split('/').at(-1)}` }
}

const without = (changes: readonly Change[], ...kinds: string[]) => changes.filter(({ kind }) => !kinds.includes(kind))

describe('GET /api/v1/console/events', () => {
  it('tells everyone with lists of images that an image was deleted', async () => {
    const authorization = await service.bearer('ida', { roles: ['credence-issuer'] })
    const body = { data: png(3, 3, 41).toString('base64') }
    const { json } = await service.request('POST', '/api/v1/images', { authorization, body })
    const changes = await watch(['credence-verifier'])
    expect((await service.request('DELETE', `/api/v1/images/${json.id}`, { authorization })).status).toBe(204)
    expect((await changes.until('image', null)).at(-1)).toEqual({ kind: 'image', id: json.id, state: null })
  })

  it('sends an issuer the offers and their changes of state, by id and state only', async () => {
    const changes = await watch(['credence-issuer'])
    const { id, path } = await offer()
    expect(without(await changes.until('credential-offer-session', 'Created'), 'everything')).toEqual([
      { kind: 'credential-offer-session', id, state: 'Created' },
    ])
    const session = await service.request('GET', `/credential-offer-sessions/${id}`, { authorization: issuer })
    expect(session.json.state).toBe('Created')
    // A wallet reads the offer. No audit event reports this.
    const { json } = await service.request('GET', path)
    expect(json.credential_configuration_ids).toEqual([type])
    expect(await changes.next()).toEqual({ kind: 'credential-offer-session', id, state: 'OfferRetrieved' })
  })

  it('sends changes by any process, also of earlier sessions', async () => {
    const { id, path } = await offer()
    const other = await startService({
      ...OPTIONS,
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
    })
    try {
      const changes = await watch(['credence-issuer'], other)
      await service.request('GET', path)
      expect(without(await changes.until('credential-offer-session', 'OfferRetrieved'), 'statistics')).toEqual([
        { kind: 'credential-offer-session', id, state: 'OfferRetrieved' },
      ])
    } finally {
      await other.close()
    }
  })

  it('sends issuers only changes about issuing, verifiers only changes about verifying, and an admin all changes', async () => {
    const [issuing, verifying, all] = [
      await watch(['credence-issuer']),
      await watch(['credence-verifier']),
      await watch(['admin']),
    ]
    const { id } = await offer()
    const request = await service.request('POST', '/authorization-requests', {
      authorization: await service.bearer('vera', { roles: ['credence-verifier'] }),
      body: { dcqlQuery: dcql(service, 'dc+sd-jwt') },
    })
    expect(request.status, request.text).toBe(201)
    const sessionId = request.json.verificationSessionId
    const [offered, asked] = [
      { kind: 'credential-offer-session', id, state: 'Created' },
      { kind: 'verification-session', id: sessionId, state: 'RequestCreated' },
    ]
    const heard = [...(await all.until(asked.kind, asked.state))]
    if (!heard.some(({ kind }) => kind === offered.kind)) heard.push(...(await all.until(offered.kind, offered.state)))
    expect(heard).toEqual(expect.arrayContaining([offered, asked]))
    // A session of an earlier test may still change, so only the kinds of changes are compared.
    const kindsOf = (changes: readonly Change[]) => [...new Set(without(changes, 'everything').map(({ kind }) => kind))]
    const ofVerifier = await verifying.until(asked.kind, asked.state)
    expect(ofVerifier).toContainEqual(asked)
    expect(kindsOf(ofVerifier)).toEqual([asked.kind])
    const ofIssuer = await issuing.until(offered.kind, offered.state)
    expect(ofIssuer).toContainEqual(offered)
    expect(kindsOf(ofIssuer)).toEqual([offered.kind])
    // The next offer appears in the stream for issuers again. This stream contained nothing about verifying.
    const next = await offer()
    const later = await issuing.until(offered.kind, offered.state)
    expect(later).toContainEqual({ ...offered, id: next.id })
    expect(kindsOf(later)).toEqual([offered.kind])
  })

  it('sends a backend with the client secret both halves, but no event for admins', async () => {
    await using stream = await readEvents(service, PATH, { ...STREAM, 'x-client-secret': CLIENT_SECRET })
    expect((await stream.next()).data).toBe(JSON.stringify(EVERYTHING))
    await query(
      service.databaseUrl,
      `INSERT INTO audit_events (action, subject, subject_id) VALUES ('key.created', 'key', 'k'), ('vp-query.created', 'vp-query', 'q')`,
    )
    expect(JSON.parse((await stream.next()).data ?? '')).toEqual({ kind: 'vp-query', id: 'q', state: null })
  })

  it('is for users with a role: other users have no stream', async () => {
    const holder = await service.bearer('holder')
    const refused = await service.request('GET', PATH, { authorization: holder })
    expect([refused.status, refused.json.message]).toEqual([403, 'Insufficient role.'])
    expect((await service.request('GET', PATH)).status).toBe(401)
  })

  it('counts as a stream of its caller until it ends', async () => {
    const narrow = await startService({ env: { MAX_STREAMS_PER_CALLER: '1' }, maintenance: false })
    try {
      const authorization = await narrow.bearer('watcher', { roles: ['admin'] })
      const first = await readEvents(narrow, PATH, { ...STREAM, authorization })
      expect((await first.next()).data).toBe(JSON.stringify(EVERYTHING))
      expect((await narrow.request('GET', RPC, { authorization })).text).toContain('Too many event streams')
      await first[Symbol.asyncDispose]()
      await expect.poll(() => narrow.platform.events.open()).toBe(0)
      await using second = await readEvents(narrow, PATH, { ...STREAM, authorization })
      expect(second.status).toBe(200)
    } finally {
      await narrow.close()
    }
  })

  it('sends a returning reader only the missed changes, and a new reader everything', async () => {
    const authorization = await service.bearer('watcher', { roles: ['admin'] })
    const come = (lastEventId: string) =>
      readEvents(service, PATH, { ...STREAM, authorization, 'last-event-id': lastEventId })
    const changes = await watch(['admin'])
    const before = await come('unknown')
    const seen = await before.next()
    expect(seen.data).toBe(JSON.stringify(EVERYTHING))
    await before[Symbol.asyncDispose]()
    const { id } = await offer()
    await changes.until('credential-offer-session', 'Created')
    await using again = await come(seen.id ?? '')
    expect(JSON.parse((await again.next()).data ?? '')).toEqual({
      kind: 'credential-offer-session',
      id,
      state: 'Created',
    })
    await using stranger = await come(`${seen.id?.split('.')[0]}x.0`)
    expect((await stranger.next()).data).toBe(JSON.stringify(EVERYTHING))
  })

  it('reports everything as changed if more things change at once than it can send', async () => {
    const changes = await watch(['admin'])
    await query(
      service.databaseUrl,
      `INSERT INTO audit_events (action, subject, subject_id) SELECT 'vp-query.created', 'vp-query', n FROM generate_series(1, 1200) n`,
    )
    expect(await changes.next()).toEqual(EVERYTHING)
  })

  it('sends a change that is committed after a change with a higher number', async () => {
    const changes = await watch(['admin'])
    await query(
      service.databaseUrl,
      `WITH number AS (SELECT nextval(pg_get_serial_sequence('audit_events', 'id')) AS late)
       INSERT INTO audit_events (action, subject, subject_id) SELECT 'vp-query.created', 'vp-query', 'number ' || late FROM number`,
    )
    const [later] = without(await changes.until('vp-query', null), 'statistics')
    const late = Number(later?.id?.replace('number ', ''))
    expect(late).toBeGreaterThan(0)
    await query(
      service.databaseUrl,
      `INSERT INTO audit_events (id, action, subject, subject_id) OVERRIDING SYSTEM VALUE VALUES (${late}, 'vp-query.created', 'vp-query', 'late')`,
    )
    expect(await changes.next()).toEqual({ kind: 'vp-query', id: 'late', state: null })
  })
})

describe('a session of the console', () => {
  it('is not extended by its stream, and not by queries without an active user', async () => {
    const MINUTE = 60_000
    let now = Date.now()
    const open = await startConsole({ clock: () => new Date(now), maintenance: false })
    try {
      const { browser } = await logIn(open)
      const headers = { ...OF_CONSOLE, ...STREAM, cookie: browser.cookies(open.service.url) }
      const idle = (path: string) =>
        askConsole(open.service, browser, 'GET', path, { headers: { 'x-console-idle': '1' } })
      now += 29 * MINUTE
      await using stream = await readEvents(open.service, PATH, headers)
      expect(stream.status).toBe(200)
      expect((await idle('/api/v1/schemas')).status).toBe(200)
      now += 2 * MINUTE
      expect((await readEvents(open.service, PATH, headers)).status).toBe(401)
      expect((await idle('/api/v1/schemas')).status).toBe(401)
    } finally {
      await open[Symbol.asyncDispose]()
    }
  })
})
