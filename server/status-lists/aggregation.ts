import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Config } from '../config/config.js'
import { type PublishedList, statusListUri } from './publication.js'
import { MOST_AGGREGATED } from './status-lists.contract.js'
import type { StatusListStore } from './store.js'

const compress = promisify<string, Uint8Array>(gzip)

/** Dependencies of {@link createAggregation}. */
export interface AggregationPorts {
  readonly store: Pick<StatusListStore, 'newest' | 'overview'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'statusListTtlSeconds'>
}

/** Returns the Status List Aggregation: the addresses of the newest lists (Token Status List §9). */
export type Aggregate = () => Promise<PublishedList>

/** Makes the aggregation, and keeps it until there is a new list. */
export function createAggregation({ store, config }: AggregationPorts): Aggregate {
  let kept: { readonly state: string; readonly list: PublishedList } | undefined

  return async () => {
    const { newest, count } = await store.overview()
    const state = `${newest} ${count}`
    if (kept?.state === state) return kept.list
    const ids = await store.newest(MOST_AGGREGATED)
    const body = JSON.stringify({ status_lists: ids.map((id) => statusListUri(config, 'token', id)) })
    const list = {
      body,
      gzipped: await compress(body),
      mediaType: 'application/json',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      cacheControl: `public, max-age=${config.statusListTtlSeconds}`,
    }
    kept = { state, list }
    return list
  }
}
