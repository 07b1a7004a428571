import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { purposesOf } from '../../server/exports/person/purposes.js'
import { TABLES } from '../../server/exports/person/tables.js'
import { logIn, OF_CONSOLE, startConsole } from '../console/actors.js'
import { tour } from '../http/tour.js'
import { walletClients } from '../http/wallet-clients.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { type RequestOptions, startService, type TestService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { answer, ask, dcql, fetchRequest, makeWorld, present } from '../verifier/actors.js'
import { exported, exportedCsv, type Line, order, PATH, period } from './actors.js'

let service: TestService
let admin: RequestOptions
/** The records about `alice`. They exist because the test has called every operation of the API as `alice`. */
let records: Line[]
let header: Line

const KEK = randomBytes(32).toString('base64url')

beforeAll(async () => {
  const env = { ...LOOPBACK, WALLET_CLIENTS: walletClients(), KEY_ENCRYPTION_KEY: KEK }
  service = await startService({ env, maintenance: false })
  await tour(service)
  admin = { authorization: await service.bearer('officer', { roles: ['admin'] }) }
  await signIn('alice', { name: 'Alice Example' })
  await waitForDeferred('alice')
  // No identity provider is configured at which users can sign in, so the API refuses `forSubject`. The test therefore
  // writes the column itself.
  const offer = await offered('For Alice')
  await query(service.databaseUrl, "UPDATE offerings SET for_subject = 'alice' WHERE id = $1", [offer])
  const ofDid = await offered('For a DID of Alice')
  await query(service.databaseUrl, "UPDATE offerings SET recipient = 'did:example:from-token' WHERE id = $1", [ofDid])
  await offered('For somebody else')
  ;({ records, header } = await exported(service, { subject: { sub: 'alice' } }, admin))
})
afterAll(() => service.close())

/**
 * Makes a deferred credential in a hosted wallet. Its row has the secrets that the wallet needs to ask for the
 * credential.
 */
async function waitForDeferred(sub: string): Promise<void> {
  const id = crypto.randomUUID()
  const content = {
    credentialIssuer: 'https://university.example',
    dpopKey: { d: 'private' },
    grant: { accessToken: 'secret-token' },
    transactions: [{ transactionId: 'secret-transaction', configurationId: 'Diploma', types: ['Diploma'] }],
  }
  const place = { column: 'wallet_pending_issuances.content', id } as const
  await query(
    service.databaseUrl,
    `INSERT INTO wallet_pending_issuances (id, holder_id, created_by, content, ask_at, expires_at)
     SELECT $1, id, created_by, $2, now() + interval '1 day', now() + interval '90 days' FROM holders WHERE created_by = $3 LIMIT 1`,
    [id, await service.platform.vault.protect(place, JSON.stringify(content)), sub],
  )
}

/** Makes a credential offer. @returns its id */
async function offered(productName: string): Promise<string> {
  const answer = await service.request('POST', '/credential-offers', {
    authorization: await service.bearer('shop'),
    body: {
      credentialConfigurationIds: ['ProofOfPurchase'],
      credentialSubject: { productName, merchant: 'M', purchaseDate: '2026-01-01' },
    },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.credentialOfferSessionId
}

/** A sign-in at the authorization endpoint, which waits for the decision of its user. */
async function signIn(sub: string, claims: object): Promise<void> {
  const id = crypto.randomUUID()
  const stored = await service.platform.vault.protect(
    { column: 'authorizations.user_claims', id },
    JSON.stringify(claims),
  )
  await query(
    service.databaseUrl,
    `INSERT INTO authorizations (id, client_id, state, user_sub, user_claims, expires_at, user_dids)
     VALUES ($1, 'wallet', 'SignedIn', $2, $3, now() + interval '10 minutes', '{did:example:from-token}')`,
    [id, sub, stored],
  )
}

const ofKind = (record: string): Line[] => records.filter((one) => one.record === record)

describe('the data model', () => {
  it('has only tables that an export of a person contains or that are listed as not personal', async () => {
    const model = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
    const tables = [...model.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name)
    expect(Object.keys(TABLES).sort()).toEqual(tables.sort())
  })

  it('has the `sub` of a person only in tables that the export holds', async () => {
    const columns = await query<{ table: string; column: string }>(
      service.databaseUrl,
      `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
       JOIN pg_class p ON p.relname = c.table_name
       WHERE c.table_schema = 'public' AND NOT p.relispartition AND c.data_type IN ('text', 'json', 'jsonb', 'ARRAY')`,
    )
    const withSub: string[] = []
    for (const { table, column } of columns) {
      const found = await query(
        service.databaseUrl,
        `SELECT 1 FROM "${table}" WHERE "${column}"::text ~ '(^|[^a-z])alice([^a-z]|$)' LIMIT 1`,
      )
      if (found.length > 0) withSub.push(table)
    }
    expect(withSub.length).toBeGreaterThan(10)
    // Audit events, which the export holds, name the makers of batches and jobs.
    expect([...new Set(withSub)].filter((table) => !Array.isArray(TABLES[table])).sort()).toEqual([
      'credential_offer_keys',
      'credential_status_jobs',
      'offer_batches',
    ])
  })
})

describe('the export of a person', () => {
  it('begins with who, when, and what the service cannot know', () => {
    expect(header).toMatchObject({
      record: 'export',
      kind: 'person',
      createdBy: 'officer',
      at: expect.any(String),
      subject: { sub: 'alice' },
      sections: ['issuer', 'verifier', 'account'],
      cannotKnow: expect.arrayContaining([expect.stringContaining('names no person')]),
    })
    expect(header.dids).toContain('did:example:from-token')
  })

  it('has every kind of record, each with its purpose and its end', () => {
    const kinds = Object.keys(
      purposesOf({ sessionResultTtlSeconds: 1, retentionPresentationsDays: 1, retentionAuditDays: undefined }),
    )
    // Nobody signed in to the console, and the tour erases its evidence.
    const missing = ['consoleSession', 'evidence']
    expect(new Set(records.map(({ record }) => record))).toEqual(
      new Set(kinds.filter((kind) => !missing.includes(kind))),
    )
    for (const record of records) {
      expect(record).toMatchObject({
        purpose: expect.stringMatching(/\.$/),
        keptUntil: expect.any(String),
        at: expect.any(String),
      })
    }
  })

  it('has claims and secrets in the clear, and no private key', () => {
    expect(ofKind('credential').map(({ vc }) => vc?.credentialSubject?.productName)).toContain('Espresso machine')
    expect(ofKind('offering').map(({ credentialSubject }) => credentialSubject.productName)).toEqual([
      'For Alice',
      'For a DID of Alice',
    ])
    expect(ofKind('authorization')).toMatchObject([{ userSub: 'alice', userClaims: { name: 'Alice Example' } }])
    expect(ofKind('walletCredential')[0]).toMatchObject({
      content: { issuer: expect.any(String) },
      copies: [{ credential: expect.stringMatching(/^eyJ/), kid: expect.stringContaining('did:') }],
    })
    expect(ofKind('walletPresentation')[0]).toMatchObject({ content: { verifier: expect.anything() } })
    expect(ofKind('flow')[0]).toMatchObject({ content: { kind: expect.any(String) } })
    expect(ofKind('verificationResult')[0]).toMatchObject({ result: [{ claims: expect.any(Object) }] })
    expect(ofKind('exportOrder')).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ subject: { sub: 'alice' } })]),
    )
    expect(ofKind('walletPendingIssuance')).toMatchObject([
      {
        credentialIssuer: 'https://university.example',
        waitingFor: [{ configurationId: 'Diploma', types: ['Diploma'] }],
      },
    ])
    expect(JSON.stringify(records)).not.toMatch(/"d":"|secret-token|secret-transaction/)
  })

  it('has each credential, redemption and offering once', () => {
    for (const kind of ['credential', 'redemption', 'offering', 'auditEvent']) {
      const ids = ofKind(kind).map(({ id }) => id)
      expect(ids.length).toBeGreaterThan(0)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it('has all credentials of the table that name the person', async () => {
    const stored = await query<{ id: string }>(
      service.databaseUrl,
      `SELECT c.id FROM credentials c LEFT JOIN redemptions r ON r.credential_id = c.id
       WHERE c.owner = 'alice' OR r.redeemed_by = 'alice' OR c.holder_did IN (
         SELECT did FROM dids d JOIN holders h ON h.id = d.holder_id WHERE h.created_by = 'alice')`,
    )
    expect(
      ofKind('credential')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(stored.map(({ id }) => id).sort())
  })

  it('says when a result and a sign-in end', () => {
    const [result] = ofKind('verificationResult')
    const ttl = service.config.sessionResultTtlSeconds
    expect(Date.parse(result.keptUntil)).toBe(Date.parse(result.at) + ttl * 1_000)
    const [authorization] = ofKind('authorization')
    expect(Date.parse(authorization.keptUntil)).toBe(Date.parse(authorization.expiresAt) + 3_600_000)
  })

  it('is the same as CSV: the members of each kind are a JSON text', async () => {
    const rows = await exportedCsv(service, { subject: { sub: 'alice' } }, admin)
    const [first, ...others] = rows
    expect(first?.record).toBe('export')
    expect(JSON.parse(first?.data ?? '').subject).toEqual({ sub: 'alice' })
    const held = others.find(({ record }) => record === 'walletCredential')
    expect(held).toMatchObject({ id: ofKind('walletCredential')[0].id, purpose: expect.stringMatching(/\.$/) })
    expect(JSON.parse(held?.data ?? '').copies[0].credential).toMatch(/^eyJ/)
    // The downloads cause new audit events. Their actor is the officer, not the person.
    expect(others.filter(({ record }) => record === 'auditEvent')).toHaveLength(ofKind('auditEvent').length)
  })

  it('by a DID has the records that name the DID, with its wallet', async () => {
    const did = ofKind('did').find(({ holderId }) => holderId !== null).id
    const of = await exported(service, { subject: { did } }, admin)
    const kinds = new Set(of.records.map(({ record }) => record))
    expect([...kinds]).toEqual(expect.arrayContaining(['wallet', 'did', 'walletCredential', 'credential']))
    expect(kinds).not.toContain('auditEvent')
    expect(of.header.cannotKnow).toEqual(expect.arrayContaining([expect.stringContaining('Order an export by `sub`')]))
  })

  it('of an unknown person has only the order for it', async () => {
    const of = await exported(service, { subject: { sub: 'nobody' } }, admin)
    expect(of.records.map(({ record }) => record)).toEqual(['exportOrder'])
  })

  it('attack: an order does not show its person to somebody who reads the database', async () => {
    await order(service, { subject: { sub: 'hidden-person' } }, admin)
    const rows = await query<{ subject: string }>(service.databaseUrl, 'SELECT * FROM exports')
    expect(JSON.stringify(rows)).not.toContain('hidden-person')
    const audit = await query(service.databaseUrl, 'SELECT * FROM audit_events')
    expect(JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      'hidden-person',
    )
  })
})

describe('the orders of an operator', () => {
  it('are in the export of the operator without the persons they are about', async () => {
    await order(service, { subject: { sub: 'hidden-client' } }, admin)
    const of = await exported(service, { subject: { sub: 'officer' } }, admin)
    expect(of.records.filter(({ record }) => record === 'exportOrder').length).toBeGreaterThan(1)
    expect(JSON.stringify(of.records)).not.toContain('hidden-client')
  })
})

it('a credential that a user created for their own DID is in the export once', async () => {
  const did = ofKind('did').find(({ holderId }) => holderId !== null).id
  const alice = await service.bearer('alice')
  const { name: type } = await postSchema(service, alice, {
    schema: { type: 'object', properties: { id: { type: 'string' }, product: { type: 'string' } } },
  })
  const body = { type, credential_subject: { id: did, product: 'for myself' } }
  const { id } = (await service.request('POST', '/api/v1/credentials', { authorization: alice, body })).json
  const of = await exported(service, { subject: { sub: 'alice' } }, admin)
  expect(of.records.filter((record) => record.id === id)).toMatchObject([
    { record: 'credential', holderDid: did, vc: { credentialSubject: { product: 'for myself' } } },
  ])
})

describe('the rights to the data of a person', () => {
  it('of the owner of a hosted wallet: also by the DID of the wallet', async () => {
    const did = ofKind('did').find(({ holderId }) => holderId !== null).id
    const asked = async (sub: string) =>
      service.request('POST', PATH, { authorization: await service.bearer(sub), body: { subject: { did } } })
    expect([(await asked('alice')).status, (await asked('mallory')).status]).toEqual([202, 403])
  })

  it('of operators of one half: records of this half alone', async () => {
    const { databaseUrl, identityProvider } = service
    const env = { ...LOOPBACK, KEY_ENCRYPTION_KEY: KEK, ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' }
    await using strict = await startService({ databaseUrl, identityProvider, env, maintenance: false })
    const kindsFor = async (role: string) => {
      const sender = { authorization: await service.bearer('oscar', { roles: [role] }) }
      const of = await exported(strict, { subject: { sub: 'alice' } }, sender)
      return [...new Set(of.records.map(({ record }) => record))].sort()
    }
    expect(await kindsFor('issuing')).toEqual(['authorization', 'credential', 'offering', 'redemption'])
    expect(await kindsFor('verifying')).toEqual(['verificationResult'])
  })
})

describe('the evidence of a presentation', () => {
  it('is in the export of the person who presented, until it is deleted', async () => {
    await using other = await startService({ maintenance: false, env: { KEY_ENCRYPTION_KEY: KEK } })
    const sender = { client: true }
    const { wallet, held } = await makeWorld(other)
    const body = { dcqlQuery: dcql(other, 'dc+sd-jwt'), responseMode: 'direct_post', keepEvidence: true }
    const asked = await ask(other, { ...body, evidenceRetention: { days: 30 } })
    const payload = await fetchRequest(asked)
    const presentation = await present(held['dc+sd-jwt'], wallet, payload)
    expect((await answer(payload, { purchase: [presentation] })).status).toBe(200)
    const evidence = async (did: string) =>
      (await exported(other, { subject: { did } }, sender)).records.filter(({ record }) => record === 'evidence')
    const [found, ...others] = await evidence(wallet.did)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      id: asked.verificationSessionId,
      evidence: { presentations: [{ presentation }] },
      purpose: expect.stringMatching(/\.$/),
    })
    expect(Date.parse(found.keptUntil) - Date.parse(found.at)).toBe(30 * 86_400_000)
    expect(await evidence('did:example:another')).toEqual([])
    await query(other.databaseUrl, 'DELETE FROM verification_evidence')
    expect(await evidence(wallet.did)).toEqual([])
  })
})

describe('a credential that a user created for the DID of another person', () => {
  it('is in the export of the user without its claims, and in the export of the other person with them', async () => {
    const bob = await service.bearer('bob')
    const { name: type } = await postSchema(service, bob, {
      schema: { type: 'object', properties: { id: { type: 'string' }, product: { type: 'string' } } },
    })
    const body = { type, credential_subject: { id: 'did:example:carol', product: 'secret of Carol' } }
    const { id } = (await service.request('POST', '/api/v1/credentials', { authorization: bob, body })).json
    const ofBob = await exported(service, { subject: { sub: 'bob' } }, admin)
    expect(ofBob.records.find((record) => record.id === id)).toMatchObject({ ofAnotherPerson: true })
    expect(JSON.stringify(ofBob.records)).not.toContain('secret of Carol')
    const ofCarol = await exported(service, { subject: { did: 'did:example:carol' } }, admin)
    expect(ofCarol.records.slice(0, 1)).toMatchObject([
      { record: 'credential', id, vc: { credentialSubject: { product: 'secret of Carol' } } },
    ])
  })
})

describe('a console session', () => {
  it('is in the export with only its times', async () => {
    await using open = await startConsole({ maintenance: false })
    open.provider.user = { sub: 'root', roles: ['admin'] }
    const { browser } = await logIn(open)
    const headers = { ...OF_CONSOLE, cookie: browser.cookies(open.service.url) ?? '' }
    const of = await exported(open.service, { subject: { sub: 'root' } }, { headers })
    const session = of.records.find(({ record }) => record === 'consoleSession')
    expect(Object.keys(session).sort()).toEqual(['at', 'endsAt', 'expiresAt', 'id', 'keptUntil', 'purpose', 'record'])
    const other = await exported(open.service, { subject: { sub: 'nobody' } }, { headers })
    expect(other.records.map(({ record }) => record)).toEqual(['exportOrder'])
  })
})

it('a subject may have a thousand credentials: they are read page by page', async () => {
  const dora = await service.bearer('dora')
  const { name: type } = await postSchema(service, dora)
  const body = { type, credential_subject: SUBJECT }
  const { id } = (await service.request('POST', '/api/v1/credentials', { authorization: dora, body })).json
  await query(
    service.databaseUrl,
    `INSERT INTO credentials (id, schema_id, issuer_id, owner, vc, created_at)
     SELECT gen_random_uuid()::text, schema_id, issuer_id, owner, NULL, now() - n * interval '1 ms'
     FROM credentials, generate_series(1, 999) n WHERE id = $1`,
    [id],
  )
  const of = await exported(service, { subject: { sub: 'dora' } }, admin)
  const ids = of.records.filter(({ record }) => record === 'credential').map((record) => record.id)
  expect([ids.length, new Set(ids).size]).toEqual([1_000, 1_000])
  expect(period().from < period().to).toBe(true)
})
