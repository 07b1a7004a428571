import { readPresentations } from '../../../protocol/openid4vp/authorization-response.js'
import { CLIENT_ID_PREFIXES } from '../../../protocol/openid4vp/client-identifier.js'
import { RESPONSE_MODES } from '../../../protocol/openid4vp/request-object.js'
import { VERIFIED_ALGORITHMS } from '../../../protocol/openid4vp/vp-formats.js'
import type { Profile } from './profile.js'

/** OpenID4VP 1.0, without any rule of a draft. */
export const final: Profile = {
  clientIdPrefixes: CLIENT_ID_PREFIXES,
  certifiedPrefix: 'x509_hash',
  responseModes: RESPONSE_MODES,
  walletUrl: null,
  sameDevice: false,
  hasFormat: () => true,
  // Current wallets know Ed25519 signatures only by their former name.
  algorithms: VERIFIED_ALGORITHMS,
  certified: false,
  holderBound: false,
  trustedIssuers: ['self'],
  unsayable: () => undefined,
  clientParameters: (clientId) => ({ client_id: clientId }),
  namesVerifier: false,
  requestParameters: (parameters) => parameters,
  walletMetadata: (metadata) => metadata,
  presentations: (parameters) => readPresentations(parameters),
}
