import { contractRouters } from '../../server/router.js'

/** The routers for the standard formats, made from the contracts. */
export const { appRouter, protocolRouter, restRouter } = contractRouters()
