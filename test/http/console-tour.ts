import { startService, type TestService } from '../support/service.js'
import { Tourist, type Visit, type Visited } from './tourist.js'

/** An installation with a console: there users sign in, which the tour of all else goes without. */
export const startWithConsole = (): Promise<TestService> =>
  startService({
    env: { OIDC_ISSUER: 'http://login.example', OIDC_CLIENT_ID: 'credence' },
    maintenance: false,
  })

/** Goes to every operation of the console. */
export async function consoleTour(
  service: TestService,
  before: (visit: Visit) => Promise<void>,
): Promise<readonly Visited[]> {
  const tourist = new Tourist(service, await service.bearer('alice', { roles: ['admin'] }), before)
  await tourist.go('GET', '/console/session')
  return tourist.visited
}
