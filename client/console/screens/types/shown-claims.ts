import { type ClaimPath, pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import type { FieldKind } from '../../../../server/protocol/json-schema/form.js'
import { type Part, planOf } from '../../ui/schema-form/plan.js'
import { type ClaimRow, type JsonObject, type Kind, pathOfRow, rowsOf } from './claims.js'
import { dotted } from './paths.js'

const KINDS_OF_FIELDS: Readonly<Record<FieldKind, Kind>> = {
  text: 'text',
  long: 'text',
  choice: 'text',
  time: 'time',
  date: 'date',
  dateTime: 'dateTime',
  email: 'email',
  link: 'link',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  lines: 'other',
  numbers: 'other',
  json: 'other',
}

/** The parts of a claim that a read-only table shows. */
export type ShownClaim = Pick<ClaimRow, 'path' | 'title' | 'kind' | 'required' | 'selective' | 'values'> &
  Partial<Pick<ClaimRow, 'several'>>

/**
 * All claims of a schema for a read-only table, also the claims that references and combinations declare.
 *
 * @param titles titles of claims, by `pathKey`
 */
export function shownClaims(
  schema: JsonObject,
  selective: readonly string[] | undefined,
  titles: ReadonlyMap<string, string>,
): ShownClaim[] {
  const rows = rowsOf(schema, selective) ?? []
  const titleOf = (path: ClaimPath) => titles.get(pathKey(path)) ?? ''
  /** A list, and the claims in its elements. */
  const listed = (list: ClaimRow): ShownClaim[] =>
    rows
      .filter((row) => row === list || row.path.startsWith(`${list.path}.`))
      .map((row) => {
        const path = pathOfRow(row.path, rows)
        const { kind, several, required, values } = row
        const mayWithhold = selective?.includes(dotted(path)) ?? path.length === 1
        return { path: row.path, title: titleOf(path), kind, several, required, selective: mayWithhold, values }
      })
  const shown = (part: Part): ShownClaim[] => {
    const { path: names, required } = part
    const path = names.join('.')
    const list = rows.find((row) => row.several && row.path === path)
    if (list !== undefined) return listed(list)
    const about = {
      path,
      title: titleOf(names),
      required,
      selective: selective?.includes(path) ?? names.length === 1,
    }
    if (part.kind === 'group') return [{ ...about, kind: 'group', values: '' }, ...part.parts.flatMap(shown)]
    const image = rows.find((row) => row.path === path && (row.kind === 'image' || row.kind === 'portrait'))
    const kind = image?.kind ?? KINDS_OF_FIELDS[part.kind]
    return [
      { ...about, kind, values: part.choices.map((value, at) => part.choiceTitles?.[at] ?? String(value)).join(', ') },
    ]
  }
  return planOf(schema).flatMap(shown)
}

/** The parts of a claim that are compared, each with the members of its row. */
const PARTS = {
  title: ['title'],
  further: ['further'],
  kind: ['kind', 'several'],
  values: ['values', 'valueTitles'],
  required: ['required'],
  selective: ['selective', 'eachSelective'],
  rest: ['rest', 'listRest', 'description'],
} as const satisfies Readonly<Record<string, readonly (keyof ClaimRow)[]>>
export type ClaimPart = keyof typeof PARTS

const isSamePart = (one: ClaimRow, other: ClaimRow, part: ClaimPart): boolean =>
  PARTS[part].every((member) => JSON.stringify(one[member]) === JSON.stringify(other[member]))

/** A claim that differs between two versions, with the changed parts. */
export interface Difference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly parts?: readonly ClaimPart[]
}

/** The claims that differ between two schemas. */
export function differences(before: readonly ClaimRow[], after: readonly ClaimRow[]): Difference[] {
  const old = new Map(before.map((row) => [row.path, row]))
  const now = new Map(after.map((row) => [row.path, row]))
  const added = [...now.keys()].filter((path) => !old.has(path)).map((path) => ({ path, change: 'added' as const }))
  return [...old]
    .flatMap(([path, row]): Difference[] => {
      const other = now.get(path)
      if (other === undefined) return [{ path, change: 'removed' }]
      // The keys of PARTS are its parts.
      const parts = (Object.keys(PARTS) as ClaimPart[]).filter((part) => !isSamePart(row, other, part))
      return parts.length === 0 ? [] : [{ path, change: 'changed', parts }]
    })
    .concat(added)
}
