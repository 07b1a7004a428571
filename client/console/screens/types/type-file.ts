import { isObject, type JsonObject } from './claims.js'
import { bodyOf, draftOf, isUnreadable, type TypeBody } from './draft.js'
import { SECTION_OF } from './fields.js'

/** Kinds of values in a file. */
type Kind = 'text' | 'number' | 'boolean' | 'list' | 'object'

/** Why a file is no credential type. */
export type FileFault =
  | { readonly fault: 'notJson' | 'notObject' | 'tooLarge' }
  | { readonly fault: 'unknown' | 'missing'; readonly path: string }
  | { readonly fault: 'wrongKind'; readonly path: string; readonly kind: Kind }

/** The body of the service's call has a limit too, which is lower than this limit of a file. */
const MAX_BYTES = 2_000_000

const MAX_FAULTS = 20

/** The kind of each member of a type. The type demands an entry for each member that the service takes. */
const KIND_OF: Readonly<Record<keyof TypeBody, Kind>> = {
  name: 'text',
  version: 'number',
  schema: 'object',
  title: 'text',
  description: 'text',
  display: 'list',
  claims: 'list',
  selectivelyDisclosable: 'list',
  expiresInDays: 'number',
  validFrom: 'text',
  claimsFrom: 'object',
  keyAttestation: 'object',
  mdoc: 'object',
  suspendable: 'boolean',
  activeSets: 'object',
  onRefresh: 'text',
  watchAttestations: 'boolean',
  retention: 'object',
  claimsSource: 'object',
}

/** The kinds of members within members, by their paths. `*` is an element of a list or a member with any name. */
const KIND_WITHIN: Readonly<Record<string, Kind>> = {
  'display.*': 'object',
  'display.*.name': 'text',
  'display.*.locale': 'text',
  'display.*.description': 'text',
  'display.*.background_color': 'text',
  'display.*.text_color': 'text',
  'display.*.background_image': 'object',
  'display.*.background_image.uri': 'text',
  'display.*.background_image.image': 'text',
  'display.*.background_image.uri#integrity': 'text',
  'display.*.logo': 'object',
  'display.*.logo.uri': 'text',
  'display.*.logo.image': 'text',
  'display.*.logo.uri#integrity': 'text',
  'display.*.logo.alt_text': 'text',
  'display.*.svg_templates': 'list',
  'display.*.svg_templates.*': 'object',
  'display.*.svg_templates.*.uri': 'text',
  'display.*.svg_templates.*.image': 'text',
  'display.*.svg_templates.*.uri#integrity': 'text',
  'display.*.svg_templates.*.properties': 'object',
  'display.*.svg_templates.*.properties.orientation': 'text',
  'display.*.svg_templates.*.properties.color_scheme': 'text',
  'display.*.svg_templates.*.properties.contrast': 'text',
  'claims.*': 'object',
  'claims.*.path': 'list',
  'claims.*.display': 'list',
  'claims.*.display.*': 'object',
  'claims.*.display.*.name': 'text',
  'claims.*.display.*.locale': 'text',
  'selectivelyDisclosable.*': 'text',
  'claimsFrom.*': 'text',
  'keyAttestation.keyStorage': 'list',
  'keyAttestation.keyStorage.*': 'text',
  'keyAttestation.userAuthentication': 'list',
  'keyAttestation.userAuthentication.*': 'text',
  'mdoc.doctype': 'text',
  'mdoc.namespaces': 'object',
  'mdoc.namespaces.*': 'object',
  'mdoc.namespaces.*.*': 'text',
  'activeSets.perSubject': 'number',
  'retention.record': 'object',
  'retention.record.days': 'number',
  'retention.claims.days': 'number',
  'claimsSource.url': 'text',
  'claimsSource.method': 'text',
  'claimsSource.timeoutMs': 'number',
  'claimsSource.auth': 'object',
  'claimsSource.auth.bearer': 'text',
  'claimsSource.auth.hmac': 'text',
  'claimsSource.auth.mTLS': 'object',
  'claimsSource.auth.mTLS.certificate': 'text',
  'claimsSource.auth.mTLS.key': 'text',
}

/** Members that every value of their parent has. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '': ['name', 'schema'],
  'display.*': ['name'],
  'claims.*': ['path', 'display'],
  'claims.*.display.*': ['name', 'locale'],
  mdoc: ['doctype', 'namespaces'],
  retention: ['claims'],
  'retention.record': ['days'],
  claimsSource: ['url'],
}

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: isObject,
}

/** Members whose content is free: JSON Schema, and a path with names and null. `retention.claims` may also be a text. */
const FREE = ['schema', 'claims.*.path']
const OR_TEXT = 'retention.claims'

/** The kind of values at a pattern. A member of a file may have the name of a member of every object. */
function kindAt(pattern: string): Kind | undefined {
  if (Object.hasOwn(KIND_WITHIN, pattern)) return KIND_WITHIN[pattern]
  // A pattern without a dot may be the name of a member.
  return Object.hasOwn(KIND_OF, pattern) ? KIND_OF[pattern as keyof TypeBody] : undefined
}

/** The faults of a value at a path; `pattern` is the path with `*` for free names and positions. */
function* faultsOf(value: unknown, path: string, pattern: string): Generator<FileFault> {
  if (pattern === OR_TEXT && typeof value === 'string') return
  const kind = pattern === '' || pattern === OR_TEXT ? 'object' : kindAt(pattern)
  if (kind === undefined) return yield { fault: 'unknown', path }
  if (!IS[kind](value)) return yield { fault: 'wrongKind', path, kind }
  if (FREE.includes(pattern) || (kind !== 'object' && kind !== 'list')) return
  const members = Object.entries(value as JsonObject | readonly unknown[])
  for (const name of NEEDED[pattern] ?? [])
    if (!members.some(([other]) => other === name))
      yield { fault: 'missing', path: path === '' ? name : `${path}.${name}` }
  for (const [name, member] of members) {
    const own = pattern === '' ? name : `${pattern}.${name}`
    const isKnown = kind === 'object' && (kindAt(own) !== undefined || own === OR_TEXT)
    const any = pattern === '' ? '*' : `${pattern}.*`
    const inner = isKnown ? own : kindAt(any) !== undefined ? any : own
    yield* faultsOf(member, path === '' ? name : `${path}.${name}`, inner)
  }
}

/** The paths of members of a file that the editor would lose. */
function lostIn(given: unknown, kept: unknown, path = ''): string[] {
  // The service treats these values as if they were absent.
  if (given === false || given === undefined || (path === 'onRefresh' && given === 'keep')) return []
  if (path === 'version' || path === 'claimsSource.method') return []
  if (Array.isArray(given)) {
    const isSame = JSON.stringify(given) === JSON.stringify(kept)
    const others = Array.isArray(kept) ? kept.map((each) => JSON.stringify(each)) : []
    if (isSame || path === 'display') return []
    return given.flatMap((each, at) => (others.includes(JSON.stringify(each)) ? [] : [`${path}.${at}`]))
  }
  if (isObject(given))
    return Object.entries(given).flatMap(([name, member]) =>
      lostIn(member, isObject(kept) ? kept[name] : undefined, path === '' ? name : `${path}.${name}`),
    )
  return given === kept || (typeof given === 'string' && given.trim() === kept) ? [] : [path]
}

export type ReadFile = { readonly body: TypeBody } | { readonly faults: readonly FileFault[] }

/**
 * Reads a file with a credential type: the body of `POST /schemas` as JSON. The service checks the content when the
 * type is published.
 */
export function readTypeFile(text: string): ReadFile {
  if (text.length > MAX_BYTES) return { faults: [{ fault: 'tooLarge' }] }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { faults: [{ fault: 'notJson' }] }
  }
  if (!isObject(parsed)) return { faults: [{ fault: 'notObject' }] }
  const faults: FileFault[] = []
  for (const fault of faultsOf(parsed, '', '')) if (faults.push(fault) === MAX_FAULTS) break
  if (faults.length > 0) return { faults }
  // The checks above have looked at each member that the editor reads.
  const body = { version: 1, ...parsed } as TypeBody
  const kept = bodyOf(draftOf(body, 'en'))
  const lost = isUnreadable(kept) ? [] : lostIn(body, kept)
  return lost.length > 0 ? { faults: lost.slice(0, MAX_FAULTS).map((path) => ({ fault: 'unknown', path })) } : { body }
}

/** The members of a type in the order of the contract, as the file has them. */
export function typeFileOf(body: TypeBody): string {
  const members = Object.keys(SECTION_OF).flatMap((member) => {
    // The keys of SECTION_OF are the members of a type.
    const value = body[member as keyof TypeBody]
    return value === undefined ? [] : [[member, value]]
  })
  return `${JSON.stringify(Object.fromEntries(members), null, 2)}\n`
}
