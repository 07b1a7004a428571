import type { RequestFacts } from '../api/context.js'
import type { RouteAccess } from '../api/contract.js'
import { errors, ServiceError } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import { type Caller, LOCAL_ADMIN } from '../auth/caller.js'
import { permits, rolesFor } from '../auth/permits.js'
import { type Rights, rightsOf } from '../auth/rights.js'
import type { Config } from '../config/config.js'
import { dueRows } from '../maintenance/task.js'
import type { Changes } from './changes/changes.js'
import type { createLogin } from './login.js'
import type { createLogOut } from './logout.js'
import type { ConsoleSessions } from './sessions/sessions.js'
import type { ConsoleSessionStore } from './sessions/store.js'

/**
 * The caller of a request with the client secret. All such requests count as one caller, who may read all lists of
 * issuing and verifying.
 */
const BACKEND = { sub: 'x-client-secret' } as const
const RIGHTS_OF_BACKENDS: Rights = { roles: [], isAdmin: false, mayIssue: true, mayVerify: true }

/** Dependencies of {@link createConsole}. */
export interface ConsolePorts {
  readonly config: Pick<Config, 'console' | 'issuerRole' | 'verifierRole'>
  readonly access: Pick<Access, 'user'>
  /** Undefined if users cannot sign in. */
  readonly sessions: Pick<ConsoleSessions, 'described'> | undefined
  /** Removes sessions that ended, with their tokens. */
  readonly removeExpired: ConsoleSessionStore['removeExpired']
  readonly changes: Pick<Changes, 'watch'>
  readonly login: ReturnType<typeof createLogin>
  readonly logOut: ReturnType<typeof createLogOut>
  /** The access of each operation of the API, by its name. */
  readonly operations: () => ReadonlyMap<string, RouteAccess>
}

export type Console = ReturnType<typeof createConsole>

/** The operations for the console session of the caller, and for changes in the console's lists. */
export function createConsole({
  config,
  access,
  sessions,
  removeExpired,
  changes,
  login,
  logOut,
  operations,
}: ConsolePorts) {
  /** The user as the console sees it: its rights, and the operations that it may call. */
  const shownUser = (sub: string, name: string | null, roles: ReadonlySet<string>) => ({
    sub,
    name,
    ...rightsOf(roles, config),
    operations: [...operations()].flatMap(([operation, route]) => (permits(route, roles, config) ? [operation] : [])),
  })

  /** Returns the session and the user of a request. Undefined without an active session. */
  async function userOf({ headers }: RequestFacts) {
    const described = await sessions?.described(headers)
    if (described === undefined) return undefined
    try {
      const { sub, roles } = await access.user(headers, false)
      const { expiresAt, endsAt } = described.session
      const user = shownUser(sub, described.content.name ?? null, roles)
      return { user, idleAt: expiresAt.toISOString(), endsAt: endsAt.toISOString() }
    } catch (thrown) {
      // The session has just ended, because its tokens could not be renewed.
      if (thrown instanceof ServiceError && thrown.status === 401) return undefined
      throw thrown
    }
  }

  return {
    login,
    logOut,
    tasks: [dueRows({ name: 'remove console sessions', everyMs: 60_000, batch: removeExpired })],

    /** Returns the user of the console, and when the session ends. @throws 404 if there is no console. */
    async session(request: RequestFacts) {
      if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
      const { mode } = config.console
      const nobody = { mode, user: null, idleAt: null, endsAt: null }
      if (mode === 'login') return { ...nobody, ...(await userOf(request)) }
      return { ...nobody, user: shownUser(LOCAL_ADMIN.sub, null, LOCAL_ADMIN.roles) }
    },

    /** The roles that each allow a user to call an operation. @throws 404 for an unknown operation */
    roles(operation: string) {
      const route = operations().get(operation)
      if (route === undefined) throw errors.operationNotFound()
      return { roles: rolesFor(route, config) }
    },

    /** Streams changes in lists that the caller may read, after the event `lastEventId`. */
    watch: (caller: Caller | undefined, lastEventId: string | undefined, signal: AbortSignal) =>
      changes.watch({
        caller: caller ?? BACKEND,
        rights: caller === undefined ? RIGHTS_OF_BACKENDS : rightsOf(caller.roles, config),
        lastEventId,
        signal,
      }),
  }
}
