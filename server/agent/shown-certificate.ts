import type { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { subjectAlternativeNames } from '../protocol/issuer-keys/subject-alternative-name.js'

/** A certificate as the API shows it. All its members are public. */
export const zCertificate = z.object({
  subject: z.string().meta({ description: 'The attributes of the subject’s name, in the order of the certificate.' }),
  issuer: z.string().meta({ description: 'The name of the issuer of the certificate, written like `subject`.' }),
  serialNumber: z.string().meta({ description: 'Hexadecimal.' }),
  validFrom: z.iso.datetime(),
  validUntil: z.iso.datetime(),
  fingerprint: z.string().meta({ description: 'SHA-256 of the DER, in the notation of openssl.' }),
  names: z.array(z.string()).meta({ description: 'The dNSName and uniformResourceIdentifier entries.' }),
})

/** Limits for names, since a certificate may contain very long names. */
const MAX_NAME = 1_000
const MAX_NAMES = 50

const inOneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ').slice(0, MAX_NAME)

export function shownCertificate(certificate: X509Certificate): z.input<typeof zCertificate> {
  const { dns, uri } = subjectAlternativeNames(certificate)
  return {
    subject: inOneLine(certificate.subject),
    issuer: inOneLine(certificate.issuer),
    serialNumber: certificate.serialNumber,
    validFrom: new Date(certificate.validFrom).toISOString(),
    validUntil: new Date(certificate.validTo).toISOString(),
    fingerprint: certificate.fingerprint256,
    names: [...dns, ...uri].slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME)),
  }
}

/** Maximum number of root certificates that are shown for a file. Further root certificates are only counted. */
const MAX_ROOTS = 200

/** The trusted root certificates in a configuration file. */
export const zRoots = z.object({
  variable: z.string().meta({ description: 'The variable that names the file.' }),
  count: z.int(),
  certificates: z
    .array(zCertificate)
    .max(MAX_ROOTS)
    .meta({ description: `The first ${MAX_ROOTS} certificates of the file.` }),
})

export const shownRoots = (variable: string, roots: readonly X509Certificate[]): z.input<typeof zRoots> => ({
  variable,
  count: roots.length,
  certificates: roots.slice(0, MAX_ROOTS).map(shownCertificate),
})
