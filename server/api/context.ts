import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../auth/caller.js'
import type { RequestAccess } from '../auth/request-access.js'
import type { ReadList } from '../database/replica/lists.js'
import type { RecentWriters } from '../database/replica/writers.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { Work } from '../protocol/work.js'

/** The work budget of one HTTP request, for all its calls together. It is about 100 ms of processor time. */
export const WORK_PER_REQUEST = 3_000_000

/** The facts of an HTTP request that a procedure may read. */
export interface RequestFacts {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  /** The path as clients see it. `path` may be shorter, because a proxy may have removed the path of the base URL. */
  readonly publicPath: string
  readonly headers: IncomingHttpHeaders
  /** A parameter of a REST path, percent-decoded; undefined on `/trpc`, where a call has only its input. */
  pathParameter(name: string): string | undefined
  readonly requestId: string
  /** Adds the caller to the request's log line. */
  identified(caller: Caller): void
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** The header of an answer that is repeated. */
export const REPLAYED = 'idempotency-replayed'

/** The result of calling a procedure. */
export type Outcome = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: Error }

/** The reply that REST sends instead of the output. */
export interface OtherForm {
  reply?: ProtocolReply
}

/** A call that may have an `Idempotency-Key`. */
export interface KeyedCall {
  readonly headers: IncomingHttpHeaders
  /** Names of the caller. */
  readonly callers: readonly string[]
  readonly operation: string
  /** The validated input. */
  readonly input: unknown
  /** The number of calls in the HTTP request. */
  readonly calls: number
  readonly responseHeaders: Map<string, string>
  readonly otherForm: OtherForm
}

/** Calls a procedure once for each `Idempotency-Key` of a caller. Later calls get the stored outcome. */
export type Once = <Result extends Outcome>(call: KeyedCall, act: () => Promise<Result>) => Promise<Result>

export interface Context {
  readonly request: RequestFacts
  /** Identifies the sender and checks the sender's permissions. */
  readonly access: RequestAccess
  /** Runs a change that is visible in lists, and records who sent the change. */
  readonly changing: Changing
  /** Calls a procedure that creates something. */
  readonly once: Once
  /** The number of calls in the HTTP request: more than one only in a batch on `/trpc`. */
  readonly calls: number
  /** True if responses hide the cause of an unexpected error. */
  readonly production: boolean
  /** Response headers that a procedure adds, such as `Link`. */
  readonly responseHeaders: Map<string, string>
  /**
   * The reply that REST sends instead of the output. It is for requests that ask for a media type other than JSON, and for answers whose
   * status is not the usual one of the route.
   */
  readonly otherForm: OtherForm
  /** The work budget for all checks of the request. The calls of a batch share it. */
  readonly work: Work
}

/**
 * True for a HEAD request. A HEAD request must change nothing (RFC 9110 §9.2.1). Programs that make link previews send
 * HEAD.
 */
export const onlyLooks = ({ method }: Pick<RequestFacts, 'method'>): boolean => method === 'HEAD'

export interface CallerContext extends Context {
  readonly caller: Caller
}

/** The context of a list procedure. `lists` reads a list from stores of the type `Stores`. */
export interface ListContext<Stores> extends Context {
  readonly lists: ReadList<Stores>
}

type Changing = RecentWriters['changing']

/** The ports that a service puts into the context of each request. */
export interface ContextPorts {
  readonly accessOf: (request: RequestFacts) => RequestAccess
  readonly changing: Changing
  readonly once: Once
  readonly production: boolean
}

/** Makes the context of one request: the same for REST, RPC and tests. */
export function createContext(ports: ContextPorts, request: RequestFacts): Context {
  return {
    request,
    access: ports.accessOf(request),
    changing: ports.changing,
    once: ports.once,
    calls: 1,
    production: ports.production,
    responseHeaders: new Map(),
    otherForm: {},
    work: new Work(WORK_PER_REQUEST),
  }
}
