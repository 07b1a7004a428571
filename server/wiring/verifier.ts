import type { Deps } from '../deps.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createTrustedIssuers } from '../verifier/trusted-issuers/trusted-issuers.js'

/** The verifying half. */
export function wireVerifier({ config, database, listsOver, newId }: Deps) {
  const trustedIssuers = createTrustedIssuers({
    store: createTrustedIssuerStore(database),
    lists: listsOver(createTrustedIssuerStore),
    config,
    newId,
  })

  return { trustedIssuers }
}
