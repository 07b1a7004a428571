import type { JsonObject } from '../json/json-object.js'
import type { Dialect } from './dialect.js'

const SCHEMA = { $ref: '#' }
const SCHEMAS = { type: 'array', minItems: 1, items: SCHEMA }
const NAMED_SCHEMAS = { type: 'object', additionalProperties: SCHEMA }
const STRING = { type: 'string' }
const STRINGS = { type: 'array', items: STRING, uniqueItems: true }
const BOOLEAN = { type: 'boolean' }
const NUMBER = { type: 'number' }
const COUNT = { type: 'integer', minimum: 0 }
const ID = { type: 'string', pattern: '^[^#]*#?$' }
const ANCHOR = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' }
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }

/** Every pattern of the meta-schemas. */
export const META_PATTERNS: readonly string[] = [ID.pattern, ANCHOR.pattern]

const ofEach = (keywords: readonly string[], schema: JsonObject) =>
  Object.fromEntries(keywords.map((keyword) => [keyword, schema]))

/** Members that both dialects have. */
const COMMON: JsonObject = {
  ...ofEach(['$id', '$ref', '$schema', '$comment', 'title', 'description'], STRING),
  ...ofEach(['pattern', 'format', 'contentMediaType', 'contentEncoding'], STRING),
  ...ofEach(['readOnly', 'writeOnly', 'uniqueItems'], BOOLEAN),
  ...ofEach(['examples', 'enum'], { type: 'array' }),
  type: { anyOf: [TYPE, { type: 'array', items: TYPE, minItems: 1, uniqueItems: true }] },
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  ...ofEach(['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'], NUMBER),
  ...ofEach(['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'], COUNT),
  required: STRINGS,
  ...ofEach(['allOf', 'anyOf', 'oneOf'], SCHEMAS),
  ...ofEach(['not', 'if', 'then', 'else', 'contains', 'additionalProperties', 'propertyNames'], SCHEMA),
  ...ofEach(['properties', 'patternProperties', 'definitions'], NAMED_SCHEMAS),
  dependencies: { type: 'object', additionalProperties: { anyOf: [SCHEMA, STRINGS] } },
}

/**
 * The meta-schemas (json-schema.org/draft-07/schema, json-schema.org/draft/2020-12/schema), without titles, defaults and formats
 * (patterns and references are checked when they are compiled). The meta-schema of 2020-12 holds its vocabularies in one document,
 * so that every reference is local.
 */
export const META_SCHEMAS: Readonly<Record<Dialect, JsonObject>> = {
  'draft-07': {
    type: ['object', 'boolean'],
    properties: {
      ...COMMON,
      enum: { type: 'array', minItems: 1, uniqueItems: true },
      additionalItems: SCHEMA,
      items: { anyOf: [SCHEMA, SCHEMAS] },
    },
  },
  '2020-12': {
    type: ['object', 'boolean'],
    properties: {
      ...COMMON,
      $id: ID,
      ...ofEach(['$anchor', '$dynamicAnchor'], ANCHOR),
      $dynamicRef: STRING,
      $vocabulary: { type: 'object', additionalProperties: BOOLEAN },
      deprecated: BOOLEAN,
      ...ofEach(['minContains', 'maxContains'], COUNT),
      ...ofEach(['items', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'], SCHEMA),
      prefixItems: SCHEMAS,
      ...ofEach(['$defs', 'dependentSchemas'], NAMED_SCHEMAS),
      dependentRequired: { type: 'object', additionalProperties: STRINGS },
    },
  },
}
