import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci'
import { installValidationMessages } from '../../api/validation.js'
import type { Deps } from '../../deps.js'
import { type IssuanceCallbacks, type IssuanceOptions, issuanceCallbacks } from './callbacks.js'

// Loading these libraries changes Zod's messages for the whole process.
installValidationMessages()

/**
 * The libraries' own check of the scheme is one setting for the whole process. The outbound guard makes that check for
 * each request anyway, so theirs is switched off where plain http is allowed.
 */
export function admitHttp(deps: Pick<Deps, 'config'>): void {
  if (deps.config.allowInsecureHttp) setGlobalConfig({ allowInsecureUrls: true })
}

/** A client of OpenID4VCI for one issuance, and what requests take that it does not make. */
export interface IssuanceClient {
  readonly client: Openid4vciClient
  readonly callbacks: IssuanceCallbacks
}

export function issuanceClient(deps: Deps, options: IssuanceOptions): IssuanceClient {
  admitHttp(deps)
  const callbacks = issuanceCallbacks(deps, options)
  return { client: new Openid4vciClient({ callbacks }), callbacks }
}
