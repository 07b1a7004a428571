import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certifiedKey } from '../../server/agent/certified-key.js'
import { readConfig } from '../../server/config/config.js'
import { startupWarnings } from '../../server/setup/startup-warnings.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { startService } from '../support/service.js'
import { certificateFiles, certify, HTTPS, intermediate, leafOf, root } from './certified.js'

let files: Awaited<ReturnType<typeof certificateFiles>>
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())

const configured = (path: string, more: Record<string, string> = {}) =>
  readConfig({ ...HTTPS, DATABASE_URL: 'postgres://localhost/x', AUTH_DISABLED: 'true', VERIFIER_X509: path, ...more })

const TLS = '1.3.6.1.5.5.7.3.1'
const READER = '1.0.18013.5.1.6'
const CODE = '1.3.6.1.5.5.7.3.3'

describe('VERIFIER_X509', () => {
  it.each([
    ['without a name', leafOf({ dns: [] })],
    ['for TLS', leafOf({ purposes: [TLS] })],
    ['of a reader', leafOf({ purposes: [READER] })],
    ['with a P-384 key', leafOf({ keyPair: generateKeyPairSync('ec', { namedCurve: 'P-384' }) })],
  ])('accepts a certificate %s, and omits the root', async (_what, leaf) => {
    const config = configured(await files.fileOf([leaf, intermediate, root]))
    expect(certifiedKey('verifier', config, new Date())?.x5c).toEqual([leaf.x5c, intermediate.x5c])
    expect(certifiedKey('issuer', config, new Date())).toBeUndefined()
  })

  it.each<[string, () => [TestCertificate[], TestCertificate?], RegExp]>([
    ['the key of another certificate', () => [[leafOf(), intermediate], leafOf()], /the key of its first/],
    ['a self-signed certificate', () => [[certify({ subject: 'Self', keyUsage: 0x80 })]], /self-signed/],
    ['the certificate of an authority', () => [[intermediate]], /certification authority/],
    ['one that has expired', () => [[leafOf({ notAfter: '2025-06-01T00:00:00Z' }), intermediate]], /expired/],
    ['one for code alone', () => [[leafOf({ purposes: [CODE] }), intermediate]], /allows signing requests/],
    ['a certificate that may not sign', () => [[leafOf({ keyUsage: 0x08 }), intermediate]], /digitalSignature/],
    ['certificates that do not form a chain', () => [[leafOf(), root]], /certifies the previous certificate/],
  ])('stops the start and is named: %s', async (_what, made, reason) => {
    const config = configured(await files.fileOf(...made()))
    const start = () => certifiedKey('verifier', config, new Date())
    expect(start).toThrow(/^Invalid environment variables:\n- VERIFIER_X509 must /)
    expect(start).toThrow(reason)
  })

  it('needs a P-256 key if VERIFIER_PROFILE is haip', async () => {
    const haip = (path: string) => configured(path, { VERIFIER_PROFILE: 'haip', TRUST_ANCHORS: path })
    const other = leafOf({ keyPair: generateKeyPairSync('ec', { namedCurve: 'P-384' }) })
    const config = haip(await files.fileOf([other, intermediate]))
    expect(() => certifiedKey('verifier', config, new Date())).toThrow(
      'VERIFIER_X509 must hold a P-256 key if VERIFIER_PROFILE is haip.',
    )
    const fine = haip(await files.fileOf([leafOf(), intermediate]))
    expect(certifiedKey('verifier', fine, new Date())?.x5c).toHaveLength(2)
  })

  it('reports its expiry at every start from 30 days before', async () => {
    const leaf = leafOf({ notAfter: '2030-06-30T12:00:00Z' })
    const config = configured(await files.fileOf([leaf, intermediate]))
    const warned = (now: string) => startupWarnings(config, new Date(now)).filter((text) => text.includes('_X509'))
    expect(warned('2030-05-30T00:00:00Z')).toEqual([])
    expect(warned('2030-06-01T00:00:00Z')).toEqual([
      'VERIFIER_X509 has a certificate that expires at 2030-06-30T12:00:00.000Z: renew it and restart.',
    ])
  })

  it('needs another key than ISSUER_X509, because a key signs for one record only', async () => {
    const file = await files.fileOf([leafOf(), intermediate])
    const start = startService({ env: { ...HTTPS, ISSUER_X509: file, VERIFIER_X509: file } })
    await expect(start).rejects.toThrow(
      /^Invalid environment variables:\n- ISSUER_X509 and VERIFIER_X509 must hold different keys\.$/,
    )
    // The two files have the same key with different certificates. This is refused too.
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const [one, other] = [leafOf({ keyPair: key }), leafOf({ keyPair: key, subject: 'Verifier' })]
    const issuer = await files.fileOf([one, intermediate])
    const verifier = await files.fileOf([other, intermediate])
    expect(() => configured(verifier, { ISSUER_X509: issuer })).toThrow(/must hold different keys/)
    expect(() => configured(file, { ISSUER_X509: issuer })).not.toThrow()
  })

  it.each(['ISSUER_X509', 'VERIFIER_X509'])(
    'stops the start if the key of %s has signed for the other record, which does not change',
    async (variable) => {
      const former = variable === 'ISSUER_X509' ? 'VERIFIER_X509' : 'ISSUER_X509'
      const file = await files.fileOf([leafOf(), intermediate])
      await using service = await startService({ env: { ...HTTPS, [former]: file } })
      const { databaseUrl, identityProvider } = service
      const start = (name: string) => startService({ databaseUrl, identityProvider, env: { ...HTTPS, [name]: file } })
      await expect(start(variable)).rejects.toThrow(
        `- ${variable} must hold a key that no other issuer or verifier uses or has used.`,
      )
      await (await start(former)).close()
    },
  )
})
