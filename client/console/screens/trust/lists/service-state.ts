/** The members of a service that decide about its state. */
export interface KnownService {
  readonly status: 'granted' | 'withdrawn' | 'unknown'
  readonly trustedFor: readonly string[]
  readonly isTrusted: boolean
  readonly startsAt?: string | undefined
  readonly endsAt?: string | undefined
}

export type ServiceState = 'trusted' | 'withdrawn' | 'ended' | 'later' | 'unknown' | 'untrusted'

/** The tone of each state, for `<Tag>`. */
export const SERVICE_TONES = {
  trusted: 'good',
  withdrawn: 'ended',
  ended: 'ended',
  later: 'waiting',
  unknown: 'warn',
  untrusted: 'bad',
} as const satisfies Readonly<Record<ServiceState, string>>

/**
 * The state of a service in one word. The service's answer `isTrusted` decides. The other members only say why it is
 * not trusted: a service of a list that cannot be used is `untrusted`.
 */
export function serviceState(service: KnownService, now: Date): ServiceState {
  const { status, trustedFor, isTrusted, startsAt, endsAt } = service
  if (isTrusted) return 'trusted'
  if (trustedFor.length === 0) return 'untrusted'
  if (status === 'unknown') return 'unknown'
  if (status === 'withdrawn') return 'withdrawn'
  if (startsAt !== undefined && new Date(startsAt) > now) return 'later'
  return endsAt !== undefined && new Date(endsAt) <= now ? 'ended' : 'untrusted'
}
