import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { paged } from '../../api/paging.js'
import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import { compileVpQuery } from '../../protocol/openid4vp/query/vp-query.js'
import { assertRedirectUri, createRequest } from '../authorization-requests/create.js'
import { compiledNewQuery, orBadRequest } from './compiled.js'
import type { VpQueryRecord } from './store.js'
import {
  createVpQuery,
  deleteVpQuery,
  listVpQueries,
  readVpQuery,
  requestByVpQuery,
  type zVpQueryConfiguration,
} from './vp-queries.contract.js'

const shown = ({ id, query, createdAt }: VpQueryRecord): z.input<typeof zVpQueryConfiguration> => ({
  id,
  queryBody: [...query],
  createdAt: createdAt.getTime(),
})

export const vpQueriesRouter = router({
  list: procedure(listVpQueries)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const rows = await paged(
        ctx,
        input,
        ({ vpQueries }, part) => vpQueries.list(part),
        (row) => row,
      )
      return rows.map(shown)
    }),

  create: procedure(createVpQuery)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, work, caller }, input }) => {
      orBadRequest(() => compiledNewQuery(input.query, work))
      const record = { id: deps.newId(), query: input.query, createdAt: deps.clock() }
      await deps.stores.vpQueries.insert(record, caller?.sub ?? null)
      return shown(record)
    }),

  read: procedure(readVpQuery).query(async ({ ctx: { deps }, input }) => {
    const found = await deps.stores.vpQueries.find(input.id)
    if (found === undefined) throw errors.vpQueryNotFound()
    return shown(found)
  }),

  delete: procedure(deleteVpQuery)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      if (!(await deps.stores.vpQueries.delete(input.id, caller?.sub ?? null))) throw errors.vpQueryNotFound()
    }),

  authorizationRequest: procedure(requestByVpQuery).mutation(async ({ ctx: { deps, work, caller }, input }) => {
    assertRedirectUri(deps, 'redirect_uri', input.redirect_uri)
    const context = await deps.stores.authorizationRequests.context(undefined, input.id)
    if (context === undefined) throw errors.verifierNotFound()
    if (context.query === null) throw errors.vpQueryNotFound()
    const { query } = context
    const created = await createRequest(deps, context, work, {
      asked: { items: query, compiled: orBadRequest(() => compileVpQuery(query, work)) },
      redirectUri: input.redirect_uri,
      // Whatever the profile: who reads these results never sees the code.
      requireResponseCode: false,
      validity: input.validity,
      createdBy: caller?.sub ?? null,
    })
    // A request of a VP query is always one by reference.
    return requestByVpQuery.output.parse(created)
  }),
})
