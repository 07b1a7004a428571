import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../../server/database/migrate.js'
import { migrationsDirectory } from '../../../server/database/migrations.js'
import { withStartLock } from '../../../server/database/start-lock.js'
import { createEmptyDatabase, query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { newIssuer } from '../issuer-record.js'
import { newTypeName, PURCHASE, postSchema, SUBJECT } from '../purchase.js'

let service: TestService
let alice: string
let mallory: string
let admin: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  mallory = await service.bearer('mallory')
  admin = await service.bearer('root', { roles: ['admin'] })
})
afterAll(() => service.close())

const post = (authorization: string, name: string, version: number, schema: unknown = PURCHASE) =>
  service.request('POST', '/schemas', { authorization, body: { name, version, schema } })

const issue = (authorization: string, type: string) =>
  service.request('POST', '/api/v1/credentials', { authorization, body: { type, credential_subject: SUBJECT } })

const assignment = (method: 'POST' | 'DELETE', authorization: string, schemaId: string, issuerId: string) =>
  service.request(method, `/schemas/${schemaId}/issuers/${issuerId}`, { authorization })

const defaultIssuer = async () => (await service.platform.stores.agents.defaultIssuer())?.id ?? ''

const refusal = ({ status, json }: Answer) => [status, json.message, json.error]
const DENIED = [403, 'Schema belongs to another caller.', 'Forbidden']

describe('a type name belongs to the creator of its first version', () => {
  it('other callers cannot supersede it, for example with a schema that no subject satisfies', async () => {
    const { name } = await postSchema(service, alice)
    for (const version of [2, 0.5, 1_000_000_000]) {
      expect(refusal(await post(mallory, name, version, { not: {} }))).toEqual(DENIED)
    }
    expect((await issue(alice, name)).status).toBe(201)
    expect(
      await query(service.databaseUrl, 'SELECT version FROM schemas WHERE name = $1 ORDER BY version', [name]),
    ).toEqual([{ version: 1 }])
  })

  it('the same name and version is 409 for every caller', async () => {
    const { name } = await postSchema(service, alice)
    for (const caller of [alice, mallory, admin]) {
      const answer = await post(caller, name, 1)
      expect([answer.status, answer.json.message]).toEqual([409, `Schema ${name} version 1 already exists.`])
    }
  })

  it('its owner and admins make further versions, and the owner stays the same', async () => {
    const { name } = await postSchema(service, alice)
    expect((await post(admin, name, 2)).status).toBe(201)
    expect((await post(alice, name, 3)).status).toBe(201)
    expect(refusal(await post(mallory, name, 4))).toEqual(DENIED)
  })

  it('of many simultaneous first versions one creator owns the name, and the other versions are not stored', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = newTypeName()
      const callers = await Promise.all(Array.from({ length: 8 }, (_, at) => service.bearer(`caller-${at}`)))
      const answers = await Promise.all(callers.map((caller, at) => post(caller, name, at + 1)))
      const won = answers.findIndex(({ status }) => status === 201)
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)])
      const rows = await query(
        service.databaseUrl,
        `SELECT t.created_by AS owner, s.created_by AS author, s.version
         FROM credential_types t JOIN schemas s ON s.name = t.name WHERE t.name = $1`,
        [name],
      )
      expect(rows).toEqual([{ owner: `caller-${won}`, author: `caller-${won}`, version: won + 1 }])
    }
  })

  it('a refused version leaves no audit row, and a name that was refused for another reason stays free', async () => {
    const name = newTypeName()
    expect((await post(mallory, name, 1, { $async: true })).status).toBe(400)
    const { id } = await postSchema(service, alice, { name })
    await post(mallory, name, 2)
    expect(
      await query(service.databaseUrl, "SELECT actor FROM audit_events WHERE subject = 'schema' AND actor = 'mallory'"),
    ).toEqual([])
    expect(id).toBeDefined()
  })
})

describe('only its owner and admins assign a schema', () => {
  it('other callers can neither change the issuers of a type nor undo an assignment', async () => {
    const schema = await postSchema(service, alice)
    const [own, foreign] = await Promise.all([newIssuer(service, 'alice'), newIssuer(service, 'mallory')])
    const before = (await issue(alice, schema.name)).json.vc.issuer
    for (const issuerId of [foreign.id, own.id, await defaultIssuer(), 'unknown']) {
      expect(refusal(await assignment('POST', mallory, schema.id, issuerId))).toEqual(DENIED)
    }
    expect((await issue(alice, schema.name)).json.vc.issuer).toBe(before)
    expect((await assignment('POST', alice, schema.id, own.id)).json.issuers).toEqual([own.id])
    expect(refusal(await assignment('DELETE', mallory, schema.id, own.id))).toEqual(DENIED)
    expect((await issue(alice, schema.name)).json.vc.issuer).toBe(own.did)
  })

  it('to an own issuer record, or as an admin to the default record', async () => {
    const schema = await postSchema(service, alice)
    const [alices, roots] = await Promise.all([newIssuer(service, 'alice'), newIssuer(service, 'root')])
    for (const [caller, issuerId] of [
      [alice, roots.id],
      [alice, await defaultIssuer()],
      [admin, alices.id],
    ] as const) {
      const answer = await assignment('POST', caller, schema.id, issuerId)
      expect([answer.status, answer.json.message]).toEqual([500, 'Issuer not found.'])
    }
    expect((await assignment('POST', admin, schema.id, roots.id)).json.issuers).toEqual([roots.id])
    expect((await issue(alice, schema.name)).json.vc.issuer).toBe(roots.did)
    expect((await assignment('POST', admin, schema.id, await defaultIssuer())).status).toBe(200)
    expect((await issue(alice, schema.name)).json.vc.issuer).not.toBe(roots.did)
  })
})

describe('DELETE /schemas/{id}/issuers/{issuerId}', () => {
  it('undoes an assignment, also one by an admin, and every issuer may issue the schema again', async () => {
    const schema = await postSchema(service, alice)
    const [alices, roots] = await Promise.all([newIssuer(service, 'alice'), newIssuer(service, 'root')])
    const before = (await issue(alice, schema.name)).json.vc.issuer
    await assignment('POST', alice, schema.id, alices.id)
    await assignment('POST', admin, schema.id, roots.id)
    const answer = await assignment('DELETE', alice, schema.id, roots.id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await issue(alice, schema.name)).json.vc.issuer).toBe(alices.did)
    expect((await assignment('DELETE', admin, schema.id, alices.id)).status).toBe(204)
    expect((await issue(alice, schema.name)).json.vc.issuer).toBe(before)
  })

  it('repeated changes nothing; an unknown schema is 404', async () => {
    const schema = await postSchema(service, alice)
    const { id } = await newIssuer(service, 'alice')
    await assignment('POST', alice, schema.id, id)
    for (const issuerId of [id, id, 'unknown']) {
      expect((await assignment('DELETE', alice, schema.id, issuerId)).status).toBe(204)
    }
    expect((await assignment('DELETE', alice, 'unknown', id)).json.message).toBe('Schema not found.')
  })
})

it('a type from before names had owners belongs to the creator of the first version', async () => {
  await using database = await createEmptyDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'credence-migrations-'))
  try {
    const names = (await readdir(migrationsDirectory())).filter((name) => /^\d+_/.test(name)).sort()
    const own = names.findIndex((name) => name.endsWith('_credential_types'))
    for (const name of names.slice(0, own)) {
      await cp(join(migrationsDirectory(), name), join(directory, name), { recursive: true })
    }
    await withStartLock(database.url, (lock) => migrate(lock, directory))
    await query(
      database.url,
      `INSERT INTO schemas (id, name, version, body, created_by, created_at) VALUES
         ('a', 'Purchase', 2, '{}', 'alice', '2026-01-01'), ('b', 'Purchase', 1, '{}', 'mallory', '2026-01-02'),
         ('c', 'Purchase', 1000000000, '{"not": {}}', 'mallory', '2026-01-03'), ('d', 'Diploma', 1, '{}', 'bob', '2026-01-01')`,
    )
    await withStartLock(database.url, (lock) => migrate(lock))
    expect(await query(database.url, 'SELECT name, created_by AS owner FROM credential_types ORDER BY name')).toEqual([
      { name: 'Diploma', owner: 'bob' },
      { name: 'Purchase', owner: 'alice' },
    ])
  } finally {
    await rm(directory, { recursive: true })
  }
})
