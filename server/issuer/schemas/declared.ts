import { errors } from '../../api/errors.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { EACH, SchemaPlace } from '../../protocol/json-schema/applicable.js'
import { linearPattern } from '../../protocol/json-schema/linear-regexp.js'
import type { MdocMapping } from '../../protocol/mdoc/elements.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import { assertDescribable } from './claims.js'
import type { ClaimNames, ClaimsFrom } from './store.js'

/** The settings of a version that name claims by a path. */
export interface ClaimSettings {
  readonly claims?: readonly ClaimNames[] | undefined
  readonly claimsFrom?: ClaimsFrom | undefined
  readonly selectivelyDisclosable?: readonly string[] | undefined
  readonly mdoc?: MdocMapping | undefined
}

/** Longer settings are refused as a whole, not path by path. */
const MAX_STEPS = 5_000

/**
 * Makes sure that every path in a version's settings leads to a declared claim, and that all claims can be described.
 *
 * @param body a schema that compiles
 * @param work the budget for the walk
 * @throws 400 naming each path that leads to no claim
 */
export async function assertClaimsDeclared(body: JsonObject, settings: ClaimSettings, work: Work): Promise<void> {
  try {
    assertDescribable(body, work)
    const root = SchemaPlace.root(body, work, linearPattern)
    const problems = [
      ...providedFaults(root, settings.claimsFrom),
      ...nameFaults(root, settings.claims ?? []),
      ...disclosureFaults(root, settings.selectivelyDisclosable ?? []),
      ...(await elementFaults(body, settings.mdoc, work)),
    ]
    if (problems.length > 0) throw errors.invalid(problems)
  } catch (thrown) {
    if (!(thrown instanceof WorkExceededError)) throw thrown
    throw errors.badRequest('schema and the named claims need more work than one request may use')
  }
}

function providedFaults(root: SchemaPlace, claimsFrom: ClaimsFrom | undefined): string[] {
  if (claimsFrom === undefined) return []
  const names = Object.keys(claimsFrom)
  if (names.length === 0) return ['claimsFrom must name a claim']
  return names.flatMap((name) =>
    root.member(name).isDeclared ? [] : [`claimsFrom.${name} must be a property of the schema`],
  )
}

const nameFaults = (root: SchemaPlace, claims: readonly ClaimNames[]): string[] =>
  claims.flatMap(({ path }, at) =>
    path.reduce((place, step) => (step === null ? place.item(EACH) : place.member(step)), root).isDeclared
      ? []
      : [`claims.${at}.path must lead to a property of the schema`],
  )

const INDEX = /^(?:0|[1-9]\d{0,5})$/

const says = (place: SchemaPlace, type: string): boolean => place.said('type').flat().includes(type)

/**
 * Whether an object is free-form: the schema names no member and allows any member. The members are named when a
 * credential is issued.
 */
const isFreeForm = (place: SchemaPlace): boolean =>
  says(place, 'object') &&
  place.names.length === 0 &&
  place.unnamedMembers().length === 0 &&
  ![...place.said('additionalProperties'), ...place.said('unevaluatedProperties')].includes(false)

/** The values of a keyword in the schemas that apply to every value. */
const certainly = (place: SchemaPlace, keyword: string): readonly unknown[] =>
  place.schemas.flatMap(({ schema, certain }) => (certain && Object.hasOwn(schema, keyword) ? [schema[keyword]] : []))

/** Whether `propertyNames` lists names without this one. */
function excludesName(names: unknown, step: string): boolean {
  if (!isObject(names)) return names === false
  if (Array.isArray(names.enum)) return !names.enum.includes(step)
  return Object.hasOwn(names, 'const') && names.const !== step
}

/** Whether a free-form object may have a member of that name. JSON Pointers and JSONPath are not valid here. */
const mayHave = (place: SchemaPlace, step: string): boolean =>
  !/^[/$]/.test(step) &&
  !certainly(place, 'propertyNames').some((names) => excludesName(names, step)) &&
  !certainly(place, 'properties').some((members) => isObject(members) && Object.hasOwn(members, step))

/** Whether an array has no element at a position: it is too short, or every element has a schema and none is left for this position. */
function isBeyond(place: SchemaPlace, index: number): boolean {
  if (certainly(place, 'maxItems').some((most) => typeof most === 'number' && index >= most)) return true
  const rest = ['items', 'additionalItems', 'unevaluatedItems'].flatMap((keyword) => certainly(place, keyword))
  return rest.includes(false) && !place.item(index).isDeclared
}

const isElement = (step: string): boolean => step === EACH || INDEX.test(step)

/**
 * Whether the steps of a path lead to a claim. As in issuing, a step is a member name, a position in an array, or `*` for every
 * element.
 */
function leads(place: SchemaPlace, [step, ...further]: readonly string[]): boolean {
  if (!place.isDeclared) return false
  if (step === undefined) return true
  if (step === '') return false
  if (isFreeForm(place)) return mayHave(place, step)
  if (leads(place.member(step), further)) return true
  if (!isElement(step)) return false
  if (step !== EACH && isBeyond(place, Number(step))) return false
  const elements = place.item(step === EACH ? EACH : Number(step))
  return elements.isDeclared ? leads(elements, further) : says(place, 'array')
}

/** A claim at the top level may have dots in its own name. */
const isDisclosable = (root: SchemaPlace, path: string): boolean =>
  root.names.includes(path) || leads(root, path.split('.'))

/** RFC 9901 §4.2: a claim that is not named is in the clear in every credential. */
function disclosureFaults(root: SchemaPlace, paths: readonly string[]): string[] {
  const steps = paths.reduce((sum, path) => sum + path.split('.').length, 0)
  if (steps > MAX_STEPS) return [`selectivelyDisclosable must not name more than ${MAX_STEPS} members in all`]
  return paths.flatMap((path, at) => {
    const field = `selectivelyDisclosable.${at}`
    // The subject's identifier is the `sub` of the credential, which every verifier sees.
    if (/^id(?:\.|$)/.test(path)) return [`${field} must not be id, which every verifier sees as sub`]
    return isDisclosable(root, path) ? [] : [`${field} names ${path}, which the schema does not declare`]
  })
}

/** The highest cost of one step of a pointer, in units of work. The cost depends on the size of the schema. */
const MAX_STEP = 4096

function payFor(elements: readonly { readonly pointer: string }[], body: JsonObject, work: Work): void {
  const steps = elements.reduce((sum, { pointer }) => sum + pointer.split('/').length - 1, 0)
  try {
    work.spend(steps * Math.min(JSON.stringify(body).length, MAX_STEP))
  } catch (thrown) {
    if (!(thrown instanceof WorkExceededError)) throw thrown
    throw errors.badRequest('mdoc.namespaces must not name so many elements of so large a schema')
  }
}

async function elementFaults(body: JsonObject, mdoc: MdocMapping | undefined, work: Work): Promise<string[]> {
  if (mdoc === undefined) return []
  const elements = Object.entries(mdoc.namespaces).flatMap(([namespace, pointers]) =>
    Object.entries(pointers).map(([element, pointer]) => ({ place: `${namespace}.${element}`, pointer })),
  )
  payFor(elements, body, work)
  const { mappingFaults } = await import('../../protocol/mdoc/mdoc.js')
  const faults = mappingFaults(
    body,
    elements.map(({ pointer }) => pointer),
    work,
  )
  return elements.flatMap(({ place, pointer }) => {
    const fault = faults.get(pointer)
    return fault === undefined ? [] : [`mdoc.namespaces.${place} names ${pointer}, ${fault}`]
  })
}
