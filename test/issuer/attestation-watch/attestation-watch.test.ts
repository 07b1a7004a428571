import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Signer } from '../../../server/protocol/jose/jws.js'
import { MAX_STATUS_LIST_BYTES } from '../../../server/protocol/status-list/compression.js'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { type Issuer, PRE_AUTHORIZED, payloadOf, refusalOf, startIssuer } from '../openid4vci/actors.js'
import {
  type Changes,
  knownWallet,
  newProvider,
  type Provider,
  popOf,
  trusting,
} from '../openid4vci/attestation-actors.js'

const CLIENT = 'https://pocket.example'
const WATCHED = 'Watched-sd-jwt'
const DAY = 24 * 60 * 60
const SIZE = 1_024

let web: WebServer
let elsewhere: WebServer
let provider: Provider
let env: Record<string, string>
let issuer: Issuer
/** A second process of the installation. */
let second: TestService
let instance: WalletActor
let made = 0
/** The address of the list of the running test, and its path. */
let uri: string
let path: string

beforeAll(async () => {
  web = await startWebServer()
  elsewhere = await startWebServer()
  provider = await newProvider()
  instance = await newWallet()
  env = {
    ...(await trusting([knownWallet(CLIENT, ['pocket:done'], provider)])),
    OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}`,
  }
  issuer = await startIssuer({ env, maintenance: false })
  const { databaseUrl, identityProvider, url } = issuer.service
  second = await startService({
    env: { ...env, ISSUER_BASE_URL: url, VERIFIER_BASE_URL: url },
    databaseUrl,
    identityProvider,
    maintenance: false,
  })
  for (const [name, watchAttestations] of [
    ['Watched', true],
    ['Plain', false],
  ] as const) {
    const body = {
      name,
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } } },
      watchAttestations,
      suspendable: true,
    }
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body,
    })
    expect(posted.status, posted.text).toBe(201)
    expect(posted.json.watchAttestations).toBe(watchAttestations ? true : undefined)
  }
})
afterAll(async () => {
  await second.close()
  await issuer.service.close()
  await web[Symbol.asyncDispose]()
  await elsewhere[Symbol.asyncDispose]()
})

beforeEach(async () => {
  made += 1
  path = `/list-${made}`
  uri = `http://127.0.0.1:${web.port}${path}`
  await publish([])
})

const later = (seconds: number): Date => new Date(Date.now() + seconds * 1000)

interface Published {
  readonly suspended?: readonly number[]
  readonly by?: Signer
  readonly iss?: string
  readonly size?: number
  readonly kid?: string
}

/** Publishes the list of the running test. It is valid for a year, because the tests set the clock forward. */
async function publish(revokedIndices: readonly number[], changes: Published = {}): Promise<void> {
  const { by = provider.signer, iss = provider.iss, size = SIZE, suspended, kid = 'provider-key' } = changes
  const body = await createTokenStatusList({
    signer: by,
    issuer: iss,
    issuerKid: kid,
    uri,
    revokedIndices,
    ...(suspended === undefined ? {} : { suspendedIndices: suspended }),
    size,
    issuedAt: new Date(),
    expiresAt: later(365 * DAY),
    ttlSeconds: 60,
  })
  web.documents.set(path, { body, type: 'application/statuslist+jwt' })
}

const statusAt = (idx: number, at = uri) => ({ status_list: { uri: at, idx } })
const lasting = (idx: number, days = 60) => ({
  status: statusAt(idx),
  exp: Math.floor(Date.now() / 1000) + days * DAY,
})

async function attested(changes: Changes): Promise<Record<string, string>> {
  return {
    'oauth-client-attestation': await provider.attest(CLIENT, instance, changes),
    'oauth-client-attestation-pop': await popOf(instance, issuer.service.url),
  }
}

interface Attested {
  /** Members of the wallet attestation; a wallet without them has no attestation. */
  readonly wallet?: Readonly<Record<string, unknown>>
  /** Members of the key attestation; keys without them have none. */
  readonly key?: Readonly<Record<string, unknown>>
  readonly type?: string
}

async function tokenOf(offerId: string, wallet: Attested['wallet']): Promise<Answer> {
  const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(offerId) }
  return issuer.requestToken(form, wallet === undefined ? {} : { headers: await attested({ payload: wallet }) })
}

async function asked(token: string, { key, type = WATCHED }: Attested): Promise<Answer> {
  const nonce = await issuer.nonce()
  const keys = await newWallet()
  const proofs =
    key === undefined
      ? { jwt: [await keys.proof(issuer.service.url, nonce)] }
      : { attestation: [await provider.attestKeys([keys.publicJwk], nonce, { payload: key })] }
  return issuer.requestCredential(token, { credential_configuration_id: type, proofs })
}

const offered = async (type = WATCHED, members = {}): Promise<string> =>
  (
    await issuer.makeOffer({
      credentialConfigurationIds: [type],
      credentialSubject: { product: 'Mill' },
      ...members,
    })
  ).credentialOfferSessionId

interface Taken {
  readonly id: string
  readonly compact: string
}

async function recordOf(offerId: string): Promise<string> {
  const [row] = await query(
    issuer.service.databaseUrl,
    `SELECT credential_id FROM redemptions WHERE offering_id = '${offerId}'`,
  )
  return String(row?.credential_id)
}

/** Issues a credential to a wallet with these attestations. */
async function taken(attestations: Attested): Promise<Taken> {
  const offer = await offered(attestations.type)
  const token = await tokenOf(offer, attestations.wallet)
  expect(token.status, token.text).toBe(200)
  const answer = await asked(token.json.access_token, attestations)
  expect(answer.status, answer.text).toBe(200)
  return { id: await recordOf(offer), compact: answer.json.credentials[0].credential }
}

const tasksOf = (service: Pick<TestService, 'features'>) => service.features.attestationWatch.tasks

/** Runs the maintenance of one process at a time. */
async function maintain(now: Date, service: Pick<TestService, 'features'> = issuer.service): Promise<void> {
  for (const task of tasksOf(service)) await runTask(task, now)
}

async function historyOf(id: string): Promise<Answer['json']> {
  const answer = await issuer.service.request('GET', `/api/v1/credentials/${id}/history`, {
    authorization: await issuer.service.bearer('root', { roles: ['admin'] }),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const statusOf = async ({ id }: Taken): Promise<string> => (await historyOf(id)).credential.status

/** The number of requests for the list of the running test. */
const reads = (): number => web.requests.filter((requested) => requested === path).length

/** The line of the checklist about the lists of wallet providers. */
async function checklist(): Promise<Answer['json']> {
  const answer = await issuer.service.request('GET', '/api/v1/setup?ask=false', {
    authorization: await issuer.service.bearer('root', { roles: ['admin'] }),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.items.find(({ id }: { id: string }) => id === 'attestationLists')
}

describe('an attestation that is revoked after the issuance (TS3 v1.5 §2.4.3)', () => {
  it.each<[string, () => Attested]>([
    ['the wallet instance in client_status', () => ({ wallet: { client_status: lasting(7) } })],
    ['the key storage in key_storage_status', () => ({ key: { key_storage_status: lasting(7) } })],
    ['the wallet attestation in status', () => ({ wallet: { status: statusAt(7) } })],
    ['the key attestation in status', () => ({ key: { status: statusAt(7) } })],
  ])('revokes the credential: %s', async (_name, attestations) => {
    const credential = await taken(attestations())
    await maintain(later(DAY))
    expect(await statusOf(credential)).toBe('active')
    await publish([7])
    await maintain(later(2 * DAY))
    const { credential: record, events } = await historyOf(credential.id)
    expect([record.status, record.reason]).toEqual(['revoked', 'keyCompromise'])
    const revocations = events.filter(({ action }: { action: string }) => action === 'credential.revoked')
    expect(revocations).toMatchObject([{ detail: { reason: 'keyCompromise' } }])
    expect(revocations[0]).not.toHaveProperty('actor')
    const verdict = await issuer.service.request('POST', '/credentials/verify', {
      authorization: await issuer.authorization(),
      body: { credential: credential.compact },
    })
    expect(verdict.text).toContain('Credential has been revoked.')
  })

  it('changes nothing for a type without watchAttestations, whose attestations are not stored', async () => {
    const credential = await taken({ wallet: { client_status: lasting(7) }, type: 'Plain-sd-jwt' })
    const before = reads()
    await publish([7])
    await maintain(later(DAY))
    expect(await statusOf(credential)).toBe('active')
    expect(reads()).toBe(before)
    const stored = await query(
      issuer.service.databaseUrl,
      `SELECT 1 FROM watched_attestations WHERE credential_id = '${credential.id}'`,
    )
    expect(stored).toEqual([])
  })

  it('revokes only the credentials of this attestation', async () => {
    const [lost, kept] = [
      await taken({ wallet: { client_status: lasting(7) } }),
      await taken({ wallet: { client_status: lasting(8) } }),
    ]
    await publish([7])
    await maintain(later(DAY))
    expect([await statusOf(lost), await statusOf(kept)]).toEqual(['revoked', 'active'])
  })

  it('is found within 24 hours, and each list is read once for all its credentials', async () => {
    for (let count = 0; count < 3; count += 1) await taken({ wallet: { client_status: lasting(count) } })
    const before = reads()
    await maintain(later(DAY / 2))
    expect(reads()).toBe(before)
    await maintain(later(DAY))
    await maintain(later(DAY + 3_600))
    expect(reads()).toBe(before + 1)
  })

  it('is no longer looked at when the provider stops to maintain its status, or when the credential is revoked', async () => {
    await taken({ wallet: { client_status: lasting(7, 2) } })
    const revoked = await taken({ wallet: { client_status: lasting(8) } })
    const answer = await issuer.service.request('POST', `/api/v1/credentials/${revoked.id}/revoke`, { client: true })
    expect(answer.status, answer.text).toBeLessThan(300)
    await maintain(later(DAY))
    const before = reads()
    expect(before).toBeGreaterThan(0)
    await publish([7])
    await maintain(later(3 * DAY))
    expect(reads()).toBe(before)
  })

  it('of a waiting wallet revokes the credential that the wallet takes later', async () => {
    const offer = await offered(WATCHED, { deferred: true })
    const token = (await tokenOf(offer, { client_status: lasting(20) })).json.access_token
    const waiting = await asked(token, { key: { key_storage_status: lasting(21) } })
    expect(waiting.status, waiting.text).toBe(202)
    expect((await issuer.decide(offer, 'approve')).status).toBe(200)
    expect((await issuer.collect(token, waiting.json.transaction_id)).status).toBe(200)
    const id = await recordOf(offer)
    const rows = await query(
      issuer.service.databaseUrl,
      `SELECT kind, idx FROM watched_attestations WHERE credential_id = '${id}' ORDER BY idx`,
    )
    expect(rows).toEqual([
      { kind: 'wallet', idx: 20 },
      { kind: 'key', idx: 21 },
    ])
    await publish([21])
    await maintain(later(DAY))
    expect((await historyOf(id)).credential.status).toBe('revoked')
  })

  it('is revoked once by two processes at midnight', async () => {
    const credentials: Taken[] = []
    for (let count = 0; count < 6; count += 1) credentials.push(await taken({ wallet: { client_status: lasting(7) } }))
    await publish([7])
    const midnight = later(DAY)
    const before = reads()
    await Promise.all([maintain(midnight), maintain(midnight, second)])
    // The process that found no list may have looked before the other process marked the credentials.
    await Promise.all([maintain(midnight), maintain(midnight, second)])
    expect(reads()).toBe(before + 1)
    const ids = credentials.map(({ id }) => `'${id}'`).join(', ')
    const rows = await query(
      issuer.service.databaseUrl,
      `SELECT subject_id, count(*)::int AS times FROM audit_events WHERE action = 'credential.revoked' AND subject_id IN (${ids}) GROUP BY 1`,
    )
    expect(rows.map(({ times }) => times)).toEqual(credentials.map(() => 1))
  })
})

describe('a list that cannot be read is reported, and revokes nothing', () => {
  it.each<[string, () => Promise<void>, string]>([
    ['a list that is gone', async () => void web.documents.delete(path), '404'],
    [
      'a list that is signed by another provider',
      async () => {
        const other = await newProvider('https://other.example')
        await publish([7], { by: other.signer, iss: other.iss })
      },
      'is not from a trusted provider',
    ],
    [
      'a list that another key signed in the name of the provider',
      async () => publish([7], { by: (await newProvider()).signer }),
      'signature',
    ],
    [
      'a list that is too large',
      async () => void web.documents.set(path, { body: 'x'.repeat(MAX_STATUS_LIST_BYTES + 1), type: 'text/plain' }),
      'more than',
    ],
    [
      'a list that redirects to a private address',
      async () => {
        elsewhere.documents.set('/list', { body: (web.documents.get(path) ?? { body: '' }).body })
        web.documents.set(path, { body: '', status: 302, location: `http://127.0.0.1:${elsewhere.port}/list` })
      },
      'not',
    ],
    [
      'a list that redirects to itself',
      async () => void web.documents.set(path, { body: '', status: 302, location: uri }),
      'redirects more than',
    ],
    ['a list that ends before the index', () => publish([], { size: 8 }), 'ends before the index'],
  ])('%s', async (_name, spoil, reason) => {
    const credential = await taken({ wallet: { client_status: lasting(700) } })
    const good = web.documents.get(path)
    await spoil()
    await maintain(later(DAY))
    expect(await statusOf(credential)).toBe('active')
    expect(elsewhere.requests).toEqual([])
    const alert = await checklist()
    expect(alert.state).toBe('failed')
    expect(alert.sentence).toContain(reason)
    // It is tried again after an hour, and the alert ends.
    if (good !== undefined) web.documents.set(path, good)
    await maintain(later(DAY + 3_601))
    expect((await checklist()).state).toBe('ok')
    await publish([700])
    await maintain(later(3 * DAY))
    expect(await statusOf(credential)).toBe('revoked')
  })

  it('a suspended attestation changes nothing', async () => {
    const credential = await taken({ wallet: { client_status: lasting(7) } })
    await publish([8], { suspended: [7] })
    await maintain(later(DAY))
    expect(await statusOf(credential)).toBe('active')
    expect((await checklist()).state).toBe('ok')
  })
})

describe('the period of a status (TS3 v1.5 §2.4)', () => {
  const published = async () => (await issuer.service.request('GET', '/.well-known/openid-credential-issuer')).json

  it('is preferred in the metadata of types with watchAttestations: at the top, and where key attestations are required', async () => {
    const body = {
      name: 'Yearly',
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } } },
      expiresInDays: 365,
      keyAttestation: {},
      watchAttestations: true,
    }
    const before = await published()
    // Every wallet provider maintains a status for 31 days at least.
    expect(before.preferred_client_status_period).toBe(31 * DAY)
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body,
    })
    expect(posted.status, posted.text).toBe(201)
    const metadata = await published()
    expect(metadata.preferred_client_status_period).toBe(366 * DAY)
    const configurations = metadata.credential_configurations_supported
    for (const proof of ['jwt', 'attestation'])
      expect(configurations['Yearly-sd-jwt'].proof_types_supported[proof].key_attestations_required).toEqual({
        preferred_key_storage_status_period: 366 * DAY,
      })
    expect(JSON.stringify(configurations['Plain-sd-jwt'])).not.toContain('status_period')
    expect(JSON.stringify(configurations[WATCHED])).not.toContain('status_period')
  })

  it('limits the validity of the credential, to whole days', async () => {
    const { compact } = await taken({
      wallet: { client_status: lasting(7, 60) },
      key: { key_storage_status: lasting(8, 40) },
    })
    const { exp, iat } = payloadOf(compact)
    expect(exp - iat).toBe(39 * DAY)
    const unlimited = payloadOf((await taken({ wallet: { status: statusAt(7) } })).compact)
    expect(unlimited).not.toHaveProperty('exp')
  })

  it('must go beyond the beginning of the validity', async () => {
    const type = 'Later-sd-jwt'
    const body = {
      name: 'Later',
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } } },
      watchAttestations: true,
      validFrom: later(30 * DAY).toISOString(),
    }
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body,
    })
    expect(posted.status, posted.text).toBe(201)
    const { nbf, exp } = payloadOf((await taken({ wallet: { client_status: lasting(7, 60) }, type })).compact)
    expect(exp).toBeGreaterThan(nbf)
    // The credential would expire before it becomes valid.
    for (const attestations of [
      { wallet: { client_status: lasting(7, 20) } },
      { key: { key_storage_status: lasting(7, 20) } },
    ]) {
      const token = await tokenOf(await offered(type), attestations.wallet)
      const refused = await asked(token.json.access_token, { ...attestations, type })
      expect(refusalOf(refused)).toEqual([
        400,
        'credential_request_denied',
        'The status of an attestation is not maintained until the credential is valid.',
      ])
    }
  })

  it.each([0.5, -1])('that ends in %s days is too short', async (days) => {
    const token = await tokenOf(await offered(), { client_status: lasting(7, days) })
    expect(token.status, token.text).toBe(200)
    expect(refusalOf(await asked(token.json.access_token, {}))).toEqual([
      400,
      'credential_request_denied',
      'The status of an attestation is maintained for less than a day.',
    ])
  })
})

describe('attacks at the issuance', () => {
  it.each<[string, () => Readonly<Record<string, unknown>>, string]>([
    [
      'a list at a private address',
      () => ({ client_status: { status: statusAt(7, `http://127.0.0.1:${elsewhere.port}/list`) } }),
      'cannot be read',
    ],
    ['an index outside of the list', () => ({ client_status: lasting(SIZE) }), 'ends before the index'],
    ['a negative index', () => ({ client_status: lasting(-1) }), 'no valid idx'],
    ['an index that no list has', () => ({ client_status: lasting(2 ** 40) }), 'no valid idx'],
    ['a client_status that is no object', () => ({ client_status: 'valid' }), 'client_status'],
    ['a client_status without a list', () => ({ client_status: { exp: 1 } }), 'client_status'],
    [
      'an exp that is no date',
      () => ({ client_status: { status: statusAt(7), exp: 'never' } }),
      'exp in the client_status',
    ],
    [
      'a very long address',
      () => ({ client_status: { status: statusAt(7, `${uri}${'x'.repeat(2_048)}`) } }),
      'unknown kind',
    ],
  ])('%s is refused, and nothing is stored', async (_name, wallet, reason) => {
    const refused = await tokenOf(await offered(), wallet())
    expect(refusalOf(refused).slice(0, 2)).toEqual([401, 'invalid_client'])
    expect(refused.json.error_description).toContain(reason)
    expect(elsewhere.requests).toEqual([])
  })

  it('a revoked client_status is refused although the status of the attestation is valid', async () => {
    await publish([7])
    const refused = await tokenOf(await offered(), { status: statusAt(8), client_status: lasting(7) })
    expect(refusalOf(refused)).toEqual([401, 'invalid_client', 'The wallet attestation is no longer valid.'])
  })

  it('a revoked key_storage_status is refused', async () => {
    await publish([7])
    const token = (await tokenOf(await offered(), undefined)).json.access_token
    const refused = await asked(token, { key: { key_storage_status: lasting(7) } })
    expect(refusalOf(refused)).toEqual([400, 'invalid_proof', 'The key attestation is no longer valid.'])
  })
})
