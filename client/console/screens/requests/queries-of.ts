import type { ClaimsPath, DcqlQuery, VpQuery } from '../../queries/shapes.js'
import type { Format } from './askable.js'
import type { CredentialDraft, RequestForm } from './request-form.js'

type Value = string | number | boolean

/** A requested claim. */
interface AskedClaim {
  readonly path: ClaimsPath
  readonly values: readonly Value[]
}

const INTEGER = /^-?\d{1,15}$/
const VALUE = /\s*"((?:[^"\\]|\\.)*)"\s*|[^,]+/g

/**
 * Parses a comma-separated list of values. Numbers, true and false become JSON values. All other values, and values in
 * quotes, become text.
 */
export function valuesOf(text: string): Value[] {
  return [...text.matchAll(VALUE)].flatMap(([whole, quoted]): Value[] => {
    if (quoted !== undefined) return [quoted.replaceAll(/\\(.)/g, '$1')]
    const value = whole.trim()
    if (value === '') return []
    if (value === 'true' || value === 'false') return [value === 'true']
    return [INTEGER.test(value) ? Number(value) : value]
  })
}

function writtenPath(format: Format, namespace: string, name: string): ClaimsPath {
  if (format === 'mso_mdoc') return [namespace.trim(), name.trim()]
  const parts = name.split('.').map((part) => part.trim())
  const path = parts.map((part) => (part === '*' ? null : /^\d{1,6}$/.test(part) ? Number(part) : part))
  return format === 'jwt_vc_json' ? ['credentialSubject', ...path] : path
}

/** The requested claims of a credential, in the order of the form. */
export function askedClaims({ format, known, written }: CredentialDraft): AskedClaim[] {
  return [
    ...known
      .filter(({ asked }) => asked)
      .map(({ path, values }) => ({ path: JSON.parse(path) as ClaimsPath, values: valuesOf(values) })),
    ...written
      .filter(({ name }) => name.trim() !== '')
      .map(({ namespace, name, values }) => ({
        path: writtenPath(format, namespace, name),
        values: valuesOf(values),
      })),
  ]
}

/** The id of a credential query: the last part of its type, and a number if several queries have the same last part. */
function idsOf(credentials: readonly CredentialDraft[]): string[] {
  const taken = new Set<string>()
  return credentials.map(({ type }) => {
    const last = type.split(/[/:.]/).findLast((part) => part !== '') ?? ''
    const name = last.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'credential'
    let id = name
    for (let n = 2; taken.has(id); n += 1) id = `${name}_${n}`
    taken.add(id)
    return id
  })
}

/** `meta` of each format (OpenID4VP 1.0 Appendix B). */
const META: Readonly<Record<Format, (type: string) => object>> = {
  'dc+sd-jwt': (type) => ({ vct_values: [type] }),
  jwt_vc_json: (type) => ({ type_values: [[type]] }),
  mso_mdoc: (type) => ({ doctype_value: type }),
}

function credentialQuery(draft: CredentialDraft, id: string) {
  const { format, type, retain } = draft
  const claims = askedClaims(draft).map(({ path, values }) => ({
    path: [...path],
    ...(values.length === 0 ? {} : { values: [...values] }),
    ...(format === 'mso_mdoc' && retain ? { intent_to_retain: true } : {}),
  }))
  return { id, format, meta: META[format](type.trim()), ...(claims.length === 0 ? {} : { claims }) }
}

/**
 * OpenID4VP 1.0 §6.2: a set for all required credentials, a set for the alternatives, and a set for each optional credential. Undefined if
 * all are required.
 */
function credentialSets(credentials: readonly CredentialDraft[], ids: readonly string[]) {
  const idsOfNeed = (wanted: CredentialDraft['need']) =>
    credentials.flatMap(({ need }, at) => (need === wanted ? [ids[at] ?? ''] : []))
  const [required, alternatives, optional] = (['required', 'alternative', 'optional'] as const).map(idsOfNeed)
  if (required?.length === credentials.length) return undefined
  return [
    ...(required?.length ? [{ options: [required] }] : []),
    ...(alternatives?.length ? [{ options: alternatives.map((id) => [id]) }] : []),
    ...(optional ?? []).map((id) => ({ options: [[id]], required: false })),
  ]
}

/** The DCQL query of a form (OpenID4VP 1.0 §6). */
export function dcqlOf({ credentials }: RequestForm): DcqlQuery {
  const ids = idsOf(credentials)
  const sets = credentialSets(credentials, ids)
  const query = {
    credentials: credentials.map((draft, at) => credentialQuery(draft, ids[at] ?? '')),
    ...(sets === undefined ? {} : { credential_sets: sets }),
  }
  // META returns the right `meta` for each format. The compiler cannot see this from the table.
  return query as DcqlQuery
}

const SIMPLE_NAME = /^[A-Za-z_]\w*$/

/** RFC 9535 §2.3 */
const segment = (part: string | number | null): string => {
  if (part === null) return '[*]'
  if (typeof part === 'number') return `[${part}]`
  return SIMPLE_NAME.test(part) ? `.${part}` : `['${part.replaceAll(/[\\']/g, '\\$&')}']`
}

const jsonPath = (path: ClaimsPath): string => `$${path.map(segment).join('')}`

type VpItem = VpQuery['queryBody'][number]

/** The field with which an item of a VP query names a type. */
function typeField({ configuration, format, type }: CredentialDraft): VpItem['fields'][number] {
  const name = type.trim()
  if (format === 'mso_mdoc') return { path: ['$.doctype'], filter: { const: name } }
  if (format === 'dc+sd-jwt' && configuration === '') return { path: ['$.vct'], filter: { const: name } }
  // A type of this installation has the same name in every format. For an SD-JWT VC, the name is the end of the vct.
  const known = format === 'dc+sd-jwt' ? (name.split('/').at(-1) ?? name) : name
  return { path: ['$.type'], filter: { type: 'array', contains: { const: known } } }
}

function vpItem(draft: CredentialDraft): VpItem {
  const fields = askedClaims(draft).map(({ path, values }) => ({
    path: [jsonPath(draft.format === 'dc+sd-jwt' ? ['credentialSubject', ...path] : path)],
    ...(values.length === 0 ? {} : { filter: { enum: [...values] } }),
  }))
  return { fields: [typeField(draft), ...fields] }
}

/**
 * The VP query of a form. It contains only the types, claims and values, because a VP query cannot express the other
 * fields of the form.
 */
export const vpQueryOf = ({ credentials }: RequestForm): VpItem[] => credentials.map(vpItem)

/** Whether a form has values that a VP query cannot contain. */
export const isMoreThanVpQuery = ({ credentials, trust, transactions }: RequestForm): boolean =>
  credentials.some(({ need, retain }) => need !== 'required' || retain) ||
  trust !== 'configured' ||
  transactions.length > 0
