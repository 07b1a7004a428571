import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysCommand } from '../../../server/key-rotation/command.js'
import { pemOf } from '../../agent/authority.js'
import { type CertificateFiles, certificateFiles, certify, root, URL_OF_ISSUER } from '../../agent/certified.js'
import { authorityOf, chainOfCwt, opensslText, opensslVerify, partsOf, signedByLeaf } from '../../agent/delegated.js'
import { movingClock } from '../../issuer/openid4vci/actors.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import type { Answer, startService, TestService } from '../../support/service.js'
import { environmentOf } from '../environment.js'
import { type Actors, actorsOf, leafOfList, startDelegated } from './actors.js'

const DAY_MS = 86_400_000

let files: CertificateFiles
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())
const start = (chain: readonly TestCertificate[], options?: Parameters<typeof startService>[0]) =>
  startDelegated(files, chain, options)

describe('an issuer whose signing is delegated', () => {
  const authority = authorityOf()
  const clock = movingClock()
  let service: TestService
  let actors: Actors

  beforeAll(async () => {
    // The tests say when the signers are looked at, and not a timer.
    service = await start([authority, root], { clock: clock.now, documentSignersEveryMs: 86_400_000 })
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
