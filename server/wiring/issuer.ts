import type { Deps } from '../deps.js'

/** The issuing half. */
export function wireIssuer(_deps: Deps) {
  return {}
}
