import { gunzipSync, inflateSync } from 'node:zlib'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allOf, idsOf } from '../../support/listed.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { newWallet as newActor } from '../../support/wallet-actor.js'
import { ask, sessionOf } from '../../verifier/actors.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

const KEK = Buffer.alloc(32, 7).toString('base64url')
const SUSPENDED = { isValid: false, error: 'Credential has been suspended.' }
const REVOKED = { isValid: false, error: 'Credential has been revoked.' }
const FORMATS = ['dc+sd-jwt', 'jwt_vc_json'] as const

let service: TestService
let authorization: string
let type: string

beforeAll(async () => {
  service = await startService({ env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: KEK } })
  authorization = await service.bearer('alice')
  type = (await postSchema(service, authorization, { suspendable: true })).name
})
afterAll(() => service.close())

interface Signed {
  readonly id: string
  readonly credential: string
}

async function sign(format: string = 'dc+sd-jwt', of = type): Promise<Signed> {
  const body = { type: of, credential_subject: SUBJECT, format }
  const answer = await service.request('POST', '/credentials/sign', { authorization, body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

const change = (id: string, act: string, body?: unknown): Promise<Answer> =>
  service.request('POST', `/api/v1/credentials/${id}/${act}`, {
    client: true,
    ...(body === undefined ? {} : { body }),
  })

const verified = async (credential: string) =>
  (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json

const history = async (id: string) =>
  (await service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })).json

const statusOf = async (id: string) =>
  (await service.request('GET', `/api/v1/credentials/${id}/status`, { client: true })).json

/** The status of a credential in its published lists, by another implementation than this service's. */
async function published({ credential }: Signed) {
  const payload = decodeJwt<{
    status?: { status_list: { uri: string; idx: number } }
    vc?: { credentialStatus: { statusListCredential: string; statusListIndex: string; statusPurpose: string }[] }
  }>(credential.split('~')[0] ?? '')
  if (payload.status !== undefined) {
    const { uri, idx } = payload.status.status_list
    const list = getListFromStatusListJWT(await (await fetch(uri)).text())
    return { bits: list.getBitsPerStatus(), value: list.getStatus(idx) }
  }
  const bits = await Promise.all(
    [payload.vc?.credentialStatus ?? []]
      .flat()
      .map(async ({ statusListCredential, statusListIndex, statusPurpose }) => {
        const list = decodeJwt<{ credentialSubject: { encodedList: string; statusPurpose: string } }>(
          await (await fetch(statusListCredential)).text(),
        ).credentialSubject
        expect(list.statusPurpose).toBe(statusPurpose)
        const bytes = gunzipSync(Buffer.from(list.encodedList.slice(1), 'base64url'))
        const at = Number(statusListIndex)
        return [statusPurpose, ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1] as const
      }),
  )
  return Object.fromEntries(bits)
}

/** A credential that a wallet took, and how the wallet takes further copies of it under its token. */
async function taken() {
  const { id: offering } = await postOffering(service, { credential_type: type })
  const offer = await service.request('GET', `/openid4vci/offers/${offering}`)
  const [grant = ''] = Object.keys(offer.json.grants).filter((name) => name.includes('pre-authorized'))
  const token = await service.request('POST', '/openid4vci/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: grant,
      'pre-authorized_code': offer.json.grants[grant]['pre-authorized_code'],
    }).toString(),
  })
  const take = async (configuration: string) => {
    const actor = await newActor()
    const nonce = (await service.request('POST', '/openid4vci/nonce')).json.c_nonce
    return service.request('POST', '/openid4vci/credential', {
      authorization: `Bearer ${token.json.access_token}`,
      body: { credential_configuration_id: configuration, proofs: { jwt: [await actor.proof(service.url, nonce)] } },
    })
  }
  expect((await take(type)).status).toBe(200)
  const { json } = await service.request('GET', `/api/v1/credentials?offeringId=${offering}`, { client: true })
  return { id: String(json.items[0].id), take }
}

describe('a suspended credential', () => {
  it.each([
    ['dc+sd-jwt', { bits: 2, value: 0 }, { bits: 2, value: 2 }, { bits: 2, value: 1 }],
    [
      'jwt_vc_json',
      { revocation: 0, suspension: 0 },
      { revocation: 0, suspension: 1 },
      // The suspension stays set after the revocation. So a verifier with an older copy of one of the lists never sees
      // the credential as valid.
      { revocation: 1, suspension: 1 },
    ],
  ])(
    'as %s is refused until it is reinstated, and a revocation is final',
    async (format, valid, suspended, revoked) => {
      const signed = await sign(format)
      expect([(await verified(signed.credential)).isValid, await published(signed)]).toEqual([true, valid])
      const first = await change(signed.id, 'suspend')
      expect([first.status, first.text]).toEqual([200, ''])
      expect([await verified(signed.credential), await published(signed)]).toEqual([SUSPENDED, suspended])
      expect((await change(signed.id, 'reinstate')).status).toBe(200)
      expect([(await verified(signed.credential)).isValid, await published(signed)]).toEqual([true, valid])
      expect((await change(signed.id, 'suspend')).status).toBe(200)
      expect((await change(signed.id, 'revoke')).status).toBe(200)
      expect([await verified(signed.credential), await published(signed)]).toEqual([REVOKED, revoked])
      for (const act of ['suspend', 'reinstate']) {
        const late = await change(signed.id, act)
        expect([late.status, late.json.message]).toEqual([409, 'Credential is revoked, which is final.'])
      }
      expect((await change(signed.id, 'revoke')).status).toBe(200)
      expect(await published(signed)).toEqual(revoked)
    },
  )

  it('is not valid in @sd-jwt/sd-jwt-vc, which fetches the status list itself', async () => {
    const library = new SDJwtVcInstance({
      hasher: digest,
      hashAlg: 'sha-256',
      saltGenerator: generateSalt,
      verifier: async () => true,
      statusVerifier: async () => true,
    })
    const { id, credential } = await sign()
    await library.verify(credential)
    await change(id, 'suspend')
    await expect(library.verify(credential)).rejects.toThrow('Status is not valid')
    await change(id, 'reinstate')
    await library.verify(credential)
  })

  it('has its status in two entries of a JWT VC, an array; other types keep one entry, an object', async () => {
    const entries = ({ credential }: Signed) =>
      decodeJwt<{ vc: { credentialStatus: unknown } }>(credential).vc.credentialStatus
    const list = expect.stringMatching(/\/status-lists\/[0-9a-f-]{36}$/)
    const [revocation, suspension] = entries(await sign('jwt_vc_json')) as Record<string, string>[]
    expect(revocation).toMatchObject({ statusPurpose: 'revocation', statusListCredential: list })
    expect(suspension).toEqual({
      ...revocation,
      id: `${revocation?.statusListCredential}/suspension#${revocation?.statusListIndex}`,
      statusPurpose: 'suspension',
      statusListCredential: `${revocation?.statusListCredential}/suspension`,
    })
    const { name } = await postSchema(service, authorization)
    expect(entries(await sign('jwt_vc_json', name))).toMatchObject({ statusPurpose: 'revocation' })
    const created = await service.request('POST', '/api/v1/credentials', {
      authorization,
      body: { type, credential_subject: SUBJECT },
    })
    expect(created.json.vc.credentialStatus).toHaveLength(2)
  })

  it('in a hosted wallet shows its status, and verifiers refuse its presentation with the sentence', async () => {
    const wallet = await newWallet(service)
    const { id: offering, offering_full_url } = await postOffering(service, { credential_type: type })
    expect((await wallet.process(offering_full_url)).status).toBe(200)
    const { json } = await service.request('GET', `/api/v1/credentials?offeringId=${offering}`, { client: true })
    const [{ id }] = json.items
    const statuses = async () =>
      new Set((await wallet.get('/credentials')).json.map(({ status }: { status: string }) => status))
    const present = async (format: (typeof FORMATS)[number]) => {
      const meta = format === 'dc+sd-jwt' ? { vct_values: [`${service.url}/vct/${type}`] } : { type_values: [[type]] }
      const asked = await ask(service, { dcqlQuery: { credentials: [{ id: 'purchase', format, meta }] } })
      const answer = await wallet.process(asked.authorizationRequestUri)
      return [answer.status, answer.json.message ?? '', (await sessionOf(service, asked)).state]
    }
    await change(id, 'suspend')
    expect(await statuses()).toEqual(new Set(['suspended']))
    for (const format of FORMATS)
      expect(await present(format)).toEqual([500, expect.stringContaining('Credential has been suspended.'), 'Error'])
    await change(id, 'reinstate')
    expect(await statuses()).toEqual(new Set(['valid']))
    for (const format of FORMATS) expect(await present(format)).toEqual([200, '', 'ResponseVerified'])
  })

  it('is found by its status, and lists and history tell the reason', async () => {
    const { id } = await sign()
    const byStatus = async (status: string) => {
      const path = `/api/v1/credentials?status=${status}&idPrefix=${id}`
      return (await service.request('GET', path, { client: true })).json.items
    }
    await change(id, 'suspend', { reason: 'holderRequest' })
    expect([await byStatus('active'), await byStatus('revoked')]).toEqual([[], []])
    const all = (await service.request('GET', `/api/v1/credentials?status=suspended`, { client: true })).json.items
    expect(all.map((item: { id: string }) => item.id)).toContain(id)
    expect(await byStatus('suspended')).toMatchObject([
      { id, status: 'suspended', suspendedAt: expect.any(String), reason: 'holderRequest' },
    ])
    expect(await history(id)).toMatchObject({
      credential: { status: 'suspended' },
      instances: [{ status: 'suspended', suspendedAt: expect.any(String) }],
      events: [
        { action: 'credential.suspended', detail: { reason: 'holderRequest' } },
        { action: 'credential.signed' },
      ],
    })
    await change((await sign()).id, 'suspend')
    const PATH = '/api/v1/credentials'
    const suspended = idsOf(await allOf(service, PATH, { status: 'suspended' }))
    expect(suspended.length).toBeGreaterThan(1)
    expect(idsOf(await allOf(service, PATH, { status: 'suspended', limit: '1' }))).toEqual(suspended)
    for (const filters of [{}, { schema: type }]) {
      expect(idsOf(await allOf(service, PATH, filters))).toEqual(expect.arrayContaining(suspended))
    }
    await change(id, 'reinstate')
    const [active] = await byStatus('active')
    expect(active).toEqual(expect.not.objectContaining({ suspendedAt: expect.anything() }))
    expect(active).toEqual(expect.not.objectContaining({ reason: expect.anything() }))
    const admin = await service.bearer('root', { roles: ['admin'] })
    const path = `/api/v1/audit-events?subject=credential&subjectId=${id}`
    const { json } = await service.request('GET', path, { authorization: admin })
    expect(
      json.items.map(({ action, detail }: { action: string; detail?: { reason?: string } }) => [
        action,
        detail?.reason,
      ]),
    ).toEqual([
      ['credential.reinstated', undefined],
      ['credential.suspended', 'holderRequest'],
      ['credential.signed', undefined],
    ])
  })

  it('gives a wallet no further copies until it is reinstated', async () => {
    const { id, take } = await taken()
    await change(id, 'suspend')
    const refused = await take(`${type}-sd-jwt`)
    expect([refused.status, refused.json.error, refused.json.error_description]).toEqual([
      400,
      'credential_request_denied',
      'The credential of this access token is suspended.',
    ])
    await change(id, 'reinstate')
    expect((await take(`${type}-sd-jwt`)).status).toBe(200)
  })

  it('has no valid copy, also if a wallet takes one at that moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, take } = await taken()
      const [copy, suspended] = await Promise.all([take(`${type}-sd-jwt`), change(id, 'suspend')])
      expect([[200, 400].includes(copy.status), suspended.status]).toEqual([true, 200])
      const { instances } = await history(id)
      expect(instances.length).toBe(copy.status === 200 ? 2 : 1)
      for (const { status } of instances) expect(status).toBe('suspended')
    }
  })
})

describe('a change of the status', () => {
  it('is refused for a type that is not suspendable, with a sentence; a revocation is not', async () => {
    const { name } = await postSchema(service, authorization)
    const { id } = await sign('dc+sd-jwt', name)
    for (const act of ['suspend', 'reinstate']) {
      const answer = await change(id, act)
      expect([answer.status, answer.json.message]).toEqual([
        409,
        'Credential cannot be suspended: its type was not suspendable when it was issued.',
      ])
    }
    expect((await change(id, 'revoke')).status).toBe(200)
  })

  it('is refused for a credential of an earlier version of the type', async () => {
    const { name } = await postSchema(service, authorization)
    const { id } = await sign('dc+sd-jwt', name)
    await postSchema(service, authorization, { name, version: 2, suspendable: true })
    expect((await change(id, 'suspend')).status).toBe(409)
    expect((await change((await sign('dc+sd-jwt', name)).id, 'suspend')).status).toBe(200)
  })

  it('needs the client secret, a known credential, a known reason and a note of at most 1,000 characters', async () => {
    const { id } = await sign()
    for (const act of ['suspend', 'reinstate', 'revoke']) {
      const path = `/api/v1/credentials/${id}/${act}`
      expect((await service.request('POST', path, { authorization })).status).toBe(401)
      expect((await change(crypto.randomUUID(), act)).json.message).toBe('Credential not found.')
      expect((await change(id, act, { reason: 'boredom' })).status).toBe(400)
      expect((await change(id, act, { note: 'x'.repeat(1_001) })).status).toBe(400)
      expect((await change(id, act, { because: 'other' })).status).toBe(400)
    }
    expect((await statusOf(id)).status).toBe('active')
  })

  it('that is repeated changes nothing: neither times, reason, note, audit log nor list', async () => {
    const { id, credential } = await sign()
    const uri = decodeJwt<{ status: { status_list: { uri: string } } }>(credential.split('~')[0] ?? '').status
      .status_list.uri
    const etag = async () => (await fetch(uri)).headers.get('etag')?.split('-')[0]
    for (const [act, at] of [
      ['suspend', 'suspendedAt'],
      ['revoke', 'revokedAt'],
    ] as const) {
      const before = await etag()
      await change(id, act, { reason: 'keyCompromise', note: `first ${act}` })
      const [first, version] = [await history(id), await etag()]
      expect(version).not.toBe(before)
      expect((await change(id, act, { reason: 'other', note: 'second' })).status).toBe(200)
      const again = await history(id)
      expect([again.credential[at], again.events.length]).toEqual([first.credential[at], first.events.length])
      expect(await statusOf(id)).toMatchObject({ reason: 'keyCompromise', note: `first ${act}` })
      expect(await etag()).toBe(version)
    }
  })

  it('keeps its note encrypted; only GET …/status has the note, and only for operators', async () => {
    const { id } = await sign()
    const note = 'Mrs Möbius lost her phone'
    await change(id, 'suspend', { reason: 'holderRequest', note })
    expect(await statusOf(id)).toEqual({ status: 'suspended', reason: 'holderRequest', note })
    const path = `/api/v1/credentials/${id}/status`
    expect((await service.request('GET', path, { authorization })).status).toBe(403)
    const admin = await service.bearer('root', { roles: ['admin'] })
    const answers = await Promise.all([
      service.request('GET', `/api/v1/credentials/${id}/history`, { client: true }),
      service.request('GET', `/api/v1/credentials?idPrefix=${id}`, { client: true }),
      service.request('GET', `/api/v1/credentials/${id}`, { authorization }),
      service.request('GET', '/api/v1/audit-events', { authorization: admin }),
    ])
    for (const { status, text } of answers) expect([status, text.includes('Möbius')]).toEqual([200, false])
    const [row] = await query(
      service.databaseUrl,
      `SELECT status_note::text AS note, (SELECT count(*)::int FROM content_keys WHERE row_id = id AND column_name = 'credentials.status_note') AS keys
       FROM credentials WHERE id = '${id}'`,
    )
    expect([String(row?.note).includes('Möbius'), row?.keys]).toEqual([false, 1])
    // A change without a note leaves no note, and no key of the former note.
    await change(id, 'reinstate')
    expect(await statusOf(id)).toEqual({ status: 'active' })
    const keys = `SELECT 1 FROM content_keys WHERE row_id = '${id}' AND column_name = 'credentials.status_note'`
    expect(await query(service.databaseUrl, keys)).toEqual([])
  })

  it('has no note after the claims were erased, and keeps its reason', async () => {
    const { id } = await sign()
    await change(id, 'suspend', { reason: 'other', note: 'Mrs Möbius' })
    expect((await change(id, 'erase')).status).toBe(200)
    expect(await statusOf(id)).toEqual({ status: 'suspended', reason: 'other' })
    const left = `SELECT 1 FROM credentials WHERE id = '${id}' AND status_note IS NOT NULL
      UNION ALL SELECT 1 FROM content_keys WHERE row_id = '${id}'`
    expect(await query(service.databaseUrl, left)).toEqual([])
    await change(id, 'reinstate', { note: 'It was a mistake' })
    expect(await statusOf(id)).toEqual({ status: 'active', note: 'It was a mistake' })
  })

  it('of many callers at once: a revocation wins over every suspension, for good', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id, credential } = await sign(FORMATS[round % 2])
      const acts = ['suspend', 'reinstate', 'suspend', 'revoke', 'reinstate', 'suspend', 'revoke', 'suspend']
      const answers = await Promise.all(acts.map((act) => change(id, act, { reason: 'other', note: act })))
      for (const [at, { status }] of answers.entries()) {
        expect(acts[at] === 'revoke' ? [200] : [200, 409]).toContain(status)
      }
      expect(await verified(credential)).toEqual(REVOKED)
      const { events, credential: record } = await history(id)
      expect(record.status).toBe('revoked')
      const revocations = events.filter(({ action }: { action: string }) => action === 'credential.revoked')
      expect([revocations.length, events[0].action]).toEqual([1, 'credential.revoked'])
      expect(await statusOf(id)).toEqual({ status: 'revoked', reason: 'other', note: 'revoke' })
    }
  })

  it('raises the version of the list by one, with each of many changes at once', async () => {
    const signed = await Promise.all(Array.from({ length: 20 }, () => sign()))
    const versions = () =>
      query<{ version: number }>(
        service.databaseUrl,
        'SELECT sum(version)::int AS version FROM status_lists WHERE bits = 2',
      )
    const [before] = await versions()
    await Promise.all(signed.map(({ id }) => change(id, 'suspend')))
    const [after] = await versions()
    expect((after?.version ?? 0) - (before?.version ?? 0)).toBe(20)
    expect(await Promise.all(signed.map(published))).toEqual(signed.map(() => ({ bits: 2, value: 2 })))
  })
})

describe('lists of credentials that cannot be suspended', () => {
  it('keep entries of one bit, and have no list of suspensions', async () => {
    const { name } = await postSchema(service, authorization)
    const [first, second] = [await sign('dc+sd-jwt', name), await sign('dc+sd-jwt', name)]
    await change(first.id, 'revoke')
    expect([await published(first), await published(second)]).toEqual([
      { bits: 1, value: 1 },
      { bits: 1, value: 0 },
    ])
    const { uri } = decodeJwt<{ status: { status_list: { uri: string } } }>(second.credential.split('~')[0] ?? '')
      .status.status_list
    const { status_list: list } = decodeJwt<{ status_list: { lst: string } }>(await (await fetch(uri)).text())
    expect(inflateSync(Buffer.from(list.lst, 'base64url'))).toHaveLength(131_072 / 8)
    const answer = await fetch(`${uri.replace('/token-status-lists/', '/status-lists/')}/suspension`)
    expect([answer.status, ((await answer.json()) as Answer['json']).message]).toEqual([404, 'Status list not found.'])
  })
})
