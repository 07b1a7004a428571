import type { Deps } from '../deps.js'
import { wireIdentities } from './identities.js'
import { wireIssuer } from './issuer.js'
import { wireOperators } from './operators.js'
import { wireVerifier } from './verifier.js'
import { wireWallet } from './wallet.js'

/** All features of a service, in the order in which they depend on one another. */
export function wireFeatures(deps: Deps) {
  const identities = wireIdentities(deps)
  const issuer = wireIssuer(deps)
  const verifier = wireVerifier(deps)
  const wallet = wireWallet(deps, identities)
  const operators = wireOperators(deps)
  return { ...identities, ...issuer, ...verifier, ...wallet, ...operators }
}

/** What the routers are made of: each feature's operations. */
export type Features = ReturnType<typeof wireFeatures>
