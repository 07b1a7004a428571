import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { consolePath } from './address.js'
import { Broken } from './shell/broken.js'
import { NotFound } from './shell/not-found.js'
import { Shell } from './shell/shell.js'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken })

// Each screen is a chunk of its own, loaded when it is opened or about to be.
const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/overview/overview.js'), 'Overview'),
})

export const router = createRouter({
  routeTree: root.addChildren([overview]),
  basepath: consolePath,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
