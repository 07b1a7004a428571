import type { AnyRouter } from '@trpc/server'
import type { RestMeta } from '../api/contract.js'
import { createRouteTable, routesOf } from './routes.js'

/** True if a path, still percent-encoded, belongs to a selected contract, with any method. */
export type IsPath = (path: string) => boolean

/** The route table needs a method. GET represents all methods here. */
const ANY_METHOD = 'GET'

function pathsOf(router: AnyRouter, fits: (rest: RestMeta) => boolean): IsPath {
  const fitting = routesOf(router).filter(({ rest }) => fits(rest))
  const byPath = new Map(fitting.map((route) => [route.template, { ...route, method: ANY_METHOD } as const]))
  const match = createRouteTable([...byPath.values()])
  return (path) => match(ANY_METHOD, path) !== undefined
}

/**
 * Paths that a standard defines for wallets. All paths below `/.well-known/` are included. Wallets request metadata
 * there that may not exist (RFC 8615), and the metadata of an issuer identifier with a path.
 */
export function walletPaths(router: AnyRouter): IsPath {
  const isRoute = pathsOf(router, ({ forWallets }) => forWallets === true)
  return (path) => path.startsWith('/.well-known/') || isRoute(path)
}

/** Paths that the rate limit does not count. */
export const uncountedPaths = (router: AnyRouter): IsPath => pathsOf(router, ({ counted }) => counted === false)
