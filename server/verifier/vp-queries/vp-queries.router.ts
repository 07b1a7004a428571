import { paged } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import { createVpQuery, deleteVpQuery, listVpQueries, readVpQuery, requestByVpQuery } from './vp-queries.contract.js'
import { shownVpQuery, type VpQueries } from './vp-queries.js'

export const vpQueriesRouter = (vpQueries: VpQueries) =>
  router({
    list: procedure(listVpQueries)
      .use(reading(vpQueries.lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          (store, part) => store.list(part),
          (row) => row,
        )
        return rows.map(shownVpQuery)
      }),

    create: procedure(createVpQuery)
      .use(changingLists)
      .mutation(async ({ ctx: { work, caller }, input }) =>
        shownVpQuery(await vpQueries.create(input, work, caller?.sub ?? null)),
      ),

    read: procedure(readVpQuery).query(async ({ input }) => shownVpQuery(await vpQueries.read(input.id))),

    delete: procedure(deleteVpQuery)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => vpQueries.delete(input.id, caller?.sub ?? null)),

    authorizationRequest: procedure(requestByVpQuery).mutation(async ({ ctx: { work, caller }, input }) => {
      const { id, redirect_uri: redirectUri, ...request } = input
      const made = await vpQueries.request(id, { ...request, redirectUri, createdBy: caller?.sub ?? null }, work)
      // A request from a VP query is always passed by reference.
      return requestByVpQuery.output.parse(made)
    }),
  })
