import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  makeCertificate,
  type TestCertificate,
  type TestCertificateOptions,
} from '../protocol/issuer-keys/certificates.js'

export const URL_OF_ISSUER = 'https://credence.example'
export const HTTPS = { ISSUER_BASE_URL: URL_OF_ISSUER, VERIFIER_BASE_URL: URL_OF_ISSUER, ALLOW_INSECURE_HTTP: '' }

export const certify = (options: TestCertificateOptions) =>
  makeCertificate({ notAfter: '2099-12-31T00:00:00Z', ...options })
/** Authorities have a country, because certificates for driving licences need one (ISO/IEC 18013-5 Annex B). */
export const root = certify({ subject: 'C=DE/Root', ca: true, keyUsage: 0x04 })
export const intermediate = certify({ subject: 'C=DE/Intermediate', issuer: root, ca: true, keyUsage: 0x04 })
export const leafOf = (options: Partial<TestCertificateOptions> = {}) =>
  certify({ subject: 'Issuer', issuer: intermediate, keyUsage: 0x80, dns: ['credence.example'], ...options })

/** A temporary directory for the certificates of one test file. `remove` deletes the directory with all its content. */
export async function certificateFiles() {
  const directory = await mkdtemp(join(tmpdir(), 'issuer-x509-'))
  let files = 0
  return {
    directory,
    /**
     * Writes a file for ISSUER_X509: a key, which is the key of the first certificate by default, and all certificates.
     */
    async fileOf(chain: readonly TestCertificate[], key = chain[0]): Promise<string> {
      const pem = [
        key?.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        ...chain.map(({ certificate }) => certificate),
      ]
      files += 1
      const path = join(directory, `${files}.pem`)
      await writeFile(path, pem.join('\n'))
      return path
    },
    remove: () => rm(directory, { recursive: true }),
  }
}

export type CertificateFiles = Awaited<ReturnType<typeof certificateFiles>>
