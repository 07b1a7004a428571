import { Openid4vciClient } from '@openid4vc/openid4vci'
import { type IssuanceCallbacks, type IssuanceOptions, issuanceCallbacks } from './callbacks.js'
import type { WalletClient } from './wallet-client.js'

/** A client of OpenID4VCI for one issuance, and what requests take that it does not make. */
export interface IssuanceClient {
  readonly client: Openid4vciClient
  readonly callbacks: IssuanceCallbacks
}

/** Makes a client of OpenID4VCI that may sign with some keys. */
export type ClientFor = (options: IssuanceOptions) => IssuanceClient

/** What {@link createClientFor} is made of. */
export interface ClientPorts {
  readonly wallet: Pick<WalletClient, 'authentication'>
  readonly random: (length: number) => Uint8Array
}

/** Binds {@link ClientFor} to its ports. */
export function createClientFor({ wallet, random }: ClientPorts): ClientFor {
  return (options) => {
    const callbacks = issuanceCallbacks(options, wallet.authentication(options), random)
    return { client: new Openid4vciClient({ callbacks }), callbacks }
  }
}
