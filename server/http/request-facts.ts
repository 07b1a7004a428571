import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { RequestFacts } from '../api/context.js'
import type { Caller } from '../auth/caller.js'
import type { Config } from '../config/config.js'

const REQUEST_ID = /^[\w.-]{1,128}$/

/**
 * Gives each request an id. If a proxy sent an id of allowed characters, this id is used. Otherwise a new id is made.
 */
export function requestId(): RequestHandler {
  return (request, response, next) => {
    const sent = request.headers['x-request-id']
    const id = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
    response.locals.requestId = id
    response.setHeader('x-request-id', id)
    next()
  }
}

/** The base URLs under which clients reach the service. */
export type BaseUrls = Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>

/** All requests share one error, since a new error would capture a stack that nobody reads. */
const CLIENT_GONE = new Error('The client is gone.')

class ExpressFacts implements RequestFacts {
  #controller: AbortController | undefined
  readonly #params: Readonly<Record<string, string>>
  readonly #baseUrls: BaseUrls
  readonly method: string
  readonly path: string
  readonly headers: Request['headers']
  readonly requestId: string
  readonly #response: Response

  constructor(request: Request, response: Response, baseUrls: BaseUrls, params: Readonly<Record<string, string>>) {
    this.method = request.method
    this.path = request.path
    this.headers = request.headers
    this.requestId = String(response.locals.requestId)
    this.#response = response
    this.#params = params
    this.#baseUrls = baseUrls
  }

  get publicPath(): string {
    const { issuerBaseUrl, verifierBaseUrl } = this.#baseUrls
    const base = new URL(this.path.startsWith('/api/v1/verifier/') ? verifierBaseUrl : issuerBaseUrl).pathname
    return `${base.replace(/\/$/, '')}${this.path}`
  }

  identified({ sub }: Caller): void {
    this.#response.locals.caller = sub
  }

  pathParameter(name: string): string | undefined {
    const value = this.#params[name]
    if (value === undefined) return undefined
    try {
      return decodeURIComponent(value)
    } catch {
      return undefined
    }
  }

  /** A signal that aborts when the client disconnects. It is made on demand, since few procedures use it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      // If the client has already disconnected, there will be no more close event. So the signal is aborted now.
      if (this.#response.destroyed && !this.#response.writableFinished) controller.abort(CLIENT_GONE)
      else {
        this.#response.once('close', () => {
          if (!this.#response.writableFinished) controller.abort(CLIENT_GONE)
        })
      }
    }
    return this.#controller.signal
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

/**
 * The facts of an HTTP request that procedures may read. @param params parameters of a REST path, still
 * percent-encoded.
 */
export function requestFacts(
  request: Request,
  response: Response,
  baseUrls: BaseUrls,
  params = NO_PARAMS,
): RequestFacts {
  return new ExpressFacts(request, response, baseUrls, params)
}
