import { decodeJwt } from 'jose'
import type { Held } from './actors.js'

/** The members of a request of draft 21. They are declared here, independently of the server's types. */
export interface Definition {
  readonly id: string
  readonly input_descriptors: readonly {
    readonly id: string
    readonly group?: readonly string[]
    readonly format: Readonly<Record<string, unknown>>
    readonly constraints: {
      readonly limit_disclosure?: string
      readonly fields: readonly { readonly path: readonly string[]; readonly filter?: Filter }[]
    }
  }[]
  readonly submission_requirements?: readonly Requirement[]
}

interface Requirement {
  readonly rule: 'all' | 'pick'
  readonly count?: number
  readonly min?: number
  readonly max?: number
  readonly from?: string
  readonly from_nested?: readonly Requirement[]
}

interface Filter {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly contains?: Filter
  readonly anyOf?: readonly Filter[]
  readonly allOf?: readonly Filter[]
}

/** Evaluates the parts of JSONPath that these definitions need: names, indices, and every element. */
function select(path: string, root: unknown): unknown[] {
  let found: unknown[] = [root]
  for (const [step, name, quoted, index] of path.matchAll(/\.([A-Za-z_]\w*)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]/g)) {
    found = found.flatMap((value) => {
      if (index === '*') return Array.isArray(value) ? value : []
      if (index !== undefined) return Array.isArray(value) ? [value[Number(index)]] : []
      const member = name ?? JSON.parse(`"${quoted}"`)
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return []
      return [(value as Record<string, unknown>)[member]]
    })
    if (step === undefined) throw new Error('No step.')
  }
  return found.filter((value) => value !== undefined)
}

function holds(filter: Filter, value: unknown): boolean {
  const { type, const: only, enum: some, contains, anyOf, allOf, ...others } = filter
  if (Object.keys(others).length > 0) throw new Error(`Unknown keywords: ${Object.keys(others)}`)
  if (type !== undefined && type !== (Array.isArray(value) ? 'array' : typeof value)) return false
  if ('const' in filter && only !== value) return false
  if (some?.includes(value) === false) return false
  if (contains !== undefined && !(Array.isArray(value) && value.some((one) => holds(contains, one)))) return false
  if (anyOf?.some((one) => holds(one, value)) === false) return false
  return allOf?.every((one) => holds(one, value)) !== false
}

export interface Candidate {
  readonly held: Held
  readonly claims: Readonly<Record<string, unknown>>
}

/** The name of a format in draft 21. */
const formatOf = ({ format }: Held) => (format === 'dc+sd-jwt' ? 'vc+sd-jwt' : format)

function matching(descriptor: Definition['input_descriptors'][number], candidates: readonly Candidate[]) {
  for (const { held, claims } of candidates) {
    if (descriptor.format[formatOf(held)] === undefined) continue
    const { fields, limit_disclosure: limit } = descriptor.constraints
    // A JWT VC discloses all claims. A wallet must not do this if the definition limits disclosure.
    if (held.format === 'jwt_vc_json' && limit === 'required') continue
    const root = held.format === 'jwt_vc_json' ? decodeJwt(held.credential) : claims
    const paths = fields.map(({ path, filter }) => path.find((one) => fits(select(one, root), filter)))
    if (paths.every((path) => path !== undefined)) return { id: descriptor.id, held, paths }
  }
  return undefined
}

const fits = (values: unknown[], filter: Filter | undefined) =>
  values.length > 0 && (filter === undefined || values.some((value) => holds(filter, value)))

/** The ids of the satisfiable input descriptors that satisfy a requirement. */
function satisfying(requirement: Requirement, definition: Definition, can: ReadonlySet<string>): string[] | undefined {
  const { rule, count, min = count ?? 1, max = count, from, from_nested: nested } = requirement
  const members =
    from === undefined
      ? (nested ?? []).map((one) => satisfying(one, definition, can))
      : definition.input_descriptors
          .filter(({ group = [] }) => group.includes(from))
          .map(({ id }) => (can.has(id) ? [id] : undefined))
  if (members.length === 0) throw new Error('A requirement of nothing.')
  const found = members.filter((one) => one !== undefined)
  if (rule === 'all') return found.length === members.length ? found.flat() : undefined
  return found.length < min ? undefined : found.slice(0, max).flat()
}

/**
 * Makes the answer that a strict wallet of OpenID4VP draft 21 gives to a presentation definition (DIF Presentation
 * Exchange 2 §6, §7, §8). This code follows only the texts of the standards.
 */
export function chosenByDefinition(definition: Definition, candidates: readonly Candidate[]) {
  const matches = definition.input_descriptors.flatMap((descriptor) => matching(descriptor, candidates) ?? [])
  const can = new Set(matches.map(({ id }) => id))
  const required = definition.submission_requirements?.map((one) => satisfying(one, definition, can)) ?? [
    definition.input_descriptors.every(({ id }) => can.has(id)) ? [...can] : undefined,
  ]
  if (required.some((ids) => ids === undefined)) throw new Error('The wallet cannot satisfy the definition.')
  const ids = new Set(required.flat())
  return matches.filter(({ id }) => ids.has(id))
}

/** `presentation_submission` for presentations in order (draft 21 §6.1). */
export function submissionOf(definition: Definition, chosen: ReturnType<typeof chosenByDefinition>) {
  return {
    id: 'submission',
    definition_id: definition.id,
    descriptor_map: chosen.map(({ id, held }, index) => {
      const path = chosen.length === 1 ? '$' : `$[${index}]`
      if (held.format === 'dc+sd-jwt') return { id, format: 'vc+sd-jwt', path }
      const nested = { id, format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' }
      return { id, format: 'jwt_vp_json', path, path_nested: nested }
    }),
  }
}
