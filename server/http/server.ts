import { createServer, type Server, type ServerOptions, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import { createRequestClass } from './bounded-request.js'

/** An application to serve, without its `listen`, which would make another server. */
export type App = Omit<Express, 'listen'>

export interface AppServer {
  readonly server: Server
  /**
   * Sends requests to this application from now on; no request is answered before this call. Call it once for each
   * server.
   */
  serve(app: App): void
}

/**
 * A server whose requests and responses have an application's prototypes from the start. Express changes the prototype
 * of each request and response to its application's prototype. V8 treats each object with a changed prototype as a new
 * shape, so that all later reads of requests are slow. If the prototypes are already right, Express changes nothing.
 */
export function createAppServer(options: Omit<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {}): AppServer {
  const AppRequest = createRequestClass()
  class AppResponse extends ServerResponse<InstanceType<typeof AppRequest>> {}
  Object.setPrototypeOf(AppRequest.prototype, express.request)
  Object.setPrototypeOf(AppResponse.prototype, express.response)
  const server = createServer({ ...options, IncomingMessage: AppRequest, ServerResponse: AppResponse })
  return {
    server,
    serve(app) {
      // The classes have Express's prototypes, set above, which their types do not show.
      app.request = Object.assign(AppRequest.prototype, { app }) as unknown as Express['request']
      app.response = Object.assign(AppResponse.prototype, { app }) as unknown as Express['response']
      server.on('request', app as Express)
    },
  }
}
