import { emptyFragment, type Fragment, fragment } from './fragment.js'

/** A position in a list that is ordered by time and id, the newest first. It stays valid when its row has been deleted. */
export interface ListPosition {
  readonly createdAt: Date
  readonly id: string
}

/** How much of a list is read, and from where: from its beginning unless `after` says. */
export interface ListPart {
  readonly take: number
  readonly after: ListPosition | undefined
}

/** Of rows with `createdAt` and `id` those that come after a position, for a model's `where`. */
export const comesAfter = (position: ListPosition | undefined) =>
  position === undefined
    ? {}
    : { OR: [{ createdAt: { lt: position.createdAt } }, { createdAt: position.createdAt, id: { lt: position.id } }] }

/** The order that positions are of, for a model's `orderBy`. */
export const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/**
 * The end of a statement that reads part of a list: a condition that follows others, the order, and the limit.
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
