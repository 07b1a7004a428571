import { _, type Ajv, type FuncKeywordDefinition, type KeywordCxt } from 'ajv'
import { canonicalJson } from './json-size.js'

/**
 * The keywords that compare values (JSON Schema Validation §6.1.2, §6.1.3, §6.4.3), on canonical texts: in linear time for
 * uniqueItems, and unmoved by members that are named like methods of an object (`valueOf`).
 */
export const equalityKeywords: readonly FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    compile: (expected: unknown) => isOneOf([expected]),
    error: { message: 'must be equal to constant' },
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    compile: isOneOf,
    error: { message: 'must be equal to one of the allowed values' },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (unique: boolean) => (items: unknown[]) =>
      !unique || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must not have duplicate items' },
  },
]

function isOneOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const plain = new Set(allowed.filter((value) => !isContainer(value)))
  const texts = new Set(allowed.filter(isContainer).map(canonicalJson))
  return (value) => (isContainer(value) ? texts.size > 0 && texts.has(canonicalJson(value)) : plain.has(value))
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/**
 * Makes `$ref` pay before it is followed: references are all that can make a check grow faster than schema times value.
 *
 * @param payerOf gives, for a reference, the function that pays for applying its target to a value
 */
export function makeReferencesPay(ajv: Ajv, payerOf: (reference: string) => (value: unknown) => void): void {
  const definition = ajv.getKeyword('$ref')
  if (typeof definition !== 'object' || !('code' in definition)) throw new TypeError('Ajv has no $ref of its own.')
  const follow = definition.code
  ajv.removeKeyword('$ref')
  ajv.addKeyword({
    keyword: '$ref',
    schemaType: 'string',
    code(context: KeywordCxt) {
      const payment = context.gen.scopeValue('func', { ref: payerOf(String(context.schema)) })
      context.gen.code(_`${payment}(${context.data})`)
      follow(context)
    },
  })
}
