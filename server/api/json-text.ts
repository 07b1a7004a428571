import { isObject, type JsonObject } from '../protocol/json/json-object.js'
import { errors } from './errors.js'

/** Deeper JSON than any contract needs; recursive readers further down rely on it. */
const MAX_JSON_DEPTH = 100

/** More values than any contract has use for: each is looked at several times until a request is refused. */
const MAX_JSON_VALUES = 20_000

/** Escapes, and the one name that JavaScript treats as more than a name: texts without either need no second look. */
const NEEDS_A_LOOK = /\\u|__proto__/

/** A code point of its own that is half of a pair (Unicode, D71). */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Nesting and values are counted before parsing: a recursive reader would overflow the stack on the one, and a mebibyte of
 * the others would hold up everybody else.
 *
 * @throws 400
 */
function assertBounds(text: string): void {
  let depth = 0
  let values = 1
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 92) at += 1
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      depth += 1
      values += 1
      if (depth > MAX_JSON_DEPTH) throw errors.badRequest('Request body is nested too deeply.')
    } else if (code === 125 || code === 93) depth -= 1
    // Every value of an array or object but its first stands behind a comma.
    else if (code === 44) values += 1
  }
  if (values > MAX_JSON_VALUES) throw errors.badRequest(`Request body holds more than ${MAX_JSON_VALUES} values.`)
}

/** Whether texts may contain U+0000. PostgreSQL cannot store it; requests that are not stored may contain it. */
type Nul = 'accepted' | 'refused'

/** RFC 7493 §2.1: no lone surrogates. */
function assertText(text: string, path: string, nul: Nul): void {
  if (LONE_SURROGATE.test(text)) throw errors.badRequest(`${path || 'Request body'} must be well-formed Unicode`)
  if (nul === 'refused' && text.includes('\0')) {
    throw errors.badRequest(`${path || 'Request body'} must not contain a NUL character`)
  }
}

/** Looks at names and values. A `__proto__` would become the prototype of a copy. */
function assertPlain(value: unknown, path: string, nul: Nul): void {
  if (typeof value === 'string') assertText(value, path, nul)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') throw errors.badRequest('property __proto__ should not exist')
    assertText(name, path, nul)
    assertPlain(member, path === '' ? name : `${path}.${name}`, nul)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw errors.malformedJson()
  }
}

/**
 * @throws 400 for text that is no JSON, nests deeper than 100 levels, or holds more than 20,000 values, lone surrogates, a
 * member `__proto__` or, unless they are accepted, NUL characters.
 */
function parseJson(text: string, nul: Nul): unknown {
  assertBounds(text)
  const value = parsed(text)
  if (NEEDS_A_LOOK.test(text)) assertPlain(value, '', nul)
  return value
}

/**
 * The same refusals for a value that did not come as the JSON of a request: what a form says, or an identity provider. It must be
 * JSON that nests within bounds.
 *
 * @param path what the messages call it
 */
export function assertPlainValue(value: unknown, path: string): void {
  // JSON.stringify escapes what the look is for.
  if (NEEDS_A_LOOK.test(JSON.stringify(value))) assertPlain(value, path, 'refused')
}

/** The same for text that must be an object. */
export function parseJsonObject(text: string, nul: Nul): JsonObject {
  const value = parseJson(text, nul)
  if (!isObject(value)) throw errors.badRequest('Request body must be a JSON object')
  return value
}

/** The same refusals, NUL characters among them, for text that somebody else parses; malformed JSON passes unless it needs a second look. */
export function assertPlainJson(text: string): void {
  assertBounds(text)
  if (NEEDS_A_LOOK.test(text)) assertPlain(parsed(text), '', 'refused')
}
