import type { Log } from '../../log/log.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../../maintenance/task.js'
import { item, type SetupItem } from '../../setup/item.js'
import { WARN_DAYS, type Warning } from '../certificate-watch.js'
import type { Look } from './look.js'
import { openStored } from './opened.js'
import { judgeStored } from './registrations.js'
import type { Judged, Looked } from './state.js'
import type { NewestRegistration, RegistrationStore } from './store.js'

const EVERY_MS = 20_000
const AGAIN_SECONDS = 3_600
/** A status list that could not be read is tried again after this time. */
const RETRY_SECONDS = 300
/** A fault that is found without a request goes away soon: a list was read. */
const RETRY_LOCAL_SECONDS = 20
/** Longer than the fetch of a list may take. */
const LEASE_SECONDS = 120
const AT_ONCE = 20
/** Limit of watched certificates. */
const MAX_WATCHED = 1_000

/** Judges a certificate as requests and metadata do: by its times, the access certificate that is in use now, and the last look. */
const judgeNewest = async (row: NewestRegistration, now: Date): Promise<Judged> =>
  judgeStored(await openStored(row.certificate), row, { x5c: row.x5c, now })

/**
 * The readiness of registration certificates: `degraded` with the states of certificates that cannot be used. Everybody
 * may read the reason, so it has only names of states. The state is `absent` if no record has a certificate, or if the
 * database does not answer. Another check reports the database.
 */
export async function registrationsCheck(
  store: Pick<RegistrationStore, 'newest'>,
  now: Date,
): Promise<{ readonly degraded: string } | 'absent' | undefined> {
  const rows = await store.newest(MAX_WATCHED).catch(() => [])
  if (rows.length === 0) return 'absent'
  const judged = await Promise.all(rows.map((row) => judgeNewest(row, now)))
  const states = new Set(judged.map(({ state }) => state).filter((state) => state !== 'usable'))
  return states.size === 0 ? undefined : { degraded: [...states].sort().join(', ') }
}

/** A certificate in use, with its state. */
type JudgedNewest = Judged & { readonly row: NewestRegistration }

const TITLES = { issuer: 'Issuer', verifier: 'Verifier' } as const

const nameOf = ({ party, partyId, intendedUse, subject }: NewestRegistration): string =>
  `${TITLES[party]} ${partyId} has a registration certificate for ${intendedUse ?? subject}`

/** The consequence of a certificate that cannot be used. */
const FAULTS = { issuer: 'that wallets do not accept', verifier: 'that no request can use' } as const

/** Repairs of faults outside the certificate. */
const REPAIRS: Partial<Record<Judged['state'], string>> = {
  signer:
    'Read the trusted lists of registrars again (POST /api/v1/trust-lists/{id}/refresh), or check REGISTRAR_TRUST_ANCHORS.',
  'status-unknown': 'Ask the registrar about the status list. The service tries to read it again within five minutes.',
}

const repairOf = ({ row: { party }, state }: JudgedNewest): string =>
  REPAIRS[state] ??
  `Get a new certificate from the registrar, add it (POST /api/v1/${party}s/{id}/registration-certificates), and remove the former one.`

function warningsOf(one: JudgedNewest, now: Date): Warning[] {
  const { row, state, sentence } = one
  if (state !== 'usable')
    return [{ text: `${nameOf(row)} ${FAULTS[row.party]}. ${sentence} ${repairOf(one)}`, expired: true }]
  if (row.endsAt === null || secondsBefore(row.endsAt, WARN_DAYS * DAY_SECONDS) > now) return []
  return [{ text: `${nameOf(row)} that expires at ${row.endsAt.toISOString()}. ${repairOf(one)}`, expired: false }]
}

function secondsAfter({ failedCheck }: Looked): number {
  if (failedCheck === null) return AGAIN_SECONDS
  return failedCheck === 'status-unknown' ? RETRY_SECONDS : RETRY_LOCAL_SECONDS
}

/** Dependencies of {@link createRegistrationWatch}. */
export interface RegistrationWatchPorts {
  readonly store: Pick<RegistrationStore, 'newest' | 'storeLook' | 'takeDue'>
  readonly look: Look
  readonly clock: () => Date
  readonly log: Pick<Log, 'warn' | 'info'>
}

export type RegistrationWatch = ReturnType<typeof createRegistrationWatch>

/**
 * Watches the registration certificates of verifiers and issuers. The job reads each status list once an hour, so that no request waits
 * for a list.
 */
export function createRegistrationWatch({ store, look, clock, log }: RegistrationWatchPorts) {
  const run = async (now: Date) => {
    const due = await store.takeDue(now, AT_ONCE, LEASE_SECONDS)
    await Promise.all(
      due.map(async (row) => {
        const found = await look(row, now)
        const seconds = secondsAfter(found)
        // Other faults are in the warnings of each hour.
        if (seconds === RETRY_SECONDS)
          log.warn(
            { certificate: row.id, reason: found.failure },
            'the status of a registration certificate is unknown',
          )
        await store.storeLook(row.id, found, new Date(now.getTime() + seconds * 1000))
      }),
    )
    const first = due.reduce((least, { at }) => (at < least ? at : least), now)
    return {
      count: due.length,
      more: due.length >= AT_ONCE,
      lateSeconds: (now.getTime() - first.getTime()) / 1000,
    }
  }

  const judged = async (now: Date): Promise<readonly JudgedNewest[]> =>
    Promise.all((await store.newest(MAX_WATCHED)).map(async (row) => ({ row, ...(await judgeNewest(row, now)) })))

  const tasks: readonly MaintenanceTask[] = [
    { name: 'read status of registration certificates', everyMs: EVERY_MS, elsewhere: true, run },
  ]

  return {
    tasks,

    /** Warnings for the log, repeated every hour. */
    async warnings(now: Date): Promise<Warning[]> {
      return (await judged(now)).flatMap((one) => warningsOf(one, now))
    },

    /** Numbers for the metrics, and the first end of a usable certificate. */
    async overview() {
      const all = await judged(clock())
      const usable = all.filter(({ state }) => state === 'usable')
      const ends = usable.flatMap(({ row }) => (row.endsAt === null ? [] : row.endsAt.getTime()))
      return {
        usable: usable.length,
        unusable: all.length - usable.length,
        firstEnd: ends.length === 0 ? undefined : new Date(Math.min(...ends)),
      }
    },

    /** The item of the checklist. */
    async item(): Promise<SetupItem> {
      const all = await judged(clock())
      if (all.length === 0)
        return item('registrations', 'unused', 'No issuer or verifier has a registration certificate.')
      const faulty = all.filter(({ state }) => state !== 'usable')
      const [bad] = faulty
      if (bad !== undefined) {
        const others = faulty.length === 1 ? '' : ` ${faulty.length - 1} more certificates have problems.`
        return item('registrations', 'failed', `${nameOf(bad.row)}. ${bad.sentence}${others}`, repairOf(bad))
      }
      const ending = all.flatMap((one) => (one.row.endsAt === null ? [] : { one, endsAt: one.row.endsAt }))
      const [soonest] = ending.toSorted((a, b) => a.endsAt.getTime() - b.endsAt.getTime())
      const count = all.length === 1 ? 'The registration certificate' : `All ${all.length} registration certificates`
      if (soonest === undefined) return item('registrations', 'ok', `${count} can be used.`)
      const expiresAt = soonest.endsAt.toISOString()
      const soon = secondsBefore(soonest.endsAt, WARN_DAYS * DAY_SECONDS) <= clock()
      return soon
        ? {
            ...item(
              'registrations',
              'warning',
              `A registration certificate expires at ${expiresAt}.`,
              repairOf(soonest.one),
            ),
            expiresAt,
          }
        : {
            ...item('registrations', 'ok', `${count} can be used. The first one expires at ${expiresAt}.`),
            expiresAt,
          }
    },
  }
}
