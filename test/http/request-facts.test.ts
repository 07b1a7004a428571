import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { requestFacts } from '../../server/http/request-facts.js'
import { portOf } from '../support/local-server.js'

const BASE_URLS = { issuerBaseUrl: 'http://127.0.0.1', verifierBaseUrl: 'http://127.0.0.1' }

/**
 * Starts a route that emits the events `arrived` and `left`. On the event `look` it reads the signal of its request,
 * and on `answer` it answers.
 */
async function startRoute() {
  const route = new EventEmitter()
  const app = express().get('/', async (request, response) => {
    response.once('close', () => route.emit('left'))
    setImmediate(() => route.emit('arrived'))
    await once(route, 'look')
    route.emit('signal', requestFacts(request, response, BASE_URLS).signal)
    await once(route, 'answer')
    response.end()
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(portOf(server), '127.0.0.1')
  const arrived = once(route, 'arrived')
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await arrived
  const look = async (): Promise<AbortSignal> => {
    const seen = once(route, 'signal')
    route.emit('look')
    return (await seen)[0]
  }
  return { route, client, look, close: () => server.close() }
}

describe("the signal of a request's client", () => {
  it('is aborted if the client left before the signal was read, for example while its token was being checked', async () => {
    const { route, client, look, close } = await startRoute()
    const left = once(route, 'left')
    client.destroy()
    await left
    expect((await look()).aborted).toBe(true)
    close()
  })

  it('aborts when the client leaves', async () => {
    const { client, look, close } = await startRoute()
    const signal = await look()
    expect(signal.aborted).toBe(false)
    const aborted = once(signal, 'abort')
    client.destroy()
    await aborted
    close()
  })

  it('does not abort when the answer ends', async () => {
    const { route, client, look, close } = await startRoute()
    const signal = await look()
    const left = once(route, 'left')
    client.resume()
    route.emit('answer')
    await left
    expect(signal.aborted).toBe(false)
    close()
  })
})
