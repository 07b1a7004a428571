import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DIPLOMA,
  DIPLOMA_JWT,
  DIPLOMA_SD_JWT,
  type RemoteIssuer,
  type RemoteIssuerOptions,
  startRemoteIssuer,
} from '../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'
import { newRemoteKey } from '../support/wallet-callbacks.js'
import { remoteIssuerMetadata } from '../support/wallet-remote-credentials.js'
import { newRemoteDeferral } from '../support/wallet-remote-deferral.js'
import { askDue } from './deferred-actors.js'
import { compactOf, requestsTo, taking } from './taking.js'

let service: TestService
let verifier: RemoteVerifier
let issuer: RemoteIssuer
let wallet: HostedWallet

beforeAll(async () => {
  service = await startService({ env: LOOPBACK, maintenance: false })
  verifier = await startRemoteVerifier()
  issuer = await startRemoteIssuer({ unbound: true })
  wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer())
  expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 2])
})
afterAll(async () => {
  await service.close()
  await verifier.close()
  await issuer.close()
})

const configurationsAt = (url: string) =>
  remoteIssuerMetadata(url, { unbound: true }).credential_configurations_supported

const UNBOUND = 'The verifier wants proof of a key, but the matching credential is bound to no key.'

const QUERIES: readonly (readonly [string, () => Readonly<Record<string, unknown>>])[] = [
  ['dc+sd-jwt', () => ({ vct_values: [`${issuer.url}/vct/diploma`] })],
  ['jwt_vc_json', () => ({ type_values: [[DIPLOMA_JWT]] })],
]

describe('if the metadata name no binding method, a hosted wallet (OpenID4VCI 1.0 §8.2, §12.2.4)', () => {
  it('sends no proof, asks for no nonce, and takes one copy', async () => {
    await using taken = await taking(service, { unbound: true, batchSize: 3 }, { copies: 3 })
    expect([taken.answer.status, taken.answer.json.credentials?.length], taken.answer.text).toEqual([200, 2])
    for (const { text } of requestsTo(taken.issuer, '/credential'))
      expect(Object.keys(JSON.parse(text))).toEqual(['credential_configuration_id'])
    expect(requestsTo(taken.issuer, '/nonce')).toEqual([])
    expect([...taken.issuer.notifications].sort()).toEqual([
      `${DIPLOMA_JWT} credential_accepted`,
      `${DIPLOMA_SD_JWT} credential_accepted`,
    ])
  })

  it.each([
    ['an empty list', []],
    ['a list without a name', [5, null]],
  ])('does the same if the metadata have %s as binding methods, and no proof type', async (_, methods) => {
    const metadata = (url: string) => ({
      credential_configurations_supported: Object.fromEntries(
        Object.entries(configurationsAt(url)).map(([id, configuration]) => [
          id,
          { ...configuration, cryptographic_binding_methods_supported: methods, proof_types_supported: {} },
        ]),
      ),
    })
    await using taken = await taking(service, { unbound: true, metadata })
    expect([taken.answer.status, taken.answer.json.credentials?.length], taken.answer.text).toEqual([200, 2])
  })

  it('lists the taken credential and shows its claims', async () => {
    const listed = (await wallet.get('/credentials')).json
    expect(listed.map(({ status, format }: Record<string, string>) => [status, format]).sort()).toEqual([
      ['valid', 'dc+sd-jwt'],
      ['valid', 'jwt_vc_json'],
    ])
    const sdJwt = listed.find(({ format }: { format: string }) => format === 'dc+sd-jwt')
    expect((await wallet.get(`/credentials/${sdJwt.id}`)).json.claims).toMatchObject(DIPLOMA)
    expect((await wallet.get(`/credentials/${sdJwt.id}`)).json.claims).not.toHaveProperty('cnf')
  })

  it('takes credentials by identifiers too', async () => {
    await using taken = await taking(service, { unbound: true, identifiers: true })
    expect([taken.answer.status, taken.answer.json.credentials?.length], taken.answer.text).toEqual([200, 2])
  })

  it('takes a deferred credential', async () => {
    const deferral = newRemoteDeferral()
    await using taken = await taking(service, { unbound: true, deferral })
    expect([taken.answer.status, taken.answer.json.deferred], taken.answer.text).toEqual([200, 2])
    deferral.decision = 'approved'
    await askDue(service)
    expect((await taken.wallet.get('/credentials')).json).toHaveLength(2)
  })

  it('takes a credential of an issuer of 1.0 whose metadata could also be of a draft', async () => {
    // The metadata have one format of W3C credentials, no nonce endpoint and nothing to display. So no member shows the
    // version.
    await using tickets = await startRemoteIssuer({
      unbound: true,
      metadata: (url) => {
        const { credential_metadata: _, ...configuration } = configurationsAt(url)[DIPLOMA_JWT] as Record<
          string,
          unknown
        >
        return { nonce_endpoint: undefined, credential_configurations_supported: { [DIPLOMA_JWT]: configuration } }
      },
    })
    const taken = await (await newWallet(service)).process(await tickets.offer([DIPLOMA_JWT]))
    expect([taken.status, taken.json.credentials?.length], taken.text).toEqual([200, 1])
    expect(Object.keys(JSON.parse(requestsTo(tickets, '/credential').at(-1)?.text ?? '{}'))).toEqual([
      'credential_configuration_id',
    ])
  })

  /** Metadata with a type of proof, and without a binding method. */
  const proofsAlone = (url: string) => ({
    credential_configurations_supported: Object.fromEntries(
      Object.entries(configurationsAt(url)).map(([id, configuration]) => [
        id,
        { ...configuration, proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } } },
      ]),
    ),
  })
  const unbound: NonNullable<RemoteIssuerOptions['forge']> = (self, _holder, format) =>
    format === 'dc+sd-jwt' ? self.signSdJwtVc(undefined) : self.signJwtVc(undefined)

  it('proves a key where they name a type of proof, and takes a credential with or without a key', async () => {
    for (const forge of [unbound, undefined]) {
      await using taken = await taking(service, { metadata: proofsAlone, ...(forge === undefined ? {} : { forge }) })
      expect([taken.answer.status, taken.answer.json.credentials?.length], taken.answer.text).toEqual([200, 2])
      for (const { text } of requestsTo(taken.issuer, '/credential'))
        expect(Object.keys(JSON.parse(text))).toEqual(['credential_configuration_id', 'proofs'])
      const query = {
        credentials: [
          { id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${taken.issuer.url}/vct/diploma`] } },
        ],
      }
      const shown = await taken.wallet.process(await verifier.request(query))
      expect([shown.status, shown.json.message]).toEqual(forge === undefined ? [200, undefined] : [500, UNBOUND])
    }
  })

  it('takes such a credential later too', async () => {
    const deferral = newRemoteDeferral()
    await using taken = await taking(service, { metadata: proofsAlone, forge: unbound, deferral })
    expect([taken.answer.status, taken.answer.json.deferred], taken.answer.text).toEqual([200, 2])
    deferral.decision = 'approved'
    await askDue(service)
    expect((await taken.wallet.get('/credentials')).json).toHaveLength(2)
  })

  it('does not take a credential without a key where they name a binding method', async () => {
    await using taken = await taking(service, { forge: unbound })
    expect([taken.answer.status, taken.answer.json.message]).toEqual([
      500,
      'Credential is not bound to a key of this wallet.',
    ])
  })

  it.each<[string, NonNullable<RemoteIssuerOptions['forge']>]>([
    ['an SD-JWT VC with cnf', async (self) => self.signSdJwtVc((await newRemoteKey()).publicJwk)],
    [
      'a JWT VC with cnf',
      async (self) => self.signJwtVc(undefined, { cnf: { jwk: (await newRemoteKey()).publicJwk } }),
    ],
    ['a JWT VC for a DID', async (self) => self.signJwtVc((await newRemoteKey()).did)],
  ])('does not take %s, which is bound to another holder’s key', async (what, forge) => {
    await using taken = await taking(service, { unbound: true, forge })
    expect(taken.answer.json.message).toMatch(/bound to a key|another format/)
    expect((await taken.wallet.get('/credentials')).json, what).toEqual([])
  })
})

describe.each(QUERIES)('a %s that is bound to no key', (format, meta) => {
  const asked = (members: Readonly<Record<string, unknown>>) =>
    verifier.request({ credentials: [{ id: 'diploma', format, meta: meta(), ...members }] })

  it('is presented without a proof if the query demands none (OpenID4VP 1.0 §6.1)', async () => {
    const answer = await wallet.process(await asked({ require_cryptographic_holder_binding: false }))
    expect(answer.status, answer.text).toBe(200)
    const presented = String(verifier.responses.at(-1)?.presentations.diploma?.[0])
    const [credential] = (await wallet.get('/credentials')).json.filter(
      (one: { format: string }) => one.format === format,
    )
    const compact = await compactOf(wallet, credential)
    expect(presented.split('~')[0]).toBe(compact.split('~')[0])
    if (format === 'dc+sd-jwt') expect(presented.endsWith('~')).toBe(true)
  })

  it.each([undefined, true])('is not a candidate if the query says %s', async (required) => {
    const before = [verifier.responses.length, verifier.refusals.length]
    const answer = await wallet.process(await asked({ require_cryptographic_holder_binding: required }))
    expect([answer.status, answer.json.message]).toEqual([500, UNBOUND])
    expect([verifier.responses.length, verifier.refusals.length]).toEqual(before)
  })

  it('is not preferred to a bound credential', async () => {
    await using bound = await startRemoteIssuer()
    const both = await newWallet(service)
    expect((await both.process(await bound.offer())).status).toBe(200)
    expect((await both.process(await issuer.offer())).status).toBe(200)
    const vcts = { vct_values: [`${issuer.url}/vct/diploma`, `${bound.url}/vct/diploma`] }
    const answer = await both.process(await asked({ meta: format === 'dc+sd-jwt' ? vcts : meta() }))
    expect(answer.status, answer.text).toBe(200)
    const { credentials } = (await both.get('/presentations')).json[0]
    const shown = (await both.get(`/credentials/${credentials[0].credentialId}`)).json
    expect(shown.credentialIssuer).toBe(bound.url)
  })
})
