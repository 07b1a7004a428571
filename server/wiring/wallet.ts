import { createLook } from '../agent/registrations/look.js'
import type { Dids } from '../dids/dids.js'
import { newIdentity } from '../dids/identity.js'
import { createDidStore } from '../dids/store.js'
import { claimRefusal } from '../issuer/offerings/claim.js'
import { credentialOfferUri } from '../issuer/offerings/offering-json.js'
import { createWalletCredentials } from '../wallet/credentials/credentials.js'
import { createHeldStatuses, type StatusReading } from '../wallet/credentials/statuses.js'
import { createWalletCredentialStore } from '../wallet/credentials/store.js'
import { createFlowClaims } from '../wallet/flows/claims.js'
import { createFlows } from '../wallet/flows/flows.js'
import { createFlowHolderOf } from '../wallet/flows/holder.js'
import { createOwnOfferings } from '../wallet/flows/own-offerings.js'
import { createFlowPresentations } from '../wallet/flows/presentations.js'
import { createQrContent } from '../wallet/flows/qr-content.js'
import { createFlowRecords } from '../wallet/flows/records.js'
import { createHolders } from '../wallet/holders/holders.js'
import { createHolderStore } from '../wallet/holders/store.js'
import { createInvitations } from '../wallet/invitations/invitations.js'
import { createIssuerExchanges } from '../wallet/openid4vci/issuer-exchanges.js'
import { createIssuerSessions } from '../wallet/openid4vci/issuer-sessions.js'
import { createOffers } from '../wallet/openid4vci/offers.js'
import { createReceiving } from '../wallet/openid4vci/receiving.js'
import { createVerifyReceived } from '../wallet/openid4vci/verify-received.js'
import { createWalletClient } from '../wallet/openid4vci/wallet-client.js'
import { createVerifierExchanges } from '../wallet/openid4vp/verifier-exchanges.js'
import { createAskAgain } from '../wallet/pending/ask.js'
import { createDeferralContents } from '../wallet/pending/content.js'
import { createPendingIssuances } from '../wallet/pending/pending.js'
import { createWalletPresentations } from '../wallet/presentations/presentations.js'
import { createPresenting } from '../wallet/presentations/presenting.js'
import { createWalletPresentationStore } from '../wallet/presentations/store.js'
import { createCheckCertificates } from '../wallet/registration/certificates.js'
import { createIssuerRegistration } from '../wallet/registration/issuer-registration.js'
import { createVerifierRegistration } from '../wallet/registration/verifier-registration.js'
import type { Issuer } from './issuer.js'
import type { Platform } from './platform.js'
import type { Verifier } from './verifier.js'

/** Parts of the issuing and verifying features that hosted wallets use. */
interface WalletFeatures {
  readonly dids: Dids
  readonly metadata: Issuer['metadata']
  readonly offerings: Issuer['offerings']
  readonly issuance: Issuer['issuance']
  readonly verifications: Verifier['verifications']
  readonly qrCodes: Verifier['qrCodes']
}

/** Creates the hosted wallets. */
export function wireWallet(platform: Platform, features: WalletFeatures) {
  const { dids, metadata, offerings, issuance, verifications, qrCodes } = features
  const { clock, config, formats, keys, listsOver, log, newId, outbound, random, resolver, stores, vault } = platform

  const holders = createHolders({
    store: stores.holders,
    lists: listsOver((database) => ({ holders: createHolderStore(database), dids: createDidStore(database) })),
    config,
    identify: (request) => newIdentity({ vault, newId, providers: platform.keyProviders }, request),
    createDid: dids.create,
    newId,
  })

  const statuses = createHeldStatuses({
    formats,
    startReading: ({ now, sharing, totalMs, work }: StatusReading) => {
      const fetches = sharing(verifications.fetches(undefined, totalMs))
      const resolveIssuerKey = verifications.issuerKeyResolution(fetches, now)
      const reading = { fetches, resolveIssuerKey, now, ...(work === undefined ? {} : { work }) }
      return (references, issuer) => verifications.readStatus(reading, references, issuer)
    },
    config,
    clock,
  })

  const walletCredentials = createWalletCredentials({
    store: stores.walletCredentials,
    lists: listsOver(createWalletCredentialStore),
    statusesOf: statuses.of,
    formats,
    vault,
    keys,
    newId,
    clock,
  })

  const walletClient = createWalletClient({ config, provider: platform.walletProvider, clock })
  const issuerSessions = createIssuerSessions({
    wallet: walletClient,
    outbound,
    config,
    ownMetadata: (of) => (of === 'issuer' ? metadata.issuer() : metadata.authorizationServer()),
    random,
  })
  const checkRegistrations = createCheckCertificates({ config, look: createLook({ config, outbound }), clock })
  const issuerRegistration = createIssuerRegistration({
    check: checkRegistrations,
    config,
    ownSigned: metadata.signedIssuer,
    clock,
  })
  const offers = createOffers({ issuerSessions, formats, config, registrationOf: issuerRegistration })
  const issuers = createIssuerExchanges({
    wallet: walletClient,
    issuerSessions,
    configurationsIn: offers.configurationsIn,
    registrationOf: issuerRegistration,
    config,
    verifyReceived: createVerifyReceived({
      formats,
      check: verifications.check,
    }),
    random,
    clock,
    log,
  })

  const deferrals = createDeferralContents({ vault, formats, keys })
  const pendingIssuances = createPendingIssuances({
    store: stores.pendingIssuances,
    contents: deferrals,
    askAgain: createAskAgain({
      store: stores.pendingIssuances,
      contents: deferrals,
      resume: issuerSessions.resume,
      takeAnswer: issuers.takeAnswer,
      keep: walletCredentials.keep,
      clock,
      log,
    }),
    newId,
    clock,
    log,
  })

  const receiving = createReceiving({
    keys,
    takeOffer: issuers.takeOffer,
    keep: walletCredentials.keep,
    waitFor: pendingIssuances.waitFor,
    log,
  })

  const walletPresentations = createWalletPresentations({
    store: stores.walletPresentations,
    config,
    lists: listsOver(createWalletPresentationStore),
    vault,
    newId,
    clock,
  })

  const verifiers = createVerifierExchanges({
    config,
    formats,
    registrationOf: createVerifierRegistration({ check: checkRegistrations, formats }),
    resolver,
    signerOf: walletCredentials.signerOf,
    random,
    newId,
    clock,
    log,
  })
  const presenting = createPresenting({
    credentials: walletCredentials,
    statusReader: statuses.reader,
    matchRequest: verifiers.match,
    present: verifiers.present,
    record: walletPresentations.record,
    clock,
  })

  const invitations = createInvitations({
    outbound,
    config,
    didsOf: (holderId) => stores.dids.ofHolder(holderId),
    readOffer: offers.read,
    take: receiving.take,
    resolveRequest: verifiers.resolve,
    answer: presenting.answerUnasked,
  })

  const offerUri = (offeringId: string) => credentialOfferUri(config.issuerBaseUrl, offeringId)
  const flowRecords = createFlowRecords({ store: stores.flows, vault, newId, clock })
  const flows = createFlows({
    store: stores.flows,
    outbound,
    config,
    holderOf: createFlowHolderOf({
      findDid: (did) => stores.dids.find(did),
      isOwnedBy: (holderId, sub) => stores.holders.isOwnedBy(holderId, sub),
    }),
    qrContent: createQrContent({
      config,
      requestUriOf: async (qrCodeId) => (await qrCodes.find(qrCodeId))?.walletUri,
      offeringUriOf: offerings.walletUri,
    }),
    records: flowRecords,
    claims: createFlowClaims({
      outbound,
      offers,
      take: receiving.take,
      ownOfferings: createOwnOfferings({
        config,
        offerUri,
        offeringIdOf: (code) => platform.seals.openCode(code)?.offeringId,
        find: issuance.offeringContext,
      }),
      offerUri,
      claimRefusal: (offering, dids) => claimRefusal(offering, dids, clock()),
      claim: offerings.claim,
      add: flowRecords.add,
    }),
    presentations: createFlowPresentations({
      outbound,
      verifiers,
      presenting,
      formats,
      add: flowRecords.add,
    }),
  })

  return { holders, walletCredentials, walletPresentations, pendingIssuances, invitations, flows }
}
