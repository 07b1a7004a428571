import { agentRouter } from './agent/agent.js'
import { didsRouter } from './dids/dids.js'
import { healthRouter } from './health/health.js'
import { credentialOffersRouter } from './issuer/credential-offers/credential-offers.js'
import { credentialsRouter } from './issuer/credentials/credentials.js'
import { metadataRouter } from './issuer/metadata/metadata.js'
import { offeringsRouter } from './issuer/offerings/offerings.js'
import { openid4vciRouter } from './issuer/openid4vci/openid4vci.js'
import { schemasRouter } from './issuer/schemas/schemas.js'
import { greetingRouter, serviceRouter } from './service/service.js'
import { statusListsRouter } from './status-lists/status-lists.js'
import { mergeRouters, router } from './trpc.js'
import { authorizationRequestsRouter } from './verifier/authorization-requests/authorization-requests.js'
import { openid4vpRouter } from './verifier/openid4vp/openid4vp.js'
import { qrCodesRouter } from './verifier/qr-codes/qr-codes.js'
import { verificationSessionsRouter } from './verifier/sessions/verification-sessions.js'
import { verifyRouter } from './verifier/verify/verify.js'
import { vpQueriesRouter } from './verifier/vp-queries/vp-queries.js'
import { walletCredentialsRouter } from './wallet/credentials/credentials.js'
import { flowsRouter } from './wallet/flows/flows.js'
import { agentHoldersRouter, holdersRouter } from './wallet/holders/holders.js'
import { walletPresentationsRouter } from './wallet/presentations/presentations.js'
import { processRouter } from './wallet/process/process.js'

/** The table of contents of the API: what first-party clients call by name and REST clients by path. */
export const appRouter = router({
  service: serviceRouter,
  dids: didsRouter,
  schemas: schemasRouter,
  offerings: offeringsRouter,
  credentials: credentialsRouter,
  credentialOffers: credentialOffersRouter,
  verify: verifyRouter,
  vpQueries: vpQueriesRouter,
  authorizationRequests: authorizationRequestsRouter,
  verificationSessions: verificationSessionsRouter,
  qrCodes: qrCodesRouter,
  agent: agentRouter,
  agentHolders: agentHoldersRouter,
  holders: mergeRouters(holdersRouter, processRouter),
  walletCredentials: walletCredentialsRouter,
  walletPresentations: walletPresentationsRouter,
  flows: flowsRouter,
})

/**
 * What wallets, probes and other strangers ask by path, in the standards' own shapes (`kind: 'protocol'`). None of it is
 * on `/trpc`: its status, headers and media types would be lost there, and the address that a DPoP proof names wrong.
 */
export const protocolRouter = router({
  greeting: greetingRouter,
  health: healthRouter,
  statusLists: statusListsRouter,
  metadata: metadataRouter,
  openid4vci: openid4vciRouter,
  openid4vp: openid4vpRouter,
})

/** Everything that has a path: the REST façade and the OpenAPI document. */
export const restRouter = mergeRouters(appRouter, protocolRouter)

/** The exported type of the API; the client package is typed by it alone. */
export type AppRouter = typeof appRouter
