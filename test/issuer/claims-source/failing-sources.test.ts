import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { closeServer, listenLocally } from '../../support/local-server.js'
import { credentialOf, refusalOf } from '../openid4vci/actors.js'
import {
  CLAIMS,
  type ClaimsWorld,
  CONFIGURATION,
  NOTHING,
  PATIENT_MS,
  startClaimsWorld,
  UNAVAILABLE,
} from './actors.js'
import { claims, json, type Source } from './source.js'

/** The time limit of a source that does not answer. A busy machine needs a part of it to send the request. */
const LIMIT_MS = 2_000

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('a source that gives no claims', () => {
  it('answers 404: the wallet gets access_denied, and nothing is issued', async () => {
    world.source.answers((_, response) => json(response, 404, {}))
    const { offerId, answer } = await world.taken()
    expect(refusalOf(answer)).toEqual([400, 'access_denied', 'The issuer knows no credential for this person.'])
    expect(world.source.asked).toHaveLength(1)
    expect(await world.onRecord(offerId)).toEqual(NOTHING)
  })

  it('answers claims that the schema refuses: the operator sees the claim, and nobody its value', async () => {
    world.source.answers(claims({ degree: 'Physics', grade: 777777777777 }))
    const { offerId, token, answer } = await world.taken()
    expect(refusalOf(answer)).toEqual([
      400,
      'credential_request_denied',
      'The claims of the issuer are not enough for this credential.',
    ])
    expect(await world.onRecord(offerId)).toEqual(NOTHING)
    const session = await world.issuer.session(offerId)
    expect([session.state, session.errorMessage]).toEqual(['TokenIssued', 'credentialSubject.grade must be <= 5'])
    expect(world.lines.join('')).toContain('credentialSubject.grade must be <= 5')
    expect(world.lines.join('')).not.toMatch(/777777777777|Physics/)
    // The wallet can try again after the issuer has corrected the claims.
    world.source.answers(claims(CLAIMS))
    credentialOf(await world.issuer.take(token, CONFIGURATION))
    expect((await world.issuer.session(offerId)).errorMessage).toBeUndefined()
  })

  it.each([
    ['a prototype', '{"credentialSubject":{"degree":"Physics","__proto__":{"grade":1}}}', 'credential_request_denied'],
    ['an unknown claim', '{"credentialSubject":{"degree":"Physics","admin":true}}', 'credential_request_denied'],
  ])('answers with %s: refused', async (_, text, error) => {
    world.source.answers((_asked, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    )
    const { offerId, answer } = await world.taken()
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, error])
    expect(await world.onRecord(offerId)).toEqual(NOTHING)
    expect(Object.prototype).not.toHaveProperty('grade')
  })

  it.each<[string, Parameters<Source['answers']>[0], string, number]>([
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: world.source.url }).end(),
      'answered with a redirect',
      1,
    ],
    [
      'never ends its answer',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = 'x'.repeat(16_384)
        // Through the event loop: Node.js 26 calls back at once when the connection is gone, and does not say that it is destroyed.
        const more = (error?: Error | null) => {
          if (!error && !response.destroyed) response.write(chunk, (failed) => setImmediate(more, failed))
        }
        more()
      },
      'answered with more than 65536 bytes',
      1,
    ],
    [
      'claims an enormous length',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 40) })
        response.write('x'.repeat(100_000))
      },
      'answered with more than 65536 bytes',
      1,
    ],
    [
      'sends one byte at a time',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
      `did not answer within ${LIMIT_MS} ms`,
      2,
    ],
    ['does not answer', () => undefined, `did not answer within ${LIMIT_MS} ms`, 2],
    ['fails', (_, response) => json(response, 500, {}), 'answered with status 500', 2],
    ['refuses the credentials', (_, response) => json(response, 401, {}), 'answered with status 401', 1],
    [
      'answers with HTML',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{"credentialSubject":{}}'),
      'content type that is not application/json',
      1,
    ],
    [
      'answers with broken JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"Physics"'),
      'answered with something that is not JSON',
      1,
    ],
    ['answers without claims', (_, response) => json(response, 200, { subject: {} }), 'without a credentialSubject', 1],
  ])('%s: the wallet waits, and the source is asked at most twice', async (_, handler, problem, times) => {
    const name = `Slow${crypto.randomUUID().replaceAll('-', '')}`
    await world.postType(
      name,
      world.sourceOf({ timeoutMs: problem.includes('did not answer') ? LIMIT_MS : PATIENT_MS }),
    )
    world.source.answers(handler)
    const { answer } = await world.taken({ credentialConfigurationIds: [`${name}-sd-jwt`] }, `${name}-sd-jwt`)
    expect(answer.status, answer.text).toBe(202)
    expect(world.lines.join('')).toContain(problem)
    expect(world.lines.join('')).not.toContain('Physics')
    expect(world.source.asked).toHaveLength(times)
    const ids = new Set(world.source.asked.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(1)
  })

  it('is repeated once after a 500: the second answer counts', async () => {
    world.source.answers((_, response, times) =>
      times === 1 ? json(response, 500, {}) : json(response, 200, { credentialSubject: CLAIMS }),
    )
    credentialOf((await world.taken()).answer)
    expect(world.source.asked).toHaveLength(2)
  })

  it('attack: a source at a private address is never reached', async () => {
    let reached = 0
    const server = createServer((_, response) => {
      reached += 1
      response.end()
    })
    const url = (await listenLocally(server)).replace('127.0.0.1', '127.0.0.2')
    await world.postType('Private', world.sourceOf({ url }))
    const { answer } = await world.taken({ credentialConfigurationIds: ['Private-sd-jwt'] }, 'Private-sd-jwt')
    expect(answer.status).toBe(202)
    expect(world.lines.join('')).toContain('has an address that is not public')
    await closeServer(server)
    expect(reached).toBe(0)
  })

  it('at most 32 requests to one source are open; others get 503 with Retry-After', async () => {
    const waiting: (() => void)[] = []
    world.source.answers((_, response) => {
      waiting.push(() => json(response, 200, { credentialSubject: CLAIMS }))
    })
    const name = 'Crowded'
    await world.postType(name, world.sourceOf())
    const members = { credentialConfigurationIds: [`${name}-sd-jwt`] }
    const tokens = await Promise.all(
      Array.from({ length: 33 }, async () => (await world.tokensFor(await world.made(members))).access_token),
    )
    const [last = '', ...first] = tokens
    const open = first.map((token) => world.issuer.take(token, `${name}-sd-jwt`))
    await expect.poll(() => waiting.length, { timeout: 60_000 }).toBe(32)
    // A source that does not answer holds no connection to the database.
    await expect.poll(() => world.issuer.service.platform.database.load().busy).toBe(0)
    const busy = await world.issuer.take(last, `${name}-sd-jwt`)
    expect(refusalOf(busy)).toEqual(UNAVAILABLE)
    expect(busy.headers.get('retry-after')).toBe('30')
    for (const answer of waiting) answer()
    for (const answer of await Promise.all(open)) expect(answer.status).toBe(200)
    world.source.answers(claims(CLAIMS))
    credentialOf(await world.issuer.take(last, `${name}-sd-jwt`))
  })
})
