import type { Deps } from '../deps.js'
import { wireIdentities } from './identities.js'
import { wireIssuer } from './issuer.js'
import { wireOpenid4vci } from './openid4vci.js'
import { wireOperators } from './operators.js'
import { wirePages } from './pages.js'
import { wireVerifier } from './verifier.js'
import { wireWallet } from './wallet.js'

/** All features of a service, in the order in which they depend on one another. */
export function wireFeatures(deps: Deps) {
  const identities = wireIdentities(deps)
  const issuer = wireIssuer(deps, identities)
  const openid4vci = wireOpenid4vci(deps, issuer)
  const verifier = wireVerifier(deps, { ...identities, ...issuer })
  const wallet = wireWallet(deps, { ...identities, ...issuer, ...verifier })
  const pages = wirePages(deps, issuer, verifier)
  const operators = wireOperators(deps, issuer)
  return { ...identities, ...issuer, ...openid4vci, ...verifier, ...wallet, ...pages, ...operators }
}

/** What the routers are made of: each feature's operations. */
export type Features = ReturnType<typeof wireFeatures>
