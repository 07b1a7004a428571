import { isObject, type JsonObject } from '../protocol/json/json-object.js'
import { errors } from './errors.js'

/** Maximum nesting, more than any contract needs. Recursive readers after this check rely on the limit. */
const MAX_JSON_DEPTH = 100

/** Maximum number of values, more than any contract needs. Each value is visited several times before a request is refused. */
const MAX_JSON_VALUES = 20_000

/**
 * Finds escapes, and the only member name that JavaScript treats specially. Texts without a match need no second check.
 */
const NEEDS_A_LOOK = /\\u|__proto__/

/** Matches a lone half of a surrogate pair (Unicode, D71). */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Checks nesting and the number of values before parsing. Deep nesting would overflow the stack of a recursive reader,
 * and a mebibyte of values would delay all other requests.
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
 * Whether U+0000 in texts is accepted or refused. PostgreSQL cannot store it. Requests that are not stored may contain
 * it.
 */
type Nul = 'accepted' | 'refused'

/** RFC 7493 §2.1: no lone surrogates. */
function assertText(text: string, path: string, nul: Nul): void {
  if (LONE_SURROGATE.test(text)) throw errors.badRequest(`${path || 'Request body'} must be well-formed Unicode`)
  if (nul === 'refused' && text.includes('\0')) {
    throw errors.badRequest(`${path || 'Request body'} must not contain a NUL character`)
  }
}

/** Checks names and values. A member `__proto__` would become the prototype of a copy. */
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
 * Checks a value from a form or an identity provider like the value of a JSON request. The value must be JSON within
 * the nesting limit.
 *
 * @param path the value's name in messages
 */
export function assertPlainValue(value: unknown, path: string): void {
  // JSON.stringify escapes the characters that NEEDS_A_LOOK finds.
  if (NEEDS_A_LOOK.test(JSON.stringify(value))) assertPlain(value, path, 'refused')
}

/** Parses and checks a text that must be a JSON object. @throws 400 like `parseJson` */
export function parseJsonObject(text: string, nul: Nul): JsonObject {
  const value = parseJson(text, nul)
  if (!isObject(value)) throw errors.badRequest('Request body must be a JSON object')
  return value
}

/**
 * Checks a JSON text that other code parses. NUL characters are refused. Malformed JSON is refused only if the text
 * needs the second check.
 */
export function assertPlainJson(text: string): void {
  assertBounds(text)
  if (NEEDS_A_LOOK.test(text)) assertPlain(parsed(text), '', 'refused')
}
