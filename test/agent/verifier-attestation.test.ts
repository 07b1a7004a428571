import { generateKeyPairSync } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError, readConfig } from '../../server/config/config.js'
import { startupWarnings } from '../../server/setup/startup-warnings.js'
import { startService } from '../support/service.js'
import { type AttestationChanges, inSeconds, startAttester } from '../verifier/attestations.js'
import { certificateFiles, HTTPS, intermediate, leafOf } from './certified.js'

const leaf = leafOf()
const jwk = leaf.certificate.publicKey.export({ format: 'jwk' })

let attester: Awaited<ReturnType<typeof startAttester>>
let files: Awaited<ReturnType<typeof certificateFiles>>
let certified: Record<string, string>
beforeAll(async () => {
  attester = await startAttester()
  files = await certificateFiles()
  certified = { ...HTTPS, VERIFIER_X509: await files.fileOf([leaf, intermediate]) }
})
afterAll(async () => {
  await attester.remove()
  await files.remove()
})

const configured = (path: string) =>
  readConfig({ ...HTTPS, DATABASE_URL: 'postgres://localhost/x', AUTH_DISABLED: 'true', VERIFIER_ATTESTATION: path })

const startWith = async (changes: AttestationChanges, key = jwk) =>
  startService({ env: { ...certified, VERIFIER_ATTESTATION: await attester.fileFor(key, changes) } })

describe('VERIFIER_ATTESTATION (OpenID4VP 1.0 §12)', () => {
  it.each<[string, AttestationChanges, string]>([
    ['another typ', { header: { typ: 'JWT' } }, 'its typ is not verifier-attestation+jwt'],
    ['no iss', { payload: { iss: undefined } }, 'it has no iss'],
    ['no sub', { payload: { sub: undefined } }, 'it has no sub'],
    ['an empty sub', { payload: { sub: '' } }, 'it has no sub'],
    ['a long sub', { payload: { sub: 'x'.repeat(513) } }, 'its sub is longer than 512 characters'],
    ['no exp', { payload: { exp: undefined } }, 'it has no exp'],
    ['an exp in words', { payload: { exp: '2099-01-01' } }, 'its exp is no time'],
    ['an nbf beyond all dates', { payload: { nbf: 1e300 } }, 'its nbf is no time'],
    ['no cnf', { payload: { cnf: undefined } }, 'its cnf has no jwk that is a public key of a supported type'],
    ['cnf by kid', { payload: { cnf: { kid: 'a' } } }, 'its cnf has no jwk that is a public key of a supported type'],
    [
      'a private key',
      { payload: { cnf: { jwk: leaf.privateKey.export({ format: 'jwk' }) } } },
      'its cnf has no jwk that is a public key of a supported type',
    ],
    ['redirect_uris in words', { payload: { redirect_uris: 'a' } }, 'its redirect_uris is no array of strings'],
    ['too much of it', { payload: { note: 'x'.repeat(16_384) } }, 'it is longer than 16 KiB'],
  ])('stops the start and is named: %s', async (_what, changes, reason) => {
    const path = await attester.fileFor(jwk, changes)
    expect(() => configured(path)).toThrow(
      `\n- VERIFIER_ATTESTATION must name a file with one verifier attestation: ${reason}.`,
    )
  })

  it.each<[string, (compact: string) => string, string]>([
    ['words', () => 'attestation', 'it is not a well-formed JWT'],
    ['two of them', (compact) => `${compact}\n${compact}`, 'it is not a well-formed JWT'],
    [
      'one without its signature',
      (compact) => compact.replace(/[^.]+$/, ''),
      'it is not signed with a supported algorithm',
    ],
    [
      'one of alg none',
      (compact) =>
        compact.replace(/^[^.]+/, Buffer.from('{"alg":"none","typ":"verifier-attestation+jwt"}').toString('base64url')),
      'it is not signed with a supported algorithm',
    ],
  ])('stops the start and is named: a file with %s', async (_what, altered, reason) => {
    const path = await attester.write(altered(await attester.attest(jwk)))
    expect(() => configured(path)).toThrow(`one verifier attestation: ${reason}.`)
  })

  it.each<[string, AttestationChanges, RegExp]>([
    ['has expired', { payload: { exp: inSeconds('2026-01-01T00:00:00Z') } }, /must not have expired\.$/],
    ['is not valid yet', { payload: { nbf: inSeconds('2098-01-01T00:00:00Z') } }, /must be valid already \(nbf\)\.$/],
  ])('stops the start of the service if it %s', async (_what, changes, reason) => {
    const start = startWith(changes)
    await expect(start).rejects.toThrow(ConfigurationError)
    await expect(start).rejects.toThrow(reason)
  })

  it('stops the start of the service if it is for another key, and names the right one', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    await expect(startWith({}, other)).rejects.toThrow(
      /VERIFIER_ATTESTATION must be for the key of the default verifier: its cnf\.jwk does not have the thumbprint [\w-]{43} /,
    )
  })

  it('reports its expiry at every start from 30 days before', async () => {
    const config = configured(await attester.fileFor(jwk, { payload: { exp: inSeconds('2030-06-30T12:00:00Z') } }))
    const warned = (now: string) => startupWarnings(config, new Date(now)).filter((text) => text.includes('ATTEST'))
    expect(warned('2030-05-31T11:59:00Z')).toEqual([])
    expect(warned('2030-05-31T12:01:00Z')).toEqual([
      'VERIFIER_ATTESTATION expires at 2030-06-30T12:00:00.000Z: renew it and restart.',
    ])
    expect(warned('2030-07-01T00:00:00Z')).toEqual([
      'VERIFIER_ATTESTATION expired at 2030-06-30T12:00:00.000Z: no new request uses it. Renew it and restart.',
    ])
  })

  it('is watched like the certificate: in readiness, metrics and log', async () => {
    const lines: unknown[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) }
    const exp = Math.floor(Date.now() / 1000) + 3_600
    const short = leafOf({ notAfter: new Date((exp - 60) * 1000).toISOString().replace(/\.\d+/, '') })
    const env = {
      ...HTTPS,
      VERIFIER_X509: await files.fileOf([short, intermediate]),
      VERIFIER_ATTESTATION: await attester.fileFor(short.certificate.publicKey.export({ format: 'jwk' }), {
        payload: { exp },
      }),
    }
    await using service = await startService({ env, clock: clock.now, log })
    const ready = async () => (await service.request('GET', '/health/readiness')).json
    expect((await ready()).details).toMatchObject({
      verifierCertificate: { status: 'up' },
      verifierAttestation: { status: 'up' },
    })
    clock.ahead = 7_200_000
    expect(await ready()).toMatchObject({
      status: 'ok',
      details: { verifierCertificate: { status: 'degraded' }, verifierAttestation: { status: 'degraded' } },
    })
    const text = await service.platform.metrics.registry.metrics()
    expect(text).toContain(`credence_verifier_certificate_expiry_timestamp_seconds ${exp - 60}`)
    expect(text).toContain(`credence_verifier_attestation_expiry_timestamp_seconds ${exp}`)
    expect(text).not.toContain('credence_issuer_certificate')
    for (const task of service.features.certificates.tasks) await task.run(clock.now(), 1)
    for (const msg of ['VERIFIER_X509 has a certificate that expired', 'VERIFIER_ATTESTATION expired'])
      expect(lines).toContainEqual(expect.objectContaining({ level: 50, msg: expect.stringContaining(msg) }))
  })
})
