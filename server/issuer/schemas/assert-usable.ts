import type { z } from 'zod'
import { WORK_PER_REQUEST } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Issuing } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { compileJsonSchema, JsonSchemaError } from '../../protocol/json-schema/compile.js'
import type { Work } from '../../protocol/work.js'
import { retentionFault } from '../issuance/retention.js'
import { validityFault } from '../issuance/validity.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { declaredClaims } from './claims.js'
import { assertClaimsDeclared } from './declared.js'
import type { createSchema } from './schemas.contract.js'

export type SchemaRequest = z.output<typeof createSchema.input>

/** The formats and settings that decide whether a schema can be used. */
export interface SchemaRules {
  readonly formats: Pick<Formats, 'issued'>
  readonly config: Pick<Config, 'attestationTrust'>
  readonly clock: () => Date
}

/**
 * Makes sure that credentials of a type can be issued with a schema and its settings.
 *
 * @param work the budget for the checks of the schema
 * @throws 400 naming the problem
 */
export async function assertUsable(
  { formats, config, clock }: SchemaRules,
  request: SchemaRequest,
  work: Work,
): Promise<void> {
  assertCompiles(request.schema, work)
  assertNoReservedNames(formats, request.schema, request.selectivelyDisclosable ?? [])
  await assertClaimsDeclared(request.schema, request, work)
  if (request.keyAttestation !== undefined) assertAttestersKnown(config)
  assertRetainable(request)
  if (request.claimsSource !== undefined && request.claimsFrom !== undefined)
    throw errors.badRequest('claimsFrom must not be given with claimsSource')
  assertValidSometime(request, clock())
}

/** @throws 400 if credentials would expire before they are valid */
function assertValidSometime({ expiresInDays, validFrom }: SchemaRequest, now: Date): void {
  const rules = {
    expiresInDays: expiresInDays ?? null,
    validFrom: validFrom === undefined ? null : new Date(validFrom),
  }
  const fault = validityFault(rules, now)
  if (fault !== undefined) throw errors.badRequest(fault)
}

/** @throws 400 if records would be removed before their credentials expire */
function assertRetainable({ retention, expiresInDays }: SchemaRequest): void {
  const fault = retention === undefined ? undefined : retentionFault(retention, expiresInDays)
  if (fault !== undefined) throw errors.badRequest(fault)
}

/**
 * Checks that a schema compiles. Compiling may use half of a request's budget. The other half is for the check of a
 * subject against the schema.
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

/** @throws 400 listing the names that a format reserves */
function assertNoReservedNames(
  formats: Pick<Formats, 'issued'>,
  body: Record<string, unknown>,
  selectivelyDisclosable: readonly string[],
): void {
  const problems = formats.issued.flatMap(({ issuing }) => reservedIn(issuing, body, selectivelyDisclosable))
  if (problems.length > 0) throw errors.invalid(problems)
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

/** @throws 400 if no wallet provider is trusted: then no wallet could take the credential */
function assertAttestersKnown(config: Pick<Config, 'attestationTrust'>): void {
  if (attestsWallets(config)) return
  throw errors.badRequest('keyAttestation needs WALLET_TRUST_ANCHORS, or a provider in WALLET_CLIENTS')
}
