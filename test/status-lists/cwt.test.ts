import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Jwk } from '../../server/protocol/jose/jws.js'
import { decodeStatusListCwt, readMdoc, verifyStatusListCwt } from '../../server/protocol/mdoc/mdoc.js'
import { readTokenStatus } from '../../server/protocol/status-list/token-status-list.js'
import { credentialOf, type Issuer } from '../issuer/openid4vci/actors.js'
import {
  leaf,
  licenceSchema,
  MDOC,
  offerOf,
  postSchema,
  root,
  startMdocIssuer,
} from '../issuer/openid4vci/mdoc-actors.js'

const CWT = 'application/statuslist+cwt'
const JWT = 'application/statuslist+jwt'

let issuer: Issuer
let close: () => Promise<void>

beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer())
})
afterAll(() => close())

/** Lets a wallet take a mobile document. Returns the document's status entry. */
async function issued() {
  const { credentialOfferSessionId: id } = await offerOf(issuer)
  const { status } = readMdoc(credentialOf(await issuer.take(await issuer.token(id), MDOC)))
  if (status === undefined) throw new Error('The document has no status.')
  return { status, path: new URL(status.uri).pathname }
}

const get = (path: string, headers: Record<string, string>) => fetch(`${issuer.service.url}${path}`, { headers })

const cwtAt = async (path: string) => {
  const answer = await get(path, { accept: CWT })
  expect(answer.status).toBe(200)
  return { answer, cwt: decodeStatusListCwt(new Uint8Array(await answer.arrayBuffer())) }
}

it('GET /token-status-lists/{id} with Accept: application/statuslist+cwt gives a CWT (Token Status List §5.2)', async () => {
  const { status, path } = await issued()
  const { answer, cwt } = await cwtAt(path)
  expect(answer.headers.get('content-type')).toBe(CWT)
  expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding')
  expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=60, stale-if-error=\d+$/)
  expect(cwt.header).toEqual({ x5c: [leaf.x5c] })
  const { sub, iat, exp, ttl } = cwt.payload
  // Token Status List §4.3: the CWT names the aggregation inside `status_list`.
  expect(cwt.payload.status_list).toMatchObject({
    aggregation_uri: `${issuer.service.config.issuerBaseUrl}/token-status-lists`,
  })
  expect([sub, Number(exp) - Number(iat), ttl]).toEqual([status.uri, 86_400, 60])
  verifyStatusListCwt(cwt, leaf.certificate.publicKey.export({ format: 'jwk' }) as Jwk)
  expect(readTokenStatus(cwt.payload, status)).toBe(0)
})

it.each([
  [CWT, CWT],
  [`${JWT};q=0.5, ${CWT}`, CWT],
  [`${CWT}, */*;q=0.1`, CWT],
  [JWT, JWT],
  [`${JWT}, ${CWT}`, JWT],
  [`${JWT}, ${CWT};q=0.9`, JWT],
  ['application/*', JWT],
  ['*/*', JWT],
])('Accept: %s gives %s', async (accept, type) => {
  const { path } = await issued()
  expect((await get(path, { accept })).headers.get('content-type')).toBe(type)
})

it('is cached until the next revocation, with its own ETag', async () => {
  const { path } = await issued()
  const [first, again, jwt] = [await get(path, { accept: CWT }), await get(path, { accept: CWT }), await get(path, {})]
  const etag = first.headers.get('etag') ?? ''
  expect(Buffer.from(await first.arrayBuffer()).equals(Buffer.from(await again.arrayBuffer()))).toBe(true)
  expect(jwt.headers.get('etag')).not.toBe(etag)
  expect((await get(path, { accept: CWT, 'if-none-match': etag })).status).toBe(304)
  expect((await get(path, { accept: JWT, 'if-none-match': etag })).status).toBe(200)
})

it('a revocation is visible in JWT, CWT and Bitstring at once', async () => {
  const signed = await issuer.service.request('POST', '/credentials/sign', {
    authorization: await issuer.authorization(),
    body: {
      type: 'DrivingLicence',
      credential_subject: { height: 171 },
      format: 'mso_mdoc',
      holder: `did:jwk:${Buffer.from(JSON.stringify(leaf.certificate.publicKey.export({ format: 'jwk' }))).toString('base64url')}`,
    },
  })
  expect(signed.status, signed.text).toBe(201)
  const { status } = readMdoc(signed.json.credential)
  if (status === undefined) throw new Error('The document has no status.')
  const path = new URL(status.uri).pathname
  const both = async () => {
    const jwt = decodeJwt(await (await get(path, { accept: JWT })).text())
    return [readTokenStatus({ ...jwt }, status), readTokenStatus((await cwtAt(path)).cwt.payload, status)]
  }
  const bitstring = async () => (await get(path.replace('token-status-lists', 'status-lists'), {})).headers.get('etag')
  expect(await both()).toEqual([0, 0])
  const before = await bitstring()
  const revoked = await issuer.service.request('POST', `/api/v1/credentials/${signed.json.id}/revoke`, { client: true })
  expect(revoked.status).toBe(200)
  expect(await both()).toEqual([1, 1])
  expect(await bitstring()).not.toBe(before)
})

/** The entry of a document and its value in a list, read by @owf/mdoc, the library of Credo. */
async function readByOwf(issuerSigned: string, list?: Uint8Array) {
  const workerData = { issuerSigned, root: root.certificate.raw, list }
  const worker = new Worker(new URL('owf-status.mjs', import.meta.url), { workerData })
  const [answer] = await once(worker, 'message')
  return answer as { readonly uri: string; readonly list?: string; readonly value?: number }
}

it('the suspension of a mobile document shows in JWT and CWT, also to @owf/mdoc, until it is reinstated', async () => {
  const name = 'StudentLicence'
  const posted = await postSchema(issuer, licenceSchema({ name, suspendable: true }))
  expect(posted.status, posted.text).toBe(201)
  const holder = `did:jwk:${Buffer.from(JSON.stringify(leaf.certificate.publicKey.export({ format: 'jwk' }))).toString('base64url')}`
  const signed = await issuer.service.request('POST', '/credentials/sign', {
    authorization: await issuer.authorization(),
    body: { type: name, credential_subject: { height: 171 }, format: 'mso_mdoc', holder },
  })
  expect(signed.status, signed.text).toBe(201)
  const { id, credential } = signed.json
  const { status } = readMdoc(credential)
  if (status === undefined) throw new Error('The document has no status.')
  const path = new URL(status.uri).pathname
  const seen = async () => {
    const jwt = decodeJwt<{ status_list: { bits: number } }>(await (await get(path, { accept: JWT })).text())
    const bytes = new Uint8Array(await (await get(path, { accept: CWT })).arrayBuffer())
    const foreign = await readByOwf(credential, bytes)
    expect([foreign.uri, foreign.list]).toEqual([status.uri, status.uri])
    return [jwt.status_list.bits, readTokenStatus({ ...jwt }, status), foreign.value]
  }
  const change = async (act: string) =>
    (await issuer.service.request('POST', `/api/v1/credentials/${id}/${act}`, { client: true })).status
  expect(await seen()).toEqual([2, 0, 0])
  expect(await change('suspend')).toBe(200)
  expect(await seen()).toEqual([2, 2, 2])
  expect(await change('reinstate')).toBe(200)
  expect(await seen()).toEqual([2, 0, 0])
  expect([await change('suspend'), await change('revoke')]).toEqual([200, 200])
  expect(await seen()).toEqual([2, 1, 1])
})
