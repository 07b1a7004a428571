import { shownRoots } from '../../agent/shown-certificate.js'
import { issuerOperatorProcedure, router } from '../../trpc.js'
import { readWalletTrust } from './wallet-trust.contract.js'

export const walletTrustRouter = router({
  read: issuerOperatorProcedure
    .meta(readWalletTrust.meta)
    .input(readWalletTrust.input)
    .output(readWalletTrust.output)
    .query(({ ctx: { deps } }) => {
      const { trustAnchors, providers } = deps.config.attestationTrust
      return {
        providers: providers.map(({ clientId, iss }) => ({ clientId, issuer: iss })),
        roots: shownRoots('WALLET_TRUST_ANCHORS', trustAnchors),
      }
    }),
})
