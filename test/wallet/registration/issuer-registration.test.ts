import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registrationMembers, signRegistration, signStatusList } from '../../../scripts/trust-demo/registration.js'
import { makeRegistrar, UNIVERSITY } from '../../../scripts/trust-demo/world.js'
import { createSigner, signCompact } from '../../../server/protocol/jose/jws.js'
import { postOffering, postSchema } from '../../issuer/purchase.js'
import { startRemoteIssuer } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { type PublishedWorld, readLists, type ServiceInWorld, startInWorld } from '../../support/trust-world.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'

const TYPE = 'Purchase_registered'
const OTHER = 'Purchase_other'

/** The university's certificate for purchases. @param members replace claims of the certificate */
const certificate = ({ serviceUrl, registrar }: PublishedWorld, members: Readonly<Record<string, unknown>> = {}) => {
  const issues = [
    { format: 'dc+sd-jwt', meta: { vct_values: [`${serviceUrl}/vct/${TYPE}`] } },
    { format: 'jwt_vc_json', meta: { type_values: [[TYPE]] } },
  ]
  return signRegistration({ ...registrationMembers({ ...UNIVERSITY, issues }, registrar, 4), ...members }, registrar)
}

/** An issuer in a world, and a wallet of another installation that reads the world's lists. */
interface Issuing extends AsyncDisposable {
  readonly issuer: ServiceInWorld
  readonly wallets: TestService
  readonly wallet: HostedWallet
  offer(type: string): Promise<string>
}

async function startIssuing(make: (world: PublishedWorld) => Promise<string>): Promise<Issuing> {
  const issuer = await startInWorld(async (world) => ({
    ISSUER_REGISTRATIONS: await world.write('purchases.jwt', await make(world)),
    VERIFIER_REGISTRATIONS: '',
  }))
  const { world, service } = issuer
  const wallets = await startService({
    maintenance: false,
    env: { TRUST_LISTS: join(world.folder, 'trust-lists.json'), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
  })
  await readLists(wallets)
  const authorization = await service.bearer('issuer', { roles: ['admin'] })
  for (const name of [TYPE, OTHER]) await postSchema(service, authorization, { name })
  return {
    issuer,
    wallets,
    wallet: await newWallet(wallets),
    offer: async (type) => (await postOffering(service, { credential_type: type })).offering_full_url,
    async [Symbol.asyncDispose]() {
      await wallets.close()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

const flow = ({ wallets, wallet }: Issuing, qrContent: string) =>
  wallets.request('POST', '/flows', { authorization: wallet.authorization, body: { qrContent, did: wallet.did } })

let issuing: Issuing
beforeAll(async () => {
  issuing = await startIssuing(certificate)
})
afterAll(() => issuing[Symbol.asyncDispose]())

it('an offer beyond the certificate of its issuer is shown (TS 119 472-3 §4.2), and no wallet takes it without a person', async () => {
  const offer = await issuing.offer(OTHER)
  const begun = await flow(issuing, offer)
  expect([begun.status, begun.json.data]).toMatchObject([
    201,
    {
      issuer: { id: issuing.issuer.service.url },
      registration: {
        state: 'beyond',
        certificates: [{ name: UNIVERSITY.legalName, identifier: UNIVERSITY.identifier }],
      },
    },
  ])
  expect(begun.json.data.registration.beyond).toContain(
    `credential ${OTHER}-sd-jwt is of a type that the certificate does not have`,
  )
  const unasked = await issuing.wallet.process(offer)
  expect([unasked.status, unasked.text]).toEqual([
    400,
    expect.stringContaining('The offer goes beyond the registration certificate of the issuer: credential '),
  ])
  // A person who has seen it may take the offer: nothing of the offer was used up.
  const confirmed = await issuing.wallets.request('POST', `/flows/${begun.json.data.processId}/confirm`, {
    authorization: issuing.wallet.authorization,
    body: { type: 'claim', selectedCredential: {} },
  })
  expect([confirmed.status, confirmed.json.status]).toEqual([200, 'confirmed'])
})

it('an issuer whose certificate covers the offer is shown as registered, and the offer is taken without a person', async () => {
  const offer = await issuing.offer(TYPE)
  const begun = await flow(issuing, offer)
  expect(begun.json.data.registration).toMatchObject({ state: 'registered', beyond: [] })
  expect((await issuing.wallet.process(offer)).status).toBe(200)
})

const now = () => Math.floor(Date.now() / 1000)

it('attack: the certificate is revoked after the issuer has started', async () => {
  const { registrar } = issuing.issuer.world
  await issuing.issuer.world.publish('status/registrations.jwt', await signStatusList(registrar, [4]))
  const begun = await flow(issuing, await issuing.offer(TYPE))
  expect(begun.json.data.registration).toMatchObject({
    state: 'invalid',
    reason: 'The registration certificate is revoked.',
  })
  await issuing.issuer.world.publish('status/registrations.jwt', await signStatusList(registrar))
})

const ATTACKS: Readonly<Record<string, [(world: PublishedWorld) => Promise<string>, string]>> = {
  'signed by a registrar that is on no list': [
    async (world) => {
      const other = await makeRegistrar(world.registrar.statusUri)
      return signRegistration(registrationMembers(UNIVERSITY, other, 4), other)
    },
    'The signer of the registration certificate is not trusted',
  ],
  'that expires before the wallet reads it': [
    (world) => certificate(world, { exp: now() + 120 }),
    'The registration certificate expired at',
  ],
}

it.each(Object.entries(ATTACKS))('attack: a certificate %s is shown as refused', async (_, [make, reason]) => {
  await using other = await startIssuing(make)
  // The clock of the wallet decides about the time.
  const later = await startService({
    maintenance: false,
    clock: () => new Date(Date.now() + 150_000),
    env: { TRUST_LISTS: join(other.issuer.world.folder, 'trust-lists.json'), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
  })
  try {
    await readLists(later)
    const wallet = await newWallet(later)
    const begun = await flow({ ...other, wallets: later, wallet }, await other.offer(TYPE))
    expect([begun.status, begun.json.data?.registration]).toMatchObject([
      201,
      { state: 'invalid', reason: expect.stringContaining(reason) },
    ])
  } finally {
    await later.close()
  }
})

const SIGNED: Readonly<Record<string, [Forged | undefined, string]>> = {
  'that sends the signed metadata of the registered issuer': [
    { members: ({ serviceUrl }) => ({ sub: serviceUrl }) },
    'The signed metadata are of another issuer.',
  ],
  'that signs with the access certificate of another party': [
    { by: ({ verifier }) => verifier },
    'The registration certificate is registered for VATDE-987654321, but the access certificate is for VATDE-123456789.',
  ],
  'that signs with a key of its own': [
    { by: ({ walletProvider }) => walletProvider },
    'The access certificate of the issuer is not trusted',
  ],
  'that sends the certificate of the registered issuer, and signs with another key': [
    { by: ({ verifier, issuer }) => ({ jwk: { ...verifier.jwk, x5c: issuer.jwk.x5c ?? [] } }) },
    'The signed metadata of the issuer are refused',
  ],
  'that sends former metadata': [
    { members: () => ({ exp: now() - 10 }) },
    'The signed metadata of the issuer have expired.',
  ],
  'that sends metadata of the future': [
    { members: () => ({ iat: now() + 3_600 }) },
    'The signed metadata of the issuer are of the future.',
  ],
  'that sends another document that the issuer has signed': [
    { typ: 'JWT' },
    'The signed metadata of the issuer have another typ.',
  ],
  'that leaves the certificate out of the signed metadata': [
    { members: () => ({ issuer_info: undefined }) },
    'The signed metadata of the issuer have no registration certificate.',
  ],
  'without signed metadata': [undefined, 'The issuer has no signed metadata'],
}

/** How the signed metadata of an impostor differ from good ones. */
interface Forged {
  readonly typ?: string
  readonly members?: (world: PublishedWorld) => Readonly<Record<string, unknown>>
  readonly by?: (world: PublishedWorld) => { readonly jwk: PublishedWorld['issuer']['jwk'] }
}

describe('attack: an impostor with the registration certificate of a registered issuer', () => {
  const stateAt = async (forged: Forged | undefined) => {
    const { world } = issuing.issuer
    const issuer_info = [{ format: 'registration_cert', data: await certificate(world) }]
    const signed = async (url: string, { typ = 'openidvci-issuer-metadata+jwt', members, by }: Forged) => {
      const { x5c, alg: _, use: __, ...jwk } = (by?.(world) ?? world.issuer).jwk
      const payload = { sub: url, iat: now(), issuer_info, ...members?.(world) }
      return signCompact(await createSigner(jwk, 'key'), { typ, x5c, kid: undefined }, payload)
    }
    await using impostor = await startRemoteIssuer({
      metadata: { issuer_info },
      ...(forged === undefined ? {} : { signedMetadata: (url) => signed(url, forged) }),
    })
    const offer = await impostor.offer()
    const { registration } = (await flow(issuing, offer)).json.data
    return { registration, unasked: (await issuing.wallet.process(offer)).status }
  }

  it('would be seen as a party that asks for more, if its own signature were good', async () => {
    expect((await stateAt({})).registration.state).toBe('beyond')
  })

  it.each(Object.entries(SIGNED))('%s', async (_, [forged, reason]) => {
    const { registration, unasked } = await stateAt(forged)
    expect([registration, unasked]).toMatchObject([
      { state: 'invalid', reason: expect.stringContaining(reason), certificates: [] },
      400,
    ])
  })
})

it('attack: a wallet that trusts no registrar takes no registration certificate as valid', async () => {
  await using wallets = await startService({
    maintenance: false,
    env: {
      VERIFIER_TRUST_ANCHORS: join(issuing.issuer.world.folder, 'certificates/issuer-ca.pem'),
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  const begun = await flow({ ...issuing, wallets, wallet: await newWallet(wallets) }, await issuing.offer(TYPE))
  expect(begun.json.data.registration).toMatchObject({
    state: 'invalid',
    reason: expect.stringContaining('This installation trusts no registrar'),
    certificates: [],
  })
})
