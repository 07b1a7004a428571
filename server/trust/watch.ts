import { item, type SetupItem } from '../setup/item.js'
import { nameOf } from './documents.js'
import { LIST_STATES, statusOf } from './live/list-state.js'
import type { LiveList } from './live/live-list.js'

const withStatus = (lists: readonly LiveList[], now: Date) =>
  lists.map((list) => ({ list, status: statusOf(list, now), name: nameOf(list.definition) }))

/**
 * The readiness of trusted lists. A list that cannot be used, or not be read again, makes them `degraded`: requests are
 * served, and credentials of its entities are refused. The reason has only names of checks, because everybody may read it.
 */
export function trustListsCheck(lists: readonly LiveList[], now: Date): { readonly degraded: string } | undefined {
  const checks = new Set(withStatus(lists, now).flatMap(({ status: { check } }) => check ?? []))
  return checks.size === 0 ? undefined : { degraded: [...checks].sort().join(', ') }
}

/** Numbers for the metrics. */
export function trustListsOverview(lists: readonly LiveList[], now: Date) {
  const known = withStatus(lists, now)
  const ends = known.flatMap(({ status: { state, until } }) =>
    state === 'unusable' || until === undefined ? [] : until.getTime(),
  )
  return {
    states: Object.fromEntries(
      LIST_STATES.map((state) => [state, known.filter(({ status }) => status.state === state).length]),
    ),
    firstEnd: ends.length === 0 ? undefined : new Date(Math.min(...ends)),
    alerts: lists.filter(({ state }) => state?.alert != null).length,
  }
}

const ASK = 'Read the list again (POST /api/v1/trust-lists/{id}/refresh), and ask its operator.'

/** The item of the checklist: a removed certificate of this installation first, then lists that cannot be used or read. */
export function trustListsItem(lists: readonly LiveList[], now: Date): SetupItem {
  if (lists.length === 0) return item('trustLists', 'unused', 'There is no trusted list.')
  const alert = lists.find(({ state }) => state?.alert != null)?.state
  if (alert?.alert != null)
    return item(
      'trustLists',
      'failed',
      `${alert.alert} Since ${alert.alertAt?.toISOString()}, others may refuse its signatures.`,
      'Ask the operator of the list. Or use a key with a certificate that the list has.',
    )
  const faulty = withStatus(lists, now).filter(({ status }) => status.state !== 'usable')
  const [first] = faulty.toSorted(
    (a, b) => Number(b.status.state === 'unusable') - Number(a.status.state === 'unusable'),
  )
  if (first === undefined)
    return item(
      'trustLists',
      'ok',
      lists.length === 1 ? 'The trusted list can be used.' : `All ${lists.length} trusted lists can be used.`,
    )
  const others = faulty.length === 1 ? '' : ` ${faulty.length - 1} more lists have problems.`
  const { name, status } = first
  return status.state === 'unusable'
    ? item('trustLists', 'failed', `No entity of the list ${name} is trusted: ${status.reason}.${others}`, ASK)
    : item(
        'trustLists',
        'warning',
        `The list ${name} can be used until ${status.until?.toISOString()}, but not be read again: ${status.reason}.${others}`,
        ASK,
      )
}
