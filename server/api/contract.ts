import type { OpenApiMeta } from 'trpc-to-openapi'
import type { z } from 'zod'
import type { OAuthErrorCode } from '../protocol/oauth/error.js'
import { errors as known } from './errors.js'

/** A body that is not JSON, for a middleware of the procedure to make an input of. */
export class TextBody {
  constructor(readonly text: string) {}
}

/** A status and the sentence that goes with it. Errors of the catalogue and OAuth errors are refusals. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

/** What the REST façade must know of a route beyond its OpenAPI description. */
export interface RestMeta {
  /** Success status; 200 unless given. */
  readonly status?: 200 | 201 | 204 | 303
  /**
   * `json` (default): the interface's envelope and whitelisting. `protocol`: the output is `{status, headers, body}` and
   * errors are OAuth error bodies unless `envelope` says otherwise. `page`: the same output, HTML for people, and its errors
   * are pages. `bytes`: the output is the body, of the media type that `produces` names. `events`: a subscription, served
   * as Server-Sent Events. The errors of both are the envelope.
   */
  readonly kind?: 'json' | 'protocol' | 'page' | 'bytes' | 'events'
  /** Errors of a protocol route are the envelope: whoever asks for it is no OAuth client. */
  readonly envelope?: true
  /** The OAuth error code of a request that its contract refuses, on protocol routes; `invalid_request` unless given. */
  readonly invalid?: OAuthErrorCode
  /** The request is `application/x-www-form-urlencoded`: `true` it and nothing else, `or-json` either. JSON unless given. */
  readonly form?: true | 'or-json'
  /** Media type of a body that it takes beside JSON: its raw input is then a {@link TextBody}. */
  readonly alsoConsumes?: string
  /** Bytes that the request's body may have; 1 MiB unless given. 0: whatever is sent is not read. */
  readonly maxBodyBytes?: number
  /** Media type of the answer where it is not JSON. */
  readonly produces?: string
  /** Media types of what it answers beside JSON, where the request asks for it. */
  readonly alsoProduces?: readonly string[]
  /** Whether it sends browsers on to a page, where it answers others. */
  readonly leadsToPage?: true
  /** A request's body, where no example follows from its members; for the document alone. */
  readonly requestExample?: Readonly<Record<string, unknown>>
  /** The JSON that a protocol route answers with; for the document alone. */
  readonly reply?: z.ZodType
  /** The JSON of its 202 answers, where it has any; for the document alone. */
  readonly accepted?: z.ZodType
  /** The name of each event of a stream; `session` unless given. */
  readonly eventName?: string
  /** What each event of a stream holds as JSON; for the client's declarations alone. */
  readonly event?: z.ZodType
  /** Whether it answers 304 to who has it already. */
  readonly notModified?: true
  /**
   * Wallets call it by a standard. Pages of every origin may, the public listener has it, and hosted wallets of this service
   * may ask it of this service.
   */
  readonly forWallets?: true
  /** The public listener has it, although no wallet calls it: pages for people, their files, codes to scan. */
  readonly open?: true
  /** Whether the rate limit counts it; unless given it does. */
  readonly counted?: false
  /** The sentences of its refusals, one for each status; for the document alone. */
  readonly refusals?: ReadonlyMap<number, string>
  readonly access: RouteAccess
}

/**
 * Who may call a route. The contract, the OpenAPI document and the authorization tests use the same words.
 *
 * - `issuer`, `verifier`: users, with ISSUER_ROLE or VERIFIER_ROLE where that role is set.
 * - `issuerOperator`, `verifierOperator`: callers who see what all callers made. They have the client secret, the role `admin`, or
 *   ISSUER_ROLE or VERIFIER_ROLE where that role is set. `eitherOperator` asks for one of the two.
 * - `operator`: the client secret or the role `admin`.
 * - `issuerClient`, `verifierClient`: the client secret.
 * - `wallet`: a token of this service.
 * - `console`: a session of the console, which counts as token or secret on other routes.
 */
export type RouteAccess =
  | 'public'
  | 'optional'
  | 'issuerClient'
  | 'verifierClient'
  | 'clientOrVerifier'
  | 'operator'
  | 'issuerOperator'
  | 'verifierOperator'
  | 'eitherOperator'
  | 'user'
  | 'issuer'
  | 'verifier'
  | 'admin'
  | 'holder'
  | 'wallet'
  | 'console'

/** Whether errors are OAuth error bodies (RFC 6749 §5.2) rather than the interface's envelope. */
export const hasOAuthErrors = ({ kind, envelope }: RestMeta): boolean => kind === 'protocol' && envelope !== true

export type ProcedureMeta = OpenApiMeta<{ rest?: RestMeta }>

/** What a contract says of its procedure beside input and output. Its type names who may call it, so that the procedure is made for them. */
export type RouteMeta<Access extends RouteAccess = RouteAccess> = ProcedureMeta & {
  readonly rest: { readonly access: Access }
}

/** One operation: who may call it and where, what it takes and what it answers. A subscription has no output. */
export interface Contract<
  Access extends RouteAccess = RouteAccess,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly meta: RouteMeta<Access>
  readonly input: Input
  readonly output?: Output
}

export interface RouteOptions<Access extends RouteAccess> extends Omit<RestMeta, 'access'> {
  readonly tag: string
  readonly summary: string
  /** Whole sentences: what it does beyond its summary, and what is easily missed. */
  readonly description: string
  readonly access: Access
  /**
   * Refusals beyond those that its access and the façade imply: an error with its sentence, or a status alone where the
   * sentence depends on the input.
   */
  readonly errors?: readonly (number | Refusal)[]
}

const UNAUTHORIZED = [known.unauthorized()]
const WITHOUT_ROLE = [...UNAUTHORIZED, known.insufficientRole()]

const ACCESS_ERRORS: Readonly<Record<RouteAccess, readonly Refusal[]>> = {
  public: [],
  optional: UNAUTHORIZED,
  issuerClient: UNAUTHORIZED,
  verifierClient: UNAUTHORIZED,
  clientOrVerifier: WITHOUT_ROLE,
  operator: WITHOUT_ROLE,
  issuerOperator: WITHOUT_ROLE,
  verifierOperator: WITHOUT_ROLE,
  eitherOperator: WITHOUT_ROLE,
  user: UNAUTHORIZED,
  issuer: WITHOUT_ROLE,
  verifier: WITHOUT_ROLE,
  admin: WITHOUT_ROLE,
  holder: [...UNAUTHORIZED, known.holderDenied()],
  wallet: UNAUTHORIZED,
  console: UNAUTHORIZED,
}

/** For bodies of a few parameters. */
export const SMALL_BODY_BYTES = 65_536

/** A parameter of a path whose percent-encoding may be malformed; a UUID has none. */
export const DECODED_PARAMETER = /\{(?!uuid\})(\w+)\}/

/** The façade itself may answer these: to an unknown query member, an unstorable text or malformed percent-encoding, to a body too long or of another type. */
function facadeErrors(method: 'GET' | 'POST' | 'DELETE', path: string, { kind, maxBodyBytes }: RestMeta): number[] {
  const everywhere = [429, 500, 503]
  if (method === 'POST' && maxBodyBytes !== 0) return [400, 413, 415, ...everywhere]
  return kind !== 'protocol' || DECODED_PARAMETER.test(path) ? [400, ...everywhere] : everywhere
}

/** The OpenAPI and façade description of one procedure. */
export function route<Access extends RouteAccess>(
  method: 'GET' | 'POST' | 'DELETE',
  path: `/${string}`,
  options: RouteOptions<Access>,
): RouteMeta<Access> {
  const { tag, summary, description, errors = [], ...rest } = options
  // The contract's own come last: of two sentences with one status the document shows them.
  const all = [...facadeErrors(method, path, options), ...ACCESS_ERRORS[options.access], ...errors]
  const statusOf = (error: number | Refusal) => (typeof error === 'number' ? error : error.status)
  const statuses = [...new Set(all.map(statusOf))].sort((a, b) => a - b)
  const refusals = all.filter((error) => typeof error !== 'number')
  return {
    openapi: {
      method,
      path,
      tags: [tag],
      summary,
      description,
      protect: options.access !== 'public',
      errorResponses: statuses,
    },
    rest: { ...rest, refusals: new Map(refusals.map(({ status, message }) => [status, message])) },
  }
}
