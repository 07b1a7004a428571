import type { RouteAccess } from '../api/contract.js'
import { wireExports } from './exports.js'
import { wireIdentities } from './identities.js'
import { wireIssuer } from './issuer.js'
import { wireOpenid4vci } from './openid4vci.js'
import { wireOperators } from './operators.js'
import { wirePages } from './pages.js'
import type { Platform } from './platform.js'
import { wireTrust } from './trust.js'
import { wireVerifier } from './verifier.js'
import { wireWallet } from './wallet.js'
import { wireWebhooks } from './webhooks.js'

/**
 * Creates all features of a service, in the order of their dependencies.
 *
 * @param operations returns the access of each operation of the API, once the routers are made
 */
export function wireFeatures(platform: Platform, operations: () => ReadonlyMap<string, RouteAccess>) {
  const identities = wireIdentities(platform)
  const issuer = wireIssuer(platform, identities)
  const openid4vci = wireOpenid4vci(platform, issuer)
  const verifier = wireVerifier(platform, { ...identities, ...issuer })
  const wallet = wireWallet(platform, { ...identities, ...issuer, ...verifier })
  const pages = wirePages(platform, issuer, verifier)
  const operators = wireOperators(platform, { ...identities, ...issuer }, operations)
  const exports = wireExports(platform)
  const webhooks = wireWebhooks(platform)
  const trust = wireTrust(platform)
  return {
    ...identities,
    ...issuer,
    ...openid4vci,
    ...verifier,
    ...wallet,
    ...pages,
    ...operators,
    ...exports,
    ...webhooks,
    ...trust,
  }
}

/** The operations of each feature, which the routers need. */
export type Features = ReturnType<typeof wireFeatures>
