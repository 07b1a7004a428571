import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { shownSchema } from './schema-json.js'
import type { listVersions, readSchema } from './schemas.contract.js'
import type { CredentialSchema } from './store.js'
import { typeMetadataOf } from './type-metadata.js'

/** A version by its id. @throws 404 where there is none. */
export async function schemaOf({ stores }: Pick<Deps, 'stores'>, id: string): Promise<CredentialSchema> {
  const schema = await stores.schemas.find(id)
  if (schema === undefined) throw errors.schemaNotFound()
  return schema
}

/** A version as callers see it. @throws 404; 410 for a withdrawn or superseded version, unless `includeInactive` */
export async function read(
  deps: Pick<Deps, 'stores' | 'config'>,
  { schemaId, includeInactive }: z.output<typeof readSchema.input>,
) {
  const schema = await schemaOf(deps, schemaId)
  if (schema.withdrawn && includeInactive !== true) throw errors.schemaWithdrawn()
  if (!schema.active && includeInactive !== true) throw errors.schemaSuperseded()
  return shownSchema(schema, deps.config)
}

/** Every version of a schema name, the newest first. `includeInactive: false` leaves the active version alone. @throws 404 for an unknown name */
export async function versionsOf(
  { stores, config }: Pick<Deps, 'stores' | 'config'>,
  { schemaId, includeInactive }: z.output<typeof listVersions.input>,
) {
  const versions = await stores.schemas.versions(schemaId)
  if (versions.length === 0) throw errors.schemaNotFound()
  const asked = includeInactive === false ? versions.filter(({ active, withdrawn }) => active && !withdrawn) : versions
  return asked.map((schema) => shownSchema(schema, config))
}

/** The JSON Schema of a version, withdrawn or not: credentials point to it. @throws 404 */
export async function bodyOf(deps: Pick<Deps, 'stores'>, id: string) {
  const { body } = await schemaOf(deps, id)
  return { ...body }
}

/** Type metadata of a schema name (SD-JWT VC §6.2). @throws 404 for an unknown name */
export async function metadataOf({ stores, config }: Pick<Deps, 'stores' | 'config'>, name: string) {
  const { schemas } = stores
  const [schema, versions] = await Promise.all([schemas.describing(name), schemas.versionRules(name)])
  if (schema === undefined) throw errors.schemaNotFound()
  return typeMetadataOf(schema, versions, config)
}
