import { hash } from 'node:crypto'
import type { ListDefinition } from '../config/trust-lists.js'
import type { ReadOptions } from '../protocol/trust-lists/read-list.js'
import { TSL_SERVICE_TYPES } from '../protocol/trust-lists/tsl/service-types.js'
import type { ReadJob } from './reading/content.js'

/** The types of services that the reader trusts. A list in XML has services for several purposes. */
const serviceTypesOf = ({ kind, purpose, serviceTypes }: ListDefinition): readonly string[] | undefined =>
  serviceTypes ?? (kind === 'tsl' ? TSL_SERVICE_TYPES[purpose] : undefined)

/**
 * The id of a list's content. Definitions with the same address, kind, signer, profile, territory and types of services
 * read the same content, so the content is stored once.
 */
export function documentIdOf(definition: ListDefinition): string {
  const { url, kind, signer, profile, territory } = definition
  const members = [url, kind, signer, profile, territory, serviceTypesOf(definition) ?? []]
  return hash('sha256', JSON.stringify(members), 'hex').slice(0, 32)
}

/** How the content of a list is read. @param previous the issue that was accepted before */
export function jobOf(definition: ListDefinition, now: Date, previous?: ReadOptions['previous']): ReadJob {
  const { kind, signer, profile, territory } = definition
  return { kind, options: { signer, now, profile, territory, serviceTypes: serviceTypesOf(definition), previous } }
}

/** The name of a list in sentences: its address without the query, which may hold a token. */
export function nameOf({ url }: Pick<ListDefinition, 'url'>): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
