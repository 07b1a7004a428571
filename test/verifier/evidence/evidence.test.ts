import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keptSources } from '../../../server/verifier/evidence/make.js'
import { runTask } from '../../support/maintenance.js'
import { query as sql } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import {
  answer,
  ask,
  dcql,
  decodeJwt,
  fetchRequest,
  ITEM,
  issue,
  makeWorld,
  present,
  type RequestPayload,
} from '../actors.js'
import { ForeignIssuer } from '../foreign-issuer.js'
import { startWebServer } from '../web-server.js'
import { FORMATS, useWorld } from '../world.js'
import { evidenceOf, failuresOf, namesOf, readEvidence, tampered } from './kept.js'

const world = useWorld({ maintenance: false })

/** Makes a request and answers it. The session is then verified. */
async function verified(body: Record<string, unknown> = { keepEvidence: true }, format = FORMATS[0] ?? 'dc+sd-jwt') {
  const { asked, payload } = await world.asked(format, body)
  const presentation = await present(world.held[format], world.wallet, payload)
  const reply = await answer(payload, { purchase: [presentation] })
  expect([reply.status, reply.text]).toEqual([200, '{}'])
  return { asked, payload, presentation }
}

const rows = () => sql(world.service.databaseUrl, 'SELECT id FROM verification_evidence')

describe('a request without keepEvidence', () => {
  it('stores nothing, and its evidence is a 409', async () => {
    const before = await rows()
    const { asked } = await verified({})
    const read = await readEvidence(world.service, asked)
    expect([read.status, read.json.message]).toEqual([
      409,
      'No evidence was kept: the request did not ask for it, or no wallet presented anything.',
    ])
    expect(await rows()).toEqual(before)
  })

  it('cannot say how long evidence is kept', async () => {
    const made = await world.service.request('POST', '/authorization-requests', {
      authorization: await world.service.bearer('verifier'),
      body: { query: [ITEM], evidenceRetention: { days: 30 } },
    })
    expect([made.status, made.json.message]).toEqual([
      400,
      ['evidenceRetention must be left out where keepEvidence is not true'],
    ])
  })

  it.each([0, 3_651, 1.5])('cannot ask for %s days', async (days) => {
    const made = await world.service.request('POST', '/authorization-requests', {
      authorization: await world.service.bearer('verifier'),
      body: { query: [ITEM], keepEvidence: true, evidenceRetention: { days } },
    })
    expect([made.status, JSON.stringify(made.json.message)]).toEqual([
      400,
      expect.stringContaining('evidenceRetention.days'),
    ])
  })
})

describe('the evidence of an answer', () => {
  it.each(FORMATS)('in %s has the presentation, the request and the times of all checks', async (format) => {
    const { asked, payload, presentation } = await verified(
      { keepEvidence: true, evidenceRetention: { days: 1 } },
      format,
    )
    const evidence = await evidenceOf(world.service, asked)
    const served = await fetch(asked.request_uri)
    expect(served.status).toBe(410)
    expect(evidence).toMatchObject({
      version: 1,
      verificationSessionId: asked.verificationSessionId,
      state: 'ResponseVerified',
      request: {
        clientId: payload.client_id,
        audience: [payload.client_id],
        nonce: payload.nonce,
        responseMode: 'direct_post',
        responseUri: payload.response_uri,
      },
      presentations: [{ credentialQueryId: 'purchase', format, presentation }],
      checks: [],
    })
    const [{ checks } = { checks: [] }] = evidence.presentations
    expect(checks.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual(
      ['format', 'issuer-trust', 'issuer-key', 'signature', 'validity', 'revoked', 'query', 'holder-binding'].map(
        (check) => `${check} passed`,
      ),
    )
    const times = checks.map(({ at }) => Date.parse(at ?? ''))
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse(evidence.answeredAt))
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(evidence.endedAt))
    expect(Date.parse(evidence.keptUntil) - Date.parse(evidence.endedAt)).toBe(86_400_000)
    expect(evidence.sources.map(({ kind, own }) => [kind, own])).toContainEqual(['status-list', true])
    expect(await failuresOf(evidence)).toEqual([])
  })

  it('has the request object that every wallet received', async () => {
    const asked = await ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), keepEvidence: true })
    const first = await (await fetch(asked.request_uri)).text()
    const again = await (await fetch(asked.request_uri)).text()
    expect(again).toBe(first)
    const payload = await fetchRequest(asked)
    await answer(payload, { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] })
    const evidence = await evidenceOf(world.service, asked)
    expect(evidence.request.signed).toBe(first)
    expect(evidence.request.encryptionKey).toMatchObject(payload.client_metadata.jwks?.keys[0] ?? {})
    expect(await failuresOf(evidence)).toEqual([])
  })

  it('has the keys of a DID that contains them: an altered document is named', async () => {
    const { asked } = await verified()
    const evidence = await evidenceOf(world.service, asked)
    const sources = structuredClone(evidence.sources).map((source) => {
      if (source.kind === 'did-document') {
        const { verificationMethod } = source.content as { verificationMethod: { publicKeyJwk: { x: string } }[] }
        for (const { publicKeyJwk } of verificationMethod) publicKeyJwk.x = tampered(publicKeyJwk.x)
      }
      return source
    })
    expect(await failuresOf({ ...evidence, sources })).toContainEqual(
      expect.stringContaining('differ from the keys in the DID.'),
    )
  })

  it('has the copy of a wallet that sends a nonce', async () => {
    const asked = await ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), keepEvidence: true })
    const copies: string[] = []
    for (let count = 0; count < 6; count += 1) {
      const body = new URLSearchParams({ wallet_nonce: `wallet-nonce-${count}` })
      copies.push(await (await fetch(asked.request_uri, { method: 'POST', body })).text())
    }
    const payload = decodeJwt<RequestPayload>(copies.at(-1) ?? '')
    await answer(payload, { purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)] })
    const evidence = await evidenceOf(world.service, asked)
    expect(evidence.request.copies).toEqual(copies.slice(1))
    expect(evidence.request.signed).not.toBe(copies.at(-1))
    expect(await failuresOf(evidence)).toEqual([])
    const [first = ''] = evidence.request.copies ?? []
    const request = { ...evidence.request, copies: [tampered(first, first.length - 40)] }
    expect(await failuresOf({ ...evidence, request })).toEqual([
      'request: The request object: The signature is not valid.',
    ])
  })

  it('of a refused answer proves the refusal', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { keepEvidence: true })
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload, { nonce: 'another' })
    expect((await answer(payload, { purchase: [presentation] })).status).toBe(400)
    const evidence = await evidenceOf(world.service, asked)
    expect(evidence).toMatchObject({ state: 'Error', errorMessage: expect.stringContaining('nonce') })
    expect(evidence.presentations[0]?.presentation).toBe(presentation)
    expect(await failuresOf(evidence)).toEqual([])
    expect(await namesOf(evidence)).toContain('presentation 1 (purchase): holder-binding (fails, as recorded)')
  })

  it('of a revoked credential has the status list that says so', async () => {
    const held = await issue(world.service, world.wallet, 'dc+sd-jwt')
    const asked = async () => {
      const { asked, payload } = await world.asked('dc+sd-jwt', { keepEvidence: true })
      await answer(payload, { purchase: [await present(held, world.wallet, payload)] })
      return evidenceOf(world.service, asked)
    }
    expect(await asked()).toMatchObject({ state: 'ResponseVerified' })
    await world.service.request('POST', `/api/v1/credentials/${held.id}/revoke`, { client: true, body: {} })
    const evidence = await asked()
    expect(evidence.errorMessage).toBe('Presentation for purchase: Credential has been revoked.')
    expect(evidence.presentations[0]?.checks).toContainEqual(
      expect.objectContaining({ check: 'revoked', outcome: 'failed' }),
    )
    expect(await failuresOf(evidence)).toEqual([])
  })

  it('has the document of a did:web with the time when it was fetched', async () => {
    await using web = await startWebServer()
    await using service = await startService({
      maintenance: false,
      env: { TRUSTED_ISSUERS: '*', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    })
    const issuer = await ForeignIssuer.named(`did:web:127.0.0.1%3A${web.port}`)
    web.documents.set('/.well-known/did.json', { body: issuer.didDocument() })
    const wallet = await newWallet()
    const credential = await issuer.sdJwtVc({ holderKey: wallet.publicJwk })
    const query = { id: 'club', format: 'dc+sd-jwt', meta: { vct_values: ['https://club.example/membership'] } }
    const fetched: string[] = []
    for (let count = 0; count < 2; count += 1) {
      const asked = await ask(service, {
        responseMode: 'direct_post',
        dcqlQuery: { credentials: [query] },
        keepEvidence: true,
      })
      const payload = await fetchRequest(asked)
      const shown = await present({ id: '', format: 'dc+sd-jwt', credential }, wallet, payload, { disclose: [] })
      expect((await answer(payload, { club: [shown] })).status).toBe(200)
      const evidence = await evidenceOf(service, asked)
      const source = evidence.sources.find(({ address }) => address === issuer.id)
      expect(source?.content).toMatchObject({ id: issuer.id })
      fetched.push(source?.fetchedAt ?? '')
      expect(await failuresOf(evidence)).toEqual([])
    }
    // The second answer used the cached document.
    expect(web.requests).toEqual(['/.well-known/did.json'])
    expect(fetched[1]).toBe(fetched[0])
  })

  it('is encrypted at rest under a content key, which is deleted with it', async () => {
    let now = new Date()
    const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
    await using service = await startService({ clock: () => now, maintenance: false, env: { KEY_ENCRYPTION_KEY } })
    const { wallet, held } = await makeWorld(service)
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), keepEvidence: true })
    const payload = await fetchRequest(asked)
    expect((await answer(payload, { purchase: [await present(held['dc+sd-jwt'], wallet, payload)] })).status).toBe(200)
    expect(await failuresOf(await evidenceOf(service, asked))).toEqual([])
    const [{ stored } = { stored: '' }] = (await sql(
      service.databaseUrl,
      'SELECT evidence::text AS stored FROM verification_evidence',
    )) as { stored: string }[]
    expect(stored).toMatch(/^"[\w-]+"$/)
    const keys = () =>
      sql(service.databaseUrl, `SELECT row_id FROM content_keys WHERE column_name = 'verification_evidence.evidence'`)
    expect(await keys()).toEqual([{ row_id: asked.verificationSessionId }])
    now = new Date(now.getTime() + 3_601_000)
    const [removeEvidence] = service.features.evidence.tasks
    if (removeEvidence !== undefined) await runTask(removeEvidence, now)
    expect(await keys()).toEqual([])
  })

  it('of an answer with an entry that was not requested has its presentations', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { keepEvidence: true })
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    await answer(payload, { purchase: [presentation], other: ['x~'] })
    const evidence = await evidenceOf(world.service, asked)
    expect(evidence.checks).toMatchObject([{ check: 'query', outcome: 'failed' }])
    expect(evidence.presentations).toMatchObject([{ presentation, checks: [] }])
  })

  it('is a 409 before the answer, and after a wallet declined', async () => {
    const { asked, payload } = await world.asked('dc+sd-jwt', { keepEvidence: true })
    const early = await readEvidence(world.service, asked)
    expect([early.status, early.json.message]).toEqual([409, 'Verification session has not ended.'])
    await fetch(payload.response_uri, {
      method: 'POST',
      body: new URLSearchParams({ error: 'access_denied', state: payload.state }),
    })
    expect((await readEvidence(world.service, asked)).status).toBe(409)
  })

  it('of a request from a VP query is kept too', async () => {
    const made = await world.service.request('POST', '/api/v1/verifier/vp-queries', {
      client: true,
      body: { query: [ITEM] },
    })
    const path = `/api/v1/verifier/vp-queries/${made.json.id}/authorization-request`
    const body = { redirect_uri: 'https://shop.example/done', keepEvidence: true, evidenceRetention: { days: 2 } }
    const { json: asked } = await world.service.request('POST', path, { client: true, body })
    const payload = await fetchRequest(asked)
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
    expect((await answer(payload, { 'item-0-sd-jwt': [presentation] })).status).toBe(200)
    const read = (options: object) =>
      world.service.request('GET', `/api/v1/verification-sessions/${asked.verificationSessionId}/evidence`, options)
    // The request was made with the client secret, so no user created it.
    expect((await read({ authorization: await world.service.bearer('verifier') })).status).toBe(403)
    const { status, json } = await read({ client: true })
    expect([status, json.request.vpQuery]).toEqual([200, [ITEM]])
    expect(await failuresOf(json)).toEqual([])
  })
})

it('documents beyond 4 MiB are named by their hash', () => {
  const of = (address: string, content: string) =>
    ({ kind: 'status-list', address, fetchedAt: new Date(0), content }) as const
  const [first, second, third] = keptSources([
    of('https://one.example', 'a'.repeat(4 * 1024 * 1024 - 10)),
    of('https://two.example', 'b'.repeat(11)),
    of('https://three.example', 'c'.repeat(10)),
  ])
  expect(first?.content).toHaveLength(4 * 1024 * 1024 - 10)
  const sha256 = createHash('sha256').update('b'.repeat(11)).digest('base64url')
  expect(second).toEqual({
    kind: 'status-list',
    address: 'https://two.example',
    fetchedAt: '1970-01-01T00:00:00.000Z',
    sha256,
  })
  expect(third?.content).toBe('c'.repeat(10))
})

describe('the readers of evidence', () => {
  it('are its maker, an admin and the client secret; each read is an audit event', async () => {
    const { asked } = await verified()
    const path = `/api/v1/verification-sessions/${asked.verificationSessionId}/evidence`
    const as = async (sub: string, roles: string[] = []) =>
      world.service.request('GET', path, { authorization: await world.service.bearer(sub, { roles }) })
    expect((await as('verifier')).status).toBe(200)
    expect((await as('boss', ['admin'])).status).toBe(200)
    expect((await world.service.request('GET', path, { client: true })).status).toBe(200)
    const denied = await as('mallory')
    expect([denied.status, denied.json.message]).toEqual([403, 'Access to evidence denied.'])
    expect((await world.service.request('GET', path)).status).toBe(401)
    // HEAD hands no evidence over, so that it is no event.
    expect((await world.service.request('HEAD', path, { client: true })).status).toBe(200)
    const audit = await sql(
      world.service.databaseUrl,
      `SELECT actor FROM audit_events WHERE action = 'evidence.read' AND subject_id = '${asked.verificationSessionId}' ORDER BY id`,
    )
    expect(audit).toEqual([{ actor: 'verifier' }, { actor: 'boss' }, { actor: null }])
  })

  it('get a 404 for an unknown session', async () => {
    const read = await readEvidence(world.service, { verificationSessionId: crypto.randomUUID() })
    expect([read.status, read.json.message]).toEqual([404, 'Verification session not found.'])
  })
})

describe('retention', () => {
  it('evidence outlives its session, and is gone on time', async () => {
    let now = new Date()
    await using service = await startService({
      clock: () => now,
      maintenance: false,
      env: { SESSION_RETENTION_DAYS: '1' },
    })
    const { wallet, held } = await makeWorld(service)
    const made = async (body: object) => {
      const request = {
        dcqlQuery: dcql(service, 'dc+sd-jwt'),
        responseMode: 'direct_post',
        keepEvidence: true,
        ...body,
      }
      const asked = await ask(service, request)
      const payload = await fetchRequest(asked)
      const issuedAt = now
      const shown = await present(held['dc+sd-jwt'], wallet, payload, { issuedAt })
      expect((await answer(payload, { purchase: [shown] })).status).toBe(200)
      return asked
    }
    const read = async ({ verificationSessionId: id }: { verificationSessionId: string }) => {
      const path = `/api/v1/verification-sessions/${id}/evidence`
      const found = await service.request('GET', path, { client: true })
      return [found.status, found.json.message]
    }
    const [removeEvidence] = service.features.evidence.tasks
    const removeSessions = service.features.verificationSessions.tasks.at(-1)
    if (removeEvidence === undefined || removeSessions === undefined) throw new Error('Tasks are missing.')
    const forResult = await made({})
    const forDays = await made({ evidenceRetention: { days: 3 } })

    // SESSION_RESULT_TTL_SECONDS
    now = new Date(now.getTime() + 3_599_000)
    expect((await read(forResult))[0]).toBe(200)
    now = new Date(now.getTime() + 2_000)
    expect(await read(forResult)).toEqual([410, 'Evidence has expired.'])
    await runTask(removeEvidence, now)
    expect(await read(forResult)).toEqual([410, 'Evidence has expired.'])
    expect((await read(forDays))[0]).toBe(200)

    now = new Date(now.getTime() + 2 * 86_400_000)
    await runTask(removeSessions, now)
    await runTask(removeEvidence, now)
    expect(await sql(service.databaseUrl, 'SELECT 1 FROM verification_sessions')).toEqual([])
    expect(await read(forResult)).toEqual([404, 'Verification session not found.'])
    expect((await read(forDays))[0]).toBe(200)

    now = new Date(now.getTime() + 86_400_000)
    expect(await read(forDays)).toEqual([410, 'Evidence has expired.'])
    await runTask(removeEvidence, now)
    expect(await sql(service.databaseUrl, 'SELECT 1 FROM verification_evidence')).toEqual([])
    expect(await read(forDays)).toEqual([404, 'Verification session not found.'])
  })
})
