import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import type { IssuerRegistration } from '../registration/issuer-registration.js'
import { createAccessTokens } from './access-token.js'
import { createAuthorize } from './authorization-code.js'
import type { IssuerSessions } from './issuer-sessions.js'
import type { Offers } from './offers.js'
import { createProofs } from './proofs.js'
import { createTakeAnswer } from './take-answer.js'
import { createTakeOffer } from './take-offer.js'
import type { VerifyReceived } from './verify-received.js'
import type { WalletClient } from './wallet-client.js'

/** Dependencies of {@link createIssuerExchanges}. */
export interface IssuerExchangesPorts {
  readonly wallet: WalletClient
  readonly issuerSessions: IssuerSessions
  readonly configurationsIn: Offers['configurationsIn']
  readonly verifyReceived: VerifyReceived
  readonly registrationOf: IssuerRegistration
  readonly config: Pick<Config, 'walletRegistration'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly log: Log
}

export type IssuerExchanges = ReturnType<typeof createIssuerExchanges>

/** How hosted wallets receive credentials from issuers (OpenID4VCI 1.0). */
export function createIssuerExchanges({
  wallet,
  issuerSessions,
  configurationsIn,
  verifyReceived,
  registrationOf,
  config,
  random,
  clock,
  log,
}: IssuerExchangesPorts) {
  const authorize = createAuthorize({ wallet, configurationsIn, random })
  const takeAnswer = createTakeAnswer({ verifyReceived, log })
  return {
    takeAnswer,
    takeOffer: createTakeOffer({
      issuerSessions,
      wallet,
      configurationsIn,
      obtainToken: createAccessTokens({ wallet, authorize, clock }),
      proveKeys: createProofs({ wallet, clock }),
      takeAnswer,
      registrationOf,
      config,
      log,
    }),
  }
}
