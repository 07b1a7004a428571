import { isObject, type JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'
import { dialectOf } from './dialect.js'
import { resolveReference } from './subschemas.js'

/**
 * A schema that applies to a value. `certain`: it applies to every possible value at this place, not only to some
 * values.
 */
export interface Applied {
  readonly schema: JsonObject
  readonly certain: boolean
}

/** Whether a value satisfies a schema that is part of the root schema. */
export type Satisfies = (schema: unknown, value: unknown) => boolean

/**
 * Makes the function that tests names against a pattern of `patternProperties`. The caller passes this function, so
 * that a form in a browser need not load the engine, which is larger than the rest of the form's code.
 */
export type PatternReader = (source: string, work: Work) => { test(text: string, work: Work): boolean }

/** Limit of schemas at one place: the declared schemas, and all schemas that they lead to without a step into the value. */
const MAX_SCHEMAS = 256

/** Limit of places in one walk, since a few definitions that refer to each other make many places. */
const MAX_PLACES = 4_000

/** Cost of reading one schema. */
const UNITS_OF_A_SCHEMA = 20

/** Stands for an index in a path: an element of an array whose position is not known. */
export const EACH = '*'

type Declared = readonly [schema: unknown, certain: boolean]

interface Walk {
  readonly root: JsonObject
  readonly is2020: boolean
  readonly pattern: PatternReader
  readonly patterns: Map<string, ReturnType<PatternReader>>
  readonly work: Work
  readonly satisfies: Satisfies | undefined
  places: number
  isCut: boolean
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : []
const ownMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** `false` allows no value, so it declares nothing; `true` declares a value of any kind. */
const asSchema = (schema: unknown): JsonObject | undefined => {
  if (schema === true) return {}
  return isObject(schema) ? schema : undefined
}

/** `true` and `{}` allow other members and declare none of them. */
const saysNothing = (schema: unknown): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).length === 0)

/**
 * A place in a value, with every schema that applies to the value there: by `properties`, `patternProperties`,
 * `additionalProperties`, `unevaluatedProperties`, `items`, `prefixItems`, `additionalItems`, `unevaluatedItems` and
 * `contains`, and through `$ref`, `allOf`, `anyOf`, `oneOf`, `if`, `then`, `else`, `dependentSchemas` and
 * `dependencies` (JSON Schema Core 2020-12 §10). This class is the only code that walks over a schema. Metadata of
 * claims, selective disclosure, mobile documents and forms use this class.
 *
 * Without a value all branches count, and a schema that depends on a choice between branches is not `certain`. With a
 * value, only the branches that the value satisfies count.
 */
export class SchemaPlace {
  readonly schemas: readonly Applied[]
  readonly #walk: Walk
  readonly #value: unknown
  readonly #above: SchemaPlace | undefined
  readonly #below = new Map<string | number, SchemaPlace>()

  private constructor(walk: Walk, declared: readonly Declared[], value: unknown, above?: SchemaPlace) {
    walk.places += 1
    this.#walk = walk
    this.#value = value
    this.#above = above
    this.schemas = inPlace(walk, declared, value)
  }

  /**
   * The place of the whole value.
   *
   * @param work the budget for every step of the walk
   * @param pattern reads the patterns of `patternProperties`
   * @param of the value, and the function that decides which branches the value satisfies; without `of`, all branches
   * count
   */
  static root(
    schema: JsonObject,
    work: Work,
    pattern: PatternReader,
    of?: { readonly value: unknown; readonly satisfies: Satisfies },
  ): SchemaPlace {
    const walk: Walk = {
      root: schema,
      is2020: dialectOf(schema) === '2020-12',
      pattern,
      patterns: new Map(),
      work,
      satisfies: of?.satisfies,
      places: 0,
      isCut: false,
    }
    return new SchemaPlace(walk, [[schema, true]], of?.value)
  }

  /** Whether the schema declares a value at this place. */
  get isDeclared(): boolean {
    return this.schemas.length > 0
  }

  /** Whether the walk stopped at its limit of schemas or places, so that some schemas or places are missing. */
  get isCut(): boolean {
    return this.#walk.isCut
  }

  /** Whether the place lies within a place that the same schema describes, so that a walk into it would never end. */
  get isRecursive(): boolean {
    const own = new Set(this.schemas.map(({ schema }) => schema))
    for (let place = this.#above; place !== undefined; place = place.#above)
      if (place.schemas.some(({ schema }) => own.has(schema))) return true
    return false
  }

  /**
   * Names of the members that a schema at this place declares in `properties`, in their order. Empty if the walk has
   * reached its limit.
   */
  get names(): readonly string[] {
    if (this.#walk.places >= MAX_PLACES) this.#walk.isCut = true
    if (this.#walk.isCut) return []
    const names = this.schemas.flatMap(({ schema }) =>
      membersOf(schema.properties).flatMap(([name, member]) => (asSchema(member) === undefined ? [] : [name])),
    )
    return [...new Set(names)]
  }

  /** Whether the schemas require the member `name` of every value at this place. */
  requires(name: string): boolean {
    return this.schemas.some(({ schema, certain }) => certain && listOf(schema.required).includes(name))
  }

  /** This place with only one schema: a branch of a schema at this place. */
  branch(schema: unknown): SchemaPlace {
    return new SchemaPlace(this.#walk, [[schema, true]], this.#value, this)
  }

  /** The values of a keyword in all schemas at this place. The values in `certain` schemas come first. */
  said(keyword: string): readonly unknown[] {
    return this.schemas
      .toSorted((one, other) => Number(other.certain) - Number(one.certain))
      .flatMap(({ schema }) => (Object.hasOwn(schema, keyword) ? [schema[keyword]] : []))
  }

  /** The place of a member. */
  member(name: string): SchemaPlace {
    return this.#step(name, () => this.#membersNamed(name))
  }

  /** The place of an element, or of all elements together (`EACH`). */
  item(index: number | typeof EACH): SchemaPlace {
    return this.#step(index === EACH ? -1 : index, () => this.#items(index))
  }

  /**
   * Returns the places of members that the schemas declare without naming them: by a pattern, or by the schema for all
   * other members.
   */
  unnamedMembers(): readonly SchemaPlace[] {
    const walk = this.#walk
    return this.schemas.flatMap(({ schema, certain }) => {
      const schemas = [
        ...membersOf(schema.patternProperties).map(([, each]) => each),
        schema.additionalProperties,
        ...(walk.is2020 ? [schema.unevaluatedProperties] : []),
      ]
      return schemas
        .filter((each) => asSchema(each) !== undefined && !saysNothing(each))
        .map((each) => new SchemaPlace(walk, [[each, certain]], undefined, this))
    })
  }

  #step(key: string | number, declared: () => readonly Declared[]): SchemaPlace {
    const known = this.#below.get(key)
    if (known !== undefined) return known
    const value = typeof key === 'string' ? ownMember(this.#value, key) : listOf(this.#value)[key]
    const place = new SchemaPlace(this.#walk, declared(), value, this)
    this.#below.set(key, place)
    return place
  }

  #membersNamed(name: string): readonly Declared[] {
    const found = this.schemas.flatMap(({ schema, certain }): Declared[] =>
      this.#membersOf(schema, name).map((each) => [each, certain]),
    )
    if (!this.#walk.is2020 || found.some(([schema]) => asSchema(schema) !== undefined)) return found
    return this.schemas.flatMap(({ schema: { unevaluatedProperties }, certain }): Declared[] =>
      saysNothing(unevaluatedProperties) ? [] : [[unevaluatedProperties, certain]],
    )
  }

  #membersOf({ properties, patternProperties, additionalProperties }: JsonObject, name: string): readonly unknown[] {
    const own = ownMember(properties, name)
    const matching = membersOf(patternProperties).filter(([pattern]) => this.#matches(pattern, name))
    const found = [...(own === undefined ? [] : [own]), ...matching.map(([, schema]) => schema)]
    return found.length > 0 || saysNothing(additionalProperties) ? found : [additionalProperties]
  }

  #matches(pattern: string, name: string): boolean {
    const { patterns, work } = this.#walk
    const compiled = patterns.get(pattern) ?? this.#walk.pattern(pattern, work)
    patterns.set(pattern, compiled)
    return compiled.test(name, work)
  }

  #items(index: number | typeof EACH): readonly Declared[] {
    const found = this.schemas.flatMap(({ schema, certain }): Declared[] =>
      itemsOf(schema, this.#walk.is2020, index).map((each) => [each, certain]),
    )
    const isKnown = !this.#walk.is2020 || found.some(([schema]) => asSchema(schema) !== undefined)
    const others = this.schemas.map(({ schema, certain }): Declared => [schema.unevaluatedItems, certain])
    return [...(isKnown ? found : others), ...this.#contained(index)]
  }

  /** The `contains` schemas that an element satisfies: they also describe this element. */
  #contained(index: number | typeof EACH): readonly Declared[] {
    const { satisfies } = this.#walk
    const element = index === EACH ? undefined : listOf(this.#value)[index]
    return this.schemas.flatMap(({ schema: { contains } }): Declared[] => {
      if (contains === undefined) return []
      if (satisfies === undefined) return [[contains, false]]
      return satisfies(contains, element) ? [[contains, true]] : []
    })
  }
}

/** The schemas of an element; of all elements if the position is unknown. */
function itemsOf(schema: JsonObject, is2020: boolean, index: number | typeof EACH): readonly unknown[] {
  const first = listOf(is2020 ? schema.prefixItems : schema.items)
  const rest = !is2020 && Array.isArray(schema.items) ? schema.additionalItems : schema.items
  if (index === EACH) return [...first, rest]
  return [index < first.length ? first[index] : rest]
}

/** Every schema that applies to the same value, each once. */
function inPlace(walk: Walk, declared: readonly Declared[], value: unknown): readonly Applied[] {
  const found = new Map<JsonObject, boolean>()
  const waiting = [...declared].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [schema, certain] = [asSchema(next[0]), next[1]]
    if (schema === undefined || found.get(schema) === true || found.get(schema) === certain) continue
    if (found.size >= MAX_SCHEMAS) {
      walk.isCut = true
      break
    }
    walk.work.spend(UNITS_OF_A_SCHEMA)
    found.set(schema, certain)
    waiting.push(...branchesOf(walk, schema, certain, value).toReversed())
  }
  return [...found].map(([schema, certain]) => ({ schema, certain }))
}

function branchesOf(walk: Walk, schema: JsonObject, certain: boolean, value: unknown): Declared[] {
  const always = [
    ...(Object.hasOwn(schema, '$ref') ? [resolveReference(walk.root, schema.$ref, '').target] : []),
    ...listOf(schema.allOf),
  ]
  return [...always.map((each): Declared => [each, certain]), ...choicesOf(walk, schema, certain, value)]
}

/** Branches that apply to some values only. */
function choicesOf({ satisfies }: Walk, schema: JsonObject, certain: boolean, value: unknown): Declared[] {
  const either = [...listOf(schema.anyOf), ...listOf(schema.oneOf)]
  const dependent = [schema.dependentSchemas, schema.dependencies]
    .flatMap(membersOf)
    .filter(([, each]) => !Array.isArray(each))
  if (satisfies === undefined) {
    const conditional = 'if' in schema ? [schema.if, schema.then, schema.else] : []
    return [...either, ...conditional, ...dependent.map(([, each]) => each)].map((each): Declared => [each, false])
  }
  const taken = [
    ...either.filter((each) => satisfies(each, value)),
    ...(!('if' in schema) ? [] : satisfies(schema.if, value) ? [schema.if, schema.then] : [schema.else]),
    ...dependent.filter(([name]) => ownMember(value, name) !== undefined).map(([, each]) => each),
  ]
  return taken.map((each): Declared => [each, certain])
}
