import type { Deps } from '../../../deps.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { assertHaipRequest, isHaip } from '../haip.js'
import { closedReason, offeredConfigurations } from '../offer.js'
import { type RequestedConfigurations, requestedConfigurations } from '../requested-configurations.js'
import type { WalletOffering } from '../store.js'
import type { StoredRequest } from './authorization.js'

/** An offer with what a wallet asks of it. */
export interface RequestedOffer {
  readonly offering: WalletOffering
  readonly requested: RequestedConfigurations
}

const invalid = (description: string) => new OAuthError('invalid_request', description)

/** §5.1.3: `issuer_state` may be sent by anyone. It selects an offer and does not authenticate the sender. */
async function offeringOf(deps: Deps, issuerState: string): Promise<WalletOffering> {
  const id = deps.seals.openIssuerState(issuerState)
  const offering = id === undefined ? undefined : await deps.stores.openid4vci.offering(id)
  if (offering === undefined) throw invalid('The issuer_state is unknown or has expired.')
  const reason = closedReason(offering, deps.clock())
  if (reason !== undefined) throw invalid(reason)
  return offering
}

/** Reads what a wallet asks of an offer (§5.1.1, §5.1.2): scope and authorization_details, each for itself. */
export function requestedOf(
  deps: Pick<Deps, 'config' | 'formats'>,
  request: StoredRequest,
  offering: WalletOffering,
): RequestedConfigurations {
  const { scope, authorizationDetails } = request
  if (isHaip(deps, offering)) assertHaipRequest(request)
  const parameters = { scope, authorization_details: authorizationDetails }
  const requested = requestedConfigurations(parameters, offeredConfigurations(deps, offering), deps.config)
  if (requested.detailed.length === 0 && requested.scoped.length === 0)
    throw new OAuthError('invalid_scope', 'Neither scope nor authorization_details name a credential of this offer.')
  return requested
}

/**
 * The offer that an authorization request is for; undefined where it names none.
 *
 * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
 */
export async function requestedOffer(deps: Deps, request: StoredRequest): Promise<RequestedOffer | undefined> {
  if (request.issuerState === undefined) return undefined
  const offering = await offeringOf(deps, request.issuerState)
  return { offering, requested: requestedOf(deps, request, offering) }
}
