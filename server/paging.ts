import { z } from 'zod'
import type { Context, ListContext } from './context.js'
import type { ListPart, ListPosition } from './database/list-position.js'
import type { ListStores } from './deps.js'

/** Lists answer with the newest 1,000 at most. */
export const PAGE_SIZE = 1_000

/** The header that says where a list goes on. */
export const NEXT_CURSOR = 'x-next-cursor'

/** A DID is the longest id. */
const MAX_CURSOR = 8_192
const POSITION = /^([12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]+)$/

const cursorOf = ({ createdAt, id }: ListPosition): string =>
  Buffer.from(`${createdAt.toISOString()} ${id}`, 'latin1').toString('base64url')

/** The position that a cursor stands for; undefined where it is none that this service has made. */
function positionOf(cursor: string): ListPosition | undefined {
  if (cursor.length > MAX_CURSOR) return undefined
  const [, time, id] = POSITION.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined || Number.isNaN(Date.parse(time))) return undefined
  const position = { createdAt: new Date(time), id }
  return cursorOf(position) === cursor ? position : undefined
}

/** Query of every list: the size of the page, and the cursor of the one before. */
export const pageShape = {
  limit: z.int().min(1).max(PAGE_SIZE).optional().meta({ description: 'How many at most; 1,000 unless given.' }),
  cursor: z
    .string()
    .refine((cursor) => positionOf(cursor) !== undefined, { error: 'must be the cursor of a page before' })
    .optional()
    .meta({ description: 'Where the page before ended: `X-Next-Cursor` of its answer, which its `Link` names too.' }),
}

export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The path as clients see it: a proxy may have stripped that of the base URL. */
function publicPath({ deps: { config }, request: { path } }: Context): string {
  const base = path.startsWith('/api/v1/verifier/') ? config.verifierBaseUrl : config.issuerBaseUrl
  return `${new URL(base).pathname.replace(/\/$/, '')}${path}`
}

/**
 * Cuts one page from rows that were read with one more than it holds. Where there are more, the answer says where they
 * begin: `X-Next-Cursor`, and the whole address in the `Link` header (RFC 8288).
 *
 * @param position of a row in the list.
 */
export async function paged<Row>(
  ctx: ListContext,
  page: Page,
  read: (stores: ListStores, part: ListPart) => Promise<readonly Row[]>,
  position: (row: Row) => ListPosition,
): Promise<Row[]> {
  const limit = page.limit ?? PAGE_SIZE
  const after = page.cursor === undefined ? undefined : positionOf(page.cursor)
  const rows = await ctx.lists((stores) => read(stores, { take: limit + 1, after }))
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  if (rows.length > limit && last !== undefined) {
    const cursor = cursorOf(position(last))
    const query = new URLSearchParams({ limit: String(limit), cursor })
    ctx.responseHeaders.set('link', `<${publicPath(ctx)}?${query}>; rel="next"`)
    ctx.responseHeaders.set(NEXT_CURSOR, cursor)
  }
  return shown
}
