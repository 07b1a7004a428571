import type { Context } from '../api/context.js'
import { errors, ServiceError } from '../api/errors.js'
import { procedure, router } from '../api/trpc.js'
import { LOCAL_ADMIN } from '../auth/caller.js'
import { type Rights, rightsOf } from '../auth/rights.js'
import { callback, events, login, logout, session } from './console.contract.js'
import { beginLogin, endLogin } from './login.js'
import { logOut } from './logout.js'

/** Whose session a request has; undefined where it has none that goes on. */
async function userOf({ deps, request }: Context) {
  const { headers } = request
  const described = await deps.sessions?.described(headers)
  if (described === undefined) return undefined
  try {
    const { sub, roles } = await deps.access.user(headers, false)
    const { expiresAt, endsAt } = described.session
    const user = { sub, name: described.content.name ?? null, ...rightsOf(roles, deps.config) }
    return { user, idleAt: expiresAt.toISOString(), endsAt: endsAt.toISOString() }
  } catch (thrown) {
    // It ended just now: its tokens could not be renewed.
    if (thrown instanceof ServiceError && thrown.status === 401) return undefined
    throw thrown
  }
}

/** Whoever has the client secret. They count as one caller, and read the lists of both halves. */
const BACKEND = { sub: 'x-client-secret' } as const
const RIGHTS_OF_BACKENDS: Rights = { roles: [], isAdmin: false, mayIssue: true, mayVerify: true }

/** What the console asks of its own session. */
export const consoleRouter = router({
  session: procedure(session).query(async ({ ctx }) => {
    const { config } = ctx.deps
    if (config.console === undefined) throw errors.routeNotFound(ctx.request.method, ctx.request.path)
    const { mode } = config.console
    const nobody = { mode, user: null, idleAt: null, endsAt: null }
    if (mode === 'login') return { ...nobody, ...(await userOf(ctx)) }
    return { ...nobody, user: { sub: LOCAL_ADMIN.sub, name: null, ...rightsOf(LOCAL_ADMIN.roles, config) } }
  }),

  events: procedure(events).subscription(({ ctx: { deps, caller, request }, input: { lastEventId } }) =>
    deps.changes.watch({
      caller: caller ?? BACKEND,
      rights: caller === undefined ? RIGHTS_OF_BACKENDS : rightsOf(caller.roles, deps.config),
      lastEventId,
      signal: request.signal,
    }),
  ),

  logout: procedure(logout).mutation(async ({ ctx }) => ({ location: await logOut(ctx) })),
})

/** Where browsers go to log in. */
export const consolePagesRouter = router({
  login: procedure(login).query(({ ctx, input }) => beginLogin(ctx, input)),

  callback: procedure(callback).query(({ ctx, input }) => endLogin(ctx, input)),
})
