import { createServer, type Server, type ServerOptions, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import { createRequestClass } from './bounded-request.js'

/** An application to serve. Not its `listen`, which makes a server of its own. */
export type App = Omit<Express, 'listen'>

export interface AppServer {
  readonly server: Server
  /** From now on requests go to this application; until then nobody answers them. Once for each server. */
  serve(app: App): void
}

/**
 * A server whose requests and responses have an application's prototypes from the first. Express gives every request those of
 * its application, and V8 takes an object with an exchanged prototype for one of another shape each time: whatever Node,
 * Express and this service read of requests is then read slowly. With the prototypes already there it exchanges nothing.
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
      // Given Express's prototypes above, which their classes' types do not show.
      app.request = Object.assign(AppRequest.prototype, { app }) as unknown as Express['request']
      app.response = Object.assign(AppResponse.prototype, { app }) as unknown as Express['response']
      server.on('request', app as Express)
    },
  }
}
