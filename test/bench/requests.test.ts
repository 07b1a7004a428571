import { createServer, type RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { measureRequests } from '../../bench/measure/requests.js'
import { closeServer, listenLocally } from '../support/local-server.js'

async function measuring(listener: RequestListener, seconds: number, says?: string) {
  const server = createServer(listener)
  const url = await listenLocally(server)
  const target = { url, pid: process.pid, ask: async () => undefined, stop: async () => {} }
  try {
    const shape = { method: 'POST', path: '/', json: { a: 1 }, ...(says === undefined ? {} : { says }) } as const
    return await measureRequests(target, shape, 2, seconds)
  } finally {
    await closeServer(server)
  }
}

it('measures an operation that takes longer than the measurement', async () => {
  const { operations } = await measuring(async (_request, response) => {
    await sleep(400)
    response.end()
  }, 0.2)
  expect(operations).toBeGreaterThan(0)
})

it('begins after a first answer, which does not count', async () => {
  const asked: (string | undefined)[] = []
  let open = 0
  let most = 0
  await measuring(async (request, response) => {
    asked.push(request.headers['content-type'])
    open += 1
    if (asked.length === 1) await sleep(50)
    most = asked.length === 1 ? open : most
    open -= 1
    response.end()
  }, 0.2)
  expect(most).toBe(1)
  expect(new Set(asked)).toEqual(new Set(['application/json']))
})

it('ends with an error if an answer is a refusal', async () => {
  const refused = measuring((_request, response) => response.writeHead(503).end(), 0.2)
  await expect(refused).rejects.toThrow('503')
})

it.each([
  ['the first', 1, /200 \{"isValid":false\}$/],
  ['a later one', 5, /[1-9]\d* other answers/],
])('ends with an error if %s is a success with another content', async (_, from, sentence) => {
  let answers = 0
  const other = measuring(
    (_request, response) => {
      answers += 1
      response.end(JSON.stringify({ isValid: answers < from }))
    },
    0.2,
    '"isValid":true',
  )
  await expect(other).rejects.toThrow(sentence)
})
