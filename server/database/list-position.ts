import { emptyFragment, type Fragment, fragment } from './fragment.js'

/**
 * A position in a list that is ordered by time and id, newest first. A position stays valid after its row is deleted.
 */
export interface ListPosition {
  readonly createdAt: Date
  readonly id: string
}

/**
 * Which part of a list is read: its length and its start. Without `after`, the part starts at the beginning of the
 * list.
 */
export interface ListPart {
  readonly take: number
  readonly after: ListPosition | undefined
}

/** Condition for a model's `where`: selects the rows whose `createdAt` and `id` come after a position in the list. */
export const comesAfter = (position: ListPosition | undefined) =>
  position === undefined
    ? {}
    : { OR: [{ createdAt: { lt: position.createdAt } }, { createdAt: position.createdAt, id: { lt: position.id } }] }

/** The order of positions, for a model's `orderBy`. */
export const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/**
 * The end of a statement that reads a part of a list: a further condition (`AND …`), the order, and the limit.
 *
 * @param createdAt, id the columns that the list is ordered by.
 */
export function listPart(createdAt: Fragment, id: Fragment, { take, after }: ListPart): Fragment {
  const behind =
    after === undefined
      ? emptyFragment
      : fragment`AND (${createdAt}, ${id}) < (${after.createdAt}::timestamptz, ${after.id}::text)`
  return fragment`${behind} ORDER BY ${createdAt} DESC, ${id} DESC LIMIT ${take}`
}

/** Which part of a list is read, if the list is limited to a period. */
export interface TimedPart extends ListPart {
  /** Only rows of this time or later. */
  readonly from: Date | undefined
  /** Only rows before this time. */
  readonly to: Date | undefined
}

/** Like `listPart`, limited to a period. */
export function timedPart(createdAt: Fragment, id: Fragment, part: TimedPart): Fragment {
  const since = part.from === undefined ? emptyFragment : fragment`AND ${createdAt} >= ${part.from}`
  const until = part.to === undefined ? emptyFragment : fragment`AND ${createdAt} < ${part.to}`
  return fragment`${since} ${until} ${listPart(createdAt, id, part)}`
}

/**
 * Merges several queries for parts of a list and returns the newest rows. Each query ends with `timedPart`. Use this
 * function if there is an index with the rows of each part in order, but no index with the rows of all parts in order.
 *
 * @param parts queries with the columns `id` and `created_at`
 */
export function newestOf(parts: readonly [Fragment, ...Fragment[]], { take }: ListPart): Fragment {
  const [first, ...others] = parts
  const all = others.reduce((before, part) => fragment`${before} UNION ALL (${part})`, fragment`(${first})`)
  return fragment`SELECT id, created_at FROM (${all}) AS parts ORDER BY created_at DESC, id DESC LIMIT ${take}`
}

/** The condition of a filter; empty if the filter has no value. */
export const where = <Value>(value: Value | undefined, condition: (value: Value) => Fragment): Fragment =>
  value === undefined ? emptyFragment : fragment`AND ${condition(value)}`
