import { isObject, objectOf } from '../../../protocol/json/json-object.js'
import { RefusedRequest } from '../refused-request.js'
import { withoutDraftMembers } from './client-metadata.js'
import type { Profile } from './profile.js'

/** OpenID4VP 1.0. */
export const final: Profile = {
  name: 'final',
  addressed: ['client_id'],
  // §5
  allowsType: (typ) => typ === 'oauth-authz-req+jwt',
  verifierOf: ({ client_id: clientId }) => prefixed(String(clientId)),
  clientMetadataOf: ({ client_metadata: metadata }) => {
    // §5.1: members that 1.0 does not define are ignored; the keys are in the request.
    const { jwks_uri: _, ...named } = withoutDraftMembers(objectOf(metadata))
    return named
  },
  askedBy: ({ dcql_query: query }) => {
    if (isObject(query)) return { query }
    throw new RefusedRequest('invalid_request', 'The authorization request has no dcql_query.')
  },
  hasFormat: () => true,
  walletMetadataOf: (metadata) => metadata,
  responseOf: (answers) => ({
    vp_token: Object.fromEntries(answers.map(({ queryId, presentation }) => [queryId, [presentation]])),
  }),
}

/** A client identifier with a prefix (§5.9.1), or without a prefix (§5.9.2). */
export function prefixed(clientId: string): { prefix: string; identifier: string } {
  const colon = clientId.indexOf(':')
  if (colon < 0) return { prefix: 'pre-registered', identifier: clientId }
  return { prefix: clientId.slice(0, colon), identifier: clientId.slice(colon + 1) }
}
