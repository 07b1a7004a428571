import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../auth/caller.js'
import type { RequestAccess } from '../auth/request-access.js'
import type { Lists, ReadList } from '../database/replica/lists.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { Work } from '../protocol/work.js'

/** Work that one HTTP request may cause, all of its calls together: about 100 ms of the event loop. */
export const WORK_PER_REQUEST = 3_000_000

/** What a procedure may know of the HTTP request that reached it. */
export interface RequestFacts {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  /** The path as clients see it: a proxy may have stripped the path of the base URL. */
  readonly publicPath: string
  readonly headers: IncomingHttpHeaders
  /** A parameter of a REST path, percent-decoded; undefined on `/trpc`, where all input is one value. */
  pathParameter(name: string): string | undefined
  readonly requestId: string
  /** Told whose request it is, for the log. */
  identified(caller: Caller): void
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
}

export interface Context {
  readonly request: RequestFacts
  /** Who sent the request, and what its sender may do. */
  readonly access: RequestAccess
  /** Does a change that lists show, and notes whose change it is. */
  readonly changing: Changing
  /** Whether the cause of an unexpected error stays private. */
  readonly production: boolean
  /** Response headers that a procedure adds: `Link`, say. */
  readonly responseHeaders: Map<string, string>
  /** What REST sends in the place of the output, where the request asks for another form of it. */
  readonly otherForm: { reply?: ProtocolReply }
  /** What all checks of the request may cost together; calls of a batch share it. */
  readonly work: Work
}

/** Whether the request is a HEAD, which looks and changes nothing (RFC 9110 §9.2.1): link previews send it. */
export const onlyLooks = ({ method }: Pick<RequestFacts, 'method'>): boolean => method === 'HEAD'

export interface CallerContext extends Context {
  readonly caller: Caller
}

/** The context of a list, which `lists` reads from these stores. */
export interface ListContext<Stores> extends Context {
  readonly lists: ReadList<Stores>
}

type Changing = Lists<unknown>['changing']

/** What a service puts into the context of each of its requests. */
export interface ContextPorts {
  readonly accessOf: (request: RequestFacts) => RequestAccess
  readonly changing: Changing
  readonly production: boolean
}

/** Makes the context of one request: the same for REST, RPC and tests. */
export function createContext(ports: ContextPorts, request: RequestFacts): Context {
  return {
    request,
    access: ports.accessOf(request),
    changing: ports.changing,
    production: ports.production,
    responseHeaders: new Map(),
    otherForm: {},
    work: new Work(WORK_PER_REQUEST),
  }
}
