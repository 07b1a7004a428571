import type { Route } from './routes.js'

/** True if the public listener serves a route. A new route is closed there until its contract opens it. */
export const isOpenRoute = ({ rest: { forWallets, open } }: Route): boolean => forWallets === true || open === true
