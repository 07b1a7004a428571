import type { TestService } from '../support/service.js'
import { visitAgent } from './tour/agents.js'
import { visitClaimsSource, visitIssuer, visitSuspension } from './tour/issuer.js'
import { visitAuthorization, visitDeferred, visitOpenid4vci } from './tour/openid4vci.js'
import { visitExports, visitWebhooks } from './tour/operator.js'
import type { Bound } from './tour/purchase.js'
import { visitVerifier } from './tour/verifier.js'
import { visitFlows, visitWallet } from './tour/wallet.js'
import { Tourist, type Visit, type Visited } from './tourist.js'

const PUBLIC = [
  '/',
  '/version',
  '/health/liveness',
  '/health/readiness',
  '/.well-known/openid-credential-issuer',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/.well-known/did-configuration',
  '/.well-known/did-configuration.json',
  '/.well-known/jwt-vc-issuer',
  '/api-docs',
  '/api-docs-json',
]

/**
 * Calls every operation of the API at least once, in an order in which each call succeeds.
 *
 * @param before is called before each call of an operation
 */
export async function tour(
  service: TestService,
  before: (visit: Visit) => Promise<void> = async () => {},
): Promise<readonly Visited[]> {
  const authorization = await service.bearer('alice', { roles: ['admin'] })
  const tourist = new Tourist(service, authorization, before)
  const bound: Bound = { service, go: (...there) => tourist.go(...there) }
  const { holder, did } = await visitAgent(bound)
  await visitIssuer(bound)
  await visitSuspension(bound)
  await visitClaimsSource(bound)
  await visitWebhooks(bound)
  await visitOpenid4vci(bound)
  await visitDeferred(bound)
  await visitAuthorization(bound)
  await visitWallet(bound, holder)
  await visitVerifier(bound, holder)
  await visitFlows(bound, holder, did)
  await visitExports(bound)
  for (const path of PUBLIC) await bound.go('GET', path)
  await bound.go('GET', '/.well-known/openid-credential-issuer', { headers: { accept: 'application/jwt' } })
  return tourist.visited
}
