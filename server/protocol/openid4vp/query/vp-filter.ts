import { z } from 'zod'
import { JsonBoundsError, measureJson } from '../../json-schema/json-size.js'
import { shownName } from '../../messages.js'

const FILTER_BOUNDS = { depth: 16, nodes: 1_000 } as const
/** Maximum of issues in one filter. Each issue repeats its path, which can be long. */
const MAX_ISSUES = 100

const SIMPLE_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const
type SimpleType = (typeof SIMPLE_TYPES)[number]

/** A schema within a filter: a filter, or true or false if JSON Schema allows them. */
export type VpSubfilter = VpFilter | boolean
type Subfilters = Readonly<Record<string, VpSubfilter>>

/** `filter` of a field constraint: a JSON Schema of exactly these keywords, at every depth. */
export interface VpFilter {
  readonly $id?: string | undefined
  readonly $ref?: string | undefined
  readonly $schema?: string | undefined
  readonly $comment?: string | undefined
  readonly $defs?: Subfilters | undefined
  readonly type?: SimpleType | readonly SimpleType[] | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly const?: unknown
  readonly multipleOf?: number | undefined
  readonly maximum?: number | undefined
  readonly exclusiveMaximum?: number | undefined
  readonly minimum?: number | undefined
  readonly exclusiveMinimum?: number | undefined
  readonly maxLength?: number | undefined
  readonly minLength?: number | undefined
  readonly pattern?: string | undefined
  readonly items?: VpSubfilter | readonly VpSubfilter[] | undefined
  readonly additionalItems?: VpSubfilter | undefined
  readonly maxItems?: number | undefined
  readonly minItems?: number | undefined
  readonly uniqueItems?: boolean | undefined
  readonly contains?: VpSubfilter | undefined
  readonly maxProperties?: number | undefined
  readonly minProperties?: number | undefined
  readonly required?: readonly string[] | undefined
  readonly properties?: Subfilters | undefined
  readonly patternProperties?: Subfilters | undefined
  readonly additionalProperties?: VpSubfilter | undefined
  readonly dependencies?: Readonly<Record<string, VpSubfilter | readonly string[]>> | undefined
  readonly propertyNames?: VpSubfilter | undefined
  readonly if?: VpSubfilter | undefined
  readonly then?: VpSubfilter | undefined
  readonly else?: VpSubfilter | undefined
  readonly allOf?: readonly VpSubfilter[] | undefined
  readonly anyOf?: readonly VpSubfilter[] | undefined
  readonly oneOf?: readonly VpSubfilter[] | undefined
  readonly not?: VpSubfilter | undefined
  readonly format?: string | undefined
  readonly contentMediaType?: string | undefined
  readonly contentEncoding?: string | undefined
  readonly definitions?: Subfilters | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly default?: unknown
  readonly readOnly?: boolean | undefined
  readonly writeOnly?: boolean | undefined
  readonly examples?: readonly unknown[] | undefined
}

/**
 * A Zod schema with several alternatives. `choose` selects the alternative from the value. The issues of the chosen
 * alternative keep their paths. A Zod union would report a single issue without the path of the fault. The value is not
 * transformed.
 */
function chosen<Value>(
  choose: (value: unknown) => z.ZodType,
  documentation: Record<string, unknown>,
): z.ZodType<Value, Value> {
  const schema = z.unknown().superRefine((value, context) => {
    const { error } = choose(value).safeParse(value)
    for (const issue of (error?.issues ?? []).slice(0, MAX_ISSUES)) {
      context.addIssue({
        ...issue,
        path: issue.path.map((part) => (typeof part === 'number' ? part : shownName(part))),
      })
    }
  })
  // The cast is needed because Zod infers `unknown`. The chosen alternatives decide the real type.
  return schema.meta({ override: documentation }) as unknown as z.ZodType<Value, Value>
}

const FILTER_REFERENCE = { $ref: '#/components/schemas/VpFilter' }
const SUBFILTER = { anyOf: [FILTER_REFERENCE, { type: 'boolean' }] }

const zSubfilter = chosen<VpSubfilter>((value) => (typeof value === 'boolean' ? z.boolean() : zFilterObject), SUBFILTER)
const zSubfilterList = z.array(zSubfilter).min(1, 'must not be empty')
const zSubfilters = z.record(z.string(), zSubfilter)
const zItems = chosen<VpSubfilter | VpSubfilter[]>((value) => (Array.isArray(value) ? zSubfilterList : zSubfilter), {
  anyOf: [SUBFILTER, { type: 'array', items: SUBFILTER }],
})
const zDependency = chosen<VpSubfilter | string[]>(
  (value) => (Array.isArray(value) ? z.array(z.string()) : zSubfilter),
  {
    anyOf: [SUBFILTER, { type: 'array', items: { type: 'string' } }],
  },
)
const zSimpleType = z.enum(SIMPLE_TYPES)
const zType = chosen<SimpleType | SimpleType[]>(
  (value) => (Array.isArray(value) ? z.array(zSimpleType).min(1, 'must not be empty') : zSimpleType),
  { anyOf: [{ enum: SIMPLE_TYPES }, { type: 'array', items: { enum: SIMPLE_TYPES } }] },
)
const zCount = z.int().min(0)

const zFilterObject: z.ZodType<VpFilter> = z
  .strictObject({
    $id: z.string(),
    $ref: z.string(),
    $schema: z.string(),
    $comment: z.string(),
    $defs: zSubfilters,
    type: zType,
    enum: z.array(z.unknown()),
    const: z.unknown(),
    multipleOf: z.number().gt(0),
    maximum: z.number(),
    exclusiveMaximum: z.number(),
    minimum: z.number(),
    exclusiveMinimum: z.number(),
    maxLength: zCount,
    minLength: zCount,
    pattern: z.string(),
    items: zItems,
    additionalItems: zSubfilter,
    maxItems: zCount,
    minItems: zCount,
    uniqueItems: z.boolean(),
    contains: zSubfilter,
    maxProperties: zCount,
    minProperties: zCount,
    required: z.array(z.string()),
    properties: zSubfilters,
    patternProperties: zSubfilters,
    additionalProperties: zSubfilter,
    dependencies: z.record(z.string(), zDependency),
    propertyNames: zSubfilter,
    if: zSubfilter,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this object
    then: zSubfilter,
    else: zSubfilter,
    allOf: zSubfilterList,
    anyOf: zSubfilterList,
    oneOf: zSubfilterList,
    not: zSubfilter,
    format: z.string(),
    contentMediaType: z.string(),
    contentEncoding: z.string(),
    definitions: zSubfilters,
    title: z.string(),
    description: z.string(),
    default: z.unknown(),
    readOnly: z.boolean(),
    writeOnly: z.boolean(),
    examples: z.array(z.unknown()),
  })
  .partial()
  .meta({ id: 'VpFilter', description: 'A JSON Schema that the values at the path must satisfy' })

/**
 * `filter` of a field constraint: a JSON Schema object, strict at every depth, up to depth 16 and 1,000 values. The
 * function compileVpQuery checks later whether the filter compiles (patterns, references, formats).
 */
// The cast gives typed clients the type of a filter. Without the cast, the input type would be `unknown`, because the
// schema is preprocessed.
export const zVpFilter = z.preprocess((value, context) => {
  // The limits are checked first, because the following checks walk the filter by recursion.
  try {
    measureJson(value, FILTER_BOUNDS)
    refuseProto(value)
  } catch (error) {
    if (!(error instanceof JsonBoundsError)) throw error
    context.addIssue({ code: 'custom', message: error.reason, path: error.path.split('.').filter((key) => key !== '') })
  }
  return value
}, zFilterObject) as unknown as z.ZodType<VpFilter, VpFilter>

/** Zod silently drops members named `__proto__`. So a rule in such a member would be lost. */
function refuseProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__')) throw new JsonBoundsError('', 'must not have a member named __proto__')
  for (const member of Object.values(value)) refuseProto(member)
}
