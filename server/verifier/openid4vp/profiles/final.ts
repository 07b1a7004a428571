import { readPresentations } from '../../../protocol/openid4vp/authorization-response.js'
import type { Dialect } from './dialect.js'

/** OpenID4VP 1.0, in which nothing of a draft is understood. */
export const final: Dialect = {
  fault: () => undefined,
  client: (clientId) => ({ client_id: clientId }),
  parameters: (parameters) => parameters,
  walletMetadata: (metadata) => metadata,
  presentations: (parameters) => readPresentations(parameters),
}
