import { procedure, router } from '../api/trpc.js'
import { callback, events, login, logout, roles, session } from './console.contract.js'
import type { Console } from './console.js'

/** The router of the procedures for the console session of the caller. */
export const consoleRouter = (console: Console) =>
  router({
    session: procedure(session).query(({ ctx: { request } }) => console.session(request)),

    roles: procedure(roles).query(({ input: { operation } }) => console.roles(operation)),

    events: procedure(events).subscription(({ ctx: { caller, request }, input: { lastEventId } }) =>
      console.watch(caller, lastEventId, request.signal),
    ),

    logout: procedure(logout).mutation(async ({ ctx: { request, responseHeaders } }) => {
      const { location, cookie } = await console.logOut(request)
      responseHeaders.set('set-cookie', cookie)
      return { location }
    }),
  })

/** The router of the pages that sign browsers in. */
export const consolePagesRouter = (console: Console) =>
  router({
    login: procedure(login).query(({ ctx: { request }, input }) => console.login.begin(request, input)),

    callback: procedure(callback).query(({ ctx: { request }, input }) => console.login.end(request, input)),
  })
