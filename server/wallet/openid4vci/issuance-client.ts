import { Openid4vciClient } from '@openid4vc/openid4vci'
import type { Deps } from '../../deps.js'
import { admitHttp } from '../exchange/libraries.js'
import { type IssuanceCallbacks, type IssuanceOptions, issuanceCallbacks } from './callbacks.js'

/** A client of OpenID4VCI for one issuance, and what requests take that it does not make. */
export interface IssuanceClient {
  readonly client: Openid4vciClient
  readonly callbacks: IssuanceCallbacks
}

export function issuanceClient(deps: Deps, options: IssuanceOptions): IssuanceClient {
  admitHttp(deps.config)
  const callbacks = issuanceCallbacks(deps, options)
  return { client: new Openid4vciClient({ callbacks }), callbacks }
}
