import { createHash, randomBytes } from 'node:crypto'
import type { HeldCredential } from './answer.js'
import { certificateFiles, certify } from './certificate-files.js'
import { type BenchWallet, newBenchWallet, signJws } from './wallet.js'

export const VCT = 'https://club.example/membership'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

type Sign = (payload: Record<string, unknown>) => string

/**
 * Makes an SD-JWT VC with one disclosure, for a new wallet. It has no status, because a status list would cost one more
 * request.
 */
function membership(sign: Sign): HeldCredential {
  const wallet: BenchWallet = newBenchWallet()
  const disclosure = encode([randomBytes(16).toString('base64url'), 'level', 'gold'])
  const jwt = sign({
    vct: VCT,
    _sd: [createHash('sha256').update(disclosure).digest('base64url')],
    _sd_alg: 'sha-256',
    cnf: { jwk: wallet.jwk },
    iat: Math.floor(Date.now() / 1000) - 60,
  })
  return { wallet, sdJwt: `${jwt}~${disclosure}~` }
}

/**
 * Makes two issuers of other installations: one is identified by its certificate, the other by its did:jwk. `env` has
 * the settings of an installation that trusts both issuers, and whose verifier has a certificate.
 */
export function foreignIssuers() {
  const { fileOf, remove } = certificateFiles()
  const root = certify({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const issuer = certify({ subject: 'Club', issuer: root, keyUsage: 0x80 })
  const verifierRoot = certify({ subject: 'Verifiers', ca: true, keyUsage: 0x04 })
  const verifier = certify({ subject: 'Shop', issuer: verifierRoot, keyUsage: 0x80, dns: ['127.0.0.1'] })
  const other = newBenchWallet()
  const byCertificate: Sign = (payload) => signJws(issuer.privateKey, { typ: 'dc+sd-jwt', x5c: [issuer.x5c] }, payload)
  const byDid: Sign = (payload) => other.sign({ typ: 'dc+sd-jwt', kid: other.kid }, { iss: other.did, ...payload })
  return {
    env: {
      VERIFIER_X509: fileOf(
        'verifier.pem',
        verifier.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        verifier.certificate,
      ),
      TRUST_ANCHORS: fileOf('roots.pem', root.certificate),
      TRUSTED_ISSUERS: `x5c,${other.did}`,
    },
    /** The authority that has certified the certified issuer. */
    authority: root,
    certified: () => membership(byCertificate),
    named: () => membership(byDid),
    remove,
  }
}
