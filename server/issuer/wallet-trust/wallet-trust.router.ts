import { procedure, router } from '../../api/trpc.js'
import { readWalletTrust } from './wallet-trust.contract.js'
import type { WalletTrust } from './wallet-trust.js'

export const walletTrustRouter = ({ read }: WalletTrust) =>
  router({
    read: procedure(readWalletTrust).query(() => read()),
  })
