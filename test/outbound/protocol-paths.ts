import { walletPaths } from '../../server/http/paths.js'
import { createOwnPathCheck } from '../../server/outbound/own-origin.js'
import { restRouter } from '../support/contracts.js'

/** The paths of the contracts that wallets call by a standard. */
export const isForWallets = walletPaths(restRouter)

/** Whether a service without a path in its address may send itself a request for a path. */
export const isProtocolPath = createOwnPathCheck(['https://example.org'], isForWallets)
