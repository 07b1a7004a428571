import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../server/log.js'
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

/** The lines of one request; its access line is written when its connection is done with it. */
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
      },
    ])
  })

  it('has a warning for a 4xx, with the reason and what caused it', async () => {
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
    vi.spyOn(service.deps.stores.offerings, 'find').mockRejectedValue(new Error('insert failed', { cause }))
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

  it('says when a client went away before it was answered', async () => {
    const aborted = new AbortController()
    vi.spyOn(service.deps.stores.offerings, 'find').mockImplementation(async () => {
      aborted.abort()
      await new Promise((resolve) => setTimeout(resolve, 100))
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

  it('holds no line where LOG_LEVEL is above its level', async () => {
    const quiet: string[] = []
    const log = createLog('error', { write: (text: string) => quiet.push(text) })
    const { databaseUrl, identityProvider } = service
    await using silent = await startService({ databaseUrl, identityProvider, log })
    await silent.request('GET', '/nothing')
    expect(quiet).toEqual([])
  })
})

describe('what never reaches the log', () => {
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
    vi.spyOn(service.deps.stores.offerings, 'insert').mockRejectedValue(new Error('no space'))
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
    const { stores } = service.deps
    const row = { id: crypto.randomUUID(), credentialSubject: { name: CLAIM } } as never
    vi.spyOn(stores.offerings, 'find').mockImplementation(() => stores.offerings.insert(row) as never)
    const failed = await service.request('GET', '/api/v1/offerings/x')
    expect(failed.status).toBe(500)
    const [error] = await linesOf(failed.headers.get('x-request-id'))
    expect(error?.err.type).toBe('StatementError')
    expect(written).not.toContain(CLAIM)
    expect(failed.text).not.toContain(CLAIM)
  })

  it('members with a secret name, at any depth of what somebody logs', () => {
    const log = createLog('info', destination)
    const secrets = {
      authorization: CLAIM,
      credential_subject: { name: CLAIM },
      nonce: CLAIM,
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

  it('members of an error beside message, code, stack and cause', () => {
    const log = createLog('info', destination)
    const error = Object.assign(new Error('refused'), { code: 'E1', body: CLAIM, meta: { args: [CLAIM] } })
    log.error({ err: new Error('outer', { cause: error }) }, 'failed')
    expect(written).not.toContain(CLAIM)
    expect(lines().at(-1)?.err).toMatchObject({ message: 'outer', cause: { message: 'refused', code: 'E1' } })
  })
})
