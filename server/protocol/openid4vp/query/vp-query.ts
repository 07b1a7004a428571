import { z } from 'zod'
import { compileJsonSchema, JsonSchemaError, type JsonSchemaValidator } from '../../json-schema/compile.js'
import { measureJson } from '../../json-schema/json-size.js'
import { type Work, WorkExceededError } from '../../work.js'
import type { JsonPath } from './jsonpath/ast.js'
import { parseJsonPath } from './jsonpath/parse.js'
import { JsonPathError } from './jsonpath/scanner.js'
import { zVpFilter } from './vp-filter.js'

const MAX_ITEMS = 16
const MAX_FIELDS = 64
const MAX_PATHS = 16
const MAX_QUERY_LENGTH = 65_536

const TOO_MUCH = 'takes more work to compile than one request may'

/**
 * A field constraint: paths to a value (JSONPath, RFC 9535; the first path that selects a value counts), and a filter
 * for the value.
 */
export const zFieldConstraint = z.strictObject({
  path: z.array(z.string()).min(1, 'must not be empty').max(MAX_PATHS, `must not hold more than ${MAX_PATHS} paths`),
  filter: zVpFilter.optional(),
})
export type FieldConstraint = z.infer<typeof zFieldConstraint>

/** A query item: requirements for one credential of the presentation. */
export const zVpQueryItem = z.strictObject({
  fields: z.array(zFieldConstraint).max(MAX_FIELDS, `must not hold more than ${MAX_FIELDS} fields`),
})
export type VpQueryItem = z.infer<typeof zVpQueryItem>

/** The items of a VP query whose size was checked on receipt. */
export const zVpQueryItems = z
  .array(zVpQueryItem)
  .min(1, 'must not be empty')
  .max(MAX_ITEMS, `must not hold more than ${MAX_ITEMS} items`)

type VpQueryItems = z.infer<typeof zVpQueryItems>

/**
 * Whether the JSON of a value is longer than 64 KiB. A value that is nested too deeply for JSON.stringify is refused
 * later, by the limits of the filter.
 */
function isTooLarge(value: unknown): boolean {
  try {
    measureJson(value, { depth: 64, nodes: Number.POSITIVE_INFINITY })
  } catch {
    return false
  }
  return JSON.stringify(value).length > MAX_QUERY_LENGTH
}

/**
 * The items of a VP query. The size is checked first, because the error repeats the path of each fault in the query.
 */
// The cast gives typed clients the type of a query. Without the cast, the input type would be `unknown`, because the
// schema is preprocessed.
export const zVpQuery = z.preprocess((value, context) => {
  if (isTooLarge(value)) context.addIssue({ code: 'custom', message: 'must not be larger than 64 KiB' })
  return value
}, zVpQueryItems) as unknown as z.ZodType<VpQueryItems, VpQueryItems>

/** Thrown if a path or filter of a query does not compile. `path` is the dotted path of the place; `reason` completes the sentence. */
export class VpQueryError extends Error {
  override readonly name = 'VpQueryError'

  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${reason}`, options)
  }
}

export interface CompiledField {
  readonly paths: readonly { readonly text: string; readonly path: JsonPath }[]
  readonly constraint: FieldConstraint
  readonly filter?: JsonSchemaValidator
}

export interface CompiledItem {
  readonly fields: readonly CompiledField[]
}

/**
 * Compiles every path and filter of a query.
 *
 * @param work the budget for compiling
 * @param root name of the query in the request; each error's path begins with it
 * @throws VpQueryError for the first fault (`query.0.fields.1.path.0 …`)
 */
export function compileVpQuery(items: readonly VpQueryItem[], work: Work, root = 'query'): readonly CompiledItem[] {
  return items.map(({ fields }, item) => ({
    fields: fields.map((field, index) => compileField(field, work, `${root}.${item}.fields.${index}`)),
  }))
}

function compileField(constraint: FieldConstraint, work: Work, at: string): CompiledField {
  const paths = constraint.path.map((text, index) => ({ text, path: compilePath(text, work, `${at}.path.${index}`) }))
  if (constraint.filter === undefined) return { paths, constraint }
  return { paths, constraint, filter: compileFilter(constraint.filter, work, `${at}.filter`) }
}

function compilePath(text: string, work: Work, at: string): JsonPath {
  try {
    return parseJsonPath(text, work)
  } catch (error) {
    if (error instanceof WorkExceededError) throw new VpQueryError(at, TOO_MUCH, { cause: error })
    if (!(error instanceof JsonPathError)) throw error
    throw new VpQueryError(at, error.message, { cause: error })
  }
}

function compileFilter(filter: NonNullable<FieldConstraint['filter']>, work: Work, at: string): JsonSchemaValidator {
  try {
    return compileJsonSchema(filter, work)
  } catch (error) {
    if (!(error instanceof JsonSchemaError)) throw error
    throw new VpQueryError(error.place === '' ? at : `${at}.${error.place}`, error.reason, { cause: error })
  }
}
