import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCompact, signCompact } from '../../server/protocol/jose/jws.js'
import { issueJwtVc } from '../../server/protocol/jwt-vc/issue.js'
import { createBitstringStatusListCredential } from '../../server/protocol/status-list/bitstring.js'
import { createTokenStatusList } from '../../server/protocol/status-list/token-status-list.js'
import { makeCertificate, type TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { certifiedStatusList, makeLeaf, makeRoot, membership, signerOf, YEARS } from '../verifier/certified.js'
import { bitstringStatus } from '../verifier/foreign-issuer.js'
import { type ListServer, startListServer } from './list-server.js'
import {
  definition,
  keyRefusalOf,
  listsFile,
  listsOf,
  makeList,
  makeOperator,
  refreshed,
  refusalOf,
  seconds,
} from './lists.js'

const PREFIX = 'Presentation for club: Issuer key cannot be resolved: '

const operator = makeOperator()
const [authority, other, stranger] = [makeRoot('Authority'), makeRoot('Other'), makeRoot('Stranger')] as [
  TestCertificate,
  TestCertificate,
  TestCertificate,
]
const signer = makeLeaf(makeRoot('Above'), { subject: 'Listed signer' })
const statusSigner = makeLeaf(makeRoot('Above'), { subject: 'Status signer' })
const otherStatusSigner = makeLeaf(makeRoot('Above'), { subject: 'Status signer' })

let lists: ListServer
let service: TestService
let wallet: WalletActor
const state = { now: () => new Date() }

const entities = [
  { name: 'Ministry', issuance: [authority, signer], revocation: [statusSigner] },
  { name: 'Agency', issuance: [other], revocation: [otherStatusSigner] },
]

beforeAll(async () => {
  lists = await startListServer()
  lists.publish('/pid.jwt', { body: await makeList(operator, entities) })
  service = await startService({
    clock: () => state.now(),
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}/pid.jwt`, operator)),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await lists.close()
})

const refusal = async (leaf: TestCertificate, members = {}, options = {}) =>
  refusalOf(service, wallet, await membership(leaf, wallet, members, options))

const NOT_ON = () => `${PREFIX}Issuer is not on the list ${lists.url}/pid.jwt`

describe('a list that was not read yet', () => {
  it('vouches for nobody, and readiness and checklist say so', async () => {
    expect(await refusal(makeLeaf(authority))).toBe(`${NOT_ON()} (list has not been read yet).`)
    const { json } = await service.request('GET', '/health/readiness')
    expect(json.details.trustLists).toEqual({ status: 'degraded', reason: 'not-read' })
    const setup = await service.request('GET', '/api/v1/setup?ask=false', { client: true })
    if (setup.status !== 200) throw new Error(setup.text)
    expect(setup.json.items.find(({ id }: { id: string }) => id === 'trustLists')).toMatchObject({
      state: 'failed',
      sentence: `No entity of the list ${lists.url}/pid.jwt is trusted: list has not been read yet.`,
    })
    expect(await refreshed(service), JSON.stringify(await listsOf(service).all())).toBe('changed')
    expect((await service.request('GET', '/health/readiness')).json.details.trustLists).toEqual({ status: 'up' })
  })
})

describe('an issuer', () => {
  it('is trusted by an authority of the list, or by its own certificate', async () => {
    expect(await refusal(makeLeaf(authority))).toBeUndefined()
    expect(await refusal(signer)).toBeUndefined()
  })

  it('is not trusted by a chain to somebody else, who has no place on the list', async () => {
    expect(await refusal(makeLeaf(stranger))).toBe(`${NOT_ON()}.`)
  })

  it('is not trusted by a name: the same subject with another key is somebody else', async () => {
    const double = makeRoot('Authority')
    const refused = await refusal(makeLeaf(double), {}, { x5c: [makeLeaf(double).x5c] })
    expect(refused).toContain(PREFIX)
    expect(await refusal(makeLeaf(double))).toContain(PREFIX)
    const sameName = makeLeaf(makeRoot('Above'), { subject: 'Listed signer' })
    expect(await refusal(sameName)).toBe(`${NOT_ON()}.`)
  })

  it('is not trusted by an intermediate authority that is not on the list', async () => {
    const intermediate = makeCertificate({ subject: 'Between', issuer: stranger, ca: true, keyUsage: 0x04, ...YEARS })
    const leaf = makeLeaf(intermediate)
    expect(await refusal(leaf, {}, { x5c: [leaf.x5c, intermediate.x5c] })).toBe(`${NOT_ON()}.`)
    expect(await refusal(leaf, {}, { x5c: [leaf.x5c, intermediate.x5c, stranger.x5c] })).toBe(`${NOT_ON()}.`)
  })

  it('is not trusted by the certificates of a service for status lists', async () => {
    expect(await refusal(statusSigner)).toContain('The service of Ministry on the list')
    expect(await refusal(statusSigner)).toContain('is for another use.')
  })

  it('is not trusted by its own certificate if it sends the key of the list, but signs with another key', async () => {
    const liar = makeLeaf(stranger)
    expect(await refusal(liar, {}, { x5c: [signer.x5c] })).toBe(
      'Presentation for club: Credential signature is invalid.',
    )
  })
})

describe('a status list of a listed issuer', () => {
  const withStatus = async (signedBy: TestCertificate, issuer = makeLeaf(authority)) => {
    const uri = `${lists.url}/status/${crypto.randomUUID()}`
    lists.publish(new URL(uri).pathname, { body: await certifiedStatusList(signedBy, uri, []) })
    return refusal(issuer, { status: { status_list: { uri, idx: 3 } } })
  }

  it('is accepted from the service for status of the same entity', async () => {
    expect(await withStatus(statusSigner)).toBeUndefined()
  })

  it('is refused from the service for status of another entity', async () => {
    expect(await withStatus(otherStatusSigner)).toBe(
      `Presentation for club: Status list: The signer is a service of Agency on the list ${lists.url}/pid.jwt, and not of the entity that issued the credential.`,
    )
  })

  it('is refused from another entity, even if it certifies the same name', async () => {
    const named = { dns: ['club.example'] }
    expect(await withStatus(makeLeaf(other))).toContain('Status list: ')
    const refused = await withStatus(makeLeaf(other, named), makeLeaf(authority, named))
    expect(refused).toBe(
      `Presentation for club: Status list: The service of Agency on the list ${lists.url}/pid.jwt is for another use.`,
    )
  })

  it('attack: is refused with a key that only the name of the issuer leads to', async () => {
    const { did, signer: holderOfName } = await newWallet()
    const uri = `${lists.url}/status/${crypto.randomUUID()}`
    const body = await createTokenStatusList({
      signer: holderOfName,
      issuer: did,
      uri,
      revokedIndices: [],
      size: 1_024,
      issuedAt: new Date(Date.now() - 60_000),
      expiresAt: new Date(Date.now() + 60_000),
      ttlSeconds: 60,
    })
    lists.publish(new URL(uri).pathname, { body })
    const named = makeLeaf(authority, { uri: [did] })
    expect(await refusal(named, { iss: did, status: { status_list: { uri, idx: 3 } } })).toBe(
      `Presentation for club: Status list is signed with another key than the credential, and has no certificate chain to the list ${lists.url}/pid.jwt.`,
    )
  })

  it('attack: a Bitstring Status List of another entity is refused, even if it certifies the address of the issuer', async () => {
    const issuer = 'https://club.example'
    const statusBy = async (by: TestCertificate) => {
      const url = `${lists.url}/status/${crypto.randomUUID()}`
      const list = decodeCompact(
        await createBitstringStatusListCredential({
          signer: await signerOf(by),
          issuer,
          url,
          setIndices: [],
          size: 131_072,
          issuedAt: new Date(Date.now() - 60_000),
          validUntil: new Date(Date.now() + 60_000),
          ttlSeconds: 60,
        }),
      )
      const header = { typ: 'vc+jwt', cty: 'vc', kid: undefined, x5c: [by.x5c] }
      lists.publish(new URL(url).pathname, { body: await signCompact(await signerOf(by), header, list.payload) })
      const leaf = makeLeaf(authority, { uri: [issuer] })
      const credential = decodeCompact(
        (
          await issueJwtVc({
            signer: await signerOf(leaf),
            issuer,
            id: 'urn:uuid:6ba7b810-9dad-41d1-80b4-00c04fd430c8',
            types: ['Membership'],
            claims: { level: 'gold' },
            issuedAt: new Date(),
            status: [bitstringStatus(url, 3)],
          })
        ).compact,
      )
      return keyRefusalOf(
        service,
        await signCompact(await signerOf(leaf), { typ: 'JWT', kid: undefined, x5c: [leaf.x5c] }, credential.payload),
      )
    }
    expect(await statusBy(makeLeaf(other, { uri: [issuer] }))).toContain(
      `Status list: The service of Agency on the list ${lists.url}/pid.jwt is for another use.`,
    )
    expect(await statusBy(statusSigner)).toBeUndefined()
  })

  it('is refused from somebody without a place on the list', async () => {
    expect(await withStatus(makeLeaf(stranger))).toBe(
      `Presentation for club: Status list: The signer is no service of Ministry on the list ${lists.url}/pid.jwt.`,
    )
  })
})

describe('a list that is wrong', () => {
  const sequence = 2
  it.each<[string, () => Promise<{ body: Uint8Array | string; status?: number; delayMs?: number }>, string]>([
    ['unreachable', async () => ({ body: '', status: 503 }), 'answered with status 503'],
    ['too-slow', async () => ({ body: await makeList(operator, entities, { sequence }), delayMs: 11_000 }), '10000'],
    ['malformed', async () => ({ body: 'no list' }), ''],
    ['unsigned', async () => ({ body: unsigned(await makeList(operator, entities, { sequence })) }), ''],
    ['signer', async () => ({ body: await makeList(makeOperator(), entities, { sequence }) }), 'not pinned'],
    ['signature', async () => ({ body: tampered(await makeList(operator, entities, { sequence })) }), ''],
    ['too-large', async () => ({ body: Buffer.alloc(16 * 1_048_576 + 1, 65) }), 'more than 16777216 bytes'],
    [
      'out-of-date',
      async () => ({
        body: await makeList(operator, entities, { sequence, issuedAt: seconds(-900), nextUpdate: seconds(-60) }),
      }),
      'out of date since',
    ],
    ['sequence-went-back', async () => ({ body: await makeList(operator, entities, { sequence: 0 }) }), 'sequence'],
    ['type', async () => ({ body: await makeList(operator, entities, { sequence, type: 'https://x.example' }) }), ''],
  ])('%s is refused by name, and the list before stays in use', async (check, published, sentence) => {
    lists.publish('/pid.jwt', await published())
    expect(await refreshed(service)).toBe(check)
    const [list] = await listsOf(service).all()
    expect(list).toMatchObject({ state: 'failing', check, sequenceNumber: 1, entities: 2 })
    expect(list.reason).toContain(sentence)
    expect((await service.request('GET', '/health/readiness')).json.details.trustLists.reason).toBe(check)
    expect(await refusal(makeLeaf(authority))).toBeUndefined()
    expect(await service.platform.metrics.registry.metrics()).toContain(
      `credence_trust_list_reads_total{outcome="${check}"} 1`,
    )
  })

  it('is usable again after a good list', async () => {
    lists.publish('/pid.jwt', { body: await makeList(operator, entities, { sequence: 3 }) })
    expect(await refreshed(service)).toBe('changed')
    expect((await listsOf(service).all())[0]).toMatchObject({ state: 'usable', sequenceNumber: 3 })
  })
})

const unsigned = (list: Uint8Array): string => {
  const [, payload] = Buffer.from(list).toString().split('.')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
}

const tampered = (list: Uint8Array): string => {
  const [header, payload = '', signature] = Buffer.from(list).toString().split('.')
  const content = Buffer.from(payload, 'base64url').toString().replace('Agency', 'Agents')
  return `${header}.${Buffer.from(content).toString('base64url')}.${signature}`
}

describe('conditional requests', () => {
  it('confirm a list without sending it again', async () => {
    const body = await makeList(operator, entities, { sequence: 4 })
    lists.publish('/pid.jwt', { body, etag: '"four"' })
    expect(await refreshed(service)).toBe('changed')
    expect(await refreshed(service)).toBe('unchanged')
    expect(lists.requests.at(-1)?.headers['if-none-match']).toBe('"four"')
  })
})

describe('a request on its way', () => {
  it('reads no list: neither from the database nor from its address', async () => {
    const credential = await membership(makeLeaf(authority), wallet)
    await refusalOf(service, wallet, credential)
    const asked = lists.requests.length
    const statements = async () => {
      const before = service.platform.database.load().statements
      expect(await refusalOf(service, wallet, credential)).toBeUndefined()
      return service.platform.database.load().statements - before
    }
    const [first, second] = [await statements(), await statements()]
    expect(first).toBe(second)
    expect(lists.requests.length).toBe(asked)
  })
})

it('attack: an address confirms a list that was never read (RFC 9110 §15.4.5)', async () => {
  lists.publish('/confirmed.jwt', { body: '', status: 304 })
  const added = await listsOf(service).add(definition(`${lists.url}/confirmed.jwt`, operator))
  expect(added.json).toMatchObject({
    state: 'unusable',
    check: 'unreachable',
    reason: expect.stringContaining('answered with status 304'),
  })
  expect((await listsOf(service).remove(added.json.id)).status).toBe(204)
})
