import { createServer, type Server, type ServerOptions, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import { createRequestClass } from './bounded-request.js'

/** An Express application without its `listen`, since `listen` would make a second server. */
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
 * Makes a server whose requests and responses have the application's prototypes from the start. Express changes the
 * prototype of each request and response to its application's prototype. V8 gives each object with a changed prototype
 * a new hidden class, so that every later access to the request is slow. If the prototypes are already right, Express
 * changes nothing.
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
      // The cast is needed because the types do not show that the classes have Express's prototypes, which are set
      // above.
      app.request = Object.assign(AppRequest.prototype, { app }) as unknown as Express['request']
      app.response = Object.assign(AppResponse.prototype, { app }) as unknown as Express['response']
      server.on('request', app as Express)
    },
  }
}
