import 'reflect-metadata'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { CertificatePolicyExtension, Pkcs10CertificateRequest } from '@peculiar/x509'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { type Asked, answer, ask, dcql, ITEM, makeWorld, present, type RequestPayload } from '../verifier/actors.js'
import { certificateFor, pemOf, readRequest } from './authority.js'
import { certify, intermediate, leafOf, root } from './certified.js'

let service: TestService
let admin: string
beforeAll(async () => {
  // With this variable, stored keys are encrypted.
  service = await startService({ env: { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64url') } })
  admin = await service.bearer('verifier', { roles: ['admin'] })
})
afterAll(() => service.close())

async function newVerifier(display = [{ name: 'Shop' }], by = service): Promise<string> {
  const body = { method: 'web', display }
  return (await by.request('POST', '/agent/verifier', { authorization: admin, body })).json.id
}

const requestOf = (id: string, by = service, authorization = admin) =>
  by.request('GET', `/agent/verifier/${id}/certificate-request`, { authorization })

const certifyVerifier = (id: string, chain: unknown, by = service, authorization = admin) =>
  by.request('POST', `/agent/verifier/${id}/certificate`, { authorization, body: { chain } })

const requested = async (id: string, by = service): Promise<string> => (await requestOf(id, by)).json.certificateRequest

const asked = (id: string, body: Record<string, unknown> = {}, by = service) =>
  ask(by, { query: [ITEM], responseMode: 'direct_post', verifierId: id, ...body })

async function requestObject({ request_uri: uri }: Asked) {
  const compact = await (await fetch(uri)).text()
  const header = decodeProtectedHeader(compact)
  return { compact, header, payload: decodeJwt<RequestPayload>(compact) }
}

const keysOf = (id: string) =>
  query<{ x5c: string[] | null; private_jwk: string }>(
    service.databaseUrl,
    'SELECT k.x5c, k.private_jwk FROM verifiers v JOIN keys k USING (key_set_id) WHERE v.id = $1 ORDER BY k.created_at',
    [id],
  )

describe('GET /agent/verifier/{id}/certificate-request (RFC 2986)', () => {
  it('is a request of the current key, signed with it, in the name of the record', async () => {
    const id = await newVerifier([{ name: 'Caffè "Roma", S.p.A. #1' }])
    const reply = await requestOf(id)
    expect([reply.status, Object.keys(reply.json)]).toEqual([200, ['certificateRequest']])
    const { publicKey, signed, text } = readRequest(reply.json.certificateRequest)
    expect(signed).toBe(true)
    expect(text).toContain('Caffè "Roma", S.p.A. #1')
    // The host of VERIFIER_BASE_URL is an IP address here, so the request has no dNSName.
    expect(text).not.toContain('127.0.0.1')
    const { header } = await requestObject(await asked(id))
    const [, , encoded = ''] = String(header.kid).split('#')[0]?.split(':') ?? []
    expect(JSON.parse(Buffer.from(encoded, 'base64url').toString())).toMatchObject(publicKey.export({ format: 'jwk' }))
  })

  it('names the host of VERIFIER_BASE_URL (dNSName), also as the subject of a record without a name', async () => {
    const VERIFIER_BASE_URL = 'https://shop.example'
    await using other = await startService({ env: { VERIFIER_BASE_URL } })
    const authorization = await other.bearer('verifier', { roles: ['admin'] })
    const create = async (display: unknown) =>
      (await other.request('POST', '/agent/verifier', { authorization, body: { method: 'web', display } })).json.id
    const read = async (display: unknown) =>
      readRequest((await requestOf(await create(display), other, authorization)).json.certificateRequest)
    const named = await read([{ name: 'Shop' }])
    expect(named.text.split('shop.example')).toHaveLength(2)
    // commonName and dNSName.
    expect((await read(undefined)).text.split('shop.example')).toHaveLength(3)
    // A name that is too long for a certificate is shortened. Characters that would end the name early are removed.
    const long = await read([{ name: `Bank\n${'ö'.repeat(100)}` }])
    expect([long.signed, long.text.includes(`Bank ${'ö'.repeat(59)}`)]).toEqual([true, true])
    expect(long.text).not.toContain('ö'.repeat(60))
  })

  it('exists for an Ed25519 key too, and for the default verifier', async () => {
    await using other = await startService()
    await keysCommand(['--alg', 'EdDSA'], environmentOf(other))
    const authorization = await other.bearer('verifier', { roles: ['admin'] })
    const [{ id }] = (await other.request('GET', '/agent/verifiers', { authorization })).json
    const { publicKey, signed } = readRequest((await requestOf(id, other, authorization)).json.certificateRequest)
    expect([publicKey.asymmetricKeyType, signed]).toEqual(['ed25519', true])
  })
})

describe('a request for an access certificate (TS 119 411-8 §6.6.1)', () => {
  const ACCESS = {
    country: 'DE',
    organization: 'Shop "Roma", Öl & Co., CN=other',
    organizationIdentifier: 'VATDE-123456789',
    email: 'help@shop.example',
    website: 'https://shöp.example/help?a=1,DNS:bank.example',
    phone: '+49 30 1234567',
    policies: '0.4.0.194118.1.2,1.3.6.1.4.1.99999.1',
  }
  const requestWith = async (parameters: Readonly<Record<string, string>>) => {
    const path = `/agent/verifier/${await newVerifier()}/certificate-request?${new URLSearchParams(parameters)}`
    return service.request('GET', path, { authorization: admin })
  }
  const openssl = (pem: string, ...args: readonly string[]) =>
    execFileSync('openssl', [...args], { input: pem, encoding: 'utf8' })

  it('carries the organization, each kind of contact and the policies, as openssl and @peculiar/x509 read them', async () => {
    const { status, json } = await requestWith(ACCESS)
    expect(status).toBe(200)
    const pem: string = json.certificateRequest
    const nameOptions = 'RFC2253,utf8,-esc_msb,sep_multiline,lname'
    const text = openssl(pem, 'req', '-noout', '-verify', '-text', '-nameopt', nameOptions)
    const subject = /Subject:\s*([\s\S]*?)\n\s*Subject Public/.exec(text)?.[1]
    expect(
      subject
        ?.split('\n')
        .map((line) => line.trim())
        .sort(),
    ).toEqual([
      'commonName=Shop',
      'countryName=DE',
      'organizationIdentifier=VATDE-123456789',
      'organizationName=Shop \\"Roma\\"\\, Öl & Co.\\, CN=other',
    ])
    expect(text).toContain(
      'URI:https://xn--shp-tna.example/help?a=1,DNS:bank.example, email:help@shop.example, othername:',
    )
    expect(text).toContain('Policy: 0.4.0.194118.1.2')
    expect(text).toContain('Policy: 1.3.6.1.4.1.99999.1')
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature/)
    // otherName of the type telephoneNumber (2.5.4.20), with a PrintableString.
    const names = /OCTET STRING\s+\[HEX DUMP\]:([0-9A-F]*550414[0-9A-F]*)/.exec(openssl(pem, 'asn1parse'))?.[1] ?? ''
    const phone = Buffer.from('+49 30 1234567').toString('hex').toUpperCase()
    expect(names).toContain(`0603550414A010130E${phone}`)
    const request = new Pkcs10CertificateRequest(pem)
    const [policies] = request.extensions.filter(({ type }) => type === '2.5.29.32')
    expect(new CertificatePolicyExtension(policies?.rawData ?? new Uint8Array()).policies).toEqual(
      ACCESS.policies.split(','),
    )
    expect(request.subjectName.getField('2.5.4.97')).toEqual(['VATDE-123456789'])
    expect(await request.verify()).toBe(true)
  })

  it.each([
    ['country', 'de', 'country must be a country code of two capital letters'],
    ['organization', 'x'.repeat(65), 'organization'],
    ['organization', 'Shop\u0000', 'organization must not have control characters'],
    ['organizationIdentifier', '123456789', 'organizationIdentifier must be an identifier such as VATDE-123456789'],
    ['organizationIdentifier', 'VATDE-1 2', 'organizationIdentifier must be an identifier such as VATDE-123456789'],
    ['email', 'help', '"message":["email must be a valid email"]'],
    ['email', 'hélp@shop.example', '"message":["email must be a valid email"]'],
    ['website', 'javascript:alert(1)', 'website must be an http or https address without user name'],
    ['website', 'https://a:b@shop.example', 'website must be an http or https address without user name'],
    ['phone', '030 1234567', 'phone must be a telephone number with country code'],
    ['policies', '0.4.x', 'policies.0 must be an object identifier such as 0.4.0.194118.1.2'],
    ['policies', '1.40.1', 'policies.0 must be an object identifier such as 0.4.0.194118.1.2'],
    ['policies', '0.4.0,0.4.0', 'policies must not repeat an entry'],
    ['policies', Array.from({ length: 9 }, (_, at) => `1.2.${at}`).join(','), 'policies must have at most 8 entries'],
    ['phones', '+49', 'phones'],
  ])('a wrong %s (%j) is a 400 that names it', async (parameter, value, message) => {
    const { status, text } = await requestWith({ [parameter]: value })
    expect([status, text]).toEqual([400, expect.stringContaining(message)])
  })
})

const environmentOf = (of: TestService, more: Record<string, string> = {}) => ({
  ISSUER_BASE_URL: of.url,
  VERIFIER_BASE_URL: of.url,
  ALLOW_INSECURE_HTTP: 'true',
  AUTH_DISABLED: 'true',
  DATABASE_URL: of.databaseUrl,
  ...more,
})

describe('POST /agent/verifier/{id}/certificate', () => {
  it('lets the verifier identify itself by the certificate, with the chain but without the root', async () => {
    const id = await newVerifier()
    const leaf = certificateFor(await requested(id), { dns: ['127.0.0.1'] })
    const reply = await certifyVerifier(id, pemOf(leaf, intermediate, root))
    expect([reply.status, reply.json]).toEqual([
      200,
      {
        clientId: expect.stringMatching(/^x509_hash:[\w-]{43}$/),
        dnsNames: ['127.0.0.1'],
        expiresAt: '2099-12-31T00:00:00.000Z',
      },
    ])
    const { compact, header, payload } = await requestObject(await asked(id))
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: [leaf.x5c, intermediate.x5c] })
    expect(payload.client_id).toBe(reply.json.clientId)
    await compactVerify(compact, await importX509(String(leaf.certificate), 'ES256'))
    const byName = await requestObject(await asked(id, { clientIdPrefix: 'x509_san_dns' }))
    expect(byName.payload.client_id).toBe('x509_san_dns:127.0.0.1')
    const audit = await query(
      service.databaseUrl,
      "SELECT actor FROM audit_events a JOIN keys k ON k.id = a.subject_id JOIN verifiers v USING (key_set_id) WHERE v.id = $1 AND action = 'key.certified'",
      [id],
    )
    expect(audit).toEqual([{ actor: 'verifier' }])
    // No response contains the private key, and the private key in the database stays encrypted.
    expect((await keysOf(id))[0]?.private_jwk).toMatch(/^eyJ/)
  })

  it('accepts a renewed certificate, and open requests do not change', async () => {
    const world = await makeWorld(service)
    const id = await newVerifier()
    const request = await requested(id)
    const [first, renewed] = [certificateFor(request), certificateFor(request, { notAfter: '2098-01-01T00:00:00Z' })]
    await certifyVerifier(id, pemOf(first, intermediate))
    const before = await asked(id, { query: undefined, dcqlQuery: dcql(service, 'dc+sd-jwt') })
    const { json } = await certifyVerifier(id, pemOf(renewed, intermediate))
    expect(json.expiresAt).toBe('2098-01-01T00:00:00.000Z')
    const { header, payload } = await requestObject(before)
    expect(header.x5c).toEqual([first.x5c, intermediate.x5c])
    const purchase = [await present(world.held['dc+sd-jwt'], world.wallet, payload)]
    expect((await answer(payload, { purchase })).status).toBe(200)
    expect((await requestObject(await asked(id))).header.x5c).toEqual([renewed.x5c, intermediate.x5c])
  })

  const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const own = (request: string, options = {}) => certificateFor(request, options)
  it.each<[string, (request: string) => TestCertificate[] | string, string]>([
    [
      'of another key',
      () => [leafOf(), intermediate],
      'must begin with a certificate for the key that signs for the verifier now',
    ],
    [
      'in another order',
      (r) => [intermediate, own(r)],
      'must begin with a certificate for the key that signs for the verifier now',
    ],
    [
      'that has expired',
      (r) => [own(r, { notAfter: '2026-01-01T00:00:00Z' }), intermediate],
      'must not hold a certificate that has expired or is not valid yet',
    ],
    [
      'that is not valid yet',
      (r) => [own(r, { notBefore: '2090-01-01T00:00:00Z' }), intermediate],
      'must not hold a certificate that has expired or is not valid yet',
    ],
    [
      'of an authority',
      (r) => [own(r, { ca: true, keyUsage: 0x84 }), intermediate],
      'must not begin with the certificate of a certification authority',
    ],
    [
      'that must not sign',
      (r) => [own(r, { keyUsage: 0x08 }), intermediate],
      'must begin with a certificate whose keyUsage has digitalSignature',
    ],
    [
      'for code alone',
      (r) => [own(r, { purposes: ['1.3.6.1.5.5.7.3.3'] }), intermediate],
      'must hold certificates whose extendedKeyUsage, if present, allows signing requests',
    ],
    [
      'whose chain has a gap',
      (r) => [own(r), root],
      'must hold at most 8 certificates, each of which certifies the previous certificate',
    ],
    [
      'with a certificate that issued no other certificate',
      (r) => [own(r), intermediate, leafOf()],
      'must hold at most 8 certificates, each of which certifies the previous certificate',
    ],
    [
      'with too many',
      (r) => [own(r), intermediate, ...Array.from({ length: 7 }, () => root)],
      'must hold at most 8 certificates, each of which certifies the previous certificate',
    ],
    ['with a private key', (r) => `${KEY}${pemOf(own(r), intermediate)}`, 'must hold certificates and nothing else'],
    ['that is the certificate request itself', (r) => r, 'must hold certificates and nothing else'],
    ['without any', () => 'certificate', 'must be certificates in PEM, the leaf first'],
    [
      'that is garbage',
      () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'must be certificates in PEM, the leaf first',
    ],
  ])('attack: a chain %s: 400, and nothing is stored', async (_what, made, reason) => {
    const id = await newVerifier()
    const chain = made(await requested(id))
    const reply = await certifyVerifier(id, typeof chain === 'string' ? chain : pemOf(...chain))
    expect([reply.status, reply.json.message]).toEqual([400, [`chain ${reason}`]])
    expect(reply.text).not.toContain('PRIVATE')
    expect((await keysOf(id)).map(({ x5c }) => x5c)).toEqual([null])
    expect((await requestObject(await asked(id))).payload.client_id).toMatch(/^decentralized_identifier:/)
  })

  it('attack: a self-signed certificate, which only the owner of the key can make', async () => {
    const [record] = await query<{ private_jwk: string }>(
      plain.databaseUrl,
      'SELECT k.private_jwk FROM verifiers v JOIN keys k USING (key_set_id) WHERE v.id = $1',
      [plainId],
    )
    const { createPrivateKey, createPublicKey } = await import('node:crypto')
    const privateKey = createPrivateKey({ key: JSON.parse(record?.private_jwk ?? ''), format: 'jwk' })
    const self = certify({
      subject: 'Self',
      keyUsage: 0x80,
      keyPair: { privateKey, publicKey: createPublicKey(privateKey) },
    })
    const reply = await certifyVerifier(plainId, pemOf(self), plain, plainAdmin)
    expect([reply.status, reply.json.message]).toEqual([400, ['chain must not begin with a self-signed certificate']])
  })

  let plain: TestService
  let plainId: string
  let plainAdmin: string
  beforeAll(async () => {
    plain = await startService()
    plainAdmin = await plain.bearer('verifier', { roles: ['admin'] })
    const body = { method: 'web' }
    plainId = (await plain.request('POST', '/agent/verifier', { authorization: plainAdmin, body })).json.id
  })
  afterAll(() => plain.close())

  it.each([
    ['longer than 64 KiB', 'x'.repeat(65_537)],
    ['an array', ['x']],
    ['missing', undefined],
  ])('a chain that is %s: 400', async (_what, chain) => {
    expect((await certifyVerifier(await newVerifier(), chain)).status).toBe(400)
  })

  it('attack: a verifier of another caller is unknown to both calls', async () => {
    const id = await newVerifier()
    const chain = pemOf(certificateFor(await requested(id)), intermediate)
    const other = await service.bearer('other', { roles: ['admin'] })
    const user = await service.bearer('other')
    for (const call of [
      (authorization: string) => requestOf(id, service, authorization),
      (authorization: string) => certifyVerifier(id, chain, service, authorization),
    ]) {
      const reply = await call(other)
      expect([reply.status, reply.json.message]).toEqual([500, 'Verifier not found.'])
      expect((await call(user)).status).toBe(403)
    }
    expect((await keysOf(id)).map(({ x5c }) => x5c)).toEqual([null])
  })

  it('is not for the default verifier, whose certificate is in a file', async () => {
    const listed = (await service.request('GET', '/agent/verifiers', { authorization: admin })).json
    const { id } = listed.find(({ isDefault }: { isDefault: boolean }) => isDefault)
    const chain = pemOf(certificateFor(await requested(id)), intermediate)
    const reply = await certifyVerifier(id, chain)
    expect([reply.status, reply.json.message]).toEqual([
      400,
      ['VERIFIER_X509 holds the certificate of the default verifier'],
    ])
  })

  it('stays with its key after a rotation: the verifier identifies itself by its DID until it has another certificate', async () => {
    const { plain: other, id, leaf } = await certifiedVerifier()
    const before = await asked(id, {}, other)
    const lines = await keysCommand([], environmentOf(other))
    expect(lines).toContainEqual(
      expect.stringMatching(
        new RegExp(`^verifier ${id} signs with a new key as did:.*, which has no certificate yet$`),
      ),
    )
    expect((await requestObject(before)).header.x5c).toEqual([leaf.x5c, intermediate.x5c])
    expect((await requestObject(await asked(id, {}, other))).payload.client_id).toMatch(
      /^decentralized_identifier:did:/,
    )
    const authorization = await other.bearer('verifier', { roles: ['admin'] })
    // The certificate of the former key does not fit the new key.
    const reply = await certifyVerifier(id, pemOf(leaf, intermediate), other, authorization)
    expect(reply.status).toBe(400)
    // The statement also refuses the certificate, in case the rotation happens between the check and the statement.
    const [former] = await query<{ id: string }>(
      other.databaseUrl,
      'SELECT k.id FROM verifiers v JOIN keys k USING (key_set_id) WHERE v.id = $1 AND retired_at IS NOT NULL',
      [id],
    )
    expect(await other.platform.stores.keys.certify(former?.id ?? '', [leaf.x5c], 'verifier')).toBe(false)
    const request = (await requestOf(id, other, authorization)).json.certificateRequest
    expect((await certifyVerifier(id, pemOf(certificateFor(request), intermediate), other, authorization)).status).toBe(
      200,
    )
    await other.close()
  })

  async function certifiedVerifier(
    options: Parameters<typeof startService>[0] = {},
    notAfter = '2099-01-01T00:00:00Z',
  ) {
    const plain = await startService(options)
    const authorization = await plain.bearer('verifier', { roles: ['admin'] })
    const body = { method: 'web' }
    const { id } = (await plain.request('POST', '/agent/verifier', { authorization, body })).json
    const leaf = certificateFor((await requestOf(id, plain, authorization)).json.certificateRequest, { notAfter })
    await certifyVerifier(id, pemOf(leaf, intermediate), plain, authorization)
    return { plain, id, leaf }
  }

  it('is watched: the log warns before it expires, and requests are a 409 after it has expired', async () => {
    const lines: { level: number; msg: string }[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    let now = new Date()
    const end = new Date(Math.ceil(now.getTime() / 1000) * 1000 + 120_000)
    const { plain: other, id } = await certifiedVerifier(
      { clock: () => now, log, maintenance: false },
      end.toISOString().replace('.000', ''),
    )
    const look = async (at: Date) => {
      for (const task of other.features.certificates.tasks) await task.run(at, 1)
      return lines.splice(0).map(({ level, msg }) => [level, msg])
    }
    const daysFrom = (days: number) => new Date(end.getTime() + days * 86_400_000)
    expect(await look(daysFrom(-31))).toEqual([])
    const certificate = `Verifier ${id} has a certificate that`
    const renew = `enew it (POST /agent/verifier/${id}/certificate).`
    expect(await look(daysFrom(-29))).toEqual([[40, `${certificate} expires at ${end.toISOString()}: r${renew}`]])
    expect(await look(daysFrom(1))).toEqual([
      [50, `${certificate} expired at ${end.toISOString()}: the verifier can make no requests with it. R${renew}`],
    ])
    const authorization = await other.bearer('verifier')
    const create = () =>
      other.request('POST', '/authorization-requests', { authorization, body: { query: [ITEM], verifierId: id } })
    expect((await create()).status).toBe(201)
    now = new Date(end.getTime() + 60_000)
    const reply = await create()
    expect([reply.status, reply.json.message]).toEqual([409, 'Certificate of the verifier has expired.'])
    await other.close()
  })
})
