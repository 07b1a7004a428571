import type { Dids } from '../dids/dids.js'
import { createAuthorizationRequests } from '../verifier/authorization-requests/authorization-requests.js'
import { createEvidence } from '../verifier/evidence/evidence.js'
import { createOpenid4vp } from '../verifier/openid4vp/openid4vp.js'
import { createReadTransactionData } from '../verifier/openid4vp/transaction-data.js'
import { createVerifyVpToken } from '../verifier/presentations/verify-vp-token.js'
import { createQrCodes } from '../verifier/qr-codes/qr-codes.js'
import { createSessionChecks } from '../verifier/sessions/checks.js'
import { createSessionVault } from '../verifier/sessions/secrets.js'
import { createVerificationSessions } from '../verifier/sessions/verification-sessions.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createTrustedIssuers } from '../verifier/trusted-issuers/trusted-issuers.js'
import { createVerifications } from '../verifier/verify/verification.js'
import { createVerify } from '../verifier/verify/verify.js'
import { createVpQueryStore } from '../verifier/vp-queries/store.js'
import { createVpQueries } from '../verifier/vp-queries/vp-queries.js'
import type { Issuer } from './issuer.js'
import type { Platform } from './platform.js'

/** Limit of the own keys with a certificate that are looked at for the signer of an own credential. */
const MAX_OWN_KEYS = 1_000

/** Parts of the issuing features that the verifying features use. */
interface VerifierFeatures {
  readonly dids: Dids
  readonly statusLists: Issuer['statusLists']
  readonly offerings: Issuer['offerings']
}

/** Creates the verifying features. */
export function wireVerifier(platform: Platform, { dids, statusLists, offerings }: VerifierFeatures) {
  const { config, clock, newId, formats, keys, metrics, outbound, stores } = platform

  const verifications = createVerifications({
    config,
    clock,
    outbound,
    resolver: platform.resolver,
    ownKeySet: dids.issuerKeySet,
    ownCertifiedKeys: () => stores.keys.issuerChains(MAX_OWN_KEYS),
    ownStatusEntry: statusLists.entry,
    publishOwnList: statusLists.publish,
  })

  const verify = createVerify({ formats, metrics, check: verifications.check })

  const trustedIssuers = createTrustedIssuers({
    store: stores.trustedIssuers,
    lists: platform.listsOver(createTrustedIssuerStore),
    config,
    newId,
  })

  const verifyVpToken = createVerifyVpToken({
    formats,
    config,
    startVerification: verifications.start,
    isOwnIssuer: stores.dids.isIssuer,
    isAddedIssuer: trustedIssuers.has,
    clock,
  })

  const evidence = createEvidence({ store: stores.verificationEvidence, config, formats, clock })

  const sessionVault = createSessionVault({ vault: platform.vault, random: platform.random })

  const verificationSessions = createVerificationSessions({
    store: stores.verificationSessions,
    declines: stores.verificationDeclines,
    listStore: stores.verificationSessionList,
    config,
    formats,
    names: platform.names,
    clock,
    events: platform.events,
    metrics,
  })

  const sessionChecks = createSessionChecks({
    store: stores.verificationSessions,
    transactionData: createReadTransactionData(sessionVault.reveal),
    asksOf: verificationSessions.asksOf,
  })

  const openid4vp = createOpenid4vp({
    verificationSessions: verificationSessions,
    sessionVault,
    verifyVpToken,
    evidence,
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
    lists: platform.listsOver(createVpQueryStore),
    clock,
    newId,
    requestByVpQuery: authorizationRequests.createByVpQuery,
  })

  const qrCodes = createQrCodes({
    config,
    outbound,
    verificationSessions: verificationSessions,
    newPage: authorizationRequests.newPage,
    createPageOnDemand: stores.pages.createOnDemand,
    sealingKey: platform.sealingKey,
    offeringContent: offerings.walletUri,
  })

  return {
    verifications,
    verify,
    trustedIssuers,
    verificationSessions,
    sessionChecks,
    evidence,
    openid4vp,
    authorizationRequests,
    vpQueries,
    qrCodes,
  }
}

export type Verifier = ReturnType<typeof wireVerifier>
