import { contractRouters } from '../../server/router.js'

/** The routers of the standard formats, as their contracts say them. */
export const { appRouter, protocolRouter, restRouter } = contractRouters()
