import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Lists } from '../../database/replica/lists.js'
import type { Work } from '../../protocol/work.js'
import type { AuthorizationRequests } from '../authorization-requests/authorization-requests.js'
import { compiledNewQuery, orBadRequest } from './compiled.js'
import type { VpQueryRecord, VpQueryStore } from './store.js'
import type { createVpQuery, zVpQueryConfiguration } from './vp-queries.contract.js'

/** A VP query in the form of the API. */
export const shownVpQuery = ({
  id,
  name,
  purpose,
  query,
  createdAt,
}: VpQueryRecord): z.input<typeof zVpQueryConfiguration> => ({
  id,
  ...(name === null ? {} : { name }),
  ...(purpose === null ? {} : { purpose }),
  queryBody: [...query],
  createdAt: createdAt.getTime(),
})

/** Dependencies of {@link createVpQueries}. */
export interface VpQueriesPorts {
  readonly store: Pick<VpQueryStore, 'insert' | 'find' | 'delete'>
  readonly lists: Lists<Pick<VpQueryStore, 'list'>>
  readonly clock: () => Date
  readonly newId: () => string
  readonly requestByVpQuery: AuthorizationRequests['createByVpQuery']
}

export type VpQueries = ReturnType<typeof createVpQueries>

/** Stored queries of verifiers, and requests made from them. */
export function createVpQueries({ store, lists, clock, newId, requestByVpQuery }: VpQueriesPorts) {
  return {
    lists,

    /**
     * Stores a query.
     *
     * @param work the budget for compiling the query
     * @param actor the `sub` of the user; null for the client secret
     * @throws 400 that names the place, for a query that does not compile
     */
    async create(
      { query, name, purpose }: z.output<typeof createVpQuery.input>,
      work: Work,
      actor: string | null,
    ): Promise<VpQueryRecord> {
      orBadRequest(() => compiledNewQuery(query, work))
      const record = { id: newId(), name: name ?? null, purpose: purpose ?? null, query, createdAt: clock() }
      await store.insert(record, actor)
      return record
    },

    /** @throws 404 for an unknown id. */
    async read(id: string): Promise<VpQueryRecord> {
      const found = await store.find(id)
      if (found === undefined) throw errors.vpQueryNotFound()
      return found
    },

    /** Deletes a query. Requests that were made from it stay valid. @throws 404 for an unknown id. */
    async delete(id: string, actor: string | null): Promise<void> {
      if (!(await store.delete(id, actor))) throw errors.vpQueryNotFound()
    },

    /** Makes an authorization request from a stored query. */
    request: requestByVpQuery,
  }
}
