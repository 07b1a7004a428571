import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registrationMembers, signRegistration, signStatusList } from '../../../scripts/trust-demo/registration.js'
import { makeRegistrar, SHOP } from '../../../scripts/trust-demo/world.js'
import { info, type RegistrationWorld, startRegistrationWorld } from './world.js'

let world: RegistrationWorld
beforeAll(async () => {
  world = await startRegistrationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const BEYOND = 'credential diploma asks for the claim university, which the certificate does not have'

describe('a verifier with a registration certificate (TS 119 475; carried as in TS 119 472-2 §6.3.2.2)', () => {
  it('is shown before a person confirms: name, purpose, and what is covered', async () => {
    const begun = await world.flow(await world.request(['degree'], info(await world.certificate())))
    expect(begun.status).toBe(201)
    expect(begun.json.data.registration).toMatchObject({
      state: 'registered',
      beyond: [],
      certificates: [
        {
          identifier: SHOP.identifier,
          name: SHOP.legalName,
          purposes: [{ lang: 'en', value: 'To check your degree.' }],
          covers: [{ format: 'dc+sd-jwt', claims: [['degree']] }],
          privacyPolicy: 'https://party.example/privacy',
          supervisoryAuthority: { email: 'authority@supervisor.example' },
        },
      ],
    })
    expect((await world.confirm(begun.json)).status).toBe(200)
  })

  it('is answered without a person too, also if the certificate is sent as base64url', async () => {
    const certificate = await world.certificate()
    const asBase64url = Buffer.from(certificate).toString('base64url')
    for (const data of [certificate, asBase64url]) {
      const answered = await world.wallet.process(await world.request(['degree'], info(data)))
      expect([answered.status, answered.json.type]).toEqual([200, 'authorization_request'])
    }
  })

  it('attack: asks for more. A person sees it before confirming, and no wallet answers without a person', async () => {
    const uri = await world.request(['degree', 'university'], info(await world.certificate()))
    const begun = await world.flow(uri)
    expect(begun.json.data.registration).toMatchObject({
      state: 'beyond',
      beyond: [BEYOND],
      certificates: [{ name: SHOP.legalName }],
    })
    const { responses, refusals } = world.verifier
    const before = [responses.length, refusals.length]
    const unasked = await world.wallet.process(uri)
    expect([unasked.status, unasked.text]).toEqual([
      400,
      expect.stringContaining(
        `The request goes beyond the registration certificate of the verifier: ${BEYOND}. A person can confirm it: start a flow with it.`,
      ),
    ])
    // The verifier is told that its request is refused (OpenID4VP 1.0 §8.5).
    expect([responses.length, refusals.length, refusals.at(-1)?.error]).toEqual([
      before[0],
      Number(before[1]) + 1,
      'invalid_request',
    ])
    expect((await world.confirm(begun.json)).status).toBe(200)
  })

  it('attack: a certificate that is only for another credential query covers nothing', async () => {
    const sent = info(await world.certificate(), { credential_ids: ['other'] })
    const begun = await world.flow(await world.request(['degree'], sent))
    expect(begun.json.data.registration).toMatchObject({
      state: 'beyond',
      beyond: ['credential diploma has no registration certificate'],
    })
  })

  it('a verifier without one is answered as before, because registration certificates are optional', async () => {
    const begun = await world.flow(await world.request(['university'], undefined))
    expect(begun.json.data.registration).toEqual({ state: 'none', beyond: [], certificates: [] })
    expect((await world.wallet.process(await world.request(['university'], undefined))).status).toBe(200)
  })
})

const now = () => Math.floor(Date.now() / 1000)

const ATTACKS: Readonly<Record<string, [() => Promise<unknown>, string]>> = {
  'of another verifier': [
    () => world.certificate({ sub: 'VATDE-000000000' }),
    'The registration certificate is registered for VATDE-000000000, but the access certificate is for VATDE-123456789.',
  ],
  'signed by a registrar that is on no list': [
    async () => {
      const other = await makeRegistrar(world.world.registrar.statusUri)
      return signRegistration(registrationMembers(world.shop, other, 7), other)
    },
    'The signer of the registration certificate is not trusted',
  ],
  'signed below the authority of access certificates': [
    async () => {
      const { verifier, registrar } = world.world
      const { createSigner } = await import('../../../server/protocol/jose/jws.js')
      const { x5c: _, alg: __, use: ___, ...jwk } = verifier.jwk
      const signer = await createSigner(jwk, 'key')
      return signRegistration(registrationMembers(world.shop, registrar, 7), { signer, x5c: verifier.jwk.x5c ?? [] })
    },
    'The signer of the registration certificate is not trusted',
  ],
  'that has expired': [
    () => world.certificate({ iat: now() - 7_200, exp: now() - 3_600 }),
    'The registration certificate expired at',
  ],
  'that is valid for longer than twelve months': [
    () => world.certificate({ exp: now() + 400 * 86_400 }),
    'The registration certificate is valid for longer than 12 months.',
  ],
  'whose content was changed': [
    async () => {
      const [header, payload = '', signature] = (await world.certificate()).split('.')
      const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), name: 'Bank' }
      return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    },
    'signature',
  ],
  'that is revoked': [
    () => world.certificate({ status: { status_list: { idx: 9, uri: `${world.world.listsUrl}/status/revoked.jwt` } } }),
    'The registration certificate is revoked.',
  ],
  'whose status list cannot be read': [
    () => world.certificate({ status: { status_list: { idx: 9, uri: `${world.world.listsUrl}/status/missing.jwt` } } }),
    'Status list',
  ],
  'that is no certificate': [
    async () => ({ sub: SHOP.identifier }),
    'The data of a registration certificate must be a text.',
  ],
}

describe('attack: a registration certificate', () => {
  beforeAll(async () => {
    const { registrar, listsUrl, publish } = world.world
    const statusUri = `${listsUrl}/status/revoked.jwt`
    await publish('status/revoked.jwt', await signStatusList({ ...registrar, statusUri }, [9]))
  })

  it.each(Object.entries(ATTACKS))(
    '%s is shown as refused, and its request is not answered without a person',
    async (_, [make, reason]) => {
      const uri = await world.request(['degree'], info(await make()))
      const begun = await world.flow(uri)
      expect([begun.status, begun.json.data?.registration]).toMatchObject([
        201,
        { state: 'invalid', reason: expect.stringContaining(reason), beyond: [], certificates: [] },
      ])
      const unasked = await world.wallet.process(uri)
      expect([unasked.status, unasked.text]).toEqual([
        400,
        expect.stringContaining('The registration certificate of the verifier is refused: '),
      ])
    },
  )

  it('of the party, in a request that is signed with a DID: nothing ties the certificate to the sender', async () => {
    const uri = await world.verifier.request(
      {
        credentials: [
          { id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${world.issuer.url}/vct/diploma`] } },
        ],
      },
      {
        header: { x5c: world.world.verifier.jwk.x5c },
        payload: { verifier_info: info(await world.certificate()) },
      },
    )
    expect((await world.flow(uri)).json.data.registration).toMatchObject({
      state: 'invalid',
      reason: expect.stringContaining('neither an organizationIdentifier nor a serialNumber'),
    })
  })

  it('more than five: none is looked at', async () => {
    const many = Array.from({ length: 6 }, () => info('a.b.c')[0])
    const begun = await world.flow(await world.request(['degree'], many))
    expect(begun.json.data.registration.reason).toBe('There are more than 5 registration certificates.')
  })
})

it('with WALLET_REGISTRATION=required, flows refuse verifiers without a certificate, and requests beyond it', async () => {
  await using strict = await startRegistrationWorld({ WALLET_REGISTRATION: 'required' })
  const certificate = await strict.certificate()
  expect((await strict.flow(await strict.request(['degree'], info(certificate)))).status).toBe(201)
  const none = await strict.flow(await strict.request(['degree'], undefined))
  expect([none.status, none.text]).toEqual([
    500,
    expect.stringContaining('The verifier has no registration certificate.'),
  ])
  const beyond = await strict.flow(await strict.request(['degree', 'university'], info(certificate)))
  expect([beyond.status, beyond.text]).toEqual([500, expect.stringContaining(BEYOND)])
})
