import type { Deps } from '../deps.js'

/** The hosted wallets. */
export function wireWallet(_deps: Deps) {
  return {}
}
