import type { RequestFacts } from '../api/context.js'
import { errors, ServiceError } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import { type Caller, LOCAL_ADMIN } from '../auth/caller.js'
import { type Rights, rightsOf } from '../auth/rights.js'
import type { Config } from '../config/config.js'
import { dueRows } from '../maintenance/task.js'
import type { Changes } from './changes/changes.js'
import type { createLogin } from './login.js'
import type { createLogOut } from './logout.js'
import type { ConsoleSessions } from './sessions/sessions.js'
import type { ConsoleSessionStore } from './sessions/store.js'

/** A backend with the client secret. All backends count as one caller, who reads the lists of both halves. */
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
}

export type Console = ReturnType<typeof createConsole>

/** The console's operations for its own session, and for changes in its lists. */
export function createConsole({ config, access, sessions, removeExpired, changes, login, logOut }: ConsolePorts) {
  /** The session and user of a request; undefined without an active session. */
  async function userOf({ headers }: RequestFacts) {
    const described = await sessions?.described(headers)
    if (described === undefined) return undefined
    try {
      const { sub, roles } = await access.user(headers, false)
      const { expiresAt, endsAt } = described.session
      const user = { sub, name: described.content.name ?? null, ...rightsOf(roles, config) }
      return { user, idleAt: expiresAt.toISOString(), endsAt: endsAt.toISOString() }
    } catch (thrown) {
      // The session just ended because its tokens could not be renewed.
      if (thrown instanceof ServiceError && thrown.status === 401) return undefined
      throw thrown
    }
  }

  return {
    login,
    logOut,
    tasks: [dueRows({ name: 'remove console sessions', everyMs: 60_000, batch: removeExpired })],

    /** The user of the console, and the end of the session. @throws 404 if the console is closed. */
    async session(request: RequestFacts) {
      if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
      const { mode } = config.console
      const nobody = { mode, user: null, idleAt: null, endsAt: null }
      if (mode === 'login') return { ...nobody, ...(await userOf(request)) }
      return { ...nobody, user: { sub: LOCAL_ADMIN.sub, name: null, ...rightsOf(LOCAL_ADMIN.roles, config) } }
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
