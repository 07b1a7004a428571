import { Openid4vciClient } from '@openid4vc/openid4vci'
import { type IssuanceCallbacks, type IssuanceOptions, issuanceCallbacks } from './callbacks.js'
import type { WalletClient } from './wallet-client.js'

/** A client of OpenID4VCI for one issuance, and the callbacks for requests that the client does not make. */
export interface IssuanceClient {
  readonly client: Openid4vciClient
  readonly callbacks: IssuanceCallbacks
}

/** Makes a client of OpenID4VCI with the keys that the client may sign with. */
export type ClientFor = (options: IssuanceOptions) => IssuanceClient

/** Dependencies of {@link createClientFor}. */
export interface ClientPorts {
  readonly wallet: Pick<WalletClient, 'authentication'>
  readonly random: (length: number) => Uint8Array
}

/** Creates {@link ClientFor} from its dependencies. */
export function createClientFor({ wallet, random }: ClientPorts): ClientFor {
  return (options) => {
    const callbacks = issuanceCallbacks(options, wallet.authentication(options), random)
    return { client: new Openid4vciClient({ callbacks }), callbacks }
  }
}
