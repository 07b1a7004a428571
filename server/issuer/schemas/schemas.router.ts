import type { z } from 'zod'
import type { Config } from '../../config.js'
import { errors } from '../../errors.js'
import { compileJsonSchema, JsonSchemaError } from '../../protocol/json-schema/compile.js'
import { REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import { issuerProcedure, publicProcedure, router } from '../../trpc.js'
import { reservedClaims } from './claims.js'
import { schemaUri } from './schema-uri.js'
import {
  assignSchema,
  createSchema,
  listVersions,
  publicSchema,
  readSchema,
  typeMetadata,
  type zSchema,
} from './schemas.contract.js'
import type { CredentialSchema } from './store.js'
import { typeMetadataOf } from './type-metadata.js'

const shown = (schema: CredentialSchema, config: Config): z.input<typeof zSchema> => ({
  id: schema.id,
  name: schema.name,
  type: schema.name,
  version: schema.version,
  schemaUri: schemaUri(config, schema.id),
  schemaBody: { ...schema.body },
  ...(schema.title === null ? {} : { title: schema.title }),
  ...(schema.description === null ? {} : { description: schema.description }),
  ...(schema.display === null ? {} : { display: [...schema.display] }),
  ...(schema.selectivelyDisclosable === null ? {} : { selectivelyDisclosable: [...schema.selectivelyDisclosable] }),
  ...(schema.expiresInDays === null ? {} : { expiresInDays: schema.expiresInDays }),
  active: schema.active,
  issuers: [...schema.issuers],
  createdAt: schema.createdAt.toISOString(),
})

/** @throws 400 naming the place in the schema that cannot be used. */
function assertCompiles(body: Record<string, unknown>): void {
  try {
    compileJsonSchema(body)
  } catch (thrown) {
    if (!(thrown instanceof JsonSchemaError)) throw thrown
    const place = thrown.place === '' ? 'schema' : `schema.${thrown.place}`
    throw errors.badRequest(`${place} ${thrown.reason}`)
  }
}

/** @throws 400 listing what would collide with the claims that an SD-JWT VC has of its own (SD-JWT VC, "Registered JWT Claims"). */
function assertNoReservedNames(body: Record<string, unknown>, selectivelyDisclosable: readonly string[]): void {
  const declared = reservedClaims(body).map(
    (name) => `schema.properties.${name} must not be declared: the name is reserved in an SD-JWT VC`,
  )
  const concealed = selectivelyDisclosable.flatMap((path, position) => {
    const name = path.split('.', 1)[0] ?? path
    if (!REGISTERED_CLAIMS.has(name)) return []
    return [`selectivelyDisclosable.${position} must not begin with ${name}: the name is reserved in an SD-JWT VC`]
  })
  if (declared.length + concealed.length > 0) throw errors.badRequest(...declared, ...concealed)
}

export const schemasRouter = router({
  create: issuerProcedure
    .meta(createSchema.meta)
    .input(createSchema.input)
    .output(createSchema.output)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      assertCompiles(input.schema)
      assertNoReservedNames(input.schema, input.selectivelyDisclosable ?? [])
      const id = deps.newId()
      const created = await deps.stores.schemas.insert({
        id,
        name: input.name,
        version: input.version,
        body: input.schema,
        title: input.title ?? null,
        description: input.description ?? null,
        display: input.display ?? null,
        selectivelyDisclosable: input.selectivelyDisclosable ?? null,
        expiresInDays: input.expiresInDays ?? null,
        createdBy: caller.sub,
      })
      if (!created) throw errors.schemaExists(input.name, input.version)
      const schema = await deps.stores.schemas.find(id)
      if (schema === undefined) throw errors.schemaNotFound()
      return shown(schema, deps.config)
    }),

  read: issuerProcedure
    .meta(readSchema.meta)
    .input(readSchema.input)
    .output(readSchema.output)
    .query(async ({ ctx: { deps }, input }) => {
      const schema = await deps.stores.schemas.find(input.schemaId)
      if (schema === undefined) throw errors.schemaNotFound()
      if (!schema.active && input.includeInactive !== true) throw errors.schemaSuperseded()
      return shown(schema, deps.config)
    }),

  versions: issuerProcedure
    .meta(listVersions.meta)
    .input(listVersions.input)
    .output(listVersions.output)
    .query(async ({ ctx: { deps }, input }) => {
      const versions = await deps.stores.schemas.versions(input.schemaId)
      if (versions.length === 0) throw errors.schemaNotFound()
      return versions.map((schema) => shown(schema, deps.config))
    }),

  assign: issuerProcedure
    .meta(assignSchema.meta)
    .input(assignSchema.input)
    .output(assignSchema.output)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      if ((await deps.stores.schemas.find(input.schemaId)) === undefined) throw errors.schemaNotFound()
      if ((await deps.stores.agents.issuer(input.issuerId, caller.sub)) === undefined) throw errors.issuerNotFound()
      await deps.stores.schemas.assign(input.schemaId, input.issuerId, caller.sub)
      const schema = await deps.stores.schemas.find(input.schemaId)
      if (schema === undefined) throw errors.schemaNotFound()
      return shown(schema, deps.config)
    }),

  publicSchema: publicProcedure
    .meta(publicSchema.meta)
    .input(publicSchema.input)
    .output(publicSchema.output)
    .query(async ({ ctx: { deps }, input }) => {
      const schema = await deps.stores.schemas.find(input.id)
      if (schema === undefined) throw errors.schemaNotFound()
      return { ...schema.body }
    }),

  typeMetadata: publicProcedure
    .meta(typeMetadata.meta)
    .input(typeMetadata.input)
    .output(typeMetadata.output)
    .query(async ({ ctx: { deps }, input }) => {
      const schema = await deps.stores.schemas.active(input.name)
      if (schema === undefined) throw errors.schemaNotFound()
      return typeMetadataOf(schema, deps.config)
    }),
})
