import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { measureActors } from '../../bench/measure/actors.js'
import type { Caller } from '../../bench/measure/caller.js'
import type { Target } from '../../bench/targets/target.js'
import { closeServer, listenLocally } from '../support/local-server.js'

let refusing = false
const server = createServer((_request, response) => response.writeHead(refusing ? 400 : 200).end('{}'))
let target: Target
beforeAll(async () => {
  target = { url: await listenLocally(server), pid: process.pid, ask: async () => undefined, stop: async () => {} }
})
afterAll(() => closeServer(server))

it('each flow uses the next element, and the requested number of flows runs at once', async () => {
  const taken: string[] = []
  let running = 0
  let most = 0
  const flow = async (caller: Caller, thing: string) => {
    taken.push(thing)
    running += 1
    most = Math.max(most, running)
    await caller.json('/')
    running -= 1
  }
  const { operations } = await measureActors(target, ['a', 'b', 'c'], flow, 2, 0.1)
  expect(operations).toBe(taken.length)
  expect(taken.slice(0, 4)).toEqual(['a', 'b', 'c', 'a'])
  expect(most).toBe(2)
})

it('only the returned time of a flow counts', async () => {
  const flow = async (caller: Caller) => {
    await caller.json('/')
    return 5
  }
  expect(await measureActors(target, [1], flow, 1, 0.05, (ms) => ms)).toMatchObject({ p50: 5, p99: 5 })
  expect((await measureActors(target, [1], flow, 1, 0.05)).p50).not.toBe(5)
})

it('a refused flow ends the measurement, so no failed flow counts', async () => {
  let flows = 0
  const flow = (caller: Caller) => {
    flows += 1
    refusing = flows > 3
    return caller.json('/')
  }
  await expect(measureActors(target, [1], flow, 2, 5)).rejects.toThrow('GET / answered 400')
})
