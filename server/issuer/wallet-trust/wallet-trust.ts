import type { z } from 'zod'
import { shownRoots } from '../../agent/shown-certificate.js'
import type { Config } from '../../config/config.js'
import type { readWalletTrust } from './wallet-trust.contract.js'

/** Dependencies of {@link createWalletTrust}. */
export interface WalletTrustPorts {
  readonly config: Pick<Config, 'attestationTrust'>
}

export type WalletTrust = ReturnType<typeof createWalletTrust>

/** The wallet providers that the issuer trusts. */
export const createWalletTrust = ({ config }: WalletTrustPorts) => ({
  /** The providers and roots of WALLET_CLIENTS and WALLET_TRUST_ANCHORS. */
  read(): z.input<typeof readWalletTrust.output> {
    const { trustAnchors, providers } = config.attestationTrust
    return {
      providers: providers.map(({ clientId, iss }) => ({ clientId, issuer: iss })),
      roots: shownRoots('WALLET_TRUST_ANCHORS', trustAnchors),
    }
  },
})
