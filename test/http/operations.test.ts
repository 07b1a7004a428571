import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { consoleTour, startWithConsole } from './console-tour.js'
import { publishedTour, startPublishing } from './published-tour.js'
import { receivedExample } from './received-example.js'
import { tour } from './tour.js'
import type { Visit, Visited } from './tourist.js'
import { walletClients } from './wallet-clients.js'

interface Look extends Visit {
  readonly status: number
  readonly type: string | null
  readonly text: string
  readonly changed: readonly string[]
}

let service: TestService
let visited: readonly Visited[]
let paths: Readonly<
  Record<
    string,
    Readonly<Record<string, { responses: Record<string, { content?: Record<string, { example?: unknown }> }> }>>
  >
>
const looks: Look[] = []

/** A hash of each table's rows. */
async function contents({ databaseUrl }: TestService): Promise<Map<string, string>> {
  const rows = await query<{ name: string; hash: string }>(
    databaseUrl,
    `SELECT table_name AS name,
       md5(query_to_xml(format('SELECT t::text FROM %I t ORDER BY 1', table_name), true, false, '')::text) AS hash
     FROM information_schema.tables JOIN pg_class p ON p.relname = table_name
     WHERE table_schema = 'public' AND NOT p.relispartition`,
  )
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

/** Sends a HEAD before each GET, and checks that the HEAD changes nothing. */
const lookAt =
  (service: TestService) =>
  async (visit: Visit): Promise<void> => {
    if (visit.method !== 'GET') return
    const before = await contents(service)
    const answer = await service.request('HEAD', visit.path, visit.options)
    const after = await contents(service)
    const changed = [...after].filter(([name, hash]) => before.get(name) !== hash).map(([name]) => name)
    looks.push({
      ...visit,
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: answer.text,
      changed,
    })
  }

beforeAll(async () => {
  service = await startService({ env: { ...LOOPBACK, WALLET_CLIENTS: walletClients() }, maintenance: false })
  paths = (await service.request('GET', '/api-docs-json')).json.paths
  await using withConsole = await startWithConsole()
  await using publishing = await startPublishing()
  visited = [
    ...(await tour(service, lookAt(service))),
    ...(await consoleTour(withConsole, lookAt(withConsole.service))),
    ...(await publishedTour(publishing, lookAt(publishing))),
  ]
})
afterAll(() => service.close())

describe('every operation of the document', () => {
  it('is called in this test', () => {
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(new Set(visited.map(({ method, template }) => `${method} ${template}`))).toEqual(new Set(described))
  })

  it('answers with a documented status and media type', () => {
    for (const { method, template, status, headers } of visited) {
      const described = paths[template]?.[method.toLowerCase()]?.responses[status]
      const [type] = headers.get('content-type')?.split(';') ?? []
      const types = Object.keys(described?.content ?? {})
      expect([method, template, status, types]).toEqual([
        method,
        template,
        status,
        type ? expect.arrayContaining([type]) : [],
      ])
    }
  })
})

describe('ids in answers (RFC 9562 §5.4)', () => {
  const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

  /** Returns a text together with the decoded content of the JWTs in it, and of the JWTs inside these JWTs. */
  const opened = (text: string): string =>
    text.replaceAll(/\beyJ[\w-]+/g, (part) => opened(Buffer.from(part, 'base64url').toString()))

  // Version 8 is a MAC (§5.8). Pages on demand have such an id.
  it('are random: an id reveals neither its time nor other ids', () => {
    const ids = visited
      .filter(({ template }) => template !== '/api-docs-json')
      .flatMap(({ method, template, headers, text }) =>
        [...opened(`${text} ${[...headers.values()].join(' ')}`).matchAll(UUID)].map(([id]) => ({
          method,
          template,
          id,
        })),
      )
    expect(ids.filter(({ id }) => !/^.{14}[48].{4}[89ab]/i.test(id))).toEqual([])
    const withIds = new Set(ids.map(({ method, template }) => `${method} ${template}`))
    for (const operation of [
      'POST /api/v1/offerings',
      'GET /api/v1/offerings',
      'POST /credential-offers',
      'POST /authorization-requests',
      'POST /openid4vci/credential',
    ]) {
      expect(withIds).toContain(operation)
    }
  })
})

describe('the examples of the document', () => {
  const kept = 'server/http/response-examples.json'

  /** The answer for a deferred credential has a different body, so it counts as a separate operation. */
  const nameOf = ({ method, template, status }: Visited) => `${method} ${template}${status === 202 ? ' 202' : ''}`

  /** The first answer of each operation, by media type. */
  function received(): Record<string, Record<string, unknown>> {
    const examples: Record<string, Record<string, unknown>> = {}
    for (const visit of visited) {
      const [type] = visit.headers.get('content-type')?.split(';') ?? []
      // The operation that returns the OpenAPI document has no example, because the document cannot contain itself.
      if (!type || visit.text === '' || visit.template === '/api-docs-json') continue
      const operation = nameOf(visit)
      examples[operation] = { [type]: receivedExample(visit, service.url), ...examples[operation] }
    }
    return examples
  }

  it('are answers of this test: UPDATE_EXAMPLES=true writes them again', async () => {
    if (process.env.UPDATE_EXAMPLES === 'true') {
      await writeFile(kept, JSON.stringify(received()))
      execFileSync('npx', ['biome', 'format', '--write', kept])
    }
    expect(JSON.parse(await readFile(kept, 'utf8'))).toEqual(received())
  })

  it('exist for every success with a body', () => {
    for (const visit of visited) {
      const { method, template, status, headers, text } = visit
      const [type] = headers.get('content-type')?.split(';') ?? []
      if (!type || text === '' || template === '/api-docs-json') continue
      const example = paths[template]?.[method.toLowerCase()]?.responses[status]?.content?.[type]?.example
      expect([method, template, example]).toEqual([method, template, received()[nameOf(visit)]?.[type]])
    }
  })
})

describe('the version', () => {
  it('of the running service is the version of package.json; the interface has another version', async () => {
    const { name, version } = JSON.parse(await readFile('package.json', 'utf8'))
    const answered = visited.find(({ path }) => path === '/version')
    expect(answered?.json).toEqual({ name, version })
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
    expect(packages[''].version).toBe(version)
    expect((await service.request('GET', '/api-docs-json')).json.info.version).toBe('1.0.0-rc1')
  })
})

describe('HEAD (RFC 9110 §9.3.2)', () => {
  it('answers like the next GET, without a body', () => {
    const gets = visited.filter(({ method }) => method === 'GET')
    expect(looks.map(({ path, status, type, text }) => [path, status, type, text])).toEqual(
      gets.map(({ path, status, headers }) => [path, status, headers.get('content-type'), '']),
    )
  })

  it('changes no session, no offer and no response code', () => {
    expect(looks.filter(({ changed }) => changed.length > 0)).toEqual([])
  })
})
