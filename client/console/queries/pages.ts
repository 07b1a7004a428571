export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string | undefined
}

/** Options of all queries that read a list page by page with a cursor. */
export const paged = {
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }: Page<unknown>) => nextCursor,
}

/** The input of a page. The first page has no cursor. */
export const cursorOf = (pageParam: string): { cursor?: string } => (pageParam === '' ? {} : { cursor: pageParam })

/** All items of the pages read so far. */
export const itemsOf = <Item>({ pages }: { readonly pages: readonly Page<Item>[] }): Item[] =>
  pages.flatMap(({ items }) => items)
