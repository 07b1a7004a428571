import { execFile } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../server/key-rotation/command.js'
import { createLog } from '../../server/log/log.js'
import { readMdoc } from '../../server/protocol/mdoc/mdoc.js'
import { credentialOf, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { licenceSchema, MDOC, offerOf, postSchema as postLicence } from '../issuer/openid4vci/mdoc-actors.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { environmentOf } from '../keys/environment.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { query } from '../support/postgres.js'
import { type Answer, startService, type TestService } from '../support/service.js'
import { pemOf, readRequest } from './authority.js'
import { certificateFiles, certify, HTTPS, intermediate, leafOf, root, URL_OF_ISSUER } from './certified.js'
import { authorityOf, chainOfCwt, chainOfMdoc, opensslText, opensslVerify, partsOf, signedByLeaf } from './delegated.js'

const run = promisify(execFile)
const DAY_MS = 86_400_000
const DELEGATED = { ISSUER_SIGNING: 'delegated' }

let files: Awaited<ReturnType<typeof certificateFiles>>
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())

const adminOf = (service: TestService) => service.bearer('alice', { roles: ['admin'], expiresIn: 800 * 86_400 })

async function actorsOf(service: TestService) {
  const authorization = await adminOf(service)
  const { name: type } = await postSchema(service, authorization)
  const trySign = (format: string, issuerId?: string): Promise<Answer> =>
    service.request('POST', '/credentials/sign', {
      authorization,
      body: { type, credential_subject: SUBJECT, format, ...(issuerId === undefined ? {} : { issuerId }) },
    })
  const sign = async (format = 'dc+sd-jwt', issuerId?: string): Promise<{ id: string; credential: string }> => {
    const answer = await trySign(format, issuerId)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const verify = async (credential: string, by = service) =>
    (await by.request('POST', '/credentials/verify', { authorization, body: { credential } })).json
  const list = async (credential: string, accept = 'application/statuslist+jwt'): Promise<Answer> => {
    const { status } = partsOf(credential).payload as { status: { status_list: { uri: string } } }
    const { pathname } = new URL(status.status_list.uri)
    return service.request('GET', pathname, { headers: { accept } })
  }
  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { authorization, ...(body === undefined ? {} : { body }) })
  return { authorization, trySign, sign, verify, list, call }
}

const start = async (chain: readonly TestCertificate[], options: Parameters<typeof startService>[0] = {}) =>
  startService({
    ...options,
    env: { ...HTTPS, ...DELEGATED, ISSUER_X509: await files.fileOf(chain), ...options.env },
  })

const leafOfList = async (answer: Answer): Promise<X509Certificate> => {
  expect(answer.status, answer.text).toBe(200)
  return signedByLeaf(answer.text)
}

describe('an issuer whose signing is delegated', () => {
  const authority = authorityOf()
  const clock = movingClock()
  let service: TestService
  let actors: Awaited<ReturnType<typeof actorsOf>>

  beforeAll(async () => {
    service = await start([authority, root], { clock: clock.now })
    actors = await actorsOf(service)
  })
  afterAll(() => service.close())

  it('signs SD-JWT VCs, lists and metadata by one document signer, and OpenSSL verifies its chain', async () => {
    const { credential } = await actors.sign()
    const { header, payload, chain } = partsOf(credential)
    expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: [chain[0]?.raw.toString('base64'), authority.x5c] })
    expect(payload.iss).toBe(URL_OF_ISSUER)
    const leaf = await signedByLeaf(credential)
    expect(await opensslVerify(chain, root.certificate)).toContain('OK')
    const list = await leafOfList(await actors.list(credential))
    const signedMetadata = await service.request('GET', '/.well-known/openid-credential-issuer', {
      headers: { accept: 'application/jwt' },
    })
    const metadata = await leafOfList(signedMetadata)
    expect([list.fingerprint256, metadata.fingerprint256]).toEqual([leaf.fingerprint256, leaf.fingerprint256])
    const cwt = await actors.list(credential, 'application/statuslist+cwt')
    expect(cwt.status).toBe(200)
    expect(partsOf(signedMetadata.text).payload.iss).toBe(URL_OF_ISSUER)
  })

  it('has certificates that name the issuer, its authority, the key and the day of the key, and outlive the key', async () => {
    const leaf = await signedByLeaf((await actors.sign()).credential)
    const text = await opensslText(leaf)
    expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/)
    expect(text).toMatch(/DNS:credence.example, URI:https:\/\/credence.example/)
    expect(text).toMatch(/X509v3 Authority Key Identifier/)
    expect(text).toMatch(/X509v3 Subject Key Identifier/)
    const [, from = '', until = ''] = /Private Key Usage Period:\s+Not Before: (.*), Not After: (.*)\n/.exec(text) ?? []
    // The key signs for 24 hours. The period begins five minutes earlier, for verifiers with a late clock.
    expect(Date.parse(from)).toBe(Date.parse(leaf.validFrom))
    expect(Date.parse(until) - Date.parse(from)).toBe(DAY_MS + 5 * 60_000)
    expect(text).not.toMatch(/CA:TRUE|Extended Key Usage/)
    expect([leaf.issuer, leaf.subject.split('\n')]).toEqual([
      authority.certificate.subject,
      ['C=DE', 'organizationIdentifier=VATDE-1', 'CN=Document signer credence.example'],
    ])
    // 128 random bits and the octet before them.
    expect(leaf.serialNumber).toMatch(/^01[0-9A-F]{32}$/)
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBe(457 * DAY_MS)
    const [key] = await query<{ public_jwk: { x: string } }>(
      service.databaseUrl,
      'SELECT k.public_jwk FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id WHERE i.is_default AND k.retired_at IS NULL',
    )
    expect(leaf.publicKey.export({ format: 'jwk' }).x).not.toBe(key?.public_jwk.x)
    expect(authority.certificate.publicKey.export({ format: 'jwk' }).x).toBe(key?.public_jwk.x)
  })

  it('signs JWT VCs and Bitstring Status Lists with its own key, because they carry no chain', async () => {
    const { credential } = await actors.sign('jwt_vc_json')
    const { header, payload } = partsOf(credential)
    expect([header.x5c, header.kid?.split('#')[0]]).toEqual([undefined, payload.iss])
    expect((await actors.verify(credential)).isValid).toBe(true)
    const [entry] = [(payload.vc as { credentialStatus: { statusListCredential: string } }).credentialStatus].flat()
    const { pathname } = new URL(entry?.statusListCredential ?? '')
    const list = partsOf((await service.request('GET', pathname)).text)
    expect(list.header.x5c).toBeUndefined()
  })

  it.each(['no trust anchor', 'its own root', 'another root'])(
    'verifies its credentials and their status by its own authority, with %s',
    async (anchors) => {
      const { id, credential } = await actors.sign()
      const path = join(files.directory, 'anchors.pem')
      await writeFile(
        path,
        String((anchors === 'its own root' ? root : certify({ subject: 'Else', ca: true })).certificate),
      )
      await using other = await start([authority], {
        databaseUrl: service.databaseUrl,
        identityProvider: service.identityProvider,
        env: anchors === 'no trust anchor' ? {} : { TRUST_ANCHORS: path },
      })
      expect(await actors.verify(credential, other)).toMatchObject({ isValid: true })
      await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
      expect(await actors.verify(credential, other)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    },
  )

  it('refuses a forged document signer: of another authority with its name, below a document signer, or expired', async () => {
    const { credential } = await actors.sign()
    const { payload } = partsOf(credential)
    const disclosures = credential.slice(credential.indexOf('~'))
    const other = authorityOf()
    const signer = { issuer: authority, subject: 'Signer', keyUsage: 0x80, dns: ['credence.example'] }
    const forgeries: readonly (readonly [TestCertificate, ...TestCertificate[]])[] = [
      ...[
        certify({ ...signer, issuer: other }),
        certify({ ...signer, notAfter: '2026-01-01T00:00:00Z' }),
        certify({ ...signer, keyUsage: 0x04 }),
        certify({ ...signer, ca: true, keyUsage: 0x84 }),
        certify({ ...signer, purposes: ['1.3.6.1.5.5.7.3.1'] }),
      ].map((leaf) => [leaf, authority] as const),
      (() => {
        const between = certify({ ...signer, subject: 'Between' })
        const below = certify({ ...signer, issuer: between })
        return [below, between, authority] as const
      })(),
    ]
    for (const chain of forgeries) {
      const forged = await new SignJWT(payload)
        .setProtectedHeader({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: chain.map(({ x5c }) => x5c) })
        .sign(chain[0].privateKey)
      expect((await actors.verify(`${forged}${disclosures}`)).isValid).toBe(false)
    }
    // The same credential by a signer of the real authority. So the refusals above have their own reasons.
    const real = certify(signer)
    const made = await new SignJWT(payload)
      .setProtectedHeader({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: [real.x5c, authority.x5c] })
      .sign(real.privateKey)
    expect((await actors.verify(`${made}${disclosures}`)).isValid).toBe(true)
  })

  it('replaces a used signer after half a day, in the background, and a list by a later signer counts for earlier credentials', async () => {
    const { id, credential } = await actors.sign()
    const [leaf] = partsOf(credential).chain
    const before = leaf?.fingerprint256
    const { documentSigners } = service.platform
    const now = async () => partsOf((await actors.sign()).credential).chain[0]?.fingerprint256
    clock.ahead += 11 * 3_600
    await documentSigners.look()
    expect(await now()).toBe(before)
    clock.ahead += 2.1 * 3_600
    expect(await now()).toBe(before)
    await documentSigners.look()
    expect(await now()).not.toBe(before)
    const [later] = partsOf((await actors.sign()).credential).chain
    expect(later?.serialNumber).not.toBe(leaf?.serialNumber)
    expect(later?.publicKey.equals(leaf?.publicKey ?? root.certificate.publicKey)).toBe(false)
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    expect((await leafOfList(await actors.list(credential))).fingerprint256).not.toBe(before)
    expect(await actors.verify(credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })

  it('drops a signer that nobody needs, and makes one for many simultaneous requests', async () => {
    const { documentSigners } = service.platform
    await actors.sign()
    clock.ahead += 13.1 * 3_600
    await documentSigners.look()
    clock.ahead += 13.1 * 3_600
    // The signer of the timer was not used.
    await documentSigners.look()
    clock.ahead += 13.1 * 3_600
    await documentSigners.look()
    expect(documentSigners.read()).toEqual({ count: 0, oldestSeconds: 0, failing: 0 })
    const signed = await Promise.all(Array.from({ length: 12 }, () => actors.sign()))
    expect(new Set(signed.map(({ credential }) => partsOf(credential).chain[0]?.fingerprint256)).size).toBe(1)
    expect(documentSigners.read().count).toBe(1)
  })

  it('never signs with a key that is older than a day, also if the caller kept the signer', async () => {
    const { documentSigners, stores } = service.platform
    const issuer = await stores.agents.defaultIssuer()
    const key = await stores.keys.current(issuer?.keySetId ?? '')
    const wanted = { keyId: key?.id ?? '', kid: 'did:example:1#1', x5c: key?.x5c ?? null }
    const { signer } = await documentSigners.signerOf(wanted, 'token')
    await signer.sign(Buffer.from('a'))
    clock.ahead += 24 * 3_600
    await expect(signer.sign(Buffer.from('a'))).rejects.toMatchObject({ status: 503 })
    clock.ahead -= 24 * 3_600
    await expect(signer.sign(Buffer.from('a'))).rejects.toMatchObject({ status: 503 })
    // A clock that was wrong for a moment ends the signer. The next document gets a new one.
    await actors.sign()
  })

  it('shows its signers in metrics and its kind of signing in the record', async () => {
    await actors.sign()
    const metrics = await service.service.operated.metrics.registry.metrics()
    expect(metrics).toMatch(/credence_document_signers\{state="ready"\} [1-9]/)
    expect(metrics).toMatch(/credence_document_signer_age_seconds [0-9]/)
    expect(metrics).toMatch(/credence_document_signer_certificates_total\{outcome="made"\} [1-9]/)
    const { json } = await actors.call('GET', '/agent/issuers')
    expect(json.map(({ isDefault, signing }: Answer['json']) => [isDefault, signing])).toEqual([[true, 'delegated']])
    expect((await actors.call('GET', '/agent/verifiers')).json[0].signing).toBeUndefined()
  })

  it('stays as it is when keys:rotate runs', async () => {
    const lines = await keysCommand([], environmentOf(service))
    expect(lines.join()).toMatch(/issuer .* keeps its key, which has a certificate/)
    expect(partsOf((await actors.sign()).credential).chain).toHaveLength(2)
  })

  it('refuses changes of the default issuer by the API', async () => {
    const [{ id }] = (await actors.call('GET', '/agent/issuers')).json
    for (const [path, body] of [
      ['signing', { signing: 'every' }],
      ['certificate', { chain: pemOf(authority), signing: 'every' }],
    ] as const) {
      const answer = await actors.call('POST', `/agent/issuer/${id}/${path}`, body)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('ISSUER_X509 holds the certificate')])
    }
  })
})

describe('an issuer record of its own', () => {
  let service: TestService
  let actors: Awaited<ReturnType<typeof actorsOf>>
  beforeAll(async () => {
    service = await startService({ env: HTTPS })
    actors = await actorsOf(service)
  })
  afterAll(() => service.close())

  const create = async (members: Readonly<Record<string, unknown>> = {}) => {
    const answer = await actors.call('POST', '/agent/issuer', { method: 'web', ...members })
    expect(answer.status, answer.text).toBe(201)
    return answer.json as { id: string; signing: string }
  }
  const publicKeyOf = async (id: string, parameters = '') => {
    const { json, text } = await actors.call('GET', `/agent/issuer/${id}/certificate-request${parameters}`)
    expect(json.certificateRequest, text).toBeDefined()
    const read = readRequest(json.certificateRequest)
    expect(read.signed).toBe(true)
    return {
      keyPair: { publicKey: read.publicKey, privateKey: root.privateKey },
      pem: json.certificateRequest as string,
    }
  }
  const upload = (id: string, chain: readonly TestCertificate[], signing?: string) =>
    actors.call('POST', `/agent/issuer/${id}/certificate`, {
      chain: pemOf(...chain),
      ...(signing === undefined ? {} : { signing }),
    })

  it('that is delegated signs under its DID until it has a certificate, then by document signers', async () => {
    const { id, signing } = await create({ signing: 'delegated' })
    expect(signing).toBe('delegated')
    expect(partsOf((await actors.sign('dc+sd-jwt', id)).credential).header.x5c).toBeUndefined()
    const { pem } = await publicKeyOf(id)
    // OpenSSL makes a root, and the certificate of the authority with the extensions that the request asks for.
    const { directory } = files
    await writeFile(join(directory, 'request.pem'), pem)
    await writeFile(join(directory, 'own.cnf'), 'subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid:always\n')
    const openssl = (...args: readonly string[]) => run('openssl', [...args], { cwd: directory })
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'root.key']
    const usage = 'keyUsage=critical,keyCertSign,cRLSign'
    await openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '3650',
      '-subj',
      '/C=DE/CN=Root',
      '-addext',
      usage,
      '-out',
      'root.pem',
    )
    const from = ['-in', 'request.pem', '-CA', 'root.pem', '-CAkey', 'root.key', '-days', '3650']
    const made = await openssl('x509', '-req', ...from, '-copy_extensions', 'copy', '-extfile', 'own.cnf')
    const taken = await actors.call('POST', `/agent/issuer/${id}/certificate`, { chain: made.stdout })
    expect(taken.status, taken.text).toBe(200)
    expect(taken.json.signing).toBe('delegated')
    const { credential } = await actors.sign('dc+sd-jwt', id)
    const { chain } = partsOf(credential)
    expect(chain).toHaveLength(2)
    await signedByLeaf(credential)
    const own = new X509Certificate(await readFile(join(directory, 'root.pem')))
    expect(await opensslVerify(chain, own, ['-x509_strict'])).toContain('OK')
    expect((await actors.verify(credential)).isValid).toBe(true)
    // A record without a certificate still signs under its DID.
    const other = await actors.sign('dc+sd-jwt', (await create()).id)
    expect(partsOf(other.credential).header.x5c).toBeUndefined()
  })

  it('changes from every to delegated and back with the fitting certificate, at once and with audit events', async () => {
    const { id, signing } = await create()
    expect(signing).toBe('every')
    const { keyPair } = await publicKeyOf(id, '?signing=delegated')
    const leaf = leafOf({ issuer: root, keyPair })
    const authority = authorityOf({ keyPair })
    expect((await upload(id, [leaf])).json.signing).toBe('every')
    const before = await actors.sign('dc+sd-jwt', id)
    expect(partsOf(before.credential).header.x5c).toEqual([leaf.x5c])
    expect((await upload(id, [authority], 'delegated')).json.signing).toBe('delegated')
    const between = await actors.sign('dc+sd-jwt', id)
    const { chain } = partsOf(between.credential)
    expect([chain.length, chain[1]?.raw.toString('base64')]).toEqual([2, authority.x5c])
    expect((await upload(id, [leaf], 'every')).status).toBe(200)
    const after = await actors.sign('dc+sd-jwt', id)
    expect(partsOf(after.credential).header.x5c).toEqual([leaf.x5c])
    // The look of every process drops the private key.
    const { documentSigners } = service.platform
    const { count } = documentSigners.read()
    await documentSigners.look()
    expect(documentSigners.read().count).toBe(count - 1)
    // The key vouched for the signer in between, although its certificate is another one now.
    for (const { credential } of [before, between, after]) expect((await actors.verify(credential)).isValid).toBe(true)
    await service.request('POST', `/api/v1/credentials/${between.id}/revoke`, { client: true })
    expect(await actors.verify(between.credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    const events = await query<{ action: string; actor: string }>(
      service.databaseUrl,
      `SELECT action, actor FROM audit_events WHERE subject_id = '${id}' AND action LIKE 'issuer.signing%'`,
    )
    expect(events).toEqual([
      { action: 'issuer.signing_changed', actor: 'alice' },
      { action: 'issuer.signing_changed', actor: 'alice' },
    ])
  })

  it('refuses a change that its certificate does not allow, and allows it without a certificate', async () => {
    const { id } = await create()
    const change = (signing: string) => actors.call('POST', `/agent/issuer/${id}/signing`, { signing })
    expect((await change('delegated')).json.signing).toBe('delegated')
    expect((await change('every')).json.signing).toBe('every')
    const { keyPair } = await publicKeyOf(id)
    expect((await upload(id, [leafOf({ issuer: root, keyPair })])).status).toBe(200)
    const refused = await change('delegated')
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'The key of the issuer has the certificate of a signer. Send the certificate of an authority with signing delegated.',
    ])
    expect((await upload(id, [authorityOf({ keyPair })], 'delegated')).status).toBe(200)
    const back = await change('every')
    expect([back.status, back.json.message]).toEqual([
      409,
      'The key of the issuer has the certificate of an authority. Send the certificate of a signer with signing every.',
    ])
    expect((await actors.call('POST', `/agent/issuer/${id}/signing`, { signing: 'sometimes' })).status).toBe(400)
    const stranger = await service.bearer('bob', { roles: ['admin'] })
    const theirs = await service.request('POST', `/agent/issuer/${id}/signing`, {
      authorization: stranger,
      body: { signing: 'every' },
    })
    expect(theirs.status).toBe(500)
  })

  it('verifies its documents after its authority gets another name', async () => {
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    expect((await upload(id, [authorityOf({ keyPair })])).status).toBe(200)
    const before = await actors.sign('dc+sd-jwt', id)
    expect((await upload(id, [authorityOf({ keyPair, subject: 'C=DE/Renamed authority' })])).status).toBe(200)
    const after = await actors.sign('dc+sd-jwt', id)
    expect(partsOf(after.credential).chain[0]?.issuer).toContain('Renamed')
    for (const { credential } of [before, after]) expect((await actors.verify(credential)).isValid).toBe(true)
  })

  it('attack: an authority in the chain that has the public key of the record, but did not sign, proves nothing', async () => {
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    expect((await upload(id, [authorityOf({ keyPair })])).status).toBe(200)
    const { credential } = await actors.sign('dc+sd-jwt', id)
    const { payload } = partsOf(credential)
    // The forger has no private key of the record. So another key signs below a certificate with its public key.
    const forger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const authority = authorityOf({ keyPair: { publicKey: keyPair.publicKey, privateKey: forger.privateKey } })
    const leaf = certify({ issuer: authority, subject: 'Signer', keyUsage: 0x80, dns: ['credence.example'] })
    const forged = await new SignJWT(payload)
      .setProtectedHeader({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: [leaf.x5c, authority.x5c] })
      .sign(leaf.privateKey)
    const disclosures = credential.slice(credential.indexOf('~'))
    expect((await actors.verify(`${forged}${disclosures}`)).isValid).toBe(false)
  })

  it('drops the private key after a rotation, and signs the former lists by a signer of the former key', async () => {
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    expect((await upload(id, [authorityOf({ keyPair })])).status).toBe(200)
    const before = await actors.sign('dc+sd-jwt', id)
    const rotated = await actors.call('POST', `/api/v1/issuers/${id}/rotate`, {})
    expect(rotated.status, rotated.text).toBe(201)
    // Without a certificate, the new key signs under the DID of the record. No signer of the former key signs for it.
    const after = await actors.sign('dc+sd-jwt', id)
    expect(partsOf(after.credential).header.x5c).toBeUndefined()
    const list = await leafOfList(await actors.list(before.credential))
    expect(list.verify(keyPair.publicKey)).toBe(true)
    await service.request('POST', `/api/v1/credentials/${before.id}/revoke`, { client: true })
    expect(await actors.verify(before.credential)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
    expect((await actors.verify(after.credential)).isValid).toBe(true)
  })

  it('drops the private key of a former certificate at the next document, and without a document at the next look', async () => {
    const { documentSigners } = service.platform
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    expect((await upload(id, [authorityOf({ keyPair })])).status).toBe(200)
    await actors.sign('dc+sd-jwt', id)
    const { count } = documentSigners.read()
    const other = authorityOf({ keyPair })
    expect((await upload(id, [other])).status).toBe(200)
    const { credential } = await actors.sign('dc+sd-jwt', id)
    expect([partsOf(credential).header.x5c?.[1], documentSigners.read().count]).toEqual([other.x5c, count])
    expect((await upload(id, [authorityOf({ keyPair })])).status).toBe(200)
    await documentSigners.look()
    expect(documentSigners.read().count).toBe(count - 1)
  })

  it('attack: a change of signing while a certificate arrives does not make the record say what its key does not do', async () => {
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    const authority = authorityOf({ keyPair })
    const client = new pg.Client(service.databaseUrl)
    await client.connect()
    try {
      // Another request stores the certificate of the authority, and has not ended yet.
      await client.query('BEGIN')
      await client.query(
        `UPDATE keys k SET x5c = $1::json FROM issuers i WHERE i.id = $2 AND k.key_set_id = i.key_set_id AND k.retired_at IS NULL`,
        [JSON.stringify([authority.x5c]), id],
      )
      const changing = actors.call('POST', `/agent/issuer/${id}/signing`, { signing: 'every' })
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      const answeredEarly = changing.then((answer) => [answer])
      await expect
        .poll(async () => (await Promise.race([answeredEarly, query(service.databaseUrl, waiting)])).length)
        .toBe(1)
      await client.query('COMMIT')
      const answer = await changing
      expect([answer.status, answer.json.message]).toEqual([
        409,
        'The key of the issuer or its certificate was changed meanwhile. Try again.',
      ])
    } finally {
      await client.end()
    }
    expect((await actors.call('GET', `/agent/issuer/${id}`)).json.signing).toBe('delegated')
  })

  it.each<[string, (keyPair: NonNullable<Parameters<typeof certify>[0]['keyPair']>) => TestCertificate[], string]>([
    [
      'a signer’s certificate',
      (keyPair) => [leafOf({ issuer: root, keyPair })],
      'must begin with the certificate of a certification authority with keyCertSign, because signing is delegated',
    ],
    [
      'an authority without keyCertSign',
      (keyPair) => [authorityOf({ keyPair, keyUsage: 0x80 })],
      'must begin with the certificate of a certification authority with keyCertSign, because signing is delegated',
    ],
    [
      'an authority without keyUsage',
      (keyPair) => [certify({ subject: 'A', issuer: root, ca: true, keyPair })],
      'must hold certificates of certification authorities whose keyUsage has keyCertSign',
    ],
    [
      'an expired authority',
      (keyPair) => [authorityOf({ keyPair, notAfter: '2026-01-01T00:00:00Z' })],
      'must not hold a certificate that has expired or is not valid yet',
    ],
    [
      'an authority of another key',
      () => [authorityOf()],
      'must begin with a certificate for the key that signs for the issuer now',
    ],
    [
      'an authority for TLS',
      (keyPair) => [authorityOf({ keyPair, purposes: ['1.3.6.1.5.5.7.3.1'] })],
      'must hold certificates whose extendedKeyUsage, if present, allows signing documents',
    ],
    [
      'an authority with name constraints',
      (keyPair) => [authorityOf({ keyPair, extensions: [{ id: '551d1e', critical: true, value: '3000' }] })],
      'must hold certificates without name constraints and without unknown critical extensions',
    ],
    [
      'an authority below one that allows no further authority',
      (keyPair) => {
        const above = certify({ subject: 'Above', issuer: root, ca: true, keyUsage: 0x04, pathLength: 0 })
        return [authorityOf({ issuer: above, keyPair }), above]
      },
      'must hold certificates whose path lengths leave room for a signer below the first certificate',
    ],
    [
      'certificates that form no chain',
      (keyPair) => [authorityOf({ keyPair }), intermediate],
      'must hold at most 7 certificates, each of which certifies the previous certificate',
    ],
  ])('refuses %s by name', async (_, chainOf, reason) => {
    const { id } = await create({ signing: 'delegated' })
    const { keyPair } = await publicKeyOf(id)
    const answer = await upload(id, chainOf(keyPair))
    expect([answer.status, answer.json.message]).toEqual([400, [`chain ${reason}`]])
  })

  it('refuses the certificate of an authority if its key signs every document', async () => {
    const { id } = await create()
    const { keyPair } = await publicKeyOf(id)
    const answer = await upload(id, [authorityOf({ keyPair })])
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['chain must not begin with the certificate of a certification authority unless signing is delegated'],
    ])
    const nameless = await upload(id, [leafOf({ issuer: root, keyPair, dns: ['else.example'] })])
    expect(nameless.json.message).toEqual([
      'chain must begin with a certificate for the host (dNSName) or the URL (URI) of ISSUER_BASE_URL',
    ])
  })

  it('that verifies cannot be delegated: the hash of its certificate is its name', async () => {
    const answer = await actors.call('POST', '/agent/verifier', { method: 'web', signing: 'delegated' })
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining(
        'must be every for a verifier, because the name of a verifier is the hash of the certificate',
      ),
    ])
  })
})

describe('ISSUER_SIGNING', () => {
  const refusedWith = async (chain: readonly TestCertificate[], env: Readonly<Record<string, string>> = DELEGATED) =>
    startService({ env: { ...HTTPS, ISSUER_X509: await files.fileOf(chain), ...env } }).then(
      (service) => service.close(),
      (error: Error) => error.message,
    )

  it('needs ISSUER_X509 with the certificate of an authority, and the other way round', async () => {
    await expect(startService({ env: { ...HTTPS, ...DELEGATED } })).rejects.toThrow(
      'ISSUER_X509 must be defined where ISSUER_SIGNING is delegated.',
    )
    expect(await refusedWith([leafOf(), intermediate])).toContain(
      'ISSUER_X509 must begin with the certificate of a certification authority with keyCertSign, because signing is delegated.',
    )
    expect(await refusedWith([authorityOf()], {})).toContain(
      'ISSUER_X509 must not begin with the certificate of a certification authority unless ISSUER_SIGNING is delegated.',
    )
    expect(await refusedWith([authorityOf({ keyUsage: 0x80 })])).toContain('with keyCertSign')
    expect(await refusedWith([authorityOf()], { ISSUER_SIGNING: 'often' })).toContain('must be every or delegated.')
  })

  it('works below a root of its own: documents carry the signer alone, with the revocation list and contact of the root', async () => {
    const name = Buffer.from('https://root.example/crl')
    const uri = Buffer.concat([Buffer.from([0x86, name.length]), name])
    const wrapped = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([tag, content.length]), content])
    const points = wrapped(0x30, wrapped(0x30, wrapped(0xa0, wrapped(0xa0, uri))))
    const own = certify({
      subject: 'C=DE/Root of its own',
      ca: true,
      keyUsage: 0x06,
      pathLength: 0,
      extensions: [
        { id: '551d12', critical: false, value: wrapped(0x30, uri).toString('hex') },
        { id: '551d1f', critical: false, value: points.toString('hex') },
      ],
    })
    await using service = await start([own])
    const actors = await actorsOf(service)
    const { credential } = await actors.sign()
    const { chain } = partsOf(credential)
    expect(chain).toHaveLength(1)
    expect(await opensslVerify(chain, own.certificate)).toContain('OK')
    const text = await opensslText(chain[0] ?? own.certificate)
    expect(text).toMatch(/X509v3 Issuer Alternative Name:\s+URI:https:\/\/root.example\/crl/)
    expect(text).toMatch(/X509v3 CRL Distribution Points:\s+Full Name:\s+URI:https:\/\/root.example\/crl/)
    expect((await actors.verify(credential)).isValid).toBe(true)
  })

  it.each(['P-384', 'Ed25519'])(
    'works with an authority whose key is on %s, and documents are ES256',
    async (curve) => {
      const keyPair =
        curve === 'P-384' ? generateKeyPairSync('ec', { namedCurve: 'P-384' }) : generateKeyPairSync('ed25519')
      await using service = await start([authorityOf({ keyPair })])
      const actors = await actorsOf(service)
      const { credential } = await actors.sign()
      expect(partsOf(credential).header.alg).toBe('ES256')
      await signedByLeaf(credential)
      expect(await opensslVerify(partsOf(credential).chain, root.certificate)).toContain('OK')
      expect((await actors.verify(credential)).isValid).toBe(true)
      const metadata = await service.request('GET', '/.well-known/openid-credential-issuer')
      const algorithms = Object.values<Answer['json']>(metadata.json.credential_configurations_supported).map(
        ({ format, credential_signing_alg_values_supported: names }) => [format, names],
      )
      expect(algorithms).toEqual([
        ['jwt_vc_json', [curve === 'P-384' ? 'ES384' : 'EdDSA']],
        ['dc+sd-jwt', ['ES256']],
      ])
    },
  )

  it('ends a certificate with its authority, and signs nothing after that', async () => {
    const clock = movingClock()
    const end = new Date(Math.floor(Date.now() / 1000) * 1000 + 10 * DAY_MS)
    await using service = await start([authorityOf({ notAfter: `${end.toISOString().slice(0, 19)}Z` })], {
      clock: clock.now,
    })
    const actors = await actorsOf(service)
    const leaf = await signedByLeaf((await actors.sign()).credential)
    expect(new Date(leaf.validTo)).toEqual(end)
    clock.ahead = 11 * 86_400
    const refused = await actors.trySign('dc+sd-jwt')
    expect([refused.status, refused.json.message]).toEqual([503, 'Signing is not available at the moment.'])
    expect((await service.request('GET', '/health/readiness')).json.details.documentSigners).toEqual({
      status: 'degraded',
      reason: '1 of the document signers cannot be made',
    })
  })

  it('keeps private keys of document signers out of database and log', async () => {
    const lines: string[] = []
    const log = createLog('trace', { write: (line: string) => void lines.push(line) } as never)
    await using service = await start([authorityOf()], { log })
    const actors = await actorsOf(service)
    const { credential } = await actors.sign()
    await actors.list(credential)
    const { documentSigners, stores } = service.platform
    const issuer = await stores.agents.defaultIssuer()
    const key = await stores.keys.current(issuer?.keySetId ?? '')
    const made = await documentSigners.signerOf(
      { keyId: key?.id ?? '', kid: `${issuer?.did}#x`, x5c: key?.x5c ?? null },
      'token',
    )
    // A signer in memory shows no private key in a form that could be written down.
    expect(JSON.stringify(made)).not.toMatch(/"d"|PRIVATE/)
    const [{ count = 0 } = {}] = await query<{ count: number }>(
      service.databaseUrl,
      `SELECT count(*)::int FROM keys WHERE key_set_id = '${issuer?.keySetId}' AND retired_at IS NULL`,
    )
    expect(count).toBe(1)
    const x = String(partsOf(credential).chain[0]?.publicKey.export({ format: 'jwk' }).x)
    const tables = await query<{ name: string }>(
      service.databaseUrl,
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    for (const { name } of tables) {
      const [found] = await query<{ n: number }>(
        service.databaseUrl,
        `SELECT count(*)::int AS n FROM ${name} t WHERE t::text LIKE '%${x}%'`,
      )
      expect([name, found?.n]).toEqual([name, 0])
    }
    expect(lines.join('\n')).not.toMatch(/PRIVATE KEY|"d":/)
    expect(lines.join('\n')).not.toContain(x)
  })
})

it('reads the chain of a list in CWT format', async () => {
  await using service = await start([authorityOf()])
  const actors = await actorsOf(service)
  const { credential } = await actors.sign()
  const { status } = partsOf(credential).payload as { status: { status_list: { uri: string } } }
  const answer = await fetch(`${service.url}${new URL(status.status_list.uri).pathname}`, {
    headers: { accept: 'application/statuslist+cwt' },
  })
  const chain = chainOfCwt(new Uint8Array(await answer.arrayBuffer()))
  expect(chain).toHaveLength(2)
  expect(await opensslVerify(chain, root.certificate)).toContain('OK')
})

it('renews a used signer by the timer alone', async () => {
  const clock = movingClock()
  await using service = await start([authorityOf()], { clock: clock.now, documentSignersEveryMs: 50 })
  const actors = await actorsOf(service)
  const leafNow = async () => partsOf((await actors.sign()).credential).chain[0]?.fingerprint256
  const first = await leafNow()
  expect(await leafNow()).toBe(first)
  clock.ahead += 13.1 * 3_600
  await expect.poll(leafNow).not.toBe(first)
})

it('ends a mobile document with the certificate of its signer, which ends with its authority', async () => {
  const end = Math.floor(Date.now() / 1000) * 1000 + 10 * DAY_MS
  const authority = authorityOf({ notAfter: `${new Date(end).toISOString().slice(0, 19)}Z` })
  const env = { ...HTTPS, ...DELEGATED, ISSUER_X509: await files.fileOf([authority, root]) }
  const issuer = await startIssuer({ env })
  try {
    expect((await postLicence(issuer, licenceSchema())).status).toBe(201)
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const mdoc = credentialOf(await issuer.take(await issuer.token(id), MDOC))
    const [leaf] = chainOfMdoc(mdoc)
    expect(Date.parse(String(leaf?.validTo))).toBe(end)
    expect(readMdoc(mdoc).validityInfo.validUntil).toEqual(new Date(end))
  } finally {
    await issuer.service.close()
  }
})
