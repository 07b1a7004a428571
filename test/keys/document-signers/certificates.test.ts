import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../server/log/log.js'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import {
  type CertificateFiles,
  certificateFiles,
  certify,
  HTTPS,
  intermediate,
  leafOf,
  root,
} from '../../agent/certified.js'
import { authorityOf, chainOfMdoc, opensslText, opensslVerify, partsOf, signedByLeaf } from '../../agent/delegated.js'
import { credentialOf, movingClock, startIssuer } from '../../issuer/openid4vci/actors.js'
import { licenceSchema, MDOC, offerOf, postSchema as postLicence } from '../../issuer/openid4vci/mdoc-actors.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { everyRow, query } from '../../support/postgres.js'
import { type Answer, startService } from '../../support/service.js'
import { actorsOf, DELEGATED, startDelegated } from './actors.js'

const DAY_MS = 86_400_000

let files: CertificateFiles
beforeAll(async () => {
  files = await certificateFiles()
})
afterAll(() => files.remove())
const start = (chain: readonly TestCertificate[], options?: Parameters<typeof startService>[0]) =>
  startDelegated(files, chain, options)

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
    const log = createLog('trace', { write: (line: string) => void lines.push(line) })
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
    expect((await everyRow(service.databaseUrl)).filter((row) => row.includes(x))).toEqual([])
    expect(lines.join('\n')).not.toMatch(/PRIVATE KEY|"d":/)
    expect(lines.join('\n')).not.toContain(x)
  })
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
