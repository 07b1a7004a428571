import type { TRPCCombinedDataTransformer } from '@trpc/server'
import superjson from 'superjson'
import { errors } from './errors.js'

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const BEYOND_JSON = 'Input must be JSON: its meta may say which members are undefined, and nothing else'

const hasOnly = (value: JsonObject, ...names: readonly string[]) =>
  Object.keys(value).every((name) => names.includes(name))

const marksUndefined = (annotation: unknown) =>
  Array.isArray(annotation) && annotation.length === 1 && annotation[0] === 'undefined'

/** Splits a path of superjson into member names. Dots separate the names. A backslash escapes a dot or a backslash. */
function namesOn(path: string): string[] {
  const names: string[] = []
  let name = ''
  for (let at = 0; at < path.length; at += 1) {
    const escaped = path[at] === '\\' && (path[at + 1] === '.' || path[at + 1] === '\\')
    if (escaped) at += 1
    if (path[at] === '.' && !escaped) {
      names.push(name)
      name = ''
    } else name += path[at]
  }
  return [...names, name]
}

/**
 * Removes a member that superjson marks as undefined, as JSON.stringify does. An undefined array element stays null,
 * also as in JSON.stringify.
 */
function leaveOut(json: unknown, path: string): void {
  const names = namesOn(path)
  const last = names.pop() ?? ''
  let parent = json
  for (const name of names) parent = memberOf(parent, name)
  memberOf(parent, last)
  if (isObject(parent)) delete parent[last]
}

function memberOf(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) {
    throw errors.badRequest('Input meta must mark members of json')
  }
  return (parent as JsonObject)[name]
}

/** Returns the paths of undefined members, or `root` if the input itself is undefined. */
function undefinedPaths(meta: unknown): readonly string[] | 'root' {
  if (meta === undefined) return []
  if (!isObject(meta) || !hasOnly(meta, 'values', 'v')) throw errors.badRequest(BEYOND_JSON)
  const { values = {} } = meta
  if (marksUndefined(values)) return 'root'
  if (!isObject(values) || !Object.values(values).every(marksUndefined)) throw errors.badRequest(BEYOND_JSON)
  return Object.keys(values)
}

/**
 * Returns the JSON in an envelope of superjson. superjson itself is not used: it would build every value that the
 * envelope's `meta` describes, such as an array of two hundred million numbers, before a contract checks the input.
 *
 * @throws 400 if the value is no envelope, or if its meta marks a value as anything but `undefined`.
 */
function readInput(envelope: unknown): unknown {
  if (!isObject(envelope) || !hasOnly(envelope, 'json', 'meta')) {
    throw errors.badRequest('Input must be an object with the member json')
  }
  const paths = undefinedPaths(envelope.meta)
  if (paths === 'root') return undefined
  for (const path of paths) leaveOut(envelope.json, path)
  return envelope.json
}

/** True if JSON can express the whole value. Undefined members are ignored. */
function isJson(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((member) => member === undefined || isJson(member))
}

/**
 * Reads and writes the envelopes of superjson on `/trpc`, so that clients of superjson understand them. Inputs must be
 * plain JSON. JSON outputs are written without superjson, because superjson refuses members called `constructor` or
 * `prototype`, and claims may have these names. All other outputs, such as bytes and undefined, are written by
 * superjson.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: { serialize: superjson.serialize, deserialize: readInput },
  output: {
    serialize: (value) => (isJson(value) ? { json: value } : superjson.serialize(value)),
    deserialize: superjson.deserialize,
  },
}
