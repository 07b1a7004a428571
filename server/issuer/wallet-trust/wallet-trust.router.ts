import { shownRoots } from '../../agent/shown-certificate.js'
import { procedure, router } from '../../api/trpc.js'
import { readWalletTrust } from './wallet-trust.contract.js'

export const walletTrustRouter = router({
  read: procedure(readWalletTrust).query(({ ctx: { deps } }) => {
    const { trustAnchors, providers } = deps.config.attestationTrust
    return {
      providers: providers.map(({ clientId, iss }) => ({ clientId, issuer: iss })),
      roots: shownRoots('WALLET_TRUST_ANCHORS', trustAnchors),
    }
  }),
})
