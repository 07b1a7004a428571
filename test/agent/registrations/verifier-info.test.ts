import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numbered, signedCwt } from '../../protocol/registration-certificates/world.js'
import { startService } from '../../support/service.js'
import type { Registrar } from './registered.js'
import {
  AGE,
  asks,
  credential,
  type Desk,
  deskAt,
  PID,
  payloadOf,
  startVerifierWorld,
  type VerifierWorld,
} from './verifier-world.js'

let world: VerifierWorld
let registrar: Registrar
let desk: Desk
beforeAll(async () => {
  world = await startVerifierWorld()
  ;({ registrar, desk } = world)
})
afterAll(() => world.close())

describe('verifier_info of a request (OpenID4VP 1.0 §5.1, ETSI TS 119 472-2 §6.3.2.2)', () => {
  it('has the registration certificate that covers the query, beside the access certificate', async () => {
    const id = await desk.newVerifier()
    const certificate = await registrar.certify()
    await desk.add(id, certificate)
    const payload = await payloadOf(await desk.ask(id, asks(AGE)))
    expect(payload.client_id).toMatch(/^x509_hash:/)
    expect(payload.verifier_info).toEqual([{ format: 'registration_cert', data: certificate }])
    const more = { verifierInfo: [{ format: 'seal', data: 'x' }] }
    expect((await payloadOf(await desk.ask(id, asks(AGE), more))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
      { format: 'seal', data: 'x' },
    ])
  })

  it('is in signed requests over the Digital Credentials API too', async () => {
    const id = await desk.newVerifier()
    const certificate = await registrar.certify()
    await desk.add(id, certificate)
    const more = { responseMode: 'dc_api', expectedOrigins: ['https://shop.example'] }
    const { data } = (await desk.ask(id, asks(AGE), more)).json.digitalCredentialRequest
    expect(decodeJwt(data.request).verifier_info).toEqual([{ format: 'registration_cert', data: certificate }])
    const unsigned = (await desk.ask(id, asks(['other']), { ...more, signed: false })).json.digitalCredentialRequest
    expect(unsigned.data).not.toHaveProperty('verifier_info')
  })

  it('is a CWT in base64url, if the registrar issues CWTs (TS 119 475 §5.2.3)', async () => {
    const id = await desk.newVerifier()
    const claims = numbered(decodeJwt(await registrar.certify()))
    const certificate = Buffer.from(await signedCwt(claims, { by: registrar.provider })).toString('base64url')
    expect((await desk.add(id, certificate)).json).toMatchObject({ form: 'cwt', state: 'usable' })
    expect((await payloadOf(await desk.ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
  })

  it('is in requests under HAIP 1.0 too', async () => {
    const env = await world.environment()
    await using own = await startService({
      maintenance: false,
      env: { ...env, TRUST_ANCHORS: env.REGISTRAR_TRUST_ANCHORS },
    })
    const ownDesk = await deskAt(own, registrar)
    const id = await ownDesk.newVerifier()
    const certificate = await registrar.certify()
    await ownDesk.add(id, certificate)
    const more = { profile: 'haip', responseMode: 'direct_post.jwt', redirectUri: 'https://shop.example/done' }
    expect((await payloadOf(await ownDesk.ask(id, asks(AGE), more))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
    expect((await ownDesk.ask(id, asks(['other']), more)).status).toBe(400)
  })

  it('is chosen by the query, or by the intended use, or by the id', async () => {
    const id = await desk.newVerifier()
    const age = await registrar.certify()
    await desk.add(id, age)
    const home = await registrar.certify({
      intended_use_id: 'delivery',
      credentials: [{ format: 'dc+sd-jwt', meta: PID, claim: [{ path: ['address'] }, { path: AGE }] }],
    })
    const { id: homeId } = (await desk.add(id, home)).json
    const dataOf = async (dcqlQuery: unknown, more = {}) => {
      const { verifier_info } = await payloadOf(await desk.ask(id, dcqlQuery, more))
      return (verifier_info as readonly { data: string }[]).map(({ data }) => data)
    }
    expect(await dataOf(asks(['address', 'street']))).toEqual([home])
    expect(await dataOf(asks(['nationalities', 0]))).toEqual([age])
    const both = await desk.ask(id, asks(AGE))
    expect([both.status, both.json.message]).toEqual([
      400,
      ['intendedUse must be given, because several registration certificates fit: age-check, delivery'],
    ])
    expect(await dataOf(asks(AGE), { intendedUse: 'age-check' })).toEqual([age])
    expect(await dataOf(asks(AGE), { intendedUse: homeId })).toEqual([home])
    expect((await desk.ask(id, asks(AGE), { intendedUse: 'other' })).json.message).toEqual([
      'intendedUse must name a registration certificate of the verifier',
    ])
  })

  it('has the newest certificate of an intended use', async () => {
    const id = await desk.newVerifier()
    await desk.added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    const renewed = await registrar.certify()
    await desk.add(id, renewed)
    expect((await payloadOf(await desk.ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: renewed },
    ])
  })

  it('attack: a former certificate of the use covers nothing that the newest one no longer covers', async () => {
    const id = await desk.newVerifier()
    await desk.added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    const narrow = [{ format: 'dc+sd-jwt', meta: PID, claim: [{ path: ['address'] }] }]
    await desk.added(id, { credentials: narrow })
    const answer = await desk.ask(id, asks(AGE))
    expect([answer.status, answer.json.message]).toEqual([
      400,
      [expect.stringContaining('asks for the claim age_equal_or_over.18, which the certificate does not have')],
    ])
    expect((await desk.ask(id, asks(['address']))).status).toBe(201)
  })

  it('attack: a former certificate of the use does not replace a newest one that is revoked', async () => {
    const id = await desk.newVerifier()
    await desk.added(id, { iat: Math.floor(Date.now() / 1000) - 1_000 })
    await desk.added(id, { status: { status_list: { idx: 31, uri: `${registrar.url}/1` } } })
    registrar.revoke(31)
    await desk.look()
    const answer = await desk.ask(id, asks(AGE))
    expect([answer.status, answer.json.message]).toEqual([409, 'The registration certificate is revoked.'])
  })

  it('has the former certificate until the status of the newest one is known', async () => {
    const id = await desk.newVerifier()
    const former = await registrar.certify({ iat: Math.floor(Date.now() / 1000) - 1_000 })
    await desk.add(id, former)
    registrar.state.away = true
    const { state } = await desk.added(id)
    registrar.state.away = false
    expect(state).toBe('status-unknown')
    expect((await payloadOf(await desk.ask(id, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: former },
    ])
  })

  it('has the pair of each party for which an intermediary asks', async () => {
    const party = { intermediary: { sub: 'VATDE-9', sname: 'Broker' } }
    const pair = async (sub: string) => {
      const id = await desk.newVerifier('VATDE-9')
      const certificate = await registrar.certify({ ...party, sub })
      expect((await desk.add(id, certificate)).json).toMatchObject({
        subject: { identifier: sub },
        intermediary: { identifier: 'VATDE-9', name: 'Broker' },
      })
      return { id, certificate }
    }
    for (const { id, certificate } of [await pair('LEIXG-1'), await pair('LEIXG-2')]) {
      expect((await payloadOf(await desk.ask(id, asks(AGE)))).verifier_info).toEqual([
        { format: 'registration_cert', data: certificate },
      ])
    }
  })

  it('attack: is not replaced by a text of the caller, which would avoid the comparison', async () => {
    const id = await desk.newVerifier()
    await desk.added(id)
    const answer = await desk.ask(id, asks(['other']), { verifierInfo: [{ format: 'registration_cert', data: 'x' }] })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['verifierInfo must not have a registration_cert, because the verifier has registration certificates'],
    ])
  })

  it('is absent, and intendedUse is refused, in requests that wallets cannot compare with it', async () => {
    const id = await desk.newVerifier()
    await desk.added(id)
    const byDid = { clientIdPrefix: 'decentralized_identifier' }
    expect(await payloadOf(await desk.ask(id, asks(['other']), byDid))).not.toHaveProperty('verifier_info')
    expect((await desk.ask(id, asks(AGE), { ...byDid, intendedUse: 'age-check' })).json.message).toEqual([
      'intendedUse must be left out where the request is not signed with the access certificate',
    ])
    const own = { verifierInfo: [{ format: 'registration_cert', data: 'x' }] }
    const none = await desk.newVerifier()
    expect((await desk.ask(none, asks(AGE), { ...own, intendedUse: 'age-check' })).json.message).toEqual([
      'intendedUse must be left out where verifierInfo has a registration_cert',
    ])
    expect((await payloadOf(await desk.ask(none, asks(AGE), own))).verifier_info).toEqual(own.verifierInfo)
    await using drafts = await startService({
      maintenance: false,
      env: { ...(await world.environment()), VERIFIER_LEGACY_PROFILES: 'draft24' },
    })
    const draftsDesk = await deskAt(drafts, registrar)
    const other = await draftsDesk.newVerifier()
    await draftsDesk.added(other)
    const draft = await drafts.request('POST', '/authorization-requests', {
      authorization: draftsDesk.authorization,
      body: { dcqlQuery: asks(['other']), verifierId: other, profile: 'draft24', responseMode: 'direct_post' },
    })
    expect(draft.status, draft.text).toBe(201)
    expect(await payloadOf(draft)).not.toHaveProperty('verifier_info')
  })

  it('gives the purpose of the certificate to a request without a purpose', async () => {
    const id = await desk.newVerifier()
    await desk.added(id)
    const pageOf = async (more = {}) =>
      (await fetch((await desk.ask(id, asks(AGE), { page: true, ...more })).json.pageUrl)).text()
    expect(await pageOf()).toContain('We check your age.')
    const own = await pageOf({ purpose: 'You get a discount.' })
    expect(own).toContain('You get a discount.')
    expect(own).not.toContain('We check your age.')
  })
})

describe('A query beyond the registration certificate (ETSI TS 119 475 §5.2.4)', () => {
  it('is a 400 that names the credential query and the claim', async () => {
    const id = await desk.newVerifier()
    await desk.added(id)
    const messages = async (dcqlQuery: unknown) => {
      const { status, json } = await desk.ask(id, dcqlQuery)
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
    const id = await desk.newVerifier()
    await desk.added(id)
    const item = { fields: [{ path: ['$.vct'], filter: { const: 'urn:eudi:pid:1' } }, { path: ['$.family_name'] }] }
    const { status, json } = await desk.ask(id, undefined, { query: [item] })
    expect([status, String(json.message)]).toEqual([
      400,
      expect.stringContaining('query goes beyond the registration certificate age-check: credential'),
    ])
  })
})
