import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import type { Formats } from '../../formats/registry.js'
import { type AcceptDisplay, whileImagesStay } from '../../images/accept-display.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import type { Work } from '../../protocol/work.js'
import type { AcceptSource } from '../claims-source/accept.js'
import { assertUsable, type SchemaRequest } from './assert-usable.js'
import { imageNamed } from './images.js'
import { listedSchema } from './list/listed-schema.js'
import type { ListedSchema, SchemaListStore } from './list/store.js'
import { shownSchema } from './schema-json.js'
import type { assignSchema, listVersions, readSchema, schemaImage, unassignSchema } from './schemas.contract.js'
import type { ChangeOutcome, CredentialSchema, SchemaEditor, SchemaStore } from './store.js'
import { typeMetadataOf } from './type-metadata.js'

const editorOf = (caller: Caller): SchemaEditor => ({ sub: caller.sub, isAdmin: isAdmin(caller) })

function assertDone(outcome: ChangeOutcome): void {
  if (outcome === 'no-schema') throw errors.schemaNotFound()
  if (outcome === 'foreign') throw errors.schemaDenied()
  if (outcome === 'no-issuer') throw errors.issuerNotFound()
}

const IMAGE_HEADERS = {
  'cache-control': 'public, max-age=3600',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** Dependencies of {@link createSchemas}. */
export interface SchemasPorts {
  readonly store: SchemaStore
  readonly lists: Lists<SchemaListStore>
  readonly config: Pick<Config, 'attestationTrust' | 'issuerBaseUrl'>
  readonly formats: Pick<Formats, 'issued'>
  readonly acceptSource: AcceptSource
  readonly acceptDisplay: AcceptDisplay
  readonly clock: () => Date
  readonly newId: () => string
}

export type Schemas = ReturnType<typeof createSchemas>

/** Credential types. A type has versions, each with a JSON Schema and settings. */
export function createSchemas({
  store,
  lists,
  config,
  formats,
  acceptSource,
  acceptDisplay,
  clock,
  newId,
}: SchemasPorts) {
  /** @throws 404 for an unknown version */
  const versionOf = async (id: string): Promise<CredentialSchema> => {
    const schema = await store.find(id)
    if (schema === undefined) throw errors.schemaNotFound()
    return schema
  }

  const shown = (schema: CredentialSchema) => shownSchema(schema, config)

  return {
    lists,

    /** A version as the list shows it. */
    listed: (schema: ListedSchema) => listedSchema(schema, config),

    /**
     * Stores a version of a schema.
     *
     * @throws 400 for a schema that cannot be used, 403 for a type of another caller, 409 if the type already has this version
     */
    async add(caller: Caller, request: SchemaRequest, work: Work) {
      await assertUsable({ formats, config, clock }, request, work)
      const id = newId()
      const { name, claimsSource } = request
      const accepted = claimsSource === undefined ? undefined : await acceptSource({ id, name }, claimsSource)
      const { entries: display, imageIds } = await acceptDisplay(request.display ?? [])
      const outcome = await whileImagesStay(() =>
        store.insert(
          {
            id,
            name: request.name,
            version: request.version,
            body: request.schema,
            title: request.title ?? null,
            description: request.description ?? null,
            display: request.display === undefined ? null : display,
            claims: request.claims ?? null,
            selectivelyDisclosable: request.selectivelyDisclosable ?? null,
            expiresInDays: request.expiresInDays ?? null,
            claimsFrom: request.claimsFrom ?? null,
            keyAttestation: request.keyAttestation ?? null,
            mdoc: request.mdoc ?? null,
            suspendable: request.suspendable ?? false,
            activeSets: request.activeSets ?? null,
            onRefresh: request.onRefresh ?? null,
            validFrom: request.validFrom === undefined ? null : new Date(request.validFrom),
            watchAttestations: request.watchAttestations ?? false,
            retention: request.retention ?? null,
            claimsSource: accepted?.source ?? null,
            sourceSecret: accepted?.sourceSecret ?? null,
            imageIds,
          },
          editorOf(caller),
        ),
      )
      if (outcome === 'exists') throw errors.schemaExists(request.name, request.version)
      if (outcome === 'foreign') throw errors.schemaDenied()
      return shown(await versionOf(id))
    },

    /** Assigns a schema to an issuer. @throws 404 for an unknown schema or issuer, 403 for a type of another caller. */
    async assign(caller: Caller, { schemaId, issuerId }: z.output<typeof assignSchema.input>) {
      assertDone(await store.assign(schemaId, issuerId, editorOf(caller)))
      return shown(await versionOf(schemaId))
    },

    /** Undoes the assignment of a schema to an issuer. @throws 404 for an unknown schema, 403 for a type of another caller. */
    async unassign(caller: Caller, { schemaId, issuerId }: z.output<typeof unassignSchema.input>): Promise<void> {
      assertDone(await store.unassign(schemaId, issuerId, editorOf(caller)))
    },

    /** Withdraws a version of a schema. @throws 404 for an unknown schema, 403 for a type of another caller. */
    async withdraw(caller: Caller, schemaId: string): Promise<void> {
      assertDone(await store.withdraw(schemaId, editorOf(caller), clock()))
    },

    /** A version as callers see it. @throws 404; 410 for a withdrawn or superseded version, unless `includeInactive` */
    async read({ schemaId, includeInactive }: z.output<typeof readSchema.input>) {
      const schema = await versionOf(schemaId)
      if (schema.withdrawn && includeInactive !== true) throw errors.schemaWithdrawn()
      if (!schema.active && includeInactive !== true) throw errors.schemaSuperseded()
      return shown(schema)
    },

    /**
     * Every version of a schema name, the newest first. With `includeInactive: false`, only the active version. @throws 404 for
     * an unknown name
     */
    async versions({ schemaId, includeInactive }: z.output<typeof listVersions.input>) {
      const versions = await store.versions(schemaId)
      if (versions.length === 0) throw errors.schemaNotFound()
      const asked =
        includeInactive === false ? versions.filter(({ active, withdrawn }) => active && !withdrawn) : versions
      return asked.map(shown)
    },

    /** The JSON Schema of a version, withdrawn or not, because credentials refer to the schema. @throws 404 */
    async body(id: string) {
      const { body } = await versionOf(id)
      return { ...body }
    },

    /** An image of a version's display. Scripts and requests in an SVG have no effect. @throws 404 */
    async image({ id, image: name }: z.output<typeof schemaImage.input>): Promise<ProtocolReply> {
      const schema = await store.find(id)
      const image = schema === undefined ? undefined : imageNamed(schema, name)
      if (image === undefined) throw errors.imageNotFound()
      return { status: 200, headers: { ...IMAGE_HEADERS, 'content-type': image.type }, body: image.bytes }
    },

    /** Type metadata of a schema name (SD-JWT VC §6.2). @throws 404 for an unknown name */
    async typeMetadata(name: string) {
      const [schema, versions] = await Promise.all([store.describing(name), store.versionRules(name)])
      if (schema === undefined) throw errors.schemaNotFound()
      return typeMetadataOf(schema, versions, config)
    },

    /** The active version of a name; undefined if there is none. */
    active: (name: string) => store.active(name),

    /** The versions in the current metadata. */
    published: () => store.listed(clock()),

    /** Whether at least one version can be issued. */
    isAny: () => store.isAny(),

    /** Whether mobile documents of a doctype can be issued. */
    hasDoctype: (doctype: string) => store.hasDoctype(doctype),
  }
}
