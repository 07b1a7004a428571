import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../server/app.js'
import { createAppServer } from '../../server/http/server.js'
import { closeServer, portOf } from '../support/local-server.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.close())

/**
 * Starts a server for the application. Records the prototypes of each request and response when the request arrives.
 */
async function startWatched() {
  const { server, serve } = createAppServer()
  const app = createApp(service.service.app)
  const arrived: { request: IncomingMessage; response: ServerResponse; prototypes: readonly unknown[] }[] = []
  server.on('request', (request, response) => {
    arrived.push({ request, response, prototypes: [request, response].map(Object.getPrototypeOf) })
  })
  serve(app)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    app,
    arrived,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

describe('the server of the application', () => {
  it('gives requests and responses the prototypes of the application, so that Express does not replace them', async () => {
    await using watched = await startWatched()
    const { app, arrived, url } = watched
    const own = [app.request, app.response]
    // `app.request` and `app.response` inherit from the prototypes of Express, which have Express's own methods.
    expect(own.map(Object.getPrototypeOf)).toEqual([express.request, express.response])
    const paths = ['/version', '/trpc/service.version', '/nowhere', '/api-docs', '/api-docs/swagger-ui.css']
    for (const path of paths) {
      await (await fetch(`${url}${path}`, path === '/nowhere' ? { method: 'POST', body: '{' } : {})).text()
    }
    expect(arrived).toHaveLength(paths.length)
    for (const { request, response, prototypes } of arrived) {
      expect(prototypes[0]).toBe(own[0])
      expect(prototypes[1]).toBe(own[1])
      expect(Object.getPrototypeOf(request)).toBe(own[0])
      expect(Object.getPrototypeOf(response)).toBe(own[1])
      expect([request instanceof IncomingMessage, response instanceof ServerResponse]).toEqual([true, true])
    }
  })

  it('separates two applications of one process', async () => {
    await using one = await startWatched()
    await using two = await startWatched()
    await fetch(`${one.url}/version`)
    await fetch(`${two.url}/version`)
    const appsOf = ({ arrived }: typeof one) =>
      arrived.map(({ request }) => (request as unknown as { app: unknown }).app)
    expect(appsOf(one)).toHaveLength(1)
    expect(appsOf(one)[0]).toBe(one.app)
    expect(appsOf(two)[0]).toBe(two.app)
  })
})
