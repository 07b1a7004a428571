import { hash } from 'node:crypto'
import type { ListDefinition } from '../config/trust-lists.js'
import type { ReadOptions } from '../protocol/trust-lists/read-list.js'
import type { ReadJob } from './reading/content.js'

/**
 * The id of a list's content. Definitions with the same address, kind, signer, profile and territory accept the same
 * content, so the content is stored once.
 */
export const documentIdOf = ({ url, kind, signer, profile, territory }: ListDefinition): string =>
  hash('sha256', JSON.stringify([url, kind, signer, profile, territory]), 'hex').slice(0, 32)

/** How the content of a list is read. @param previous the issue that was accepted before */
export const jobOf = (
  { kind, signer, profile, territory }: ListDefinition,
  now: Date,
  previous?: ReadOptions['previous'],
): ReadJob => ({ kind, options: { signer, now, profile, territory, previous } })

/** The name of a list in sentences: its address without the query, which may hold a token. */
export function nameOf({ url }: Pick<ListDefinition, 'url'>): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
