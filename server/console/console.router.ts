import { LOCAL_ADMIN } from '../auth/caller.js'
import { errors } from '../errors.js'
import { publicProcedure, router } from '../trpc.js'
import { session } from './console.contract.js'
import { rightsOf } from './rights.js'

/** What the console asks of its own session. */
export const consoleRouter = router({
  session: publicProcedure
    .meta(session.meta)
    .input(session.input)
    .output(session.output)
    .query(async ({ ctx: { deps, request } }) => {
      const { console } = deps.config
      if (console === undefined) throw errors.routeNotFound(request.method, request.path)
      const { mode } = console
      const user =
        mode === 'open' ? { sub: LOCAL_ADMIN.sub, name: null, ...rightsOf(LOCAL_ADMIN.roles, deps.config) } : null
      return { mode, user, idleAt: null, endsAt: null }
    }),
})
