import { claimsWithin } from '../../../../server/protocol/json-schema/declared-claims.js'
import type { CredenceInputs } from '../../../index.js'
import { ifSound, walked } from '../../ui/schema-walk.js'
import { type ClaimRow, isObject, type JsonObject, type MdocElement, pathOfRow } from './claims.js'
import { type ClaimNames, claimNamesOfRow, localeOf, type TypeName } from './names.js'
import {
  beginsWith,
  type ClaimPath,
  dotted,
  mayHold,
  pathKey,
  pathOfDotted,
  pathOfPointer,
  pointerOf,
} from './paths.js'

/** The settings of a type that name claims by their paths. JSON Schema has no member for them. */
export type PathSettings = Pick<
  CredenceInputs['schemas']['create'],
  'selectivelyDisclosable' | 'claims' | 'claimsFrom' | 'mdoc'
>

/** The settings of one claim, beside the schema. */
export interface Beside {
  /** The path of the claim: a name for a member, null for every element of a list. */
  readonly path: ClaimPath
  /** Whether the holder may withhold the claim. */
  readonly selective: boolean
  /** A JSON Pointer into the claims of the sign-in; empty if the sign-in does not give the claim. */
  readonly signIn: string
  /** The data elements of the mobile document that have the value of the claim. */
  readonly elements: readonly MdocElement[]
  /** The names of the claim, in addition to its title in the schema. */
  readonly names: ClaimNames[number]['display']
}

const plain = (path: ClaimPath): Beside => ({ path, selective: false, signIn: '', elements: [], names: [] })

/** The paths of all claims that a schema declares. Empty if the schema cannot be read. */
export const declaredIn = (schema: JsonObject): ClaimPath[] =>
  ifSound(() => [...claimsWithin(walked(schema))].map(({ path }) => path)) ?? []

/** Whether a claim may be withheld unless the type says otherwise: every claim at the top level but the identifier. */
const byDefault = (path: ClaimPath): boolean => path.length === 1 && path[0] !== 'id'

const namesAtTop = (schema: JsonObject): ReadonlySet<string> => new Set(ifSound(() => walked(schema).names) ?? [])

/** The settings of a type by claim: one entry for each declared claim, and for each other path that a setting names. */
export function besideOf(schema: JsonObject, settings: PathSettings): Beside[] {
  const { selectivelyDisclosable, claims = [], claimsFrom = {}, mdoc } = settings
  const entries = new Map(declaredIn(schema).map((path) => [pathKey(path), plain(path)]))
  const change = (path: ClaimPath, changed: (entry: Beside) => Partial<Beside>) => {
    const entry = entries.get(pathKey(path)) ?? plain(path)
    entries.set(pathKey(path), { ...entry, ...changed(entry) })
  }
  const names = namesAtTop(schema)
  const selective =
    selectivelyDisclosable?.map((text) => pathOfDotted(text, names)) ??
    [...names].map((name) => [name]).filter(byDefault)
  for (const path of selective) change(path, () => ({ selective: true }))
  for (const { path, display } of claims) change(path, () => ({ names: display }))
  for (const [name, pointer] of Object.entries(claimsFrom)) change([name], () => ({ signIn: pointer }))
  for (const [namespace, members] of Object.entries(mdoc?.namespaces ?? {}))
    for (const [element, pointer] of Object.entries(members))
      change(pathOfPointer(pointer), ({ elements }) => ({ elements: [...elements, { namespace, element }] }))
  return [...entries.values()]
}

/** Fills the rows of a table with the settings of their claims. */
export function withBeside(rows: readonly ClaimRow[], beside: readonly Beside[]): ClaimRow[] {
  const entries = new Map(beside.map((entry) => [pathKey(entry.path), entry]))
  return rows.map((row) => {
    const path = pathOfRow(row.path, rows)
    const { selective, signIn, elements } = entries.get(pathKey(path)) ?? plain(path)
    const eachSelective = row.several && entries.get(pathKey([...path, null]))?.selective === true
    return { ...row, selective, eachSelective, signIn, elements: elements.map((element) => ({ ...element })) }
  })
}

/** A claim that has a new path. */
interface Move {
  readonly from: ClaimPath
  readonly to: ClaimPath
}

/** The path of a claim after its own move, or after the move of the nearest claim around it. */
function moved(path: ClaimPath, moves: readonly Move[]): ClaimPath | undefined {
  const [nearest] = moves.filter(({ from }) => beginsWith(path, from)).toSorted((a, b) => b.from.length - a.from.length)
  return nearest === undefined ? undefined : [...nearest.to, ...path.slice(nearest.from.length)]
}

/**
 * The settings after a change in the table. Rows have their own settings. Claims without a row, such as claims behind a
 * reference, follow the row around them. The settings of a removed row are removed with the claims inside it.
 *
 * @param former the settings when the table was made
 * @param shown the paths of the rows at that time
 */
export function besideOfRows(
  rows: readonly ClaimRow[],
  names: readonly TypeName[],
  former: readonly Beside[],
  shown: readonly ClaimPath[],
): Beside[] {
  const named = rows.filter(({ path }) => path.trim() !== '')
  const moves = named
    .filter(({ from }) => from !== '')
    // The code of this folder writes `from`: it is the key of a path.
    .map(({ from, path }): Move => ({ from: JSON.parse(from) as ClaimPath, to: pathOfRow(path, named) }))
  const locales = new Set(names.map((name) => localeOf(name).toLowerCase()))
  const entries = new Map<string, Beside>()
  const set = (entry: Beside) => entries.set(pathKey(entry.path), entry)
  for (const row of named) {
    const path = pathOfRow(row.path, named)
    const { selective, signIn, elements } = row
    set({ path, selective, signIn: signIn.trim(), elements, names: claimNamesOfRow(row, names) })
    if (row.several) set({ ...plain([...path, null]), selective: row.eachSelective })
  }
  const rowKeys = new Set(shown.map(pathKey))
  for (const entry of former) {
    if (rowKeys.has(pathKey(entry.path))) continue
    const path = moved(entry.path, moves)
    if (path === undefined && shown.some((above) => beginsWith(entry.path, above))) continue
    const kept = path ?? entry.path
    const own = entries.get(pathKey(kept))
    // The setting of a list's elements is in the row of the list.
    const isOfRow = own !== undefined && kept.at(-1) === null
    if (own === undefined || isOfRow)
      set({
        ...entry,
        path: kept,
        selective: isOfRow ? own.selective : entry.selective,
        names: entry.names.filter(({ locale }) => locales.has(locale.toLowerCase())),
      })
  }
  return [...entries.values()]
}

const propertiesOf = (schema: unknown): JsonObject =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {}

/** The rules of a claim without its texts, for a comparison. */
const rulesOf = (schema: unknown): string => {
  if (!isObject(schema)) return JSON.stringify(schema)
  const { title: _title, description: _description, ...rules } = schema
  return JSON.stringify(rules)
}

/** The claims that were renamed between two schemas: at the same position, with the same rules, under another name. */
function renames(before: unknown, after: unknown, above: Move = { from: [], to: [] }): Move[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)]
  const names = Object.keys(now)
  return Object.keys(old).flatMap((name, at): Move[] => {
    const other = names[at]
    const isRenamed =
      other !== undefined && !(name in now) && !(other in old) && rulesOf(old[name]) === rulesOf(now[other])
    const target = name in now ? name : isRenamed ? other : undefined
    if (target === undefined) return []
    const move = { from: [...above.from, name], to: [...above.to, target] }
    const each = { from: [...move.from, null], to: [...move.to, null] }
    const [one, two] = [old[name], now[target]]
    return [
      ...(isRenamed ? [move] : []),
      ...renames(one, two, move),
      ...(isObject(one) && isObject(two) ? renames(one.items, two.items, each) : []),
    ]
  })
}

/**
 * The settings after a change of the JSON Schema. The settings of a renamed claim stay with the claim. The settings of a
 * removed claim wait for the claim to come back. A new claim at the top level may be withheld, as a new row of the table.
 *
 * @param base the schema that the settings belong to
 * @param claims the names of claims that the user edited beside the schema
 */
export function besideOfSchema(
  schema: JsonObject,
  base: JsonObject,
  former: readonly Beside[],
  claims: ClaimNames,
): Beside[] {
  const moves = renames(base, schema)
  const known = new Set(former.map(({ path }) => pathKey(path)))
  const declared = declaredIn(schema)
  const entries = new Map(declared.map((path) => [pathKey(path), plain(path)]))
  const targets = new Set(moves.map(({ to }) => pathKey(to)))
  for (const path of declared)
    if (byDefault(path) && !known.has(pathKey(path)) && !targets.has(pathKey(path)))
      entries.set(pathKey(path), { ...plain(path), selective: true })
  for (const entry of former) {
    const path = moved(entry.path, moves) ?? entry.path
    entries.set(pathKey(path), { ...entry, path, names: [] })
  }
  const isHeld = (path: ClaimPath) => ifSound(() => mayHold(walked(schema), path)) ?? true
  const wasHeld = (path: ClaimPath) =>
    known.has(pathKey(path)) || declaredIn(base).some((each) => pathKey(each) === pathKey(path))
  for (const { path, display } of claims) {
    const to = isHeld(path) ? path : (moved(path, moves) ?? path)
    // A removed claim loses its names. Any other name without a claim is an error, which the service names.
    if (!isHeld(to) && wasHeld(path)) continue
    const entry = entries.get(pathKey(to)) ?? plain(to)
    entries.set(pathKey(to), { ...entry, names: display })
  }
  return [...entries.values()]
}

interface Publishing {
  /** Whether the type lists the claims that may be withheld, even if the list equals the default. */
  readonly listed: boolean
  /** The doctype of the mobile document; undefined without one. */
  readonly doctype: string | undefined
}

/** The settings as the service takes them, without settings of claims that the schema does not have. */
export function settingsOf(
  schema: JsonObject,
  beside: readonly Beside[],
  { listed, doctype }: Publishing,
): PathSettings {
  const order = new Map(declaredIn(schema).map((path, at) => [pathKey(path), at]))
  const placeOf = ({ path }: Beside) => order.get(pathKey(path)) ?? order.size
  const held = beside
    .filter(({ path, names }) => names.length > 0 || (ifSound(() => mayHold(walked(schema), path)) ?? true))
    .toSorted((one, other) => placeOf(one) - placeOf(other))
  const selective = held.filter((entry) => entry.selective)
  const top = [...namesAtTop(schema)].filter((name) => name !== 'id')
  const isDefault = selective.length === top.length && selective.every(({ path }) => byDefault(path))
  const claims = held.filter(({ names }) => names.length > 0)
  const signedIn = held.filter(({ path, signIn }) => signIn !== '' && path.length === 1)
  const namespaces: Record<string, Record<string, string>> = {}
  for (const { path, elements } of held)
    for (const { namespace, element } of elements) {
      if (namespace.trim() === '' && element.trim() === '') continue
      const members = namespaces[namespace.trim()] ?? {}
      namespaces[namespace.trim()] = { ...members, [element.trim()]: pointerOf(path) }
    }
  return {
    ...(!listed && isDefault ? {} : { selectivelyDisclosable: selective.map(({ path }) => dotted(path)) }),
    ...(claims.length === 0
      ? {}
      : { claims: claims.map(({ path, names }) => ({ path: [...path], display: [...names] })) }),
    ...(signedIn.length === 0
      ? {}
      : { claimsFrom: Object.fromEntries(signedIn.map(({ path, signIn }) => [path[0] ?? '', signIn])) }),
    ...(doctype === undefined ? {} : { mdoc: { doctype, namespaces } }),
  }
}
