import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registrationMembers, signRegistration, signStatusList } from '../../../scripts/trust-demo/registration.js'
import { makeRegistrar, UNIVERSITY } from '../../../scripts/trust-demo/world.js'
import { postOffering, postSchema } from '../../issuer/purchase.js'
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
