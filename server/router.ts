import { agentRouter } from './agent/agent.js'
import { didsRouter } from './dids/dids.js'
import { healthRouter } from './health/health.js'
import { credentialsRouter } from './issuer/credentials/credentials.js'
import { metadataRouter } from './issuer/metadata/metadata.js'
import { offeringsRouter } from './issuer/offerings/offerings.js'
import { schemasRouter } from './issuer/schemas/schemas.js'
import { serviceRouter } from './service/service.js'
import { statusListsRouter } from './status-lists/status-lists.js'
import { router } from './trpc.js'
import { verifyRouter } from './verifier/verify/verify.js'
import { agentHoldersRouter, holdersRouter } from './wallet/holders/holders.js'

/** The table of contents of the API: what first-party clients call by name and REST clients by path. */
export const appRouter = router({
  service: serviceRouter,
  health: healthRouter,
  metadata: metadataRouter,
  dids: didsRouter,
  statusLists: statusListsRouter,
  schemas: schemasRouter,
  offerings: offeringsRouter,
  credentials: credentialsRouter,
  verify: verifyRouter,
  agent: agentRouter,
  agentHolders: agentHoldersRouter,
  holders: holdersRouter,
})

/** The exported type of the API; the client package is typed by it alone. */
export type AppRouter = typeof appRouter
