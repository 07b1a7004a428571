import type { CredenceInputs } from '../../../index.js'
import { type Beside, besideOf, besideOfRows, besideOfSchema, settingsOf, withBeside } from './beside.js'
import {
  type ClaimRow,
  EMPTY_SCHEMA,
  emptyRow,
  isObject,
  type JsonObject,
  pathOfRow,
  rowsOf,
  schemaOf,
} from './claims.js'
import {
  type ClaimNames,
  claimNamesIn,
  displayOf,
  NO_LOOK,
  namesOf,
  type TypeName,
  withLanguages,
  withNames,
} from './names.js'
import type { ClaimPath } from './paths.js'
import { memberSettings, type Settings, settingsDraft } from './settings.js'

/** A credential type as the service takes it: the body of `POST /schemas`. */
export type TypeBody = CredenceInputs['schemas']['create']

/**
 * The form of a credential type. The table and the JSON text are two views of the same schema. The settings of claims
 * that JSON Schema cannot hold are in the rows of the table, and in `beside` while the schema is edited as JSON.
 */
export interface TypeDraft extends Settings {
  name: string
  version: string
  title: string
  description: string
  /** The type's names by language, at least one. */
  names: TypeName[]
  /** Whether the type is also issued as a mobile document. */
  hasMdoc: boolean
  doctype: string
  /** Whether the type lists the claims that may be withheld, even if the list equals the default. */
  listed: boolean
  mode: 'table' | 'json'
  rows: ClaimRow[]
  json: string
  /** Names of claims in further languages, as JSON. */
  claimsJson: string
  /** The settings of claims by path, for the schema in `base`. */
  beside: readonly Beside[]
  /** The schema that `beside` and the origins of the rows belong to. */
  base: JsonObject
}

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

const claimsText = (claims: ClaimNames): string => (claims.length === 0 ? '' : written(claims))

const namesOfBeside = (beside: readonly Beside[]): ClaimNames =>
  beside.filter(({ names }) => names.length > 0).map(({ path, names }) => ({ path: [...path], display: [...names] }))

/** The rows of a table for a schema and its settings; at least one row. */
function tableOf(rows: readonly ClaimRow[], beside: readonly Beside[], names: readonly TypeName[]): ClaimRow[] {
  return rows.length === 0 ? [emptyRow()] : withNames(withBeside(rows, beside), namesOfBeside(beside), names)
}

/**
 * The draft of a type.
 *
 * @param body the type; undefined for a new type
 * @param language the language of a new type's name
 */
export function draftOf(body: TypeBody | undefined, language: string): TypeDraft {
  const schema = body?.schema ?? EMPTY_SCHEMA
  // The titles of a type without names are in English, as in its metadata.
  const names = namesOf(body ?? {}, body === undefined ? language : 'en')
  const beside = besideOf(schema, body ?? {})
  const rows = rowsOf(schema, undefined)
  return {
    ...settingsDraft(body),
    name: body?.name ?? '',
    version: String(body?.version ?? 1),
    title: body?.title ?? '',
    description: body?.description ?? '',
    names,
    hasMdoc: body?.mdoc !== undefined,
    doctype: body?.mdoc?.doctype ?? '',
    listed: body?.selectivelyDisclosable !== undefined,
    mode: rows === undefined ? 'json' : 'table',
    rows: tableOf(rows ?? [], beside, names),
    json: written(schema),
    claimsJson: claimsText(namesOfBeside(beside)),
    beside,
    base: schema,
  }
}

/** The schema of a draft with the settings of its claims. */
export interface Settled {
  readonly schema: JsonObject
  readonly beside: readonly Beside[]
}

/** The field whose text is not what it should be. */
export interface Unreadable {
  readonly wrong: 'json' | 'claimsJson'
}

const pathsOfRows = (rows: readonly ClaimRow[]): ClaimPath[] => rows.map(({ path }) => pathOfRow(path, rows))

/** The schema of a draft and the settings of its claims, from the view that the user edits. */
export function settled(draft: TypeDraft): Settled | Unreadable {
  const { mode, rows, names, json, base, beside } = draft
  if (mode === 'table') {
    const shown = pathsOfRows(rowsOf(base, undefined) ?? [])
    return { schema: schemaOf(rows, base), beside: besideOfRows(rows, names, beside, shown) }
  }
  const schema = objectIn(json)
  if (schema === undefined) return { wrong: 'json' }
  const claims = claimNamesIn(draft.claimsJson)
  if (claims === undefined) return { wrong: 'claimsJson' }
  return { schema, beside: besideOfSchema(schema, base, beside, claims) }
}

/** The draft with its schema as JSON. Undefined if the draft cannot be read. */
export function asJson(draft: TypeDraft): TypeDraft | undefined {
  const now = settled(draft)
  if ('wrong' in now) return undefined
  return {
    ...draft,
    mode: 'json',
    json: written(now.schema),
    claimsJson: claimsText(namesOfBeside(now.beside)),
    beside: now.beside,
    base: now.schema,
  }
}

/** The draft with its schema as a table, or the reason against it. `notInTable`: the table cannot show the schema. */
export function asTable(draft: TypeDraft): TypeDraft | Unreadable | 'notInTable' {
  const now = settled(draft)
  if ('wrong' in now) return now
  const rows = rowsOf(now.schema, undefined)
  if (rows === undefined) return 'notInTable'
  const names = withLanguages(draft.names, namesOfBeside(now.beside))
  return {
    ...draft,
    mode: 'table',
    names,
    rows: tableOf(rows, now.beside, names),
    json: written(now.schema),
    beside: now.beside,
    base: now.schema,
  }
}

function displayMember(draft: TypeDraft): Required<Pick<TypeBody, 'display'>> {
  const [first, ...further] = draft.names
  // The titles in the schema are in this language, so the language is sent even if it has no name.
  const name = first?.name.trim() || draft.title.trim() || draft.name.trim()
  return {
    display: [
      displayOf(first ?? { ...NO_LOOK, name, locale: '' }, name),
      ...further.filter((entry) => entry.name.trim() !== '').map((entry) => displayOf(entry, entry.name.trim())),
    ],
  }
}

/** The body of the call that publishes a draft, or the field that cannot be read. */
export function bodyOf(draft: TypeDraft): TypeBody | Unreadable {
  const now = settled(draft)
  if ('wrong' in now) return now
  const doctype = draft.hasMdoc ? draft.doctype.trim() : undefined
  const { claimsFrom, ...beside } = settingsOf(now.schema, now.beside, { listed: draft.listed, doctype })
  return {
    name: draft.name.trim(),
    version: Number(draft.version),
    schema: { ...now.schema },
    ...(draft.title.trim() === '' ? {} : { title: draft.title.trim() }),
    ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
    ...displayMember(draft),
    ...beside,
    ...memberSettings(draft),
    // A type with a claims source takes no claims from the sign-in.
    ...(claimsFrom === undefined || draft.sourceUrl.trim() !== '' ? {} : { claimsFrom }),
  }
}

/** Whether the outcome of reading a draft is an error. */
export const isUnreadable = (outcome: TypeBody | Unreadable): outcome is Unreadable => 'wrong' in outcome
