import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { DIPLOMA_JWT, DIPLOMA_SD_JWT, type RemoteIssuerOptions } from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import type { RemoteAnswer } from '../../support/wallet-http.js'
import { newRemoteDeferral, type RemoteDeferral } from '../../support/wallet-remote-deferral.js'
import { newRemoteEncryption } from '../../support/wallet-remote-encryption.js'
import { askDue, auditedOf, pendingOf, turn } from '../deferred-actors.js'
import { requestsTo, type Taking, taking } from '../taking.js'

const clock = { later: 0 }
let service: TestService

beforeAll(async () => {
  service = await startService({
    env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    clock: () => new Date(Date.now() + clock.later),
    maintenance: false,
  })
})
afterAll(() => service.close())

interface Waiting extends Taking {
  readonly deferral: RemoteDeferral
  /** The formats of the wallet's credentials. */
  held(): Promise<string[]>
}

/** A wallet that has taken an offer whose issuer defers. */
async function waiting(
  options: Omit<RemoteIssuerOptions, 'deferral'> = {},
  deferral: RemoteDeferral = newRemoteDeferral(),
  more: Readonly<Record<string, unknown>> = {},
): Promise<Waiting> {
  clock.later = 0
  await query(service.databaseUrl, 'DELETE FROM wallet_pending_issuances')
  const took = await taking(service, { deferral, ...options }, more)
  expect([took.answer.status, took.answer.text]).toEqual([200, expect.stringContaining('deferred')])
  const held = async () => (await took.wallet.get('/credentials')).json.map(({ format }: { format: string }) => format)
  return { ...took, deferral, held }
}

const approve = ({ deferral }: Waiting) => {
  deferral.decision = 'approved'
}

describe('credentials that an issuer defers (OpenID4VCI 1.0 §9)', () => {
  it('are waited for, and process returns their number', async () => {
    await using waits = await waiting()
    expect(waits.answer.json).toEqual({ type: 'credential_offer', credentials: [], deferred: 2 })
    expect(await pendingOf(service, waits.wallet.id)).toHaveLength(1)
  })

  it('can be in one offer with credentials that are issued at once', async () => {
    await using waits = await waiting({}, newRemoteDeferral(5, [DIPLOMA_SD_JWT]))
    expect(waits.answer.json).toMatchObject({ credentials: [{ format: 'jwt_vc_json' }], deferred: 1 })
    approve(waits)
    await askDue(service)
    expect((await waits.held()).sort()).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
  })

  it('are requested until they arrive, are verified and stored, and the issuer is notified', async () => {
    await using waits = await waiting()
    await askDue(service)
    expect(await waits.held()).toEqual([])
    approve(waits)
    await askDue(service)
    expect((await waits.held()).sort()).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
    expect([...waits.issuer.notifications].sort()).toEqual([
      `${DIPLOMA_JWT} credential_accepted`,
      `${DIPLOMA_SD_JWT} credential_accepted`,
    ])
    expect(new Set(waits.deferral.asked).size).toBe(2)
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
  })

  it('have as many copies as proven keys', async () => {
    await using waits = await waiting({ batchSize: 3 }, undefined, { copies: 3 })
    approve(waits)
    await askDue(service)
    const [row] = await query<{ copies: string }>(
      service.databaseUrl,
      `SELECT count(*) AS copies FROM wallet_credential_copies c JOIN wallet_credentials w ON w.id = c.credential_id
       WHERE w.holder_id = $1`,
      [waits.wallet.id],
    )
    expect(row?.copies).toBe('6')
  })

  it('can be encrypted if the issuer demands it', async () => {
    const encryption = await newRemoteEncryption({ required: 'answers' })
    await using waits = await waiting({ encryption })
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toHaveLength(2)
    expect(encryption.requests).toHaveLength(4)
  })

  it('can be requested with a token that is bound to a key (RFC 9449), with a proof of the key', async () => {
    await using waits = await waiting({ dpop: true })
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toHaveLength(2)
    const jwkOf = (path: string) =>
      decodeProtectedHeader(requestsTo(waits.issuer, path).at(-1)?.headers.get('dpop') ?? '').jwk
    expect(jwkOf('/deferred')).toEqual(jwkOf('/credential'))
  })

  it('are taken by the job itself at the due time', async () => {
    await using own = await startService({ env: LOOPBACK })
    const deferral = newRemoteDeferral(1)
    await using took = await taking(own, { deferral })
    deferral.decision = 'approved'
    await expect.poll(async () => (await took.wallet.get('/credentials')).json.length, { timeout: 60_000 }).toBe(2)
  })
})

describe('the times of requests to the issuer', () => {
  it('are not earlier than the issuer said, at any hour', async () => {
    await using waits = await waiting({}, newRemoteDeferral(600))
    clock.later = 500_000
    await turn(service)
    expect(waits.deferral.asked).toEqual([])
    clock.later = 610_000
    await turn(service)
    expect(waits.deferral.asked).toHaveLength(2)
    await turn(service)
    expect(waits.deferral.asked).toHaveLength(2)
  })

  it('become less frequent with the waiting time, but at least once an hour', async () => {
    await using waits = await waiting()
    for (const [hours, seconds] of [
      [1, 180],
      [24 * 30, 3_600],
    ] as const) {
      clock.later = hours * 3_600_000
      await turn(service)
      const [row] = await pendingOf(service, waits.wallet.id)
      const wait = ((row?.ask_at.getTime() ?? 0) - Date.now() - clock.later) / 1000
      expect(Math.abs(wait - seconds)).toBeLessThan(60)
    }
  })

  it('are used by only one of several simultaneous processes', async () => {
    await using other = await startService({
      env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), ISSUER_BASE_URL: service.url },
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
    })
    await using waits = await waiting()
    await askDue(service, [service, other, service, other])
    expect([waits.deferral.asked.length, waits.deferral.most]).toEqual([2, 1])
  })

  it.each<[string, (transactionId: string) => RemoteAnswer]>([
    ['refused', () => ({ status: 400, body: { error: 'invalid_transaction_id' } })],
    ['told to wait', (transaction_id) => ({ status: 202, body: { transaction_id, interval: 600 } })],
  ])('a delayed process that is %s changes nothing after another process has taken over', async (_, answer) => {
    const takenOver = new Date(Date.now() + 60_000)
    await using waits = await waiting({
      replace: {
        '/deferred': async ({ text }) => {
          await query(service.databaseUrl, 'UPDATE wallet_pending_issuances SET ask_at = $1', [takenOver])
          return answer(JSON.parse(text).transaction_id)
        },
      },
    })
    const [before] = await pendingOf(service, waits.wallet.id)
    await askDue(service)
    expect(requestsTo(waits.issuer, '/deferred')).toHaveLength(2)
    expect(await pendingOf(service, waits.wallet.id)).toEqual([{ ...before, ask_at: takenOver }])
  })
})

describe('the life of the tokens', () => {
  it('a new access token replaces an expired token, and a new refresh token replaces the former token', async () => {
    await using waits = await waiting({ refresh: true })
    for (const round of [1, 2, 3]) {
      waits.issuer.endAccessTokens()
      await askDue(service)
      expect(waits.deferral.asked).toHaveLength(2 * round)
    }
    const grants = requestsTo(waits.issuer, '/token').map(({ text }) => new URLSearchParams(text))
    expect(grants.map((form) => form.get('grant_type')).slice(1)).toEqual(Array(3).fill('refresh_token'))
    expect(new Set(grants.slice(1).map((form) => form.get('refresh_token'))).size).toBe(3)
    // The authorization was given to an anonymous client, so no request names a client.
    expect(grants.map((form) => form.get('client_id'))).toEqual([null, null, null, null])
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toHaveLength(2)
  })

  it('a token that expires soon is replaced before it is used, with the same key', async () => {
    await using waits = await waiting({ refresh: true, expiresIn: 300, dpop: true, anonymous: false })
    clock.later = 290_000
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toHaveLength(2)
    const last = requestsTo(waits.issuer, '/token').at(-1)
    expect(new URLSearchParams(last?.text).get('client_id')).toBe(service.url)
    expect(decodeJwt(last?.headers.get('dpop') ?? '').htu).toBe(`${waits.issuer.url}/token`)
  })

  it('without a refresh token the waiting ends with the access token, and the stored data are removed', async () => {
    await using waits = await waiting({ expiresIn: 300 })
    const [row] = await pendingOf(service, waits.wallet.id)
    clock.later = 400_000
    await turn(service)
    expect(waits.deferral.asked).toEqual([])
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
    expect(await auditedOf(service, row?.id ?? '')).toEqual(['wallet.credential.deferred', 'wallet.credential.refused'])
  })

  it('a refused refresh token ends the waiting', async () => {
    await using waits = await waiting({ refresh: true })
    waits.issuer.endAccessTokens(true)
    await askDue(service)
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
    // The second of two transactions finds that the authorization has ended too.
    expect(requestsTo(waits.issuer, '/token')).toHaveLength(3)
  })

  it('a refused access token does not end the waiting if there is a refresh token', async () => {
    await using waits = await waiting({
      refresh: true,
      replace: { '/deferred': () => ({ status: 401, body: { error: 'invalid_token' } }) },
    })
    await askDue(service)
    expect(await pendingOf(service, waits.wallet.id)).toHaveLength(1)
  })

  it('a refused access token ends the waiting if there is no refresh token', async () => {
    await using waits = await waiting()
    waits.issuer.endAccessTokens()
    await askDue(service)
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
  })
})

describe('the end of the waiting', () => {
  it.each(['credential_request_denied', 'invalid_transaction_id'])(
    '%s: the wallet does not ask again',
    async (error) => {
      await using waits = await waiting()
      const [row] = await pendingOf(service, waits.wallet.id)
      waits.deferral.decision = () => ({ status: 400, body: { error } })
      await askDue(service)
      await askDue(service)
      expect(waits.deferral.asked).toHaveLength(2)
      expect(await pendingOf(service, waits.wallet.id)).toEqual([])
      expect(await auditedOf(service, row?.id ?? '')).toContain('wallet.credential.refused')
    },
  )

  it.each<[string, () => { status: number; body?: unknown }]>([
    ['an error of the server', () => ({ status: 503, body: {} })],
    ['too many requests', () => ({ status: 429, body: {} })],
    [
      'issuance_pending, the error of drafts',
      () => ({ status: 400, body: { error: 'issuance_pending', interval: 7 } }),
    ],
  ])('%s does not end the waiting', async (_, decision) => {
    await using waits = await waiting()
    waits.deferral.decision = decision
    await askDue(service)
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toHaveLength(2)
  })

  it('an unreachable issuer does not end the waiting either', async () => {
    const waits = await waiting()
    await waits.issuer.close()
    await askDue(service)
    expect(await pendingOf(service, waits.wallet.id)).toHaveLength(1)
  })

  it.each<[string, () => { body: unknown }]>([
    ['a credential of another issuer', () => ({ body: { credentials: [{ credential: 'e30.e30.e30' }] } })],
    ['nothing', () => ({ body: {} })],
    ['an invalid answer', () => ({ body: [] })],
  ])('%s is not stored, and not requested again', async (_, decision) => {
    await using waits = await waiting()
    waits.deferral.decision = decision
    await askDue(service)
    expect(await waits.held()).toEqual([])
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
  })

  it('a credential that is bound to another key is refused', async () => {
    await using waits = await waiting({
      forge: async (issuer, _holder, format) =>
        format === 'dc+sd-jwt' ? issuer.signSdJwtVc(issuer.key.publicJwk) : issuer.signJwtVc(issuer.key.did),
    })
    approve(waits)
    await askDue(service)
    expect(await waits.held()).toEqual([])
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
  })
})

describe('stored data', () => {
  it('tokens and keys are protected at rest', async () => {
    await using waits = await waiting({ refresh: true })
    const [row] = await pendingOf(service, waits.wallet.id)
    expect(row?.content).toMatch(/^[\w-]+\.[\w-]*\.[\w-]*\.[\w-]+\.[\w-]+$/)
  })

  it('the DID to which a credential will be bound cannot be deleted (409)', async () => {
    await using waits = await waiting()
    const removed = await waits.wallet.request('DELETE', `/dids/${encodeURIComponent(waits.wallet.did)}`)
    expect(removed.status).toBe(409)
  })

  it('one holder waits for at most 50 issuances', async () => {
    await using waits = await waiting()
    await query(
      service.databaseUrl,
      `INSERT INTO wallet_pending_issuances
       SELECT 'more ' || n, holder_id, created_by, content, key_ids, ask_at + interval '1 day', created_at, expires_at
       FROM wallet_pending_issuances, generate_series(1, 49) n WHERE holder_id = $1`,
      [waits.wallet.id],
    )
    const refused = await waits.wallet.process(await waits.issuer.offer())
    expect([refused.status, refused.json.message]).toEqual([
      500,
      'The wallet already waits for the maximum number of deferred credentials.',
    ])
    expect((await (await newWallet(service, 'bob')).process(await waits.issuer.offer())).json.deferred).toBe(2)
  })
})

describe('a hostile issuer', () => {
  it('that defers and has no endpoint for deferred credentials', async () => {
    await using took = await taking(service, {
      deferral: newRemoteDeferral(),
      metadata: { deferred_credential_endpoint: undefined },
    })
    expect([took.answer.status, took.answer.json.message]).toEqual([
      500,
      'The issuer defers the credential and names no endpoint to ask for it.',
    ])
  })

  it.each([
    ['a credential at the same time', { credentials: [{ credential: 'e.e.e' }], transaction_id: '1', interval: 5 }],
    ['a transaction without end', { transaction_id: 'x'.repeat(5_000), interval: 5 }],
  ])('that defers with %s', async (_, body) => {
    await using took = await taking(service, { replace: { '/credential': () => ({ status: 202, body }) } })
    expect(took.answer.status).toBe(500)
    expect(await pendingOf(service, took.wallet.id)).toEqual([])
  })

  it('that names an endless interval is asked at most once', async () => {
    await using waits = await waiting({}, newRemoteDeferral(1e300))
    clock.later = 91 * 86_400_000
    await turn(service)
    expect(waits.deferral.asked).toEqual([])
    expect(await pendingOf(service, waits.wallet.id)).toEqual([])
  })
})
