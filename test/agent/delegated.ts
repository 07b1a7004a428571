import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import { decodeStatusListCwt, readMdoc } from '../../server/protocol/mdoc/mdoc.js'
import type { TestCertificateOptions } from '../protocol/issuer-keys/certificates.js'
import { certify, root } from './certified.js'

const run = promisify(execFile)

/** An authority that may issue signers only: the certificate of an issuer record whose signing is delegated. */
export const authorityOf = (options: Partial<TestCertificateOptions> = {}) =>
  certify({
    subject: 'C=DE/OI=VATDE-1/Issuing authority',
    issuer: root,
    ca: true,
    pathLength: 0,
    keyUsage: 0x04,
    ...options,
  })

/** The certificates in base64 DER. */
export const certificatesIn = (x5c: readonly string[] | undefined): X509Certificate[] =>
  (x5c ?? []).map((one) => new X509Certificate(Buffer.from(one, 'base64')))

/** Header, payload and certificates of a compact JWT or SD-JWT. */
export function partsOf(compact: string) {
  const [jwt = ''] = compact.split('~')
  const header = decodeProtectedHeader(jwt)
  return { jwt, header, payload: decodeJwt(jwt), chain: certificatesIn(header.x5c) }
}

/** The chain of a mobile document. */
export const chainOfMdoc = (issuerSigned: string): X509Certificate[] => certificatesIn(readMdoc(issuerSigned).x5c)

/** The chain of a status list in CWT format. */
export const chainOfCwt = (cwt: Uint8Array): X509Certificate[] => certificatesIn(decodeStatusListCwt(cwt).header.x5c)

/** Verifies a JWT with jose, by the key of its first certificate. @returns this certificate */
export async function signedByLeaf(compact: string): Promise<X509Certificate> {
  const { jwt, chain } = partsOf(compact)
  const [leaf] = chain
  if (leaf === undefined) throw new Error('There is no certificate.')
  await compactVerify(jwt, await importX509(String(leaf), 'ES256'))
  return leaf
}

/** Verifies a chain with OpenSSL. @returns the output of `openssl verify`; it rejects for a chain that OpenSSL refuses */
export async function opensslVerify(
  [leaf, ...above]: readonly X509Certificate[],
  anchor: X509Certificate,
  options: readonly string[] = [],
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'openssl-'))
  try {
    const file = async (name: string, certificates: readonly (X509Certificate | undefined)[]) => {
      const path = join(directory, name)
      await writeFile(path, certificates.map(String).join(''))
      return path
    }
    const untrusted = above.length === 0 ? [] : ['-untrusted', await file('above.pem', above)]
    const anchors = ['-CAfile', await file('anchor.pem', [anchor])]
    const { stdout } = await run('openssl', [
      'verify',
      ...options,
      ...anchors,
      ...untrusted,
      await file('leaf.pem', [leaf]),
    ])
    return stdout
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** The text of a certificate as OpenSSL reads it. */
export async function opensslText(certificate: X509Certificate): Promise<string> {
  const child = run('openssl', ['x509', '-noout', '-text'])
  child.child.stdin?.end(String(certificate))
  return (await child).stdout
}
