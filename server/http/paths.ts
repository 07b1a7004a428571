import type { AnyRouter } from '@trpc/server'
import type { RestMeta } from '../api/contract.js'
import { createRouteTable, routesOf } from './routes.js'

/** True if a path belongs to one of the selected contracts, with any method. The path is still percent-encoded. */
export type IsPath = (path: string) => boolean

/** The route table needs a method. Here GET stands for every method. */
const ANY_METHOD = 'GET'

function pathsOf(router: AnyRouter, fits: (rest: RestMeta) => boolean): IsPath {
  const fitting = routesOf(router).filter(({ rest }) => fits(rest))
  const byPath = new Map(fitting.map((route) => [route.template, { ...route, method: ANY_METHOD } as const]))
  const match = createRouteTable([...byPath.values()])
  return (path) => match(ANY_METHOD, path) !== undefined
}

/**
 * Returns a function that is true for the paths that standards define for wallets. It is true for every path below
 * `/.well-known/`. Wallets request metadata there that may not exist (RFC 8615), and the metadata of an issuer
 * identifier with a path.
 */
export function walletPaths(router: AnyRouter): IsPath {
  const isRoute = pathsOf(router, ({ forWallets }) => forWallets === true)
  return (path) => path.startsWith('/.well-known/') || isRoute(path)
}

/** Returns a function that is true for the paths that the rate limit does not count. */
export const uncountedPaths = (router: AnyRouter): IsPath => pathsOf(router, ({ counted }) => counted === false)
