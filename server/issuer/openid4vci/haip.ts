import type { Config } from '../../config/config.js'
import type { Deps } from '../../deps.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import type { AuthorizationRequest } from '../../protocol/oauth/authorization-request.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { challengeNeeded, type WalletClient } from './client-authentication.js'
import type { TokenClient } from './grants/grant.js'
import type { OfferProfile } from './offer-profile.js'

type Offer = { readonly profile: OfferProfile }

/** The profile of everything that this installation issues. */
interface ForAll {
  readonly config: Pick<Config, 'issuerProfile'>
}

/** Whether HAIP 1.0 holds: for everything that this installation issues, or for an offer. */
export const isHaip = ({ config }: ForAll, offer?: Offer): boolean =>
  config.issuerProfile === 'haip' || offer?.profile === 'haip'

/** The formats that wallets may take, in the order in which they are offered (HAIP 1.0 §6). */
export const offeredFormats = (
  { config, formats }: ForAll & { readonly formats: Pick<Formats, 'issued'> },
  offer?: Offer,
): readonly IssuedFormat[] => (isHaip({ config }, offer) ? formats.issued.filter(({ haip }) => haip) : formats.issued)

/**
 * HAIP 1.0 §4.4.1: a wallet authenticates with an attestation that brings its certificates, and with a fresh proof.
 *
 * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`
 */
export function assertHaipWallet(deps: Pick<Deps, 'seals'>, wallet: WalletClient): void {
  const refusal = (description: string) => new OAuthError('invalid_client', description, { status: 401 })
  if (wallet.instanceJkt === null) throw refusal('A wallet attestation is needed (HAIP).')
  if (!wallet.certified) throw refusal('The wallet attestation must have its certificates in x5c (HAIP).')
  if (!wallet.challenged) throw challengeNeeded(deps, 'The proof of the wallet attestation needs a challenge (HAIP).')
}

/**
 * HAIP 1.0 §4.3: credentials are asked for by scope.
 *
 * @throws OAuthError `invalid_authorization_details`, `invalid_scope`
 */
export function assertHaipRequest({
  scope,
  authorizationDetails,
}: Pick<AuthorizationRequest, 'scope' | 'authorizationDetails'>): void {
  if (authorizationDetails !== undefined)
    throw new OAuthError('invalid_authorization_details', 'Credentials are asked for by scope alone (HAIP).')
  if (scope === undefined) throw new OAuthError('invalid_scope', 'scope is missing (HAIP).')
}

/** §4, FAPI 2.0 Security Profile §5.3.2.2: the error for a request that was not pushed. */
export const notPushed = () =>
  new OAuthError('invalid_request', 'The request must be pushed to the endpoint for that (HAIP).')

/**
 * §4: tokens are bound to a key by DPoP, and the wallet authenticates.
 *
 * @throws OAuthError 401 `invalid_client`, `use_attestation_challenge`; `invalid_dpop_proof`
 */
export function assertHaipToken(deps: Pick<Deps, 'seals'>, { wallet, dpop }: TokenClient): void {
  assertHaipWallet(deps, wallet)
  if (dpop === undefined) throw new OAuthError('invalid_dpop_proof', 'The DPoP proof is missing (HAIP).')
}
