import { createHash } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, certify, intermediate, leafOf, root } from '../../agent/certified.js'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet } from '../../support/wallet.js'
import { type Asked, answer, ask, dcql, ITEM, makeWorld, present, type RequestPayload, sessionOf } from '../actors.js'

const NAMES = { subject: 'Shop', dns: ['127.0.0.1'] }
const leaf = leafOf(NAMES)

let files: Awaited<ReturnType<typeof certificateFiles>>
let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>

const hashOf = ({ certificate }: TestCertificate) =>
  `x509_hash:${createHash('sha256').update(certificate.raw).digest('base64url')}`

beforeAll(async () => {
  files = await certificateFiles()
  service = await startService({
    env: {
      VERIFIER_X509: await files.fileOf([leaf, intermediate, root]),
      VERIFIER_TRUST_ANCHORS: await files.fileOf([root]),
    },
  })
  world = await makeWorld(service)
})
afterAll(async () => {
  await service.close()
  await files.remove()
})

const asked = (body: Record<string, unknown> = {}) =>
  ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post', ...body })

async function requestObject({ request_uri: uri }: Asked) {
  const compact = await (await fetch(uri)).text()
  return {
    compact,
    header: decodeProtectedHeader(compact),
    payload: decodeJwt<RequestPayload>(compact),
  }
}

async function refused(by: TestService, body: Record<string, unknown>) {
  const reply = await by.request('POST', '/authorization-requests', {
    authorization: await by.bearer('verifier'),
    body: { query: [ITEM], ...body },
  })
  return [reply.status, reply.json.message]
}

describe('a verifier with VERIFIER_X509 (OpenID4VP 1.0 §5.9.3)', () => {
  it('identifies itself by the hash of its certificate and signs with the chain, without root and kid', async () => {
    const request = await asked()
    const { compact, header, payload } = await requestObject(request)
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: [leaf.x5c, intermediate.x5c] })
    expect(payload.client_id).toBe(hashOf(leaf))
    const address = new URL(request.authorizationRequestUri)
    expect([address.protocol, address.searchParams.get('client_id')]).toEqual(['openid4vp:', hashOf(leaf)])
    await compactVerify(compact, await importX509(String(leaf.certificate), 'ES256'))
  })

  it.each([
    ['x509_san_dns', 'x509_san_dns:127.0.0.1', true],
    ['decentralized_identifier', /^decentralized_identifier:did:jwk:/, false],
  ])('identifies itself as requested: %s', async (clientIdPrefix, clientId, certified) => {
    const { header, payload } = await requestObject(await asked({ clientIdPrefix }))
    expect(payload.client_id).toMatch(clientId)
    expect([header.x5c !== undefined, header.kid !== undefined]).toEqual([certified, !certified])
  })

  it.each([undefined, 'x509_san_dns', 'decentralized_identifier'])(
    'accepts only the full client identifier as the audience (§14.8): %s',
    async (clientIdPrefix) => {
      const vpToken = async (audience?: (clientId: string) => string) => {
        const request = await asked(clientIdPrefix === undefined ? {} : { clientIdPrefix })
        const { payload } = await requestObject(request)
        const options = audience === undefined ? {} : { audience: audience(payload.client_id) }
        const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload, options)]
        const reply = await answer(payload, { purchase })
        return [reply.status, (await sessionOf(service, request)).state]
      }
      expect(await vpToken()).toEqual([200, 'ResponseVerified'])
      expect(await vpToken((clientId) => clientId.slice(clientId.indexOf(':') + 1))).toEqual([400, 'Error'])
      expect(await vpToken(() => service.url)).toEqual([400, 'Error'])
    },
  )

  it('keeps the chain no longer than the session is open', async () => {
    const request = await asked()
    const { payload } = await requestObject(request)
    const kept = () =>
      query(service.databaseUrl, 'SELECT x5c FROM verification_sessions WHERE id = $1', [request.verificationSessionId])
    expect(await kept()).toEqual([{ x5c: [leaf.x5c, intermediate.x5c] }])
    await answer(payload, { purchase: ['x~'] })
    expect(await kept()).toEqual([{ x5c: null }])
  })

  it('is accepted by a wallet that knows the root: the hosted wallet looks for credentials', async () => {
    const wallet = await newWallet(service)
    for (const clientIdPrefix of ['x509_hash', 'x509_san_dns']) {
      const { authorizationRequestUri } = await asked({ clientIdPrefix })
      const reply = await wallet.process(authorizationRequestUri)
      expect([reply.status, reply.json.message]).toEqual([
        500,
        'Could not find the required credentials for the presentation submission',
      ])
    }
  })

  it('continues to serve an unchanged request after the certificate is renewed', async () => {
    const before = await asked()
    const { certificate, privateKey } = leaf
    const renewed = makeCertificate({
      ...NAMES,
      issuer: intermediate,
      keyUsage: 0x80,
      notAfter: '2098-12-31T00:00:00Z',
      keyPair: { privateKey, publicKey: certificate.publicKey },
    })
    const { databaseUrl, identityProvider } = service
    const restart = async (certificates: TestCertificate[]) =>
      (
        await startService({
          databaseUrl,
          identityProvider,
          env: { VERIFIER_X509: await files.fileOf(certificates) },
        })
      ).close()
    await restart([renewed, intermediate])
    const { header, payload } = await requestObject(before)
    expect([header.x5c?.[0], payload.client_id]).toEqual([leaf.x5c, hashOf(leaf)])
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    expect((await answer(payload, { purchase })).status).toBe(200)
    const after = await requestObject(await asked())
    expect([after.header.x5c?.[0], after.payload.client_id]).toEqual([renewed.x5c, hashOf(renewed)])
    await restart([leaf, intermediate])
  })
})

describe('a verifier that cannot use this identifier', () => {
  it('has no certificate: another verifier record, or an installation without VERIFIER_X509', async () => {
    const authorization = await service.bearer('verifier', { roles: ['admin'] })
    const { json } = await service.request('POST', '/agent/verifier', { authorization, body: { method: 'web' } })
    for (const prefix of ['x509_hash', 'x509_san_dns']) {
      expect(await refused(service, { verifierId: json.id, clientIdPrefix: prefix })).toEqual([
        400,
        [`clientIdPrefix ${prefix} needs a certificate of the verifier`],
      ])
    }
    const { payload } = await requestObject(await asked({ verifierId: json.id }))
    expect(payload.client_id).toMatch(/^decentralized_identifier:did:/)
  })

  it('has a certificate for another host', async () => {
    const elsewhere = await files.fileOf([leafOf({ dns: ['shop.example'] }), intermediate])
    await using other = await startService({ env: { VERIFIER_X509: elsewhere } })
    expect(await refused(other, { clientIdPrefix: 'x509_san_dns' })).toEqual([
      400,
      ['clientIdPrefix x509_san_dns needs a certificate for 127.0.0.1 (dNSName)'],
    ])
  })

  const UNTIL = { notAfter: '2090-01-01T00:00:00Z' }
  const passing = certify({ subject: 'Intermediate', issuer: root, ca: true, keyUsage: 0x04, ...UNTIL })
  it.each([
    ['leaf', [leafOf({ ...NAMES, ...UNTIL }), intermediate]],
    ['authority', [leafOf({ ...NAMES, issuer: passing }), passing]],
  ])('has a chain whose %s has expired since the start: 409', async (_which, chain) => {
    let now = new Date()
    const file = await files.fileOf(chain)
    await using other = await startService({
      clock: () => now,
      maintenance: false,
      env: { VERIFIER_X509: file },
    })
    const made = await other.request('POST', '/api/v1/verifier/vp-queries', { client: true, body: { query: [ITEM] } })
    const path = `/api/v1/verifier/vp-queries/${made.json.id}/authorization-request`
    const create = () =>
      other.request('POST', path, { client: true, body: { redirect_uri: 'https://shop.example/done' } })
    expect((await create()).status).toBe(201)
    now = new Date('2090-01-01T00:01:00Z')
    const late = await create()
    expect([late.status, late.json.message]).toEqual([409, 'Certificate of the verifier has expired.'])
  })
})
