import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registrationMembers, signRegistration } from '../../scripts/trust-demo/registration.js'
import { makeRegistrar } from '../../scripts/trust-demo/world.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { makeIssuer } from '../protocol/mdoc/actors.js'
import { DIPLOMA_DOCTYPE, DIPLOMA_MDOC, startRemoteIssuer } from '../support/remote-issuer.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet as newHosted } from '../support/wallet.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { answer, ask, fetchRequest, present } from '../verifier/actors.js'
import { anchorFiles, MEMBERSHIP, makeLeaf, makeRoot, membership, YEARS } from '../verifier/certified.js'
import { licenceFor } from '../wallet/mdoc-world.js'
import { info, type RegistrationWorld, startRegistrationWorld } from '../wallet/registration/world.js'
import { listsOf } from './lists.js'

interface Check {
  readonly check: string
  readonly outcome: string
  readonly signer?: { readonly certificates: readonly string[] }
}

const PEM = (der = '') => `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----`

/** Calls a procedure as the console does. */
async function rpc(service: TestService, authorization: string, path: string, json: unknown) {
  const { status, json: body } = await service.request('POST', `/trpc/${path}`, { authorization, body: { json } })
  return { status, error: body.error?.json, data: body.result?.data?.json }
}

const startFlow = (service: TestService, { authorization, did }: HostedWallet, qrContent: string) =>
  rpc(service, authorization, 'flows.start', { qrContent, did })

describe('the certificates of the issuer of a refused presentation', () => {
  let service: TestService
  let wallet: WalletActor
  const root = makeRoot('Trusted')

  beforeAll(async () => {
    await using anchors = await anchorFiles()
    const env = { TRUST_ANCHORS: await anchors.write('trusted', root), TRUSTED_ISSUERS: 'self,x5c' }
    service = await startService({ maintenance: false, env })
    wallet = await newWallet()
  })
  afterAll(() => service.close())

  /** Presents a credential. @returns the checks of its session, as a caller reads them */
  async function checksOf(credential: string, members: Readonly<Record<string, unknown>> = {}) {
    const asked = await ask(service, {
      responseMode: 'direct_post',
      dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] },
      ...members,
    })
    const payload = await fetchRequest(asked)
    const held = { id: '', format: 'dc+sd-jwt', credential } as const
    await answer(payload, { club: [await present(held, wallet, payload, { disclose: [] })] })
    const path = `/api/v1/verification-sessions/${asked.verificationSessionId}/checks`
    return {
      path,
      checks: (await service.request('GET', path, { client: true })).json.checks as Check[],
    }
  }
  const failedIn = (checks: readonly Check[]) => checks.find(({ outcome }) => outcome === 'failed')

  it('are beside the failed check, and the explanation takes them', async () => {
    const stranger = makeLeaf(makeRoot('Stranger'))
    const { checks, path } = await checksOf(await membership(stranger, wallet))
    const failed = failedIn(checks)
    expect(failed).toMatchObject({
      check: 'issuer-key',
      signer: { purpose: 'credentials', certificates: [stranger.x5c], types: [MEMBERSHIP] },
    })
    const explained = await listsOf(service).explain({
      certificate: PEM(failed?.signer?.certificates[0]),
      type: MEMBERSHIP,
    })
    expect(explained.json).toMatchObject({
      trusted: false,
      purpose: 'credentials',
      types: [MEMBERSHIP],
      end: 'The chain ends with CN=Club, which CN=Stranger has issued.',
    })
    // Only readers of the session read them.
    const other = await service.bearer('somebody', { roles: ['issuer'] })
    expect((await service.request('GET', path, { authorization: other })).json.checks).toBeUndefined()
  })

  it('are beside an issuer that is named, but not trusted by its name', async () => {
    const named = makeLeaf(root, { uri: ['https://club.example'] })
    const body = { trustedIssuers: ['https://other.example'] }
    const credential = await membership(named, wallet, { iss: 'https://club.example' })
    const failed = failedIn((await checksOf(credential, body)).checks)
    expect(failed).toMatchObject({ check: 'issuer-trust', signer: { certificates: [named.x5c] } })
  })

  it('are absent for a trusted issuer whose credential fails another check, and without certificates', async () => {
    const [head = '', payload = ''] = (await membership(makeLeaf(root), wallet)).split('.')
    const broken = failedIn((await checksOf(`${head}.${payload}.${'A'.repeat(86)}~`)).checks)
    expect(broken).toMatchObject({ check: 'signature' })
    expect(broken).not.toHaveProperty('signer')
  })

  it('attack: certificates that cannot be read, or that are very long, are not stored', async () => {
    const stranger = makeLeaf(makeRoot('Stranger'))
    const long = makeLeaf(makeRoot('Stranger'), { dns: Array.from({ length: 900 }, (_, at) => `host-${at}.example`) })
    for (const x5c of [[Buffer.from('no certificate').toString('base64')], [long.x5c, long.x5c], ['<script>']]) {
      const failed = failedIn((await checksOf(await membership(stranger, wallet, {}, { x5c }))).checks)
      expect(failed?.outcome).toBe('failed')
      expect(failed).not.toHaveProperty('signer')
    }
  })
})

describe('the certificates of the other side that a hosted wallet refuses', () => {
  let world: RegistrationWorld
  beforeAll(async () => {
    world = await startRegistrationWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const accessOf = (leaf: TestCertificate) => ({
    header: { x5c: [leaf.x5c] },
    signer: { ...world.verifier.key, privateJwk: leaf.privateKey.export({ format: 'jwk' }) },
    payload: { client_id: `x509_hash:${hash('sha256', leaf.certificate.raw, 'base64url')}` },
  })

  it('are in the error about a verifier that is not trusted', async () => {
    const stranger = makeLeaf(makeRoot('Stranger'), { subject: 'Shop' })
    const uri = await world.request(['degree'], undefined, accessOf(stranger) as object)
    const { status, error } = await startFlow(world.service, world.wallet, uri)
    expect(status).toBe(500)
    expect(error.data.messages[0]).toContain("The authorization request's signature is refused: ")
    expect(error.data.untrusted).toEqual({ purpose: 'verifiers', certificates: [stranger.x5c], types: [] })
    const explained = await listsOf(world.service).explain({ certificate: PEM(stranger.x5c), purpose: 'verifiers' })
    expect(explained.json).toMatchObject({ trusted: false, purpose: 'verifiers' })
    // The error envelope of REST stays as it is.
    const { authorization, did } = world.wallet
    const rest = await world.service.request('POST', '/flows', { authorization, body: { qrContent: uri, did } })
    expect(rest.text).not.toContain(stranger.x5c)
  })

  it('attack: are not in an error about a wrong signature of a trusted verifier', async () => {
    const uri = await world.request(['degree'], undefined, { signer: world.verifier.key })
    const { error } = await startFlow(world.service, world.wallet, uri)
    expect(error.data.messages[0]).toContain('signature is refused')
    expect(error.data).not.toHaveProperty('untrusted')
  })

  it('are in the registration of a verifier whose registrar is not trusted', async () => {
    const stranger = await makeRegistrar(world.world.registrar.statusUri)
    const data = await signRegistration(registrationMembers(world.shop, stranger, 7), stranger)
    const { data: started } = await startFlow(world.service, world.wallet, await world.request(['degree'], info(data)))
    expect(started.data.registration).toMatchObject({
      state: 'invalid',
      signer: { purpose: 'registrars', certificates: stranger.x5c },
      certificates: [],
    })
  })

  it('are in the error about a registrar that is not trusted, if every party needs a registration', async () => {
    await using required = await startRegistrationWorld({ WALLET_REGISTRATION: 'required' })
    const stranger = await makeRegistrar(required.world.registrar.statusUri)
    const data = await signRegistration(registrationMembers(required.shop, stranger, 7), stranger)
    const uri = await required.request(['degree'], info(data))
    const { error } = await startFlow(required.service, required.wallet, uri)
    expect(error.data.untrusted).toMatchObject({ purpose: 'registrars', certificates: stranger.x5c })
  })

  it('name the registrar of a registration that is in order', async () => {
    const uri = await world.request(['degree'], info(await world.certificate()))
    const { data: started } = await startFlow(world.service, world.wallet, uri)
    expect(started.data.registration).toMatchObject({
      state: 'registered',
      certificates: [{ name: world.shop.legalName, registrar: 'Demo registrar' }],
    })
  })

  it('are in the error about the issuer of an offer that is not trusted', async () => {
    await using anchors = await anchorFiles()
    const env = { ...LOOPBACK, TRUST_ANCHORS: await anchors.write('other', makeRoot('C=DE/Other')) }
    await using service = await startService({ maintenance: false, env })
    const issuer = await makeIssuer(makeRoot('C=DE/Unknown'), YEARS)
    await using remote = await startRemoteIssuer({
      forge: (_, { publicJwk }) => licenceFor(issuer, publicJwk, { doctype: DIPLOMA_DOCTYPE }),
    })
    const wallet = await newHosted(service)
    const { data: started } = await startFlow(service, wallet, await remote.offer([DIPLOMA_MDOC]))
    const { status, error } = await rpc(service, wallet.authorization, 'flows.confirm', {
      processId: started.data.processId,
      type: 'claim',
      selectedCredential: {},
    })
    expect(status).toBe(500)
    expect(error.data.untrusted).toMatchObject({ purpose: 'credentials', types: [DIPLOMA_DOCTYPE] })
    expect(error.data.untrusted.certificates).toHaveLength(1)
    const explained = await listsOf(service).explain({ certificate: PEM(error.data.untrusted.certificates[0]) })
    expect(explained.json.trusted).toBe(false)
  })
})
