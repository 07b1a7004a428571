import type { Config } from '../config.js'
import type { KeyAndChain } from '../config-rules.js'
import type { Deps } from '../deps.js'
import { DAY_SECONDS, type MaintenanceTask } from '../maintenance/job.js'
import type { Expiries } from '../metrics/metrics.js'

/** From then on the operator is told. */
const WARN_DAYS = 30
const HOUR_MS = 3_600_000

type Files = Pick<Config, 'issuerX509' | 'verifierX509' | 'verifierAttestation' | 'walletProviderX509'>

/** What of the service's files runs out. */
interface Watched {
  readonly variable: string
  /** What runs out, as the subject of a sentence. */
  readonly subject: string
  /** Undefined where the file is not set. */
  readonly end: Date | undefined
  /** What it means that it has. */
  readonly consequence: string
}

/** When the first certificate of a file runs out; undefined where there is none. */
function certificateEnd(file: KeyAndChain | undefined): Date | undefined {
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
    variable,
    subject: `${variable} has a certificate that`,
    end,
    consequence: 'nobody accepts what is signed now',
  })
  return [
    certificate('ISSUER_X509', issuerCertificate),
    certificate('VERIFIER_X509', verifierCertificate),
    certificate('WALLET_PROVIDER_X509', certificateEnd(files.walletProviderX509)),
    {
      variable: 'VERIFIER_ATTESTATION',
      subject: 'VERIFIER_ATTESTATION',
      end: verifierAttestation,
      consequence: 'no request is made with it now',
    },
  ]
}

/** What the operator should know of what is in the service's files; nothing where all is good for long. */
export function certificateWarnings(config: Files, now: Date): { text: string; expired: boolean }[] {
  return watchedIn(config).flatMap(({ subject, end, consequence }) => {
    const left = end === undefined ? Number.POSITIVE_INFINITY : (end.getTime() - now.getTime()) / 1000
    if (end === undefined || left > WARN_DAYS * DAY_SECONDS) return []
    const text =
      left > 0
        ? `${subject} expires at ${end.toISOString()}: renew it and restart.`
        : `${subject} expired at ${end.toISOString()}: ${consequence}. Renew it and restart.`
    return [{ text, expired: left <= 0 }]
  })
}

/** Readiness checks, one for each thing that is there: once it has run out the service still answers, but what it signs is not accepted. */
export const certificateChecks = ({
  config,
  clock,
}: Pick<Deps, 'config' | 'clock'>): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(
    Object.entries(expiriesOf(config)).flatMap(([component, end]) =>
      end === undefined ? [] : [[component, async () => (end <= clock() ? 'degraded' : undefined)]],
    ),
  )

/** Says every hour what a start would say, since the service may run for longer than a certificate. */
export function certificateTasks({ config, log }: Pick<Deps, 'config' | 'log'>): readonly MaintenanceTask[] {
  const watched = watchedIn(config).filter(({ end }) => end !== undefined)
  if (watched.length === 0) return []
  return [
    {
      name: `look at the certificates of ${watched.map(({ variable }) => variable).join(' and ')}`,
      everyMs: HOUR_MS,
      run: async (now) => {
        for (const { text, expired } of certificateWarnings(config, now)) log[expired ? 'error' : 'warn'](text)
        return 0
      },
    },
  ]
}
