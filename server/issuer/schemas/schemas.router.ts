import { listed } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import { listSchemas } from './list/list.contract.js'
import {
  assignSchema,
  createSchema,
  listVersions,
  publicSchema,
  readSchema,
  schemaImage,
  typeMetadata,
  unassignSchema,
  withdrawSchema,
} from './schemas.contract.js'
import type { Schemas } from './schemas.js'

export const schemasRouter = (schemas: Schemas) =>
  router({
    create: procedure(createSchema)
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => schemas.add(caller, input, work)),

    list: procedure(listSchemas)
      .use(reading(schemas.lists))
      .query(({ ctx, input }) => listed(ctx, input, (store, part) => store.page(input, part), schemas.listed)),

    read: procedure(readSchema).query(({ input }) => schemas.read(input)),

    versions: procedure(listVersions).query(({ input }) => schemas.versions(input)),

    assign: procedure(assignSchema).mutation(({ ctx: { caller }, input }) => schemas.assign(caller, input)),

    unassign: procedure(unassignSchema).mutation(({ ctx: { caller }, input }) => schemas.unassign(caller, input)),

    withdraw: procedure(withdrawSchema)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => schemas.withdraw(caller, input.schemaId)),

    publicSchema: procedure(publicSchema).query(({ input }) => schemas.body(input.id)),

    typeMetadata: procedure(typeMetadata).query(({ input }) => schemas.typeMetadata(input.name)),
  })

/** The images of types, which wallets fetch by their addresses. */
export const schemaImagesRouter = (schemas: Pick<Schemas, 'image'>) =>
  router({
    image: procedure(schemaImage).query(({ input }) => schemas.image(input)),
  })
