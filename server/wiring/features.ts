import type { Deps } from '../deps.js'
import { wireIssuer } from './issuer.js'
import { wirePages } from './pages.js'
import { wireVerifier } from './verifier.js'
import { wireWallet } from './wallet.js'

/** All features of a service, in the order in which they depend on one another. */
export function wireFeatures(deps: Deps) {
  const issuer = wireIssuer(deps)
  const verifier = wireVerifier(deps)
  const wallet = wireWallet(deps)
  const pages = wirePages(deps, verifier)
  return { ...issuer, ...verifier, ...wallet, ...pages }
}

/** What the routers are made of: each feature's operations. */
export type Features = ReturnType<typeof wireFeatures>
