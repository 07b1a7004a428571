import type { RouteAccess } from '../contract.js'
import type { Deps } from '../deps.js'
import { errors } from '../errors.js'
import type { Route } from './routes.js'

/** Whom the routes of each kind that the public listener has are for. Other kinds it has none of. */
const OPEN: Readonly<Record<string, readonly RouteAccess[]>> = {
  protocol: ['public', 'wallet'],
  page: ['public'],
  events: ['public'],
}

/** Whoever asks for these runs the service. */
const FOR_OPERATORS = /^\/(health|console)\//

/**
 * Whether the public listener has a route: it does where the contract's kind and access say that it is for strangers and
 * their wallets, or the contract says so itself (`open`). So a new route of the API is closed there.
 */
export function isOpenRoute({ template, rest: { kind = 'json', access, open } }: Route): boolean {
  if (FOR_OPERATORS.test(template)) return false
  return open === true || OPEN[kind]?.includes(access) === true
}

/** What requests may use that came by the public listener: everybody is a stranger there, AUTH_DISABLED or not. */
export const depsOfStrangers = (deps: Deps): Deps => ({
  ...deps,
  config: { ...deps.config, authDisabled: false, console: undefined },
  access: {
    user: async () => {
      throw errors.unauthorized()
    },
    client: async () => {
      throw errors.unauthorized()
    },
    optional: async () => ({ caller: undefined, client: false }),
  },
  sessions: undefined,
  forStrangers: true,
})
