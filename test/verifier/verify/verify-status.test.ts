import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFetches, type FetchesPorts } from '../../../server/verifier/verify/fetches.js'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { bitstringStatus, ForeignIssuer } from '../foreign-issuer.js'
import { startWebServer, type WebServer } from '../web-server.js'

let web: WebServer
let service: TestService
let authorization: string
let issuer: ForeignIssuer

beforeAll(async () => {
  web = await startWebServer()
  service = await startService({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
  authorization = await service.bearer('alice')
  issuer = await ForeignIssuer.didKey()
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
})

async function verify(credential: string) {
  const answer = await service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  expect(answer.status).toBe(200)
  return answer.json
}

const address = (path: string) => `http://127.0.0.1:${web.port}${path}`
const refused = (error: unknown) => ({ isValid: false, error })

describe.each([
  {
    form: 'Token Status List (draft-ietf-oauth-status-list)',
    credential: (uri: string, idx: number) => issuer.sdJwtVc({ status: { uri, idx } }),
    list: (uri: string, revoked: number[], by?: ForeignIssuer) => issuer.tokenStatusList(uri, revoked, by?.signer),
  },
  {
    form: 'Bitstring Status List v1.0',
    credential: (uri: string, idx: number) => issuer.jwtVc({ status: [bitstringStatus(uri, idx)] }),
    list: (uri: string, revoked: number[], by?: ForeignIssuer) => issuer.bitstringStatusList(uri, revoked, by?.signer),
  },
])('the status of a credential of another issuer: $form', ({ credential, list }) => {
  it('is read at each verification: a valid credential is revoked as soon as its list says so', async () => {
    const uri = address(`/live/${crypto.randomUUID()}`)
    const { pathname } = new URL(uri)
    web.documents.set(pathname, { body: await list(uri, [4711]), type: 'text/plain' })
    const held = await credential(uri, 4712)
    expect((await verify(held)).isValid).toBe(true)
    expect(await verify(await credential(uri, 4711))).toEqual(refused('Credential has been revoked.'))
    web.documents.set(pathname, { body: await list(uri, [4711, 4712]) })
    expect(await verify(held)).toEqual(refused('Credential has been revoked.'))
  })

  it('makes the credential invalid if the list is not available, with the cause', async () => {
    expect(await verify(await credential(address('/nowhere'), 0))).toEqual(
      refused(`Status list could not be fetched: 127.0.0.1:${web.port} answered with status 404.`),
    )
    const { error } = await verify(await credential('http://127.0.0.1:1/list', 0))
    expect(error).toMatch(/^Status list could not be fetched: /)
    expect((await verify(await credential('http://10.0.0.1/list', 0))).error).toMatch(
      /^Status list could not be fetched: /,
    )
    expect((await verify(await credential('file:///etc/passwd', 0))).error).toMatch(
      /^Status list could not be fetched: /,
    )
  })

  it('is not taken from a list that another issuer signed', async () => {
    const uri = address(`/forged/${crypto.randomUUID()}`)
    const forger = await ForeignIssuer.didKey()
    web.documents.set(new URL(uri).pathname, { body: await list(uri, [], forger) })
    expect((await verify(await credential(uri, 1))).isValid).toBe(false)
  })

  it('is not taken from another list of the same issuer', async () => {
    const uri = address(`/moved/${crypto.randomUUID()}`)
    web.documents.set(new URL(uri).pathname, { body: await list(address('/elsewhere'), []) })
    expect(await verify(await credential(uri, 1))).toEqual(
      refused('Status list is not the one that the credential names.'),
    )
  })

  it('does not exist beyond the end of the list', async () => {
    const uri = address(`/short/${crypto.randomUUID()}`)
    web.documents.set(new URL(uri).pathname, { body: await list(uri, []) })
    expect(await verify(await credential(uri, 131_072))).toEqual(
      refused('Status list ends before the index of the credential.'),
    )
  })

  it('is not taken from a document that is not a list', async () => {
    const uri = address(`/html/${crypto.randomUUID()}`)
    web.documents.set(new URL(uri).pathname, { body: '<!doctype html><title>404</title>', type: 'text/html' })
    expect((await verify(await credential(uri, 1))).error).toMatch(/^Status list is not a well-formed JWT: /)
    web.documents.set(new URL(uri).pathname, { body: await issuer.jwtVc() })
    expect((await verify(await credential(uri, 1))).isValid).toBe(false)
  })
})

describe('the status of a credential in a list of this service', () => {
  const listId = async () => (await query(service.databaseUrl, 'SELECT id FROM status_lists LIMIT 1'))[0]?.id

  beforeAll(async () => {
    const { name } = await postSchema(service, authorization)
    const body = { type: name, credential_subject: SUBJECT }
    const answer = await service.request('POST', '/api/v1/credentials', { authorization, body })
    expect(answer.status).toBe(201)
  })

  it('does not exist for a credential with the key of another issuer', async () => {
    const id = await listId()
    const bitstring = bitstringStatus(`${service.url}/status-lists/${id}`, 1)
    const error = 'Status list belongs to another issuer than the credential.'
    expect(await verify(await issuer.jwtVc({ status: [bitstring] }))).toEqual(refused(error))
    const token = { uri: `${service.url}/token-status-lists/${id}`, idx: 1 }
    expect(await verify(await issuer.sdJwtVc({ status: token }))).toEqual(refused(error))
  })

  it.each([crypto.randomUUID(), 'unknown', 'a\0b', ''])(
    'does not exist if the list does not exist (%j)',
    async (id) => {
      const status = { uri: `${service.url}/token-status-lists/${id}`, idx: 1 }
      expect(await verify(await issuer.sdJwtVc({ status }))).toEqual(refused('Status list does not exist.'))
    },
  )

  it.each([131_072, 2 ** 31, Number.MAX_SAFE_INTEGER])('does not exist at the index %d', async (idx) => {
    const status = { uri: `${service.url}/token-status-lists/${await listId()}`, idx }
    expect(await verify(await issuer.sdJwtVc({ status }))).toEqual(refused('Status list has no such index.'))
  })
})

describe('an issuer over plain HTTP, with ALLOW_INSECURE_HTTP', () => {
  it('is resolved by its did:web', async () => {
    const club = await ForeignIssuer.named(`did:web:127.0.0.1%3A${web.port}:club`)
    web.documents.set('/club/did.json', { body: club.didDocument() })
    expect((await verify(await club.jwtVc())).isValid).toBe(true)
  })

  it.each(['did:web:a\0b', 'did:web:', `did:web:${'a'.repeat(5_000)}`, 'did:web:%zz'])(
    'is refused if its DID is invalid (%j)',
    async (did) => {
      const nobody = await ForeignIssuer.named(did)
      const { isValid, error } = await verify(await nobody.jwtVc())
      expect([isValid, error]).toEqual([false, expect.stringMatching(/^Issuer key cannot be resolved: /)])
    },
  )
})

describe('status entries of a credential', () => {
  it('are not ignored if their kind is unknown', async () => {
    const unknown = await issuer.sign(
      { typ: 'dc+sd-jwt' },
      { iss: issuer.id, vct: 'https://club.example/membership', status: { identifier_list: {} } },
    )
    expect(await verify(`${unknown}~`)).toEqual(refused('Credential status holds no status_list with uri and idx.'))
    const vc = {
      type: ['VerifiableCredential'],
      credentialSubject: {},
      credentialStatus: { type: 'StatusList2021Entry' },
    }
    expect(await verify(await issuer.sign({ typ: 'JWT' }, { iss: issuer.id, vc }))).toEqual(
      refused('Credential status is of a type other than BitstringStatusListEntry.'),
    )
  })

  it('cause at most eight requests to addresses that the issuer chose', async () => {
    const entries = Array.from({ length: 9 }, (_, index) => ({
      ...bitstringStatus(address('/many'), index),
      statusListIndex: '1',
    }))
    const vc = { type: ['VerifiableCredential'], credentialSubject: {}, credentialStatus: entries }
    const asked = web.requests.length
    expect(await verify(await issuer.sign({ typ: 'JWT' }, { iss: issuer.id, vc }))).toEqual(
      refused('Credential has more than 8 status entries.'),
    )
    expect(web.requests).toHaveLength(asked)
  })
})

describe('a large Token Status List', () => {
  /** Makes a list of 2-bit entries that cannot be compressed. The entry at index 0 is valid. */
  async function listOf(uri: string, entries: number) {
    const bytes = randomBytes(entries / 4)
    bytes[0] = 0
    const now = Math.floor(Date.now() / 1000)
    const lst = deflateSync(bytes).toString('base64url')
    const payload = { iss: issuer.id, sub: uri, iat: now - 60, exp: now + 600, status_list: { bits: 2, lst } }
    return issuer.sign({ typ: 'statuslist+jwt' }, payload)
  }
  async function verifyWith(entries: number) {
    const uri = address(`/large/${crypto.randomUUID()}`)
    const body = await listOf(uri, entries)
    web.documents.set(new URL(uri).pathname, { body })
    return { length: body.length, answer: await verify(await issuer.sdJwtVc({ status: { uri, idx: 0 } })) }
  }

  it('with 2^20 entries is read, although it is larger than the limit of other documents', async () => {
    const { length, answer } = await verifyWith(2 ** 20)
    expect(length).toBeGreaterThan(400_000)
    expect(answer).toMatchObject({ isValid: true })
  })

  it('is not read beyond 2 MiB', async () => {
    const { length, answer } = await verifyWith(5 * 2 ** 20)
    expect(length).toBeGreaterThan(2_097_152)
    expect(answer).toEqual(
      refused(`Status list could not be fetched: 127.0.0.1:${web.port} answered with more than 2097152 bytes.`),
    )
  })

  it('does not change the limit of other documents', async () => {
    const club = await ForeignIssuer.named(`did:web:127.0.0.1%3A${web.port}:large`)
    const document = { ...(club.didDocument() as object), filler: 'x'.repeat(262_144) }
    web.documents.set('/large/did.json', { body: document })
    expect((await verify(await club.jwtVc())).isValid).toBe(false)
  })
})

describe('the fetches of one verification', () => {
  it('have eight seconds together, including DID documents', async () => {
    vi.useFakeTimers()
    try {
      const never = () => new Promise<never>(() => {})
      const slow = () => new Promise((resolve) => setTimeout(() => resolve({}), 5_000))
      const fetches = createFetches({
        outbound: { fetchJson: slow, fetchText: never },
        resolver: { resolve: slow },
      } as unknown as FetchesPorts)()
      const first = fetches.resolveDid('did:web:slow.example')
      await vi.advanceTimersByTimeAsync(5_000)
      expect(await first).toEqual({})
      const second = fetches.fetchStatusList('https://slow.example/list', '*/*').catch((error: Error) => error.message)
      await vi.advanceTimersByTimeAsync(2_999)
      expect(await Promise.race([second, 'waiting'])).toBe('waiting')
      await vi.advanceTimersByTimeAsync(1)
      expect(await second).toBe('Fetching what the verification needs took too long.')
      await expect(fetches.fetchJson('https://slow.example/')).rejects.toThrow('took too long')
    } finally {
      vi.useRealTimers()
    }
  })
})
