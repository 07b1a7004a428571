import type { Deps } from '../deps.js'
import { issuerKeySet } from '../dids/issuer-key-set.js'
import { offeringFullUrl } from '../issuer/offerings/offering-json.js'
import { createAuthorizationRequests } from '../verifier/authorization-requests/authorization-requests.js'
import { createOpenid4vp } from '../verifier/openid4vp/openid4vp.js'
import { createVerifyVpToken } from '../verifier/presentations/verify-vp-token.js'
import { createQrCodes } from '../verifier/qr-codes/qr-codes.js'
import { createSessionVault } from '../verifier/sessions/secrets.js'
import { createVerificationSessions } from '../verifier/sessions/verification-sessions.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createTrustedIssuers } from '../verifier/trusted-issuers/trusted-issuers.js'
import { createVerifications } from '../verifier/verify/verification.js'
import { createVerify } from '../verifier/verify/verify.js'
import { createVpQueryStore } from '../verifier/vp-queries/store.js'
import { createVpQueries } from '../verifier/vp-queries/vp-queries.js'

/** Verifications of credentials, which both the verifying half and hosted wallets do. */
export const wireVerifications = (deps: Deps) =>
  createVerifications({
    config: deps.config,
    clock: deps.clock,
    outbound: deps.outbound,
    resolver: deps.resolver,
    ownKeySet: () => issuerKeySet(deps),
    ownStatusEntry: deps.stores.statusLists.entry,
  })

/** The verifying half. */
export function wireVerifier(deps: Deps) {
  const { config, clock, newId, formats, keys, metrics, outbound, stores } = deps

  const verifications = wireVerifications(deps)

  const verify = createVerify({ formats, metrics, check: verifications.check })

  const trustedIssuers = createTrustedIssuers({
    store: createTrustedIssuerStore(deps.database),
    lists: deps.listsOver(createTrustedIssuerStore),
    config,
    newId,
  })

  const verifyVpToken = createVerifyVpToken({
    formats,
    config,
    startVerification: verifications.start,
    isOwnIssuer: stores.dids.isIssuer,
    isAddedIssuer: trustedIssuers.has,
  })

  const verificationSessions = createVerificationSessions({
    store: stores.verificationSessions,
    listStore: stores.verificationSessionList,
    config,
    clock,
    events: deps.events,
    metrics,
  })

  const sessionVault = createSessionVault({ vault: deps.vault, random: deps.random })

  const openid4vp = createOpenid4vp({
    sessions: verificationSessions,
    sessionVault,
    verifyVpToken,
    keys,
    formats,
    config,
    clock,
    metrics,
  })

  const authorizationRequests = createAuthorizationRequests({
    store: stores.authorizationRequests,
    config,
    formats,
    clock,
    newId,
    openid4vp,
    sessionVault,
    addSession: verificationSessions.add,
  })

  const vpQueries = createVpQueries({
    store: stores.vpQueries,
    lists: deps.listsOver(createVpQueryStore),
    clock,
    newId,
    requestByVpQuery: authorizationRequests.createByVpQuery,
  })

  const qrCodes = createQrCodes({
    config,
    outbound,
    sessions: verificationSessions,
    newPage: authorizationRequests.newPage,
    createPageOnDemand: stores.pages.createOnDemand,
    sealingKey: deps.sealingKey,
    offeringContent: async (id) =>
      (await stores.offerings.find(id)) === undefined ? undefined : offeringFullUrl(config, { id }),
  })

  return {
    verifications,
    verify,
    trustedIssuers,
    verificationSessions,
    openid4vp,
    authorizationRequests,
    vpQueries,
    qrCodes,
  }
}

export type Verifier = ReturnType<typeof wireVerifier>
