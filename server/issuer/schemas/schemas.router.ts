import { listed } from '../../api/paging.js'
import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import { addSchema, assign, unassign, withdraw } from './change.js'
import { listSchemas } from './list/list.contract.js'
import { listedSchema } from './list/listed-schema.js'
import { bodyOf, metadataOf, read, versionsOf } from './read.js'
import {
  assignSchema,
  createSchema,
  listVersions,
  publicSchema,
  readSchema,
  typeMetadata,
  unassignSchema,
  withdrawSchema,
} from './schemas.contract.js'

export const schemasRouter = router({
  create: procedure(createSchema)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller, work }, input }) => addSchema(deps, caller, input, work)),

  list: procedure(listSchemas)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ schemaList }, part) => schemaList.page(input, part),
        (schema) => listedSchema(schema, ctx.deps.config),
      ),
    ),

  read: procedure(readSchema).query(({ ctx: { deps }, input }) => read(deps, input)),

  versions: procedure(listVersions).query(({ ctx: { deps }, input }) => versionsOf(deps, input)),

  assign: procedure(assignSchema).mutation(({ ctx: { deps, caller }, input }) => assign(deps, caller, input)),

  unassign: procedure(unassignSchema).mutation(({ ctx: { deps, caller }, input }) => unassign(deps, caller, input)),

  withdraw: procedure(withdrawSchema)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => withdraw(deps, caller, input)),

  publicSchema: procedure(publicSchema).query(({ ctx: { deps }, input }) => bodyOf(deps, input.id)),

  typeMetadata: procedure(typeMetadata).query(({ ctx: { deps }, input }) => metadataOf(deps, input.name)),
})
