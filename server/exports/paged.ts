import type { ListPart, ListPosition } from '../database/list-position.js'
import { RECORDS_AT_ONCE } from './export.js'

/** Reads a list page by page, the newest row first. The next page is read when the previous one was used. */
export async function* paged<Row extends ListPosition>(
  read: (part: ListPart) => Promise<readonly Row[]>,
  take = RECORDS_AT_ONCE,
): AsyncGenerator<readonly Row[], void, undefined> {
  let after: ListPosition | undefined
  for (;;) {
    const rows = await read({ take, after })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < take) return
    after = { createdAt: last.createdAt, id: last.id }
  }
}
