import type { Config } from '../config.js'
import type { Deps } from '../deps.js'
import { DAY_SECONDS, type MaintenanceTask } from '../maintenance/job.js'

/** From then on the operator is told. */
const WARN_DAYS = 30
const HOUR_MS = 3_600_000

/** When the first certificate of ISSUER_X509 runs out; undefined where it is not set. */
export function certificateEnd({ issuerX509 }: Pick<Config, 'issuerX509'>): Date | undefined {
  if (issuerX509 === undefined) return undefined
  return new Date(Math.min(...issuerX509.chain.map(({ validTo }) => Date.parse(validTo))))
}

/** What the operator should know of the certificates of ISSUER_X509; undefined where they are good for long. */
export function certificateWarning(config: Pick<Config, 'issuerX509'>, now: Date): string | undefined {
  const end = certificateEnd(config)
  const left = end === undefined ? Number.POSITIVE_INFINITY : (end.getTime() - now.getTime()) / 1000
  if (end === undefined || left > WARN_DAYS * DAY_SECONDS) return undefined
  return left > 0
    ? `ISSUER_X509 has a certificate that expires at ${end.toISOString()}: renew it and restart.`
    : `ISSUER_X509 has a certificate that expired at ${end.toISOString()}: nobody accepts what is signed now. Renew it and restart.`
}

/** A readiness check: once a certificate has run out the service still answers, but what it signs is not accepted. */
export const certificateCheck =
  ({ config, clock }: Pick<Deps, 'config' | 'clock'>): (() => Promise<unknown>) =>
  async () => {
    const end = certificateEnd(config)
    return end !== undefined && end <= clock() ? 'degraded' : undefined
  }

/** Says every hour what a start would say, since the service may run for longer than a certificate. */
export function certificateTasks({ config, log }: Pick<Deps, 'config' | 'log'>): readonly MaintenanceTask[] {
  const end = certificateEnd(config)
  if (end === undefined) return []
  return [
    {
      name: 'look at the certificates of ISSUER_X509',
      everyMs: HOUR_MS,
      run: async (now) => {
        const warning = certificateWarning(config, now)
        if (warning !== undefined) log[end <= now ? 'error' : 'warn'](warning)
        return 0
      },
    },
  ]
}
