import { describe, expect, it } from 'vitest'
import { during } from '../../support/during.js'
import { runTask } from '../../support/maintenance.js'
import { query as sql } from '../../support/postgres.js'
import { answer, ask, fetchRequest, ITEM, present, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld({ env: { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64url') } })

const at = (id: string) => `/verification-sessions/${id}`
const erase = async (id: string, options: object = { client: true }) =>
  world.service.request('POST', `${at(id)}/erase`, options)
const rows = (text: string, id: string) => sql(world.service.databaseUrl, text, [id])

async function fetched() {
  const asked = await ask(world.service, { query: [ITEM], responseMode: 'direct_post' }, 'verifier')
  return { asked, payload: await fetchRequest(asked), id: asked.verificationSessionId as string }
}

async function presented({ payload }: Awaited<ReturnType<typeof fetched>>) {
  const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
  return answer(payload, { 'item-0-sd-jwt': [presentation] })
}

async function verified() {
  const begun = await fetched()
  expect((await presented(begun)).status).toBe(200)
  return begun
}

/** Runs the task that erases results, at their end. */
async function forgetResults() {
  const later = new Date(Date.now() + (world.service.config.sessionResultTtlSeconds + 1) * 1000)
  for (const task of world.service.features.verificationSessions.tasks)
    if (task.name === 'forget verified claims') await runTask(task, later)
}

describe('POST /verification-sessions/{sessionId}/erase', () => {
  it('erases the result at once, and keeps state, checks and events', async () => {
    const { asked, id } = await verified()
    const erased = await erase(id)
    expect(erased.status, erased.text).toBe(200)
    expect(await rows('SELECT result, discarded FROM verification_sessions WHERE id = $1', id)).toEqual([
      { result: null, discarded: null },
    ])
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
    const result = await world.service.request('GET', `${at(id)}/result`, { client: true })
    expect([result.status, result.json.message]).toEqual([410, 'Verification result was erased.'])
    expect(await sessionOf(world.service, asked)).toMatchObject({
      state: 'ResponseVerified',
      claimsErasedAt: erased.json.claimsErasedAt,
    })
    const checks = await world.service.request('GET', `/api/v1${at(id)}/checks`, { client: true })
    expect(checks.json.checks.length).toBeGreaterThan(0)
    const list = await world.service.request('GET', '/api/v1/verification-sessions?limit=1', { client: true })
    expect(list.json.items[0]).toMatchObject({ id, claimsErasedAt: erased.json.claimsErasedAt })
  })

  it('deletes the evidence of the session too, also after the result has expired', async () => {
    const asked = await ask(
      world.service,
      { query: [ITEM], responseMode: 'direct_post', keepEvidence: true, evidenceRetention: { days: 30 } },
      'verifier',
    )
    const id = asked.verificationSessionId as string
    expect((await presented({ asked, payload: await fetchRequest(asked), id })).status).toBe(200)
    const evidence = () => rows('SELECT 1 FROM verification_evidence WHERE id = $1', id)
    expect(await evidence()).toHaveLength(1)
    await forgetResults()
    expect(await evidence()).toHaveLength(1)
    expect((await erase(id)).status).toBe(200)
    expect(await evidence()).toEqual([])
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
    const gone = await world.service.request('GET', `/api/v1${at(id)}/evidence`, { client: true })
    expect(gone.status).toBe(410)
  })

  it('deletes evidence that outlives its session', async () => {
    const asked = await ask(
      world.service,
      { query: [ITEM], responseMode: 'direct_post', keepEvidence: true, evidenceRetention: { days: 30 } },
      'verifier',
    )
    const id = asked.verificationSessionId as string
    expect((await presented({ asked, payload: await fetchRequest(asked), id })).status).toBe(200)
    await sql(world.service.databaseUrl, 'DELETE FROM verification_sessions WHERE id = $1', [id])
    const evidence = async () => (await rows('SELECT 1 FROM verification_evidence WHERE id = $1', id)).length
    expect((await erase(id, { authorization: await world.service.bearer('bob') })).status).toBe(403)
    expect(await evidence()).toBe(1)
    const erased = await erase(id, { authorization: await world.service.bearer('verifier') })
    expect([erased.status, erased.json]).toEqual([200, { id, claimsErasedAt: expect.any(String) }])
    expect(await evidence()).toBe(0)
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
    expect(
      await rows("SELECT actor FROM audit_events WHERE subject_id = $1 AND action LIKE '%claims_erased'", id),
    ).toEqual([{ actor: 'verifier' }])
    // The service no longer knows the session.
    expect((await erase(id)).status).toBe(500)
  })

  it('erases a result that nobody can decrypt', async () => {
    const { id } = await verified()
    await sql(
      world.service.databaseUrl,
      "UPDATE verification_sessions SET result = to_json('AAAA'::text) WHERE id = $1",
      [id],
    )
    expect((await world.service.request('GET', `${at(id)}/result`, { client: true })).status).toBe(500)
    expect((await erase(id)).status).toBe(200)
    expect(await rows('SELECT result FROM verification_sessions WHERE id = $1', id)).toEqual([{ result: null }])
  })

  it('before the wallet answers, a session with evidence keeps none', async () => {
    const asked = await ask(
      world.service,
      { query: [ITEM], responseMode: 'direct_post', keepEvidence: true, evidenceRetention: { days: 30 } },
      'verifier',
    )
    const id = asked.verificationSessionId as string
    const payload = await fetchRequest(asked)
    expect((await erase(id)).status).toBe(200)
    expect((await presented({ asked, payload, id })).status).toBe(200)
    expect(await rows('SELECT 1 FROM verification_evidence WHERE id = $1', id)).toEqual([])
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
  })

  it.each(['on request', 'after SESSION_RESULT_TTL_SECONDS'])(
    '%s, the texts of its page are erased too',
    async (how) => {
      const { payload, id, asked } = await fetched()
      const page = await world.service.request('POST', '/pages', {
        authorization: await world.service.bearer('verifier'),
        body: { verificationSessionId: id, title: 'For Erika', text: 'Your machine' },
      })
      expect(page.status, page.text).toBe(201)
      expect((await presented({ payload, id, asked })).status).toBe(200)
      if (how === 'on request') expect((await erase(id)).status).toBe(200)
      else await forgetResults()
      const pages = await rows('SELECT texts FROM pages WHERE verification_session_id = $1', id)
      expect(pages).toEqual([{ texts: null }])
      expect(
        await rows(
          'SELECT 1 FROM content_keys WHERE row_id IN (SELECT id FROM pages WHERE verification_session_id = $1)',
          id,
        ),
      ).toEqual([])
    },
  )

  it('deletes evidence of an answer that began before the erasure and ends after it', async () => {
    const { id } = await fetched()
    const answered = [
      `UPDATE verification_sessions SET state = 'ResponseVerified', ended_at = now(), secrets = NULL, result = '"x"' WHERE id = '${id}'`,
      `INSERT INTO verification_evidence (id, evidence, created_at, expires_at) VALUES ('${id}', '"x"', now(), now() + interval '9 days')`,
    ]
    expect((await during(world.service.databaseUrl, answered, () => erase(id))).status).toBe(200)
    expect(await rows('SELECT result FROM verification_sessions WHERE id = $1', id)).toEqual([{ result: null }])
    expect(await rows('SELECT 1 FROM verification_evidence WHERE id = $1', id)).toEqual([])
  })

  it('again changes nothing; the audit has it once', async () => {
    const { id } = await verified()
    const first = await erase(id)
    expect((await erase(id)).json).toEqual(first.json)
    const found = await rows(
      "SELECT actor, subject FROM audit_events WHERE subject_id = $1 AND action = 'verification-session.claims_erased'",
      id,
    )
    expect(found).toEqual([{ actor: null, subject: 'verification-session' }])
  })

  it('before the wallet answers: the presentation is verified, and its result is never stored', async () => {
    const begun = await fetched()
    expect((await erase(begun.id)).status).toBe(200)
    expect((await presented(begun)).status).toBe(200)
    expect(await rows('SELECT state, result, discarded FROM verification_sessions WHERE id = $1', begun.id)).toEqual([
      { state: 'ResponseVerified', result: null, discarded: null },
    ])
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', begun.id)).toEqual([])
  })

  it('50 at once with the answers of wallets: no result is left', async () => {
    const begun = await Promise.all(Array.from({ length: 50 }, fetched))
    const replies = await Promise.all(
      begun.flatMap((each, n) => {
        const both = [() => presented(each), () => erase(each.id)]
        return (n % 2 === 0 ? both : both.reverse()).map((run) => run())
      }),
    )
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    for (const { id } of begun) {
      expect(await rows('SELECT result FROM verification_sessions WHERE id = $1', id)).toEqual([{ result: null }])
      expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
    }
  })

  it('is for callers who may read the result', async () => {
    const { id } = await verified()
    const bob = await erase(id, { authorization: await world.service.bearer('bob') })
    expect([bob.status, bob.json.message]).toEqual([403, 'Access to result denied.'])
    expect((await erase(id, {})).status).toBe(401)
    expect((await erase(id, { authorization: await world.service.bearer('verifier') })).status).toBe(200)
    expect((await erase(crypto.randomUUID())).status).toBe(500)
  })

  it('the end of SESSION_RESULT_TTL_SECONDS is shown in the same way', async () => {
    const { asked, id } = await verified()
    await forgetResults()
    expect(await rows('SELECT result FROM verification_sessions WHERE id = $1', id)).toEqual([{ result: null }])
    expect(await rows('SELECT 1 FROM content_keys WHERE row_id = $1', id)).toEqual([])
    expect(await sessionOf(world.service, asked)).toHaveProperty('claimsErasedAt')
  })
})
