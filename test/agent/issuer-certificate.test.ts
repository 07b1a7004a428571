import { generateKeyPairSync } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certifiedKey } from '../../server/agent/certified-key.js'
import { ConfigurationError, readConfig } from '../../server/config/config.js'
import { startupWarnings } from '../../server/setup/startup-warnings.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { certificateFiles, certify, HTTPS, intermediate, leafOf, root, URL_OF_ISSUER } from './certified.js'

let files: Awaited<ReturnType<typeof certificateFiles>>
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())

describe('a start with ISSUER_X509', () => {
  const anotherKey = () => leafOf()
  const cases: [string, () => [readonly TestCertificate[], TestCertificate?], RegExp][] = [
    [
      'the key of another certificate',
      () => [[leafOf(), intermediate], anotherKey()],
      /the key of its first certificate/,
    ],
    ['a chain that begins with the wrong end', () => [[intermediate, leafOf()], anotherKey()], /key of its first/],
    [
      'a self-signed leaf',
      () => [[certify({ subject: 'Self', keyUsage: 0x80, dns: ['credence.example'] })]],
      /self-signed/,
    ],
    [
      'an authority instead of the leaf',
      () => [[leafOf({ ca: true, keyUsage: 0x84 }), intermediate]],
      /certification authority/,
    ],
    ['a leaf that has expired', () => [[leafOf({ notAfter: '2025-02-01T00:00:00Z' }), intermediate]], /expired/],
    [
      'a leaf that is not valid yet',
      () => [[leafOf({ notBefore: '2098-02-01T00:00:00Z' }), intermediate]],
      /not valid yet/,
    ],
    [
      'an authority that has expired',
      () => {
        const former = certify({
          subject: 'Former',
          issuer: root,
          ca: true,
          keyUsage: 0x04,
          notAfter: '2025-02-01T00:00:00Z',
        })
        return [[leafOf({ issuer: former }), former]]
      },
      /expired/,
    ],
    ['certificates that do not form a chain', () => [[leafOf(), root]], /certifies the previous certificate/],
    ['a leaf for another host', () => [[leafOf({ dns: ['other.example'] }), intermediate]], /ISSUER_BASE_URL/],
    [
      'a leaf for another URL',
      () => [[leafOf({ dns: [], uri: ['https://other.example'] }), intermediate]],
      /ISSUER_BASE_URL/,
    ],
    ['a leaf that may not sign', () => [[leafOf({ keyUsage: 0x08 }), intermediate]], /keyUsage has digitalSignature/],
    [
      'a leaf for TLS alone',
      () => [[leafOf({ purposes: ['1.3.6.1.5.5.7.3.1'] }), intermediate]],
      /extendedKeyUsage, if present, allows signing documents/,
    ],
    ['a leaf without a name', () => [[leafOf({ dns: [] }), intermediate]], /ISSUER_BASE_URL/],
    [
      'a key of an unsupported type',
      () => {
        const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-521' })
        return [[leafOf({ keyPair }), intermediate]]
      },
      /P-256, P-384 or Ed25519/,
    ],
  ]

  const configured = (path: string) =>
    readConfig({ ...HTTPS, DATABASE_URL: 'postgres://localhost/x', AUTH_DISABLED: 'true', ISSUER_X509: path })

  it.each(cases)('fails by name on %s', async (_name, made, reason) => {
    const config = configured(await files.fileOf(...made()))
    const start = () => certifiedKey('issuer', config, new Date())
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow(/^Invalid environment variables:\n- ISSUER_X509 must /)
    expect(start).toThrow(reason)
  })

  it.each([
    ['no file', ''],
    ['no key', String(leafOf().certificate)],
    ['no certificate', String(root.privateKey.export({ type: 'pkcs8', format: 'pem' }))],
    [
      'an encrypted key',
      String(root.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })),
    ],
  ])('fails by name on %s', async (_name, text) => {
    const path = join(files.directory, 'broken.pem')
    if (text === '') await rm(path, { force: true })
    else await writeFile(path, text)
    expect(() => configured(path)).toThrow(/^- ISSUER_X509 must name a readable PEM file/m)
  })

  it('accepts a leaf for the host or for the URL, with every supported key, and omits the root', async () => {
    for (const leaf of [
      leafOf(),
      leafOf({ dns: [], uri: [URL_OF_ISSUER] }),
      leafOf({ keyPair: generateKeyPairSync('ec', { namedCurve: 'P-384' }) }),
      leafOf({ keyPair: generateKeyPairSync('ed25519') }),
    ]) {
      const config = configured(await files.fileOf([leaf, intermediate, root]))
      expect(certifiedKey('issuer', config, new Date())?.x5c).toEqual([leaf.x5c, intermediate.x5c])
    }
  })

  it('reports the expiry from 30 days before (of a chain, the earliest expiry)', async () => {
    const ends = '2030-06-30T12:00:00Z'
    const authority = certify({ subject: 'Short', issuer: root, ca: true, keyUsage: 0x04, notAfter: ends })
    const config = configured(await files.fileOf([leafOf({ issuer: authority }), authority, root]))
    const about = (now: string) => startupWarnings(config, new Date(now)).filter((line) => line.includes('X509'))
    expect(about('2030-05-31T11:59:00Z')).toEqual([])
    expect(about('2030-05-31T12:01:00Z')).toEqual([expect.stringContaining('expires at 2030-06-30T12:00:00.000Z')])
    expect(about('2030-07-01T00:00:00Z')).toEqual([expect.stringContaining('expired at 2030-06-30T12:00:00.000Z')])
  })

  it('continues when a certificate expires, and reports it in readiness, metrics and log', async () => {
    const lines: unknown[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) }
    const ends = new Date(Date.now() + 3_600_000)
    const leaf = leafOf({ notAfter: `${ends.toISOString().slice(0, 19)}Z` })
    const env = { ...HTTPS, ISSUER_X509: await files.fileOf([leaf, intermediate]) }
    await using service = await startService({ env, clock: clock.now, log })
    const ready = async () => (await service.request('GET', '/health/readiness')).json
    expect((await ready()).details.issuerCertificate).toEqual({ status: 'up' })
    clock.ahead = 7_200_000
    const { status, details } = await ready()
    expect([status, details.issuerCertificate]).toEqual(['ok', { status: 'degraded' }])
    const text = await service.platform.metrics.registry.metrics()
    expect(text).toContain(`credence_issuer_certificate_expiry_timestamp_seconds ${Math.floor(ends.getTime() / 1000)}`)
    for (const task of service.features.certificates.tasks) await task.run(clock.now(), 1)
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 50,
        msg: expect.stringContaining('ISSUER_X509 has a certificate that expired'),
      }),
    )
  })

  const DOCUMENT_SIGNER = { purposes: ['1.0.18013.5.1.2'] }
  it.each([
    [
      'warns where the leaf lacks',
      {},
      [/the extended key usage 1\.0\.18013\.5\.1\.2 and a country \(C\) in its subject:/],
    ],
    ['warns where the leaf lacks one of', DOCUMENT_SIGNER, [/without a country \(C\) in its subject:/]],
    ['is silent where it has', { ...DOCUMENT_SIGNER, subject: 'C=DE/Issuer' }, []],
  ])(
    '%s the purpose of driving licences and a country, if there is a schema for them (ISO/IEC 18013-5 Annex B)',
    async (_, options, expected) => {
      const lines: string[] = []
      const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
      const leaf = leafOf(options)
      const env = { ...HTTPS, ISSUER_X509: await files.fileOf([leaf, intermediate]) }
      await using service = await startService({ env, log, maintenance: false })
      const warnings = async () => {
        lines.length = 0
        for (const task of service.features.certificates.tasks) await task.run(new Date(), 1)
        return lines.filter((line) => line.includes('org.iso.18013.5.1.mDL'))
      }
      expect(await warnings()).toEqual([])
      const body = {
        name: 'DrivingLicence',
        version: 1,
        schema: { type: 'object', properties: { name: { type: 'string' } } },
        mdoc: { doctype: 'org.iso.18013.5.1.mDL', namespaces: { 'org.iso.18013.5.1': { family_name: '/name' } } },
      }
      const authorization = await service.bearer('alice', { roles: ['admin'] })
      expect((await service.request('POST', '/schemas', { authorization, body })).status).toBe(201)
      expect(await warnings()).toEqual(expected.map((text) => expect.stringMatching(text)))
    },
  )

  it('stops the start of the service, which writes no key', async () => {
    await using service = await startService({ env: HTTPS })
    const keys = () => query(service.databaseUrl, 'SELECT id FROM keys ORDER BY id')
    const before = await keys()
    const env = { ...HTTPS, ISSUER_X509: await files.fileOf([leafOf({ dns: ['other.example'] }), intermediate]) }
    const { databaseUrl, identityProvider } = service
    await expect(startService({ databaseUrl, identityProvider, env })).rejects.toThrow(ConfigurationError)
    expect(await keys()).toEqual(before)
  })
})
