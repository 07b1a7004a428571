import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { assertUsable, type SchemaRequest } from './assert-usable.js'
import { schemaOf } from './read.js'
import { shownSchema } from './schema-json.js'
import type { assignSchema, unassignSchema, withdrawSchema } from './schemas.contract.js'
import type { ChangeOutcome, SchemaEditor } from './store.js'

const editorOf = (caller: Caller): SchemaEditor => ({ sub: caller.sub, isAdmin: isAdmin(caller) })

function assertDone(outcome: ChangeOutcome): void {
  if (outcome === 'no-schema') throw errors.schemaNotFound()
  if (outcome === 'foreign') throw errors.schemaDenied()
  if (outcome === 'no-issuer') throw errors.issuerNotFound()
}

/**
 * Stores a version of a schema.
 *
 * @throws 400 for a schema that cannot be used, 403 for a type of another caller, 409 where the type has that version.
 */
export async function addSchema(deps: Deps, caller: Caller, request: SchemaRequest, work: Work) {
  await assertUsable(deps, request, work)
  const id = deps.newId()
  const outcome = await deps.stores.schemas.insert(
    {
      id,
      name: request.name,
      version: request.version,
      body: request.schema,
      title: request.title ?? null,
      description: request.description ?? null,
      display: request.display ?? null,
      claims: request.claims ?? null,
      selectivelyDisclosable: request.selectivelyDisclosable ?? null,
      expiresInDays: request.expiresInDays ?? null,
      claimsFrom: request.claimsFrom ?? null,
      keyAttestation: request.keyAttestation ?? null,
      mdoc: request.mdoc ?? null,
    },
    editorOf(caller),
  )
  if (outcome === 'exists') throw errors.schemaExists(request.name, request.version)
  if (outcome === 'foreign') throw errors.schemaDenied()
  return shownSchema(await schemaOf(deps, id), deps.config)
}

/** Assigns a schema to an issuer. @throws 404 for an unknown schema or issuer, 403 for a type of another caller. */
export async function assign(
  deps: Pick<Deps, 'stores' | 'config'>,
  caller: Caller,
  { schemaId, issuerId }: z.output<typeof assignSchema.input>,
) {
  assertDone(await deps.stores.schemas.assign(schemaId, issuerId, editorOf(caller)))
  return shownSchema(await schemaOf(deps, schemaId), deps.config)
}

/** Undoes the assignment of a schema to an issuer. @throws 404 for an unknown schema, 403 for a type of another caller. */
export async function unassign(
  { stores }: Pick<Deps, 'stores'>,
  caller: Caller,
  { schemaId, issuerId }: z.output<typeof unassignSchema.input>,
): Promise<void> {
  assertDone(await stores.schemas.unassign(schemaId, issuerId, editorOf(caller)))
}

/** Withdraws a version of a schema. @throws 404 for an unknown schema, 403 for a type of another caller. */
export async function withdraw(
  { stores, clock }: Pick<Deps, 'stores' | 'clock'>,
  caller: Caller,
  { schemaId }: z.output<typeof withdrawSchema.input>,
): Promise<void> {
  assertDone(await stores.schemas.withdraw(schemaId, editorOf(caller), clock()))
}
