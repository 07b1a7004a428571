import type { z } from 'zod'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Config } from '../../config.js'
import { WORK_PER_REQUEST } from '../../context.js'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import type { Issuing } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { listed } from '../../paging.js'
import { INEXACT, inexactNumbers } from '../../protocol/json/exact-numbers.js'
import { compileJsonSchema, JsonSchemaError } from '../../protocol/json-schema/compile.js'
import type { KeyAttestationRequirement } from '../../protocol/openid4vci/key-attestation.js'
import type { Work } from '../../protocol/work.js'
import { changingLists, listing, procedure, router } from '../../trpc.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { declaredClaims } from './claims.js'
import { assertClaimsDeclared } from './declared.js'
import { unpublishedIn } from './display.js'
import { listSchemas } from './list/list.contract.js'
import { listedSchema } from './list/listed-schema.js'
import { mdocOf } from './mdoc-mapping.js'
import { schemaUri } from './schema-uri.js'
import {
  assignSchema,
  createSchema,
  listVersions,
  publicSchema,
  readSchema,
  typeMetadata,
  unassignSchema,
  withdrawSchema,
  type zSchema,
} from './schemas.contract.js'
import type { ChangeOutcome, ClaimNames, CredentialSchema, SchemaEditor } from './store.js'
import { typeMetadataOf } from './type-metadata.js'

const keyAttestationOf = ({ keyStorage, userAuthentication }: KeyAttestationRequirement) => ({
  ...(keyStorage === undefined ? {} : { keyStorage: [...keyStorage] }),
  ...(userAuthentication === undefined ? {} : { userAuthentication: [...userAuthentication] }),
})

const claimNamesOf = ({ path, display }: ClaimNames) => ({ path: [...path], display: [...display] })

function unpublishedOf({ display }: CredentialSchema) {
  const unpublished = unpublishedIn(display ?? [])
  return unpublished.length === 0 ? {} : { unpublished }
}

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
  ...unpublishedOf(schema),
  ...(schema.claims === null ? {} : { claims: schema.claims.map(claimNamesOf) }),
  ...(schema.selectivelyDisclosable === null ? {} : { selectivelyDisclosable: [...schema.selectivelyDisclosable] }),
  ...(schema.expiresInDays === null ? {} : { expiresInDays: schema.expiresInDays }),
  ...(schema.claimsFrom === null ? {} : { claimsFrom: { ...schema.claimsFrom } }),
  ...(schema.keyAttestation === null ? {} : { keyAttestation: keyAttestationOf(schema.keyAttestation) }),
  ...(schema.mdoc === null ? {} : { mdoc: mdocOf(schema.mdoc) }),
  active: schema.active,
  ...(schema.withdrawn ? { withdrawn: true as const } : {}),
  issuers: [...schema.issuers],
  createdAt: schema.createdAt.toISOString(),
})

/**
 * Compiling a schema may take half of a request's work, so that a request that checks a subject by it has the other half.
 *
 * @throws 400 naming the place in the schema that cannot be used.
 */
function assertCompiles(body: Record<string, unknown>, work: Work): void {
  try {
    compileJsonSchema(body, work.part(WORK_PER_REQUEST / 2))
  } catch (thrown) {
    if (!(thrown instanceof JsonSchemaError)) throw thrown
    const place = thrown.place === '' ? 'schema' : `schema.${thrown.place}`
    throw errors.badRequest(`${place} ${thrown.reason}`)
  }
}

/** @throws 400 for each number in a schema that was read as another one: it would decide other claims than its author wrote. */
function assertExactNumbers(body: Record<string, unknown>): void {
  const inexact = [...inexactNumbers(body)]
  if (inexact.length > 0) throw errors.invalid(inexact.map((path) => `schema.${path} ${INEXACT}`))
}

/** Messages for claim names that a format reserves. */
function reservedIn(
  { reservedClaims, title }: Issuing,
  body: Record<string, unknown>,
  selectivelyDisclosable: readonly string[],
): string[] {
  const declared = declaredClaims(body)
    .filter((name) => reservedClaims.has(name))
    .map((name) => `schema.properties.${name} must not be declared: the name is reserved in ${title}`)
  const concealed = selectivelyDisclosable.flatMap((path, position) => {
    const name = path.split('.', 1)[0] ?? path
    if (!reservedClaims.has(name)) return []
    return [`selectivelyDisclosable.${position} must not begin with ${name}: the name is reserved in ${title}`]
  })
  return [...declared, ...concealed]
}

/** @throws 400 listing the names that a format keeps for itself. */
function assertNoReservedNames(
  formats: Formats,
  body: Record<string, unknown>,
  selectivelyDisclosable: readonly string[],
): void {
  const problems = formats.issued.flatMap(({ issuing }) => reservedIn(issuing, body, selectivelyDisclosable))
  if (problems.length > 0) throw errors.invalid(problems)
}

/** @throws 400: no wallet could ever take a credential whose attestations nobody here believes. */
function assertAttestersKnown(config: Config): void {
  if (attestsWallets(config)) return
  throw errors.badRequest('keyAttestation needs WALLET_TRUST_ANCHORS, or a provider in WALLET_CLIENTS')
}

const editorOf = (caller: Caller): SchemaEditor => ({ sub: caller.sub, isAdmin: isAdmin(caller) })

function assertDone(outcome: ChangeOutcome): void {
  if (outcome === 'no-schema') throw errors.schemaNotFound()
  if (outcome === 'foreign') throw errors.schemaDenied()
  if (outcome === 'no-issuer') throw errors.issuerNotFound()
}

async function schemaOf(deps: Pick<Deps, 'stores'>, id: string): Promise<CredentialSchema> {
  const schema = await deps.stores.schemas.find(id)
  if (schema === undefined) throw errors.schemaNotFound()
  return schema
}

export const schemasRouter = router({
  create: procedure(createSchema)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller, work }, input }) => {
      assertExactNumbers(input.schema)
      assertCompiles(input.schema, work)
      assertNoReservedNames(deps.formats, input.schema, input.selectivelyDisclosable ?? [])
      await assertClaimsDeclared(input.schema, input, work)
      if (input.keyAttestation !== undefined) assertAttestersKnown(deps.config)
      const id = deps.newId()
      const outcome = await deps.stores.schemas.insert(
        {
          id,
          name: input.name,
          version: input.version,
          body: input.schema,
          title: input.title ?? null,
          description: input.description ?? null,
          display: input.display ?? null,
          claims: input.claims ?? null,
          selectivelyDisclosable: input.selectivelyDisclosable ?? null,
          expiresInDays: input.expiresInDays ?? null,
          claimsFrom: input.claimsFrom ?? null,
          keyAttestation: input.keyAttestation ?? null,
          mdoc: input.mdoc ?? null,
        },
        editorOf(caller),
      )
      if (outcome === 'exists') throw errors.schemaExists(input.name, input.version)
      if (outcome === 'foreign') throw errors.schemaDenied()
      return shown(await schemaOf(deps, id), deps.config)
    }),

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

  read: procedure(readSchema).query(async ({ ctx: { deps }, input }) => {
    const schema = await schemaOf(deps, input.schemaId)
    if (schema.withdrawn && input.includeInactive !== true) throw errors.schemaWithdrawn()
    if (!schema.active && input.includeInactive !== true) throw errors.schemaSuperseded()
    return shown(schema, deps.config)
  }),

  versions: procedure(listVersions).query(async ({ ctx: { deps }, input }) => {
    const versions = await deps.stores.schemas.versions(input.schemaId)
    if (versions.length === 0) throw errors.schemaNotFound()
    const asked =
      input.includeInactive === false ? versions.filter(({ active, withdrawn }) => active && !withdrawn) : versions
    return asked.map((schema) => shown(schema, deps.config))
  }),

  assign: procedure(assignSchema).mutation(async ({ ctx: { deps, caller }, input }) => {
    assertDone(await deps.stores.schemas.assign(input.schemaId, input.issuerId, editorOf(caller)))
    return shown(await schemaOf(deps, input.schemaId), deps.config)
  }),

  unassign: procedure(unassignSchema).mutation(async ({ ctx: { deps, caller }, input }) => {
    assertDone(await deps.stores.schemas.unassign(input.schemaId, input.issuerId, editorOf(caller)))
  }),

  withdraw: procedure(withdrawSchema)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      assertDone(await deps.stores.schemas.withdraw(input.schemaId, editorOf(caller), deps.clock()))
    }),

  publicSchema: procedure(publicSchema).query(async ({ ctx: { deps }, input }) => {
    const { body } = await schemaOf(deps, input.id)
    return { ...body }
  }),

  typeMetadata: procedure(typeMetadata).query(async ({ ctx: { deps }, input }) => {
    const { schemas } = deps.stores
    const [schema, versions] = await Promise.all([schemas.describing(input.name), schemas.versionRules(input.name)])
    if (schema === undefined) throw errors.schemaNotFound()
    return typeMetadataOf(schema, versions, deps.config)
  }),
})
