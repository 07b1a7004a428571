import { expect, it } from 'vitest'
import type { ListContext } from '../../server/api/context.js'
import { awaited, paged } from '../../server/api/paging.js'

/** The context of a list call. If `leaves` is true, the client closes the connection while the rows are read. */
function contextOf({ leaves }: { leaves: boolean }): ListContext<unknown> {
  const client = new AbortController()
  const lists = async (read: (stores: never) => Promise<unknown>) => {
    const rows = await read({} as never)
    if (leaves) client.abort()
    return rows
  }
  const request = { signal: client.signal, publicPath: '/list' }
  return { lists, request, responseHeaders: new Map() } as unknown as ListContext<unknown>
}

const ROWS = [3, 2, 1].map((id) => ({ id: String(id), createdAt: new Date(id) }))
const page = (ctx: ListContext<unknown>) =>
  paged(
    ctx,
    { limit: 2 },
    async () => ROWS,
    (row) => row,
  )

it('rows are not converted after their reader has left', async () => {
  const stays = contextOf({ leaves: false })
  expect(await page(stays)).toEqual(ROWS.slice(0, 2))
  expect(stays.responseHeaders.has('link')).toBe(true)
  const left = contextOf({ leaves: true })
  expect(await page(left)).toEqual([])
  expect(left.responseHeaders.size).toBe(0)
  expect(await awaited(contextOf({ leaves: false }), async () => ROWS)).toEqual(ROWS)
  expect(await awaited(contextOf({ leaves: true }), async () => ROWS)).toEqual([])
})
