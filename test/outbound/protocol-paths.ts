import { walletPaths } from '../../server/http/paths.js'
import { createOwnPathCheck } from '../../server/outbound/own-origin.js'
import { restRouter } from '../support/contracts.js'

/** Paths that wallets call by a standard, as the contracts of the service have them. */
export const isForWallets = walletPaths(restRouter)

/** Whether a service without a path in its address may ask itself for a path. */
export const isProtocolPath = createOwnPathCheck(['https://example.org'], isForWallets)
