import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { makeLeaf, makeRoot } from '../../verifier/certified.js'
import { accessLeaf, type Registrar, SHOP } from './registered.js'
import { AGE, type Desk, PID, pathOf, startVerifierWorld, type VerifierWorld } from './verifier-world.js'

let world: VerifierWorld
let registrar: Registrar
let desk: Desk
beforeAll(async () => {
  world = await startVerifierWorld()
  ;({ registrar, desk } = world)
})
afterAll(() => world.close())

describe('POST /api/v1/verifiers/{id}/registration-certificates (ETSI TS 119 475)', () => {
  it('stores the certificate of the party that the access certificate names, and shows its content', async () => {
    const id = await desk.newVerifier()
    const answer = await desk.add(id, await registrar.certify())
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
    const listed = await desk.list(id)
    expect([listed.status, listed.json.items]).toEqual([200, [{ ...answer.json, createdAt: expect.any(String) }]])
    const audit = await query(desk.service.databaseUrl, 'SELECT action FROM audit_events WHERE subject_id = $1', [
      answer.json.id,
    ])
    expect(audit).toEqual([{ action: 'registration-certificate.added' }])
  })

  it('refuses each wrong certificate by its own sentence, and stores nothing', async () => {
    const id = await desk.newVerifier()
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
      const answer = await desk.add(id, certificate)
      expect([answer.status, String(answer.json.message)]).toEqual([400, expect.stringContaining(sentence)])
    }
    expect((await desk.list(id)).json.items).toEqual([])
  })

  it('refuses a certificate that is revoked (§6.2.6), known, too long, or without an access certificate', async () => {
    const id = await desk.newVerifier()
    registrar.revoke(3)
    const revoked = await registrar.certify({ status: { status_list: { idx: 3, uri: `${registrar.url}/1` } } })
    expect((await desk.add(id, revoked)).json.message).toEqual([
      'certificate is refused: The registration certificate is revoked.',
    ])
    const good = await registrar.certify()
    expect((await desk.add(id, good)).status).toBe(201)
    expect([(await desk.add(id, good)).status, (await desk.add(id, good)).json.message]).toEqual([
      409,
      'The verifier has this registration certificate already.',
    ])
    expect((await desk.add(id, 'x'.repeat(65_537))).status).toBe(400)
    const { id: bare } = (
      await desk.service.request('POST', '/agent/verifier', {
        authorization: desk.authorization,
        body: { method: 'web' },
      })
    ).json
    expect((await desk.add(bare, good)).json.message).toEqual([
      'certificate needs an access certificate of the verifier first',
    ])
  })

  it('has a limit for each verifier, also for simultaneous additions', async () => {
    const id = await desk.newVerifier()
    const certificates = await Promise.all(
      Array.from({ length: 24 }, (_, at) => registrar.certify({ intended_use_id: `use-${at}` })),
    )
    const answers = await Promise.all(certificates.map((certificate) => desk.add(id, certificate)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ json }) => json.message)).toEqual(
      Array.from({ length: 4 }, () => ['certificate must not be one more than 20']),
    )
  })

  it('is for admins and their own records', async () => {
    const id = await desk.newVerifier()
    const certificate = await registrar.certify()
    const addBy = (authorization: string) =>
      desk.service.request('POST', pathOf(id), { authorization, body: { certificate } })
    const other = await desk.service.bearer('somebody', { roles: ['admin'] })
    expect((await addBy(other)).status).toBe(404)
    const verifier = await desk.service.bearer('somebody', { roles: ['verifier'] })
    expect((await addBy(verifier)).status).toBe(403)
    const { id: certificateId } = (await desk.add(id, certificate)).json
    const remove = (authorization: string) =>
      desk.service.request('DELETE', `${pathOf(id)}/${certificateId}`, { authorization })
    expect((await remove(other)).status).toBe(404)
    expect((await remove(desk.authorization)).status).toBe(204)
    expect((await remove(desk.authorization)).json.message).toBe('Registration certificate not found.')
  })
})
