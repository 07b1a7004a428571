import type { AnyRouter } from '@trpc/server'
import type { RestMeta } from '../api/contract.js'
import { createRouteTable, routesOf } from './routes.js'

/** Whether a path, still percent-encoded, is that of a fitting contract, whatever the method. */
export type IsPath = (path: string) => boolean

/** The table of routes asks for a method; here it stands for all of them. */
const ANY_METHOD = 'GET'

function pathsOf(router: AnyRouter, fits: (rest: RestMeta) => boolean): IsPath {
  const fitting = routesOf(router).filter(({ rest }) => fits(rest))
  const byPath = new Map(fitting.map((route) => [route.template, { ...route, method: ANY_METHOD } as const]))
  const match = createRouteTable([...byPath.values()])
  return (path) => match(ANY_METHOD, path) !== undefined
}

/**
 * What wallets call by a standard. All of `/.well-known/` is: metadata that a wallet looks for and does not find there (RFC 8615),
 * and those of an issuer identifier with a path.
 */
export function walletPaths(router: AnyRouter): IsPath {
  const isRoute = pathsOf(router, ({ forWallets }) => forWallets === true)
  return (path) => path.startsWith('/.well-known/') || isRoute(path)
}

/** What the rate limit leaves out. */
export const uncountedPaths = (router: AnyRouter): IsPath => pathsOf(router, ({ counted }) => counted === false)
