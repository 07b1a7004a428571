import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registrationMembers, signRegistration, signStatusList } from '../../../scripts/trust-demo/registration.js'
import { makeRegistrar, SHOP, UNIVERSITY } from '../../../scripts/trust-demo/world.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { type PublishedWorld, type ServiceInWorld, startInWorld } from '../../support/trust-world.js'

const METADATA = '/.well-known/openid-credential-issuer'
const HOUR = 3_600
const now = () => Math.floor(Date.now() / 1000)

/** Registration certificates come by API alone. */
const WITHOUT_FILES = { ISSUER_REGISTRATIONS: '', ISSUER_REGISTRAR_DATASET: '', VERIFIER_REGISTRATIONS: '' }

let started: ServiceInWorld
let service: TestService
let world: PublishedWorld
let admin: string
let defaultId: string

beforeAll(async () => {
  started = await startInWorld(() => WITHOUT_FILES)
  ;({ service, world } = started)
  admin = await service.bearer('issuer', { roles: ['admin'] })
  defaultId = await defaultIssuer(service, admin)
})
afterAll(() => started[Symbol.asyncDispose]())

async function defaultIssuer(on: TestService, authorization: string): Promise<string> {
  const { json } = await on.request('GET', '/api/v1/issuers', { authorization })
  return json.items.find(({ isDefault }: { isDefault: boolean }) => isDefault).id
}

async function newIssuer(authorization = admin): Promise<string> {
  const body = { method: 'web', display: [{ name: 'Faculty' }] }
  return (await service.request('POST', '/agent/issuer', { authorization, body })).json.id
}

const pathOf = (id: string) => `/api/v1/issuers/${id}/registration-certificates`

/** A certificate of the university. @param index its entry in the status list of the registrar */
const certificate = (index: number, members: Readonly<Record<string, unknown>> = {}, of = world) =>
  signRegistration({ ...registrationMembers(UNIVERSITY, of.registrar, index), ...members }, of.registrar)

const add = (id: string, text: string, authorization = admin, on = service) =>
  on.request('POST', pathOf(id), { authorization, body: { certificate: text } })
const list = async (id: string) => (await service.request('GET', pathOf(id), { authorization: admin })).json.items
const remove = (id: string, certificateId: string, authorization = admin) =>
  service.request('DELETE', `${pathOf(id)}/${certificateId}`, { authorization })
const published = async (on = service): Promise<readonly string[]> =>
  ((await on.request('GET', METADATA)).json.issuer_info ?? []).map(({ data }: { data: string }) => data)

/** Lets the maintenance job look at every certificate at a time. */
async function look(at = new Date()): Promise<void> {
  await query(service.databaseUrl, "UPDATE registration_certificates SET due_at = '2000-01-01'")
  for (const task of service.features.registrationWatch.tasks) await runTask(task, at)
}

const readiness = async () => (await service.request('GET', '/health/readiness')).json.details.registrations
const checklistItem = async () => {
  const { json } = await service.request('GET', '/api/v1/setup?ask=false', { authorization: admin })
  return json.items.find(({ id }: { id: string }) => id === 'registrations')
}
const metrics = () => service.service.operated.metrics.registry.metrics()

describe('POST /api/v1/issuers/{id}/registration-certificates (ETSI TS 119 475, TS 119 472-3 §4.2.3)', () => {
  it('stores the certificate of the party that signs the metadata, and both forms of the metadata have it', async () => {
    const text = await certificate(21)
    expect(await published()).toEqual([])
    const answer = await add(defaultId, text)
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({
      form: 'jwt',
      subject: { identifier: UNIVERSITY.identifier, name: UNIVERSITY.legalName },
      credentials: [],
      providesAttestations: UNIVERSITY.issues?.map(({ format, meta }) => ({ format, meta })),
      entitlements: ['https://uri.etsi.org/19475/Entitlement/Non_Q_EAA_Provider'],
      state: 'usable',
      reason: null,
      fromFile: false,
    })
    expect(await list(defaultId)).toEqual([{ ...answer.json, createdAt: expect.any(String) }])
    expect(await published()).toEqual([text])
    const signed = (await service.request('GET', METADATA, { headers: { accept: 'application/jwt' } })).text
    const [leaf = ''] = decodeProtectedHeader(signed).x5c ?? []
    const pem = `-----BEGIN CERTIFICATE-----\n${leaf.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----`
    await compactVerify(signed, await importX509(pem, 'ES256'))
    expect(decodeJwt(signed).issuer_info).toEqual([{ format: 'registration_cert', data: text }])
    expect((await remove(defaultId, answer.json.id)).status).toBe(204)
    expect(await published()).toEqual([])
    const audit = await query(
      service.databaseUrl,
      'SELECT action, actor FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [answer.json.id],
    )
    expect(audit).toEqual([
      { action: 'registration-certificate.added', actor: 'issuer' },
      { action: 'registration-certificate.removed', actor: 'issuer' },
    ])
  })

  it('takes certificates for further issuer records: the same certificate signs the metadata of all of them', async () => {
    const id = await newIssuer()
    const text = await certificate(22)
    const { json, status } = await add(id, text)
    expect(status).toBe(201)
    expect(await published()).toEqual([text])
    expect(await list(defaultId)).toEqual([])
    await remove(id, json.id)
  })

  it('refuses each wrong certificate by its own sentence, and the metadata do not change', async () => {
    const stranger = await makeRegistrar(world.registrar.statusUri)
    const signedBy = (members: Readonly<Record<string, unknown>>) => certificate(23, members)
    const good = await certificate(23)
    const [header, payload, signature] = good.split('.')
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(good), name: 'Bank' })).toString('base64url')
    const none = Buffer.from(JSON.stringify({ typ: 'rc-wrp+jwt', alg: 'none', x5c: [] })).toString('base64url')
    const wrong: readonly (readonly [string, string])[] = [
      ['no certificate', 'must be a compact JWS, or a CWT in base64url'],
      [`${none}.${payload}.`, 'Signature algorithm none is not allowed.'],
      [`${header}.${changed}.${signature}`, 'does not fit its content'],
      // A registrar that is on no list.
      [await signRegistration(registrationMembers(UNIVERSITY, stranger, 23), stranger), 'is not trusted'],
      [await signedBy({ iat: now() - 2 * HOUR, exp: now() - HOUR }), 'The registration certificate expired at'],
      [await signedBy({ iat: now() + HOUR }), 'The registration certificate is not valid before'],
      [
        await signedBy({ sub: SHOP.identifier }),
        `is registered for ${SHOP.identifier}, but the access certificate is for ${UNIVERSITY.identifier}.`,
      ],
      [await signedBy({ provides_attestations: undefined }), 'has no credentials that may be issued.'],
      [await signedBy({ status: undefined }), 'status is missing'],
    ]
    for (const [text, sentence] of wrong) {
      const answer = await add(defaultId, text)
      expect([answer.status, String(answer.json.message)]).toEqual([400, expect.stringContaining(sentence)])
    }
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar, [24]))
    expect((await add(defaultId, await certificate(24))).json.message).toEqual([
      'certificate is refused: The registration certificate is revoked.',
    ])
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar))
    expect([await list(defaultId), await published()]).toEqual([[], []])
  })

  it('needs the certificate that signs the metadata (ISSUER_X509)', async () => {
    await using bare = await startService({ maintenance: false })
    const authorization = await bare.bearer('issuer', { roles: ['admin'] })
    const answer = await add(await defaultIssuer(bare, authorization), await certificate(25), authorization, bare)
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['certificate needs an access certificate of the default issuer (ISSUER_X509) first'],
    ])
  })

  it('is for admins and their own records, and no verifier may read it', async () => {
    const id = await newIssuer()
    const text = await certificate(26)
    const other = await service.bearer('somebody', { roles: ['admin'] })
    expect((await add(id, text, other)).status).toBe(404)
    const issuing = await service.bearer('somebody', { roles: ['issuer'] })
    expect((await add(id, text, issuing)).status).toBe(403)
    const { id: certificateId } = (await add(id, text)).json
    expect([(await add(id, text)).status, (await add(id, text)).json.message]).toEqual([
      409,
      'The issuer has this registration certificate already.',
    ])
    expect((await remove(id, certificateId, other)).status).toBe(404)
    // The certificate of an issuer is no certificate of a verifier.
    const elsewhere = `/api/v1/verifiers/${id}/registration-certificates`
    expect((await service.request('GET', elsewhere, { authorization: admin })).status).toBe(404)
    expect((await service.request('DELETE', `${elsewhere}/${certificateId}`, { authorization: admin })).status).toBe(
      404,
    )
    const verifying = await service.bearer('verifier', { roles: ['verifier'] })
    expect((await service.request('GET', pathOf(id), { authorization: verifying })).status).toBe(403)
    expect((await remove(id, certificateId)).status).toBe(204)
  })

  it('has a limit for all issuers together, because the metadata have all certificates', async () => {
    const id = await newIssuer()
    const made = []
    for (let at = 0; at < 20; at += 1)
      made.push((await add(at % 2 === 0 ? id : defaultId, await certificate(40 + at))).json)
    expect((await add(id, await certificate(60))).json.message).toEqual(['certificate must not be one more than 20'])
    expect(await published()).toHaveLength(20)
    await query(service.databaseUrl, 'DELETE FROM registration_certificates')
    expect(made.every(({ state }) => state === 'usable')).toBe(true)
  })
})

describe('a certificate of an issuer that cannot be used', () => {
  it('because it is revoked: the job reads the list, the metadata lose it, and readiness, checklist and metrics say so', async () => {
    const text = await certificate(70)
    const { id: certificateId } = (await add(defaultId, text)).json
    expect([await readiness(), await published()]).toEqual([{ status: 'up' }, [text]])
    expect((await checklistItem()).state).toBe('ok')
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar, [70]))
    // No request reads the list.
    expect(await published()).toEqual([text])
    await look()
    expect(await published()).toEqual([])
    expect(await readiness()).toEqual({ status: 'degraded', reason: 'revoked' })
    expect(await checklistItem()).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining(
        `Issuer ${defaultId} has a registration certificate for ${UNIVERSITY.identifier}`,
      ),
      action: expect.stringContaining('POST /api/v1/issuers/{id}/registration-certificates'),
    })
    expect(await metrics()).toContain('credence_registration_certificates{state="unusable"} 1')
    expect(await service.features.registrationWatch.warnings(new Date())).toEqual([
      {
        text: expect.stringContaining('that wallets do not accept. The registration certificate is revoked.'),
        expired: true,
      },
    ])
    expect((await list(defaultId))[0]).toMatchObject({ state: 'revoked' })
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar))
    await look()
    expect(await published()).toEqual([text])
    await remove(defaultId, certificateId)
    expect(await readiness()).toBeUndefined()
  })

  it('because it expires: checklist and log warn 30 days before the end', async () => {
    const exp = now() + 20 * 86_400
    const { id: certificateId } = (await add(defaultId, await certificate(71, { exp }))).json
    expect(await checklistItem()).toMatchObject({ state: 'warning', expiresAt: new Date(exp * 1000).toISOString() })
    expect(await service.features.registrationWatch.warnings(new Date())).toEqual([
      { text: expect.stringContaining(`Issuer ${defaultId} has a registration certificate`), expired: false },
    ])
    expect(await metrics()).toContain(`credence_registration_certificate_expiry_timestamp_seconds ${exp}`)
    await remove(defaultId, certificateId)
  })

  it('stays in the metadata while its status cannot be read, because wallets read the status themselves', async () => {
    const text = await certificate(72)
    const { id: certificateId } = (await add(defaultId, text)).json
    await world.publish('status/registrations.jwt', 'no list')
    await look()
    await query(service.databaseUrl, "UPDATE registration_certificates SET checked_at = now() - interval '25 hours'")
    expect(await published()).toEqual([text])
    expect(await readiness()).toEqual({ status: 'degraded', reason: 'status-unknown' })
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar))
    await look()
    expect(await readiness()).toEqual({ status: 'up' })
    await remove(defaultId, certificateId)
  })
})
