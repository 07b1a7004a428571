import { auditEvent } from '../../audit/audit-event.js'
import type { AuditStore } from '../../audit/store.js'
import type { ListPart, TimedPart } from '../../database/list-position.js'
import { listedCredential } from '../../issuer/credentials/list/listed-credential.js'
import type { CredentialListStore } from '../../issuer/credentials/list/store.js'
import type { VerificationSessionListStore } from '../../verifier/sessions/list-store.js'
import { shownListedSession } from '../../verifier/sessions/verification-sessions.js'
import type { ClaimsStore } from '../claims-store.js'
import type { Order, PeriodKind, Records } from '../export.js'
import { paged } from '../paged.js'

/** Dependencies of {@link createPeriodRecords}. */
export interface PeriodRecordsPorts {
  readonly credentials: Pick<CredentialListStore, 'page'>
  readonly sessions: Pick<VerificationSessionListStore, 'page'>
  readonly audit: Pick<AuditStore, 'page'>
  readonly claims: ClaimsStore
}

export type OrderOfPeriod = Extract<Order, { readonly kind: PeriodKind }>

/** The records of a period, the newest first. @param owner the `sub` whose records are read; all records unless given */
export type PeriodRecords = (order: OrderOfPeriod, owner: string | undefined) => Records

export function createPeriodRecords({ credentials, sessions, audit, claims }: PeriodRecordsPorts): PeriodRecords {
  async function* credentialsOf(
    { schema }: OrderOfPeriod,
    timed: (part: ListPart) => TimedPart,
    owner?: string,
  ): Records {
    const filters = { owner, ...(schema === null ? {} : { schema }) }
    for await (const rows of paged((part) => credentials.page(filters, timed(part)))) {
      const vcs = await claims.ofCredentials(rows.map(({ id }) => id))
      yield rows.map((row) => ({ record: 'credential', ...listedCredential(row), vc: vcs.get(row.id) ?? null }))
    }
  }

  async function* sessionsOf(timed: (part: ListPart) => TimedPart, owner?: string): Records {
    for await (const rows of paged((part) => sessions.page({ creator: owner }, timed(part)))) {
      const outcomes = await claims.ofSessions(rows.map(({ id }) => id))
      yield rows.map((row) => ({ record: 'session', ...shownListedSession(row), ...outcomes.get(row.id) }))
    }
  }

  async function* auditOf(timed: (part: ListPart) => TimedPart): Records {
    for await (const rows of paged((part) => audit.page({}, timed(part)))) {
      yield rows.map((row) => ({ record: 'auditEvent', ...auditEvent(row) }))
    }
  }

  return (order, owner) => {
    const timed = (part: ListPart): TimedPart => ({ ...part, from: order.from, to: order.to })
    if (order.kind === 'credentials') return credentialsOf(order, timed, owner)
    return order.kind === 'sessions' ? sessionsOf(timed, owner) : auditOf(timed)
  }
}
