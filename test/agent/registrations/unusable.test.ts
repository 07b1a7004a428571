import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movingClock } from '../../issuer/openid4vci/actors.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { startListServer } from '../../trust/list-server.js'
import { definition, listsFile, makeList, makeOperator, refreshed } from '../../trust/lists.js'
import { makeLeaf, makeRoot } from '../../verifier/certified.js'
import { giveAccess, type Registrar, SHOP } from './registered.js'
import { AGE, asks, type Desk, deskAt, startVerifierWorld, type VerifierWorld } from './verifier-world.js'

let world: VerifierWorld
let registrar: Registrar
let desk: Desk
beforeAll(async () => {
  world = await startVerifierWorld()
  ;({ registrar, desk } = world)
})
afterAll(() => world.close())

describe('A registration certificate that no request can use is a 409, and readiness says so', () => {
  const refused = async (id: string) => {
    const { status, json } = await desk.ask(id, asks(AGE))
    return [status, json.message]
  }
  const readiness = async (on: TestService) => (await on.request('GET', '/health/readiness')).json.details.registrations

  it('because the access certificate is now for another party', async () => {
    const id = await desk.newVerifier()
    await desk.added(id)
    await giveAccess(desk.service, desk.authorization, { id, party: 'LEIXG-OTHER' })
    const sentence = `The registration certificate is registered for ${SHOP}, but the access certificate is for LEIXG-OTHER.`
    expect(await refused(id)).toEqual([409, sentence])
    const [shown] = (await desk.list(id)).json.items
    expect([shown.state, shown.reason]).toEqual(['other-subject', sentence])
  })

  it('because it was revoked: the job reads the list, and no request does', async () => {
    await using own = await startService({ maintenance: false, env: await world.environment() })
    const ownDesk = await deskAt(own, registrar)
    expect(await readiness(own)).toBeUndefined()
    const id = await ownDesk.newVerifier()
    await ownDesk.added(id, { status: { status_list: { idx: 7, uri: `${registrar.url}/1` } } })
    expect(await readiness(own)).toEqual({ status: 'up' })
    const post = () => ownDesk.ask(id, asks(AGE))
    registrar.revoke(7)
    const before = registrar.state.fetches
    expect((await post()).status).toBe(201)
    expect(registrar.state.fetches).toBe(before)
    await ownDesk.look()
    expect([(await post()).status, (await post()).json.message]).toEqual([
      409,
      'The registration certificate is revoked.',
    ])
    expect(await readiness(own)).toEqual({ status: 'degraded', reason: 'revoked' })
    const items = (await own.request('GET', '/api/v1/setup?ask=false', { authorization: ownDesk.authorization })).json
      .items
    expect(items.find(({ id: name }: { id: string }) => name === 'registrations')).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('The registration certificate is revoked.'),
    })
    expect(await own.service.operated.metrics.registry.metrics()).toContain(
      'credence_registration_certificates{state="unusable"} 1',
    )
  })

  it('because its status could not be read for a day, or never', async () => {
    const id = await desk.newVerifier()
    registrar.state.away = true
    const { state, reason } = await desk.added(id)
    expect([state, reason]).toEqual([
      'status-unknown',
      expect.stringMatching(
        /^The status of the registration certificate was never read\. Status list could not be fetched/,
      ),
    ])
    expect((await refused(id))[0]).toBe(409)
    registrar.state.away = false
    await desk.look()
    expect((await refused(id))[0]).toBe(201)
    registrar.state.away = true
    await desk.look()
    expect((await refused(id))[0]).toBe(201)
    await query(
      desk.service.databaseUrl,
      "UPDATE registration_certificates SET checked_at = now() - interval '25 hours'",
    )
    expect(await refused(id)).toEqual([409, expect.stringContaining('could not be read since')])
    registrar.state.away = false
    await desk.look()
    expect((await refused(id))[0]).toBe(201)
  })

  it('because a status list of a stranger does not count (§6.2.6.2)', async () => {
    const id = await desk.newVerifier()
    registrar.state.by = makeLeaf(makeRoot('C=EU/Registrar'), { subject: 'C=EU/Provider' })
    const { state, reason } = await desk.added(id, { intended_use_id: 'stranger' })
    registrar.state.by = registrar.provider
    expect([state, reason]).toEqual([
      'status-unknown',
      expect.stringContaining('Its signer is neither the signer of the certificate nor another trusted registrar.'),
    ])
    // Another signer below the root of the registrar does count.
    registrar.state.by = makeLeaf(registrar.root, { subject: 'C=EU/Status' })
    await desk.look()
    registrar.state.by = registrar.provider
    expect((await refused(id))[0]).toBe(201)
  })

  it('because another registrar on the list has signed the status list', async () => {
    const lists = await startListServer()
    const operator = makeOperator()
    const other = makeRoot('C=EU/Other registrar')
    const entities = [
      { name: 'Registrar', issuance: [registrar.root] },
      { name: 'Other', issuance: [other] },
    ]
    lists.publish('/two.jwt', { body: await makeList(operator, entities) })
    await using own = await startService({
      maintenance: false,
      env: {
        TRUST_LISTS: await listsFile(definition(`${lists.url}/two.jwt`, operator, { purpose: 'registrars' })),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    expect(await refreshed(own)).toBe('changed')
    const ownDesk = await deskAt(own, registrar)
    const id = await ownDesk.newVerifier()
    const signedBy = async (by: typeof registrar.root, use: string) => {
      registrar.state.by = by
      const { state, reason } = await ownDesk.added(id, { intended_use_id: use })
      registrar.state.by = registrar.provider
      return [state, reason]
    }
    expect(await signedBy(makeLeaf(other), 'other')).toEqual([
      'status-unknown',
      expect.stringContaining('The signer is a service of Other on the list'),
    ])
    expect(await signedBy(makeLeaf(registrar.root, { subject: 'C=EU/Status' }), 'same')).toEqual(['usable', null])
    await lists.close()
  })

  it('because it has expired', async () => {
    const clock = movingClock()
    await using own = await startService({ maintenance: false, clock: clock.now, env: await world.environment() })
    const ownDesk = await deskAt(own, registrar)
    const id = await ownDesk.newVerifier()
    const end = Math.floor(Date.now() / 1000) + 600
    await ownDesk.added(id, { exp: end })
    expect((await ownDesk.ask(id, asks(AGE))).status).toBe(201)
    clock.ahead = 600
    const { status, json } = await ownDesk.ask(id, asks(AGE))
    expect([status, json.message]).toEqual([
      409,
      `The registration certificate expired at ${new Date(end * 1000).toISOString()}.`,
    ])
  })

  it('because its signer left the list of registrars', async () => {
    const lists = await startListServer()
    const operator = makeOperator()
    const registrarOf = (root: typeof registrar.root) => [{ name: 'Registrar', issuance: [root] }]
    lists.publish('/wrprc.jwt', { body: await makeList(operator, registrarOf(registrar.root)) })
    await using own = await startService({
      maintenance: false,
      env: {
        TRUST_LISTS: await listsFile(definition(`${lists.url}/wrprc.jwt`, operator, { purpose: 'registrars' })),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    const ownDesk = await deskAt(own, registrar)
    const id = await ownDesk.newVerifier()
    expect((await ownDesk.add(id, await registrar.certify())).json.message[0]).toContain('Registrar is not on the list')
    expect(await refreshed(own)).toBe('changed')
    const { state } = await ownDesk.added(id)
    expect(state).toBe('usable')
    lists.publish('/wrprc.jwt', { body: await makeList(operator, registrarOf(makeRoot('Other')), { sequence: 2 }) })
    expect(await refreshed(own)).toBe('changed')
    await ownDesk.look()
    const [shown] = (await ownDesk.list(id)).json.items
    expect([shown.state, shown.reason]).toEqual(['signer', expect.stringContaining('Registrar is not on the list')])
    // The certificate can be used again soon after the registrar is back on the list.
    lists.publish('/wrprc.jwt', { body: await makeList(operator, registrarOf(registrar.root), { sequence: 3 }) })
    expect(await refreshed(own)).toBe('changed')
    const soon = new Date(Date.now() + 21_000)
    for (const task of own.features.registrationWatch.tasks) await runTask(task, soon)
    const [again] = (await ownDesk.list(id)).json.items
    expect(again.state).toBe('usable')
    await lists.close()
  })
})
