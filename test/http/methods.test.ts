import { METHODS, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REFERENCE_PATHS } from '../../server/http/api-reference.js'
import { routesOf } from '../../server/http/routes.js'
import { restRouter } from '../support/contracts.js'
import { startService, type TestService } from '../support/service.js'
import { sendRaw } from './raw.js'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Node itself answers requests with these two methods. */
const sendable = METHODS.filter((method) => method !== 'CONNECT' && method !== 'OPTIONS')

function ask(method: string, path: string): Promise<{ status: number; allow: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${service.url}${path}`, { method, agent: false }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode ?? 0, allow: response.headers.allow, body })
    })
    asked.on('error', reject).end()
  })
}

const routes = routesOf(restRouter)
const pathOf = (template: string) => template.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
const declared = (template: string): ReadonlySet<string> =>
  new Set(
    routes
      .filter((route) => route.template === template)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  )

describe('every method that Node accepts', () => {
  it('is a 404 at each REST path without the method, like an unknown path', async () => {
    const templates = [...new Set(routes.map(({ template }) => template)), '/nowhere']
    const answers: unknown[] = []
    for (const template of templates) {
      const own = declared(template)
      const path = pathOf(template)
      const others = sendable.filter((method) => !own.has(method))
      for (const method of others) {
        // A path that is literal in one route may also match the template of a route with a parameter.
        const { status } = await ask(method, path)
        if (status !== 404 && status !== 401) answers.push([method, path, status])
      }
    }
    expect(answers).toEqual([])
  })

  it.each([
    '/trpc/service.version',
    '/trpc/verify.verify',
    '/trpc/nowhere',
    '/trpc/service.version,nowhere?batch=1',
    '/trpc',
  ])('is a 405 with Allow at %s if RPC does not support it (RFC 9110 §15.5.6)', async (path) => {
    for (const method of sendable.filter((name) => !['GET', 'HEAD', 'POST'].includes(name))) {
      const { status, allow, body } = await ask(method, path)
      expect([method, status, allow]).toEqual([method, 405, 'GET, HEAD, POST'])
      if (path.startsWith('/trpc/'))
        expect(JSON.parse(body).error.json.data).toMatchObject({ code: 'METHOD_NOT_SUPPORTED', httpStatus: 405 })
    }
  })

  it('causes no failure of the service at any other path', async () => {
    for (const path of [...REFERENCE_PATHS, '/console', '/console/assets/x', '/openid4vp/qr-codes/x']) {
      for (const method of [...sendable, 'OPTIONS'])
        expect([method, path, (await ask(method, path)).status < 500]).toEqual([method, path, true])
    }
  })
})

describe('a call with the wrong method', () => {
  it('a query by POST and a mutation by GET are a 405 with Allow', async () => {
    const query = await service.request('POST', '/trpc/service.version', { body: { json: {} } })
    expect([query.status, query.headers.get('allow')]).toEqual([405, 'GET'])
    const mutation = await ask('GET', '/trpc/verify.verify')
    expect([mutation.status, mutation.allow]).toEqual([405, 'POST'])
  })
})

describe('undefined methods', () => {
  it.each(['get', 'Post', 'FOO', 'GETT', 'TRACE1', ''])('%j is a 400', async (method) => {
    for (const path of ['/version', '/trpc/service.version']) {
      expect((await sendRaw(service.url, `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).status).toBe(400)
    }
  })

  it('CONNECT ends the connection, and the service continues', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname, () => socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'))
    await new Promise((resolve) =>
      socket
        .on('close', resolve)
        .on('error', () => {})
        .resume(),
    )
    expect((await service.request('GET', '/version')).status).toBe(200)
  })
})
