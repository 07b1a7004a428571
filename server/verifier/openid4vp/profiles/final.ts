import { readPresentations } from '../../../protocol/openid4vp/authorization-response.js'
import { CLIENT_ID_PREFIXES } from '../../../protocol/openid4vp/client-identifier.js'
import { RESPONSE_MODES } from '../../../protocol/openid4vp/request-object.js'
import { VERIFIED_ALGORITHMS } from '../../../protocol/openid4vp/vp-formats.js'
import type { Profile } from './profile.js'

/** OpenID4VP 1.0, in which nothing of a draft is understood. */
export const final: Profile = {
  clientIdPrefixes: CLIENT_ID_PREFIXES,
  certifiedPrefix: 'x509_hash',
  responseModes: RESPONSE_MODES,
  walletUrl: null,
  sameDevice: false,
  hasFormat: () => true,
  // Wallets of today know Ed25519 signatures by their former name alone.
  algorithms: VERIFIED_ALGORITHMS,
  certified: false,
  holderBound: false,
  trustedIssuers: ['self'],
  unsayable: () => undefined,
  clientParameters: (clientId) => ({ client_id: clientId }),
  requestParameters: (parameters) => parameters,
  walletMetadata: (metadata) => metadata,
  presentations: (parameters) => readPresentations(parameters),
}
