import type { OpenApiMeta } from 'trpc-to-openapi'
import type { z } from 'zod'
import type { OAuthErrorCode } from '../protocol/oauth/error.js'
import { errors as known } from './errors.js'

/** A request body that is not JSON. A middleware of the procedure converts it to the input. */
export class TextBody {
  constructor(readonly text: string) {}
}

/** A file that is made while a client reads it. */
export interface Download {
  readonly mediaType: string
  readonly fileName: string
  /** The parts of the file, in order. Each part is made when the client has read the previous one. */
  readonly parts: AsyncIterator<string>
  /** Frees what the file occupies. It is called once the file has been sent, or can no longer be sent. */
  readonly close: () => Promise<void>
}

/** A status and its sentence. Errors of the catalogue and OAuth errors are refusals. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

/** Properties of a route that REST needs in addition to the OpenAPI description. */
export interface RestMeta {
  /** Success status; 200 unless given. */
  readonly status?: 200 | 201 | 202 | 204 | 303
  /**
   * How output and errors are sent.
   *
   * - `json` (default): the output is JSON. Errors use the API's envelope, and unknown members are refused.
   * - `protocol`: the output is `{status, headers, body}`. Errors are OAuth error bodies unless `envelope` is set.
   * - `page`: the same output with HTML for people. Errors are pages.
   * - `bytes`: the output is the body; `produces` names its media type. Errors use the envelope.
   * - `events`: a subscription, served as Server-Sent Events. Errors use the envelope.
   * - `download`: the output is a {@link Download}, sent as a file while it is read. Errors use the envelope.
   */
  readonly kind?: 'json' | 'protocol' | 'page' | 'bytes' | 'events' | 'download'
  /** Errors of this protocol route use the envelope, since the route's callers are not OAuth clients. */
  readonly envelope?: true
  /**
   * The OAuth error code that a protocol route sends if a request does not fit the contract. Default:
   * `invalid_request`.
   */
  readonly invalid?: OAuthErrorCode
  /**
   * The request must be `application/x-www-form-urlencoded` (`true`), or may be JSON too (`or-json`). Default: only
   * JSON.
   */
  readonly form?: true | 'or-json'
  /** Media type of bodies that the route accepts in addition to JSON. The raw input is then a {@link TextBody}. */
  readonly alsoConsumes?: string
  /** Maximum size of the request's body in bytes. Default: 1 MiB. With 0 the body is not read. */
  readonly maxBodyBytes?: number
  /** Media type of an answer that is not JSON. */
  readonly produces?: string
  /** Media types other than JSON that a request can ask for. */
  readonly alsoProduces?: readonly string[]
  /** The route redirects browsers to a page. It answers all other clients itself. */
  readonly leadsToPage?: true
  /** An example of the request's body, if the body's members have no examples. Used only in the OpenAPI document. */
  readonly requestExample?: Readonly<Record<string, unknown>>
  /** The JSON that a protocol route returns. Used only in the OpenAPI document. */
  readonly reply?: z.ZodType
  /** The JSON of the route's 202 answers, if it has any. Used only in the OpenAPI document. */
  readonly accepted?: z.ZodType
  /** The name of each event of a stream. Default: `session`. */
  readonly eventName?: string
  /** The JSON of each event of a stream. Used only in the type declarations for clients. */
  readonly event?: z.ZodType
  /** The route answers 304 if the client already has the current version. */
  readonly notModified?: true
  /**
   * A standard defines this route for wallets. Pages of every origin may call it, and the public listener serves it.
   * Hosted wallets may call it in this service itself.
   */
  readonly forWallets?: true
  /**
   * The public listener serves the route, although wallets do not call it. Such routes are pages for people, the files
   * of these pages, and QR codes.
   */
  readonly open?: true
  /**
   * The operation creates something. A request with an `Idempotency-Key` therefore acts once
   * (draft-ietf-httpapi-idempotency-key-header-07).
   */
  readonly idempotent?: true
  /** The rate limit does not count the route. */
  readonly counted?: false
  /** The sentences of the route's errors, one for each status. Used only in the OpenAPI document. */
  readonly refusals?: ReadonlyMap<number, string>
  readonly access: RouteAccess
}

/**
 * The callers of a route. The contract, the OpenAPI document and the authorization tests use the same words.
 *
 * The role `admin` includes ISSUER_ROLE and VERIFIER_ROLE. `server/auth/permits.ts` has the table of the roles.
 */
export type RouteAccess =
  | 'public'
  | 'optional'
  /** Only the client secret. */
  | 'issuerClient'
  | 'verifierClient'
  /**
   * The client secret, or users with the role of the half, if it is set. Operators of the half reach the records of all
   * callers. Other users reach their own records.
   */
  | 'clientOrIssuer'
  | 'clientOrVerifier'
  /** The client secret, or users of `clientOrIssuer` or `clientOrVerifier`. */
  | 'clientOrEither'
  /** The client secret, or any user. The operation decides which records the caller receives. */
  | 'clientOrUser'
  /** The client secret or the role `admin`. */
  | 'operator'
  /** An operator of a half. It has the client secret, the role `admin`, or the role of the half, if it is set. */
  | 'issuerOperator'
  | 'verifierOperator'
  /** An `issuerOperator` or a `verifierOperator`. */
  | 'eitherOperator'
  /** An `issuerOperator` for all records, and every user for their own records. */
  | 'ownerOrIssuer'
  | 'user'
  /** Users with the role of the half, if it is set. */
  | 'issuer'
  | 'verifier'
  | 'admin'
  | 'holder'
  /** A token of this service. */
  | 'wallet'
  /** A console session. On all other routes, a console session may replace the token or the secret. */
  | 'console'

/** True if errors are OAuth error bodies (RFC 6749 §5.2), not the envelope of the API. */
export const hasOAuthErrors = ({ kind, envelope }: RestMeta): boolean => kind === 'protocol' && envelope !== true

export type ProcedureMeta = OpenApiMeta<{ rest?: RestMeta }>

/**
 * The part of a contract in addition to input and output. The type parameter names the callers. It decides the type of
 * the procedure's context.
 */
export type RouteMeta<Access extends RouteAccess = RouteAccess> = ProcedureMeta & {
  readonly rest: { readonly access: Access }
}

/** One operation: its callers, address, input and output. A subscription declares no output. */
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
  /** Whole sentences with facts that the summary does not contain and that readers could easily miss. */
  readonly description: string
  readonly access: Access
  /**
   * Errors in addition to the errors that every route with this `access` has. An entry is an error with its sentence.
   * It is only a status if the sentence depends on the input.
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
  clientOrIssuer: WITHOUT_ROLE,
  clientOrVerifier: WITHOUT_ROLE,
  clientOrEither: WITHOUT_ROLE,
  clientOrUser: WITHOUT_ROLE,
  operator: WITHOUT_ROLE,
  issuerOperator: WITHOUT_ROLE,
  verifierOperator: WITHOUT_ROLE,
  eitherOperator: WITHOUT_ROLE,
  ownerOrIssuer: UNAUTHORIZED,
  user: UNAUTHORIZED,
  issuer: WITHOUT_ROLE,
  verifier: WITHOUT_ROLE,
  admin: WITHOUT_ROLE,
  holder: [...UNAUTHORIZED, known.holderDenied()],
  wallet: UNAUTHORIZED,
  console: UNAUTHORIZED,
}

/** Limit for bodies with a few parameters, in bytes. */
export const SMALL_BODY_BYTES = 65_536

/**
 * Finds path parameters whose value may have malformed percent-encoding: all parameters except `{uuid}`, since a UUID
 * contains no percent-encoding.
 */
export const DECODED_PARAMETER = /\{(?!uuid\})(\w+)\}/

/**
 * The error statuses that REST itself may cause. REST refuses unknown query members, texts that cannot be stored and
 * malformed percent-encoding. It also refuses bodies that are too long or have a wrong media type.
 */
function facadeErrors(method: 'GET' | 'POST' | 'DELETE', path: string, { kind, maxBodyBytes }: RestMeta): number[] {
  const everywhere = [429, 500, 503]
  if (method === 'POST' && maxBodyBytes !== 0) return [400, 413, 415, ...everywhere]
  return kind !== 'protocol' || DECODED_PARAMETER.test(path) ? [400, ...everywhere] : everywhere
}

const IDEMPOTENCY_ERRORS = [known.keyInUse(), known.keyOfOtherRequest()]

/** Makes the description of one procedure for OpenAPI and REST. */
export function route<Access extends RouteAccess>(
  method: 'GET' | 'POST' | 'DELETE',
  path: `/${string}`,
  options: RouteOptions<Access>,
): RouteMeta<Access> {
  const { tag, summary, description, errors = [], ...rest } = options
  // The errors of the contract are the last entries, because the document shows the last sentence if two sentences have
  // the same status.
  const all = [
    ...facadeErrors(method, path, options),
    ...ACCESS_ERRORS[options.access],
    ...(options.idempotent === true ? IDEMPOTENCY_ERRORS : []),
    ...errors,
  ]
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
