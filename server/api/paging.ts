import { z } from 'zod'
import type { ListPart, ListPosition, TimedPart } from '../database/list-position.js'
import type { Context, ListContext } from './context.js'
import { zMoment } from './moment.js'

/** Maximum number of entries in a page of a list. The newest entry is first. */
export const PAGE_SIZE = 1_000

/** The header with the cursor of the next page. */
export const NEXT_CURSOR = 'x-next-cursor'

/** Limit of a cursor's length. The longest id in a cursor is a DID. */
const MAX_CURSOR = 8_192
const POSITION = /^([12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]+)$/

const cursorOf = ({ createdAt, id }: ListPosition): string =>
  Buffer.from(`${createdAt.toISOString()} ${id}`, 'latin1').toString('base64url')

/** Reads the position from a cursor. Undefined if this service did not make the cursor. */
function positionOf(cursor: string): ListPosition | undefined {
  if (cursor.length > MAX_CURSOR) return undefined
  const [, time, id] = POSITION.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined || Number.isNaN(Date.parse(time))) return undefined
  const position = { createdAt: new Date(time), id }
  return cursorOf(position) === cursor ? position : undefined
}

/** The query parameters of every list: the size of the page, and the cursor that the previous page returned. */
export const pageShape = {
  limit: z
    .int()
    .min(1)
    .max(PAGE_SIZE)
    .optional()
    .meta({ description: 'The maximum number of entries. Default: 1,000.' }),
  cursor: z
    .string()
    .refine((cursor) => positionOf(cursor) !== undefined, { error: 'must be the cursor of a page before' })
    .optional()
    .meta({ description: 'The `X-Next-Cursor` of the previous page, which is also in its `Link` header.' }),
}

/** Maximum number of entries in a page of a list that grows with use. */
const MAX_LISTED = 200
const LISTED = 50

/** The query parameters of a list that grows with use, without the filters of the list. */
export const listShape = {
  from: zMoment.optional().meta({ description: 'Only entries of this time or later.' }),
  to: zMoment.optional().meta({ description: 'Only entries before this time.' }),
  limit: z
    .int()
    .min(1)
    .max(MAX_LISTED)
    .optional()
    .meta({ description: `The maximum number of entries. Default: ${LISTED}.` }),
  cursor: pageShape.cursor.unwrap().optional().meta({ description: 'The `nextCursor` of the previous page.' }),
}

/** The filter of lists whose entries have a creator. */
export const mineShape = {
  mine: z
    .boolean()
    .optional()
    .meta({ description: '`true` for only the entries that the caller made. The client secret counts as one caller.' }),
}

/** The answer of a list that grows with use: one page, the newest entry first. */
export const zListed = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().optional().meta({ description: 'The `cursor` of the next page; absent on the last page.' }),
  })

/** Input of a list that grows with use. */
export interface ListInput extends Page {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

interface Cut<Row> {
  readonly shown: Row[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/**
 * Cuts one page from the rows that were read. If there are more rows than the page holds, there is a next page. Then
 * the headers name the next page (`Link`, RFC 8288), and its cursor is returned.
 *
 * @param room the number of rows that fit on the page, if it is less than `limit`.
 */
function cut<Row>(
  ctx: Context,
  rows: readonly Row[],
  limit: number,
  position: (row: Row) => ListPosition,
  filters: Readonly<Record<string, string>>,
  room = limit,
): Cut<Row> {
  const shown = rows.slice(0, room)
  const last = shown.at(-1)
  if (rows.length === shown.length || last === undefined) return { shown, next: undefined }
  const next = cursorOf(position(last))
  const query = new URLSearchParams({ ...filters, limit: String(limit), cursor: next })
  ctx.responseHeaders.set('link', `<${ctx.request.publicPath}?${query}>; rel="next"`)
  ctx.responseHeaders.set(NEXT_CURSOR, next)
  return { shown, next }
}

const positionAfter = ({ cursor }: Page) => (cursor === undefined ? undefined : positionOf(cursor))

/** Reads the rows of an answer. Returns no rows if the client has disconnected. */
export async function awaited<Row, Stores>(
  { lists, request }: ListContext<Stores>,
  read: (stores: Stores) => Promise<readonly Row[]>,
) {
  const rows = await lists(read)
  return request.signal.aborted ? [] : rows
}

/**
 * Reads one page of a list. If there are more rows, the header `X-Next-Cursor` contains the cursor of the next page,
 * and the `Link` header contains the address of the next page. The page is empty if the client has disconnected.
 *
 * @param position returns the position of a row in the list.
 * @param roomFor returns how many of the first rows fit on a page, at least one. It is for lists whose rows contain
 * other rows.
 */
export async function paged<Row, Stores>(
  ctx: ListContext<Stores>,
  page: Page,
  read: (stores: Stores, part: ListPart) => Promise<readonly Row[]>,
  position: (row: Row) => ListPosition,
  roomFor?: (rows: readonly Row[]) => Promise<number>,
): Promise<Row[]> {
  const limit = page.limit ?? PAGE_SIZE
  const rows = await awaited(ctx, (stores) => read(stores, { take: limit + 1, after: positionAfter(page) }))
  return cut(ctx, rows, limit, position, {}, await roomFor?.(rows.slice(0, limit))).shown
}

/** Returns the filters in a list's input, as texts: all members except `limit` and `cursor`. */
const filtersOf = ({ limit, cursor, ...filters }: ListInput): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

/**
 * Reads one page of a list that grows with use. Returns `items` and `nextCursor`, and sets the same headers as {@link
 * paged}.
 *
 * @param input the whole query of the list
 */
export async function listed<Row extends ListPosition, Item, Stores>(
  ctx: ListContext<Stores>,
  input: ListInput,
  read: (stores: Stores, part: TimedPart) => Promise<readonly Row[]>,
  shownAs: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const { limit = LISTED, from, to } = input
  const part = {
    take: limit + 1,
    after: positionAfter(input),
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  }
  const rows = await awaited(ctx, (stores) => read(stores, part))
  const { shown, next } = cut(ctx, rows, limit, (row) => row, filtersOf(input))
  return { items: shown.map(shownAs), ...(next === undefined ? {} : { nextCursor: next }) }
}
