import { dayOf } from '../../ui/days.js'

/** Filters of the audit events, as the address of the screen contains them. */
export interface AuditSearch {
  readonly action?: string
  readonly actor?: string
  readonly subjectId?: string
  readonly from?: string
  readonly to?: string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** The filters in an address. Other members and invalid values are left out. */
export function auditSearch(given: Readonly<Record<string, unknown>>): AuditSearch {
  const members = {
    action: textOf(given.action),
    actor: textOf(given.actor),
    subjectId: textOf(given.subjectId),
    from: dayOf(given.from),
    to: dayOf(given.to),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
