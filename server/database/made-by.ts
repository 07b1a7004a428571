import { emptyFragment, type Fragment, fragment } from './fragment.js'

/** Condition: the record was made by the creator; null for the client secret. True for all records if `creator` is undefined. */
export const madeBy = (column: Fragment, creator: string | null | undefined): Fragment =>
  creator === undefined
    ? fragment`true`
    : creator === null
      ? fragment`${column} IS NULL`
      : fragment`${column} = ${creator}`

/**
 * Like {@link madeBy}, for lists: a further condition (`AND …`) that an index by hash serves. The index has hashes because a `sub`
 * may be longer than an entry of an index.
 */
export const listMadeBy = (column: Fragment, creator: string | null | undefined): Fragment =>
  creator === undefined
    ? emptyFragment
    : creator === null
      ? fragment`AND ${column} IS NULL`
      : fragment`AND hashtextextended(${column}, 0) = hashtextextended(${creator}, 0) AND ${column} = ${creator}`
