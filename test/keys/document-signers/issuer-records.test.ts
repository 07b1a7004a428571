import { execFile } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pemOf, readRequest } from '../../agent/authority.js'
import {
  type CertificateFiles,
  certificateFiles,
  certify,
  HTTPS,
  intermediate,
  leafOf,
  root,
} from '../../agent/certified.js'
import { authorityOf, opensslVerify, partsOf, signedByLeaf } from '../../agent/delegated.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { type Actors, actorsOf, leafOfList } from './actors.js'

const run = promisify(execFile)

let files: CertificateFiles
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())

describe('an issuer record of its own', () => {
  let service: TestService
  let actors: Actors
  beforeAll(async () => {
    // The maintenance job could wait for the lock of a test. The tests say when the signers are looked at, and not a timer.
    service = await startService({ env: HTTPS, maintenance: false, documentSignersEveryMs: 86_400_000 })
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
