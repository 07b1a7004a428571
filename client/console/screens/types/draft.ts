import { EACH } from '../../../../server/protocol/json-schema/applicable.js'
import type { CredenceInputs, CredenceOutputs } from '../../../index.js'
import { ifSound, walked } from '../../ui/schema-walk.js'
import {
  type ClaimRow,
  EMPTY_SCHEMA,
  emptyRow,
  isObject,
  type JsonObject,
  rowsOf,
  schemaOf,
  selectiveOf,
} from './claims.js'
import { type ClaimNames, claimNamesIn, claimNamesOf, localeOf, namesOf, type TypeName, withNames } from './names.js'

type NewVersion = CredenceInputs['schemas']['create']
type TypeVersion = CredenceOutputs['schemas']['read']

/** The form of a credential type. The table and the JSON text are two views of the same schema. */
export interface TypeDraft {
  name: string
  title: string
  description: string
  /** The type's names by language, at least one. */
  names: TypeName[]
  backgroundColor: string
  textColor: string
  /** Validity in days, as the user typed it; empty if the credential never expires. */
  expiresInDays: string
  suspendable: boolean
  /** When claims are erased; `default` if the installation decides. */
  retention: 'default' | 'never' | 'untilIssued' | 'days'
  /** Days after which claims are erased, as typed. */
  retentionDays: string
  mode: 'table' | 'json'
  rows: ClaimRow[]
  json: string
  /** Names of claims in further languages, as JSON. */
  claimsJson: string
}

export const COLORS = { backgroundColor: '#1d4fc4', textColor: '#ffffff' } as const

export const written = (schema: JsonObject | ClaimNames): string => JSON.stringify(schema, null, 2)

/** The object in a JSON text; undefined if the text is no JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function retentionDraft(version: TypeVersion | undefined): Pick<TypeDraft, 'retention' | 'retentionDays'> {
  const claims = version?.retention?.claims
  if (claims === undefined) return { retention: 'default', retentionDays: '' }
  return typeof claims === 'string'
    ? { retention: claims, retentionDays: '' }
    : { retention: 'days', retentionDays: String(claims.days) }
}

/** The retention of a draft. The console does not show the retention of records, so it comes from the previous version. */
function retentionOf({ retention, retentionDays }: TypeDraft, before: TypeVersion | undefined) {
  if (retention === 'default') return {}
  const claims = retention === 'days' ? { days: Number(retentionDays) } : retention
  const record = before?.retention?.record
  return { retention: { claims, ...(record === undefined ? {} : { record }) } }
}

/** The first draft of a new type, or of the next version of a type. */
export function draftOf(version: TypeVersion | undefined, language: string): TypeDraft {
  const [first] = version?.display ?? []
  const schema = version?.schemaBody ?? EMPTY_SCHEMA
  const names = namesOf(version, language)
  const claims = version?.claims ?? []
  const rows = rowsOf(schema, version?.selectivelyDisclosable)
  return {
    name: version?.name ?? '',
    title: version?.title ?? '',
    description: version?.description ?? '',
    names,
    backgroundColor: first?.background_color ?? COLORS.backgroundColor,
    textColor: first?.text_color ?? COLORS.textColor,
    expiresInDays: version?.expiresInDays === undefined ? '' : String(version.expiresInDays),
    suspendable: version?.suspendable === true,
    ...retentionDraft(version),
    mode: rows === undefined ? 'json' : 'table',
    rows: rows === undefined || rows.length === 0 ? [emptyRow()] : withNames(rows, claims, names),
    json: written(schema),
    claimsJson: claims.length === 0 ? '' : written(claims),
  }
}

/**
 * The schema of a draft; undefined if the JSON text is no JSON object. In table mode, the JSON text supplies the
 * members that the table does not show.
 */
export const schemaOfDraft = ({ mode, rows, json }: TypeDraft): JsonObject | undefined =>
  mode === 'json' ? objectIn(json) : schemaOf(rows, objectIn(json) ?? EMPTY_SCHEMA)

/** The names of a draft's claims in further languages. Undefined if the JSON text is not a list of names. */
export const claimNamesOfDraft = ({ mode, rows, names, claimsJson }: TypeDraft): ClaimNames | undefined =>
  mode === 'json' ? claimNamesIn(claimsJson) : claimNamesOf(rows, names, claimNamesIn(claimsJson) ?? [])

const ELEMENT = /^(?:\*|\d+)$/

/** Whether a schema declares the claim at a path, through objects and arrays. */
const declares = (schema: JsonObject, path: string): boolean =>
  path.split('.').reduce((place, step) => (ELEMENT.test(step) ? place.item(EACH) : place.member(step)), walked(schema))
    .isDeclared

/**
 * The claims inside a claim of kind `other` have no rows in the table. They stay selectively disclosable if they were
 * so before and the schema still declares them.
 */
function withinClosed(
  rows: readonly ClaimRow[],
  before: TypeVersion | undefined,
  schema: JsonObject = EMPTY_SCHEMA,
): readonly string[] {
  const closed = rows.filter(({ kind }) => kind === 'other').map(({ path }) => `${path.trim()}.`)
  const below = before?.selectivelyDisclosable?.filter((path) => closed.some((above) => path.startsWith(above))) ?? []
  return below.filter((path) => ifSound(() => declares(schema, path)) ?? true)
}

const MEMBER = /^[^.]*/

/**
 * Returns the selectively disclosable claims after a change of the schema. Claims that the schema no longer declares
 * are removed. New claims at the top level are added, because a new row of the table is selectively disclosable too.
 */
function renewed(setting: readonly string[], former: ReadonlySet<string>, schema: JsonObject): readonly string[] {
  const renew = () => [
    ...setting.filter((path) => declares(schema, path)),
    // A path separates names with dots, so it cannot contain a name with a dot.
    ...walked(schema).names.filter((name) => !former.has(name) && !name.includes('.')),
  ]
  return ifSound(renew) ?? setting
}

/**
 * Returns the selectively disclosable claims of a schema that is edited as JSON. JSON Schema has no member for
 * selective disclosure. So the choices in the table stay, and new claims at the top level are added. If the table never
 * showed the claims, the choices of the previous version stay.
 */
function selectiveInJson({ rows, json }: TypeDraft, before: TypeVersion | undefined): readonly string[] | undefined {
  const schema = objectIn(json) ?? EMPTY_SCHEMA
  const known = new Map(rows.filter(({ path }) => path.trim() !== '').map((row) => [row.path.trim(), row.selective]))
  const setting = before?.selectivelyDisclosable
  if (known.size === 0) {
    const former = new Set(ifSound(() => walked(before?.schemaBody ?? EMPTY_SCHEMA).names))
    return setting === undefined ? undefined : renewed(setting, former, schema)
  }
  const shown = rowsOf(schema, undefined)
  if (shown !== undefined) {
    const kept = shown.map((row) => ({ ...row, selective: known.get(row.path) ?? row.selective }))
    return [...selectiveOf(kept), ...withinClosed(kept, before, schema)]
  }
  const others = setting?.filter((path) => !known.has(path)) ?? []
  const former = new Set([...known.keys()].map((path) => MEMBER.exec(path)?.[0] ?? path))
  return renewed([...selectiveOf(rows), ...others], former, schema)
}

/** The draft's selectively disclosable claims. */
function disclosureOf(draft: TypeDraft, before: TypeVersion | undefined) {
  const selective =
    draft.mode === 'json'
      ? selectiveInJson(draft, before)
      : [...selectiveOf(draft.rows), ...withinClosed(draft.rows, before, schemaOfDraft(draft))]
  return selective === undefined ? {} : { selectivelyDisclosable: [...selective] }
}

/**
 * Makes the input of the call that publishes a draft as a new version. Members that the console does not show come from
 * the previous version.
 */
export function newVersion(
  draft: TypeDraft,
  schema: JsonObject,
  claims: ClaimNames,
  before: TypeVersion | undefined,
): NewVersion {
  const [first, ...further] = draft.names
  // The titles in the schema are in this language, so the language is sent even if it has no name.
  const named = {
    locale: localeOf(first ?? { locale: '' }),
    name: first?.name.trim() || draft.title.trim() || draft.name.trim(),
  }
  const names = [named, ...further.filter(({ name }) => name.trim() !== '')]
  return {
    name: draft.name.trim(),
    version: before === undefined ? 1 : Math.floor(before.version) + 1,
    schema: { ...schema },
    ...(draft.title.trim() === '' ? {} : { title: draft.title.trim() }),
    ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
    display: names.map((entry) => ({
      ...before?.display?.find(({ locale = '' }) => localeOf({ locale }) === localeOf(entry)),
      name: entry.name.trim(),
      locale: localeOf(entry),
      background_color: draft.backgroundColor,
      text_color: draft.textColor,
    })),
    ...(claims.length === 0 ? {} : { claims }),
    ...disclosureOf(draft, before),
    ...(draft.expiresInDays.trim() === '' ? {} : { expiresInDays: Number(draft.expiresInDays) }),
    ...(draft.suspendable ? { suspendable: true } : {}),
    ...retentionOf(draft, before),
    ...(before?.claimsFrom === undefined ? {} : { claimsFrom: before.claimsFrom }),
    ...(before?.keyAttestation === undefined ? {} : { keyAttestation: before.keyAttestation }),
    ...(before?.mdoc === undefined ? {} : { mdoc: before.mdoc }),
  }
}

const INNER = /^schema\.((?:properties\.[^.]+\.?)+)/

/** Returns the field of the form for a path in the input of the call. */
export function fieldOfPath(path: string, { mode, rows }: TypeDraft): string | undefined {
  if (path.startsWith('schema')) {
    if (mode === 'json') return 'json'
    const names =
      INNER.exec(path)?.[1]
        ?.split('.')
        .filter((part, at) => at % 2 === 1 && part !== '') ?? []
    const at = rows.findIndex((row) => row.path.trim() === names.join('.'))
    return at < 0 ? undefined : `rows.${at}.path`
  }
  const claim = /^claims\.(\d+)/.exec(path)
  if (claim !== null) return mode === 'json' ? 'claimsJson' : undefined
  const display = /^display\.(\d+)\.(name|locale)$/.exec(path)
  if (display !== null) return `names.${display[1]}.${display[2]}`
  if (path.startsWith('retention.claims')) return 'retentionDays'
  return ['name', 'title', 'description', 'expiresInDays'].find((field) => field === path)
}
