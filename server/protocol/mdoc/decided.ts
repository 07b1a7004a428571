import { EACH, type SchemaPlace } from '../json-schema/applicable.js'
import { encodingOf, type TextKind, textKindOf, textKindsIn } from './values.js'

/** Encodings that leave text unchanged (RFC 2045 §6.2). */
const IDENTITIES: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])

/** Limit of claims that are read within one element. */
const MAX_PLACES = 2_000

/**
 * Checks that a claim's schema decides the kind of every text in the claim: `date`, `date-time`, bytes or text. If a
 * kind is not decided, the claim cannot be a data element, and the function returns the reason as a sentence. Returns
 * undefined if the schema decides every kind.
 *
 * The schema may also decide the kind through the rest of the value. Examples: a `date` in one branch of a combination
 * and a `date-time` in another branch; a kind that depends on another claim.
 *
 * @param pointer JSON Pointer of the claim, which the sentence names
 */
export function undecidedIn(place: SchemaPlace, pointer: string): string | undefined {
  const waiting: [SchemaPlace, string][] = [[place, pointer]]
  for (let count = 0, next = waiting.pop(); next !== undefined; count += 1, next = waiting.pop()) {
    const [at, where] = next
    if (count === MAX_PLACES || at.isCut) return `where ${pointer} holds too many claims`
    const fault = faultOf(at)
    if (fault !== undefined) return `where ${where} ${fault}`
    if (!at.isRecursive) waiting.push(...placesBelow(at, where))
  }
  return undefined
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const placesBelow = (place: SchemaPlace, where: string): [SchemaPlace, string][] => [
  ...place.names.map((name): [SchemaPlace, string] => [place.member(name), `${where}/${escaped(name)}`]),
  ...place.unnamedMembers().map((member): [SchemaPlace, string] => [member, `${where}/*`]),
  ...elementsOf(place).map((element): [SchemaPlace, string] => [element, `${where}/*`]),
]

/** The elements of a tuple, one by one: each element has its own schema. */
function elementsOf(place: SchemaPlace): readonly SchemaPlace[] {
  if (!place.item(EACH).isDeclared) return []
  const tuples = [...place.said('prefixItems'), ...place.said('items')].map((each) =>
    Array.isArray(each) ? each.length : 0,
  )
  return Array.from({ length: Math.max(0, ...tuples) + 1 }, (_, index) => place.item(index))
}

const named = (kinds: readonly TextKind[]): string => kinds.join(' or ')

function faultOf(place: SchemaPlace): string | undefined {
  const unknown = place.schemas
    .map(({ schema }) => encodingOf(schema))
    .find((name) => name !== undefined && !IDENTITIES.has(name) && !(textKindOf({ contentEncoding: name }) === name))
  if (unknown !== undefined) return 'has a contentEncoding that is none of base64, base64url and base16'
  if (place.schemas.some(({ schema }) => schema.format === 'binary' && textKindOf(schema) === undefined))
    return 'has the format binary, which does not say how bytes are written: contentEncoding does'
  const kinds = textKindsIn(place)
  if (kinds.length > 1 && !kinds.every((kind) => kind === 'date' || kind === 'date-time'))
    return `may be ${named(kinds)}: the schema must decide`
  const isSettled = place.schemas.some(({ schema, certain }) => certain && textKindOf(schema) !== undefined)
  return !isSettled && mixesWithText(place) ? `may be ${named(kinds)} or text: the schema must decide` : undefined
}

/** Whether a text may satisfy both a branch that converts it and a branch that leaves it as text. */
function mixesWithText(place: SchemaPlace): boolean {
  return place.schemas.some(({ schema }) =>
    [schema.anyOf, schema.oneOf].some((branches) => {
      if (!Array.isArray(branches)) return false
      const places = branches.map((branch) => place.branch(branch)).filter(admitsText)
      return places.some((each) => textKindsIn(each).length > 0) && places.some(isFreeText)
    }),
  )
}

const certainly = (place: SchemaPlace, keyword: string): readonly unknown[] =>
  place.schemas.flatMap(({ schema, certain }) => (certain && Object.hasOwn(schema, keyword) ? [schema[keyword]] : []))

/**
 * Whether the schemas of a place allow a text. A place whose schema is `false` counts as not declared, so it allows
 * none.
 */
const admitsText = (place: SchemaPlace): boolean =>
  place.isDeclared &&
  certainly(place, 'type').every((type) => [type].flat().includes('string')) &&
  certainly(place, 'const').every((value) => typeof value === 'string') &&
  certainly(place, 'enum').every((values) => [values].flat().some((value) => typeof value === 'string'))

/** Whether text of any kind is allowed, and no values are listed. */
const isFreeText = (place: SchemaPlace): boolean =>
  textKindsIn(place).length === 0 && certainly(place, 'const').length === 0 && certainly(place, 'enum').length === 0
