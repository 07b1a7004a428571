import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import type { AuthorizationRequest } from '../../protocol/oauth/authorization-request.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { OfferProfile } from './offer-profile.js'

/** The profile of an offer. */
export type ProfiledOffer = { readonly profile: OfferProfile }

/** The profile of everything that this installation issues. */
interface ForAll {
  readonly config: Pick<Config, 'issuerProfile'>
}

/** Whether HAIP 1.0 applies, either to everything that this installation issues, or to an offer. */
export const isHaip = ({ config }: ForAll, offer?: ProfiledOffer): boolean =>
  config.issuerProfile === 'haip' || offer?.profile === 'haip'

/** The formats that wallets may take, in the order of offers (HAIP 1.0 §6). */
export const offeredFormats = (
  { config, formats }: ForAll & { readonly formats: Pick<Formats, 'issued'> },
  offer?: ProfiledOffer,
): readonly IssuedFormat[] => (isHaip({ config }, offer) ? formats.issued.filter(({ haip }) => haip) : formats.issued)

/**
 * HAIP 1.0 §4.3: credentials are requested by scope.
 *
 * @throws OAuthError `invalid_authorization_details`, `invalid_scope`
 */
export function assertHaipRequest({
  scope,
  authorizationDetails,
}: Pick<AuthorizationRequest, 'scope' | 'authorizationDetails'>): void {
  if (authorizationDetails !== undefined)
    throw new OAuthError('invalid_authorization_details', 'Credentials must be requested by scope (HAIP).')
  if (scope === undefined) throw new OAuthError('invalid_scope', 'scope is missing (HAIP).')
}

/** §4, FAPI 2.0 Security Profile §5.3.2.2: the error for a request that was not pushed. */
export const notPushed = () =>
  new OAuthError('invalid_request', 'The request must be sent to the PAR endpoint first (HAIP).')
