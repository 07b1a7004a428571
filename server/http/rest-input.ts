import type { Request, Response } from 'express'
import { acceptsRequestBody } from 'trpc-to-openapi'
import { TextBody } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { parseJsonObject } from '../api/json-text.js'
import { unknownProperty } from '../api/validation.js'
import { OAuthError } from '../protocol/oauth/error.js'
import { mediaType, readText } from './body.js'
import type { Route, RouteMatch } from './routes.js'

type Input = Record<string, unknown>

const FORM = 'application/x-www-form-urlencoded'
/** Maximum number of form parameters, more than any endpoint needs. */
const MAX_FORM_PARAMETERS = 1_000

/** An object without a prototype: `__proto__` in a body stays an ordinary property, and is refused as unknown. */
const emptyInput = (): Input => Object.create(null)

function decodeParams(params: Readonly<Record<string, string>>): Input {
  const decoded = emptyInput()
  for (const [name, value] of Object.entries(params)) {
    try {
      decoded[name] = decodeURIComponent(value)
    } catch {
      throw errors.notDecoded(name)
    }
  }
  return decoded
}

function coerce(route: Route, name: string, value: string): unknown {
  if (route.numbers.has(name) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (route.booleans.has(name) && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/**
 * Reads the members of a query. A single value is converted to the type that the contract expects. A repeated name
 * becomes a list of texts.
 */
export function queryOf(route: Route, params: Iterable<readonly [name: string, value: string]>): Input {
  const texts = new Map<string, string[]>()
  for (const [name, value] of params) {
    const others = texts.get(name)
    if (others === undefined) texts.set(name, [value])
    else others.push(value)
  }
  const query = emptyInput()
  for (const [name, [value = '', ...others]] of texts) {
    query[name] = others.length === 0 ? coerce(route, name, value) : [value, ...others]
  }
  return query
}

function formOf(text: string): Input {
  // The number of parameters is checked before a parameter is parsed. Parsing a mebibyte of parameters would delay all
  // other requests.
  if (text.split('&', MAX_FORM_PARAMETERS + 1).length > MAX_FORM_PARAMETERS) {
    throw new OAuthError('invalid_request', `The form has more than ${MAX_FORM_PARAMETERS} parameters.`)
  }
  const form = emptyInput()
  for (const [name, value] of new URLSearchParams(text)) {
    // RFC 6749 §3.2: request parameters must not be included more than once.
    if (name in form) throw new OAuthError('invalid_request', `Parameter ${name} is given more than once.`)
    form[name] = value
  }
  return form
}

/** True if a standard, not this API, defines the members of a request. */
const isStandards = ({ rest: { kind } }: Route): boolean => kind === 'protocol' || kind === 'page'

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/**
 * Parses a JSON body. Requests of wallets may contain NUL characters, since these requests are not stored unchanged.
 */
function jsonObject(route: Route, text: string): Input {
  return Object.assign(emptyInput(), parseJsonObject(text, isStandards(route) ? 'accepted' : 'refused'))
}

async function bodyOf(route: Route, request: Request, response: Response): Promise<Input | TextBody> {
  const { form, alsoConsumes, maxBodyBytes } = route.rest
  if (!acceptsRequestBody(route.method) || maxBodyBytes === 0) return emptyInput()
  const text = await readText(request, response, maxBodyBytes)
  if (text.trim() === '') return emptyInput()
  const type = mediaType(request)
  if (alsoConsumes !== undefined && type === alsoConsumes) return new TextBody(text)
  if (form !== undefined && type === FORM) return formOf(text)
  if (form !== true && (type === undefined || isJson(type))) return jsonObject(route, text)
  throw errors.unsupportedMediaType(type || 'unknown')
}

/**
 * The input object of a procedure, from path, query and body. On JSON routes of this API, a name from the path must not
 * occur in the query or body, and a POST must have no query. Both faults are refused as unknown properties. Protocol
 * routes ignore the query of a POST (RFC 6749 §3.1, §3.2: unrecognised parameters are ignored, and secrets never travel
 * in a query). A text body (`alsoConsumes`) is the whole input.
 */
export async function restInput(
  match: RouteMatch,
  search: string,
  request: Request,
  response: Response,
): Promise<Input | TextBody> {
  const { route } = match
  const path = decodeParams(match.params)
  const protocol = isStandards(route)
  const takesQuery = !acceptsRequestBody(route.method)
  const query = takesQuery || !protocol ? queryOf(route, new URLSearchParams(search)) : emptyInput()
  if (!takesQuery) refuseMembers(Object.keys(query))
  const body = await bodyOf(route, request, response)
  if (body instanceof TextBody) return body
  const sent = Object.assign(query, body, lastEventId(route, request))
  if (!protocol) refuseMembers(Object.keys(sent).filter((name) => name in path))
  return Object.assign(sent, path)
}

/** A stream continues after the event in the header `Last-Event-ID` (HTML §9.2.3). */
function lastEventId(route: Route, { headers }: Request): Input {
  const sent = route.rest.kind === 'events' ? headers['last-event-id'] : undefined
  return typeof sent === 'string' ? { lastEventId: sent } : {}
}

function refuseMembers(names: readonly string[]): void {
  if (names.length > 0) throw errors.invalid(names.map(unknownProperty))
}
