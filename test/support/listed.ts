import { expect } from 'vitest'
import type { RequestOptions, TestService } from './service.js'

/** An entry of a list that grows with use. */
export interface Entry {
  readonly id: string
  readonly createdAt: string
  readonly [member: string]: unknown
}

export interface ListPage {
  readonly items: readonly Entry[]
  readonly nextCursor?: string
}

/** Reads one page of a list. Checks that the header `Link` leads to the page of `nextCursor`. */
export async function pageOf(
  service: TestService,
  path: string,
  query: Readonly<Record<string, string>>,
  options: RequestOptions = { client: true },
): Promise<ListPage> {
  const answer = await service.request('GET', `${path}?${new URLSearchParams(query)}`, options)
  expect(answer.status, answer.text).toBe(200)
  const { nextCursor }: ListPage = answer.json
  expect(answer.headers.get('x-next-cursor') ?? undefined).toBe(nextCursor)
  const [, link] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
  const next = link === undefined ? undefined : Object.fromEntries(new URL(link, service.url).searchParams)
  expect(next).toEqual(nextCursor === undefined ? undefined : { limit: '50', ...query, cursor: nextCursor })
  return answer.json
}

/** Reads all entries of a list, page by page. */
export async function allOf(
  service: TestService,
  path: string,
  query: Readonly<Record<string, string>> = {},
  options?: RequestOptions,
): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | undefined
  do {
    const page = await pageOf(service, path, cursor === undefined ? query : { ...query, cursor }, options)
    entries.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return entries
}

export const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id)
