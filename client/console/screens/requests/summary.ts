import type { VpQuery } from '../../queries/shapes.js'

type Item = VpQuery['queryBody'][number]
type Filter = NonNullable<Item['fields'][number]['filter']>

/** Summary of an item of a VP query. */
export interface Summary {
  /** The names of the types that the item accepts. An empty list accepts each type. */
  readonly types: readonly string[]
  readonly claims: readonly string[]
}

const TYPE = /^\$(?:\.vc)?\.(?:type|vct|doctype)(?:\[\*\])?$/
const SUBJECT = /^\$(?:\.vc)?\.credentialSubject\.?/

const named = ({ const: only, enum: some, contains }: Filter): unknown[] => {
  if (only !== undefined) return [only]
  if (some !== undefined) return [...some]
  return typeof contains === 'object' ? named(contains) : []
}

/** A JSONPath without its beginning, which leads to the subject, and without the namespace of a mobile document. */
const shortPath = (path: string): string =>
  path
    .replace(SUBJECT, '')
    .replace(/^\$(?:\['[^']*'\](?=.))?\.?/, '')
    .replace(/^\['([^']*)'\]$/, '$1')

/** The types and claims that an item names. */
export function summaryOf({ fields }: Item): Summary {
  const types = fields
    .filter(({ path }) => path.some((one) => TYPE.test(one)))
    .flatMap(({ filter }) => (filter === undefined ? [] : named(filter)))
    .map(String)
  const claims = fields.filter(({ path }) => !path.some((one) => TYPE.test(one))).map(({ path }) => path[0] ?? '')
  return { types, claims: claims.map(shortPath) }
}
