import { rm, writeFile } from 'node:fs/promises'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numbered, signedCwt } from '../../protocol/registration-certificates/world.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { startListServer } from '../../trust/list-server.js'
import { definition, listsFile, makeList, makeOperator, refreshed } from '../../trust/lists.js'
import { makeLeaf, makeRoot } from '../../verifier/certified.js'
import { certificateFiles, intermediate } from '../certified.js'
import { accessLeaf, giveAccess, newVerifier, type Registrar, SHOP, startRegistrar } from './registered.js'

const PID = { vct_values: ['urn:eudi:pid:1'] }
const AGE = ['age_equal_or_over', '18']
const credential = (...paths: readonly (readonly unknown[])[]) => ({
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: PID,
  claims: paths.map((path) => ({ path })),
})
const asks = (...paths: readonly (readonly unknown[])[]) => ({ credentials: [credential(...paths)] })

let registrar: Registrar
let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let admin: string

const environment = async () => ({
  REGISTRAR_TRUST_ANCHORS: await files.fileOf([registrar.root]),
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
})

beforeAll(async () => {
  registrar = await startRegistrar()
  files = await certificateFiles()
  service = await startService({ maintenance: false, env: await environment() })
  admin = await service.bearer('verifier', { roles: ['admin'] })
})
afterAll(async () => {
  await service.close()
  await registrar.close()
  await files.remove()
})

const pathOf = (id: string) => `/api/v1/verifiers/${id}/registration-certificates`

const add = (id: string, certificate: string, on = service, authorization = admin) =>
  on.request('POST', pathOf(id), { authorization, body: { certificate } })

const added = async (id: string, more: Record<string, unknown> = {}, on = service, authorization = admin) => {
  const answer = await add(id, await registrar.certify(more), on, authorization)
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

const ask = (
  verifierId: string | undefined,
  dcqlQuery: unknown,
  more: Record<string, unknown> = {},
  on = service,
  authorization = admin,
) =>
  on.request('POST', '/authorization-requests', {
    authorization,
    body: { dcqlQuery, responseMode: 'direct_post', ...(verifierId === undefined ? {} : { verifierId }), ...more },
  })

const payloadOf = async ({ json, text }: Awaited<ReturnType<typeof ask>>) => {
  if (json.request_uri === undefined) throw new Error(text)
  return decodeJwt<Record<string, unknown>>(await (await fetch(json.request_uri)).text())
}

/** Lets the maintenance job look at every certificate now, or at a later time. */
const look = async (now = new Date(), on = service) => {
  await query(on.databaseUrl, "UPDATE registration_certificates SET due_at = '2000-01-01'")
  for (const task of on.features.registrationWatch.tasks) await runTask(task, now)
}

describe('POST /api/v1/verifiers/{id}/registration-certificates (ETSI TS 119 475)', () => {
  it('stores the certificate of the party that the access certificate names, and shows its content', async () => {
    const id = await newVerifier(service, admin)
    const answer = await add(id, await registrar.certify())
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({
      form: 'jwt',
      subject: { identifier: SHOP, name: 'Online Shop' },
      intermediary: null,
      intendedUse: 'age-check',
      purposes: [
        { lang: 'en', value: 'We check your age.' },
        { lang: 'de', value: 'Wir prüfen Ihr Alter.' },
      ],
      credentials: [{ format: 'dc+sd-jwt', meta: PID, claims: [AGE, ['nationalities', null]] }],
      privacyPolicy: 'https://shop.example/privacy',
      state: 'usable',
      reason: null,
      fromFile: false,
    })
    const listed = await service.request('GET', pathOf(id), { authorization: admin })
    expect([listed.status, listed.json.items]).toEqual([200, [{ ...answer.json, createdAt: expect.any(String) }]])
    const audit = await query(service.databaseUrl, 'SELECT action FROM audit_events WHERE subject_id = $1', [
      answer.json.id,
    ])
    expect(audit).toEqual([{ action: 'registration-certificate.added' }])
  })

  it('refuses each wrong certificate by its own sentence, and stores nothing', async () => {
    const id = await newVerifier(service, admin)
    const stranger = makeLeaf(makeRoot('C=EU/Registrar'), { subject: 'C=EU/Provider' })
    const seconds = Math.floor(Date.now() / 1000)
    const good = await registrar.certify()
    const [header, payload, signature] = good.split('.')
    const none = Buffer.from(JSON.stringify({ typ: 'rc-wrp+jwt', alg: 'none', x5c: [] })).toString('base64url')
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(good), sub: 'LEIXG-OTHER' })).toString('base64url')
    const wrong: readonly (readonly [string, string])[] = [
      ['no certificate', 'must be a compact JWS, or a CWT in base64url'],
      [`${none}.${payload}.`, 'Signature algorithm none is not allowed.'],
      [`${header}.${changed}.${signature}`, 'does not fit its content'],
      // The relying party signs a registration itself, below the root of access certificates.
      [await registrar.certify({}, accessLeaf(SHOP)), 'The signer of the registration certificate is not trusted'],
      [await registrar.certify({}, stranger), 'The signer of the registration certificate is not trusted'],
      [await registrar.certify({ exp: seconds - 1 }), 'The registration certificate expired at'],
      [await registrar.certify({ iat: seconds + 3_600 }), 'The registration certificate is not valid before'],
      [await registrar.certify({ exp: seconds + 400 * 86_400 }), 'valid for longer than 12 months'],
      [
        await registrar.certify({ sub: 'LEIXG-OTHER' }),
        `is registered for LEIXG-OTHER, but the access certificate is for ${SHOP}`,
      ],
      [await registrar.certify({ intermediary: { sub: 'VATDE-9' } }), 'names the intermediary VATDE-9'],
      [await registrar.certify({ credentials: [] }), 'has no credentials that may be requested'],
      [await registrar.certify({ status: undefined }), 'status is missing'],
    ]
    for (const [certificate, sentence] of wrong) {
      const answer = await add(id, certificate)
      expect([answer.status, String(answer.json.message)]).toEqual([400, expect.stringContaining(sentence)])
    }
    expect((await service.request('GET', pathOf(id), { authorization: admin })).json.items).toEqual([])
  })

  it('refuses a certificate that is revoked (§6.2.6), known, too long, or without an access certificate', async () => {
    const id = await newVerifier(service, admin)
    registrar.revoke(3)
    const revoked = await registrar.certify({ status: { status_list: { idx: 3, uri: `${registrar.url}/1` } } })
    expect((await add(id, revoked)).json.message).toEqual([
      'certificate is refused: The registration certificate is revoked.',
    ])
    const good = await registrar.certify()
    expect((await add(id, good)).status).toBe(201)
    expect([(await add(id, good)).status, (await add(id, good)).json.message]).toEqual([
      409,
      'The verifier has this registration certificate already.',
    ])
    expect((await add(id, 'x'.repeat(65_537))).status).toBe(400)
    const { id: bare } = (
      await service.request('POST', '/agent/verifier', { authorization: admin, body: { method: 'web' } })
    ).json
    expect((await add(bare, good)).json.message).toEqual([
      'certificate needs an access certificate of the verifier first',
    ])
  })

  it('has a limit for each verifier, also for simultaneous additions', async () => {
    const id = await newVerifier(service, admin)
    const certificates = await Promise.all(
      Array.from({ length: 24 }, (_, at) => registrar.certify({ intended_use_id: `use-${at}` })),
    )
    const answers = await Promise.all(certificates.map((certificate) => add(id, certificate)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ json }) => json.message)).toEqual(
      Array.from({ length: 4 }, () => ['certificate must not be one more than 20']),
    )
  })

  it('is for admins and their own records', async () => {
    const id = await newVerifier(service, admin)
    const certificate = await registrar.certify()
    const other = await service.bearer('somebody', { roles: ['admin'] })
    expect((await add(id, certificate, service, other)).status).toBe(404)
    const verifier = await service.bearer('somebody', { roles: ['verifier'] })
    expect((await add(id, certificate, service, verifier)).status).toBe(403)
    const { id: certificateId } = (await add(id, certificate)).json
    const remove = (authorization: string) =>
      service.request('DELETE', `${pathOf(id)}/${certificateId}`, { authorization })
    expect((await remove(other)).status).toBe(404)
    expect((await remove(admin)).status).toBe(204)
    expect((await remove(admin)).json.message).toBe('Registration certificate not found.')
  })
})

describe('verifier_info of a request (OpenID4VP 1.0 §5.1, ETSI TS 119 472-2 §6.3.2.2)', () => {
  it('has the registration certificate that covers the query, beside the access certificate', async () => {
    const id = await newVerifier(service, admin)
    const certificate = await registrar.certify()
    await add(id, certificate)
    const payload = await payloadOf(await ask(id, asks(AGE)))
    expect(payload.client_id).toMatch(/^x509_hash:/)
    expect(payload.verifier_info).toEqual([{ format: 'registration_cert', data: certificate }])
    const more = { verifierInfo: [{ format: 'seal', data: 'x' }] }
    expect((await payloadOf(await ask(id, asks(AGE), more))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
      { format: 'seal', data: 'x' },
    ])
  })

  it('is in signed requests over the Digital Credentials API too', async () => {
    const id = await newVerifier(service, admin)
    const certificate = await registrar.certify()
    await add(id, certificate)
    const more = { responseMode: 'dc_api', expectedOrigins: ['https://shop.example'] }
    const { data } = (await ask(id, asks(AGE), more)).json.digitalCredentialRequest
    expect(decodeJwt(data.request).verifier_info).toEqual([{ format: 'registration_cert', data: certificate }])
    const unsigned = (await ask(id, asks(['other']), { ...more, signed: false })).json.digitalCredentialRequest
    expect(unsigned.data).not.toHaveProperty('verifier_info')
  })

  it('is a CWT in base64url, if the registrar issues CWTs (TS 119 475 §5.2.3)', async () => {
    const id = await newVerifier(service, admin)
    const claims = numbered(decodeJwt(await registrar.certify()))
    const certificate = Buffer.from(await signedCwt(claims, { by: registrar.provider })).toString('base64url')
    expect((await add(id, certificate)).json).toMatchObject({ form: 'cwt', state: 'usable' })
    expect((await payloadOf(await ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
  })

  it('is in requests under HAIP 1.0 too', async () => {
    const env = await environment()
    await using own = await startService({
      maintenance: false,
      env: { ...env, TRUST_ANCHORS: env.REGISTRAR_TRUST_ANCHORS },
    })
    const authorization = await own.bearer('verifier', { roles: ['admin'] })
    const id = await newVerifier(own, authorization)
    const certificate = await registrar.certify()
    await add(id, certificate, own, authorization)
    const more = { profile: 'haip', responseMode: 'direct_post.jwt', redirectUri: 'https://shop.example/done' }
    expect((await payloadOf(await ask(id, asks(AGE), more, own, authorization))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
    expect((await ask(id, asks(['other']), more, own, authorization)).status).toBe(400)
  })

  it('is chosen by the query, or by the intended use, or by the id', async () => {
    const id = await newVerifier(service, admin)
    const age = await registrar.certify()
    await add(id, age)
    const home = await registrar.certify({
      intended_use_id: 'delivery',
      credentials: [{ format: 'dc+sd-jwt', meta: PID, claim: [{ path: ['address'] }, { path: AGE }] }],
    })
    const { id: homeId } = (await add(id, home)).json
    const dataOf = async (dcqlQuery: unknown, more = {}) => {
      const { verifier_info } = await payloadOf(await ask(id, dcqlQuery, more))
      return (verifier_info as readonly { data: string }[]).map(({ data }) => data)
    }
    expect(await dataOf(asks(['address', 'street']))).toEqual([home])
    expect(await dataOf(asks(['nationalities', 0]))).toEqual([age])
    const both = await ask(id, asks(AGE))
    expect([both.status, both.json.message]).toEqual([
      400,
      ['intendedUse must be given, because several registration certificates fit: age-check, delivery'],
    ])
    expect(await dataOf(asks(AGE), { intendedUse: 'age-check' })).toEqual([age])
    expect(await dataOf(asks(AGE), { intendedUse: homeId })).toEqual([home])
    expect((await ask(id, asks(AGE), { intendedUse: 'other' })).json.message).toEqual([
      'intendedUse must name a registration certificate of the verifier',
    ])
  })

  it('has the newest certificate of an intended use', async () => {
    const id = await newVerifier(service, admin)
    await added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    const renewed = await registrar.certify()
    await add(id, renewed)
    expect((await payloadOf(await ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: renewed },
    ])
  })

  it('attack: a former certificate of the use covers nothing that the newest one no longer covers', async () => {
    const id = await newVerifier(service, admin)
    await added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    const narrow = [{ format: 'dc+sd-jwt', meta: PID, claim: [{ path: ['address'] }] }]
    await added(id, { credentials: narrow })
    const answer = await ask(id, asks(AGE))
    expect([answer.status, answer.json.message]).toEqual([
      400,
      [expect.stringContaining('asks for the claim age_equal_or_over.18, which the certificate does not have')],
    ])
    expect((await ask(id, asks(['address']))).status).toBe(201)
  })

  it('attack: a former certificate of the use does not replace a newest one that is revoked', async () => {
    const id = await newVerifier(service, admin)
    await added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    await added(id, { status: { status_list: { idx: 31, uri: `${registrar.url}/1` } } })
    registrar.revoke(31)
    await look()
    const answer = await ask(id, asks(AGE))
    expect([answer.status, answer.json.message]).toEqual([409, 'The registration certificate is revoked.'])
  })

  it('has the former certificate until the status of the newest one is known', async () => {
    const id = await newVerifier(service, admin)
    const former = await registrar.certify({ iat: Math.floor(Date.now() / 1000) - 1_000 })
    await add(id, former)
    registrar.state.away = true
    const { state } = await added(id)
    registrar.state.away = false
    expect(state).toBe('status-unknown')
    expect((await payloadOf(await ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: former },
    ])
  })

  it('has the pair of each party for which an intermediary asks', async () => {
    const party = { intermediary: { sub: 'VATDE-9', sname: 'Broker' } }
    const pair = async (sub: string) => {
      const id = await newVerifier(service, admin, 'VATDE-9')
      const certificate = await registrar.certify({ ...party, sub })
      expect((await add(id, certificate)).json).toMatchObject({
        subject: { identifier: sub },
        intermediary: { identifier: 'VATDE-9', name: 'Broker' },
      })
      return { id, certificate }
    }
    for (const { id, certificate } of [await pair('LEIXG-1'), await pair('LEIXG-2')]) {
      expect((await payloadOf(await ask(id, asks(AGE)))).verifier_info).toEqual([
        { format: 'registration_cert', data: certificate },
      ])
    }
  })

  it('attack: is not replaced by a text of the caller, which would avoid the comparison', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    const answer = await ask(id, asks(['other']), { verifierInfo: [{ format: 'registration_cert', data: 'x' }] })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['verifierInfo must not have a registration_cert, because the verifier has registration certificates'],
    ])
  })

  it('is absent, and intendedUse is refused, in requests that wallets cannot compare with it', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    const byDid = { clientIdPrefix: 'decentralized_identifier' }
    expect(await payloadOf(await ask(id, asks(['other']), byDid))).not.toHaveProperty('verifier_info')
    expect((await ask(id, asks(AGE), { ...byDid, intendedUse: 'age-check' })).json.message).toEqual([
      'intendedUse must be left out where the request is not signed with the access certificate',
    ])
    const own = { verifierInfo: [{ format: 'registration_cert', data: 'x' }] }
    const none = await newVerifier(service, admin)
    expect((await ask(none, asks(AGE), { ...own, intendedUse: 'age-check' })).json.message).toEqual([
      'intendedUse must be left out where verifierInfo has a registration_cert',
    ])
    expect((await payloadOf(await ask(none, asks(AGE), own))).verifier_info).toEqual(own.verifierInfo)
    await using drafts = await startService({
      maintenance: false,
      env: { ...(await environment()), VERIFIER_LEGACY_PROFILES: 'draft24' },
    })
    const authorization = await drafts.bearer('verifier', { roles: ['admin'] })
    const other = await newVerifier(drafts, authorization)
    await added(other, {}, drafts, authorization)
    const draft = await drafts.request('POST', '/authorization-requests', {
      authorization,
      body: { dcqlQuery: asks(['other']), verifierId: other, profile: 'draft24', responseMode: 'direct_post' },
    })
    expect(draft.status, draft.text).toBe(201)
    expect(await payloadOf(draft)).not.toHaveProperty('verifier_info')
  })

  it('gives the purpose of the certificate to a request without a purpose', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    const pageOf = async (more = {}) =>
      (await fetch((await ask(id, asks(AGE), { page: true, ...more })).json.pageUrl)).text()
    expect(await pageOf()).toContain('We check your age.')
    const own = await pageOf({ purpose: 'You get a discount.' })
    expect(own).toContain('You get a discount.')
    expect(own).not.toContain('We check your age.')
  })
})

describe('A query beyond the registration certificate (ETSI TS 119 475 §5.2.4)', () => {
  it('is a 400 that names the credential query and the claim', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    const messages = async (dcqlQuery: unknown) => {
      const { status, json } = await ask(id, dcqlQuery)
      return [status, json.message]
    }
    const begin = 'dcqlQuery goes beyond the registration certificate age-check: credential pid asks for'
    expect(await messages(asks(AGE, ['family_name'], ['nationalities']))).toEqual([
      400,
      [
        `${begin} the claim family_name, which the certificate does not have`,
        `${begin} the claim nationalities, which the certificate does not have`,
      ],
    ])
    expect(await messages({ credentials: [{ ...credential(AGE), meta: { vct_values: ['urn:other'] } }] })).toEqual([
      400,
      [`${begin} a type that the certificate does not have`],
    ])
    expect(
      await messages({ credentials: [{ ...credential(AGE), meta: { vct_values: ['urn:eudi:pid:1', 'b'] } }] }),
    ).toEqual([400, [`${begin} a type that the certificate does not have`]])
  })

  it('is a 400 for the items of a VP query too', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    const item = { fields: [{ path: ['$.vct'], filter: { const: 'urn:eudi:pid:1' } }, { path: ['$.family_name'] }] }
    const { status, json } = await ask(id, undefined, { query: [item] })
    expect([status, String(json.message)]).toEqual([
      400,
      expect.stringContaining('query goes beyond the registration certificate age-check: credential'),
    ])
  })
})

describe('A registration certificate that no request can use is a 409, and readiness says so', () => {
  const refused = async (id: string) => {
    const { status, json } = await ask(id, asks(AGE))
    return [status, json.message]
  }
  const readiness = async (on: TestService) => (await on.request('GET', '/health/readiness')).json.details.registrations

  it('because the access certificate is now for another party', async () => {
    const id = await newVerifier(service, admin)
    await added(id)
    await giveAccess(service, admin, { id, party: 'LEIXG-OTHER' })
    const sentence = `The registration certificate is registered for ${SHOP}, but the access certificate is for LEIXG-OTHER.`
    expect(await refused(id)).toEqual([409, sentence])
    const [shown] = (await service.request('GET', pathOf(id), { authorization: admin })).json.items
    expect([shown.state, shown.reason]).toEqual(['other-subject', sentence])
  })

  it('because it was revoked: the job reads the list, and no request does', async () => {
    await using own = await startService({ maintenance: false, env: await environment() })
    const authorization = await own.bearer('verifier', { roles: ['admin'] })
    expect(await readiness(own)).toBeUndefined()
    const id = await newVerifier(own, authorization)
    await added(id, { status: { status_list: { idx: 7, uri: `${registrar.url}/1` } } }, own, authorization)
    expect(await readiness(own)).toEqual({ status: 'up' })
    const post = () =>
      own.request('POST', '/authorization-requests', {
        authorization,
        body: { dcqlQuery: asks(AGE), verifierId: id, responseMode: 'direct_post' },
      })
    registrar.revoke(7)
    const before = registrar.state.fetches
    expect((await post()).status).toBe(201)
    expect(registrar.state.fetches).toBe(before)
    await look(new Date(), own)
    expect([(await post()).status, (await post()).json.message]).toEqual([
      409,
      'The registration certificate is revoked.',
    ])
    expect(await readiness(own)).toEqual({ status: 'degraded', reason: 'revoked' })
    const items = (await own.request('GET', '/api/v1/setup?ask=false', { authorization })).json.items
    expect(items.find(({ id: name }: { id: string }) => name === 'registrations')).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('The registration certificate is revoked.'),
    })
    expect(await own.service.operated.metrics.registry.metrics()).toContain(
      'credence_registration_certificates{state="unusable"} 1',
    )
  })

  it('because its status could not be read for a day, or never', async () => {
    const id = await newVerifier(service, admin)
    registrar.state.away = true
    const { state, reason } = await added(id)
    expect([state, reason]).toEqual([
      'status-unknown',
      expect.stringMatching(
        /^The status of the registration certificate was never read\. Status list could not be fetched/,
      ),
    ])
    expect((await refused(id))[0]).toBe(409)
    registrar.state.away = false
    await look()
    expect((await refused(id))[0]).toBe(201)
    registrar.state.away = true
    await look()
    expect((await refused(id))[0]).toBe(201)
    await query(service.databaseUrl, "UPDATE registration_certificates SET checked_at = now() - interval '25 hours'")
    expect(await refused(id)).toEqual([409, expect.stringContaining('could not be read since')])
    registrar.state.away = false
    await look()
    expect((await refused(id))[0]).toBe(201)
  })

  it('because a status list of a stranger does not count (§6.2.6.2)', async () => {
    const id = await newVerifier(service, admin)
    registrar.state.by = makeLeaf(makeRoot('C=EU/Registrar'), { subject: 'C=EU/Provider' })
    const { state, reason } = await added(id, { intended_use_id: 'stranger' })
    registrar.state.by = registrar.provider
    expect([state, reason]).toEqual([
      'status-unknown',
      expect.stringContaining('Its signer is neither the signer of the certificate nor another trusted registrar.'),
    ])
    // Another signer below the root of the registrar does count.
    registrar.state.by = makeLeaf(registrar.root, { subject: 'C=EU/Status' })
    await look()
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
    const authorization = await own.bearer('verifier', { roles: ['admin'] })
    const id = await newVerifier(own, authorization)
    const signedBy = async (by: typeof registrar.root, use: string) => {
      registrar.state.by = by
      const { state, reason } = await added(id, { intended_use_id: use }, own, authorization)
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
    const id = await newVerifier(service, admin)
    const end = Math.floor(Date.now() / 1000) + 2
    await added(id, { exp: end })
    expect((await refused(id))[0]).toBe(201)
    await new Promise((resolve) => setTimeout(resolve, end * 1000 - Date.now() + 20))
    expect(await refused(id)).toEqual([
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
    const authorization = await own.bearer('verifier', { roles: ['admin'] })
    const id = await newVerifier(own, authorization)
    expect((await add(id, await registrar.certify(), own, authorization)).json.message[0]).toContain(
      'Registrar is not on the list',
    )
    expect(await refreshed(own)).toBe('changed')
    const { state } = await added(id, {}, own, authorization)
    expect(state).toBe('usable')
    lists.publish('/wrprc.jwt', { body: await makeList(operator, registrarOf(makeRoot('Other')), { sequence: 2 }) })
    expect(await refreshed(own)).toBe('changed')
    await look(new Date(), own)
    const [shown] = (await own.request('GET', pathOf(id), { authorization })).json.items
    expect([shown.state, shown.reason]).toEqual(['signer', expect.stringContaining('Registrar is not on the list')])
    // The certificate can be used again soon after the registrar is back on the list.
    lists.publish('/wrprc.jwt', { body: await makeList(operator, registrarOf(registrar.root), { sequence: 3 }) })
    expect(await refreshed(own)).toBe('changed')
    const soon = new Date(Date.now() + 21_000)
    for (const task of own.features.registrationWatch.tasks) await runTask(task, soon)
    const [again] = (await own.request('GET', pathOf(id), { authorization })).json.items
    expect(again.state).toBe('usable')
    await lists.close()
  })
})

describe('VERIFIER_REGISTRATIONS', () => {
  const withFile = async (...certificates: readonly string[]) => {
    const path = `${files.directory}/registrations.txt`
    await writeFile(path, certificates.join('\n'))
    return {
      ...(await environment()),
      VERIFIER_X509: await files.fileOf([accessLeaf(SHOP), intermediate]),
      VERIFIER_REGISTRATIONS: path,
    }
  }

  it('gives its certificates to the default verifier, and takes those that are gone', async () => {
    const certificate = await registrar.certify()
    const env = await withFile(certificate)
    const first = await startService({ maintenance: false, env })
    const authorization = await first.bearer('verifier', { roles: ['admin'] })
    const idOf = async (on: TestService) =>
      (await on.request('GET', '/agent/verifiers', { authorization })).json.find(
        ({ isDefault }: { isDefault: boolean }) => isDefault,
      ).id
    const id = await idOf(first)
    expect((await ask(undefined, asks(AGE), {}, first, authorization)).json.message).toBe(
      'The status of the registration certificate was never read.',
    )
    await look(new Date(), first)
    expect((await payloadOf(await ask(undefined, asks(AGE), {}, first, authorization))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
    const [{ id: certificateId, fromFile }] = (await first.request('GET', pathOf(id), { authorization })).json.items
    expect(fromFile).toBe(true)
    expect((await first.request('DELETE', `${pathOf(id)}/${certificateId}`, { authorization })).status).toBe(404)
    const { databaseUrl, identityProvider } = first
    await first.service.close()
    const { VERIFIER_REGISTRATIONS: path, ...without } = env
    await rm(path)
    await using second = await startService({ maintenance: false, env: without, databaseUrl, identityProvider })
    expect((await second.request('GET', pathOf(id), { authorization })).json.items).toEqual([])
  })

  it('ends the start with the failed check', async () => {
    const env = await withFile(await registrar.certify(), await registrar.certify({ sub: 'LEIXG-OTHER' }))
    await expect(startService({ maintenance: false, env })).rejects.toThrow(
      'VERIFIER_REGISTRATIONS must hold usable certificates. Certificate 2: The registration certificate is registered for LEIXG-OTHER',
    )
  })
})
