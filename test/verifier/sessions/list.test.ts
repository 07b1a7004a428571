import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SESSION_STATES } from '../../../server/verifier/sessions/session.js'
import { allOf, idsOf, pageOf } from '../../support/listed.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { recordStatements } from '../../support/statements.js'
import { ITEM } from '../actors.js'

const PATH = '/api/v1/verification-sessions'

let service: TestService
/**
 * Makes four sessions, the oldest first. The request of the first is not fetched, the second is fetched, the third is
 * answered with an error, and the fourth has expired.
 */
let made: string[]

beforeAll(async () => {
  service = await startService()
  const authorization = await service.bearer('vera')
  const body = { query: [ITEM], responseMode: 'direct_post' }
  const ask = async () => (await service.request('POST', '/authorization-requests', { authorization, body })).json
  const all = [await ask(), await ask(), await ask(), await ask()]
  made = all.map(({ verificationSessionId }) => verificationSessionId)
  const fetched = (at: number) => service.request('GET', new URL(all[at].request_uri).pathname)
  await fetched(1)
  const { state } = JSON.parse(Buffer.from((await fetched(2)).text.split('.')[1] ?? '', 'base64url').toString())
  await service.request('POST', new URL(all[2].request_uri).pathname.replace('requests', 'responses'), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ state, error: 'access_denied' }).toString(),
  })
  await service.platform.stores.verificationSessions.expire(new Date(Date.now() + 86_400_000), 1, made[3])
})
afterAll(() => service.close())

const list = (filters: Record<string, string> = {}) => allOf(service, PATH, filters)

describe('GET /api/v1/verification-sessions', () => {
  it('lists the sessions of all callers, the newest first, without an address for answers of wallets', async () => {
    const entries = await list()
    expect(idsOf(entries)).toEqual([...made].reverse())
    expect(entries.at(-1)).toEqual({
      id: made[0],
      verifierId: expect.stringMatching(/^did:/),
      state: 'RequestCreated',
      profile: 'final',
      createdBy: 'vera',
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      asks: expect.any(Array),
    })
    expect(entries[1]).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered access_denied.',
      endedAt: expect.any(String),
    })
    expect(entries[1]).not.toHaveProperty('failedCheck')
    const [row] = await query<{ id: string }>(
      service.databaseUrl,
      'SELECT request_id AS id FROM verification_sessions WHERE id = $1',
      [made[0]],
    )
    expect(JSON.stringify(entries)).not.toContain(row?.id)
  })

  it('has what each request asks for, as its checks have it, and reads all of them in one statement', async () => {
    const path = `${PATH}/${made[0]}/checks`
    const { asks } = (await service.request('GET', path, { client: true })).json
    expect(asks).not.toEqual([])
    const statements = recordStatements()
    const entries = await list()
    const reads = statements.sent().filter((text) => text.includes('dcql_query'))
    statements.stop()
    expect(entries.map((entry) => entry.asks)).toEqual(made.map(() => asks))
    expect(reads).toHaveLength(1)
  })

  it('has no value that a request requires, and leaves out what a very long query asks for', async () => {
    const authorization = await service.bearer('una')
    const credential = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['https://elsewhere.example/card'] } }
    const ask = async (values: string[]) => {
      const dcqlQuery = { credentials: [{ ...credential, claims: [{ path: ['name'], values }] }] }
      const body = { dcqlQuery, responseMode: 'direct_post' }
      expect((await service.request('POST', '/authorization-requests', { authorization, body })).status).toBe(201)
    }
    await ask(['Secret Name'])
    await ask(Array.from({ length: 900 }, (_, at) => `${'Secret '.repeat(6)}${at}`))
    const entries = await allOf(service, PATH, { mine: 'true' }, { authorization })
    expect(entries.map(({ asks }) => asks)).toEqual([
      undefined,
      [
        {
          credentialQueryId: 'card',
          format: 'dc+sd-jwt',
          types: ['https://elsewhere.example/card'],
          claims: [['name']],
        },
      ],
    ])
    expect(JSON.stringify(entries)).not.toContain('Secret')
    await query(service.databaseUrl, "DELETE FROM verification_sessions WHERE created_by = 'una'")
  })

  it('of one state; all states together list each session once', async () => {
    const byState = await Promise.all(SESSION_STATES.map((state) => list({ state })))
    expect(byState.map(idsOf)).toEqual([[made[0]], [made[1]], [], [made[3], made[2]]])
    await query(
      service.databaseUrl,
      "UPDATE verification_sessions SET state = 'ResponseVerified', error_message = NULL WHERE id = $1",
      [made[3]],
    )
    expect(idsOf(await list({ state: 'ResponseVerified' }))).toEqual([made[3]])
    expect(idsOf(await list())).toEqual([...made].reverse())
  })

  it('of a period, and page by page', async () => {
    expect(idsOf(await list({ limit: '1' }))).toEqual([...made].reverse())
    const [newest] = await list()
    expect(await list({ from: new Date(Date.parse(newest?.createdAt ?? '') + 60_000).toISOString() })).toEqual([])
  })

  it('continues after a removed session', async () => {
    const first = await pageOf(service, PATH, { limit: '1' })
    await query(service.databaseUrl, 'DELETE FROM verification_sessions WHERE id = $1', idsOf(first.items))
    const next = await pageOf(service, PATH, { limit: '1', cursor: first.nextCursor ?? '' })
    expect(idsOf(next.items)).toEqual([made[2]])
  })

  it('a caller without the role sees only the sessions that it made', async () => {
    const authorization = await service.bearer('vera')
    expect(idsOf(await allOf(service, PATH, {}, { authorization }))).toEqual(idsOf(await list()))
    expect(await allOf(service, PATH, {}, { authorization: await service.bearer('bob') })).toEqual([])
  })
})
