import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate, type TestCertificateOptions } from '../../test/protocol/issuer-keys/certificates.js'

/** Makes a certificate that is valid for the whole benchmark. */
export const certify = (options: TestCertificateOptions) =>
  makeCertificate({ notAfter: '2099-12-31T00:00:00Z', ...options })

/** Makes a folder for PEM files that a service's settings name. */
export function certificateFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'credence-bench-'))
  return {
    /** @returns the path of a file with these parts */
    fileOf: (name: string, ...parts: readonly unknown[]): string => {
      const path = join(directory, name)
      writeFileSync(path, parts.map(String).join('\n'))
      return path
    },
    remove: () => rmSync(directory, { recursive: true }),
  }
}
