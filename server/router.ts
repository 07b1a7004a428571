import { agentRouter } from './agent/agent.router.js'
import { registrationsRouter } from './agent/registrations/registrations.router.js'
import { signersRouter } from './agent/signers/signers.router.js'
import { signingKeysRouter } from './agent/signing-keys/signing-keys.router.js'
import { absent } from './api/absent.js'
import { mergeRouters, router } from './api/trpc.js'
import { auditRouter } from './audit/audit.router.js'
import { consolePagesRouter, consoleRouter } from './console/console.router.js'
import { didsRouter } from './dids/dids.router.js'
import { exportFilesRouter, exportsRouter } from './exports/exports.router.js'
import { type Formats, standardFormats } from './formats/registry.js'
import { healthRouter } from './health/health.router.js'
import { imageFilesRouter, imagesRouter } from './images/images.router.js'
import { claimsSourceRouter } from './issuer/claims-source/claims-source.router.js'
import { offerBatchesRouter, offerBatchFilesRouter } from './issuer/credential-offers/batches/batches.router.js'
import { credentialOffersRouter } from './issuer/credential-offers/credential-offers.router.js'
import { credentialsRouter } from './issuer/credentials/credentials.router.js'
import { erasureRouter } from './issuer/erasure/erasure.router.js'
import { metadataRouter } from './issuer/metadata/metadata.router.js'
import { offeringsRouter } from './issuer/offerings/offerings.router.js'
import { authorizationsRouter } from './issuer/openid4vci/authorizations/authorizations.router.js'
import { openid4vciRouter } from './issuer/openid4vci/openid4vci.router.js'
import { schemaImagesRouter, schemasRouter } from './issuer/schemas/schemas.router.js'
import { statusJobsRouter } from './issuer/status-jobs/status-jobs.router.js'
import { walletTrustRouter } from './issuer/wallet-trust/wallet-trust.router.js'
import { pageFilesRouter } from './pages/page-files.router.js'
import { createPageRouter, peoplePagesRouter } from './people-pages/people-pages.router.js'
import { searchRouter } from './search/search.router.js'
import { greetingRouter, serviceRouter } from './service/service.router.js'
import { settingsRouter } from './settings/settings.router.js'
import { setupRouter } from './setup/setup.router.js'
import { statisticsRouter } from './statistics/statistics.router.js'
import { statusListsRouter } from './status-lists/status-lists.router.js'
import { publishedTrustListsRouter, trustListsRouter } from './trust/trust-lists.router.js'
import { authorizationRequestsRouter } from './verifier/authorization-requests/authorization-requests.router.js'
import { openid4vpRouter } from './verifier/openid4vp/openid4vp.router.js'
import { qrCodesRouter } from './verifier/qr-codes/qr-codes.router.js'
import { verificationSessionsRouter } from './verifier/sessions/verification-sessions.router.js'
import { trustedIssuersRouter } from './verifier/trusted-issuers/trusted-issuers.router.js'
import { verifyRouter } from './verifier/verify/verify.router.js'
import { vpQueriesRouter } from './verifier/vp-queries/vp-queries.router.js'
import { walletCredentialsRouter } from './wallet/credentials/credentials.router.js'
import { flowsRouter } from './wallet/flows/flows.router.js'
import { agentHoldersRouter, holdersRouter } from './wallet/holders/holders.router.js'
import { invitationsRouter } from './wallet/invitations/invitations.router.js'
import { walletPresentationsRouter } from './wallet/presentations/presentations.router.js'
import { webhooksRouter } from './webhooks/webhooks.router.js'
import type { Features } from './wiring/features.js'

/** All procedures of the API. First-party clients call them by name, REST clients by path. */
const createAppRouter = (formats: Formats, features: Features) =>
  router({
    service: serviceRouter,
    console: consoleRouter(features.console),
    dids: didsRouter(features.dids),
    images: imagesRouter(features.images),
    schemas: schemasRouter(features.schemas),
    claimsSource: claimsSourceRouter(features.claimsSources),
    offerings: offeringsRouter(features.offerings),
    credentials: credentialsRouter(formats, features.credentials),
    credentialOffers: credentialOffersRouter(features.credentialOffers),
    offerBatches: offerBatchesRouter(features.offerBatches),
    statusJobs: statusJobsRouter(features.statusJobs),
    erasure: erasureRouter(features.erasure),
    verify: verifyRouter(formats, features.verify),
    vpQueries: vpQueriesRouter(features.vpQueries),
    authorizationRequests: authorizationRequestsRouter(formats, features.authorizationRequests),
    verificationSessions: verificationSessionsRouter(
      formats,
      features.verificationSessions,
      features.sessionChecks,
      features.evidence,
    ),
    trustedIssuers: trustedIssuersRouter(features.trustedIssuers),
    trustLists: trustListsRouter(features.trustLists, features.trustExplain),
    walletTrust: walletTrustRouter(features.walletTrust),
    qrCodes: qrCodesRouter(features.qrCodes),
    pages: createPageRouter(features.peoplePages),
    webhooks: webhooksRouter(features.webhooks),
    agent: agentRouter(features.agent),
    signers: signersRouter(features.signers),
    signingKeys: signingKeysRouter(features.signingKeys),
    registrations: registrationsRouter(features.registrations),
    audit: auditRouter(features.audit),
    exports: exportsRouter(features.exports),
    setup: setupRouter(features.setup),
    settings: settingsRouter(features.settings),
    search: searchRouter(features.search),
    statistics: statisticsRouter(features.statistics),
    agentHolders: agentHoldersRouter(features.holders),
    holders: mergeRouters(holdersRouter(features.holders), invitationsRouter(formats, features.invitations)),
    walletCredentials: walletCredentialsRouter(formats, features.walletCredentials),
    walletPresentations: walletPresentationsRouter(features.walletPresentations),
    flows: flowsRouter(formats, features.flows),
  })

/**
 * The endpoints for wallets, probes and other strangers, called by path and in the standards' own formats (`kind: 'protocol'`), and the
 * files that are read in parts. They are not on `/trpc`: the reply would lose its status, headers and media type, and a DPoP proof would name the wrong address.
 */
const createProtocolRouter = (features: Features) =>
  router({
    greeting: greetingRouter(features.homePage),
    health: healthRouter(features.health),
    statusLists: statusListsRouter(features.statusLists),
    publishedTrustLists: publishedTrustListsRouter(features.publishedLists),
    metadata: metadataRouter(features.metadata),
    imageFiles: imageFilesRouter(features.images),
    schemaImages: schemaImagesRouter(features.schemas),
    openid4vci: mergeRouters(openid4vciRouter(features), authorizationsRouter(features)),
    pageFiles: pageFilesRouter(features.chooseLanguage),
    peoplePages: peoplePagesRouter(features.presentPages, features.receivePages),
    consolePages: consolePagesRouter(features.console),
    openid4vp: openid4vpRouter(features.openid4vp),
    exportFiles: exportFilesRouter(features.exports),
    offerBatchFiles: offerBatchFilesRouter(features.offerBatches),
  })

/**
 * The routers over the features of a service. The contracts, and so the OpenAPI document, include the formats. `restRouter` holds all
 * procedures with a path: the REST façade and the OpenAPI document.
 */
export function createRouters(formats: Formats, features: Features) {
  const appRouter = createAppRouter(formats, features)
  const protocolRouter = createProtocolRouter(features)
  return { appRouter, protocolRouter, restRouter: mergeRouters(appRouter, protocolRouter) }
}

export type Routers = ReturnType<typeof createRouters>

/** The routers without a service, for documents, addresses and tests that read the contracts. No procedure can be called. */
export const contractRouters = (formats: Formats = standardFormats): Routers =>
  createRouters(formats, absent<Features>())

/** The exported type of the API. The client package needs no other type. */
export type AppRouter = Routers['appRouter']
