import {
  getAuthorizationServerMetadataFromList,
  preAuthorizedCodeGrantIdentifier,
  type RequestDpopOptions,
} from '@openid4vc/oauth2'
import { determineAuthorizationServerForCredentialOffer } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { Authorize } from './authorization-code.js'
import { boundTo, dpopBy, endOf, type Grant, type Issuance } from './issuance.js'
import type { WalletClient } from './wallet-client.js'

/** The authorization server that an offer's grant names, otherwise the issuer's only server (OpenID4VCI 1.0 §4.1.1). */
function serverFor({ metadata }: Issuance, named: string | undefined) {
  const issuer = determineAuthorizationServerForCredentialOffer({
    issuerMetadata: metadata,
    ...(named === undefined ? {} : { grantAuthorizationServer: named }),
  })
  return getAuthorizationServerMetadataFromList(metadata.authorizationServers, issuer)
}

/** RFC 9449 §5.1: a server that lists algorithms accepts or demands proofs of possession. */
function dpopOptions({ dpopKey }: Issuance, server: ReturnType<typeof serverFor>): { dpop?: RequestDpopOptions } {
  if (server.dpop_signing_alg_values_supported?.includes(dpopKey.signer.alg) !== true) return {}
  return { dpop: dpopBy(dpopKey) }
}

/** Dependencies of {@link createAccessTokens}. */
export interface AccessTokensPorts {
  readonly wallet: Pick<WalletClient, 'id' | 'isAnonymous'>
  readonly authorize: Authorize
  readonly clock: () => Date
}

/**
 * Gets an access token for an offer: by its pre-authorized code, otherwise by authorization.
 *
 * @throws 400 if the offer requires a transaction code and the caller gave none.
 */
export type ObtainToken = ReturnType<typeof createAccessTokens>

/** Creates {@link ObtainToken} from its dependencies. */
export function createAccessTokens({ wallet, authorize, clock }: AccessTokensPorts) {
  async function byPreAuthorizedCode(issuance: Issuance): Promise<Grant> {
    const { client, offer, metadata } = issuance
    const grant = offer.grants?.[preAuthorizedCodeGrantIdentifier]
    // OpenID4VCI 1.0 §4.1.1: an empty `tx_code` object also requires a code. Without `tx_code`, no code may be sent
    // (§6.3).
    const txCode = grant?.tx_code === undefined ? undefined : issuance.txCode
    if (grant?.tx_code !== undefined && txCode === undefined) {
      throw errors.badRequest('txCode must be defined: the offer asks for a transaction code')
    }
    const server = serverFor(issuance, grant?.authorization_server)
    const { accessTokenResponse, dpop } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
      credentialOffer: offer,
      issuerMetadata: metadata,
      ...(txCode === undefined ? {} : { txCode }),
      ...dpopOptions(issuance, server),
    })
    return {
      token: accessTokenResponse,
      server: server.issuer,
      expiresAt: endOf(accessTokenResponse, clock()),
      dpop: boundTo(accessTokenResponse, dpop),
      clientId: wallet.isAnonymous(server) ? undefined : wallet.id,
    }
  }

  async function byAuthorizationCode(issuance: Issuance): Promise<Grant> {
    const server = serverFor(issuance, issuance.offer.grants?.authorization_code?.authorization_server)
    const dpop = dpopOptions(issuance, server)
    const answer = await issuance.client.retrieveAuthorizationCodeAccessTokenFromOffer({
      ...(await authorize(issuance, server, dpop)),
      issuerMetadata: issuance.metadata,
      ...dpop,
    })
    return {
      token: answer.accessTokenResponse,
      server: server.issuer,
      expiresAt: endOf(answer.accessTokenResponse, clock()),
      dpop: boundTo(answer.accessTokenResponse, answer.dpop),
      clientId: wallet.id,
    }
  }

  return (issuance: Issuance): Promise<Grant> =>
    issuance.offer.grants?.[preAuthorizedCodeGrantIdentifier] === undefined
      ? byAuthorizationCode(issuance)
      : byPreAuthorizedCode(issuance)
}
