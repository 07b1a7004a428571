import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RECORDS_AT_ONCE } from '../../server/exports/export.js'
import { sendDownload } from '../../server/http/download.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { contentOf, order, PATH, period, readCsv, readNdjson } from './actors.js'

const ROWS = 10_000
const SENDER = { client: true }

let service: TestService

/** Ten thousand credentials with claims of two kilobytes each: a file of more than twenty megabytes. */
beforeAll(async () => {
  service = await startService()
  const admin = await service.bearer('root', { roles: ['admin'] })
  const { name: type } = await postSchema(service, admin)
  const body = { type, credential_subject: { ...SUBJECT, product: 'x'.repeat(2_000) } }
  await service.request('POST', '/api/v1/credentials', { authorization: admin, body })
  await query(
    service.databaseUrl,
    `INSERT INTO credentials (id, schema_id, issuer_id, owner, holder_did, vc, created_at)
     SELECT gen_random_uuid()::text, schema_id, issuer_id, owner, holder_did, vc, now() - n * interval '1 ms'
     FROM credentials, generate_series(1, ${ROWS - 1}) n`,
  )
})
afterAll(() => service.close())

const credentials = (format = 'ndjson') => ({ kind: 'credentials', ...period(), format })

/** Opens a download. Does not read the body: the test does so. */
async function open(id: string): Promise<IncomingMessage> {
  const request = get(`${service.url}${PATH}/${id}/content`, { headers: { 'x-client-secret': CLIENT_SECRET } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return response
}

const gone = async (response: IncomingMessage) => {
  response.destroy()
  await once(response, 'close')
}

/** Counts the records that the service reads for downloads. */
function counting() {
  const { claims } = service.platform.stores
  const original = claims.ofCredentials
  let count = 0
  Object.assign(claims, {
    ofCredentials: async (ids: readonly string[]) => {
      count += ids.length
      return original(ids)
    },
  })
  return {
    read: () => count,
    [Symbol.dispose]: () => {
      Object.assign(claims, { ofCredentials: original })
    },
  }
}

const eventsOf = (id: string) =>
  query<{ action: string; detail: { records?: number; complete?: boolean } }>(
    service.databaseUrl,
    'SELECT action, detail FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [id],
  )

const ended = async (id: string) => {
  await expect.poll(async () => (await eventsOf(id)).map(({ action }) => action)).toContain('export.ended')
  return (await eventsOf(id)).at(-1)?.detail
}

describe('a file of ten thousand records', () => {
  it('has each record once, in both formats', async () => {
    const { id } = await order(service, credentials(), SENDER)
    const { records } = readNdjson(await contentOf(service, id, SENDER))
    expect(new Set(records.map((record) => record.id)).size).toBe(ROWS)
    const csv = await order(service, credentials('csv'), SENDER)
    const rows = readCsv(Buffer.from(await (await fetchBytes(csv.id)).arrayBuffer()))
    expect(rows.map((row) => row.id)).toEqual(records.map((record) => record.id))
    expect((await service.request('GET', `${PATH}/${csv.id}`, SENDER)).json.count).toBe(ROWS)
  })

  it('is read as its client reads it: a client that waits has the service read a few pages', async () => {
    using pages = counting()
    const { id } = await order(service, credentials(), SENDER)
    const response = await open(id)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const waiting = pages.read()
    expect(waiting % RECORDS_AT_ONCE).toBe(0)
    expect(waiting).toBeLessThan(ROWS / 2)
    let lines = 0
    for await (const chunk of response)
      lines += Buffer.from(chunk).reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0)
    expect([lines, pages.read()]).toEqual([ROWS + 2, ROWS])
  })

  it('is read no further when the client hangs up, and the audit log says so', async () => {
    using pages = counting()
    const { id } = await order(service, credentials(), SENDER)
    const response = await open(id)
    await gone(response)
    const detail = await ended(id)
    expect(detail).toMatchObject({ complete: false })
    expect(detail?.records).toBeLessThan(ROWS)
    const read = pages.read()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(pages.read()).toBe(read)
    expect((await service.request('GET', `${PATH}/${id}`, SENDER)).json).not.toHaveProperty('count')
  })
})

const fetchBytes = (id: string) =>
  fetch(`${service.url}${PATH}/${id}/content`, { headers: { 'x-client-secret': CLIENT_SECRET } })

describe('a database that fails', () => {
  /** Makes the read of one page fail. @param page number of the page; 1 for the first page */
  function failing(page: number) {
    const { claims } = service.platform.stores
    const original = claims.ofCredentials
    let reads = 0
    Object.assign(claims, {
      ofCredentials: async (ids: readonly string[]) => {
        reads += 1
        if (reads === page) throw new Error('The database is away.')
        return original(ids)
      },
    })
    return {
      [Symbol.dispose]: () => {
        Object.assign(claims, { ofCredentials: original })
      },
    }
  }

  it.each(['ndjson', 'csv'])(
    'in the middle of a file breaks the connection: %s never looks complete',
    async (format) => {
      using _ = failing(3)
      const { id } = await order(service, credentials(format), SENDER)
      const response = await fetchBytes(id)
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow('terminated')
      expect(await ended(id)).toEqual({ records: 2 * RECORDS_AT_ONCE, complete: false })
    },
  )
})

it.each(['ndjson', 'csv'])('a first record that cannot be read is a 500 without records: %s', async (format) => {
  const { claims } = service.platform.stores
  const original = claims.ofCredentials
  Object.assign(claims, { ofCredentials: () => Promise.reject(new Error('It cannot be decrypted.')) })
  try {
    const { id } = await order(service, credentials(format), SENDER)
    const answer = await contentOf(service, id, SENDER)
    expect([answer.status, answer.text]).toEqual([500, expect.not.stringContaining('"record"')])
    expect(await ended(id)).toEqual({ records: 0, complete: false })
  } finally {
    Object.assign(claims, { ofCredentials: original })
  }
})

describe('downloads at the same time', () => {
  it('are limited for a caller, and for all callers of a process', async () => {
    const senders = await Promise.all(
      ['ann', 'ben', 'cem'].map(async (sub) => ({ authorization: await service.bearer(sub, { roles: ['admin'] }) })),
    )
    const opened: IncomingMessage[] = []
    const [ann = SENDER, ben = SENDER, cem = SENDER] = senders
    const openAs = async (sender: typeof ann): Promise<IncomingMessage> => {
      const { id } = await order(service, credentials(), sender)
      const headers = { authorization: (sender as { authorization: string }).authorization }
      const [response] = (await once(get(`${service.url}${PATH}/${id}/content`, { headers }), 'response')) as [
        IncomingMessage,
      ]
      response.on('error', () => {})
      opened.push(response)
      return response
    }
    for (const sender of [ann, ann, ben, ben]) expect((await openAs(sender)).statusCode).toBe(200)
    const third = await openAs(ann)
    expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '10'])
    const fifth = await openAs(cem)
    expect([fifth.statusCode, fifth.headers['retry-after']]).toEqual([503, '10'])
    for (const response of opened) response.destroy()
    await expect.poll(async () => (await openAs(cem)).statusCode).toBe(200)
    for (const response of opened) response.destroy()
  })

  it('give their places back when they end', async () => {
    for (let time = 0; time < 6; time += 1) {
      const { id } = await order(service, { kind: 'audit', ...period() }, SENDER)
      expect((await contentOf(service, id, SENDER)).status).toBe(200)
    }
  })
})

it('attack: a client that reads nothing is disconnected, and its download no longer counts', async () => {
  const { createServer } = await import('node:http')
  let closed = false
  const close = async () => {
    closed = true
  }
  async function* endless() {
    for (;;) yield 'x'.repeat(1_000_000)
  }
  const server = createServer((request, response) => {
    const failures = { logged: () => {} }
    const file = { mediaType: 'text/plain', fileName: 'x', parts: endless(), close }
    void sendDownload(request as never, response as never, { failures, stalledMs: 100 }, file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  response.on('error', () => {})
  await expect.poll(() => closed).toBe(true)
  response.destroy()
  server.closeAllConnections()
  server.close()
})
