import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTypeName, PURCHASE } from '../issuer/purchase.js'
import { localEnvironment, startProcess } from '../main/process.js'
import { inParallel, scaled } from '../proof/parallel.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { copyCredentials, MARKER, newKek } from './filled.js'

const CREDENTIALS = scaled(1_000_000, 4_000)
const ISSUED_BETWEEN = 20

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
}, 600_000)
afterAll(() => database?.drop())

const start = (env: Record<string, string> = {}) =>
  startProcess({ ...localEnvironment(database.url), RATE_LIMIT_MAX: '0', ...env })

const send = (url: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const progress = async () => {
  const [row] = await query<{ position: string | null; changed: number }>(
    database.url,
    "SELECT position, changed FROM encryption_progress WHERE column_name = 'credentials.vc'",
  )
  return row ?? { position: '', changed: 0 }
}

const inTheClear = async () => {
  const [row] = await query(
    database.url,
    `SELECT count(*)::int AS rows FROM credentials WHERE left(vc::text, 1) <> '"'`,
  )
  return row?.rows
}

it(`kill -9 twice during the encryption of ${CREDENTIALS} credentials loses none and begins none again`, async () => {
  const type = newTypeName()
  const before = start()
  const url = await before.url()
  await send(url, '/schemas', { name: type, version: 1, schema: PURCHASE })
  const issue = async (at: string): Promise<string> => {
    const body = { type, credential_subject: { product: MARKER } }
    const answer = await send(at, '/api/v1/credentials', body)
    expect(answer.status).toBe(201)
    return ((await answer.json()) as { id: string }).id
  }
  await issue(url)
  before.child.kill('SIGTERM')
  await before.exit()
  await copyCredentials(database.url, CREDENTIALS)
  const env = { KEY_ENCRYPTION_KEY: newKek() }

  let last = await progress()
  const issued: string[] = []
  for (const part of [0.2, 0.5]) {
    const killed = start(env)
    const at = await killed.url()
    expect((await progress()).position ?? '').toBe(last.position)
    while ((await progress()).changed < CREDENTIALS * part) {
      if (issued.length < ISSUED_BETWEEN) issued.push(await issue(at))
    }
    killed.child.kill('SIGKILL')
    await killed.exit()
    last = await progress()
    expect(last.position).not.toBe('')
  }
  const left = await inTheClear()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(CREDENTIALS * 0.8)

  await using service = start({ ...env, LOG_LEVEL: 'info' })
  const at = await service.url()
  await service.logged('all stored values are encrypted')
  expect(await inTheClear()).toBe(0)
  const [column] = (await service.logged('column encrypted')).filter(({ column }) => column === 'credentials.vc')
  // A killed process may not have recorded its last batch of 500 rows.
  expect(column?.values).toBeGreaterThanOrEqual(CREDENTIALS + 1 - 2 * 500)
  expect(column?.values).toBeLessThanOrEqual(CREDENTIALS + 1)
  const rows = await query<{ id: string }>(database.url, 'SELECT id FROM credentials ORDER BY random() LIMIT 500')
  expect(rows).toHaveLength(500)
  const ids = [...rows.map(({ id }) => id), ...issued]
  const read = await inParallel(ids.length, 16, async (number) => {
    const answer = await send(at, `/api/v1/credentials/${ids[number]}`)
    return [answer.status, (await answer.text()).includes(MARKER)].join()
  })
  expect(new Set(read)).toEqual(new Set(['200,true']))
  expect(service.stdout()).not.toContain(MARKER)
}, 3_600_000)
