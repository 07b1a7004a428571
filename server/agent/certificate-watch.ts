import type { Config } from '../config/config.js'
import type { KeyAndChain } from '../config/rules.js'
import type { CertifiedVerifier, KeyStore } from '../keys/store.js'
import type { Log } from '../log/log.js'
import { DAY_SECONDS, type MaintenanceTask } from '../maintenance/task.js'
import type { Expiries } from '../metrics/metrics.js'
import { certificateProfile } from '../protocol/issuer-keys/certificate-profile.js'
import { DOCUMENT_SIGNER } from '../protocol/issuer-keys/certificate-purpose.js'
import { chainEnd } from '../protocol/openid4vp/client-identifier.js'

/** From then on the operator is told. */
export const WARN_DAYS = 30
const HOUR_MS = 3_600_000
/** Records whose certificates are looked at, the newest: each may be a line of the log. */
const MAX_WATCHED = 1_000

type Files = Pick<Config, 'issuerX509' | 'verifierX509' | 'verifierAttestation' | 'walletProviderX509'>

/** What of the service's files runs out. */
interface Watched {
  /** What runs out, as the subject of a sentence. */
  readonly subject: string
  /** Undefined where the file is not set. */
  readonly end: Date | undefined
  /** What it means that it has. */
  readonly consequence: string
}

/** When the first certificate of a file runs out; undefined where there is none. */
export function certificateEnd(file: KeyAndChain | undefined): Date | undefined {
  if (file === undefined) return undefined
  return new Date(Math.min(...file.chain.map(({ validTo }) => Date.parse(validTo))))
}

/** When what is watched runs out that readiness and metrics name, under their names for it. */
export const expiriesOf = ({ issuerX509, verifierX509, verifierAttestation }: Files): Expiries => ({
  issuerCertificate: certificateEnd(issuerX509),
  verifierCertificate: certificateEnd(verifierX509),
  verifierAttestation: verifierAttestation?.expiresAt,
})

function watchedIn(files: Files): Watched[] {
  const { issuerCertificate, verifierCertificate, verifierAttestation } = expiriesOf(files)
  const certificate = (variable: string, end: Date | undefined): Watched => ({
    subject: `${variable} has a certificate that`,
    end,
    consequence: 'nobody accepts what is signed now',
  })
  return [
    certificate('ISSUER_X509', issuerCertificate),
    certificate('VERIFIER_X509', verifierCertificate),
    certificate('WALLET_PROVIDER_X509', certificateEnd(files.walletProviderX509)),
    {
      subject: 'VERIFIER_ATTESTATION',
      end: verifierAttestation,
      consequence: 'no request is made with it now',
    },
  ]
}

export interface Warning {
  readonly text: string
  readonly expired: boolean
}

/** @returns nothing for what is good for long. */
function warningOf(now: Date, { subject, end, consequence }: Watched, what: string): Warning[] {
  const left = end === undefined ? Number.POSITIVE_INFINITY : (end.getTime() - now.getTime()) / 1000
  if (end === undefined || left > WARN_DAYS * DAY_SECONDS) return []
  const at = end.toISOString()
  return left > 0
    ? [{ text: `${subject} expires at ${at}: ${what}.`, expired: false }]
    : [
        {
          text: `${subject} expired at ${at}: ${consequence}. ${what.charAt(0).toUpperCase()}${what.slice(1)}.`,
          expired: true,
        },
      ]
}

/** What the operator should know of what is in the service's files; nothing where all is good for long. */
export const certificateWarnings = (config: Files, now: Date): Warning[] =>
  watchedIn(config).flatMap((watched) => warningOf(now, watched, 'renew it and restart'))

/** The same of the certificates that verifier records have. */
const recordWarnings = (verifiers: readonly CertifiedVerifier[], now: Date): Warning[] =>
  verifiers.flatMap(({ id, x5c }) =>
    warningOf(
      now,
      {
        subject: `Verifier ${id} has a certificate that`,
        end: chainEnd(x5c),
        consequence: 'it can make no requests in that name now',
      },
      `renew it (POST /agent/verifier/${id}/certificate)`,
    ),
  )

const LICENCE = 'org.iso.18013.5.1.mDL'

/**
 * ISO/IEC 18013-5 Annex B.1.4: readers of driving licences look for its purpose in the certificate of who signs them, and in its
 * subject for a country (RFC 4519 §2.2), without which there are wallets that take no mobile document at all.
 */
async function licenceWarnings(
  { issuerX509 }: Pick<Config, 'issuerX509'>,
  hasDoctype: (doctype: string) => Promise<boolean>,
): Promise<string[]> {
  const leaf = issuerX509?.chain[0]
  if (leaf === undefined) return []
  const isSigner = certificateProfile(leaf).purposes?.includes(DOCUMENT_SIGNER) === true
  const hasCountry = /^C=/m.test(leaf.subject)
  const missing = [
    ...(isSigner ? [] : ['the extended key usage 1.0.18013.5.1.2']),
    ...(hasCountry ? [] : ['a country (C) in its subject']),
  ]
  if (missing.length === 0 || !(await hasDoctype(LICENCE))) return []
  return [
    `ISSUER_X509 begins with a certificate without ${missing.join(' and ')}: wallets and readers may refuse mobile documents of the doctype ${LICENCE}.`,
  ]
}

/**
 * Readiness checks, one for each file that is configured. Once the certificate or attestation has expired the service still answers, but
 * no wallet accepts what it signs.
 */
export const certificateChecks = (config: Files, clock: () => Date): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(
    Object.entries(expiriesOf(config)).flatMap(([component, end]) =>
      end === undefined ? [] : [[component, async () => (end <= clock() ? 'degraded' : undefined)]],
    ),
  )

/** What {@link createCertificateWatch} is made of. */
export interface CertificateWatchPorts {
  readonly config: Files
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly keys: Pick<KeyStore, 'certifiedVerifiers'>
  /** Whether mobile documents of a doctype are issued. */
  readonly hasDoctype: (doctype: string) => Promise<boolean>
}

export type CertificateWatch = ReturnType<typeof createCertificateWatch>

/** Watches the certificates of files and of verifier records. */
export function createCertificateWatch({ config, log, keys, hasDoctype }: CertificateWatchPorts) {
  /** What the operator should know of certificates beside {@link certificateWarnings}. */
  async function storedWarnings(now: Date): Promise<Warning[]> {
    const verifiers = await keys.certifiedVerifiers(MAX_WATCHED)
    const licences = await licenceWarnings(config, hasDoctype)
    return [...recordWarnings(verifiers, now), ...licences.map((text) => ({ text, expired: false }))]
  }

  /**
   * Logs every hour what a start would log, since the service may run for longer than a certificate is valid. The first time is soon after
   * the start, which logs nothing of certificates in the database.
   */
  const watch: MaintenanceTask = {
    name: 'look at certificates',
    everyMs: HOUR_MS,
    run: async (now) => {
      const warnings = [...certificateWarnings(config, now), ...(await storedWarnings(now))]
      for (const { text, expired } of warnings) log[expired ? 'error' : 'warn'](text)
      return { count: 0, more: false, lateSeconds: 0 }
    },
  }

  return { storedWarnings, tasks: [watch] as readonly MaintenanceTask[] }
}
