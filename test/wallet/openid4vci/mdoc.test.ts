import { Document } from '@auth0/mdl'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { issuerSignedOf } from '../../protocol/mdoc/auth0.js'
import { query } from '../../support/postgres.js'
import {
  DIPLOMA_DOCTYPE,
  DIPLOMA_MDOC,
  type RemoteIssuerOptions,
  startRemoteIssuer,
} from '../../support/remote-issuer.js'
import { startService } from '../../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { newRemoteDeferral } from '../../support/wallet-remote-deferral.js'
import { newRemoteEncryption } from '../../support/wallet-remote-encryption.js'
import { askDue } from '../deferred-actors.js'
import { CLAIMS, DOCTYPE, LICENCE, MDOC, type MdocWorld, MORE, makeMdocWorld, NAMESPACE } from '../mdoc-world.js'

let world: MdocWorld
beforeAll(async () => {
  world = await makeMdocWorld()
})
afterAll(() => world.close())

const listed = async (wallet: HostedWallet) => (await wallet.get('/credentials')).json
const detailOf = async (wallet: HostedWallet, id: string) => (await wallet.get(`/credentials/${id}`)).json

/** The elements of CLAIMS, as JSON. */
const ELEMENTS = {
  [NAMESPACE]: {
    family_name: CLAIMS.name.family,
    given_name: CLAIMS.name.given,
    birth_date: CLAIMS.birthDate,
    issue_date: CLAIMS.issued,
    portrait: 'AAH-_w',
    height: CLAIMS.height,
    driving_privileges: CLAIMS.privileges,
  },
  [MORE]: { organ_donor: true },
}

describe('a hosted wallet takes mobile documents of another installation', () => {
  it('from an offer that is bound to its did:web, which no other wallet can take', async () => {
    const [wallet, stranger] = await Promise.all([newWallet(world.a, 'alice', 'web'), newWallet(world.a, 'bob', 'web')])
    const offering = await world.b.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: LICENCE, credential_subject: CLAIMS, recipient: wallet.did },
    })
    const refused = await stranger.process(offering.json.offering_full_url)
    expect([refused.json.message, await listed(stranger)]).toEqual([expect.stringContaining('another recipient'), []])
    const taken = await wallet.process(offering.json.offering_full_url)
    expect(taken.status, taken.text).toBe(200)
    expect(await listed(wallet)).toContainEqual(
      expect.objectContaining({ format: 'mso_mdoc', type: [DOCTYPE], configurationId: MDOC }),
    )
  })

  it('together with the other formats of one offer, by a pre-authorized code; it lists docType and issuer', async () => {
    const wallet = await world.holding({})
    const credentials = await listed(wallet)
    expect(credentials.map(({ format }: { format: string }) => format).sort()).toEqual([
      'dc+sd-jwt',
      'jwt_vc_json',
      'mso_mdoc',
    ])
    const held = credentials.find(({ format }: { format: string }) => format === 'mso_mdoc')
    expect(held).toEqual({
      id: expect.any(String),
      format: 'mso_mdoc',
      display: { name: 'DrivingLicence', locale: 'en' },
      type: [DOCTYPE],
      issuer: 'https://127.0.0.1',
      issuerName: new URL(world.b.url).host,
      credentialIssuer: world.b.url,
      configurationId: MDOC,
      status: 'valid',
      issuedAt: expect.any(String),
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    })
    const detail = await detailOf(wallet, held.id)
    expect(detail.claims).toEqual(ELEMENTS)
    const { validityInfo } = readMdoc(detail.credential)
    expect([Date.parse(held.issuedAt), Date.parse(held.expiresAt)]).toEqual([
      validityInfo.signed.getTime(),
      validityInfo.validUntil.getTime(),
    ])
  })

  it('in copies, each bound to another key', async () => {
    const wallet = await world.holding({ credentialConfigurationIds: [MDOC] }, { copies: 3 })
    const rows = await query<{ kid: string; compact: string }>(
      world.a.databaseUrl,
      'SELECT p.kid, p.compact FROM wallet_credential_copies p JOIN wallet_credentials c ON c.id = p.credential_id WHERE c.holder_id = $1',
      [wallet.id],
    )
    expect(new Set(rows.map(({ kid }) => kid)).size).toBe(3)
  })

  it('that are deferred, after their approval', async () => {
    const offered = await world.offer({ credentialConfigurationIds: [MDOC], deferred: true })
    const wallet = await newWallet(world.a)
    const taken = await wallet.process(offered.credentialOfferUri)
    expect(taken.json).toEqual({ type: 'credential_offer', credentials: [], deferred: 1 })
    expect((await world.decide(offered, 'approve')).status).toBe(200)
    await askDue(world.a)
    expect(await listed(wallet)).toMatchObject([{ format: 'mso_mdoc', type: [DOCTYPE] }])
  })

  it('and reads their status from the list as a CWT', async () => {
    const wallet = await world.holding()
    await world.revoke(wallet)
    expect(await listed(wallet)).toMatchObject([{ status: 'revoked' }])
  })

  it('attack: stored documents are protected', async () => {
    await using protecting = await startService({
      env: {
        ...LOOPBACK,
        TRUST_ANCHORS: world.rootFile,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    })
    const wallet = await newWallet(protecting)
    expect((await wallet.process((await world.offer()).credentialOfferUri)).status).toBe(200)
    const rows = await query(
      protecting.databaseUrl,
      'SELECT c.content, p.compact FROM wallet_credential_copies p JOIN wallet_credentials c ON c.id = p.credential_id',
    )
    expect(rows).toHaveLength(3)
    for (const { content, compact } of rows) {
      // A compact JWE: characters of base64url, in five parts.
      expect(content).toMatch(/^(?:[\w-]*\.){4}[\w-]+$/)
      expect(() => readMdoc(String(compact))).toThrow('Credential is not base64url.')
    }
  })
})

describe('a hosted wallet takes mobile documents of an independent issuer', () => {
  /** Signs with @auth0/mdl, an independent library. */
  // The library's type of a JWK is narrower than the JWKs that Node.js exports and wallets send.
  const diploma = async (publicJwk: object): Promise<string> => {
    const document = await new Document(DIPLOMA_DOCTYPE)
      .addIssuerNameSpace('example.diploma', { degree: 'Laurea', sealed: Buffer.from([1, 2]) })
      .useDigestAlgorithm('SHA-512')
      .addValidityInfo({ signed: new Date(), validUntil: new Date(Date.now() + 86_400_000) })
      .addDeviceKeyInfo({ deviceKey: publicJwk as never })
      .sign({
        issuerPrivateKey: { ...world.issuer.privateKey.export({ format: 'jwk' }), kid: 'issuer' } as never,
        issuerCertificate: String(world.issuer.certificate),
        alg: 'ES256',
      })
    return issuerSignedOf(document)
  }

  const taking = async (options: RemoteIssuerOptions, more: Readonly<Record<string, unknown>> = {}) => {
    const remote = await startRemoteIssuer({ forge: (_, { publicJwk }) => diploma(publicJwk), ...options })
    const wallet = await newWallet(world.a)
    const answer = await wallet.process(await remote.offer([DIPLOMA_MDOC]), more)
    return { remote, wallet, answer, [Symbol.asyncDispose]: () => remote.close() }
  }

  const expectTaken = async (wallet: HostedWallet) =>
    expect(await listed(wallet)).toMatchObject([
      { format: 'mso_mdoc', type: [DIPLOMA_DOCTYPE], issuer: 'https://issuer.example', status: 'valid' },
    ])

  it('without a status', async () => {
    await using took = await taking({})
    expect(took.answer.status, took.answer.text).toBe(200)
    await expectTaken(took.wallet)
    expect(took.remote.notifications).toEqual([`${DIPLOMA_MDOC} credential_accepted`])
    const [{ id }] = await listed(took.wallet)
    expect((await detailOf(took.wallet, id)).claims).toEqual({ 'example.diploma': { degree: 'Laurea', sealed: 'AQI' } })
  })

  it('by an authorization code', async () => {
    await using took = await taking({ authorization: 'immediate' })
    expect(took.answer.status, took.answer.text).toBe(200)
    await expectTaken(took.wallet)
  })

  it('in an encrypted answer (OpenID4VCI 1.0 §10)', async () => {
    const encryption = await newRemoteEncryption({ required: 'answers' })
    await using took = await taking({ encryption })
    expect(took.answer.status, took.answer.text).toBe(200)
    expect(encryption.asked).toHaveLength(1)
    await expectTaken(took.wallet)
  })

  it('in a batch, and deferred', async () => {
    const deferral = newRemoteDeferral()
    await using took = await taking({ batchSize: 2, deferral }, { copies: 2 })
    expect(took.answer.json.deferred, took.answer.text).toBe(1)
    deferral.decision = 'approved'
    await askDue(world.a)
    await expectTaken(took.wallet)
  })
})

describe('an installation without TRUST_ANCHORS, which cannot verify the issuer of a mobile document', () => {
  it('takes and requests no mobile document, and takes the other formats of the offer', async () => {
    await using plain = await startService({ env: LOOPBACK })
    const wallet = await newWallet(plain)
    const offered = await world.offer()
    expect((await wallet.process(offered.credentialOfferUri)).json.credentials).toHaveLength(2)
    const [row] = await query<{ count: string }>(
      world.b.databaseUrl,
      `SELECT count(*) FROM credential_instances i JOIN redemptions r ON r.credential_id = i.credential_id
       WHERE r.offering_id = $1 AND i.format = 'mso_mdoc'`,
      [offered.credentialOfferSessionId],
    )
    expect(Number(row?.count)).toBe(0)
    const alone = await wallet.process((await world.offer({ credentialConfigurationIds: [MDOC] })).credentialOfferUri)
    expect([alone.status, alone.json.message]).toEqual([
      500,
      'The offer holds no credential of a format that this wallet knows.',
    ])
  })
})
