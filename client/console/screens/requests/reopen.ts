import type { ClaimsPath, VpQuery } from '../../queries/shapes.js'
import type { Askable } from './askable.js'
import { vpQueryOf } from './queries-of.js'
import { type CredentialDraft, draftOf, type RequestForm, requestDefaults, type WrittenClaim } from './request-form.js'

type VpItem = VpQuery['queryBody'][number]
type VpField = VpItem['fields'][number]
type Value = string | number | boolean

const isValue = (value: unknown): value is Value => ['string', 'number', 'boolean'].includes(typeof value)

/** Writes values as a user would type them. A text that would be read as a number or as true or false is in quotes. */
export const valuesText = (values: readonly Value[]): string =>
  values
    .map((value) => (typeof value === 'string' ? `"${value.replaceAll(/[\\"]/g, '\\$&')}"` : String(value)))
    .join(', ')

const SEGMENT = /\.([A-Za-z_]\w*)|\[(\d{1,6})\]|\['((?:[^\\']|\\[\\'])*)'\]|(\[\*\])/y

/**
 * Converts a JSONPath (RFC 9535) of names, positions and wildcards to a claims path. Returns undefined for any other
 * JSONPath.
 */
export function claimsPathOf(jsonPath: string): ClaimsPath | undefined {
  if (!jsonPath.startsWith('$')) return undefined
  const path: (string | number | null)[] = []
  SEGMENT.lastIndex = 1
  while (SEGMENT.lastIndex < jsonPath.length) {
    const found = SEGMENT.exec(jsonPath)
    if (found === null) return undefined
    const [, name, position, quoted] = found
    if (name !== undefined) path.push(name)
    else if (position !== undefined) path.push(Number(position))
    else path.push(quoted === undefined ? null : quoted.replaceAll(/\\(.)/g, '$1'))
  }
  return path
}

/** A draft for the type that a field of an item names. The draft asks for no claims. */
function typeDraft({ path, filter = {} }: VpField, types: readonly Askable[]): CredentialDraft | undefined {
  const [at, ...others] = path
  if (others.length > 0) return undefined
  const { const: name, contains } = filter as { const?: unknown; contains?: { const?: unknown } }
  const written = (format: CredentialDraft['format'], type: string) => ({
    ...draftOf(undefined),
    format,
    type,
    written: [],
  })
  if (at === '$.type') {
    const type = contains?.const
    if (typeof type !== 'string') return undefined
    // The form shows a type of this installation in the first of its formats. The query accepts the other formats too.
    const known = types.find((each) => each.format !== 'mso_mdoc' && each.type.split('/').at(-1) === type)
    return known === undefined ? written('jwt_vc_json', type) : draftOf(known)
  }
  if (typeof name !== 'string') return undefined
  if (at === '$.vct') return written('dc+sd-jwt', name)
  if (at !== '$.doctype') return undefined
  const known = types.find(({ format, type }) => format === 'mso_mdoc' && type === name)
  return known === undefined ? written('mso_mdoc', name) : draftOf(known)
}

const namePart = (part: string | number | null): string => (part === null ? '*' : String(part))

/** A claim as a user would type it, for a path in the credential. */
const writtenClaim = ({ format }: CredentialDraft, path: ClaimsPath, values: string): WrittenClaim =>
  format === 'mso_mdoc'
    ? { namespace: namePart(path[0] ?? ''), name: namePart(path[1] ?? ''), values }
    : { namespace: '', name: (format === 'jwt_vc_json' ? path.slice(1) : path).map(namePart).join('.'), values }

/** The accepted values of a field: none, one or several; undefined if the filter is of another kind. */
function demanded({ filter }: VpField): readonly Value[] | undefined {
  if (filter === undefined) return []
  const { const: one, enum: several } = filter as { const?: unknown; enum?: unknown }
  const values = Array.isArray(several) ? several : [one]
  return values.every(isValue) ? values : undefined
}

function draftOfItem({ fields: [first, ...rest] }: VpItem, types: readonly Askable[]): CredentialDraft | undefined {
  const draft = first && typeDraft(first, types)
  if (draft === undefined) return undefined
  for (const field of rest) {
    const [jsonPath, ...others] = field.path
    const [found, values] = [claimsPathOf(jsonPath ?? ''), demanded(field)]
    if (found === undefined || values === undefined || others.length > 0) return undefined
    const path = draft.format === 'dc+sd-jwt' ? found.slice(1) : found
    const known = draft.known.find((claim) => claim.path === JSON.stringify(path))
    if (known === undefined) draft.written.push(writtenClaim(draft, path, valuesText(values)))
    else Object.assign(known, { asked: true, values: valuesText(values) })
  }
  return draft
}

/**
 * A text that is equal for items with the same meaning. The order of fields does not matter, and `const` counts as an
 * `enum` of one value.
 */
function meaning({ fields: [first, ...rest], ...item }: VpItem): string {
  const fields = rest.map((field) => {
    const { filter, ...others } = field
    const one = filter as { const?: unknown } | undefined
    return JSON.stringify({ ...others, filter: one !== undefined && 'const' in one ? { enum: [one.const] } : filter })
  })
  return JSON.stringify([item, first, fields.sort()])
}

/**
 * Fills a form with the content of a saved query. Returns undefined if this form would make a different query, because
 * no part of the query may get lost.
 */
export function reopened(items: VpQuery['queryBody'], types: readonly Askable[]): RequestForm | undefined {
  const drafts = items.map((item) => draftOfItem(item, types))
  const credentials = drafts.filter((draft) => draft !== undefined)
  const form = { ...requestDefaults(undefined), credentials }
  const made = vpQueryOf(form)
  const isSame = made.length === items.length && items.every((item, at) => meaning(item) === meaning(made[at] ?? item))
  return isSame && credentials.length > 0 ? form : undefined
}
