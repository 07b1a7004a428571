import type { Config } from '../config.js'
import type { KeyAndChain } from '../config-rules.js'
import type { Deps } from '../deps.js'
import { DAY_SECONDS, type MaintenanceTask } from '../maintenance/job.js'

/** From then on the operator is told. */
const WARN_DAYS = 30
const HOUR_MS = 3_600_000

type Certificates = Pick<Config, 'issuerX509' | 'verifierX509' | 'walletProviderX509'>

const filesOf = ({ issuerX509, verifierX509, walletProviderX509 }: Certificates) =>
  [
    { variable: 'ISSUER_X509', file: issuerX509 },
    { variable: 'VERIFIER_X509', file: verifierX509 },
    { variable: 'WALLET_PROVIDER_X509', file: walletProviderX509 },
  ] as const

/** When the first certificate of a file runs out; undefined where there is none. */
export function certificateEnd(file: KeyAndChain | undefined): Date | undefined {
  if (file === undefined) return undefined
  return new Date(Math.min(...file.chain.map(({ validTo }) => Date.parse(validTo))))
}

/** What the operator should know of the certificates of the service's files; nothing where they are good for long. */
export function certificateWarnings(config: Certificates, now: Date): { text: string; expired: boolean }[] {
  return filesOf(config).flatMap(({ variable, file }) => {
    const end = certificateEnd(file)
    const left = end === undefined ? Number.POSITIVE_INFINITY : (end.getTime() - now.getTime()) / 1000
    if (end === undefined || left > WARN_DAYS * DAY_SECONDS) return []
    const text =
      left > 0
        ? `${variable} has a certificate that expires at ${end.toISOString()}: renew it and restart.`
        : `${variable} has a certificate that expired at ${end.toISOString()}: nobody accepts what is signed now. Renew it and restart.`
    return [{ text, expired: left <= 0 }]
  })
}

/** A readiness check: once a certificate has run out the service still answers, but what it signs is not accepted. */
export const certificateCheck =
  ({ config, clock }: Pick<Deps, 'config' | 'clock'>): (() => Promise<unknown>) =>
  async () => {
    const end = certificateEnd(config.issuerX509)
    return end !== undefined && end <= clock() ? 'degraded' : undefined
  }

/** Says every hour what a start would say, since the service may run for longer than a certificate. */
export function certificateTasks({ config, log }: Pick<Deps, 'config' | 'log'>): readonly MaintenanceTask[] {
  const files = filesOf(config).filter(({ file }) => file !== undefined)
  if (files.length === 0) return []
  return [
    {
      name: `look at the certificates of ${files.map(({ variable }) => variable).join(' and ')}`,
      everyMs: HOUR_MS,
      run: async (now) => {
        for (const { text, expired } of certificateWarnings(config, now)) log[expired ? 'error' : 'warn'](text)
        return 0
      },
    },
  ]
}
