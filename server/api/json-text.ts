import { isObject, type JsonObject } from '../protocol/json/json-object.js'
import { errors } from './errors.js'

/** Maximum nesting, more than any contract needs. Recursive functions that read the JSON later rely on this limit. */
const MAX_JSON_DEPTH = 100

/**
 * Maximum number of values, more than any contract needs. The limit is needed because each value is visited several
 * times before a request is refused.
 */
const MAX_JSON_VALUES = 20_000

/**
 * Matches Unicode escapes, and the only member name that JavaScript treats specially. A text without a match needs no
 * second check.
 */
const NEEDS_A_LOOK = /\\u|__proto__/

/** Matches a surrogate that is not part of a pair (Unicode, D71). */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Checks nesting and the number of values before parsing. Deep nesting would overflow the call stack, and a mebibyte of
 * values would delay all other requests.
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
    // Each value of an array or object except the first follows a comma.
    else if (code === 44) values += 1
  }
  if (values > MAX_JSON_VALUES) throw errors.badRequest(`Request body holds more than ${MAX_JSON_VALUES} values.`)
}

/**
 * Whether the NUL character (U+0000) in texts is accepted or refused. PostgreSQL cannot store it. A request that is not
 * stored may contain it.
 */
type Nul = 'accepted' | 'refused'

/** RFC 7493 §2.1: no lone surrogates. */
function assertText(text: string, path: string, nul: Nul): void {
  if (LONE_SURROGATE.test(text)) throw errors.badRequest(`${path || 'Request body'} must be well-formed Unicode`)
  if (nul === 'refused' && text.includes('\0')) {
    throw errors.badRequest(`${path || 'Request body'} must not contain a NUL character`)
  }
}

/**
 * Checks names and values. A member `__proto__` is refused, because it would become the prototype when the object is
 * copied.
 */
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
 * Parses and checks JSON.
 *
 * @throws 400 for a text that is no JSON, nests deeper than 100 levels, or holds more than 20,000 values. Also for lone
 * surrogates, for a member `__proto__`, and for NUL characters unless `nul` accepts them.
 */
function parseJson(text: string, nul: Nul): unknown {
  assertBounds(text)
  const value = parsed(text)
  if (NEEDS_A_LOOK.test(text)) assertPlain(value, '', nul)
  return value
}

/**
 * Checks a value from a form or an identity provider in the same way as a value in a JSON request. The value must be
 * expressible as JSON and within the nesting limit.
 *
 * @param path the value's name in messages
 */
export function assertPlainValue(value: unknown, path: string): void {
  // JSON.stringify writes the characters in question as escapes, which NEEDS_A_LOOK matches.
  if (NEEDS_A_LOOK.test(JSON.stringify(value))) assertPlain(value, path, 'refused')
}

/** Parses and checks a text that must be a JSON object. @throws 400 like `parseJson` */
export function parseJsonObject(text: string, nul: Nul): JsonObject {
  const value = parseJson(text, nul)
  if (!isObject(value)) throw errors.badRequest('Request body must be a JSON object')
  return value
}

/**
 * Checks a JSON text before a library parses it. NUL characters are refused. Malformed JSON is refused here only if the
 * text needs the second check.
 */
export function assertPlainJson(text: string): void {
  assertBounds(text)
  if (NEEDS_A_LOOK.test(text)) assertPlain(parsed(text), '', 'refused')
}
