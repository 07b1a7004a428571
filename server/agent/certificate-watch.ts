import type { Config } from '../config/config.js'
import type { KeyAndChain } from '../config/rules.js'
import type { KeyStore, RecordChain } from '../keys/store.js'
import type { Log } from '../log/log.js'
import { DAY_SECONDS, type MaintenanceTask } from '../maintenance/task.js'
import type { Expiries } from '../metrics/readings.js'
import { certificateProfile } from '../protocol/issuer-keys/certificate-profile.js'
import { DOCUMENT_SIGNER } from '../protocol/issuer-keys/certificate-purpose.js'
import { chainEnd } from '../protocol/openid4vp/client-identifier.js'

/** The operator is warned this many days before the expiry. */
export const WARN_DAYS = 30
const HOUR_MS = 3_600_000
/**
 * Maximum number of watched records, the newest first. There is a limit because each record may cause a line in the
 * log.
 */
const MAX_WATCHED = 1_000

type Files = Pick<Config, 'issuerX509' | 'verifierX509' | 'verifierAttestation' | 'walletProviderX509'>

/** A certificate or attestation in the service's files that expires. */
interface Watched {
  /** Names the certificate or attestation, as the subject of a sentence. */
  readonly subject: string
  /** Undefined if the file is not set. */
  readonly end: Date | undefined
  /** What happens after the expiry. */
  readonly consequence: string
}

/** Returns the earliest expiry of the certificates in a file. Undefined without a file. */
export function certificateEnd(file: KeyAndChain | undefined): Date | undefined {
  if (file === undefined) return undefined
  return new Date(Math.min(...file.chain.map(({ validTo }) => Date.parse(validTo))))
}

/** The expiry times that readiness and metrics report, each with the name that it has in these reports. */
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
    consequence: 'wallets accept no new signatures of its key',
  })
  return [
    certificate('ISSUER_X509', issuerCertificate),
    certificate('VERIFIER_X509', verifierCertificate),
    certificate('WALLET_PROVIDER_X509', certificateEnd(files.walletProviderX509)),
    {
      subject: 'VERIFIER_ATTESTATION',
      end: verifierAttestation,
      consequence: 'no new request uses it',
    },
  ]
}

export interface Warning {
  readonly text: string
  readonly expired: boolean
}

/** Returns a warning if the expiry is near or past. Otherwise returns an empty list. */
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

/** Returns warnings about the service's files. The list is empty if no expiry is near. */
export const certificateWarnings = (config: Files, now: Date): Warning[] =>
  watchedIn(config).flatMap((watched) => warningOf(now, watched, 'renew it and restart'))

const RECORDS = {
  issuer: { name: 'Issuer', consequence: 'wallets accept no new signatures of its key' },
  verifier: { name: 'Verifier', consequence: 'the verifier can make no requests with it' },
} as const

/** Warnings about the certificates of issuer or verifier records. */
const recordWarnings = (kind: keyof typeof RECORDS, records: readonly RecordChain[], now: Date): Warning[] => {
  const { name, consequence } = RECORDS[kind]
  return records.flatMap(({ id, x5c }) =>
    warningOf(
      now,
      { subject: `${name} ${id} has a certificate that`, end: chainEnd(x5c), consequence },
      `renew it (POST /agent/${kind}/${id}/certificate)`,
    ),
  )
}

const LICENCE = 'org.iso.18013.5.1.mDL'

/**
 * Warnings about the certificate that signs driving licences. Programs that read driving licences expect two things in
 * this certificate: the purpose of ISO/IEC 18013-5 Annex B.1.4, and a country in the subject (RFC 4519 §2.2). Without a
 * country, some wallets accept no mobile document at all.
 */
async function licenceWarnings(
  { issuerX509 }: Pick<Config, 'issuerX509'>,
  hasDoctype: (doctype: string) => Promise<boolean>,
): Promise<string[]> {
  const leaf = issuerX509?.chain[0]
  if (leaf === undefined) return []
  // The certificates of document signers get the purpose, and the country of their authority.
  const isSigner = leaf.ca || certificateProfile(leaf).purposes?.includes(DOCUMENT_SIGNER) === true
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
 * Makes the readiness checks, one for each configured file. After a certificate or attestation has expired, the service
 * still answers, but wallets do not accept the service's signatures.
 */
export const certificateChecks = (config: Files, clock: () => Date): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(
    Object.entries(expiriesOf(config)).flatMap(([component, end]) =>
      end === undefined ? [] : [[component, async () => (end <= clock() ? 'degraded' : undefined)]],
    ),
  )

/** Dependencies of {@link createCertificateWatch}. */
export interface CertificateWatchPorts {
  readonly config: Files
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly keys: Pick<KeyStore, 'certifiedIssuers' | 'certifiedVerifiers'>
  /** True if mobile documents of the doctype are issued. */
  readonly hasDoctype: (doctype: string) => Promise<boolean>
  /** Warnings about the registration certificates of verifiers. */
  readonly registrationWarnings: (now: Date) => Promise<readonly Warning[]>
}

export type CertificateWatch = ReturnType<typeof createCertificateWatch>

/** Watches the certificates of files and of verifier records. */
export function createCertificateWatch({ config, log, keys, hasDoctype, registrationWarnings }: CertificateWatchPorts) {
  /** Warnings about certificates, in addition to {@link certificateWarnings}. */
  async function storedWarnings(now: Date): Promise<Warning[]> {
    const issuers = await keys.certifiedIssuers(MAX_WATCHED)
    const verifiers = await keys.certifiedVerifiers(MAX_WATCHED)
    const licences = await licenceWarnings(config, hasDoctype)
    return [
      ...recordWarnings('issuer', issuers, now),
      ...recordWarnings('verifier', verifiers, now),
      ...(await registrationWarnings(now)),
      ...licences.map((text) => ({ text, expired: false })),
    ]
  }

  /**
   * Repeats the warnings of the start every hour, since the service may run for longer than a certificate is valid. The
   * first run is soon after the start, because the start itself logs no warnings about certificates in the database.
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
