import type { Route } from './routes.js'

/** Whether the public listener has a route. A new route is closed there until its contract says that it is for strangers. */
export const isOpenRoute = ({ rest: { forWallets, open } }: Route): boolean => forWallets === true || open === true
