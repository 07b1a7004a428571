import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { newIssuer } from '../issuer/issuer-record.js'
import { postOffering, postSchema } from '../issuer/purchase.js'
import { environmentOf } from '../keys/environment.js'
import { query } from '../support/postgres.js'
import { type Answer, startService, type TestService } from '../support/service.js'

/** A text in every claim of these tests. */
const CLAIM = 'c1a1m-of-a-person'

let service: TestService
let alice: string
let type: string
let schemaId: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice', { did: `did:example:${CLAIM}` })
  const schema = await postSchema(service, alice)
  type = schema.name
  schemaId = schema.id
})
afterAll(() => service.close())

interface Entry {
  readonly id: string
  readonly at: Date
  readonly actor: string | null
  readonly action: string
  readonly subject: string
  readonly subject_id: string
}

const entries = (after = '0') =>
  query<Entry & Record<string, unknown>>(service.databaseUrl, 'SELECT * FROM audit_events WHERE id > $1 ORDER BY id', [
    after,
  ])

/** The audit rows of an action, as `actor action subject id`. */
async function rowsOf(act: () => Promise<unknown>): Promise<(string | null)[][]> {
  const last = (await entries()).at(-1)?.id
  await act()
  return (await entries(last)).map(({ actor, action, subject, subject_id }) => [actor, action, subject, subject_id])
}

const subject = { product: CLAIM }
const user = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.request(method, path, { authorization: alice, ...(body === undefined ? {} : { body }) })

describe('the audit table', () => {
  it('has a row for the default issuer, the default verifier and their keys', async () => {
    const first = (await entries()).slice(0, 4).map(({ actor, action }) => [actor, action])
    expect(first).toEqual([
      [null, 'issuer.created'],
      [null, 'key.created'],
      [null, 'verifier.created'],
      [null, 'key.created'],
    ])
  })

  it('has a row for each schema, for each assignment and its end, and for each withdrawal', async () => {
    let id = ''
    expect(
      await rowsOf(async () => {
        id = (await postSchema(service, alice)).id
      }),
    ).toEqual([['alice', 'schema.created', 'schema', id]])
    const issuer = await newIssuer(service, 'alice')
    const assign = () => user('POST', `/schemas/${id}/issuers/${issuer.id}`)
    const unassign = () => user('DELETE', `/schemas/${id}/issuers/${issuer.id}`)
    const withdraw = () => user('DELETE', `/schemas/${id}`)
    for (const [act, action] of [
      [assign, 'schema.assigned'],
      [unassign, 'schema.unassigned'],
      [withdraw, 'schema.withdrawn'],
    ] as const) {
      expect(await rowsOf(act)).toEqual([['alice', action, 'schema', id]])
      expect(await rowsOf(act)).toEqual([])
    }
  })

  it('has a row with its actor for each offering, claim, issued, signed and revoked credential', async () => {
    let answer: Answer['json']
    const offered = await rowsOf(async () => {
      answer = await postOffering(service, { credential_type: type, credential_subject: subject })
    })
    expect(offered).toEqual([[null, 'offering.created', 'offering', answer.id]])
    const claim = await rowsOf(async () => {
      answer = (await user('POST', `/api/v1/offerings/${answer.id}/claim`)).json
    })
    expect(claim).toEqual([['alice', 'credential.claimed', 'credential', answer.id]])
    const issued = await rowsOf(async () => {
      answer = (await user('POST', '/api/v1/credentials', { type, credential_subject: subject })).json
    })
    expect(issued).toEqual([['alice', 'credential.issued', 'credential', answer.id]])
    const signed = await rowsOf(async () => {
      answer = (await user('POST', '/credentials/sign', { type, credential_subject: subject, format: 'dc+sd-jwt' }))
        .json
    })
    expect(signed).toEqual([['alice', 'credential.signed', 'credential', answer.id]])
    const revoke = () => service.request('POST', `/api/v1/credentials/${answer.id}/revoke`, { client: true })
    expect(await rowsOf(revoke)).toEqual([[null, 'credential.revoked', 'credential', answer.id]])
    expect(await rowsOf(revoke)).toEqual([])
  })

  it('has rows for each holder and each key, made or rotated', async () => {
    const authorization = await service.bearer('holly', { roles: ['admin'] })
    let holder: Answer['json']
    const rows = await rowsOf(async () => {
      holder = (await service.request('POST', '/agent/holder', { authorization, body: { method: 'key' } })).json
    })
    expect(rows).toEqual([
      ['holly', 'holder.created', 'holder', holder.id],
      ['holly', 'key.created', 'key', expect.any(String)],
    ])
    const rotated = await rowsOf(() => keysCommand([], environmentOf(service)))
    expect(new Set(rotated.map(([actor, action]) => `${actor} ${action}`))).toEqual(new Set(['null key.rotated']))
  })

  it('has no row for refusals, reads and stateless verifications', async () => {
    expect(
      await rowsOf(async () => {
        await user('POST', '/schemas', { name: type, version: 1, schema: {} })
        await user('POST', '/api/v1/credentials', { type, credential_subject: {} })
        await user('POST', '/api/v1/offerings/unknown/claim')
        await service.request('POST', '/api/v1/credentials/unknown/revoke', { client: true })
        await user('GET', `/schemas/${schemaId}`)
        await user('POST', '/credentials/verify', { credential: 'x..y' })
      }),
    ).toEqual([])
  })

  it('never contains claims', async () => {
    const all = await entries()
    expect(all.length).toBeGreaterThan(15)
    expect(JSON.stringify(all)).not.toContain(CLAIM)
    for (const { at } of all) expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(600_000)
  })

  const partitions = [
    'audit_events_default',
    `audit_events_${new Date().toISOString().slice(0, 7).replace('-', '')}01_00`,
  ]
  it.each(
    ['audit_events', ...partitions].flatMap((table) => [
      `UPDATE ${table} SET actor = NULL`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
    ]),
  )('is append-only: %s is refused', async (sql) => {
    // This row has no partition for its month.
    await query(
      service.databaseUrl,
      "INSERT INTO audit_events (at, action, subject, subject_id) VALUES ('2001-01-01', 'x', 'x', 'x')",
    )
    const before = await entries()
    await expect(query(service.databaseUrl, sql)).rejects.toThrow('audit_events is append-only')
    expect(await entries()).toEqual(before)
  })
})
