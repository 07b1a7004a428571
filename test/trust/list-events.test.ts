import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, intermediate, leafOf } from '../agent/certified.js'
import { newVerifier, SHOP, startRegistrar } from '../agent/registrations/registered.js'
import { runTask } from '../support/maintenance.js'
import { createTestDatabase, query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { makeRoot } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, seconds } from './lists.js'

const operator = makeOperator()
const ministry = { name: 'Ministry', issuance: [makeRoot('Authority')] }
const HOUR_MS = 3_600_000

let lists: ListServer
beforeAll(async () => {
  lists = await startListServer()
})
afterAll(() => lists.close())

const eventsOf = async (databaseUrl: string): Promise<string[]> => {
  const rows = await query(databaseUrl, `SELECT action FROM audit_events WHERE subject = 'trust-list' ORDER BY id`)
  return rows.map(({ action }) => String(action))
}

/** Lets the job of a process read the lists that are due. */
async function readDue({ features }: TestService, now: Date): Promise<void> {
  for (const task of features.trustRefresh.tasks.filter(({ name }) => name === 'read trusted lists'))
    await runTask(task, now)
}

describe('audit events of the state of a list', () => {
  it('are one for each change of the state, with two processes and however often the list is read', async () => {
    const path = '/events.jwt'
    const database = await createTestDatabase()
    const end = Date.now() + 24 * HOUR_MS
    lists.publish(path, { body: await makeList(operator, [ministry], { nextUpdate: seconds(0, end) }) })
    let now = new Date()
    const options = {
      env: {
        TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator)),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
      databaseUrl: database.url,
      maintenance: false,
      trustListsEveryMs: 50,
      clock: () => now,
    }
    {
      await using first = await startService(options)
      await using second = await startService(options)
      const both = async () => {
        await Promise.all([readDue(first, now), readDue(second, now)])
        await Promise.all([readDue(second, now), readDue(first, now)])
      }
      /** Time passes, so that the list is due again. */
      const later = async (milliseconds: number) => {
        now = new Date(now.getTime() + milliseconds)
        await both()
      }
      await both()
      expect(await eventsOf(database.url)).toEqual(['trust-list.changed'])
      lists.withdraw(path)
      await later(2 * HOUR_MS)
      await later(HOUR_MS)
      await later(HOUR_MS)
      expect(await eventsOf(database.url)).toEqual(['trust-list.changed', 'trust-list.failing'])
      lists.publish(path, { body: await makeList(operator, [ministry], { nextUpdate: seconds(0, end) }) })
      await later(HOUR_MS)
      const id = (await listsOf(first).all())[0].id
      // A list that is read by a call is no further event.
      await listsOf(second).refresh(id)
      const recovered = (await eventsOf(database.url)).filter((action) => action !== 'trust-list.changed')
      expect(recovered).toEqual(['trust-list.failing', 'trust-list.recovered'])
      lists.withdraw(path)
      await later(HOUR_MS)
      // The list reaches its own end, although nothing has been read.
      await later(24 * HOUR_MS)
      await later(HOUR_MS)
      const states = (await eventsOf(database.url)).filter((action) => action !== 'trust-list.changed')
      expect(states).toEqual([
        'trust-list.failing',
        'trust-list.recovered',
        'trust-list.failing',
        'trust-list.unusable',
      ])
      const [event] = await query(
        database.url,
        `SELECT subject_id, actor FROM audit_events WHERE action = 'trust-list.unusable'`,
      )
      const { contentId } = (await listsOf(first).all())[0]
      expect(event).toEqual({ subject_id: contentId, actor: null })
    }
    await database.drop()
  })

  it('begin with the first attempt: a list that was never read is unusable', async () => {
    await using service = await startService({
      maintenance: false,
      env: {
        TRUST_LISTS: await listsFile(definition(`${lists.url}/never.jwt`, operator)),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    expect(await eventsOf(service.databaseUrl)).toEqual([])
    const id = (await listsOf(service).all())[0].id
    await listsOf(service).refresh(id)
    await listsOf(service).refresh(id)
    expect(await eventsOf(service.databaseUrl)).toEqual(['trust-list.unusable'])
  })
})

describe('a new content of a list that leaves out a certificate of this installation is taken, with an alert', () => {
  /** A service that reads one list for a purpose. The list has an authority, and then only another one. */
  async function start(purpose: string, path: string, more: Readonly<Record<string, string>> = {}) {
    const service = await startService({
      maintenance: false,
      env: {
        ...more,
        TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator, { purpose })),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
    })
    const id = (await listsOf(service).all())[0].id
    return { service, read: async () => (await listsOf(service).refresh(id)).json.list }
  }
  const other = { name: 'Other', issuance: [makeRoot('Other')] }
  const alerts = (databaseUrl: string) =>
    query(databaseUrl, `SELECT subject_id FROM audit_events WHERE action = 'trust-list.own_certificate_removed'`)

  it('for the access certificate of a verifier record by API', async () => {
    const path = '/access.jwt'
    const access = { name: 'Access', issuance: [intermediate] }
    lists.publish(path, { body: await makeList(operator, [access, other]) })
    const { service, read } = await start('verifiers', path)
    await using _ = service
    const admin = await service.bearer('verifier', { roles: ['admin'] })
    const verifierId = await newVerifier(service, admin)
    expect((await read()).alert).toBeUndefined()
    lists.publish(path, { body: await makeList(operator, [other], { sequence: 2 }) })
    const alert = `The list ${lists.url}${path} no longer has the certificate of verifier ${verifierId}.`
    expect(await read()).toMatchObject({ state: 'usable', sequenceNumber: 2, alert })
    expect(await alerts(service.databaseUrl)).toHaveLength(1)
    // A further content without the certificate keeps the alert, and is no further event.
    lists.publish(path, { body: await makeList(operator, [other, { ...other, name: 'Third' }], { sequence: 3 }) })
    expect(await read()).toMatchObject({ sequenceNumber: 3, alert })
    expect(await alerts(service.databaseUrl)).toHaveLength(1)
    lists.publish(path, { body: await makeList(operator, [access], { sequence: 4 }) })
    expect((await read()).alert).toBeUndefined()
  })

  it('for the registrar of a registration certificate', async () => {
    const path = '/registrars.jwt'
    const registrar = await startRegistrar()
    const registrars = { name: 'Registrar', issuance: [registrar.root] }
    lists.publish(path, { body: await makeList(operator, [registrars, other]) })
    const { service, read } = await start('registrars', path)
    await using _ = service
    await read()
    const admin = await service.bearer('verifier', { roles: ['admin'] })
    const verifierId = await newVerifier(service, admin, SHOP)
    const added = await service.request('POST', `/api/v1/verifiers/${verifierId}/registration-certificates`, {
      authorization: admin,
      body: { certificate: await registrar.certify() },
    })
    expect(added.status, added.text).toBe(201)
    lists.publish(path, { body: await makeList(operator, [other], { sequence: 2 }) })
    expect((await read()).alert).toBe(
      `The list ${lists.url}${path} no longer has the certificate of the registrar of verifier ${verifierId}.`,
    )
    expect(await alerts(service.databaseUrl)).toHaveLength(1)
    await registrar.close()
  })

  it('also if the content before had expired, and the process was restarted meanwhile', async () => {
    const path = '/expired.jwt'
    const access = { name: 'Access', issuance: [intermediate] }
    const end = Date.now() + HOUR_MS
    lists.publish(path, { body: await makeList(operator, [access], { nextUpdate: seconds(0, end) }) })
    const database = await createTestDatabase()
    let now = new Date()
    const options = {
      env: {
        TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator, { purpose: 'verifiers' })),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      },
      databaseUrl: database.url,
      maintenance: false,
      clock: () => now,
    }
    let verifierId: string
    {
      await using before = await startService(options)
      verifierId = await newVerifier(before, await before.bearer('verifier', { roles: ['admin'] }))
      await listsOf(before).refresh((await listsOf(before).all())[0].id)
    }
    now = new Date(end + HOUR_MS)
    const issue = { sequence: 2, issuedAt: seconds(-60, now.getTime()), nextUpdate: seconds(86_400, now.getTime()) }
    lists.publish(path, { body: await makeList(operator, [other], issue) })
    {
      await using after = await startService(options)
      const { list } = (await listsOf(after).refresh((await listsOf(after).all())[0].id)).json
      expect(list.alert).toContain(`no longer has the certificate of verifier ${verifierId}.`)
    }
    await database.drop()
  })

  it('for the certificate that signs the metadata, on a list of access certificates', async () => {
    const path = '/metadata.jwt'
    const access = { name: 'Access', issuance: [intermediate] }
    lists.publish(path, { body: await makeList(operator, [access, other]) })
    const files = await certificateFiles()
    const chain = [leafOf({ dns: ['127.0.0.1'] }), intermediate]
    const { service, read } = await start('verifiers', path, { ISSUER_X509: await files.fileOf(chain) })
    await using _ = service
    await read()
    lists.publish(path, { body: await makeList(operator, [other], { sequence: 2 }) })
    expect((await read()).alert).toMatch(/no longer has the certificate of issuer [0-9a-f-]+\.$/)
    await files.remove()
  })
})
