import { z } from 'zod'
import type { Context } from './context.js'

/** Lists answer with the newest 1,000 at most. */
export const PAGE_SIZE = 1_000

/** Query of every list: how many, and after which id of the page before. */
export const pageShape = {
  limit: z.int().min(1).max(PAGE_SIZE).optional().meta({ description: 'How many at most; 1,000 unless given.' }),
  cursor: z.string().min(1).optional().meta({ description: 'The id of the last entry of the page before.' }),
}

export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/**
 * Cuts one page from rows that were read with one more than it holds, and names the next page in the `Link` header
 * (RFC 8288).
 */
export async function paged<Row>(
  ctx: Context,
  page: Page,
  read: (take: number, after: string | undefined) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<Row[]> {
  const limit = page.limit ?? PAGE_SIZE
  const rows = await read(limit + 1, page.cursor)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  if (rows.length > limit && last !== undefined) {
    const query = new URLSearchParams({ limit: String(limit), cursor: idOf(last) })
    ctx.responseHeaders.set('link', `<${ctx.request.path}?${query}>; rel="next"`)
  }
  return shown
}
