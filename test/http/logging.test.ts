import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { routesOf } from '../../server/http/routes.js'
import { createLog } from '../../server/log/log.js'
import { restRouter } from '../support/contracts.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

interface Line {
  readonly level: number
  readonly time: number
  readonly msg?: string
  // biome-ignore lint/suspicious/noExplicitAny: lines have members of every shape.
  readonly [member: string]: any
}

const WARN = 40
const ERROR = 50

let written = ''

const destination = {
  write(text: string) {
    written += text
  },
}

let service: TestService

const lines = (): Line[] =>
  written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The log lines of one request. Its access line is written after the answer was sent. */
async function linesOf(requestId: string | null): Promise<Line[]> {
  const own = () => lines().filter((line) => line.requestId === requestId)
  await expect.poll(() => own().some(({ ms }) => ms !== undefined)).toBe(true)
  return own()
}

beforeAll(async () => {
  const log = createLog('info', destination)
  service = await startService({ log })
})
afterAll(() => service.close())
beforeEach(() => {
  written = ''
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the log', () => {
  it('has one line for each request, without its query', async () => {
    const { headers } = await service.request('GET', '/api/v1/offerings?limit=5')
    expect(await linesOf(headers.get('x-request-id'))).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        requestId: headers.get('x-request-id'),
        method: 'GET',
        path: '/api/v1/offerings',
        status: 200,
        ms: expect.any(Number),
        address: '127.0.0.1',
      },
    ])
  })

  it('names the caller by a pseudonym that can be made only with the key, the same in every process', async () => {
    const accessLine = async (at: TestService, sub: string) => {
      const authorization = await at.bearer(sub)
      const { headers } = await at.request('GET', '/api/v1/offerings', { authorization })
      return (await linesOf(headers.get('x-request-id'))).find(({ ms }) => ms !== undefined)
    }
    const { databaseUrl, identityProvider } = service
    await using other = await startService({ databaseUrl, identityProvider, log: createLog('info', destination) })
    const [alice, again, bob] = [
      await accessLine(service, 'alice'),
      await accessLine(other, 'alice'),
      await accessLine(service, 'bob'),
    ]
    expect(alice?.caller).toMatch(/^[\w-]{16}$/)
    expect(again?.caller).toBe(alice?.caller)
    expect(bob?.caller).not.toBe(alice?.caller)
    expect(written).not.toContain('alice')
    // An attacker who has a list of subs and the log cannot find out which sub belongs to which line.
    const guessed = createHash('sha256').update('alice').digest('base64url')
    expect(alice?.caller).not.toBe(guessed.slice(0, 16))
  })

  it('names the caller of a call on /trpc, and of a refused call', async () => {
    const authorization = await service.bearer('alice')
    const rpc = await service.request('GET', '/trpc/offerings.list?input={"json":{}}', { authorization })
    const refused = await service.request('GET', '/agent/holders', { authorization })
    expect([rpc.status, refused.status]).toEqual([200, 403])
    const callers = [rpc, refused].map(
      async ({ headers }) => (await linesOf(headers.get('x-request-id'))).at(-1)?.caller,
    )
    const [first, second] = await Promise.all(callers)
    expect(first).toMatch(/^[\w-]{16}$/)
    expect(second).toBe(first)
  })

  it('has the client address that a trusted proxy names', async () => {
    const { databaseUrl, identityProvider } = service
    const log = createLog('info', destination)
    await using behind = await startService({ databaseUrl, identityProvider, log, env: { TRUST_PROXY: '1' } })
    const { headers } = await behind.request('GET', '/version', { headers: { 'x-forwarded-for': '192.0.2.7' } })
    const [line] = await linesOf(headers.get('x-request-id'))
    expect(line?.address).toBe('192.0.2.7')
  })

  it('has a warning for a 4xx, with the reason and its cause', async () => {
    const { headers } = await service.request('POST', '/credentials/verify', {
      authorization: 'Bearer a.b.c',
      body: {},
    })
    const [warning] = await linesOf(headers.get('x-request-id'))
    expect(warning).toMatchObject({
      level: WARN,
      msg: 'request refused',
      method: 'POST',
      path: '/credentials/verify',
      status: 401,
      reason: 'Invalid access token.',
    })
    expect(warning).not.toHaveProperty('err')
  })

  it('has an error for a 5xx, with stack and cause', async () => {
    const cause = new Error('disk full')
    vi.spyOn(service.platform.stores.offerings, 'find').mockRejectedValue(new Error('insert failed', { cause }))
    const rest = await service.request('GET', '/api/v1/offerings/x')
    const rpc = await service.request('GET', '/trpc/offerings.read?input={"json":{"id":"x"}}')
    for (const { headers, status } of [rest, rpc]) {
      expect(status).toBe(500)
      const [error] = await linesOf(headers.get('x-request-id'))
      expect(error).toMatchObject({
        level: ERROR,
        msg: 'request failed',
        status: 500,
        err: {
          type: 'Error',
          message: 'insert failed',
          stack: expect.stringContaining('logging.test'),
          cause: { type: 'Error', message: 'disk full', stack: expect.stringContaining('logging.test') },
        },
      })
    }
  })

  it('reports a client that left before the answer', async () => {
    const aborted = new AbortController()
    vi.spyOn(service.platform.stores.offerings, 'find').mockImplementation(async () => {
      aborted.abort()
      await linesOf('gone')
      return undefined
    })
    const request = fetch(`${service.url}/api/v1/offerings/x`, {
      signal: aborted.signal,
      headers: { 'x-request-id': 'gone' },
    })
    await expect(request).rejects.toThrow()
    const all = await linesOf('gone')
    expect(all.find(({ ms }) => ms !== undefined)?.status).toBe('aborted')
  })

  it('has no line below LOG_LEVEL', async () => {
    const quiet: string[] = []
    const log = createLog('error', { write: (text: string) => quiet.push(text) })
    const { databaseUrl, identityProvider } = service
    await using silent = await startService({ databaseUrl, identityProvider, log })
    await silent.request('GET', '/nothing')
    expect(quiet).toEqual([])
  })
})

describe('values that never reach the log', () => {
  const CLAIM = 'Ada-Lovelace-1815'

  it('tokens, secrets and claims of requests that succeed, are refused and fail', async () => {
    const token = await service.bearer('alice', { roles: ['admin'] })
    const body = { credential_type: 'Person', credential_subject: { name: CLAIM } }
    const schema = { name: 'Person', version: 1, schema: { type: 'object', properties: { name: { type: 'string' } } } }
    await service.request('POST', '/schemas', { authorization: token, body: schema })

    const offering = await service.request('POST', '/api/v1/offerings', { client: true, body })
    expect(offering.status).toBe(201)
    const claimed = await service.request('POST', `/api/v1/offerings/${offering.json.id}/claim`, {
      authorization: token,
    })
    const credential: string = claimed.json.vc.proof.jws
    await service.request('POST', '/credentials/verify', { authorization: token, body: { credential } })
    await service.request('POST', '/credentials/verify', { authorization: token, body: { credential, extra: CLAIM } })
    await service.request('POST', '/trpc/verify.verify', {
      authorization: token,
      body: { json: { credential: [credential] } },
    })
    await service.request('POST', '/api/v1/offerings', { client: true, body: { ...body, recipient: CLAIM } })
    await service.request('POST', '/api/v1/offerings', {
      client: true,
      headers: { 'content-type': 'application/json' },
      body: `{"credential_subject":{"name":"${CLAIM}"`,
    })
    await service.request('POST', '/api/v1/offerings', {
      body,
      headers: { 'x-client-secret': `${CLIENT_SECRET}-wrong` },
    })
    await service.request('POST', '/credentials/verify', { authorization: `${token}x`, body: { credential } })
    await service.request('POST', '/openid4vci/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: token, dpop: credential },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
        'pre-authorized_code': 'code-4711',
        tx_code: '123456',
      }).toString(),
    })
    await service.request('GET', `/api/v1/offerings?cursor=${CLAIM}&limit=x`)
    vi.spyOn(service.platform.stores.offerings, 'insert').mockRejectedValue(new Error('no space'))
    const failed = await service.request('POST', '/api/v1/offerings', { client: true, body })
    expect(failed.status).toBe(500)
    await linesOf(failed.headers.get('x-request-id'))

    expect(lines().filter(({ msg }) => msg === 'request refused').length).toBeGreaterThan(5)
    const [, tokenPayload = ''] = token.split('.')
    const [, credentialPayload = ''] = credential.split('.')
    for (const secret of [CLAIM, tokenPayload, credentialPayload, CLIENT_SECRET, 'code-4711', '123456']) {
      expect(written).not.toContain(secret)
    }
  })

  it('the values of a statement that the database refuses', async () => {
    const { stores } = service.platform
    // No request can cause this error: the statement inserts a row without required columns.
    const row = { id: crypto.randomUUID(), credentialSubject: { name: CLAIM } } as never
    vi.spyOn(stores.offerings, 'find').mockImplementation(() => stores.offerings.insert(row, null) as never)
    const failed = await service.request('GET', '/api/v1/offerings/x')
    expect(failed.status).toBe(500)
    const [error] = await linesOf(failed.headers.get('x-request-id'))
    expect(error?.err.type).toBe('StatementError')
    expect(written).not.toContain(CLAIM)
    expect(failed.text).not.toContain(CLAIM)
  })

  it('ids of offers, requests and QR codes, with which a reader could take an offer or answer a request', async () => {
    const authorization = await service.bearer('alice', { roles: ['admin'] })
    const schema = { name: 'Ticket', version: 1, schema: { type: 'object' } }
    await service.request('POST', '/schemas', { authorization, body: schema })
    const offering = await service.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: 'Ticket', credential_subject: {} },
    })
    const offer = await service.request('POST', '/credential-offers', {
      authorization,
      body: { credentialConfigurationIds: ['Ticket'], credentialSubject: {} },
    })
    const request = await service.request('POST', '/authorization-requests', {
      authorization,
      body: { query: [{ fields: [{ path: ['$.credentialSubject.name'] }] }] },
    })
    expect([offering.status, offer.status, request.status]).toEqual([201, 201, 201])
    const last = (address: string) => new URL(address).pathname.split('/').at(-1) ?? ''
    const ids = {
      offering: offering.json.id,
      session: offer.json.credentialOfferSessionId,
      request: last(request.json.request_uri),
      qrCode: last(request.json.qr_code_url),
    }
    for (const [method, path] of [
      ['GET', `/openid4vci/offers/${ids.offering}`],
      ['GET', `/openid4vci/offers/${ids.session}`],
      ['GET', `/api/v1/offerings/${ids.offering}`],
      ['GET', `/api/v1/offerings/${ids.offering}/qr-code`],
      ['POST', `/api/v1/offerings/${ids.offering}/claim`],
      ['GET', `/credential-offer-sessions/${ids.session}`],
      ['GET', `/openid4vp/requests/${ids.request}`],
      ['POST', `/openid4vp/responses/${ids.request}`],
      ['GET', `/api/v1/verifier/qr-codes/${ids.qrCode}`],
      ['PUT', `/openid4vp/requests/${ids.request}/unknown`],
    ] as const) {
      const { headers } = await service.request(method, path, { authorization })
      await linesOf(headers.get('x-request-id'))
    }
    for (const id of Object.values(ids)) {
      expect(written).toContain(`/${id.slice(0, 8)}…`)
      expect(written).not.toContain(id)
    }
  })

  it('path parameters of callers without credentials, except public ones', () => {
    const known = new Set([
      '/{uuid}/did.json',
      '/{uuid}/.well-known/did.json',
      '/api/v1/schemas/{id}',
      '/api/v1/schemas/{id}/images/{image}',
      '/images/{id}',
      '/status-lists/{id}',
      '/status-lists/{id}/suspension',
      '/token-status-lists/{id}',
      '/trust-lists/{name}',
      '/vct/{name}',
    ])
    const templates = routesOf(restRouter)
      .filter(({ rest }) => rest.access === 'public' || rest.access === 'optional')
      .map(({ template }) => template)
      .filter((template) => template.includes('{') && !known.has(template))
    expect(templates.length).toBeGreaterThan(10)
    const log = createLog('info', destination)
    const id = crypto.randomUUID()
    for (const template of templates) {
      written = ''
      log.info({ path: template.replace(/\{\w+\}/, id) }, template)
      expect([template, lines()[0]?.path]).toEqual([template, template.replace(/\{\w+\}/, `${id.slice(0, 8)}…`)])
    }
  })

  it('ids of this kind within an address, a reason or an error', () => {
    const log = createLog('info', destination)
    const id = crypto.randomUUID()
    const uri = `https://credence.example/openid4vci/offers/${id}`
    const reason = `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(uri)} and ${uri} failed`
    log.error({ reason, err: new Error('outer', { cause: new Error(uri) }) }, 'told')
    expect(written).toContain(`offers/${id.slice(0, 8)}…`)
    expect(written).toContain(`offers%2F${id.slice(0, 8)}…`)
    expect(written).not.toContain(id)
  })

  it('members with the name of a secret, at any depth of a logged value', () => {
    const log = createLog('info', destination)
    const secrets = {
      authorization: CLAIM,
      credential_subject: { name: CLAIM },
      nonce: CLAIM,
      tx_code: CLAIM,
      user_pin: CLAIM,
      request_uri: CLAIM,
      privateJwk: { d: CLAIM },
    }
    log.info({ request: { headers: secrets, list: [secrets, { inner: secrets }] }, ...secrets, kept: 'kept' }, 'told')
    expect(written).not.toContain(CLAIM)
    expect(lines().at(-1)).toMatchObject({
      msg: 'told',
      kept: 'kept',
      request: { headers: {}, list: [{}, { inner: {} }] },
    })
  })

  it('members of an error other than message, code, stack and cause', () => {
    const log = createLog('info', destination)
    const error = Object.assign(new Error('refused'), { code: 'E1', body: CLAIM, meta: { args: [CLAIM] } })
    log.error({ err: new Error('outer', { cause: error }) }, 'failed')
    expect(written).not.toContain(CLAIM)
    expect(lines().at(-1)?.err).toMatchObject({ message: 'outer', cause: { message: 'refused', code: 'E1' } })
  })
})
