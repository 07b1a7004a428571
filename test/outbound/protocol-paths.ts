import { walletPaths } from '../../server/http/paths.js'
import { createOwnPathCheck } from '../../server/outbound/own-origin.js'
import { restRouter } from '../support/contracts.js'

/** Whether a path belongs to a contract that a standard defines for wallets. */
export const isForWallets = walletPaths(restRouter)

/** Whether a service without a path in its address may send itself a request for a path. */
export const isProtocolPath = createOwnPathCheck(['https://example.org'], isForWallets)
