import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { type ListServer, startListServer } from '../../trust/list-server.js'
import { signerOf } from '../../verifier/certified.js'
import { certificateFiles } from '../certified.js'
import { giveAccess, newVerifier, type Registrar, SHOP, startRegistrar } from './registered.js'

const DAY = 86_400_000

let registrar: Registrar
let files: Awaited<ReturnType<typeof certificateFiles>>
let statusServer: ListServer

beforeAll(async () => {
  registrar = await startRegistrar()
  files = await certificateFiles()
  statusServer = await startListServer()
})
afterAll(async () => {
  await statusServer.close()
  await registrar.close()
  await files.remove()
})

/** Starts a service with one verifier that has a registration certificate. */
async function registered(claims: Record<string, unknown> = {}) {
  const state = { now: () => new Date() }
  const service = await startService({
    maintenance: false,
    clock: () => state.now(),
    env: { REGISTRAR_TRUST_ANCHORS: await files.fileOf([registrar.root]), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
  })
  const authorization = await service.bearer('verifier', { roles: ['admin'], expiresIn: 30 * 86_400 })
  const id = await newVerifier(service, authorization)
  const body = { certificate: await registrar.certify(claims) }
  const path = `/api/v1/verifiers/${id}/registration-certificates`
  const answer = await service.request('POST', path, { authorization, body })
  expect([answer.status, answer.json.state], answer.text).toEqual([201, 'usable'])
  return { service, authorization, id, state, path }
}

/** The answer to a request, and what readiness, checklist and metrics say about registration certificates. */
async function saidOf({ service, authorization, id, path }: Awaited<ReturnType<typeof registered>>) {
  const dcqlQuery = {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1'] },
        claims: [{ path: ['age_equal_or_over', '18'] }],
      },
    ],
  }
  const body = { dcqlQuery, verifierId: id, responseMode: 'direct_post' }
  const request = await service.request('POST', '/authorization-requests', { authorization, body })
  const shown = (await service.request('GET', path, { authorization })).json.items[0]
  const setup = await service.request('GET', '/api/v1/setup?ask=false', { authorization })
  const item = setup.json.items.find(({ id: name }: { id: string }) => name === 'registrations')
  const metrics = await service.service.operated.metrics.registry.metrics()
  return {
    request: [request.status, request.json.message],
    shown: [shown.state, shown.reason],
    readiness: (await service.request('GET', '/health/readiness')).json.details.registrations,
    item: [item.state, item.sentence],
    action: item.action,
    unusable: /^credence_registration_certificates\{state="unusable"\} (\d+)$/m.exec(metrics)?.[1],
  }
}

const USABLE = { readiness: { status: 'up' }, item: ['ok', expect.any(String)], unusable: '0' }
const RENEW = expect.stringContaining('Get a new certificate from the registrar')

const refused = (state: string, sentence: string, action: unknown = RENEW) => ({
  request: [409, sentence],
  shown: [state, sentence],
  readiness: { status: 'degraded', reason: state },
  item: ['failed', expect.stringContaining(sentence)],
  action,
  unusable: '1',
})

describe('a registration certificate that no request can use is named by readiness, checklist and metrics at once', () => {
  it('because another access certificate is for another party, and not after it is for the party again', async () => {
    const world = await registered()
    const { service, authorization, id } = world
    await using _ = service
    expect(await saidOf(world)).toMatchObject(USABLE)
    await giveAccess(service, authorization, { id, party: 'LEIXG-OTHER' })
    const sentence = `The registration certificate is registered for ${SHOP}, but the access certificate is for LEIXG-OTHER.`
    expect(await saidOf(world)).toMatchObject(refused('other-subject', sentence))
    await look(service, new Date())
    expect(await saidOf(world)).toMatchObject(refused('other-subject', sentence))
    await giveAccess(service, authorization, { id, party: SHOP })
    expect(await saidOf(world)).toMatchObject(USABLE)
  })

  it('because it has expired', async () => {
    const end = Math.floor(Date.now() / 1000) + 3_600
    const world = await registered({ exp: end })
    await using _ = world.service
    world.state.now = () => new Date(end * 1000 - 1_000)
    expect((await saidOf(world)).readiness).toEqual({ status: 'up' })
    world.state.now = () => new Date(end * 1000)
    const sentence = `The registration certificate expired at ${new Date(end * 1000).toISOString()}.`
    expect(await saidOf(world)).toMatchObject(refused('expired', sentence))
  })

  it('because its status list cannot be read for a day, or its signer is not trusted: no new certificate helps', async () => {
    const world = await registered()
    await using _ = world.service
    const set = (columns: string) => query(world.service.databaseUrl, `UPDATE registration_certificates SET ${columns}`)
    await set("checked_at = now() - interval '25 hours'")
    expect(await saidOf(world)).toMatchObject({
      readiness: { status: 'degraded', reason: 'status-unknown' },
      action: expect.stringMatching(/^Ask the registrar about the status list/),
    })
    await set("failed_check = 'signer', failure = 'Nobody trusts the signer.'")
    expect(await saidOf(world)).toMatchObject(
      refused(
        'signer',
        'Nobody trusts the signer.',
        expect.stringMatching(/^Read the trusted lists of registrars again/),
      ),
    )
  })

  it('because it is suspended, until the suspension ends', async () => {
    const uri = `${statusServer.url}/suspended`
    const publish = async (suspendedIndices: readonly number[]) => {
      const body = await createTokenStatusList({
        signer: await signerOf(registrar.provider),
        x5c: [registrar.provider.x5c],
        issuer: 'https://registrar.example',
        uri,
        revokedIndices: [],
        suspendedIndices,
        size: 1_024,
        issuedAt: new Date(Date.now() - 60_000),
        expiresAt: new Date(Date.now() + DAY),
        ttlSeconds: 60,
      })
      statusServer.publish('/suspended', { body })
    }
    await publish([])
    const world = await registered({ status: { status_list: { idx: 5, uri } } })
    await using _ = world.service
    await publish([5])
    await look(world.service, new Date())
    expect(await saidOf(world)).toMatchObject(refused('suspended', 'The registration certificate is suspended.'))
    await publish([])
    await look(world.service, new Date())
    expect(await saidOf(world)).toMatchObject(USABLE)
  })
})

/** Lets the maintenance job look at every certificate. */
async function look(service: TestService, now: Date): Promise<void> {
  await query(service.databaseUrl, "UPDATE registration_certificates SET due_at = '2000-01-01'")
  for (const task of service.features.registrationWatch.tasks) await runTask(task, now)
}
