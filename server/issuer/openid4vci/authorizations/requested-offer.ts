import type { Deps } from '../../../deps.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { configurationIdsOf, issuabilityByDefault, parseConfigurationId } from '../../issuance/configurations.js'
import type { IssuanceContext } from '../../issuance/store.js'
import { assertHaipRequest, isHaip } from '../haip.js'
import { closedReason, offeredConfigurations } from '../offer.js'
import type { WalletOffering } from '../offer-store.js'
import { offeredTypes } from '../profiles/offered-types.js'
import { dialectOf, publishedFormats } from '../profiles/profiles.js'
import { type RequestedConfigurations, requestedConfigurations } from '../requested-configurations.js'
import type { KnownType, StoredRequest } from './authorization.js'

/** An offer with what a wallet asks of it. */
export interface RequestedOffer {
  readonly offering: WalletOffering
  readonly requested: RequestedConfigurations
}

const invalid = (description: string) => new OAuthError('invalid_request', description)

const unknownState = () => invalid('The issuer_state is unknown or has expired.')

/** §5.1.3: `issuer_state` may be sent by anyone. It selects an offer and does not authenticate the sender. */
export function offeringIdOf({ seals }: Pick<Deps, 'seals'>, { issuerState }: StoredRequest): string | null {
  if (issuerState === undefined) return null
  const id = seals.openIssuerState(issuerState)
  if (id === undefined) throw unknownState()
  return id
}

/** Reads what a wallet asks of an offer (§5.1.1, §5.1.2): scope and authorization_details, each for itself. */
export function requestedOf(
  deps: Pick<Deps, 'config' | 'formats'>,
  request: StoredRequest,
  offering: Pick<WalletOffering, 'offered' | 'schemaName' | 'profile' | 'asMdoc'>,
): RequestedConfigurations {
  const { scope, authorizationDetails } = request
  if (isHaip(deps, offering)) assertHaipRequest(request)
  const offered = offeredConfigurations(deps, offering)
  const sent = { scope, authorization_details: authorizationDetails }
  const parameters = dialectOf(offering.profile).parameters(sent, offeredTypes(deps, offered))
  const requested = requestedConfigurations(parameters, offered, deps.config)
  if (requested.detailed.length === 0 && requested.scoped.length === 0)
    throw new OAuthError('invalid_scope', 'Neither scope nor authorization_details name a credential of this offer.')
  return requested
}

/** What a request asks of the offer that it is for, which must be open. @throws OAuthError, as above */
export function assertRequestable(
  deps: Pick<Deps, 'config' | 'formats' | 'clock'>,
  request: StoredRequest,
  offering: WalletOffering | undefined,
): RequestedOffer {
  if (offering === undefined) throw unknownState()
  const reason = closedReason(offering, deps.clock())
  if (reason !== undefined) throw invalid(reason)
  return { offering, requested: requestedOf(deps, request, offering) }
}

/**
 * The offer that an authorization request is for; undefined where it names none.
 *
 * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
 */
export async function requestedOffer(deps: Deps, request: StoredRequest): Promise<RequestedOffer | undefined> {
  const id = offeringIdOf(deps, request)
  return id === null ? undefined : assertRequestable(deps, request, await deps.stores.openid4vci.offering(id))
}

/** All configuration ids that a request may name; they are compared with the offer later. */
export function configurationNames({ scope, authorizationDetails }: StoredRequest): readonly string[] {
  const scopes = (scope ?? '').split(' ').filter((name) => name !== '')
  const details = [...(authorizationDetails ?? '').matchAll(/"credential_configuration_id"\s*:\s*"([^"\\]+)"/g)]
  return [...scopes, ...details.map(([, id]) => id ?? '')].slice(0, 64)
}

/** The credential types that a request may name, in its order. */
export function namedTypes({ formats }: Pick<Deps, 'formats'>, request: StoredRequest): readonly string[] {
  const names = configurationNames(request).map((id) => parseConfigurationId(formats, id)?.name)
  return [...new Set(names.filter((name) => name !== undefined))]
}

/**
 * What a request asks that names no offer: there must be something of it here. Who may have it is found once its user is known.
 *
 * @param types those that are known of the types that it names
 * @throws OAuthError `invalid_scope` or `invalid_authorization_details`
 */
export function assertKnown(
  deps: Pick<Deps, 'config' | 'formats'>,
  { scope, authorizationDetails }: StoredRequest,
  types: readonly KnownType[],
): void {
  const known = types.flatMap(({ name, asMdoc }) =>
    configurationIdsOf(publishedFormats(deps), name, issuabilityByDefault(deps.config, asMdoc)),
  )
  const sent = { scope, authorization_details: authorizationDetails }
  const { detailed, scoped } = requestedConfigurations(sent, known, deps.config)
  if (detailed.length === 0 && scoped.length === 0) throw nothingKnown()
}

/** The refusal of a request that names nothing of this issuer's. */
export const nothingKnown = () =>
  new OAuthError('invalid_scope', 'Neither scope nor authorization_details name a credential of this issuer.')

/** Credential types that are looked at where a wallet names no offer. */
const MAX_TYPES = 8

/** What would be issued of the types that a request names, in its order. */
export async function requestedContexts(
  deps: Pick<Deps, 'formats' | 'stores'>,
  request: StoredRequest,
): Promise<readonly IssuanceContext[]> {
  const types = namedTypes(deps, request).slice(0, MAX_TYPES)
  const contexts = await Promise.all(types.map((type) => deps.stores.issuance.context(type, undefined, undefined)))
  return contexts.filter((context) => context !== undefined)
}
